// Calls in, passes out. Pure: needs no device; `--explain` prints what it returns.
#pragma once

#include "core/base/error.h"
#include "core/op/op.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
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

// The most bytes that a device gives.
struct MemoryTraits {
  size_t allocation_bytes = size_t(1) << 30;  // for one image, or for one buffer that the host fills
  size_t storage_bytes = size_t(128) << 20;   // for one buffer that passes work on
  size_t total_bytes = 0;                     // for all images and buffers; 0: unknown, so try
};

// What the threads of a subgroup can do together in compute, with 16-bit numbers too.
struct SubgroupTraits {
  int size = 1;
  bool has_quad = false;        // exchange within quads
  bool has_shuffle = false;     // exchange within the subgroup
  bool has_reductions = false;  // sums, minima, maxima and votes
};

// What a plan needs to know of a device. The defaults are what every Vulkan 1.2 device has.
struct DeviceTraits {
  std::string name = "any Vulkan device";
  DeviceType type = DeviceType::cpu;
  int max_image_side = 4096;
  bool is_side_asked_for = false;  // by --tile-side; the device would take more
  MemoryTraits memory;
  int max_group_invocations = 128;
  int max_storage_images = 4;  // of one stage
  int shared_bytes = 16384;
  SubgroupTraits subgroup;
  bool filters_f32 = false;        // a linear sampler on images of four floats; on halves every device has one
  bool has_float16 = false;        // half arithmetic
  bool has_packed_floats = false;  // images of 11, 11 and 10 bits can be written
  bool has_memory_model = false;   // the Vulkan memory model: release and acquire between workgroups
  std::vector<Tuned> tuned;        // what was measured on this device with this driver; empty: nothing yet
};

// What the first three numbers of a texel are. Kernels work on sums of light: of Yxy images they get X, Y and Z.
enum class Space { rgb, yxy, xyz };

struct PlanImage {
  Size size;
  Depth depth = Depth::f32;  // u8 (0 to 1), half or f32: four numbers a texel
  int level_count = 1;
  int components = 4;  // 1 or 2: so many floats a texel, numbers that are no colors
  Space space = Space::rgb;
  bool is_packed = false;  // three floats in four bytes, 11, 11 and 10 bits, in the place of four numbers of `depth`
  bool operator==(const PlanImage&) const = default;
};
bool is_of_halves(const PlanImage& image);
size_t bytes_of_texel(const PlanImage& image);
size_t bytes_of_level(const PlanImage& image, int level);
size_t bytes_of(const PlanImage& image);               // of all its levels
std::string_view format_name(Depth depth);             // of images: "RGBA8", "RGBA16F", "RGBA32F"
std::string_view format_name(const PlanImage& image);  // likewise, or "R11G11B10F"

// A choice in the text of a kernel: `#define name value`.
struct Define {
  std::string_view name;
  int value = 0;
};

// The point op of a call, as a pass does it.
FusedPoint fused_point_of(const Call& call);

// A value of a kernel, pushed: `int name`.
struct PushConstant {
  std::string_view name;
  int32_t value = 0;
};

constexpr size_t most_pushed = 32;  // numbers that Vulkan promises to take
// Floats that a pass reads as `table`, the least that Vulkan lets a buffer have, and behind them as `far_table`.
constexpr size_t table_window = size_t(1) << 25;
constexpr size_t most_more_sources = 3;  // images that a pass reads beside its source and its second

struct Grid {
  std::array<int, 2> group{256, 1};  // local size
  std::array<int, 2> count{1, 1};    // workgroups: what vkCmdDispatch takes
};

// One level of an image of the plan; image -1: none.
struct LevelRef {
  int image = 0, level = 0;
};

// Levels `level`, `level` + 1, ... of an image of the plan.
struct TargetLevels {
  int image = 0, level = 0, count = 1;
  int bound_count = 1;  // length of the array of targets in the text, >= count
};

// What a pass needs of the device.
struct Arithmetic {
  bool is_half = false;
  int subgroup_size = 0;              // at least that many threads exchange numbers directly; 0: none, 4: quads
  bool reduces_in_subgroups = false;  // they add, take the least or the largest, and vote
};

// How a pass reads its texels and what it makes of them.
struct Access {
  bool samples_at_corners = false;  // the source through a linear sampler, at the corners between its texels
  bool copies_raw = false;          // takes texels as they stand, whatever they are
  // No number that it stores is larger than the largest that it reads. Without point ops such a pass needs no clamp if it reads
  // RGB that has come from halves.
  bool is_bounded = false;
  // Its sums begin anew at multiples of so many texels along x and y: a tile that begins at such a place has the same sums, bit
  // for bit.
  std::array<int, 2> tile_alignment{1, 1};
  double reads_per_texel = 1;  // texels that it reads for one that it makes, about
};

