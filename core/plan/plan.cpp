#include "core/plan/plan.h"

#include "core/base/error.h"
#include "core/op/point.h"
#include "core/plan/builder.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpupost {

size_t bytes_of(const Plan& plan) {
  // Staging buffers of the upload and download.
  size_t bytes = bytes_of_level(plan.images[0], 0) + bytes_of(plan.images[size_t(plan.result_image)]);
  for (const PlanImage& image : plan.images) bytes += bytes_of(image);
  for (const PlanSource& source : plan.sources) bytes += bytes_of(plan.images[size_t(source.image)]);
  for (const Pass& pass : plan.passes) bytes += pass.memory.scratch_bytes + table_size(pass) * sizeof(float);
  return bytes + plan.statistics_bytes;
}

size_t mebibytes(size_t bytes) { return (bytes + (size_t(1) << 20) - 1) >> 20; }

std::string over_limit(const Plan& plan, const DeviceTraits& traits) {
  for (const PlanImage& image : plan.images) {
    const auto [width, height] = image.size;
    if (std::max(width, height) > traits.max_image_side)
      return fmt::format("the image is {} x {} texels; {} allows at most {} per side{}", width, height, traits.name,
                         traits.max_image_side, traits.is_side_asked_for ? " (set by --tile-side)" : "");
    if (bytes_of(image) > traits.memory.allocation_bytes)
      return fmt::format("an image of {} x {} texels in {} needs {} MiB; {} allows at most {} MiB per allocation",
                         width, height, format_name(image), mebibytes(bytes_of(image)), traits.name,
                         traits.memory.allocation_bytes >> 20);
  }
  size_t storage_bytes = plan.statistics_bytes;
  for (const Pass& pass : plan.passes) storage_bytes = std::max(storage_bytes, pass.memory.scratch_bytes);
  if (storage_bytes > traits.memory.storage_bytes)
    return fmt::format("a buffer needs {} MiB; {} allows at most {} MiB", mebibytes(storage_bytes), traits.name,
                       traits.memory.storage_bytes >> 20);
  if (traits.memory.total_bytes > 0 && bytes_of(plan) > traits.memory.total_bytes)
    return fmt::format("all images need {} MiB; {} has {} MiB", mebibytes(bytes_of(plan)), traits.name,
                       traits.memory.total_bytes >> 20);
  return "";
}

Plan plan(std::span<const Call> calls, const PlanInput& input, const DeviceTraits& traits) {
  Plan made = plan_of_any_size(calls, input, traits);
  if (const std::string why = over_limit(made, traits); !why.empty()) fail(Exit::limit, "{}", why);
  return made;
}

Plan plan_of_any_size(std::span<const Call> calls, const PlanInput& input, const DeviceTraits& traits) {
  PlanBuilder builder(input, traits);
  for (const Call& call : calls) {
    const Op& op = *call.op;
    if (is_identity(call) && op.makes != Makes::statistics) continue;
    const bool is_fused =
        op.point || (builder.fuses_into_load() && footprint_of(call, builder.whole_size()).reads_once);
    if (!is_fused) builder.flush();
    builder.begin_call(call);
    if (op.plan) op.plan(call, builder);
    else builder.fuse_point(fused_point_of(call));
  }
  return builder.finish();
}

Plan plan_of_copy(const StoredAgain& stored, const PlanInput& input, const DeviceTraits& traits) {
  PlanBuilder builder(input, traits);
  if (input.is_r11g11b10_between) {
    builder.add_copy(stored.name, stored.depth, stored.ops);
    builder.begin_op();
  }
  builder.add_copy(stored.name, stored.depth, stored.ops);
  return builder.finish();
}

void check_guard(const Guard& guard, uint64_t count) {
  if (count > 0) fail(guard.code, "{}", fmt::format(fmt::runtime(guard.message), count));
}

void check_guards(const Plan& plan, std::span<const uint32_t> statistics) {
  for (const Guard& guard : plan.guards) check_guard(guard, statistics[size_t(guard.offset)]);
}

uint64_t clamped_count(const Plan& plan, std::span<const uint32_t> statistics) {
  return plan.clamped_at < 0 ? 0 : statistics[size_t(plan.clamped_at)];
}

}  // namespace gpupost
