// An open device with its queue, and the memory, buffers and images made on it.
#pragma once

#include "core/gpu/gpu.h"
#include "core/gpu/vulkan.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpupost {

class Device {
 public:
  static constexpr double usual_seconds = 600;  // none of gpupost's own submissions comes near it
  static constexpr double users_seconds = 5;    // of those with user GLSL, and of its compilation by the driver

  explicit Device(const DeviceInfo& info);

  const DeviceInfo& info() const { return info_; }
  VkDevice handle() const { return device_; }
  VkQueue queue() const { return queue_; }
  uint32_t queue_family() const { return queue_family_; }
  uint32_t timestamp_bits() const { return timestamp_bits_; }  // that count, of the queue's time stamps
  double nanoseconds_per_tick() const { return nanoseconds_per_tick_; }
  // How long one submission may take that is expected to end within `seconds`; what the user allows comes first.
  TimeLimit time_limit(double seconds = usual_seconds) const {
    return {.seconds = allowed_seconds_.value_or(seconds), .is_of_cpu = info_.traits.type == DeviceType::cpu};
  }
  void allow_seconds(double seconds) { allowed_seconds_ = seconds; }
  // Can pipelines require that every subgroup is full? Passes that exchange within subgroups rely on it.
  bool has_full_subgroups() const { return full_subgroups_; }
  bool has_push_descriptors() const { return push_descriptors_; }
  bool checks_bounds() const { return checks_bounds_; }  // do passes count what they do outside of images and buffers?
  size_t import_alignment() const { return import_alignment_; }  // of host memory taken as it is; 0: cannot be
  const VkPhysicalDeviceMemoryProperties& memory() const { return memory_; }
  // A memory type among `allowed` bits that has all of `needed` and, if there is one, all of `liked`. Throws
  // Error(Exit::device).
  uint32_t memory_type(uint32_t allowed, VkMemoryPropertyFlags needed, VkMemoryPropertyFlags liked) const;
  // Names an object for debuggers and validation messages; nothing where they are not there.
  void name(VkObjectType type, uint64_t object, const std::string& text) const;
  template <class Function>
  Function function(const char* function_name) const {
    return reinterpret_cast<Function>(vkGetDeviceProcAddr(device_, function_name));
  }

 private:
  void open();

  DeviceInfo info_;
  VkPhysicalDevice physical_ = nullptr;
  VkPhysicalDeviceMemoryProperties memory_{};
  std::optional<double> allowed_seconds_;
  double nanoseconds_per_tick_ = 0;
  uint32_t timestamp_bits_ = 0;
  bool full_subgroups_ = false;
  bool push_descriptors_ = false;
  bool checks_bounds_ = false;
  size_t import_alignment_ = 0;
  uint32_t queue_family_ = 0;
  PFN_vkSetDebugUtilsObjectNameEXT set_name_ = nullptr;
  struct DeviceHandle {
    VkDevice handle = nullptr;
    ~DeviceHandle() {
      if (handle && !driver_is_stuck()) vkDestroyDevice(handle, nullptr);
    }
  } owned_device_;
  VkDevice device_ = nullptr;
  VkQueue queue_ = nullptr;
};

// A buffer with memory of its own.
class Buffer {
 public:
  enum class Use { upload, download, device };

  Buffer() = default;
  Buffer(const Device& device, size_t bytes, Use use, const std::string& name);
  // The host's own pages as a buffer, where the device can take them: no copy. An empty one where it cannot.
  static Buffer import(const Device& device, std::span<const std::byte> pages, const std::string& name);

  VkBuffer handle() const { return buffer_; }
  size_t bytes() const { return bytes_; }
  std::byte* mapped() const { return mapped_; }  // of upload and download
  void flush(const Device& device) const;        // after writing through mapped()
  void invalidate(const Device& device) const;   // before reading through mapped()

 private:
  Owned<VkDeviceMemory> memory_;
  Owned<VkBuffer> buffer_;
  size_t bytes_ = 0;
  std::byte* mapped_ = nullptr;
};

// How many bytes of mapped pages from `address` on a device can import: `bytes` rounded up to its alignment, or 0 where that
// would go beyond the last page.
size_t importable_bytes(uintptr_t address, size_t bytes, size_t alignment, size_t page_bytes);

// A picture on the device, RGBA of 8 bits, half or float, with its mip levels and a view of each.
class Image {
 public:
  Image(const Device& device, const PlanImage& plan, const std::string& name);

  VkImage handle() const { return image_; }
  const PlanImage& plan() const { return plan_; }
  VkImageView view(int level) const { return views_[size_t(level)]; }
  // The same memory as numbers without sign, for passes that make the bits of what they store.
  VkImageView bits_view(int level) const { return bits_views_[size_t(level)]; }

 private:
  PlanImage plan_;
  Owned<VkDeviceMemory> memory_;
  Owned<VkImage> image_;
  std::vector<Owned<VkImageView>> views_, bits_views_;
};

}  // namespace gpupost
