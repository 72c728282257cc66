// Reads EXR files. tinyexr or OpenEXR decodes planes, which become texels here.
#include "core/base/half.h"
#include "core/base/threads.h"
#include "core/codec/common/reader.h"
#include "core/codec/common/size_limits.h"
#include "core/codec/exr/block_decoder.h"
#include "core/codec/exr/channel_groups.h"
#include "core/codec/exr/header.h"
#include "core/codec/exr/join_parts.h"
#include "core/codec/exr/luma_chroma.h"
#include "core/image/level_windows.h"

#include <algorithm>
#include <atomic>
#include <optional>

namespace gpupost {

namespace {

// Number of levels of the file; of a ripmap, those with equal x and y level.
int chain_level_count(const ExrHeader& header) {
  return int(std::ranges::count_if(header.levels, [](const ExrLevel& level) { return level.x == level.y; }));
}

const ExrLevel& level_wanted(const ExrHeader& header, int wanted) {
  for (const ExrLevel& level : header.levels)
    if (level.x == wanted && level.y == wanted) return level;
  refuse_level(wanted, chain_level_count(header));
}

// The main loop: interleaves four planes.
template <class Word>
void interleave(const std::array<const Word*, 4>& from, Word* __restrict to, size_t count) {
  const Word* __restrict a = from[0];
  const Word* __restrict b = from[1];
  const Word* __restrict c = from[2];
  const Word* __restrict d = from[3];
  for (size_t i = 0; i < count; ++i) {
    to[4 * i] = a[i];
    to[4 * i + 1] = b[i];
    to[4 * i + 2] = c[i];
    to[4 * i + 3] = d[i];
  }
}

// One row of a plane in the group's depth, converted to `room` if necessary.
template <class Word>
const Word* row_as(const unsigned char* plane, size_t first, size_t count, Depth depth, std::vector<Word>& room) {
  const bool is_widened = depth == Depth::half && sizeof(Word) == 4;
  if (!is_widened) return reinterpret_cast<const Word*>(plane) + first;
  room.resize(count);
  floats_from_halves(reinterpret_cast<const uint16_t*>(plane) + first, reinterpret_cast<float*>(room.data()), count);
  return room.data();
}

constexpr uint32_t one_in(Depth depth) { return depth == Depth::half ? 0x3c00 : std::bit_cast<uint32_t>(1.0f); }

template <class Word>
void place_rows(const DecodedBlock& piece, const ExrGroup& group, Level& level) {
  const size_t width = size_t(piece.place.size.width);
  const std::vector<Word> zeros(width, 0);
  const std::vector<Word> ones(width, Word(one_in(group.group.depth)));
  std::array<std::vector<Word>, 4> rooms;
  const bool has_alpha_to_fill = group.group.is_color && group.sources[3] < 0;
  std::array<const Word*, 4> rows = {zeros.data(), zeros.data(), zeros.data(),
                                     has_alpha_to_fill ? ones.data() : zeros.data()};
  for (int y = 0; y < piece.place.size.height; ++y) {
    for (size_t i = 0; i < 4; ++i) {
      if (group.sources[i] < 0) continue;
      const bool is_luminance_again = group.group.is_luminance && (i == 1 || i == 2);
      const Depth depth = group.group.channels[is_luminance_again ? 0 : i].depth;
      rows[i] = is_luminance_again
                    ? rows[0]
                    : row_as(piece.planes[size_t(group.sources[i])], size_t(y) * width, width, depth, rooms[i]);
    }
    const size_t at = size_t(piece.place.y + y) * size_t(level.size.width) + size_t(piece.place.x);
    interleave(rows, level.texels.as<Word>().data() + 4 * at, width);
  }
}

void decode_level(const BlockDecoder& pieces, std::span<ExrGroup> groups) {
  const auto use = [&](const DecodedBlock& piece) {
    for (ExrGroup& group : groups)
      if (group.group.depth == Depth::half) place_rows<uint16_t>(piece, group, group.group.levels[0]);
      else place_rows<uint32_t>(piece, group, group.group.levels[0]);
  };
  decode_all(pieces, use);
}

// Reads the texels of all groups. A filter enlarges half-resolution chroma, which needs the whole image.
void decode_groups(Bytes file, const ExrHeader& header, const ExrLevel& level, const std::string& layer,
                   uint64_t most_bytes, std::vector<ExrGroup>& groups) {
  ExrGroup& color = groups.front();
  const auto pieces =
      header.is_deep ? flattened_blocks(file, header, level, most_bytes) : pieces_of(file, header, level);
  if (!has_halved_chroma(header, color)) {
    decode_level(*pieces, groups);
    if (color.has_chroma) make_colors(header, color.group);
    return;
  }
  if (groups.size() > 1) decode_level(*pieces, std::span(groups).subspan(1));
  read_halved_chroma(file, header, level, layer, color.group);
}

// OpenEXR enlarges only half chroma.
void check_halved_chroma(const ExrHeader& header, const ExrGroup& color) {
  for (const int source : color.sources)
    if (source >= 0 && header.channels[size_t(source)].depth != Depth::half)
      fail(Exit::input,
           "luminance with 2 x 2 subsampled chroma, and their alpha, are supported only as half; {} has another type",
           printable(header.channels[size_t(source)].name));
}

// The color of luminance and chroma is named R, G and B, and the file may have such channels too.
void check_names(std::span<const ExrGroup> groups) {
  const std::span<const Channel> colors = groups.front().group.channels;
  for (const ExrGroup& other : groups.subspan(1))
    for (const Channel& color : colors.first(3))
      if (std::ranges::find(other.group.channels, color.name, &Channel::name) != other.group.channels.end())
        fail(Exit::input, "has luminance and chroma, which give R, G and B, and a channel {} of its own",
             printable(color.name));
}

// Number of values of a half group that are not finite.
size_t count_nonfinite(const Group& group) {
  constexpr uint16_t exponent = 0x7c00;
  return size_t(std::ranges::count_if(group.levels[0].texels.as<uint16_t>(),
                                      [](uint16_t half) { return (half & exponent) == exponent; }));
}

// Warns about the other parts. `is_checked`: they were decoded too.
std::string warning_of_parts(const std::vector<ExrHeader>& parts, const ExrHeader& read, bool is_checked) {
  if (is_checked)
    return fmt::format("has {} parts; channels, windows and attributes are those of part `{}`{}", parts.size(),
                       printable(read.name), part_hint);
  return fmt::format("has {} parts; only part `{}` was read{}", parts.size(), printable(read.name), part_hint);
}

// Names channels whose values were repeated; filtered chroma is not one of them.
std::optional<std::string> warning_of_sampling(const ExrHeader& header, const ExrGroup& color) {
  std::string names;
  for (size_t i = 0; i < header.channels.size(); ++i) {
    const Size sampling = header.samplings[i];
    const bool is_filtered =
        has_halved_chroma(header, color) && std::ranges::find(color.sources, int(i)) != color.sources.end();
    if (sampling == Size{1, 1} || is_filtered) continue;
    names += fmt::format("{}{} ({} x {})", names.empty() ? "" : ", ", printable(header.channels[i].name),
                         sampling.width, sampling.height);
  }
  if (names.empty()) return std::nullopt;
  return fmt::format("subsampled channels were enlarged by repeating their values: {}", names);
}

std::vector<std::string> warnings_for(const ExrHeader& header, const ExrGroup& color) {
  std::vector<std::string> warnings;
  if (std::optional<std::string> warning = warning_of_sampling(header, color)) warnings.push_back(std::move(*warning));
  if (std::ranges::any_of(header.levels, [](const ExrLevel& level) { return level.x != level.y; }))
    warnings.emplace_back("is a ripmap; only its levels with equal x and y level are read");
  return warnings;
}

std::vector<FilePart> file_parts(const std::vector<ExrHeader>& parts) {
  std::vector<FilePart> list;
  for (const ExrHeader& header : parts) {
    FilePart& part = list.emplace_back(FilePart{.name = header.name, .size = header.size(), .is_deep = header.is_deep});
    for (const Channel& channel : header.channels) part.channels.push_back(channel.name);
  }
  return list;
}

}  // namespace

Decoded read_exr(Bytes file, const DecodeOptions& options, const TexelAllocator& lend) {
  std::vector<ExrHeader> parts = parse_exr_headers(file, options.limits);
  for (const ExrHeader& part : parts) check_exr_chunks(file, part);
  ExrHeader& header = part_wanted(parts, options.part, options.flattens);
  if (header.is_deep) check_flattens(header);
  const ExrLevel& level = level_wanted(header, options.level);
  std::vector<ExrGroup> groups =
      group_channels(header.is_deep ? flat_channels(header) : header.channels, options.layer);
  if (has_halved_chroma(header, groups.front())) check_halved_chroma(header, groups.front());

  uint64_t bytes = 0;
  for (const ExrGroup& group : groups) bytes += texel_count(level.size) * 4 * bytes_of(group.group.depth);
  check_decoded_bytes(bytes, options.limits);
  for (ExrGroup& group : groups)
    group.group.levels.push_back(
        {.size = level.size, .texels = lend(texel_count(level.size) * 4 * bytes_of(group.group.depth))});
  decode_groups(file, header, level, options.layer, options.limits.decoded_bytes, groups);
  if (options.checks_all)
    for (const ExrHeader& part : parts)
      if (part.part != header.part || part.levels.size() > 1) check_part(file, part, options.limits);

  Decoded decoded{.picture = {}, .parts = file_parts(parts), .warnings = warnings_for(header, groups.front())};
  const bool keeps_parts = parts.size() > 1 && options.keeps_parts;
  decoded.others = other_parts(file, parts, header);
  if (keeps_parts) pack_other_parts(file, parts, options.limits, lend, decoded.others);
  if (parts.size() > 1 && options.part.empty() && !keeps_parts)
    decoded.warnings.push_back(warning_of_parts(parts, header, options.checks_all));
  if (ExrGroup& color = groups.front(); color.has_chroma) {
    if (const size_t count = color.group.depth == Depth::half ? count_nonfinite(color.group) : 0)
      decoded.warnings.push_back(
          fmt::format("number of values of its luminance and chroma that are too large for half: {}", count));
    name_colors(color.group, options.layer);
    check_names(groups);
  }
  Picture& picture = decoded.picture;
  picture.format = "exr";
  picture.compression = name_of_compression(header.compression);
  picture.file_level_count = chain_level_count(header);
  const Windows windows = windows_at_level({header.data_window, header.display_window}, level.x, level.size);
  picture.data_window = windows.data;
  picture.display_window = windows.display;
  picture.attributes = std::move(header.attributes);
  if (header.is_deep)
    std::erase_if(picture.attributes, [](const Attribute& attribute) { return attribute.name == "deepImageState"; });
  for (ExrGroup& group : groups) picture.groups.push_back(std::move(group.group));
  return decoded;
}

}  // namespace gpupost