// What a pass works with beside its images, in bytes.
struct PassMemory {
  bool has_statistics = false;               // it reads or writes the plan's statistics
  size_t scratch_bytes = 0;                  // that its workgroups share; 0: it has none
  size_t zeroed_bytes = 0;                   // of it, from the front: zero before the pass and again after it
  size_t bytes_read = 0, bytes_written = 0;  // of images, each texel once; 0: the planner counts them
};

// Point ops applied after each load, and before each store.
struct PassPoints {
  std::vector<FusedPoint> on_load, on_store;
};

// One dispatch, as an op describes it. It reads levels of images and writes levels of others.
struct PassSpec {
  std::string name;         // for reports: "mips level 3"
  std::string_view kernel;  // a file of kernels/
  std::vector<Define> defines;
  std::vector<PushConstant> values;
  std::vector<float> table;  // numbers that it reads: `float table[]`
  Grid grid;
  Arithmetic arithmetic;
  LevelRef source;                // what load() reads
  LevelRef second{.image = -1};   // what load_second() reads
  std::vector<int> more_sources;  // images whose level 0 load_more0(), load_more1() and so on read
  TargetLevels target;
  std::vector<int> more_targets;  // images to whose level 0 store_more0(), store_more1() and so on write
  Access access;
  PassMemory memory;
  PassPoints points;
};

// The same with what the planner adds; PlanBuilder::finish() fills it in.
struct Pass : PassSpec {
  Pass() = default;
  Pass(PassSpec spec) : PassSpec(std::move(spec)) {}

  Space source_space = Space::rgb, second_space = Space::rgb, target_space = Space::rgb;  // of its images
  // Of the target and of more_targets: does it hold halves? If one does, the kernel makes the bits of what it stores, since
  // devices cut halves off towards zero; empty: images of numbers take numbers.
  std::vector<bool> half_targets;
  bool is_r11g11b10 = false;  // its target is one of 11:11:10 bits
  bool clamps = false;        // clamps halves or 11:11:10 bits as it stores them, and counts them
};

// The value that says where the tables of point ops begin.
constexpr std::string_view point_tables_at = "point_tables_at";

// The least trusted author of its text.
Author author_of(const Pass& pass);
// The numbers that the point ops of a pass read from tables, each once, in the order in which they stand behind its own table.
std::vector<std::span<const float>> point_tables(const Pass& pass);
// Floats of the pass's own table, filled up to a multiple of four, and of those of its point ops.
size_t table_size(const Pass& pass);

// A part of the statistics that the host gets, `offset` in units of 4 bytes.
struct StatisticsPart {
  int offset = 0;
  size_t bytes = 0;

  std::span<const uint32_t> of(std::span<const uint32_t> statistics) const {
    return statistics.subspan(size_t(offset), bytes / sizeof(uint32_t));
  }
};

// An image that the host fills beside the picture, with one number a texel or with four of the image's depth. A null pointer:
// they are not known yet, so that the plan can be shown but not run.
struct PlanSource {
  int image = 0;
  std::variant<std::shared_ptr<const Plane>, std::shared_ptr<const Level>> texels;
  Position corner;  // of the texels, where the image begins
};

// A count that the passes keep; where it is not 0 the result is none.
struct Guard {
  int offset = 0;  // in the statistics, in units of 4 bytes
  Exit code = Exit::usage;
  std::string message;  // with {} for the count
};

struct Plan {
  std::vector<PlanImage> images;  // image 0 holds the input at its level 0
  std::vector<Pass> passes;
  std::vector<PlanSource> sources;  // what goes in beside the picture
  int result_image = 0;
  size_t statistics_bytes = 0;          // handed on from pass to pass; 0: there are none
  bool zeroes_statistics = false;       // before the first pass
  std::vector<StatisticsPart> results;  // of them, for the host
  std::vector<Guard> guards;            // likewise
  int clamped_at = -1;                  // offset in the statistics of the count of clamped numbers; -1: no pass clamps
  bool keeps_level_0 = true;            // level 0 of the result is the input, bit for bit
  std::vector<std::string> choices;     // what was chosen and why, a line each: "mips: per-level, since ..."
};

struct PlanInput {
  Size size;
  Depth storage = Depth::half;        // of the images on the device
  bool half_arithmetic = false;       // `--fp16`, in the kernels whose row says it is safe
  Space ends = Space::rgb;            // of the input and of the result
  Space between = Space::rgb;         // of the images that a chain makes on its way, rgb or yxy
  bool is_r11g11b10_between = false;  // those images as 11:11:10 bits
  bool fuses = true;                  // point ops are done as other passes load and store, or several in one pass
  bool keeps_input = false;           // no pass writes over the picture: so that the plan can be run on it again
  Size whole;                         // of the picture that the input is a part of; 0 x 0: it is all of it
  Position corner;                    // where the part begins
  Region made;                        // what an op that changes the size makes of it; 0 x 0: all
};

