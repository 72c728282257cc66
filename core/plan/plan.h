// The planner: turns calls into passes. It needs no device; `--explain` prints its plans.
#pragma once

#include "core/base/error.h"
#include "core/plan/pass.h"
#include "core/plan/traits.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gpupost {

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
  bool only_measures = false;         // nothing but the statistics is used of the result
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
// A result of a pass that another pass stores again, in another format.
struct StoredAgain {
  std::string name;                   // of the pass, for reports
  std::vector<std::string_view> ops;  // ops_of() the pass, for messages
  Depth depth = Depth::f32;           // in which it is stored
};
// Plans a copy of the input that is stored as `stored` and PlanInput::ends say, and rounded to B10G11R11 first if
// PlanInput::is_r11g11b10_between is set.
Plan plan_of_copy(const StoredAgain& stored, const PlanInput& input, const DeviceTraits& traits);
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

}  // namespace gpupost
