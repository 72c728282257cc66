#include "core/pipeline/process_image.h"

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/image/attributes.h"
#include "core/image/channel_attributes.h"
#include "core/image/channel_names.h"
#include "core/image/cryptomatte.h"
#include "core/image/level_windows.h"
#include "core/image/primaries.h"
#include "core/image/to_working.h"
#include "core/op/parse.h"
#include "core/ops/channels/list.h"
#include "core/ops/channels/row.h"
#include "core/ops/shared/nearest.h"
#include "core/ops/small/exposure.h"
#include "core/pipeline/chain_primaries.h"
#include "core/pipeline/depth_input.h"
#include "core/pipeline/image_windows.h"
#include "core/pipeline/pixel_formats.h"
#include "core/pipeline/process_group.h"
#include "core/pipeline/requirements.h"
#include "core/pipeline/sheet.h"
#include "core/pipeline/texture_assembly.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace gpupost {

namespace {

// Primaries of an image's colors in a chain and in the output format, which may hold only Rec. 709. Data and ids have no
// primaries, and are not converted.
ChainPrimaries primaries_of(std::span<const Call> calls, std::optional<Primaries> asked, const Format& format,
                            const Picture& picture) {
  const std::optional<Primaries> own = other_primaries(picture);
  const bool has_colors =
      picture.groups.front().is_color && !makes_content(calls, Content::data) && !kept_id(calls, picture);
  if (!has_colors) return {.calls = {calls.begin(), calls.end()}, .result = own.value_or(rec709)};
  const std::optional<Primaries> wanted = format.holds_primaries ? asked : rec709;
  ChainPrimaries made = with_primaries(calls, own, wanted);
  made.is_named |= asked.has_value();
  return made;
}

// Returns whether the result of a chain is encoded for display.
bool makes_display(std::span<const Call> calls) { return makes_content(calls, Content::display); }

// A result that is encoded for display is written unchanged to sRGB integers, and decoded from sRGB for floats.
void take_encoded(Picture& picture, Depth output_depth, Transfer transfer) {
  picture.transfer = Transfer::srgb;
  if (is_float(output_depth) || transfer != Transfer::srgb) make_working(picture, Depth::f32);
}

// Content::numbers is written unchanged: integers as if already encoded. Its primaries are those that the user names, else
// those of its encoding, if it is known.
void take_numbers(Picture& picture, const ConversionPlan& way, std::optional<Primaries> named,
                  const std::optional<ColorEncoding>& encoding, JobReport& report) {
  if (!is_float(way.output_depth)) picture.transfer = way.transfer;
  remove_color_names(picture.attributes);
  if (has_colors_beside(picture) && other_primaries(picture))
    report.add_warning(
        "the output's chromaticities are not those of the input, because the chain encodes its colors; "
        "colors of other layers do not match them");
  remove_attributes(picture.attributes, {"chromaticities"});
  if (!named && encoding && !is_float(way.output_depth)) named = encoding->primaries;
  if (named && way.is_tagged) set_primaries(picture, *named);
}

// Records primaries that the user names.
void set_named_primaries(Picture& picture, const Primaries& named, JobReport& report) {
  if (has_colors_beside(picture))
    report.add_warning(
        "the output's chromaticities are those that the chain or --output-primaries sets; "
        "colors of other layers do not match them");
  set_primaries(picture, named);
}

void tell_of_namesakes(Picture& picture, JobReport& report) {
  if (const std::vector<std::string> dropped = drop_namesakes(picture); !dropped.empty())
    report.add_warning(
        fmt::format("the result has channels named {}; channels of the input with these names are dropped",
                    fmt::join(dropped, ", ")));
}

// Converts the primaries and names R, G or B if it was missing and is no longer 0.
void convert_colors(Picture& picture, const PrimariesChange& way, JobReport& report) {
  convert_primaries(picture, way);
  name_colors(picture.groups.front(), keeps_gray(conversion(way)) ? GrayResult::gray : GrayResult::color);
  tell_of_namesakes(picture, report);
}

// Records the primaries of the result. Chromaticities of a file apply to all layers. If other layers have colors, the
// result is converted back to the file's primaries, unless the chain sets others.
void settle_primaries(Picture& picture, const ChainPrimaries& made, JobReport& report) {
  const Primaries own = other_primaries(picture).value_or(rec709);
  if (are_same(own, made.result)) return;
  if (has_colors_beside(picture) && !made.is_named) {
    if (picture.groups.front().is_luminance) return;
    make_working(picture, Depth::f32);
    return convert_colors(picture, {.from = made.result, .to = own}, report);
  }
  set_named_primaries(picture, made.result, report);
}

std::string conversion_warning(const ChainPrimaries& made, const Picture& picture) {
  if (made.is_named && !made.converts_result) return "its colors were converted to the primaries that the chain needs";
  return fmt::format(
      "its colors were converted to Rec. 709 primaries{}",
      has_colors_beside(picture) ? " for the chain and back, because other layers have the same primaries" : "");
}

// Calls run(calls) for a group, in two steps if the image must be enlarged before its levels.
template <class Run>
void run_in_frame(std::span<const Call> calls, const LevelFrame& frame, Group& group, const Run& run) {
  if (!frame.is_needed()) return run(calls);
  const auto before = calls.first(calls.size() - 1);
  if (!before.empty()) run(before);
  enlarge(group, frame.windows.data, frame.enlarged);
  const Call levels = frame.levels_of(calls.back());
  run(std::span(&levels, 1));
  crop_levels(group, frame.windows, frame.enlarged);
}

// Assigns measured results of a group to the `stats` calls that measure it.
void hand_out(std::span<const Statistics> numbers, const Group& group, std::span<StatisticsResult> measured) {
  if (numbers.empty()) return;
  for (StatisticsResult& one : measured) {
    if (!group.is_color && one.measure == Measure::extremes) continue;
    add_group(one, group, numbers.front());
    numbers = numbers.subspan(1);
  }
}

// Runs the steps of a float group other than color. Returns results of `stats`.
std::vector<Statistics> run_steps(std::span<const Step> steps, const ChainRequest& request, DeviceSession& gpu,
                                  Group& group, JobReport& report) {
  std::vector<Statistics> numbers;
  for (const Step& step : steps) {
    if (step.route == Route::by_nearest) {
      follow_by_nearest(group, step.calls);
      continue;
    }
    const Stopwatch watch;
    gpu.wait(report);
    report.ms.device += watch.milliseconds();
    std::ranges::move(run_group(step.calls, request, gpu, group, report), std::back_inserter(numbers));
  }
  return numbers;
}

// An image without alpha is opaque, but black texels from beyond its border have alpha 0 on the device. Sets alpha to 1 behind the
// calls that make them, so that the calls that follow give what they give for the written result. `image`: the input of the first call.
std::vector<Call> keep_opaque(std::span<const Call> calls, const Output& image) {
  std::vector<Call> kept;
  Output made = image;
  for (const Call& call : calls) {
    if (made.may_be_transparent && !made.has_alpha) kept.push_back(parse_call(channels_op, "--list R,G,B"));
    made.may_be_transparent = false;
    made = output_of(call, made);
    kept.push_back(call);
  }
  return kept;
}

Output properties_of(const Picture& picture) {
  return {.size = picture.size(),
          .windows = {.data = picture.data_window, .display = picture.display_window},
          .has_alpha = picture.groups.front().has_alpha()};
}

// Runs the chain on all channels: color with conversions of primaries, then other channels.
void run_groups(std::span<const Call> calls, const ChainRequest& request, DeviceSession& gpu,
                std::span<const Call> color_calls, const std::string& input, const std::string& frame_number,
                Picture& picture, const ConversionPlan& way, JobReport& report) {
  const LevelFrame frame = level_frame_of(calls, way.job, picture);
  if (const size_t clamped = make_working(picture, way.storage))
    report.add_warning(fmt::format("number of values above 65504 that were clamped to it for half: {}", clamped));
  report.device.storage = name_of(way.storage);
  split_groups(request.passes.apply_to, picture);
  const std::vector<Call> opaque_calls = keep_opaque(color_calls, properties_of(picture));
  std::vector<StatisticsResult> measured =
      to_be_measured(calls, input, picture.size(), picture.groups.front().has_alpha());
  for (Group& group : picture.groups) {
    if (group.has_ids())
      for (StatisticsResult& one : measured) leave_out(one, group);
    std::vector<Statistics> numbers;
    run_in_frame(group.is_color ? opaque_calls : calls, frame, group, [&](std::span<const Call> some) {
      const std::vector<Step> steps =
          group.is_color    ? std::vector<Step>{{.route = Route::by_op, .calls = {some.begin(), some.end()}}}
          : group.has_ids() ? steps_of_ids(some, group)
                            : steps_beside_color(some, is_applied(request.passes.apply_to, group));
      std::ranges::move(run_steps(steps, request, gpu, group, report), std::back_inserter(numbers));
    });
    hand_out(numbers, group, measured);
  }
  for (StatisticsResult& one : measured) one.frame = frame_number;
  std::ranges::move(measured, std::back_inserter(report.measured));
  const std::vector<std::string> unfiltered = names_not_applied(request.passes.apply_to, picture);
  for (const std::string& note : {note_of_routes(calls, unfiltered), note_of_uint_colors(calls, picture),
                                  note_of_alphas(calls, request.passes.apply_to, picture)})
    if (!note.empty()) report.notes.push_back(note);
  Group& color = picture.groups.front();
  if (makes_luminance(calls)) name_luminance(color, way.output_depth);
  if (color.is_color) name_colors(color, output_of(color_calls, Output{}).gray_result);
  name_alpha(color, has_alpha_behind(calls, color.has_alpha()));
  picture.data_window = frame.windows.data;
  picture.display_window = frame.windows.display;
}

// Also true without calls.
bool only_measures(std::span<const Call> calls) {
  return std::ranges::all_of(calls, [](const Call& call) { return call.op->makes == Makes::statistics; });
}

void drop_previews(Picture& picture) {
  std::erase_if(picture.attributes, [](const Attribute& attribute) { return attribute.type == "preview"; });
}

// Returns whether level 0 of the result is the input, possibly with moved texels.
bool keeps_texels(std::span<const Call> calls) {
  return std::ranges::all_of(calls, [](const Call& call) { return is_exact(call) || keeps_base({&call, 1}); });
}

// A file that cannot hold primaries for Y gets R, G and B if R = G = B is not gray in the image's primaries.
void name_tinted_gray(std::span<const Call> calls, const Format& format, Picture& picture) {
  Group& color = picture.groups.front();
  const bool is_gray = !color.is_color || !color.is_luminance || color.is_data || makes_luminance(calls);
  const std::optional<Primaries> primaries = other_primaries(picture);
  if (is_gray || format.holds_everything || !primaries) return;
  if (!keeps_gray(conversion({.from = *primaries, .to = rec709}))) name_colors(color, GrayResult::color);
}

// Warns of options that need alpha, for an image without alpha.
void tell_of_missing_alpha(std::span<const Call> calls, bool has_alpha, JobReport& report) {
  for (size_t index = 0; index < calls.size(); ++index)
    if (const std::string_view option = calls[index].op->needs(calls[index]).alpha_option;
        !option.empty() && !has_alpha_behind(calls.first(index), has_alpha))
      report.add_warning(fmt::format("{} {} has no effect, because the image has no alpha; leave it out",
                                     calls[index].op->name, option));
}

// Returns whether the call gives its result another alpha than that of its input.
bool replaces_alpha(const Call& call) {
  return call.op == &channels_op && channel_sources(call).has_alpha && channel_sources(call).of[3].channel != "A";
}

// Warns of a call that drops or replaces alpha behind one that gives texels with alpha 0 a straight color.
void tell_of_dropped_alpha(std::span<const Call> calls, bool has_alpha, JobReport& report) {
  for (size_t index = 0; index < calls.size(); ++index) {
    const bool is_replaced = replaces_alpha(calls[index]);
    if (output_of(calls.first(index), Output{}).colors_transparent && has_alpha_behind(calls.first(index), has_alpha) &&
        (is_replaced || !has_alpha_behind(calls.first(index + 1), has_alpha)))
      report.add_warning(
          fmt::format("`{}` {} alpha, and color that is multiplied by alpha stays dark; put `unpremultiply` before it",
                      calls[index].text(), is_replaced ? "replaces" : "drops"));
  }
}

// A copy of only the color, as it was read, without windows.
Picture color_as_read(const Picture& picture) {
  const Group& color = picture.groups.front();
  const TexelBuffer& texels = color.levels[0].texels;
  Picture copy{
      .format = picture.format, .transfer = picture.transfer, .exponent = picture.exponent, .alpha = picture.alpha};
  Group& group = copy.groups.emplace_back(Group{.channels = color.channels,
                                                .depth = color.depth,
                                                .is_color = color.is_color,
                                                .is_luminance = color.is_luminance});
  Level& level = group.levels.emplace_back(Level{color.levels[0].size, TexelBuffer(texels.size())});
  std::memcpy(level.texels.data(), texels.data(), texels.size());
  return copy;
}

// Returns whether level 0 of unchanged integers is that of the input, also color where alpha is 0. Only the depth may change.
bool keeps_original_integers(const ChainRequest& request, const ConversionPlan& way, const Picture& picture,
                             bool converts_primaries) {
  const bool are_integers = !is_float(way.input_depth) && !is_float(way.output_depth);
  const bool is_dithered = request.output.dither != Dither::none && way.input_depth != Depth::u8;
  return are_integers && !is_dithered && picture.transfer == way.transfer && picture.alpha == Alpha::straight &&
         !converts_primaries;
}

// Returns whether integers of the output can have straight color of the input that is only converted, also where alpha is 0.
bool keeps_hidden_color(const ChainRequest& request, const ConversionPlan& way, const Picture& picture) {
  const Group& color = picture.groups.front();
  return way.job.writes_picture && !is_float(way.output_depth) && request.output.dither == Dither::none &&
         picture.alpha == Alpha::straight && color.has_alpha() && !color.is_data && !request.input.is_data;
}

// Converts straight color to integers of the output's depth and curve. Returns whether some values were clamped.
bool make_output_integers(const ConversionPlan& way, const std::optional<PrimariesChange>& change, Picture& picture) {
  make_linear_straight(picture, Depth::f32);
  if (change) convert_primaries(picture, *change);
  Group& color = picture.groups.front();
  Level& level = color.levels.front();
  TexelBuffer integers;
  const Clipped clipped =
      make_integers(color, level, way.output_depth, way.transfer, integers, Dither::none, Alpha::straight);
  level.texels = std::move(integers);
  color.depth = way.output_depth;
  picture.transfer = way.transfer;
  return clipped.above + clipped.below + clipped.nan > 0;
}

// Level 0 as it was read, for integers of the output, with the windows of the result. Empty if the chain changes it, or if it has no
// more information than the result: without alpha no color is lost, and moved texels are exact. `own`: the primaries of the input, whose
// attribute may be gone.
std::optional<BaseLevel> base_as_read(const ChainRequest& request, std::span<const Call> calls,
                                      const ConversionPlan& way, const ChainPrimaries& primaries, const Primaries& own,
                                      const Picture& picture) {
  const bool stays = keeps_original_integers(request, way, picture, primaries.converts);
  const bool has_more =
      stays ? keeps_base(calls) || picture.groups.front().has_alpha() : keeps_hidden_color(request, way, picture);
  if (!keeps_texels(calls) || !has_more) return std::nullopt;
  Picture base = color_as_read(picture);
  const Windows windows = result_windows(calls, {.data = picture.data_window, .display = picture.display_window});
  base.data_window = windows.data;
  base.display_window = windows.display;
  std::vector<Call> moves;
  std::ranges::copy_if(calls, std::back_inserter(moves), is_exact);
  follow_by_nearest(base.groups.front(), moves);
  if (stays) {
    change_integer_depth(base.groups.front(), way.output_depth);
    return BaseLevel{std::move(base)};
  }
  std::optional<PrimariesChange> change;
  if (primaries.converts) change = {.from = own, .to = primaries.result};
  const bool is_clamped = make_output_integers(way, change, base);
  return BaseLevel{std::move(base), is_clamped};
}

// Data is used unchanged.
void make_data(Picture& picture, const InputSettings& settings) {
  Group& group = picture.groups.front();
  group.is_data = true;
  if (!settings.transfer) picture.transfer = Transfer::linear;
}

// Updates attributes for the result. `is_texture`: all levels are in one file.
void change_attributes(std::span<const Call> calls, bool is_texture, Picture& picture) {
  for (const Call& call : calls)
    if (call.op->change_attributes && (is_texture || call.op->makes != Makes::levels))
      call.op->change_attributes(call, picture.attributes);
}

// The calls of the request, with those that the job replaces.
std::vector<Call> calls_of_job(const ChainRequest& request, const Job& job) {
  std::vector<Call> calls = request.calls;
  for (const CallOfJob& own : job.calls) calls[own.index] = own.call;
  for (const Call& call : calls) {
    if (!needs_series(call)) continue;
    if (job.unmeasured && job.unmeasured->path == job.inputs.front())
      throw Error(job.unmeasured->exit, job.unmeasured->error);
    if (job.unmeasured)
      fail(job.unmeasured->exit,
           "{}: {}: the exposure depends on {}, which could not be measured; fix the error of that input, then run "
           "again ({})",
           job.name(), call.text(), job.unmeasured->path, job.unmeasured->error);
    fail(Exit::input, "{}: {}: the exposure of this image was not measured; measure it with `stats -o FILE.json`",
         job.name(), call.text());
  }
  return calls;
}

}  // namespace

