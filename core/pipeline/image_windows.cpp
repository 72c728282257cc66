#include "core/pipeline/image_windows.h"

#include "core/base/error.h"
#include "core/image/attributes.h"
#include "core/image/channel_names.h"
#include "core/image/content_window.h"
#include "core/image/display_window.h"
#include "core/image/level_windows.h"
#include "core/op/parse.h"
#include "core/ops/prefilter/row.h"
#include "core/ops/project/row.h"
#include "core/ops/small/row.h"
#include "core/pipeline/sheet.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace gpupost {

namespace {

bool is_display_written(const OutputSettings& output, const Job& job) {
  return job.writes_picture && (output.to_display || !job.format->holds_everything);
}

void tell_of_display(const OutputSettings& output, const Job& job, Size size, JobReport& report) {
  if (!output.to_display)
    report.notes.push_back(fmt::format("{} holds no windows; it gets the display window of {} x {} texels",
                                       job.format->name, size.width, size.height));
}

}  // namespace

Windows written_windows(const ChainRequest& request, const Job& job, const std::string& input, const Windows& result) {
  const bool is_changed =
      is_display_written(request.output, job) && differs_from_display(result, request.input.limits.texel_count, input);
  return {.data = is_changed ? result.display : result.data, .display = result.display};
}

bool show_display_window(const ChainRequest& request, const Job& job, const std::string& input, Picture& picture,
                         JobReport& report) {
  if (!is_display_written(request.output, job)) return false;
  if (!fit_to_display(picture, request.input.limits.texel_count, input)) return false;
  tell_of_display(request.output, job, picture.size(), report);
  return true;
}

void crop_to_content(const ChainRequest& request, const std::string& input, Picture& picture, JobReport& report) {
  const std::span<const Call> calls = request.calls;
  if (calls.empty() || !calls.front().op->needs(calls.front()).only_content) return;
  const std::string name = calls.front().text();
  const Group& color = picture.groups.front();
  if (!color.is_color) {
    const std::vector<std::string> layers = layers_with_color(picture);
    fail(Exit::usage, "{}: the image has no color; expected float channels R, G and B, or Y{}", name,
         layers.empty() ? "" : fmt::format(", or --layer with one of {}", fmt::join(layers, ", ")));
  }
  const bool is_cell = sheet_of(calls) != nullptr;
  if (is_cell) fit_to_display(picture, request.input.limits.texel_count, input);
  const Window before = picture.data_window;
  const std::optional<Window> found = content_window(picture, color.is_data || makes_content(calls, Content::data));
  const Window window = found.value_or(Window{before.min_x, before.min_y, before.min_x, before.min_y});
  if (window != before) fit_to_window(picture, window);
  if (is_cell) picture.display_window = window;
  const Size size = size_of(window), whole = size_of(before);
  if (found)
    report.notes.push_back(fmt::format("{}: {}x{}+{}+{} of {} x {} texels", name, size.width, size.height,
                                       window.min_x - before.min_x, window.min_y - before.min_y, whole.width,
                                       whole.height));
  else
    report.add_warning(fmt::format("{}: the image has no content, so that one of its {} x {} texels is left", name,
                                   whole.width, whole.height));
}

void set_layout(const Picture& picture, std::span<Call> calls) {
  const auto first =
      std::ranges::find_if(calls, [](const Call& call) { return call.op == &project_op || filters_cube(call); });
  if (first == calls.end() || !is_openexr_cube(picture.attributes)) return;
  std::vector<Attribute> attributes = picture.attributes;
  for (const Call& call : std::span(calls.begin(), first))
    if (call.op->change_attributes) call.op->change_attributes(call, attributes);
  first->takes_openexr_cube = is_openexr_cube(attributes);
}

void set_windows(const ChainRequest& request, const Job& job, const std::string& input, const Picture& picture,
                 std::vector<Call>& calls, JobReport& report) {
  const Windows windows{.data = picture.data_window, .display = picture.display_window};
  set_windows(calls, windows);
  set_layout(picture, calls);
  for (const Call& call : calls) {
    const Needs needs = call.op->needs(call);
    if (!needs.wrong_windows.empty()) fail(Exit::input, "{}: {}: {}", input, call.op->name, needs.wrong_windows);
    if (!needs.warning.empty()) report.add_warning(fmt::format("`{}`: {}", call.text(), needs.warning));
  }
  if (!makes_levels(calls) || !is_display_written(request.output, job)) return;
  const Windows before_levels = calls.back().windows;
  if (!differs_from_display(before_levels, request.input.limits.texel_count, input)) return;
  calls.insert(calls.end() - 1, parse_call(crop_op, "--to display"));
  set_windows(calls, windows);
  tell_of_display(request.output, job, size_of(before_levels.display), report);
}

LevelFrame level_frame_of(std::span<const Call> calls, const Job& job, const Picture& picture) {
  LevelFrame frame{.windows = result_windows(calls, {.data = picture.data_window, .display = picture.display_window})};
  frame.enlarged = frame.windows.data;
  frame.level_count = result_level_count(calls, picture.size());
  const bool has_frame = job.is_a_file_a_level() && job.format->name == "exr" && makes_levels(calls);
  if (has_frame) frame.enlarged = window_for_levels(frame.windows, frame.level_count);
  return frame;
}

}  // namespace gpupost
