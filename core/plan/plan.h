// The planner: turns calls into passes. It needs no device; `--explain` prints its plans.
#pragma once

#include "core/base/error.h"
#include "core/op/op.h"

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
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
  bool filters_f32 = false;        // a linear sampler can read RGBA32F images; every device can read RGBA16F
  bool has_float16 = false;        // half arithmetic in shaders
  bool has_packed_floats = false;  // B10G11R11 storage images
  bool has_memory_model = false;   // Vulkan memory model, for release and acquire between workgroups
  bool has_image_buffers = false;  // images are linear, and each is also a storage buffer, to which a CPU stores faster
  std::vector<Tuned> tuned;        // results of `gpupost tune` for this device and driver
};

// Color space of the first three values of a texel. Kernels add up light, so for Yxy images they get X, Y and Z.
enum class Space { rgb, yxy, xyz };

struct PlanImage {
  Size size;
  Depth depth = Depth::f32;  // u8 (0 to 1), half or f32
  int level_count = 1;
  int components = 4;  // 4, or 1 or 2 floats that are not a color
  Space space = Space::rgb;
  bool is_packed = false;  // stored as B10G11R11: three floats in four bytes
  bool operator==(const PlanImage&) const = default;
};
bool is_of_halves(const PlanImage& image);
size_t bytes_of_texel(const PlanImage& image);
size_t bytes_of_level(const PlanImage& image, int level);
size_t bytes_of(const PlanImage& image);               // all levels, in bytes
std::string_view format_name(Depth depth);             // of images: "RGBA8", "RGBA16F", "RGBA32F"
std::string_view format_name(const PlanImage& image);  // counts that must be 0

// A constant of a kernel: `#define BORDER 1`. With `names` of its values, the kernel also gets `#define BORDER_CLAMP 0`,
// `#define BORDER_REPEAT 1` and so on.
struct Define {
  std::string_view name;
  int value = 0;
  std::span<const std::string_view> names = {};
};

// The point op of a call, for a pass.
FusedPoint fused_point_of(const Call& call);

// A push constant of a kernel: `int name` or `float name`.
struct PushConstant {
  std::string_view name;
  std::variant<int32_t, float> value = 0;

  std::string_view type() const { return std::holds_alternative<float>(value) ? "float" : "int"; }
  int32_t word() const {
    return std::visit([](auto number) { return std::bit_cast<int32_t>(number); }, value);
  }
};

constexpr size_t most_pushed = 32;  // number of push constants that Vulkan guarantees
// Number of floats in `table`: the smallest buffer limit that Vulkan guarantees. Further floats are in `far_table`.
constexpr size_t table_window = size_t(1) << 25;
constexpr size_t table_alignment = 4;    // floats; each part of a table begins at a multiple, so that vec4 can read it
constexpr size_t most_more_sources = 3;  // limit for images besides the source and the second source

struct Grid {
  std::array<int, 2> group{256, 1};  // workgroup size
  std::array<int, 2> count{1, 1};    // number of workgroups, for vkCmdDispatch
};

// A level of an image of the plan. Image -1 means none.
struct LevelRef {
  int image = 0, level = 0;
};

// Levels `level`, `level` + 1, ... of an image of the plan.
struct TargetLevels {
  int image = 0, level = 0, count = 1;
  int bound_count = 1;  // length of the array of targets in the shader, >= count
};

// Device features that a pass requires.
struct Arithmetic {
  bool is_half = false;
  int subgroup_size = 0;              // smallest subgroup size that allows the exchange; 0: no exchange, 4: quads
  bool reduces_in_subgroups = false;  // uses subgroup sums, minima, maxima and votes
};

// How a pass can run in strips of rows.
struct Strips {
  int grid_axis = -1;  // axis of the grid along which rows follow each other; -1: the pass needs all rows at once
  int rows = 1;        // rows of the target that a workgroup makes
  int margin = 0;      // rows of the source that it reads above and below them
  double scale = 1;    // rows of the source for each row of the target
};

