#include "core/pipeline/requirements.h"

#include "core/base/error.h"
#include "core/base/half.h"
#include "core/base/threads.h"
#include "core/image/channel_names.h"
#include "core/image/cryptomatte.h"
#include "core/image/number.h"
#include "core/image/to_working.h"
#include "core/ops/channels/row.h"
#include "core/ops/mips/row.h"
#include "core/ops/project/row.h"
#include "core/pipeline/texture_assembly.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <string>

namespace gpupost {

// Returns whether other channels skip the op, or one of its options.
static bool is_for_color(const Call& call) {
  const std::vector<Call> of_others = calls_for_other_channels({&call, 1});
  return of_others.empty() || of_others.front().text() != call.text();
}

// Refuses ops that mix texels if they would process no channel.
static void check_is_applied(std::span<const Call> calls, const ApplyTo& apply_to, const Picture& picture) {
  const bool is_any_applied = std::ranges::any_of(
      picture.groups, [&](const Group& group) { return !group.has_ids() && is_applied(apply_to, group); });
  const auto past = std::ranges::find_if(calls, [&](const Call& call) {
    return call.op->makes != Makes::statistics && route_of(call, is_any_applied) == Route::past;
  });
  if (past == calls.end()) return;
  const std::vector<std::string> names = names_not_applied(apply_to, picture);
  if (names.empty())  // all others would be applied
    fail(Exit::usage,
         "{}: this op filters half and float channels without ids, and the image has only {}; leave the op out",
         past->text(), fmt::join(names_of(picture), ", "));
  fail(Exit::usage,
       "{}: the image has no color, and this op skips other channels; expected --apply-to all, or --apply-to with "
       "some of {}",
       past->text(), fmt::join(names, ", "));
}

std::string_view maker_of_data(std::span<const Call> calls) {
  const auto found = std::ranges::find_if(calls, [](const Call& call) {
    return makes_content({&call, 1}, Content::data);
  });
  return found == calls.end() ? "" : found->op == &mips_op ? "mips --normal" : found->op->name;
}

// May the call use alpha as opacity, or mix it with the color?
static bool uses_alpha(const Call& call) {
  const std::optional<Point>& point = call.op->point;
  return is_for_color(call) && call.op != &channels_op && !makes_content({&call, 1}, Content::data) &&
         !(point && point->alpha == PointAlpha::any);
}

template <class T>
static bool has_only(const Level& level, T alpha) {
  const std::span<const T> numbers = level.texels.as<T>();
  for (size_t at = 3; at < numbers.size(); at += 4)
    if (numbers[at] != alpha) return false;
  return true;
}

// Returns whether alpha may matter: it is not 1 everywhere.
static bool has_any_alpha(const Group& color) {
  if (!color.has_alpha()) return false;
  const Level& level = color.levels.front();
  switch (color.depth) {
    case Depth::u8: return !has_only(level, uint8_t(255));
    case Depth::u16: return !has_only(level, uint16_t(65535));
    case Depth::half: return !has_only(level, half_from_float(1));
    case Depth::f32: return !has_only(level, 1.0f);
    case Depth::u32: break;
  }
  return true;
}

// Refuses calls that need an alpha that is opacity, or make one. `reason`: what makes alpha data. `cut_at`: the number of calls before
// the image is cut into faces; 0: it is not cut.
static void check_alpha_data(std::span<const Call> calls, size_t cut_at, const Picture& picture,
                             std::string_view reason) {
  if (std::ranges::none_of(calls, uses_alpha)) return;
  const Group& color = picture.groups.front();
  Output image{.size = picture.size(),
               .windows = {.data = picture.data_window, .display = picture.display_window},
               .has_alpha = color.has_alpha(),
               .may_be_transparent = has_any_alpha(color)};
  for (size_t index = 0; index < calls.size(); ++index) {
    const Call& call = calls[index];
    if (uses_alpha(call) && image.may_be_transparent)
      fail(Exit::usage,
           "{}: `{}` may take alpha as opacity; expected other ops, such as resize, blur, mips, gain and channels, or "
           "`channels --list R,G,B` before it, which drops alpha",
           reason, call.text());
    if (uses_alpha(call) && has_alpha_behind({&call, 1}, false))
      fail(Exit::usage, "{}: `{}` makes an alpha that is opacity; use two runs, with this op in the first", reason,
           call.text());
    const bool was_transparent = image.may_be_transparent;
    image = output_of(call, image);
    // the cut leaves out the cells of a cross that are no faces
    if (index + 1 == cut_at && makes_faces(call)) image.may_be_transparent = was_transparent;
    image.may_be_transparent &= image.has_alpha;  // without alpha, texels from beyond the border become opaque
  }
}

// Refuses calls for which values must be colors of known primaries. Those that combine images do the same with data.
static void check_needs_no_colors(std::span<const Call> calls, std::string_view of_data) {
  for (const Call& call : calls) {
    const Needs needs = call.op->needs(call);
    const Output made = output_of(call, Output{});
    const bool encodes = made.content == Content::display || made.content == Content::numbers;
    if (needs.luminance || (needs.primaries && needs.pictures.empty()) || made.primaries || encodes)
      fail(Exit::usage, "`{}` makes all values data, and `{}` is for colors; use two runs", of_data, call.text());
  }
}

// An option that changes numbers of the color; "": there is none.
static std::string option_that_changes_color(const ChainRequest& request) {
  const InputSettings& input = request.input;
  const PassSettings& passes = request.passes;
  if (input.transfer.value_or(Transfer::linear) != Transfer::linear) return "--input-transfer";
  if (input.alpha == Alpha::straight) return "--input-alpha straight";
  if (passes.fp16) return "--fp16";
  if (passes.is_r11g11b10) return "--storage r11g11b10";
  if (passes.storage == Depth::half) return "--storage fp16";
  if (passes.space != Space::rgb) return "--space yxy";
  if (request.output.bits.value_or(Depth::f32) != Depth::f32)
    return fmt::format("--bits {}", name_of(*request.output.bits));
  return request.output.primaries ? "--output-primaries" : "";
}

const Channel* kept_id(std::span<const Call> calls, const Picture& picture) {
  return std::ranges::find(calls, &channels_op, &Call::op) == calls.end() ? rank_of_color(picture) : nullptr;
}

// Refuses calls and options that would mix or change ids, if --layer chooses channels of a Cryptomatte as the color. What `channels`
// makes is none.
static void check_keeps_ids(const ChainRequest& request, const Picture& picture) {
  const std::span<const Call> calls = request.calls;
  const Channel* id = rank_of_color(picture);
  if (!id) return;
  const auto keeps_ids = [](const Call& call) {
    const bool is_point_beside_color = call.op->point && call.op->channels == Channels::all;
    return call.op->makes == Makes::statistics || is_exact(call) || is_point_beside_color;
  };
  const auto end = std::ranges::find(calls, &channels_op, &Call::op);
  const auto found = std::find_if_not(calls.begin(), end, keeps_ids);
  if (found != end)
    fail(Exit::usage, "{}: --layer: channel {} is of a Cryptomatte, whose ids must not change; choose another --layer",
         found->text(), id->name);
  if (const std::string option = option_that_changes_color(request); !option.empty() && kept_id(calls, picture))
    fail(Exit::usage,
         "{0}: --layer {1}: channel {2} is of a Cryptomatte, whose ids must not change; leave {0} out, or choose "
         "another --layer",
         option, request.input.layer, id->name);
}

void check_references(std::span<const Call> calls) {
  for (const Call& call : calls)
    if (!call.op->reference.levels)
      fail(Exit::usage, "--verify: {} has no reference to compare with; leave --verify out", call.op->name);
}

void check_output_keeps_ids(const ChainRequest& request, const Format& format, Depth output_depth,
                            const Picture& picture) {
  const Channel* id = kept_id(request.calls, picture);
  if (!id || (output_depth == Depth::f32 && format.name != "hdr")) return;
  fail(Exit::usage,
       "--layer {0}: channel {1} is of a Cryptomatte, whose ids must not change, and the output has {2}; expected "
       "--bits 32f and an EXR, TIFF, KTX2 or DDS, or another --layer",
       request.input.layer, id->name,
       format.name == "hdr"
           ? "values of 8 bits with one exponent"
           : fmt::format("{} bits{}", 8 * bytes_of(output_depth), is_float(output_depth) ? " of a float" : ""));
}

void check_alpha(std::span<const Call> calls, const Picture& picture, size_t cut_at) {
  const Group& first = picture.groups.front();
  const std::string_view of_data = maker_of_data(calls);
  if (first.is_color && first.is_data)
    check_alpha_data(calls, cut_at, picture, "alpha is data (--input-alpha, or the alpha mode of a DDS)");
  else if (!of_data.empty())
    check_alpha_data(calls, cut_at, picture, fmt::format("`{}` makes all values data", of_data));
}

void check_requirements(const ChainRequest& request, const Picture& picture) {
  const std::span<const Call> calls = request.calls;
  const ApplyTo& apply_to = request.passes.apply_to;
  const Group& first = picture.groups.front();
  check_keeps_ids(request, picture);
  const bool stays_gray = first.is_luminance && output_of(calls, Output{}).gray_result != GrayResult::color;
  const auto makes_normals = [](const Call& call) { return call.op == &mips_op && call.flag("normal"); };
  if (stays_gray && std::ranges::any_of(calls, makes_normals))
    fail(Exit::usage, "--normal needs R, G and B; the image has only Y");
  const auto normals = std::ranges::find_if(calls, makes_normals);
  const std::span<const Call> before = calls.first(size_t(normals - calls.begin()));
  if (normals != calls.end() && first.is_color && !first.is_luminance &&
      output_of(before, Output{}).gray_result == GrayResult::gray &&
      std::ranges::any_of(std::span(first.channels).first(3), [](const Channel& c) { return c.name.empty(); }))
    fail(Exit::usage, "--normal needs R, G and B; the image has only {}", fmt::join(names_of(first), " "));
  const auto of_color = std::ranges::find_if(calls, is_for_color);
  if (const std::string_view of_data = maker_of_data(calls); !of_data.empty()) check_needs_no_colors(calls, of_data);
  check_alpha(calls, picture, calls_before_cut(calls, request.input.assembly));
  if (first.is_color) return;
  if (of_color == calls.end()) return check_is_applied(calls, apply_to, picture);
  const std::vector<std::string> layers = layers_with_color(picture);
  fail(Exit::usage, "{}: the image has no color; expected float channels R, G and B, or Y{}", of_color->text(),
       layers.empty() ? "" : fmt::format(", or --layer with one of {}", fmt::join(layers, ", ")));
}

std::optional<std::string> warning_of_decoding(std::span<const Call> calls, const Picture& picture,
                                               const InputSettings& settings) {
  const bool is_decoded = picture.transfer != Transfer::linear && picture.groups.front().is_color && !settings.transfer;
  const auto takes = [](const Call& call) { return call.op->needs(call).takes_encoded; };
  const auto call = std::ranges::find_if(calls, takes);
  if (!is_decoded || call == calls.end() || makes_content({calls.begin(), call}, Content::numbers)) return std::nullopt;
  return fmt::format(
      "`{}` gets linear light, because the {} curve of the file is removed; if it expects the values of the "
      "file, add --input-transfer linear",
      call->text(), name_of(picture.transfer, picture.exponent));
}

void check_normals(const Picture& picture) {
  const Group& color = picture.groups.front();
  const Level& base = color.levels.front();
  std::atomic<size_t> count = 0;
  parallel_ranges(base.size.height, 16, [&](int begin, int end) {
    size_t own_count = 0;
    for (size_t at = size_t(begin) * size_t(base.size.width); at < size_t(end) * size_t(base.size.width); ++at)
      for (size_t c = 0; c < 3; ++c)
        own_count += number_at(base.texels.data() + (4 * at + c) * bytes_of(color.depth), color.depth) < 0;
    count += own_count;
  });
  if (count > 0)
    fail(Exit::usage,
         "mips --normal: number of values below 0: {}; expected values from 0 to 1; for normals from -1 to 1 put `gain "
         "--value 0.5 offset --value 0.5` before it, else `clamp`",
         count.load());
}

}  // namespace gpupost
