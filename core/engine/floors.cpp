#include "core/engine/floors.h"

#include "core/base/half.h"
#include "core/base/math.h"
#include "core/base/threads.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gpupost {

// --- floors ---------------------------------------------------------------------------------------------------------

std::string_view name_of(Floor floor) {
  switch (floor) {
    case Floor::copy: return "copy";
    case Floor::third: return "read and write a third";
    case Floor::read: return "read";
    case Floor::bytes: return "its bytes at the speed of a copy";
  }
  return "?";
}

// Shape in which a workgroup of 256 threads processes texels.
struct Shape {
  int columns = 64;  // threads in a row
  int each = 4;      // texels that a thread writes, or reads if it writes none
};

static Plan floor_plan(Floor floor, Size size, Depth depth, Shape shape) {
  const Size written = floor == Floor::copy    ? size
                       : floor == Floor::third ? Size{size.width, div_ceil(size.height, 3)}
                                               : Size{1, 1};
  const Size walked = floor == Floor::read ? size : written;
  const int rows = 256 / shape.columns * shape.each;
  Plan plan{.images = {{.size = size, .depth = depth}, {.size = written, .depth = depth}}, .result_image = 1};
  plan.passes.emplace_back(
      PassSpec{.name = fmt::format("floor: {}, {} x {}", name_of(floor), shape.columns, shape.each),
               .kernel = floor == Floor::copy    ? "bench/floor_copy.glsl"
                         : floor == Floor::third ? "bench/floor_third.glsl"
                                                 : "bench/floor_read.glsl",
               .defines = {{"COLUMNS", shape.columns}, {"EACH", shape.each}},
               .values = {{"end_x", walked.width}, {"end_y", walked.height}, {"source_height", size.height}},
               .grid = {.count = {div_ceil(walked.width, shape.columns), div_ceil(walked.height, rows)}},
               .source = {.image = 0},
               .target = {.image = 1},
               .memory = {.bytes_read = bytes_of(plan.images[0]),
                          .bytes_written = floor == Floor::read ? 0 : bytes_of(plan.images[1])}});
  return plan;
}

std::vector<Plan> floor_plans(Floor floor, Size size, Depth depth) {
  // few texels per thread for small images; a thread of `read and write a third` reads three texels for each that it
  // writes
  static constexpr std::array wide{Shape{64, 1}, Shape{64, 4}, Shape{16, 4}, Shape{8, 4}};
  static constexpr std::array thirds{Shape{64, 1}, Shape{64, 4}, Shape{16, 2}, Shape{8, 2}};
  std::vector<Plan> plans;
  for (const Shape shape : floor == Floor::third ? thirds : wide)
    plans.push_back(floor_plan(floor, size, depth, shape));
  return plans;
}

// --- numbers --------------------------------------------------------------------------------------------------------

size_t bytes_moved(const Plan& plan) {
  size_t bytes = 0;
  for (const Pass& pass : plan.passes) bytes += pass.memory.bytes_read + pass.memory.bytes_written;
  return bytes;
}

double gb_per_second(size_t bytes, double milliseconds) {
  return milliseconds > 0 ? double(bytes) / milliseconds * 1e-6 : 0;
}

// --- the picture ----------------------------------------------------------------------------------------------------

// Hash of an index, below 2^24.
static uint32_t hash_of(uint32_t index) {
  uint32_t hash = (index ^ index >> 16) * 0x7feb352du;
  hash = (hash ^ hash >> 15) * 0x846ca68bu;
  return (hash ^ hash >> 16) >> 8;
}

static void fill_row(Level& level, Depth depth, int y) {
  const size_t count = 4 * size_t(level.size.width);
  const size_t first = size_t(y) * count;
  for (size_t index = first; index < first + count; ++index) {
    const float value = float(hash_of(uint32_t(index))) * 0x1p-24f;
    if (depth == Depth::u8) level.texels.as<uint8_t>()[index] = uint8_t(std::lround(255 * value));
    else if (depth == Depth::half) level.texels.as<uint16_t>()[index] = half_from_float(value);
    else level.texels.as<float>()[index] = value;
  }
}

Level noise(Size size, Depth depth) {
  Level level{size, TexelBuffer(texel_count(size) * 4 * bytes_of(depth))};
  parallel_ranges(size.height, 16, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) fill_row(level, depth, y);
  });
  return level;
}

Level hard_numbers(Size size, Depth depth) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float largest = depth == Depth::half ? 65504.0f : std::numeric_limits<float>::max();
  const float smallest = depth == Depth::half ? 0x1p-24f : std::numeric_limits<float>::min();
  const std::array hard{std::numeric_limits<float>::quiet_NaN(), infinity, -infinity, largest, -largest, smallest};
  Level level = noise(size, depth);
  const size_t count = 4 * texel_count(size);
  for (size_t index = 0, which = 0; index < count; index += 1 + hash_of(uint32_t(index)) % 200, ++which) {
    const float value = hard[which % hard.size()];
    if (depth == Depth::half) level.texels.as<uint16_t>()[index] = half_from_float(value);
    else level.texels.as<float>()[index] = value;
  }
  return level;
}

static double depth_at(int x, int y) {
  const uint32_t block = hash_of(uint32_t(x / 8) * 0x9e3779b1u ^ uint32_t(y / 8) * 0x85ebca77u);
  if (block % 32 == 0) return 0;
  const double within = double(hash_of(uint32_t(x) * 0x27d4eb2fu ^ uint32_t(y))) * 0x1p-24;
  return 0.5 * std::exp2(5 * double(block) * 0x1p-24) * (1 + 0.02 * within);
}

void give_inputs(std::span<Call> calls, Size size, Depth depth) {
  for (size_t index = 0; index < calls.size(); ++index) {
    const Size at_call = result_size(calls.first(index), size);
    calls[index].inputs.clear();
    for (size_t count = calls[index].op->needs(calls[index]).pictures.size(); calls[index].inputs.size() < count;)
      calls[index].inputs.push_back({.picture = {.size = at_call, .depth = depth},
                                     .texels = std::make_shared<const Level>(noise(at_call, depth))});
    if (!calls[index].op->needs(calls[index]).depth) continue;
    auto distances =
        std::make_shared<Plane>(Plane{.size = at_call, .values = std::vector<double>(texel_count(at_call))});
    for (int y = 0; y < at_call.height; ++y)
      for (int x = 0; x < at_call.width; ++x)
        distances->values[size_t(y) * size_t(at_call.width) + size_t(x)] = depth_at(x, y);
    calls[index].depth = std::move(distances);
  }
}

}  // namespace gpupost
