// Buffers and images, each with its own memory.
#include "core/gpu/device.h"

#include "core/base/math.h"
#include "core/base/threads.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

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

// Memory that the host writes for the device. Device-local memory is best, but a GPU may let the host map a small heap only; if
// that is full, memory of the host.
static DeviceMemory allocate_upload(const Device& device, const VkMemoryRequirements& needs, const std::string& name) {
  const uint32_t best =
      device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                         VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, needs.size);
  const uint32_t other =
      device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  try {
    return allocate(device, needs.size, best, name);
  } catch (const OutOfDeviceMemory&) {
    if (other == best) throw;
    return allocate(device, needs.size, other, name);
  }
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
  if (use == Use::upload) {
    memory_ = allocate_upload(device, needs, name);
  } else {
    // the host reads downloads, so cached memory is best
    const uint32_t type = use == Use::device
                              ? device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0)
                              : device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                                   VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    memory_ = allocate(device, needs.size, type, name);
  }
  check(vkBindBufferMemory(device.handle(), buffer_, memory_, 0), "vkBindBufferMemory");
  if (use != Use::device) mapped_ = memory_.map(device.handle());
}

constexpr auto host_pages = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

// Number of bytes of the pages that the device can import; 0: none.
static size_t importable_bytes(const Device& device, std::span<const std::byte> pages) {
  return importable_bytes(reinterpret_cast<uintptr_t>(pages.data()), pages.size(), device.import_alignment(),
                          size_t(sysconf(_SC_PAGESIZE)));
}

// Device memory on the host's pages, for a buffer or image with these requirements. Empty if the device cannot import them.
static DeviceMemory import_pages(const Device& device, std::span<const std::byte> pages,
                                 const VkMemoryRequirements& needs) {
  const size_t bytes = importable_bytes(device, pages);
  void* address = const_cast<std::byte*>(pages.data());
  const auto get_properties =
      device.function<PFN_vkGetMemoryHostPointerPropertiesEXT>("vkGetMemoryHostPointerPropertiesEXT");
  VkMemoryHostPointerPropertiesEXT properties{.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
  if (bytes == 0 || needs.size > bytes || !get_properties ||
      get_properties(device.handle(), host_pages, address, &properties) != VK_SUCCESS)
    return {};
  const uint32_t types = needs.memoryTypeBits & properties.memoryTypeBits;
  if (types == 0) return {};
  const VkImportMemoryHostPointerInfoEXT host{.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
                                              .handleType = host_pages,
                                              .pHostPointer = address};
  const VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .pNext = &host,
                                  .allocationSize = bytes,
                                  .memoryTypeIndex = device.memory_type(types, 0, 0)};
  VkDeviceMemory memory = nullptr;
  if (vkAllocateMemory(device.handle(), &info, nullptr, &memory) != VK_SUCCESS) return {};  // the caller copies instead
  return {{.memory = {device.handle(), memory, vkFreeMemory}}, nullptr};
}

Buffer Buffer::import(const Device& device, std::span<const std::byte> pages, const std::string& name) {
  if (importable_bytes(device, pages) == 0) return {};
  const VkExternalMemoryBufferCreateInfo external{.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                  .handleTypes = host_pages};
  Buffer made;
  made.buffer_ = create_buffer(device, pages.size(), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, &external);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device.handle(), made.buffer_, &needs);
  made.memory_ = import_pages(device, pages, needs);
  if (!made.memory_) return {};
  check(vkBindBufferMemory(device.handle(), made.buffer_, made.memory_, 0), "vkBindBufferMemory");
  device.name(VK_OBJECT_TYPE_BUFFER, uint64_t(VkBuffer(made.buffer_)), name);
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

VkMemoryRequirements Image::create(const Device& device, bool is_imported) {
  const bool has_buffer = device.info().traits.has_image_buffers;
  const VkFormat formats[] = {format_of(plan_), bits_format_of(plan_)};
  const VkExternalMemoryImageCreateInfo on_pages{.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
                                                 .handleTypes = host_pages};
  const VkImageFormatListCreateInfo format_list{.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
                                                .pNext = is_imported ? &on_pages : nullptr,
                                                .viewFormatCount = std::size(formats),
                                                .pViewFormats = formats};
  const VkImageCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .pNext = &format_list,
                               .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = formats[0],
                               .extent = {uint32_t(plan_.size.width), uint32_t(plan_.size.height), 1},
                               .mipLevels = uint32_t(plan_.level_count),
                               .arrayLayers = 1,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               // only linear images and buffers on the same memory mean the same texels
                               .tiling = has_buffer ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL,
                               .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                                        VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
  VkImage image = nullptr;
  check(vkCreateImage(device.handle(), &info, nullptr, &image), "vkCreateImage");
  image_ = {device.handle(), image, vkDestroyImage};
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device.handle(), image, &needs);
  if (!has_buffer) return needs;
  const VkExternalMemoryBufferCreateInfo external{.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                  .handleTypes = host_pages};
  buffer_ = create_buffer(device, needs.size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, is_imported ? &external : nullptr);
  VkMemoryRequirements needs_of_buffer;
  vkGetBufferMemoryRequirements(device.handle(), buffer_, &needs_of_buffer);
  needs.size = std::max(needs.size, needs_of_buffer.size);
  needs.memoryTypeBits &= needs_of_buffer.memoryTypeBits;
  return needs;
}