std::vector<Call> calls_of_color(std::span<const Call> calls, std::optional<Primaries> asked, const Format& format,
                                 const Picture& picture, Assembly assembly) {
  const std::vector<Call> all = primaries_of(calls, asked, format, picture).calls;
  const size_t count = calls_before_cut(all, assembly);
  std::vector<Call> made = keep_opaque(std::span(all).first(count), properties_of(picture));
  // faces that are cut of a result are opaque if its image is
  Output rest = count == 0 ? properties_of(picture) : Output{};
  rest.has_alpha = has_alpha_behind(std::span(all).first(count), picture.groups.front().has_alpha());
  std::ranges::move(keep_opaque(std::span(all).subspan(count), rest), std::back_inserter(made));
  return made;
}

void name_result(const ChainRequest& request, const ConversionPlan& way, Picture& picture) {
  const std::span<const Call> calls = request.calls;
  Group& color = picture.groups.front();
  const ChainPrimaries primaries = primaries_of(calls, request.output.primaries, *way.job.format, picture);
  if (makes_luminance(calls)) name_luminance(color, way.output_depth);
  name_alpha(color, has_alpha_behind(calls, color.has_alpha()));
  JobReport ignored;
  if (request.input.is_data || makes_content(calls, Content::data))
    remove_attributes(picture.attributes, {"chromaticities"});
  else if (makes_content(calls, Content::numbers))
    take_numbers(picture, way, request.output.primaries, output_of(calls, Output{}).encoding, ignored);
  else if (color.is_color && !has_colors_beside(picture)) settle_primaries(picture, primaries, ignored);
  name_tinted_gray(calls, *way.job.format, picture);
}

