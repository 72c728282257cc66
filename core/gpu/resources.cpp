// Buffers and images, each with its own memory.
#include "core/gpu/device.h"

#include "core/base/math.h"

#include <unistd.h>

#include <algorithm>

namespace gpupost {

static DeviceMemory allocate(const Device& device, size_t bytes, uint32_t type, const std::string& name) {
  if (std::optional<MemoryBlock> block = device.pool().take(bytes, type))
    return DeviceMemory(std::move(*block), &device.pool());
  const VkMemoryAllocateInfo info{
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = bytes, .memoryTypeIndex = type};
  VkDeviceMemory memory = nullptr;
  VkResult result = vkAllocateMemory(device.handle(), &info, nullptr, &memory);
  if (result != VK_SUCCESS && device.pool().block_count() > 0) {
    device.pool().clear();
    result = vkAllocateMemory(device.handle(), &info, nullptr, &memory);
  }
  if (result == VK_ERROR_TOO_MANY_OBJECTS)
    throw OutOfDeviceMemory(
        fmt::format("{} allows {} memory allocations, and the {} is one more (split the chain into several runs)",
                    device.info().traits.name, device.info().max_allocations, name));
  if (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
    throw OutOfDeviceMemory(fmt::format("{} has no {} bytes of memory left for the {} ({})", device.info().traits.name,
                                        bytes, name, name_of(result)));
  check(result, "vkAllocateMemory");
  return DeviceMemory({.memory = {device.handle(), memory, vkFreeMemory}, .bytes = bytes, .type = type},
                      &device.pool());
}

static Owned<VkBuffer> create_buffer(const Device& device, size_t bytes, VkBufferUsageFlags usage, const void* next) {
  const VkBufferCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = next, .size = bytes, .usage = usage};
  VkBuffer buffer = nullptr;
  check(vkCreateBuffer(device.handle(), &info, nullptr, &buffer), "vkCreateBuffer");
  return {device.handle(), buffer, vkDestroyBuffer};
}

Buffer::Buffer(const Device& device, size_t bytes, Use use, const std::string& name) : bytes_(bytes) {
  const VkBufferUsageFlags usage =
      use == Use::upload ? VK_BUFFER_USAGE_TRANSFER_SRC_BIT
      : use == Use::download
          ? VK_BUFFER_USAGE_TRANSFER_DST_BIT
          : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  buffer_ = create_buffer(device, bytes, usage, nullptr);
  device.name(VK_OBJECT_TYPE_BUFFER, uint64_t(VkBuffer(buffer_)), name);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device.handle(), buffer_, &needs);
  // the host writes uploads sequentially, so device-local memory is best; it reads downloads, so cached memory is best
  const uint32_t type =
      use == Use::device ? device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0)
      : use == Use::upload
          ? device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                               VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
          : device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                               VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  memory_ = allocate(device, needs.size, type, name);
  check(vkBindBufferMemory(device.handle(), buffer_, memory_, 0), "vkBindBufferMemory");
  if (use != Use::device) mapped_ = memory_.map(device.handle());
}

Buffer Buffer::import(const Device& device, std::span<const std::byte> pages, Use use, const std::string& name) {
  Buffer made;
  const size_t bytes = importable_bytes(reinterpret_cast<uintptr_t>(pages.data()), pages.size(),
                                        device.import_alignment(), size_t(sysconf(_SC_PAGESIZE)));
  if (bytes == 0) return made;
  void* address = const_cast<std::byte*>(pages.data());
  constexpr auto kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  const auto get_properties =
      device.function<PFN_vkGetMemoryHostPointerPropertiesEXT>("vkGetMemoryHostPointerPropertiesEXT");
  VkMemoryHostPointerPropertiesEXT properties{.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
  if (!get_properties || get_properties(device.handle(), kind, address, &properties) != VK_SUCCESS ||
      properties.memoryTypeBits == 0)
    return made;

  const VkExternalMemoryBufferCreateInfo external{.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                  .handleTypes = kind};
  Owned<VkBuffer> buffer = create_buffer(
      device, pages.size(), use == Use::upload ? VK_BUFFER_USAGE_TRANSFER_SRC_BIT : VK_BUFFER_USAGE_TRANSFER_DST_BIT,
      &external);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device.handle(), buffer, &needs);
  const uint32_t types = needs.memoryTypeBits & properties.memoryTypeBits;
  if (types == 0 || needs.size > bytes) return made;
  const VkImportMemoryHostPointerInfoEXT host{
      .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, .handleType = kind, .pHostPointer = address};
  const VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .pNext = &host,
                                  .allocationSize = bytes,
                                  .memoryTypeIndex = device.memory_type(types, 0, 0)};
  VkDeviceMemory memory = nullptr;
  // The caller copies instead.
  if (vkAllocateMemory(device.handle(), &info, nullptr, &memory) != VK_SUCCESS) return made;
  made.memory_ = DeviceMemory({.memory = {device.handle(), memory, vkFreeMemory}}, nullptr);
  check(vkBindBufferMemory(device.handle(), buffer, memory, 0), "vkBindBufferMemory");
  device.name(VK_OBJECT_TYPE_BUFFER, uint64_t(VkBuffer(buffer)), name);
  made.buffer_ = std::move(buffer);
  made.bytes_ = pages.size();
  return made;
}