Image::Image(const Device& device, const PlanImage& plan, const std::string& name) : plan_(plan) {
  const VkMemoryRequirements needs = create(device, false);
  memory_ = allocate(device, needs.size,
                     device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0), name);
  bind(device, name);
}

static bool can_be_on_host(const Device& device) {
  return device.info().traits.type == DeviceType::cpu && device.info().traits.has_image_buffers &&
         device.import_alignment() > 0;
}

std::optional<Image> Image::on_pages(const Device& device, const PlanImage& plan, const std::string& name) {
  if (!can_be_on_host(device)) return {};
  Image made(plan);
  const VkMemoryRequirements needs = made.create(device, true);
  made.pages_ = std::make_shared<TexelBuffer>(needs.size);
  made.memory_ = import_pages(device, made.pages_->bytes(), needs);
  if (!made.memory_) return {};
  made.bind(device, name);
  return made;
}

// Vulkan says that ready() leaves the texels undefined, and has no initial layout for imported images that keeps them. A CPU
// device has one layout for all, so that the texels stay.
std::optional<Image> Image::on_texels(const Device& device, const PlanImage& plan, const std::string& name,
                                      std::span<const std::byte> texels) {
  if (!can_be_on_host(device) || plan.level_count > 1 || importable_bytes(device, texels) == 0) return {};
  Image made(plan);
  const VkMemoryRequirements needs = made.create(device, true);
  if (!made.has_rows_without_gaps(device)) return {};
  made.memory_ = import_pages(device, texels, needs);
  if (!made.memory_) return {};
  made.bind(device, name);
  return made;
}

bool Image::has_rows_without_gaps(const Device& device) const {
  const VkImageSubresource place{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  VkSubresourceLayout layout;
  vkGetImageSubresourceLayout(device.handle(), image_, &place, &layout);
  return layout.offset == 0 && layout.rowPitch == size_t(plan_.size.width) * bytes_of_texel(plan_);
}

void Image::bind(const Device& device, const std::string& name) {
  device.name(VK_OBJECT_TYPE_IMAGE, uint64_t(VkImage(image_)), name);
  check(vkBindImageMemory(device.handle(), image_, memory_, 0), "vkBindImageMemory");
  if (device.info().traits.has_image_buffers) create_level_buffers(device, name);
  const auto view_of = [&](int level, VkFormat format, std::string_view what) {
    const VkImageViewCreateInfo view_info{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                          .image = image_,
                                          .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                          .format = format,
                                          .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, uint32_t(level), 1, 0, 1}};
    VkImageView view = nullptr;
    check(vkCreateImageView(device.handle(), &view_info, nullptr, &view), "vkCreateImageView");
    device.name(VK_OBJECT_TYPE_IMAGE_VIEW, uint64_t(view), fmt::format("{} level {}{}", name, level, what));
    return Owned<VkImageView>(device.handle(), view, vkDestroyImageView);
  };
  for (int level = 0; level < plan_.level_count; ++level) {
    views_.push_back(view_of(level, format_of(plan_), ""));
    bits_views_.push_back(view_of(level, bits_format_of(plan_), " as bits"));
  }
}

Level Image::level_on_host(int level) const {
  const LevelBuffer& buffer = level_buffers_[size_t(level)];
  const int pitch = buffer.pitch;
  const Size size = level_size(plan_.size, level);
  const size_t row_bytes = size_t(size.width) * bytes_of_texel(plan_), bytes = bytes_of_level(plan_, level);
  std::byte* from = pages_->data() + buffer.range.offset;
  if (pitch == size.width || size.height == 1) return {size, TexelBuffer(from, bytes, [pages = pages_] {})};
  Level made{size, TexelBuffer(bytes)};
  parallel_ranges(size.height, 64, [&](int begin, int end) {
    for (int y = begin; y < end; ++y)
      std::memcpy(made.texels.data() + size_t(y) * row_bytes, from + size_t(y) * size_t(pitch) * bytes_of_texel(plan_),
                  row_bytes);
  });
  return made;
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
