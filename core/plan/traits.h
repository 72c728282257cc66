// Properties of a device that plans depend on.
#pragma once

#include "core/image/picture.h"

#include <string>
#include <vector>

namespace gpupost {

enum class DeviceType { cpu, virtual_gpu, integrated, discrete };

// The fastest variant of an op on a device, measured by `gpupost tune`.
struct Tuned {
  std::string op;
  Depth depth = Depth::half;     // depth of the images
  bool half_arithmetic = false;  // measured with --fp16
  Size size;                     // size of the measured image
  std::string arguments;         // of the op: "--variant amd-2x2+quad+linear"
  bool operator==(const Tuned&) const = default;
};

// Memory limits of a device in bytes.
struct MemoryTraits {
  size_t allocation_bytes = size_t(1) << 30;  // limit for one image, or one buffer that the host fills
  size_t storage_bytes = size_t(128) << 20;   // limit for one storage buffer
  size_t total_bytes = 0;                     // limit for all images and buffers; 0: unknown, so allocation is tried
  // On a CPU device, larger images between two passes hold only some rows at a time: new pages cost more than the passes.
  size_t strip_bytes = size_t(16) << 20;
};

// Subgroup operations in compute shaders, also for 16-bit values.
struct SubgroupTraits {
  int size = 1;
  bool has_quad = false;        // exchange within quads
  bool has_shuffle = false;     // exchange within the subgroup
  bool has_reductions = false;  // sums, minima, maxima and votes
};

// 16-bit floats.
struct HalfTraits {
  bool has_arithmetic = false;     // in shaders
  bool packs_toward_zero = false;  // packHalf2x16() rounds toward zero
};

// Properties of a device that the planner uses. Every Vulkan 1.2 device has at least the defaults.
struct DeviceTraits {
  std::string name = "any Vulkan device";
  DeviceType type = DeviceType::cpu;
  int max_image_side = 4096;
  bool is_side_asked_for = false;  // set by --tile-side, not by the device
  MemoryTraits memory;
  int max_group_invocations = 128;
  int max_storage_images = 4;  // limit per shader stage
  int shared_bytes = 16384;
  SubgroupTraits subgroup;
  HalfTraits half;
  bool filters_f32 = false;        // a linear sampler can read RGBA32F images; every device can read RGBA16F
  bool has_packed_floats = false;  // B10G11R11 storage images
  bool has_memory_model = false;   // Vulkan memory model, for release and acquire between workgroups
  bool has_image_buffers = false;  // images are linear, and each is also a storage buffer, to which a CPU stores faster
  std::vector<Tuned> tuned;        // results of `gpupost tune` for this device and driver
};

}  // namespace gpupost
