#include "core/pipeline/pixel_formats.h"

#include "core/base/error.h"
#include "core/pipeline/requirements.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace gpupost {

// Returns whether the format can store sRGB at this depth.
static bool holds_srgb(const OutputSettings& output, const Format& format, Depth depth) {
  if (output.compression == Compression::bc4 || output.compression == Compression::bc5) return false;
  return depth == Depth::u8 || (depth == Depth::u16 && (format.name == "png" || format.name == "tiff"));
}

static std::optional<Depth> block_depth_of(const OutputSettings& output) {
  return output.compression ? block_depth_of(*output.compression) : std::nullopt;
}

void check_numbers(const OutputSettings& output, const Format& format) {
  std::vector<std::string_view> names;
  for (const Depth depth : format.written_depths) names.push_back(name_of(depth));
  const std::vector<Compression>& compressions = format.compressions;
  if (output.compression && compressions.empty())
    fail(Exit::usage, "--compression {}: {} files have no choice of compression; remove it, or write {}",
         compression_names[size_t(*output.compression)], format.name,
         block_depth_of(output) ? "KTX2 or DDS" : "EXR or TIFF");
  if (output.compression && std::ranges::count(compressions, *output.compression) == 0) {
    std::vector<std::string_view> known;
    for (const Compression compression : compressions) known.push_back(compression_names[size_t(compression)]);
    fail(Exit::usage, "--compression {}: {} files hold {}{}", compression_names[size_t(*output.compression)],
         format.name, fmt::join(known, ", "),
         format.name == "ktx2" ? "; expected one of them, or --supercompression zstd or zlib" : "");
  }
  if (output.supercompression != Supercompression::none && format.name != "ktx2")
    fail(Exit::usage, "--supercompression {}: {} files have none; remove it, or write KTX2",
         supercompression_names[size_t(output.supercompression)], format.name);
  if (output.bits && block_depth_of(output) && *output.bits != *block_depth_of(output))
    fail(Exit::usage, "--bits {0}: --compression {1} holds {2}; expected --bits {2}, or no --bits",
         name_of(*output.bits), compression_names[size_t(*output.compression)], name_of(*block_depth_of(output)));
  if (output.quality && format.name != "jpg")
    fail(Exit::usage, "--quality {}: only JPEG has a quality; expected a .jpg output", *output.quality);
  if (output.primaries && !format.holds_primaries && !are_same(*output.primaries, rec709))
    fail(Exit::usage, "--output-primaries: {} files hold Rec. 709 only; expected rec709, or another format",
         format.name);
  if (output.bits && !format.can_write(*output.bits))
    fail(Exit::usage, "--bits {0}: {1} files hold {2}; expected --bits {2}, or another format", name_of(*output.bits),
         format.name, fmt::join(names, " or "));
  if (output.dither != Dither::none && !format.can_write(Depth::u8))
    fail(Exit::usage, "--dither ordered: {} files hold {}; expected an 8-bit format, or --dither none", format.name,
         fmt::join(names, " or "));
  const std::optional<Depth> depth = output.bits ? output.bits : block_depth_of(output);
  if (depth) check_dither(output, *depth);
  const Depth widest = format.written_depths.front();
  if (depth || !holds_srgb(output, format, widest)) output_transfer(output, format, depth.value_or(widest));
}

void check_levels(const Job& job, int level_count) {
  if (level_count == 1 || !job.writes_picture || job.is_a_file_a_level() || job.format->levels != FileLevels::one)
    return;
  fail(Exit::usage,
       "-o {}: {} files hold one level, and the result has {}; expected {}, or {{level}} in -o for one file "
       "per level",
       job.output.at(0), job.format->name, level_count, writable_extensions(true));
}

void check_output_primaries(const OutputSettings& output, std::span<const Call> calls) {
  if (!output.primaries) return;
  if (makes_content(calls, Content::display))
    fail(Exit::usage,
         "--output-primaries: the result is encoded for an sRGB display and cannot be converted; remove it");
  if (makes_content(calls, Content::numbers) && !output.transfer)
    fail(
        Exit::usage,
        "--output-primaries: the result is encoded and cannot be converted; remove it, or add --transfer to record the "
        "curve and the primaries of its values");
  if (makes_content(calls, Content::data))
    fail(Exit::usage, "--output-primaries: `{}` makes all values data, which have no primaries; leave it out",
         maker_of_data(calls));
}