// How a pass reads and writes texels.
struct Access {
  bool samples_at_corners = false;  // reads the source with a linear sampler, at the corners between texels
  bool copies_raw = false;          // copies texels bit for bit
  bool reads_words = false;         // reads the source by source_word(), as words on every device
  // No stored value is larger than the largest value read. Without point ops, such a pass needs no clamp if it reads
  // RGB from half images.
  bool is_bounded = false;
  // Sums restart at multiples of this many texels along x and y. A tile that begins at such a position has the same
  // sums, bit for bit.
  std::array<int, 2> tile_alignment{1, 1};
  double reads_per_texel = 1;    // approximate number of texels read per texel written
  bool can_be_in_place = false;  // the target may be the source, because each texel is made of the same texel
  Strips strips;
};

// Buffers and traffic of a pass, in bytes.
struct PassMemory {
  bool has_statistics = false;  // reads or writes the statistics of the plan
  size_t scratch_bytes = 0;     // scratch buffer that workgroups share; 0: none
  // First bytes of the scratch buffer that must be 0 before the pass, and that the pass resets to 0.
  size_t zeroed_bytes = 0;
  size_t bytes_read = 0, bytes_written = 0;  // traffic of images, each texel counted once; 0: the planner counts
};

// Point ops applied after each load, and before each store.
struct PassPoints {
  std::vector<FusedPoint> on_load, on_store;
};

// One dispatch, as described by an op. It reads levels of images and writes levels of other images.
struct PassSpec {
  std::string name;         // for reports: "mips level 3"
  std::string_view kernel;  // file of kernels/
  std::vector<Define> defines;
  std::vector<PushConstant> values;
  std::vector<float> table;  // values of `float table[]`
  Grid grid;
  Arithmetic arithmetic;
  LevelRef source;                // read by load()
  LevelRef second{.image = -1};   // read by load_second()
  std::vector<int> more_sources;  // images whose level 0 is read by load_more0(), load_more1() and so on
  TargetLevels target;
  std::vector<int> more_targets;  // images whose level 0 is written by store_more0(), store_more1() and so on
  Access access;
  PassMemory memory;
  PassPoints points;
};

// The type of a texel that a shader reads or writes as 16-bit or 32-bit numbers. `none`: it reads with a sampler and writes
// with imageStore().
enum class Words { none, bytes4, halves4, floats4, floats2, floats1 };
// Returns whether a shader reads such words as integers.
constexpr bool are_bits(Words words) { return words == Words::bytes4 || words == Words::halves4; }

// How a pass accesses its images as words.
struct PassWords {
  Words source = Words::none, second = Words::none;  // images of load() and load_second()
  bool samples_source = false;  // reads the words of the source with a sampler; else as a storage image
  std::vector<Words> targets;   // the target and each of more_targets; empty: imageStore()
};
constexpr size_t most_word_targets = 4;  // limit for targets that are written as buffers

// A pass with the members that the planner adds in PlanBuilder::finish().
struct Pass : PassSpec {
  Pass() = default;
  Pass(PassSpec spec) : PassSpec(std::move(spec)) {}

  Space source_space = Space::rgb, second_space = Space::rgb, target_space = Space::rgb;  // color spaces of its images
  // For the target and each of more_targets: whether it stores half. If one does, the kernel converts to half itself,
  // because devices may round toward zero. Empty: no conversion.
  std::vector<bool> half_targets;
  PassWords words;
  // Number of rows that the target or the source holds at a time, a power of two: row y of the whole is row y % ring of the
  // image. The pass with a target ring and the next one, with the same source ring, run in strips, in turn. 0: all rows.
  int target_ring = 0, source_ring = 0;
  bool runs_in_strips() const { return target_ring > 0 || source_ring > 0; }
  bool is_r11g11b10 = false;  // the target is B10G11R11
  bool clamps = false;        // clamps values on storing to half or B10G11R11, and counts them
};

