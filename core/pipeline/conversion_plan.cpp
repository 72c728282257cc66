#include "core/pipeline/conversion_plan.h"

#include "core/pipeline/pixel_formats.h"

namespace gpupost {

ConversionPlan conversion_plan_of(const ChainRequest& request, const Job& given, const Picture& first) {
  std::vector<Call> calls = request.calls;
  set_windows(calls, {.data = first.data_window, .display = first.display_window});
  const int level_count = result_level_count(calls, first.size());
  ConversionPlan way{
      .job = split_into_level_files(given, level_count, level_count_of(result_size(calls, first.size()))),
      .input_depth = first.groups.front().depth};
  if (way.job.writes_picture) check_can_be_written(way.job, level_count, request.output.no_clobber);
  way.output_depth = choose_output_depth(request, *given.format, way.input_depth);
  way.storage = storage_of(request.passes, way.input_depth, way.output_depth);
  const bool is_free = is_float(way.output_depth) && !request.output.bits && !request.passes.fp16;
  if (is_free) way.output_depth = result_depth(request.calls, way.output_depth);
  way.transfer = output_transfer(request.output, *given.format, way.output_depth);
  if (way.job.writes_picture) check_dither(request.output, way.output_depth);
  if (makes_content(request.calls, Content::data) && !request.output.transfer) way.transfer = Transfer::linear;
  return way;
}

}  // namespace gpupost
