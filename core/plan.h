// Calls in, passes out. Pure: needs no device; `--explain` prints what it returns.
#pragma once

#include "core/op.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

enum class DeviceType { cpu, virtual_gpu, integrated, discrete };

// The fastest of an op's variants on a device, as `tune` measured it.
struct Tuned {
  std::string op;
  Depth depth = Depth::half;     // of the images
  bool half_arithmetic = false;  // --fp16
  Size size;                     // of the picture it was measured on
  std::string arguments;         // of the op: "--variant amd-2x2+quad+linear"
  bool operator==(const Tuned&) const = default;
};

// What a plan needs to know of a device. The defaults are what every Vulkan 1.2 device has.
struct DeviceTraits {
  std::string name = "any Vulkan device";
  DeviceType type = DeviceType::cpu;
  int max_image_side = 4096;
  int max_group_invocations = 128;
  int max_storage_images = 4;  // of one stage
  int shared_bytes = 16384;
  int subgroup_size = 1;
  bool has_quad = false;          // quad operations in compute, on 16-bit numbers too
  bool has_shuffle = false;       // likewise shuffles within a subgroup
  bool filters_f32 = false;       // a linear sampler on images of four floats; on halves every device has one
  bool has_float16 = false;       // half arithmetic
  bool has_memory_model = false;  // the Vulkan memory model: release and acquire between workgroups
  std::vector<Tuned> tuned;       // what was measured on this device with this driver; empty: nothing yet
};

// What the first three numbers of a texel are. Kernels work on sums of light: of Yxy images they get X, Y and Z.
enum class Space { rgb, yxy };

struct PlanImage {
  Size size;
  Depth depth = Depth::f32;  // u8 (0 to 1), half or f32: four numbers a texel
  int level_count = 1;
  Space space = Space::rgb;
  bool operator==(const PlanImage&) const = default;
};
size_t bytes_of_level(const PlanImage& image, int level);
size_t bytes_of(const PlanImage& image);    // of all its levels
std::string_view format_name(Depth depth);  // of images: "RGBA8", "RGBA16F", "RGBA32F"

// A choice in the text of a kernel: `#define name value`.
struct Literal {
  std::string_view name;
  int value = 0;
};

// A value of a kernel, pushed: `int name`.
struct PushValue {
  std::string_view name;
  int32_t value = 0;
};

// One dispatch. It reads one level of one image and writes levels of one image.
struct Pass {
  std::string name;         // for reports: "mips level 3"
  std::string_view kernel;  // a file of kernels/
  std::vector<Literal> literals;
  std::vector<PushValue> values;
  std::array<int, 2> group{256, 1};      // local size
  std::array<int, 2> group_count{1, 1};  // what vkCmdDispatch takes
  bool half_arithmetic = false;
  int subgroup_size = 0;         // at least that many threads exchange numbers directly; 0: none, 4: quads
  bool samples_between = false;  // the source through a linear sampler, at the corners between its texels
  int source_image = 0, source_level = 0;
  int target_image = 0, target_level = 0, target_count = 1;  // levels target_level, target_level + 1, ...
  bool rounds_to_half = false;  // before it stores; PlanBuilder::finish() says so where the device would cut off
  Space source_space = Space::rgb, target_space = Space::rgb;  // of those images; PlanBuilder::finish() fills them in
  bool moves = false;                                          // takes texels as they stand, whatever they are
  int bound_targets = 1;                     // length of the array of targets in the text, >= target_count
  bool has_statistics = false;               // it reads or writes what the plan's passes hand on in numbers
  std::vector<float> table;                  // numbers that it reads: `float table[]`
  size_t scratch_bytes = 0;                  // memory that its workgroups share; 0: it has none
  size_t zeroed_bytes = 0;                   // of it, from the front: zero before the pass and again after it
  size_t bytes_read = 0, bytes_written = 0;  // of images, each texel once
};

struct Plan {
  std::vector<PlanImage> images;  // image 0 holds the input at its level 0
  std::vector<Pass> passes;
  int result_image = 0;
  size_t statistics_bytes = 0;       // handed on from pass to pass, zero before the first; 0: there are none
  bool base_is_input = true;         // level 0 of the result is the input, bit for bit
  std::vector<std::string> choices;  // what was chosen and why, a line each: "mips: per-level, since ..."
};

struct PlanInput {
  Size size;
  Depth storage = Depth::half;   // of the images on the device
  bool half_arithmetic = false;  // `--fp16`, in the kernels whose row says it is safe
  Space space = Space::rgb;      // of the input and of the result
};

// Are sums clamped to the largest half before they are stored? X and Z may be larger where their Y is not.
constexpr bool holds_half(const PlanInput& input) { return input.storage == Depth::half && input.space == Space::rgb; }

// Throws Error(Exit::usage) where an option cannot be done on such a device and Error(Exit::limit) where the picture is
// too large for it.
Plan plan(std::span<const Call> calls, const PlanInput& input, const DeviceTraits& traits);

// What an op's plan function builds with.
class PlanBuilder {
 public:
  PlanBuilder(const PlanInput& input, const DeviceTraits& traits);

  const PlanInput& input() const { return input_; }
  const DeviceTraits& traits() const { return traits_; }
  int current_image() const { return plan_.result_image; }  // the image that the next op works on, at its level 0
  PlanImage& image(int index) { return plan_.images[size_t(index)]; }
  // Adds an image and returns its index. Throws Error(Exit::limit) where it is too large for the device.
  int add_image(const PlanImage& image);
  // Says that an image other than the current one holds the op's result, in the same space.
  void set_current_image(int index);
  // Appends a pass, its sizes in bytes filled in from its images where it names none itself.
  void add(Pass pass);
  void keep_statistics(size_t bytes) { plan_.statistics_bytes = bytes; }
  void note(std::string choice) { plan_.choices.push_back(std::move(choice)); }
  Plan finish();

 private:
  PlanInput input_;
  DeviceTraits traits_;
  Plan plan_;
};

// The plan as `--explain` prints it.
std::string explain(const Plan& plan, std::span<const Call> calls, const DeviceTraits& traits);

}  // namespace gpupost