std::optional<BaseLevel> original_base(const ChainRequest& request, const ConversionPlan& way, const Picture& picture) {
  const ChainPrimaries primaries = primaries_of(request.calls, request.output.primaries, *way.job.format, picture);
  return base_as_read(request, request.calls, way, primaries, other_primaries(picture).value_or(rec709), picture);
}

void tell_of_curve(std::span<const Call> calls, const Picture& picture, const ConversionPlan& way,
                   const OutputSettings& output, JobReport& report) {
  const bool changes = picture.transfer != way.transfer && !is_float(way.output_depth) && !output.transfer;
  const auto keeps_light = [](const Call& call) { return call.op->channels == Channels::all || is_exact(call); };
  if (!way.job.writes_picture || is_float(way.file_depth) || !changes || !std::ranges::all_of(calls, keeps_light))
    return;
  const bool is_of_profile = is_float(way.input_depth);  // its curve is applied
  report.notes.push_back(
      fmt::format("values change, because {}, and that of the output is {} (--transfer chooses another)",
                  is_of_profile ? std::string("the curve of its profile is another one")
                                : "its curve is " + name_of(picture.transfer, picture.exponent),
                  name_of(way.transfer, 1)));
}

std::vector<std::string> drop_other_channels(const ChainRequest& request, const Format& format, Picture& picture) {
  const bool has_color = picture.groups.front().is_color;
  if (request.output.drop_channels && !has_color)
    fail(Exit::usage, "--drop-channels: the image has no color; leave the option out, or make one with `channels`");
  if (request.output.drop_channels) keep_only_color(request.passes.apply_to, "--drop-channels", picture);
  std::vector<std::string> warnings;
  for (const Call& call : request.calls)
    if (has_color && picture.groups.size() > 1 && (call.op->makes == Makes::cell || makes_luminance({&call, 1}))) {
      std::vector<std::string> dropped;
      for (const Group& group : std::span(picture.groups).subspan(1))
        std::ranges::move(names_of(group), std::back_inserter(dropped));
      warnings.push_back(fmt::format("`{}` drops other channels: {}", call.op->name, fmt::join(dropped, " ")));
      keep_only_color(request.passes.apply_to, fmt::format("`{}`", call.op->name), picture);
    }
  std::ranges::move(drop_extras(picture, format), std::back_inserter(warnings));
  return warnings;
}

