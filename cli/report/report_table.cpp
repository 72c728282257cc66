#include "cli/report/report_table.h"

#include "cli/text/messages.h"
#include "core/base/error.h"
#include "core/system/atomic_file.h"

#include <algorithm>

namespace gpupost {

// A copy of a picture of this size and depth, or as large a part of it as the device takes, in GB/s; 0 where it cannot be
// measured, which is no reason to fail.
static double copy_speed_of(Gpu& gpu, Size size, Depth depth) {
  const DeviceTraits& traits = gpu.info().traits;
  const auto is_too_large = [&] {
    return std::max(size.width, size.height) > traits.max_image_side ||
           4 * bytes_of(depth) * texel_count(size) > traits.max_allocation_bytes;
  };
  while (is_too_large()) (size.width > size.height ? size.width : size.height) /= 2;
  try {
    return gpu.copy_speed(size, depth);
  } catch (const Error&) {
    return 0;
  }
}

void finish_report(const Globals& globals, Gpu* gpu, Report& report) {
  if (gpu) {
    report.device = gpu->info();
    for (JobReport& job : report.jobs)
      for (PassReport& pass : job.passes) {
        double& speed = pass.storage == Depth::half ? job.copy_half_gb_per_second : job.copy_float_gb_per_second;
        if (speed == 0) speed = copy_speed_of(*gpu, job.size, pass.storage);
      }
  }
  if (globals.timing) say(to_table(report));
  const std::string text = to_json(report);
  if (globals.report == "-") print_out(text);
  else if (!globals.report.empty()) write_file(globals.report, std::as_bytes(std::span(text)), globals.no_clobber);
}

}  // namespace gpupost
