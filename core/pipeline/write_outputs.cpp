#include "core/pipeline/write_outputs.h"

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/base/sha256.h"
#include "core/base/stopwatch.h"
#include "core/pipeline/texture_assembly.h"
#include "core/system/atomic_file.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace gpupost {

namespace {

// One file with all levels, or one file per level.
std::vector<Encoded> encode_outputs(const ConversionPlan& way, const ChainRequest& request, BlockDevice& blocks,
                                    const std::vector<ProcessedImage>& parts) {
  const Job& job = way.job;
  const auto level_count = int(parts.front().picture.groups.front().levels.size());
  EncodeOptions options = encode_options(way, request, parts.front().picture);
  options.block_encoder = [&](BlockFormat format, Size size, Bytes texels, std::span<std::byte> to) {
    blocks.encode(format, size, texels, to);
  };
  std::vector<Source> sources;
  for (const ProcessedImage& part : parts)
    sources.push_back({.picture = &part.picture, .base = part.base ? &*part.base : nullptr, .others = &part.others});
  std::vector<Encoded> files;
  const int file_count = job.is_a_file_a_level() ? level_count : 1;
  for (options.level = 0; options.level < file_count; ++options.level)
    files.push_back(encode(*job.format, sources, arrangement_of(request.input.assembly), options));
  return files;
}

// Adds the input to error messages of a batch.
std::vector<Encoded> encode_named(const ConversionPlan& way, const ChainRequest& request, BlockDevice& blocks,
                                  const std::vector<ProcessedImage>& parts) {
  try {
    return encode_outputs(way, request, blocks, parts);
  } catch (const Error& error) {
    throw Error(error.code(), way.job.name() + ": " + error.what());
  }
}

std::string note_of_parts(const OtherParts& others) {
  return printable(fmt::format("the chain works on part `{}` (--part chooses another); copied parts: {}", others.name,
                               fmt::join(others.names, ", ")));
}

// Whether a texel of level 0 has alpha 0 and a color.
bool has_transparent_color(const Group& color) {
  const auto has = [&](const auto& texels, auto sign) {
    const auto is_nothing = [&](auto number) { return (number & ~sign) == 0; };
    for (size_t at = 0; at + 4 <= texels.size(); at += 4)
      if (is_nothing(texels[at + 3]) && !std::ranges::all_of(texels.subspan(at, 3), is_nothing)) return true;
    return false;
  };
  const TexelBuffer& texels = color.levels.front().texels;
  if (color.depth == Depth::half) return has(texels.as<uint16_t>(), uint16_t(0x8000));
  return color.depth == Depth::f32 && has(texels.as<uint32_t>(), 0x80000000u);
}

// Warns of straight colors where alpha is 0, if the file has premultiplied alpha or none.
void tell_of_transparent_colors(const ConversionPlan& way, const ChainRequest& request, const Picture& picture,
                                JobReport& report) {
  if (!output_of(request.calls, Output{}).colors_transparent) return;
  const bool has_straight_alpha = !is_float(way.output_depth) && way.job.format->name != "jpg";
  const Group& color = picture.groups.front();
  const std::string_view also = makes_levels(request.calls) ? "" : ", or add `unpremultiply` behind `bleed`";
  if (!has_straight_alpha && color.has_alpha() && has_transparent_color(color))
    report.add_warning(
        fmt::format("texels with alpha 0 got a color, which is light in this file, because its alpha is not straight "
                    "(write integers with alpha, as in PNG{})",
                    also));
}

void write_all(const Job& job, const std::vector<Encoded>& files, const ChainRequest& request, JobReport& report) {
  const bool has_journal = !request.batch.journal.empty();
  const Stopwatch watch;
  // Allocated before writing, so that written files are reported even if memory runs out.
  std::vector<std::string> paths;
  std::vector<OutputFile> outputs;
  for (const Encoded& file : files) {
    paths.push_back(job.output.at(int(paths.size())));
    outputs.push_back({.path = paths.back(), .bytes = file.bytes.bytes()});
    if (has_journal)
      report.journal.outputs.push_back(
          {.path = paths.back(), .byte_count = file.bytes.size(), .sha256 = sha256_of(file.bytes.bytes())});
  }
  write_files(outputs, request.output.no_clobber);
  report.outputs = std::move(paths);
  report.ms.write = watch.milliseconds();
}

}  // namespace

EncodeOptions encode_options(const ConversionPlan& way, const ChainRequest& request, const Picture& first) {
  const bool has_one_depth =
      request.output.bits || request.passes.fp16 || !is_float(way.file_depth);  // in all channels
  const Output made = output_of(request.calls, Output{});
  return {.depth = way.output_depth,
          .keep_depths = !has_one_depth,
          .compression = request.output.compression.value_or(natural_compression(*way.job.format, first)),
          .compression_level = request.output.compression_level,
          .supercompression = request.output.supercompression,
          .supercompression_level = request.output.supercompression_level,
          .keeps_level = !request.output.compression,
          .mipmapped = first.groups.front().levels.size() > 1 && !way.job.is_a_file_a_level(),
          .transfer = way.transfer,
          .is_tagged = way.is_tagged,
          .dither = request.output.dither,
          .colors_transparent = made.colors_transparent,
          .is_straight = made.is_straight,
          .quality = request.output.quality.value_or(EncodeOptions().quality)};
}

void write_outputs(const ConversionPlan& way, const ChainRequest& request, BlockDevice& blocks,
                   const std::vector<ProcessedImage>& parts, JobReport& report) {
  const Stopwatch watch;
  const std::vector<Encoded> files = encode_named(way, request, blocks, parts);
  report.ms.encode = watch.milliseconds();
  for (const Encoded& file : files)
    for (const std::string& warning : file.warnings) report.add_warning(warning);
  tell_of_transparent_colors(way, request, parts.front().picture, report);
  if (files.front().has_other_parts) report.notes.push_back(note_of_parts(parts.front().others));
  write_all(way.job, files, request, report);
}

}  // namespace gpupost
