// The packed form of a part is: size of its header, header, number of chunks, size of each chunk, chunks. Sizes and the
// number have 8 bytes. A header has no zero byte at its end, and a chunk has no part number.
#include "core/codec/exr/join_parts.h"

#include "core/codec/common/little.h"
#include "core/codec/common/size_limits.h"
#include "core/codec/exr/block_decoder.h"
#include "core/codec/exr/deep_samples.h"
#include "core/codec/exr/write_header.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <climits>

namespace gpupost {

namespace {

// Attributes that a later part must have as part 0, or not at all. Source: OpenEXR, ImfMultiPartInputFile.cpp,
// checkSharedAttributesValues.
constexpr std::string_view shared_attributes[] = {"displayWindow", "pixelAspectRatio", "timecode", "chromaticities"};

// Decodes every chunk of a part.
void check_texels(Bytes file, const ExrHeader& header, const Limits& limits) {
  for (const ExrLevel& level : header.levels) {
    if (!header.is_deep) {
      decode_all(*pieces_of(file, header, level), [](const DecodedBlock&) {});
      continue;
    }
    for (int row = 0; row < level.rows; ++row)
      for (int column = 0; column < level.columns; ++column)
        unpack_deep_chunk(file, header, level, column, row, limits.decoded_bytes);
  }
}

uint64_t packed_bytes(Bytes file, const ExrHeader& header) {
  uint64_t bytes = 2 * sizeof(uint64_t) + header.raw.size();
  for (size_t chunk = 0; chunk < header.chunk_count(); ++chunk)
    bytes += sizeof(uint64_t) + whole_chunk(file, header, chunk).size();
  return bytes;
}

// Writes to memory of a known size.
class Writer {
 public:
  explicit Writer(std::byte* to) : start_(to), to_(to) {}
  void bytes(Bytes bytes) {
    std::ranges::copy(bytes, to_);
    to_ += bytes.size();
  }
  template <class Number>
  void number(Number number) {
    bytes(std::as_bytes(std::span(&number, 1)));
  }
  size_t at() const { return size_t(to_ - start_); }

 private:
  std::byte* start_;
  std::byte* to_;
};

void pack(Bytes file, const ExrHeader& header, Writer& to) {
  to.number(uint64_t(header.raw.size()));
  to.bytes(header.raw);
  to.number(uint64_t(header.chunk_count()));
  for (size_t chunk = 0; chunk < header.chunk_count(); ++chunk)
    to.number(uint64_t(whole_chunk(file, header, chunk).size()));
  for (size_t chunk = 0; chunk < header.chunk_count(); ++chunk) to.bytes(whole_chunk(file, header, chunk));
}

// Names must differ, because they select parts.
void check_names(const std::vector<ExrHeader>& parts) {
  std::vector<std::string> names;
  for (const ExrHeader& part : parts) names.push_back(part.name);
  std::ranges::sort(names);
  const auto twin = std::ranges::adjacent_find(names);
  if (twin != names.end())
    fail(Exit::input, "has two parts with the name {}, so its parts cannot be copied (--drop-parts drops the others)",
         printable(*twin));
}

// A part that is ready to be written.
struct WholePart {
  std::vector<std::byte> header;
  std::vector<Bytes> chunks;
};

struct NamedValue {
  std::string_view name, type;
  Bytes value;
};

// Attributes of a header that was checked when it was read.
std::vector<NamedValue> attributes_of(Bytes header) {
  std::vector<NamedValue> attributes;
  const std::string_view text = text_of(header);
  for (size_t at = 0; at < header.size();) {
    NamedValue& attribute = attributes.emplace_back();
    const auto next_text = [&] {
      const size_t end = std::min(text.find('\0', at), text.size());
      const std::string_view found = text.substr(at, end - at);
      at = std::min(end + 1, text.size());
      return found;
    };
    attribute.name = next_text();
    attribute.type = next_text();
    attribute.value = part_of(header, at + 4, little_at<uint32_t>(header, at));
    at += 4 + attribute.value.size();
  }
  return attributes;
}

Bytes value_of(const std::vector<NamedValue>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &NamedValue::name);
  return found == attributes.end() ? Bytes() : found->value;
}

// Names of shared attributes of a later part that part 0 does not have, or has with other values.
std::vector<std::string_view> conflicts(Bytes first, Bytes later) {
  const std::vector<NamedValue> firsts = attributes_of(first), laters = attributes_of(later);
  std::vector<std::string_view> names;
  for (const std::string_view name : shared_attributes) {
    const Bytes value = value_of(laters, name);
    if (!value.empty() && !std::ranges::equal(value_of(firsts, name), value)) names.push_back(name);
  }
  return names;
}

// A single-part file as a part with this name.
WholePart part_of_file(Bytes file, const std::string& name) {
  constexpr Limits no_limits{
      .side = INT_MAX, .texel_count = UINT64_MAX, .channel_count = INT_MAX, .decoded_bytes = UINT64_MAX};
  const ExrHeader header = parse_exr_headers(file, no_limits).front();
  WholePart part;
  for (const NamedValue& attribute : attributes_of(header.raw))
    if (attribute.name != "name" && attribute.name != "type" && attribute.name != "chunkCount")
      put_attribute(part.header, attribute.name, attribute.type, attribute.value);
  const auto chunk_count = uint32_t(header.chunk_count());
  put_attribute(part.header, "name", "string", std::as_bytes(std::span(name)));
  put_attribute(part.header, "type", "string",
                std::as_bytes(std::span(std::string_view(header.is_tiled ? "tiledimage" : "scanlineimage"))));
  put_attribute(part.header, "chunkCount", "int", std::as_bytes(std::span(&chunk_count, 1)));
  for (size_t chunk = 0; chunk < header.chunk_count(); ++chunk) part.chunks.push_back(whole_chunk(file, header, chunk));
  return part;
}

// The reader is a worker whose reply is not trusted, so every size is checked.
std::vector<WholePart> unpacked(Bytes packed) {
  std::vector<WholePart> parts;
  size_t at = 0;
  const auto next_number = [&] {
    const auto number = little_at<uint64_t>(packed, at);
    at += sizeof number;
    return size_t(number);
  };
  const auto next_bytes = [&](size_t count) {
    const Bytes bytes = part_of(packed, at, count);
    at += count;
    return bytes;
  };
  while (at < packed.size()) {
    WholePart& part = parts.emplace_back();
    const Bytes header = next_bytes(next_number());
    part.header.assign(header.begin(), header.end());
    const size_t chunk_count = next_number();
    part_of(packed, at, std::min(chunk_count, packed.size()) * sizeof(uint64_t));
    std::vector<size_t> sizes;
    for (size_t chunk = 0; chunk < chunk_count; ++chunk) sizes.push_back(next_number());
    for (const size_t size : sizes) part.chunks.push_back(next_bytes(size));
  }
  return parts;
}

TexelBuffer written(const std::vector<WholePart>& parts, uint32_t flags) {
  size_t table_at = 8 + 1, table_bytes = 0, chunk_bytes = 0;
  for (const WholePart& part : parts) {
    table_at += part.header.size() + 1;
    table_bytes += sizeof(uint64_t) * part.chunks.size();
    for (const Bytes chunk : part.chunks) chunk_bytes += sizeof(uint32_t) + chunk.size();
  }
  TexelBuffer file(table_at + table_bytes + chunk_bytes);
  Writer head(file.data()), table(file.data() + table_at), data(file.data() + table_at + table_bytes);
  const size_t data_at = table_at + table_bytes;
  head.number(uint32_t(0x01312f76));
  head.number(flags);
  for (size_t index = 0; index < parts.size(); ++index) {
    head.bytes(parts[index].header);
    head.number(uint8_t(0));
    for (const Bytes chunk : parts[index].chunks) {
      table.number(uint64_t(data_at + data.at()));
      data.number(uint32_t(index));
      data.bytes(chunk);
    }
  }
  head.number(uint8_t(0));
  return file;
}

}  // namespace

