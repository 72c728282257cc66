#include "cli/run_picture.h"

#include "cli/demands.h"
#include "cli/depth.h"
#include "cli/depths.h"
#include "cli/run_group.h"
#include "core/chain.h"
#include "core/convert.h"
#include "core/error.h"
#include "core/naming.h"
#include "core/nearest.h"
#include "core/ops/ops.h"
#include "core/primaries.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace gpupost {

namespace {

// The primaries of a picture that are to be made Rec.709's, where that matters: to an op, or to a format whose colours are
// Rec.709's. None where it does not.
std::optional<Primaries> primaries_to_leave(std::span<const Call> calls, const Format& format, const Picture& picture) {
  const bool has_colours = picture.groups.front().is_colour && !takes_data(calls);
  const bool keeps = !has_colours || (format.name == "exr" && !takes_rec709(calls));
  return keeps ? std::nullopt : other_primaries(picture);
}

Call to_rec709_before(const Primaries& primaries) {
  std::vector<double> numbers;
  for (const auto& row : to_rec709(primaries)) numbers.insert(numbers.end(), row.begin(), row.end());
  return parse_call(matrix_op, fmt::format("--rows {}", fmt::join(numbers, ",")));
}

// May a chain make of grey, or of what has no B, a picture that has it? Ops that take each channel by itself do not.
bool makes_colour(std::span<const Call> calls) {
  return std::ranges::any_of(calls, [](const Call& call) { return !call.op->every_channel; });
}

// Is the result of a chain encoded for display?
bool is_encoded(std::span<const Call> calls) {
  return std::ranges::any_of(calls, [](const Call& call) { return call.op->result_is_display; });
}

// What was encoded for display is written as it is in integers of sRGB, else as the light that it is on a display of sRGB.
void take_encoded(Picture& picture, Depth goes_out, Transfer transfer) {
  picture.transfer = Transfer::srgb;
  if (is_float(goes_out) || transfer != Transfer::srgb) make_working(picture, Depth::f32);
}

// Behind a chain on colours of Rec.709. What a file says of its primaries holds for all of its layers: where others have
// colours, which no op has touched, those of the result are made the file's own again.
void settle_primaries(Picture& picture, const Primaries& primaries) {
  if (!has_colours_beside(picture)) return set_rec709(picture);
  if (picture.groups.front().is_luminance) return;
  make_working(picture, Depth::f32);
  leave_rec709(picture, primaries);
}

// The chain on all that the picture has: colour, whose primaries may have to be left first, then the channels that go along.
void run_groups(const Request& request, LazyGpu& gpu, const std::optional<Primaries>& primaries, Picture& picture,
                Depth storage, JobReport& report) {
  const Windows windows =
      result_windows(request.calls, {.data = picture.data_window, .display = picture.display_window});
  if (const size_t clamped = make_working(picture, storage))
    report.add_warning(fmt::format("{} values over 65504 were clamped to it on their way to half", clamped));
  report.storage = name_of(storage);
  std::vector<Call> calls_of_others = calls_for_other_channels(request.calls);
  std::erase_if(calls_of_others, [](const Call& call) {
    return call.op->passes_through && measure_of(call) == Measure::extremes;  // of luminance, which they have none of
  });
  std::vector<Call> calls_of_colour = request.calls;
  if (primaries) calls_of_colour.insert(calls_of_colour.begin(), to_rec709_before(*primaries));
  std::vector<Measured> measured = to_be_measured(request.calls, report.input, picture.size());
  for (Group& group : picture.groups) {
    if (group.depth == Depth::u32) {
      for (Measured& one : measured) leave_out(one, group);
      follow_by_nearest(group, calls_of_others);
      continue;
    }
    if (!group.is_colour && calls_of_others.empty()) continue;
    const Stopwatch watch;
    gpu.with([](Gpu&) {});  // till it is open
    report.device_ms += watch.milliseconds();
    run_group(group.is_colour ? calls_of_colour : calls_of_others, request.globals, gpu, group, measured, report);
  }
  std::ranges::move(measured, std::back_inserter(report.measured));
  Group& colour = picture.groups.front();
  if (makes_colour(request.calls) && colour.is_colour) name_colours(colour);
  name_alpha(colour, has_alpha_behind(request.calls, colour.has_alpha()));
  picture.data_window = windows.data;
  picture.display_window = windows.display;
}

bool is_move(const Call& call) { return call.op->is_exact && call.op->nearest_texel; }

// Is level 0 of the result the input, or that with its texels in other places?
bool keeps_texels(std::span<const Call> calls) {
  return std::ranges::all_of(calls, [](const Call& call) { return is_move(call) || keeps_base({&call, 1}); });
}

// A picture of the colour alone, as it was read.
Picture colour_as_read(const Picture& picture) {
  const Group& colour = picture.groups.front();
  const Memory& texels = colour.levels[0].texels;
  Picture copy{.format = picture.format,
               .data_window = picture.data_window,
               .display_window = picture.display_window,
               .transfer = picture.transfer,
               .alpha = picture.alpha};
  Group& group = copy.groups.emplace_back(Group{.channels = colour.channels,
                                                .depth = colour.depth,
                                                .is_colour = colour.is_colour,
                                                .is_luminance = colour.is_luminance});
  Level& level = group.levels.emplace_back(Level{colour.levels[0].size, Memory(texels.size())});
  std::memcpy(level.texels.data(), texels.data(), texels.size());
  return copy;
}

// Level 0 of such a result as it was read; nothing where that says no more than the result itself: without an alpha no colour
// is lost, and moved texels come back from the device as they were.
std::optional<Picture> base_as_read(std::span<const Call> calls, const Picture& picture) {
  if (!keeps_texels(calls) || (!keeps_base(calls) && !picture.groups.front().has_alpha())) return std::nullopt;
  Picture base = colour_as_read(picture);
  std::vector<Call> moves;
  std::ranges::copy_if(calls, std::back_inserter(moves), is_move);
  follow_by_nearest(base.groups.front(), moves);
  return base;
}

// Numbers that are no colours are taken as they stand.
void make_data(Picture& picture, const Globals& globals) {
  Group& group = picture.groups.front();
  group.is_data = true;
  if (!globals.input_transfer) picture.transfer = Transfer::linear;
}

// The request with the depths of this picture.
Request with_depths(Request request, const Picture& picture) {
  read_depths(request.calls, picture, request.globals);
  return request;
}

}  // namespace