// Push constant with the offset of the tables of point ops.
constexpr std::string_view point_tables_at = "point_tables_at";

// The least trusted author of the shader's text.
Author author_of(const Pass& pass);
// Tables that the point ops of a pass read, without duplicates, in the order in which they follow the pass's own table.
std::vector<std::span<const float>> point_tables(const Pass& pass);
// Number of floats in the pass's own table, rounded up to a multiple of four, plus those of its point ops.
size_t table_size(const Pass& pass);

// A range of the statistics that the host reads back. `offset` is in units of 4 bytes.
struct StatisticsPart {
  int offset = 0;
  size_t bytes = 0;

  std::span<const uint32_t> of(std::span<const uint32_t> statistics) const {
    return statistics.subspan(size_t(offset), bytes / sizeof(uint32_t));
  }
};

// Words of statistics that were measured before.
using MeasuredWords = std::shared_ptr<const std::vector<uint32_t>>;

// Measured words that the host writes into the statistics. `offset` is in units of 4 bytes.
struct KnownStatistics {
  int offset = 0;
  MeasuredWords words;
};

// A second input that the host uploads, with one value per texel or four values of the image's depth. A null pointer
// means not read yet: the plan can be printed but not run.
struct PlanSource {
  int image = 0;
  std::variant<std::shared_ptr<const Plane>, std::shared_ptr<const Level>> texels;
  Position corner;  // position of the image's first texel in `texels`
};

// A count that passes write. If it is not 0, the run fails.
struct Guard {
  int offset = 0;  // offset in the statistics, in units of 4 bytes
  Exit code = Exit::usage;
  std::string message;  // error message; {} is replaced by the count
};

struct Plan {
  std::vector<PlanImage> images;  // level 0 of image 0 is the input
  std::vector<Pass> passes;
  std::vector<PlanSource> sources;  // second inputs
  int result_image = 0;
  std::vector<KnownStatistics> known_statistics;  // statistics that are known before the first pass
  size_t statistics_bytes = 0;                    // size of the statistics buffer; 0: none
  bool zeroes_statistics = false;                 // sets the statistics to 0 before the first pass
  std::vector<StatisticsPart> results;            // ranges of the statistics that the host reads
  std::vector<Guard> guards;                      // counts that must be 0
  int clamped_at = -1;               // offset of the count of clamped values in the statistics; -1: no pass clamps
  bool keeps_level_0 = true;         // level 0 of the result is the input, bit for bit, and need not be downloaded
  std::vector<std::string> choices;  // what was chosen and why, a line each: "mips: per-level, since ..."
};

enum class ResultStorage {
  plain,   // the depth that the last op makes
  f32,     // 32-bit float, to be rounded later
  packed,  // B10G11R11, which can be measured but not downloaded
};

// How the input and the result of a plan are stored.
struct Ends {
  Space input = Space::rgb, result = Space::rgb;
  ResultStorage storage = ResultStorage::plain;
};

// The part of a mip chain that a plan makes, for a chain that is made in tiles.
struct LevelRange {
  enum class Part {
    rest,   // all levels that follow
    next,   // only the next level
    count,  // no level: what Footprint::scales_of needs of this one
    scale,  // this level, scaled by the number that is the first of PlanInput::measured
  };
  int from = 0;  // level of the chain that the input is
  Part part = Part::rest;
};