OtherParts other_parts(Bytes file, const std::vector<ExrHeader>& parts, const ExrHeader& read) {
  OtherParts others{.index = read.part,
                    .name = read.name,
                    .has_long_names = (little_at<uint32_t>(file, 4) & exr_has_long_names) != 0};
  for (const ExrHeader& part : parts) {
    if (part.part == read.part) continue;
    others.names.push_back(part.name);
    others.has_deep |= part.is_deep;
  }
  return others;
}

void check_part(Bytes file, const ExrHeader& header, const Limits& limits) {
  try {
    check_texels(file, header, limits);
  } catch (const Error& error) {
    if (!header.has_part_numbers) throw;
    fail(error.code(), "part {} ({}): {}", header.part, printable(header.name), error.what());
  }
}

void pack_other_parts(Bytes file, const std::vector<ExrHeader>& parts, const Limits& limits, const TexelAllocator& lend,
                      OtherParts& others) {
  check_names(parts);
  uint64_t bytes = 0;
  for (const ExrHeader& part : parts) {
    if (part.part == others.index) continue;
    check_part(file, part, limits);
    bytes += packed_bytes(file, part);
    // each chunk of the file can be packed once, with its size; chunks that overlap would take far more
    if (bytes > 2 * uint64_t(file.size())) fail(Exit::input, "is damaged: its chunks overlap");
  }
  check_decoded_bytes(bytes, limits);
  others.bytes = lend(size_t(bytes));
  Writer to(others.bytes.data());
  for (const ExrHeader& part : parts)
    if (part.part != others.index) pack(file, part, to);
}

TexelBuffer join_parts(Bytes own, const OtherParts& others, std::vector<std::string>& warnings) {
  std::vector<WholePart> parts = unpacked(others.bytes.bytes());
  parts.insert(parts.begin() + std::min(others.index, int(parts.size())), part_of_file(own, others.name));
  for (const WholePart& part : std::span(parts).subspan(1))
    if (const auto names = conflicts(parts.front().header, part.header); !names.empty()) {
      warnings.push_back(
          fmt::format("the other parts are dropped, because all parts must have the same {}; dropped parts: {} (write "
                      "each to its own file with --part)",
                      fmt::join(names, " and "), printable(fmt::format("{}", fmt::join(others.names, ", ")))));
      return {};
    }
  uint32_t flags = 2 | exr_has_parts | (others.has_deep ? exr_is_deep : 0u);
  if (others.has_long_names || (little_at<uint32_t>(own, 4) & exr_has_long_names)) flags |= exr_has_long_names;
  return written(parts, flags);
}

}  // namespace gpupost
