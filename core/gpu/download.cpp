#include "core/gpu/download.h"

#include "core/glsl/bounds_checks.h"

#include <cstring>

namespace gpupost {

Download::Download(const Device& device, const Image& image, int first_level)
    : device_(device), image_(image), first_level_(first_level) {
  if (image.is_on_pages()) return;
  size_t bytes = 0;
  for (int level = first_level; level < image.plan().level_count; ++level) {
    copies_.push_back(whole_level(image.plan(), level, bytes));
    bytes += bytes_of_level(image.plan(), level);
  }
  if (bytes > 0) buffer_ = Buffer(device, bytes, Buffer::Use::download, "download");
}

void Download::record(VkCommandBuffer commands) const {
  if (!copies_.empty())
    vkCmdCopyImageToBuffer(commands, image_.handle(), VK_IMAGE_LAYOUT_GENERAL, buffer_.handle(),
                           uint32_t(copies_.size()), copies_.data());
  barrier_to_host(commands);
}

std::vector<Level> Download::levels() const {
  std::vector<Level> levels;
  if (image_.is_on_pages()) {
    for (int level = first_level_; level < image_.plan().level_count; ++level)
      levels.push_back(image_.level_on_host(level));
    return levels;
  }
  if (buffer_.handle()) buffer_.invalidate(device_);
  for (const VkBufferImageCopy& copy : copies_) {
    const auto level = int(copy.imageSubresource.mipLevel);
    levels.push_back({level_size(image_.plan().size, level), TexelBuffer(bytes_of_level(image_.plan(), level))});
    TexelBuffer& texels = levels.back().texels;
    std::memcpy(texels.data(), buffer_.mapped() + copy.bufferOffset, texels.size());
  }
  return levels;
}

BufferDownload::BufferDownload(const Device& device, const Plan& plan) : device_(device) {
  const bool returns_statistics = !plan.results.empty() || !plan.guards.empty() || plan.clamped_at >= 0;
  if (returns_statistics && plan.statistics_bytes > 0)
    statistics_ = Buffer(device, plan.statistics_bytes, Buffer::Use::download, "statistics on the host");
  if (device.checks_bounds() && !plan.passes.empty())
    outside_ = Buffer(device, plan.passes.size() * bounds_bytes, Buffer::Use::download,
                      "counts outside of bounds on the host");
}

void BufferDownload::record(VkCommandBuffer commands, const PlanBuffers& buffers) const {
  for (const auto& [from, to] : {std::pair(&buffers.statistics, &statistics_), {&buffers.outside, &outside_}}) {
    const VkBufferCopy whole{.size = to->bytes()};
    if (to->handle()) vkCmdCopyBuffer(commands, from->handle(), to->handle(), 1, &whole);
  }
}

void BufferDownload::check_bounds(const Plan& plan) const {
  if (!outside_.handle()) return;
  outside_.invalidate(device_);
  for (size_t pass = 0; pass < plan.passes.size(); ++pass)
    for (size_t thing = 0; thing < names_in_bounds().size(); ++thing) {
      uint32_t count = 0;
      std::memcpy(&count, outside_.mapped() + pass * bounds_bytes + thing * sizeof count, sizeof count);
      if (count > 0)
        fail(Exit::bug, "{}: {} accesses outside of the {}; expected none", plan.passes[pass].name, count,
             names_in_bounds()[thing]);
    }
}

std::vector<uint32_t> BufferDownload::statistics() const {
  std::vector<uint32_t> words(statistics_.bytes() / sizeof(uint32_t));
  if (words.empty()) return words;
  statistics_.invalidate(device_);
  std::memcpy(words.data(), statistics_.mapped(), statistics_.bytes());
  return words;
}

}  // namespace gpupost
