// Images and passes of a plan. An op describes its passes by PassSpec; the planner adds the rest.
#pragma once

#include "core/op/op.h"

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gpupost {

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
constexpr size_t most_more_sources = 4;  // limit for images besides the source and the second source

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
  bool is_exact = false;              // sums and products round as IEEE 754 says: compilers must not contract them
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
  bool only_copies = false;         // computes nothing: each texel goes from load() to store()
  bool is_in_rgb = false;           // computes with R, G and B where images hold Yxy, not with X, Y and Z
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
  bool packs_toward_zero = false;  // as HalfTraits says
  // Number of rows that the target or the source holds at a time, a power of two: row y of the whole is row y % ring of the
  // image. The pass with a target ring and the next one, with the same source ring, run in strips, in turn. 0: all rows.
  int target_ring = 0, source_ring = 0;
  bool runs_in_strips() const { return target_ring > 0 || source_ring > 0; }
  bool is_r11g11b10 = false;  // the target is B10G11R11
  bool clamps = false;        // clamps values on storing to half or B10G11R11, and counts them
  // The op that has the pass, for messages. Several for a pass that stores the result of another one again, and none for a pass
  // that only has point ops.
  std::vector<std::string_view> ops;
};

// Push constant with the offset of the tables of point ops.
constexpr std::string_view point_tables_at = "point_tables_at";

// The least trusted author of the shader's text.
Author author_of(const Pass& pass);
// Tables that the point ops of a pass read, without duplicates, in the order in which they follow the pass's own table.
std::vector<std::span<const float>> point_tables(const Pass& pass);
// Number of floats in the pass's own table, rounded up to a multiple of four, plus those of its point ops.
size_t table_size(const Pass& pass);
// Names of point ops, for reports.
std::string names_of(std::span<const FusedPoint> points);
// The ops whose results a pass stores, as typed and in order, without duplicates.
std::vector<std::string_view> ops_of(const Pass& pass);

}  // namespace gpupost
