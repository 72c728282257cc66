// The windows and the layout of an image before and behind a chain. Runs use it, and --explain, which shows the sizes of a run.
#pragma once

#include "core/op/op.h"
#include "core/pipeline/job.h"
#include "core/pipeline/report.h"
#include "core/pipeline/settings.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

// The windows of an output for a result with these. Errors name the input.
Windows written_windows(const ChainRequest& request, const Job& job, const std::string& input, const Windows& result);

// Crops or pads an image to its display window if --to-display is given or the format has no windows. Returns whether the
// image changed. Errors name the input.
bool show_display_window(const ChainRequest& request, const Job& job, const std::string& input, Picture& picture,
                         JobReport& report);

// Crops the input to its texels with content if the chain needs that (Needs::only_content), and notes the window that it found.
// An image without content becomes its first texel. A cell of a sheet is cropped within its display window.
void crop_to_content(const ChainRequest& request, const std::string& input, Picture& picture, JobReport& report);

// Sets Call::takes_openexr_cube of the first call that reads faces, if the image is such a cube map.
void set_layout(const Picture& picture, std::span<Call> calls);

// Sets the windows of each call for this image. If the chain makes levels of a display window, for --to-display or a format
// without windows, this adds `crop --to display` before the call that makes them. Errors name the input.
void set_windows(const ChainRequest& request, const Job& job, const std::string& input, const Picture& picture,
                 std::vector<Call>& calls, JobReport& report);

// The windows of a chain's result. For levels of a part of a frame, in separate files, texels must match the levels of the whole
// frame. The part is enlarged before the last call and cropped after it.
struct LevelFrame {
  Windows windows;  // windows of the chain's result
  Window enlarged;
  int level_count = 1;

  bool is_needed() const { return enlarged != windows.data; }
  // The last call, for an image that was enlarged.
  Call levels_of(const Call& last) const { return last.with("levels", level_count); }
};

// `job`: as job_for_levels() returns it.
LevelFrame level_frame_of(std::span<const Call> calls, const Job& job, const Picture& picture);

}  // namespace gpupost
