// Parts of an EXR file. Most files have one.
#include "core/codec/exr/header.h"

#include "core/base/text.h"

#include <algorithm>

namespace gpupost {

namespace {

constexpr size_t max_part_count = 1024;

bool has_parts(Bytes file) { return (little_at<uint32_t>(file, 4) & exr_has_parts) != 0; }

void check_version(Bytes file) {
  if (!starts_with(file, "\x76\x2f\x31\x01")) fail(Exit::input, "does not start like an EXR file");
  const uint32_t version = little_at<uint32_t>(file, 4);
  if ((version & 0xff) != 2) fail(Exit::input, "is of EXR version {}; 2 is supported", version & 0xff);
  if (version & ~(0xffu | exr_is_tiled | exr_has_long_names | exr_is_deep | exr_has_parts))
    fail(Exit::input, "EXR flags {:#x} are not supported", version);
}

// The chunk tables follow the last header.
void place_tables(std::vector<ExrHeader>& parts, size_t at) {
  for (ExrHeader& header : parts) {
    header.table_at = at;
    at += 8 * header.chunk_count();
  }
  for (ExrHeader& header : parts) header.chunks_at = at;
}

std::string name_of(const ExrHeader& header) {
  return header.name.empty() ? fmt::format("{}", header.part)
                             : fmt::format("{} ({})", header.part, printable(header.name));
}

std::string name_of(const std::vector<ExrHeader>& parts) {
  std::string names;
  for (const ExrHeader& header : parts) names += (names.empty() ? "" : ", ") + name_of(header);
  return names;
}

// Finds a part by number or name; nullptr if there is none. A name may look like a number: "001", or "7" of three parts.
ExrHeader* part_named(std::vector<ExrHeader>& parts, const std::string& wanted) {
  for (ExrHeader& header : parts)
    if (wanted == std::to_string(header.part)) return &header;
  const auto found = std::ranges::find(parts, wanted, &ExrHeader::name);
  return found == parts.end() ? nullptr : &*found;
}

}  // namespace

std::vector<ExrHeader> parse_exr_headers(Bytes file, const Limits& limits) {
  check_version(file);
  std::vector<ExrHeader> parts;
  size_t at = 8;
  if (!has_parts(file)) {
    parts.push_back(parse_exr_header(file, at, false, limits));
  } else {
    while (byte_at(file, at) != 0) {
      if (parts.size() == max_part_count) fail(Exit::input, "has more than {} parts", max_part_count);
      ExrHeader& header = parts.emplace_back(parse_exr_header(file, at, true, limits));
      header.part = int(parts.size()) - 1;
      if (header.claimed_chunk_count != header.chunk_count())
        fail(Exit::input, "part {} claims {} chunks; it must have {}", name_of(header), header.claimed_chunk_count,
             header.chunk_count());
    }
    ++at;
    if (parts.empty()) fail(Exit::input, "has no parts");
  }
  place_tables(parts, at);
  return parts;
}

ExrHeader& part_wanted(std::vector<ExrHeader>& parts, const std::string& wanted, bool flattens) {
  ExrHeader* part = wanted.empty() ? &parts.front() : part_named(parts, wanted);
  if (!part)
    fail(Exit::input, "has no part {}; it has {} {}", wanted, parts.size() == 1 ? "the one part" : "the parts",
         name_of(parts));
  if (part->is_deep && !flattens && parts.size() == 1)
    fail(Exit::input, "holds deep data; give --flatten to composite its samples");
  if (part->is_deep && !flattens)
    fail(
        Exit::input,
        "part {} holds deep data; give --flatten to composite its samples, or read another part with --part; the parts "
        "are {}",
        name_of(*part), name_of(parts));
  return *part;
}

}  // namespace gpupost