static VkMappedMemoryRange whole(VkDeviceMemory memory) {
  return {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, .memory = memory, .size = VK_WHOLE_SIZE};
}

void Buffer::flush(const Device& device) const {
  const VkMappedMemoryRange range = whole(memory_);
  check(vkFlushMappedMemoryRanges(device.handle(), 1, &range), "vkFlushMappedMemoryRanges");
}

void Buffer::invalidate(const Device& device) const {
  const VkMappedMemoryRange range = whole(memory_);
  check(vkInvalidateMappedMemoryRanges(device.handle(), 1, &range), "vkInvalidateMappedMemoryRanges");
}

size_t importable_bytes(uintptr_t address, size_t bytes, size_t alignment, size_t page_bytes) {
  const auto up_to = [bytes](size_t step) { return round_up(bytes, step); };
  if (alignment == 0 || address % alignment != 0) return 0;
  return up_to(alignment) <= up_to(page_bytes) ? up_to(alignment) : 0;
}

static VkFormat format_of(const PlanImage& image) {
  if (image.is_packed) return VK_FORMAT_B10G11R11_UFLOAT_PACK32;
  if (image.components < 4) return image.components == 1 ? VK_FORMAT_R32_SFLOAT : VK_FORMAT_R32G32_SFLOAT;
  const Depth depth = image.depth;
  return depth == Depth::u8     ? VK_FORMAT_R8G8B8A8_UNORM
         : depth == Depth::half ? VK_FORMAT_R16G16B16A16_SFLOAT
                                : VK_FORMAT_R32G32B32A32_SFLOAT;
}

// The unsigned integer format of the same size.
static VkFormat bits_format_of(const PlanImage& image) {
  const size_t bytes = bytes_of_texel(image);
  return bytes == 4 ? VK_FORMAT_R32_UINT : bytes == 8 ? VK_FORMAT_R32G32_UINT : VK_FORMAT_R32G32B32A32_UINT;
}

Image::Image(const Device& device, const PlanImage& plan, const std::string& name) : plan_(plan) {
  const bool has_buffer = device.info().traits.has_image_buffers;
  const VkFormat formats[] = {format_of(plan), bits_format_of(plan)};
  const VkImageFormatListCreateInfo format_list{.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
                                                .viewFormatCount = std::size(formats),
                                                .pViewFormats = formats};
  const VkImageCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .pNext = &format_list,
                               .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = formats[0],
                               .extent = {uint32_t(plan.size.width), uint32_t(plan.size.height), 1},
                               .mipLevels = uint32_t(plan.level_count),
                               .arrayLayers = 1,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               // only linear images and buffers on the same memory mean the same texels
                               .tiling = has_buffer ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL,
                               .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                                        VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
  VkImage image = nullptr;
  check(vkCreateImage(device.handle(), &info, nullptr, &image), "vkCreateImage");
  image_ = {device.handle(), image, vkDestroyImage};
  device.name(VK_OBJECT_TYPE_IMAGE, uint64_t(image), name);
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device.handle(), image, &needs);
  if (has_buffer) {
    buffer_ = create_buffer(device, needs.size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, nullptr);
    VkMemoryRequirements needs_of_buffer;
    vkGetBufferMemoryRequirements(device.handle(), buffer_, &needs_of_buffer);
    needs.size = std::max(needs.size, needs_of_buffer.size);
    needs.memoryTypeBits &= needs_of_buffer.memoryTypeBits;
  }
  memory_ = allocate(device, needs.size,
                     device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0), name);
  check(vkBindImageMemory(device.handle(), image, memory_, 0), "vkBindImageMemory");
  if (has_buffer) create_level_buffers(device, name);
  const auto view_of = [&](int level, VkFormat format, std::string_view what) {
    const VkImageViewCreateInfo view_info{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                          .image = image,
                                          .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                          .format = format,
                                          .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, uint32_t(level), 1, 0, 1}};
    VkImageView view = nullptr;
    check(vkCreateImageView(device.handle(), &view_info, nullptr, &view), "vkCreateImageView");
    device.name(VK_OBJECT_TYPE_IMAGE_VIEW, uint64_t(view), fmt::format("{} level {}{}", name, level, what));
    return Owned<VkImageView>(device.handle(), view, vkDestroyImageView);
  };
  for (int level = 0; level < plan.level_count; ++level) {
    views_.push_back(view_of(level, formats[0], ""));
    bits_views_.push_back(view_of(level, formats[1], " as bits"));
  }
}

void Image::create_level_buffers(const Device& device, const std::string& name) {
  check(vkBindBufferMemory(device.handle(), buffer_, memory_, 0), "vkBindBufferMemory");
  device.name(VK_OBJECT_TYPE_BUFFER, uint64_t(VkBuffer(buffer_)), name + " as a buffer");
  for (int level = 0; level < plan_.level_count; ++level) {
    const VkImageSubresource place{VK_IMAGE_ASPECT_COLOR_BIT, uint32_t(level), 0};
    VkSubresourceLayout layout;
    vkGetImageSubresourceLayout(device.handle(), image_, &place, &layout);
    const VkDeviceSize rows = VkDeviceSize(level_size(plan_.size, level).height);
    level_buffers_.push_back({.range = {buffer_, layout.offset, layout.rowPitch * rows},
                              .pitch = int32_t(layout.rowPitch / bytes_of_texel(plan_))});
  }
}

}  // namespace gpupost
