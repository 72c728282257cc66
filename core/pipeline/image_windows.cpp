#include "core/pipeline/image_windows.h"

#include "core/base/error.h"
#include "core/image/display_window.h"
#include "core/image/level_windows.h"
#include "core/pipeline/sheet.h"

#include <fmt/core.h>

namespace gpupost {

bool show_display_window(const ChainRequest& request, const Job& job, const std::string& input, Picture& picture,
                         JobReport& report) {
  const bool is_needed = request.output.to_display || !job.format->holds_everything;
  if (!is_needed || !job.writes_picture) return false;
  if (!fit_to_display(picture, request.input.limits.texel_count, input)) return false;
  if (!request.output.to_display)
    report.notes.push_back(fmt::format("{} holds no windows; it gets the display window of {} x {} texels",
                                       job.format->name, picture.size().width, picture.size().height));
  return true;
}

std::optional<Size> fit_before_chain(const ChainRequest& request, const Job& job, const std::string& input,
                                     Picture& picture, JobReport& report) {
  if (sheet_of(request.calls)) return prepare_cell(request.calls, input, request.input.limits.texel_count, picture);
  if (makes_levels(request.calls)) show_display_window(request, job, input, picture, report);
  return std::nullopt;
}

void set_windows(std::span<Call> calls, const Picture& picture) {
  set_windows(calls, {.data = picture.data_window, .display = picture.display_window});
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
