#include "core/pipeline/conversion_plan.h"

#include "core/codec/metadata/png_color.h"
#include "core/ops/prefilter/row.h"
#include "core/pipeline/image_windows.h"
#include "core/pipeline/pixel_formats.h"
#include "core/system/atomic_file.h"

#include <filesystem>
#include <system_error>

namespace gpupost {

// Returns whether the output can record the encoding. A PNG records PQ in a chunk that has numbers for some primaries.
static bool can_record(const ChainRequest& request, const Job& job, const ConversionPlan& way,
                       const ColorEncoding& encoding) {
  if (is_float(way.output_depth) || !can_hold(request.output, *job.format, way.output_depth, encoding.transfer))
    return false;
  if (!job.format->holds_primaries) return are_same(encoding.primaries, rec709);
  return encoding.transfer != Transfer::pq || code_of(encoding.primaries);
}

// Encoded values get the tag of their encoding, or none if it is not known or the format cannot hold it.
static void tag_numbers(const ChainRequest& request, const Job& job, ConversionPlan& way) {
  const std::optional<ColorEncoding> encoding = output_of(request.calls, Output{}).encoding;
  way.is_tagged = encoding && can_record(request, job, way, *encoding);
  if (way.is_tagged) way.transfer = encoding->transfer;
  else if (!is_float(way.output_depth) && !job.format->holds_primaries) way.transfer = Transfer::linear;
}

// Refuses --transfer pq and hlg for encoded values whose primaries a PNG has no number for: no option would convert them.
static void check_tag(const OutputSettings& output, const ColorEncoding& encoding) {
  const bool needs_code = output.transfer == Transfer::pq || output.transfer == Transfer::hlg;
  const Primaries primaries = output.primaries.value_or(encoding.primaries);
  if (!needs_code || code_of(primaries)) return;
  fail(Exit::usage,
       "--transfer {}: the cICP chunk of a PNG has no number for the primaries of the result ({}), and encoded values "
       "are not converted; leave --transfer out to record no curve",
       output.transfer == Transfer::pq ? "pq" : "hlg", name_of(primaries));
}

Job job_for_levels(std::span<const Call> calls, const Job& given, const Picture& first) {
  // levels of a row of faces are no mip chain of the row
  const bool is_row = !calls.empty() && filters_cube(calls.back());
  return split_into_level_files(given, result_level_count(calls, first.size()),
                                is_row ? 1 : level_count_of(result_size(calls, first.size())));
}

// The calls of the chain, with the windows of this image.
static std::vector<Call> calls_with_windows(const ChainRequest& request, const Job& given, const Picture& first) {
  std::vector<Call> calls = request.calls;
  JobReport ignored;  // each image tells of its own windows
  set_windows(request, given, given.inputs.front(), first, calls, ignored);
  return calls;
}

ConversionPlan planned_conversion(const ChainRequest& request, const Job& given, const Picture& first) {
  const std::vector<Call> calls = calls_with_windows(request, given, first);
  ConversionPlan way{.job = job_for_levels(calls, given, first),
                     .file_depth = file_depth_of(first.groups.front()),
                     .input_depth = first.groups.front().depth};
  check_levels(way.job, result_level_count(calls, first.size()));
  way.output_depth = choose_output_depth(request, *given.format, way.file_depth);
  way.storage = storage_of(request, way.input_depth, way.output_depth);
  way.transfer = output_transfer(request.output, *given.format, way.output_depth);
  if (way.job.writes_picture) check_dither(request.output, way.output_depth);
  if (makes_content(request.calls, Content::data) && !request.output.transfer) way.transfer = Transfer::linear;
  if (makes_content(request.calls, Content::numbers)) {
    if (!request.output.transfer) tag_numbers(request, given, way);
    else check_tag(request.output, output_of(request.calls, Output{}).encoding.value_or(ColorEncoding{}));
  }
  return way;
}

ConversionPlan conversion_plan_of(const ChainRequest& request, const Job& given, const Picture& first) {
  ConversionPlan way = planned_conversion(request, given, first);
  const int level_count = result_level_count(calls_with_windows(request, given, first), first.size());
  if (way.job.writes_picture && request.output.makes_folders && way.job.is_a_file_a_level())
    for (int level = 0; level < level_count; ++level) make_folder_of(way.job.output.at(level));
  // finish() decides if the file exists that shows that the output is there
  std::error_code error;
  if (way.job.writes_picture)
    check_can_be_written(way.job, level_count,
                         request.output.no_clobber && way.job.is_a_file_a_level() &&
                             !std::filesystem::exists(way.job.output.at(0), error));
  return way;
}

}  // namespace gpupost
