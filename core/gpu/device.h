// An open device with its queue. Memory, buffers and images belong to it.
#pragma once

#include "core/gpu/gpu.h"
#include "core/gpu/memory.h"
#include "core/gpu/vulkan.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpupost {

class Device {
 public:
  static constexpr double usual_seconds = 600;  // far above the time of any submission of gpupost's own shaders
  static constexpr double users_seconds = 5;    // for submissions with user GLSL, and for its compilation by the driver

  explicit Device(const DeviceInfo& info);

  const DeviceInfo& info() const { return info_; }
  VkDevice handle() const { return device_; }
  VkQueue queue() const { return queue_; }
  uint32_t queue_family() const { return queue_family_; }
  uint32_t timestamp_bits() const { return timestamp_bits_; }  // valid bits of the queue's timestamps
  double nanoseconds_per_tick() const { return nanoseconds_per_tick_; }
  // Time limit for a submission that should end within `seconds`. The limit of --device-seconds has priority.
  TimeLimit time_limit(double seconds = usual_seconds) const {
    return {.seconds = allowed_seconds_.value_or(seconds), .is_of_cpu = info_.traits.type == DeviceType::cpu};
  }
  void allow_seconds(double seconds) { allowed_seconds_ = seconds; }
  // Whether pipelines can require full subgroups. Passes that exchange values within subgroups rely on it.
  bool has_full_subgroups() const { return full_subgroups_; }
  bool has_push_descriptors() const { return push_descriptors_; }
  bool checks_bounds() const { return checks_bounds_; }  // whether passes count accesses outside of images and buffers
  // Alignment of imported host memory; 0: import is not supported.
  size_t import_alignment() const { return import_alignment_; }
  const VkPhysicalDeviceMemoryProperties& memory() const { return memory_; }
  MemoryPool& pool() const { return pool_; }
  // Finds a memory type among the `allowed` bits that has all of `needed` and, if possible, all of `liked` in a heap of four times
  // these bytes. Throws Error(Exit::device).
  uint32_t memory_type(uint32_t allowed, VkMemoryPropertyFlags needed, VkMemoryPropertyFlags liked,
                       VkDeviceSize bytes = 0) const;
  // Names an object for debuggers and validation messages. Does nothing without them.
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
  mutable MemoryPool pool_;  // destroyed before the device
};

// A buffer with its own memory.
class Buffer {
 public:
  enum class Use { upload, download, device };

  Buffer() = default;
  Buffer(const Device& device, size_t bytes, Use use, const std::string& name);
  // Imports host pages as a buffer to upload, without a copy. Returns an empty buffer if the device cannot.
  static Buffer import(const Device& device, std::span<const std::byte> pages, const std::string& name);

  VkBuffer handle() const { return buffer_; }
  size_t bytes() const { return bytes_; }
  std::byte* mapped() const { return mapped_; }  // for upload and download buffers
  void flush(const Device& device) const;        // call after writing through mapped()
  void invalidate(const Device& device) const;   // call before reading through mapped()

 private:
  DeviceMemory memory_;
  Owned<VkBuffer> buffer_;
  size_t bytes_ = 0;
  std::byte* mapped_ = nullptr;
};

// Number of bytes that a device can import at `address`: `bytes` rounded up to its alignment, or 0 if that exceeds the
// last mapped page.
size_t importable_bytes(uintptr_t address, size_t bytes, size_t alignment, size_t page_bytes);

// A level of an image as a storage buffer.
struct LevelBuffer {
  VkDescriptorBufferInfo range{};
  int32_t pitch = 0;  // texels from a row to the next
};

// An RGBA image on the device, 8-bit, half or float, with mip levels and a view of each.
class Image {
 public:
  Image(const Device& device, const PlanImage& plan, const std::string& name);
  // An image in new pages of the host, which level_on_host() reads without a copy. Empty if the device is not a CPU with image
  // buffers that can import pages.
  static std::optional<Image> on_pages(const Device& device, const PlanImage& plan, const std::string& name);
  // An image of one level whose memory is `texels` itself, for passes that only read it. Empty as above, or if the device wants
  // the rows at other places.
  static std::optional<Image> on_texels(const Device& device, const PlanImage& plan, const std::string& name,
                                        std::span<const std::byte> texels);

  VkImage handle() const { return image_; }
  const PlanImage& plan() const { return plan_; }
  VkImageView view(int level) const { return views_[size_t(level)]; }
  // Views of the same memory as unsigned integers, for passes that convert to half themselves.
  VkImageView bits_view(int level) const { return bits_views_[size_t(level)]; }
  // The same memory as a buffer, on devices with image buffers.
  const LevelBuffer& level_buffer(int level) const { return level_buffers_[size_t(level)]; }
  bool is_on_pages() const { return pages_ != nullptr; }
  // A level of an image on pages, after the work is done: the pages themselves, which may outlive the image, or a copy if rows
  // do not follow each other without a gap.
  Level level_on_host(int level) const;

 private:
  explicit Image(const PlanImage& plan) : plan_(plan) {}
  // Creates the objects without memory.
  VkMemoryRequirements create(const Device& device, bool is_imported);
  bool has_rows_without_gaps(const Device& device) const;
  // Binds memory_ and creates the views.
  void bind(const Device& device, const std::string& name);
  void create_level_buffers(const Device& device, const std::string& name);

  PlanImage plan_;
  std::shared_ptr<TexelBuffer> pages_;  // null: not on pages
  DeviceMemory memory_;
  Owned<VkImage> image_;
  Owned<VkBuffer> buffer_;  // on the image's memory; none on devices without image buffers
  std::vector<Owned<VkImageView>> views_, bits_views_;
  std::vector<LevelBuffer> level_buffers_;
};

}  // namespace gpupost
