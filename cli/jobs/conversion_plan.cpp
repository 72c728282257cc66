#include "cli/jobs/conversion_plan.h"

#include "cli/jobs/pixel_formats.h"

namespace gpupost {

Way way_of(const Request& request, const Job& given, const Picture& first) {
  const Globals& globals = request.globals;
  std::vector<Call> calls = request.calls;
  set_windows(calls, {.data = first.data_window, .display = first.display_window});
  const int level_count = result_level_count(calls, first.size());
  Way way{.job = for_levels(given, globals, level_count, level_count_of(result_size(calls, first.size()))),
          .came_in = first.groups.front().depth};
  if (way.job.writes_picture) check_can_be_written(way.job, level_count, globals.no_clobber);
  way.goes_out = output_depth(globals, *given.format, way.came_in);
  way.storage = storage_of(globals, way.came_in, way.goes_out);
  const bool is_free = is_float(way.goes_out) && !globals.bits && !globals.fp16;
  if (is_free) way.goes_out = result_depth(request.calls, way.goes_out);
  way.transfer = output_transfer(globals, *given.format, way.goes_out);
  if (way.job.writes_picture) check_dither(globals, way.goes_out);
  if (takes_data(request.calls) && !globals.transfer) way.transfer = Transfer::linear;
  return way;
}

}  // namespace gpupost