Part run_picture(const Request& given, LazyGpu& gpu, const Way& way, Picture read, JobReport& report) {
  check_demands(given.calls, read);
  const Request request = with_depths(given, read);
  const Globals& globals = request.globals;
  Part part{.picture = std::move(read)};
  Picture& picture = part.picture;
  const std::optional<Primaries> primaries = primaries_to_leave(request.calls, *way.job.format, picture);
  for (const std::string& warning : drop_extras(picture, *way.job.format)) report.add_warning(warning);
  if (primaries)
    report.add_warning(fmt::format("its colours are of other primaries; they were made those of Rec. 709{}",
                                   has_colours_beside(picture)
                                       ? " for the chain, and then their own again, as those of "
                                         "other layers are"
                                       : ""));
  if (is_float(way.goes_out))
    for (Channel& channel : picture.groups.front().channels)
      if (globals.bits || globals.fp16 || !is_float(way.came_in)) channel.depth = way.goes_out;
  if (takes_data(request.calls)) make_data(picture, globals);
  // integers that stay as they are are written at level 0 as they were read: colour under alpha 0 too
  const bool stays = !is_float(way.goes_out) && way.goes_out == way.came_in && picture.transfer == way.transfer &&
                     picture.alpha == Alpha::straight && !primaries;
  if (!request.calls.empty()) {
    if (stays) part.base = base_as_read(request.calls, picture);
    run_groups(request, gpu, primaries, picture, way.storage, report);
    if (is_encoded(request.calls)) take_encoded(picture, way.goes_out, way.transfer);
    if (makes_luminance(request.calls)) name_luminance(picture.groups.front(), way.goes_out);
    if (const std::vector<std::string> dropped = drop_namesakes(picture); !dropped.empty())
      report.add_warning(fmt::format("the result's colour has channels of the names {}; those of the input are dropped",
                                     fmt::join(dropped, ", ")));
    if (primaries) settle_primaries(picture, *primaries);
  } else if (primaries) {
    make_working(picture, Depth::f32);
    make_rec709(picture, *primaries);
  } else if (!stays) {
    make_working(picture, working_depth(way.came_in, way.goes_out));
  }
  return part;
}

}  // namespace gpupost