Depth file_depth_of(const Group& group) {
  const Depth depth = group.channels[0].depth;
  const bool are_halves = std::ranges::all_of(
      group.channels, [](const Channel& channel) { return channel.name.empty() || channel.depth == Depth::half; });
  return !is_float(depth) ? depth : are_halves ? Depth::half : group.depth;
}

// The depth of the output without --bits, before ops raise it.
static Depth natural_output_depth(const ChainRequest& request, const Format& format, Depth input_depth) {
  if (input_depth == Depth::u16 && format.can_write(Depth::u16)) return Depth::u16;
  if (!format.can_write(Depth::half) && !format.can_write(Depth::u8)) return Depth::f32;
  if (!format.can_write(Depth::half)) return input_depth == Depth::u16 ? Depth::u16 : Depth::u8;
  if (input_depth == Depth::u8 && format.can_write(Depth::u8)) return Depth::u8;
  if (request.passes.fp16 || input_depth == Depth::u8 || input_depth == Depth::half) return Depth::half;
  return Depth::f32;
}

Depth choose_output_depth(const ChainRequest& request, const Format& format, Depth input_depth) {
  if (request.output.bits) return *request.output.bits;
  if (const std::optional<Depth> depth = block_depth_of(request.output)) return *depth;
  const Depth depth = natural_output_depth(request, format, input_depth);
  return is_float(depth) && !request.passes.fp16 ? result_depth(request.calls, depth) : depth;
}

bool can_hold(const OutputSettings& output, const Format& format, Depth depth, Transfer transfer) {
  if (transfer == Transfer::pq || transfer == Transfer::hlg) return format.name == "png" && depth == Depth::u16;
  return transfer != Transfer::srgb || holds_srgb(output, format, depth);
}

Transfer output_transfer(const OutputSettings& output, const Format& format, Depth depth) {
  const Transfer natural = holds_srgb(output, format, depth) ? Transfer::srgb : Transfer::linear;
  const Transfer transfer = output.transfer.value_or(natural);
  const bool is_hdr = transfer == Transfer::pq || transfer == Transfer::hlg;
  if (is_hdr && !can_hold(output, format, depth, transfer))
    fail(Exit::usage, "--transfer {}: only a 16-bit PNG can hold it; expected a .png output and --bits 16",
         transfer == Transfer::pq ? "pq" : "hlg");
  if (can_hold(output, format, depth, transfer)) return transfer;
  if (block_depth_of(output))
    fail(Exit::usage, "--transfer srgb: --compression {} is always linear; expected linear, or no --transfer",
         compression_names[size_t(*output.compression)]);
  if (!format.can_write(Depth::u8))
    fail(Exit::usage, "--transfer srgb: {} files are always linear; expected linear", format.name);
  if (!format.can_write(depth)) return transfer;  // the encoder refuses the depth
  fail(Exit::usage, "--transfer srgb: {} files are linear at {} bits; expected linear, or --bits 8", format.name,
       name_of(depth));
}

void check_dither(const OutputSettings& output, Depth depth) {
  if (output.dither != Dither::none && depth != Depth::u8)
    fail(Exit::usage, "--dither ordered: the output has {} bits{}; expected --bits 8, or --dither none",
         8 * bytes_of(depth), is_float(depth) ? " of a float" : "");
}

static bool fits_half(Depth depth) { return depth == Depth::u8 || depth == Depth::half; }

Depth working_depth(Depth input_depth, Depth output_depth) {
  return fits_half(input_depth) && fits_half(output_depth) ? Depth::half : Depth::f32;
}

Depth storage_of(const ChainRequest& request, Depth input_depth, Depth output_depth) {
  const PassSettings& passes = request.passes;
  if (passes.storage) return *passes.storage;
  if (passes.fp16) return Depth::half;
  const bool needs_float = std::ranges::any_of(request.calls, [&](const Call& call) {
    const FloatStorage floats = call.op->needs(call).floats;
    return floats == FloatStorage::always || (floats == FloatStorage::of_bytes && input_depth == Depth::u8);
  });
  return needs_float ? Depth::f32 : working_depth(input_depth, output_depth);
}

PlanInput plan_input(const PassSettings& passes, Size size, Depth storage, bool is_color) {
  return {.size = size,
          .storage = storage,
          .half_arithmetic = passes.fp16 && storage == Depth::half,
          .between = is_color ? passes.space : Space::rgb,
          .is_r11g11b10_between = is_color && passes.is_r11g11b10,
          .fuses = !passes.no_fuse};
}

}  // namespace gpupost