struct PlanInput {
  Size size;
  Depth storage = Depth::half;        // depth of the images on the device
  bool half_arithmetic = false;       // half arithmetic in shaders
  Ends ends = {};                     // the input and the result
  Space between = Space::rgb;         // color space of images between ops: rgb or yxy
  bool is_r11g11b10_between = false;  // stores images between ops as B10G11R11
  bool fuses = true;                  // fuses point ops into the loads and stores of other passes
  bool keeps_input = false;           // no pass overwrites the input, so that the plan can run again
  bool gives_input = false;           // the input is no longer needed: a pass in place may overwrite it
  Size whole;       // size of the whole image, if the input is a tile; 0 x 0: the input is the whole image
  Position corner;  // position of the tile
  Region made;      // region of the result to make, for an op that changes the size; 0 x 0: all
  std::optional<LevelRange> levels = {};  // for a mip chain in tiles; empty: all levels
  // Statistics of the whole image, in the layout of core/ops/stats/reference.h, for the ops that measure the image, in
  // their order. Passes of the plan measure for an op that has none.
  std::vector<MeasuredWords> measured = {};
};

// Returns whether all images hold R, G and B, and kernels work on R, G and B.
constexpr bool stays_rgb(const PlanInput& input) {
  return input.ends.input == Space::rgb && input.ends.result == Space::rgb && input.between == Space::rgb;
}

// Plans a chain. Throws Error(Exit::usage) if the device cannot run an option, and Error(Exit::limit) if the image is
// too large.
Plan plan(std::span<const Call> calls, const PlanInput& input, const DeviceTraits& traits);
// Plans a chain without checking the limits of the device.
Plan plan_of_any_size(std::span<const Call> calls, const PlanInput& input, const DeviceTraits& traits);
// Plans a copy of the input that is stored in `depth` as PlanInput::ends says, and rounded to B10G11R11 first if
// PlanInput::is_r11g11b10_between is set. `name`: of its passes.
Plan plan_of_copy(const std::string& name, const PlanInput& input, Depth depth, const DeviceTraits& traits);
// Names the device limit that the plan exceeds; empty if none.
std::string over_limit(const Plan& plan, const DeviceTraits& traits);
// Converts bytes to MiB, rounded up, for messages.
size_t mebibytes(size_t bytes);
// Device memory of the plan in bytes, including staging buffers.
size_t bytes_of(const Plan& plan);

// Throws Error if the count of a guard is not 0.
void check_guard(const Guard& guard, uint64_t count);
// Checks all guards of a plan against the downloaded statistics.
void check_guards(const Plan& plan, std::span<const uint32_t> statistics);
// Number of values that the passes clamped, from the downloaded statistics.
uint64_t clamped_count(const Plan& plan, std::span<const uint32_t> statistics);

// Collects the passes of a plan. Plan functions of ops use it.
class PlanBuilder {
 public:
  PlanBuilder(const PlanInput& input, const DeviceTraits& traits);

