// The images and buffers of a plan, and what they hold before its passes begin.
#include "core/base/math.h"
#include "core/base/threads.h"
#include "core/gpu/state.h"

#include <algorithm>
#include <cstring>

namespace gpupost {

std::vector<Image> Gpu::State::create_images(std::span<const PlanImage> plan_images) const {
  std::vector<Image> images;
  for (const PlanImage& image : plan_images) images.emplace_back(device, image, fmt::format("image {}", images.size()));
  return images;
}

// Offset in floats of the tables of a pass's point ops.
static size_t first_point_number(const Pass& pass) { return round_up(pass.table.size(), table_alignment); }

// The tables of a pass's point ops, joined as they follow its own table; empty if there are none.
static Buffer upload_of_point_tables(const Device& device, const Pass& pass) {
  const std::vector<std::span<const float>> tables = point_tables(pass);
  if (tables.empty()) return {};
  const size_t count = table_size(pass) - first_point_number(pass);
  Buffer upload(device, count * sizeof(float), Buffer::Use::upload, pass.name + " tables of point ops");
  size_t begin = 0;
  for (const std::span<const float> numbers : tables) {
    std::memcpy(upload.mapped() + begin * sizeof(float), numbers.data(), numbers.size_bytes());
    begin += round_up(numbers.size(), table_alignment);
  }
  upload.flush(device);
  return upload;
}

PlanBuffers Gpu::State::create_buffers(const Plan& plan) const {
  PlanBuffers buffers;
  const auto buffer = [&](size_t bytes, const std::string& name) {
    return bytes ? Buffer(device, bytes, Buffer::Use::device, name) : Buffer();
  };
  const bool is_short = has_fault("overrun");
  for (const Pass& pass : plan.passes) {
    buffers.scratch.push_back(
        buffer(is_short ? pass.memory.zeroed_bytes : pass.memory.scratch_bytes, pass.name + " scratch"));
    buffers.tables.push_back(buffer(table_size(pass) * sizeof(float), pass.name + " table"));
    buffers.point_tables.push_back(upload_of_point_tables(device, pass));
  }
  if (plan.statistics_bytes)
    buffers.statistics = Buffer(device, plan.statistics_bytes, Buffer::Use::device, "statistics");
  if (device.checks_bounds()) buffers.outside = buffer(plan.passes.size() * bounds_bytes, "counts outside of bounds");
  return buffers;
}

static void upload_table(VkCommandBuffer commands, std::span<const float> table, const Buffer& buffer) {
  constexpr size_t most = 65536 / sizeof(float);  // limit of one vkCmdUpdateBuffer
  for (size_t begin = 0; begin < table.size(); begin += most) {
    const std::span<const float> part = table.subspan(begin, std::min(most, table.size() - begin));
    vkCmdUpdateBuffer(commands, buffer.handle(), begin * sizeof(float), part.size_bytes(), part.data());
  }
}

void Gpu::State::fill_buffers(VkCommandBuffer commands, const Plan& plan, const PlanBuffers& buffers) const {
  for (size_t index = 0; index < buffers.scratch.size(); ++index)
    if (plan.passes[index].memory.zeroed_bytes)
      vkCmdFillBuffer(commands, buffers.scratch[index].handle(), 0, plan.passes[index].memory.zeroed_bytes, 0);
  if (plan.clamped_at >= 0) vkCmdFillBuffer(commands, buffers.statistics.handle(), 0, plan.statistics_bytes, 0);
  for (size_t index = 0; index < buffers.tables.size(); ++index)
    upload_table(commands, plan.passes[index].table, buffers.tables[index]);
  for (size_t index = 0; index < buffers.point_tables.size(); ++index)
    if (const Buffer& from = buffers.point_tables[index]; from.handle()) {
      const VkBufferCopy copy{.dstOffset = first_point_number(plan.passes[index]) * sizeof(float),
                              .size = from.bytes()};
      vkCmdCopyBuffer(commands, from.handle(), buffers.tables[index].handle(), 1, &copy);
    }
  if (buffers.outside.handle()) vkCmdFillBuffer(commands, buffers.outside.handle(), 0, VK_WHOLE_SIZE, 0);
  barrier(commands);
}

std::vector<Buffer> Gpu::State::source_buffers(const Plan& plan) const {
  std::vector<Buffer> buffers;
  for (const PlanSource& source : plan.sources) {
    const PlanImage& image = plan.images[size_t(source.image)];
    const Size size = image.size;
    const Buffer& buffer =
        buffers.emplace_back(device, bytes_of_level(image, 0), Buffer::Use::upload, "upload of an input");
    const size_t row_bytes = size_t(size.width) * bytes_of_texel(image);
    const auto copy_row = [&](int y, std::byte* to) {
      const auto first = [&](Size whole) {
        return size_t(source.corner.y + y) * size_t(whole.width) + size_t(source.corner.x);
      };
      if (const auto* numbers = std::get_if<std::shared_ptr<const Plane>>(&source.texels)) {
        const double* from = &(*numbers)->values[first((*numbers)->size)];
        std::transform(from, from + size.width, reinterpret_cast<float*>(to), [](double n) { return float(n); });
      } else {
        const Level& level = *std::get<std::shared_ptr<const Level>>(source.texels);
        std::memcpy(to, level.texels.data() + first(level.size) * bytes_of_texel(image), row_bytes);
      }
    };
    parallel_ranges(size.height, 16, [&](int begin, int end) {
      for (int y = begin; y < end; ++y) copy_row(y, buffer.mapped() + size_t(y) * row_bytes);
    });
    buffer.flush(device);
  }
  return buffers;
}

void Gpu::State::upload_sources(VkCommandBuffer commands, const Plan& plan, std::span<const Buffer> buffers,
                                std::span<const Image> images) const {
  for (size_t index = 0; index < buffers.size(); ++index) {
    const Image& image = images[size_t(plan.sources[index].image)];
    const VkBufferImageCopy whole = whole_level(image.plan(), 0, 0);
    vkCmdCopyBufferToImage(commands, buffers[index].handle(), image.handle(), VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
  }
}

}  // namespace gpupost