ProcessedImage process_image(const ChainRequest& request, DeviceSession& gpu, const ConversionPlan& way,
                             PictureInputs& inputs, const std::string& input, const std::string& frame, Picture read,
                             JobReport& report) {
  check_apply_to(request.passes.apply_to, read);
  check_requirements(request, read);
  if (way.job.writes_picture) check_output_keeps_ids(request, *way.job.format, way.output_depth, read);
  std::vector<Call> calls = calls_of_job(request, way.job);
  inputs.give(calls, primaries_at_calls(calls, other_primaries(read)), frame, request.input, way.storage, report);
  check_alpha(calls, read);
  set_windows(request, way.job, input, read, calls, report);
  read_depths(calls, read, frame, request.input, report);
  const std::vector<std::string> names_of_input = names_of(read);
  ProcessedImage part{.picture = std::move(read)};
  Picture& picture = part.picture;
  const bool is_data = request.input.is_data || makes_content(calls, Content::data);
  for (Call& call : calls) call.alpha_is_data = is_data || picture.groups.front().is_data;
  const ChainPrimaries primaries = is_data ? ChainPrimaries{.calls = calls}
                                           : primaries_of(calls, request.output.primaries, *way.job.format, picture);
  const Primaries own = other_primaries(picture).value_or(rec709);
  for (const std::string& warning : drop_other_channels(request, *way.job.format, picture)) report.add_warning(warning);
  const bool names_own =  // as `ocio --to acescg` for AP1
      primaries.is_named && !primaries.converts_result && are_same(primaries.result, own);
  if (primaries.converts && !names_own && !request.output.primaries && !makes_content(calls, Content::numbers))
    report.add_warning(conversion_warning(primaries, picture));
  if (primaries.result.to_xyz && way.job.writes_picture)
    report.add_warning(
        "R = G = B = 1 is not white in the color space of the result, and chromaticities cannot describe that; convert "
        "it with --output-primaries, or read the output with `ocio --from`");
  if (request.output.bits && !picture.groups.front().is_color && way.job.writes_picture)
    report.add_warning("--bits has no effect, because the image has no color");
  if (is_data) make_data(picture, request.input);
  if (is_data && !has_colors_beside(picture)) {
    remove_color_names(picture.attributes);
    remove_attributes(picture.attributes, {"chromaticities"});
  }
  const bool is_one_level = picture.groups.front().levels.size() == 1 && !makes_levels(calls);
  if (picture.file_level_count > 1 && way.job.writes_picture && !request.input.level && is_one_level)
    report.add_warning(
        fmt::format("only level 0 of its {} levels is read, and the output has one; make new ones with `mips` at the "
                    "end, or choose one with --level",
                    picture.file_level_count));
  tell_of_missing_alpha(calls, picture.groups.front().has_alpha(), report);
  tell_of_dropped_alpha(calls, picture.groups.front().has_alpha(), report);
  if (is_all_hidden(picture))
    report.add_warning(
        fmt::format("{} (to keep the light, read it with --input-alpha premultiplied and drop alpha with `channels "
                    "--list R,G,B`)",
                    all_hidden_warning));
  tell_of_curve(calls, picture, way, request.output, report);
  if (const auto warning = warning_of_decoding(calls, picture, request.input)) report.add_warning(*warning);
  const bool keeps_integers = keeps_original_integers(request, way, picture, primaries.converts);
  // Straight color stays straight if no op weights it by alpha, so that color with alpha 0 is not lost.
  const bool keeps_straight = calls.empty() && !is_float(way.output_depth) && request.output.dither == Dither::none &&
                              picture.alpha == Alpha::straight && picture.groups.front().has_alpha();
  const auto make_linear = keeps_straight ? make_linear_straight : make_working;
  if (primaries.converts || !only_measures(calls)) drop_previews(picture);
  const std::vector<std::string> attributes = names_with_information(picture.attributes);
  if (!kept_id(calls, picture)) remove_cryptomattes_of_color(picture);
  if (!calls.empty()) {
    part.base = base_as_read(request, calls, way, primaries, own, picture);
    run_groups(calls, request, gpu, primaries.calls, input, frame, picture, way, report);
    if (makes_levels(calls) && makes_content({&calls.back(), 1}, Content::data)) check_normals(picture);
    const bool are_numbers = makes_content(calls, Content::numbers);
    if (makes_display(calls) && !are_numbers) take_encoded(picture, way.output_depth, way.transfer);
    tell_of_namesakes(picture, report);
    if (way.job.format->holds_everything)  // other formats have no place for attributes that ops add
      change_attributes(calls, !way.job.is_a_file_a_level(), picture);
    if (are_numbers) take_numbers(picture, way, request.output.primaries, output_of(calls, Output{}).encoding, report);
    else if (picture.groups.front().is_color && !is_data) settle_primaries(picture, primaries, report);
  } else if (primaries.converts) {
    make_linear(picture, Depth::f32);
    convert_colors(picture, {.from = own, .to = primaries.result}, report);
    set_named_primaries(picture, primaries.result, report);
  } else if (!keeps_integers || way.input_depth != way.output_depth) {
    if (keeps_integers && picture.groups.front().has_alpha())
      part.base = base_as_read(request, calls, way, primaries, own, picture);
    // integers are rounded once
    const bool are_integers = !is_float(way.input_depth) && !is_float(way.output_depth);
    make_linear(picture, are_integers ? Depth::f32 : working_depth(way.input_depth, way.output_depth));
  }
  if (way.job.writes_picture) name_tinted_gray(calls, *way.job.format, picture);
  remove_attributes_of_lost_channels(names_of_input, picture);
  if (const auto warning = warning_of_removed(attributes, picture.attributes)) report.add_warning(*warning);
  return part;
}

}  // namespace gpupost