// Are all images of R, G and B, and kernels work on those?
constexpr bool stays_rgb(const PlanInput& input) { return input.ends == Space::rgb && input.between == Space::rgb; }

// Throws Error(Exit::usage) where an option cannot be done on such a device and Error(Exit::limit) where the picture is
// too large for it.
Plan plan(std::span<const Call> calls, const PlanInput& input, const DeviceTraits& traits);
// The same of a picture that may be too large.
Plan plan_of_any_size(std::span<const Call> calls, const PlanInput& input, const DeviceTraits& traits);
// What of it the device cannot hold, and how much it can; "" where there is nothing.
std::string over_limit(const Plan& plan, const DeviceTraits& traits);
// Bytes of all that the plan needs on the device, and on the way to it and back.
size_t bytes_of(const Plan& plan);

// Throws Error where a guard's count is not 0.
void check_guard(const Guard& guard, uint64_t count);
// The same of all guards of a plan, by the statistics that came back.
void check_guards(const Plan& plan, std::span<const uint32_t> statistics);
// How many numbers the passes clamped as they stored them, by the statistics that came back.
uint64_t clamped_count(const Plan& plan, std::span<const uint32_t> statistics);

// What an op's plan function builds with.
class PlanBuilder {
 public:
  PlanBuilder(const PlanInput& input, const DeviceTraits& traits);

  const PlanInput& input() const { return input_; }
  const DeviceTraits& traits() const { return traits_; }
  // Of the picture that the current image is all or a part of.
  Size whole_size() { return input_.whole == Size{} ? image(current_image()).size : input_.whole; }
  // Of a result of this size what is to be made.
  Region made_of(Size size) const { return input_.made == Region{} ? whole_region(size) : input_.made; }
  int current_image() const { return plan_.result_image; }  // the image that the next op works on, at its level 0
  PlanImage& image(int index) { return plan_.images[size_t(index)]; }
  // The depth of an image that holds light between the passes of an op. A half has room for the Y of bright light, but not
  // always for its X and Z: in XYZ such images are floats.
  Depth depth_of_light() const {
    return input_.storage == Depth::half && !stays_rgb(input_) ? Depth::f32 : input_.storage;
  }
  // Adds an image and returns its index.
  int add_image(const PlanImage& image);
  // Adds an image of one number a texel that the host fills, of the current image's size, and returns its index. Of a part
  // of a picture it gets the part of the numbers.
  int add_source(std::shared_ptr<const Plane> numbers);
  // Adds an image of a picture that a call takes beside the current image, and returns its index. If both have the same size, a
  // part of the current image gets the same part of the other; else the image is the whole picture.
  int add_input(const InputPicture& input);
  // Says that an image other than the current one holds the op's result, in the same space.
  void set_current_image(int index);
  // Says how the images that ops make from here on are kept.
  void set_result_depth(Depth depth) { input_.storage = depth; }
  // Appends a pass.
  void add(PassSpec spec);
  // Appends a pass that writes a new image, which is the op's result from here on. Returns the image.
  int add_result(PassSpec spec, const PlanImage& image);
  // Appends a point op: to what the pass before it stores where that made the current image and nothing else has read it
  // since, else to those that wait for the next pass.
  void fuse_point(FusedPoint fold);
  // Brings the current image to where the point ops that wait are done: before an op that reads texels more than once.
  void flush();
  // A part of the statistics, in units of 4 bytes from their front; zeroed, unless a pass writes all that others read of it.
  int reserve_statistics(size_t bytes, bool is_zeroed = true);
  // Says that the host gets such a part.
  void return_statistics(int offset, size_t bytes) { plan_.results.push_back({offset, bytes}); }
  // A count that has to stay 0, and what is said where it does not, with {} for the count. Returns where it is counted.
  int guard(Exit code, std::string message);
  // Says what was chosen and why; once where the same is chosen again right behind.
  void note(std::string choice) {
    if (plan_.choices.empty() || plan_.choices.back() != choice) plan_.choices.push_back(std::move(choice));
  }
  Plan finish();

 private:
  void prepare_result(int index);
  void add_points_pass(std::vector<FusedPoint> folds, Depth depth);
  void count_clamped(Pass& pass);

  PlanInput input_;
  DeviceTraits traits_;
  Plan plan_;
  std::vector<FusedPoint> waiting_;  // point ops on the current image that no pass does yet
};

// The plan as `--explain` prints it.
std::string explain(const Plan& plan, std::span<const Call> calls);

}  // namespace gpupost