  const PlanInput& input() const { return input_; }
  const DeviceTraits& traits() const { return traits_; }
  // For Access::can_be_in_place. On a GPU it would gain nothing.
  bool writes_in_place() const { return traits_.type == DeviceType::cpu && traits_.has_image_buffers; }
  // Size of the whole image, of which the current image may be a tile.
  Size whole_size() { return input_.whole == Size{} ? image(current_image()).size : input_.whole; }
  // Region of a result of this size that must be made.
  Region made_of(Size size) const { return input_.made == Region{} ? whole_region(size) : input_.made; }
  int current_image() const { return plan_.result_image; }  // input of the next op, at level 0
  PlanImage& image(int index) { return plan_.images[size_t(index)]; }
  // Depth for images between the passes of one op. Half can hold the Y of bright light, but not always its X and Z, so
  // in XYZ such images are float.
  Depth depth_of_light() const {
    return input_.storage == Depth::half && !stays_rgb(input_) ? Depth::f32 : input_.storage;
  }
  // Begins the passes of the next op. The current image is its input.
  void begin_op() { own_result_ = -1; }
  // Adds an image and returns its index.
  int add_image(const PlanImage& image);
  int image_count() const { return int(plan_.images.size()); }
  // Keeps images from index `first` on in R, G and B, also with --space yxy. In XYZ, an infinite R would make all three
  // infinite, and NaN on the way back.
  void keep_in_rgb(int first);
  // Adds an image that the host uploads, with one value per texel and the current image's size. Returns its index. For
  // a tile, it gets the corresponding values.
  int add_source(std::shared_ptr<const Plane> numbers);
  // Adds an image for a second input of a call. Returns its index. If both images have the same size, a tile of the
  // current image gets the corresponding tile of the other; otherwise the image is whole.
  int add_input(const InputPicture& input);
  // Adds a region of a second input as an image. Returns its index.
  int add_region(const InputPicture& input, const Region& region);
  // Makes another image the result of the op. Only the last result of an op is stored as Yxy or B10G11R11: --verify allows for
  // that loss between ops, not within one. A result before it becomes light between passes.
  void set_current_image(int index);
  // Sets the depth of images that later ops make.
  void set_result_depth(Depth depth) { input_.storage = depth; }
  void add(PassSpec spec);
  // Appends a pass that writes a new image, and makes that image the result of the op. Returns the image.
  int add_result(PassSpec spec, const PlanImage& image);
  // Appends a point op. It is fused into the stores of the previous pass if that pass made the current image and
  // nothing else reads it. Otherwise it waits for the next pass.
  void fuse_point(FusedPoint point);
  // Can the next pass apply the waiting point ops when it loads texels?
  bool fuses_into_load() const;
  // Adds a pass for waiting point ops, before an op that reads texels more than once.
  void flush();
  // Appends a pass that copies the current image.
  void add_copy(std::string name, Depth depth);
  // Allocates a range of the statistics; the size is in units of 4 bytes. It is set to 0 unless a pass writes all
  // values that others read.
  int reserve_statistics(size_t bytes, bool is_zeroed = true);
  // Puts the next of PlanInput::measured into the statistics and returns its offset; empty if there is none.
  std::optional<int> take_measured();
  // Makes the host read back a range of the statistics.
  void return_statistics(int offset, size_t bytes) { plan_.results.push_back({offset, bytes}); }
  // Adds a count that must stay 0, with an error message in which {} is the count. Returns its offset.
  int guard(Exit code, std::string message);
  // Adds a line for `--explain` about a choice and its reason, unless it repeats the last line.
  void note(std::string choice) {
    if (plan_.choices.empty() || plan_.choices.back() != choice) plan_.choices.push_back(std::move(choice));
  }
  Plan finish();

 private:
  void prepare_result(int index);
  // Stores an earlier result of the op as light between its passes: not packed, and R, G and B instead of Yxy.
  void keep_as_light(PlanImage& image) const;
  // Stores the current image as floats of R, G and B, because the next point op would get it in registers if it were fused.
  void keep_for_point();
  void add_points_pass(std::vector<FusedPoint> points, Depth depth);
  bool wants_own_pass(std::span<const FusedPoint> points) const;
  // The rule of half storage, which no op repeats: for each pass, what its targets hold and what it does to numbers that do not
  // fit. A target of four halves gets the bits of halves, rounded to nearest, in the space of that image. Finite numbers over
  // the largest half become it and are counted. A pass needs no clamp if it is bounded, has no point ops, and reads RGB that
  // came from halves; a raw copy stores what it reads.
  void decide_stores();
  // Counts the traffic of a pass where its op has not, because only now the depth of each image is known.
  void count_bytes(Pass& pass);
  // Which images between two passes hold only some rows.
  void decide_strips();
  // Which images a pass accesses as words.
  void decide_words(Pass& pass);
  void count_clamped(Pass& pass);

  PlanInput input_;
  DeviceTraits traits_;
  Plan plan_;
  size_t measured_count_ = 0;        // number of PlanInput::measured that ops have taken
  int own_result_ = -1;              // image that the passes of the current op made last as its result; -1: none
  std::vector<FusedPoint> waiting_;  // point ops on the current image that are not in a pass yet
};

// The text that `--explain` prints.
std::string explain(const Plan& plan, std::span<const Call> calls);

}  // namespace gpupost
