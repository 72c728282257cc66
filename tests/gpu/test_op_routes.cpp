// The examples of every row on other routes than alone in RGB: stored as Yxy or B10G11R11, not fused, between other ops, tiled.
#include "core/op/parse.h"
#include "core/system/sandbox.h"
#include "tests/support/device.h"
#include "tests/support/reference_check.h"
#include "tests/support/tested_ops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>
#include <vector>

using namespace gpupost;
using namespace gpupost::test;

namespace {

constexpr Size small_size{33, 17}, tiled_size{97, 61};
constexpr int tile_sides[] = {40, 64, 90};  // tried in turn, because a tile must hold the reach of the op

struct Counts {
  int run = 0, packed = 0, tiled = 0, tiled_between = 0;
};

bool ends_chain(const Call& call) {
  return call.op->makes == Makes::levels || makes_content({&call, 1}, Content::luminance);
}

// The call behind a point op and before a neighborhood op, or the other way round. An op that ends a chain is the last one.
std::vector<Call> between_others(const Call& call, bool is_behind_point) {
  const Call point = call_of("exposure", "--stops 0.5"), blur = call_of("blur", "--radius 1");
  std::vector<Call> calls{is_behind_point ? point : blur, call};
  if (!ends_chain(call)) calls.push_back(is_behind_point ? blur : call_of("clamp", "--min 0 --max 100"));
  return calls;
}

// Runs one example on every route. `turn` selects the storage, and which ops are before and behind it.
void check_routes(Gpu& gpu, const Call& call, size_t turn, Counts& counts) {
  const Kind kind = kinds[turn % 2], other_kind = kinds[(turn + 1) % 2];
  const std::vector<Call> chain = between_others(call, turn / 2 % 2 == 0);
  counts.run += check_route(gpu, {&call, 1}, "light", small_size, kind, {.between = Space::yxy});
  counts.run += check_route(gpu, chain, "light", small_size, other_kind, {.between = Space::yxy});
  counts.run += check_route(gpu, chain, "noise", small_size, kind, {});
  counts.run += turn / 2 % 2 == 0
                    ? check_route(gpu, chain, "noise", small_size, other_kind, {.fuses = false})
                    : check_route(gpu, chain, "light", small_size, kind, {.fuses = false, .between = Space::yxy});
  if (gpu.info().traits.has_packed_floats)
    counts.packed += check_route(gpu, chain, "light", small_size, kind, {.is_r11g11b10 = true}) +
                     check_route(gpu, {&call, 1}, "light", small_size, kinds[1], {.is_r11g11b10 = true});
  for (const int side : tile_sides)
    if (check_route(gpu, {&call, 1}, "noise", tiled_size, other_kind, {.tile_side = side})) {
      ++counts.tiled;
      break;
    }
  const bool is_packed = turn / 2 % 2 == 0 && gpu.info().traits.has_packed_floats;
  const Route tiled{.between = is_packed ? Space::rgb : Space::yxy, .is_r11g11b10 = is_packed, .tile_side = 90};
  counts.tiled_between += check_route(gpu, chain, "light", tiled_size, kind, tiled);
}

// Runs up to `most` examples of each row.
void check_rows(Gpu& gpu, size_t most, size_t turns) {
  Counts counts;
  size_t next_turn = 0;
  for (const Op* op : tested_ops()) {
    if (op->prepare) continue;  // it reads files
    const auto examples = std::span(op->doc.examples).first(std::min(most, op->doc.examples.size()));
    for (const std::string_view example : examples) {
      const Call call = call_of_example(*op, example);
      if (!can_run(call, gpu.info().traits)) continue;
      for (size_t turn = 0; turn < turns; ++turn) check_routes(gpu, call, next_turn++, counts);
    }
  }
  if (tested_ops().size() < all_ops().size() || most < 2) return;
  CHECK(counts.run > 200);
  CHECK(counts.tiled > 50);
  // the tiles of a GPU are larger than the images of these tests, because its blurs begin anew after some hundred texels
  if (gpu.info().traits.type == DeviceType::cpu) CHECK(counts.tiled_between > 50);
  if (gpu.info().traits.has_packed_floats) CHECK(counts.packed > 100);
}

}  // namespace

GPU_TEST_CASE("every example of every row in Yxy, packed, not fused, in a chain and in tiles: the first ones") {
  check_rows(gpu, is_sanitized() ? 1 : 2, 1);
}

GPU_TEST_CASE("ops of several results in Yxy, packed, not fused, in a chain and in tiles") {
  Counts counts;
  for (const size_t turn : {0, 1}) {
    check_routes(gpu, call_of("blur", "--radius 2 --passes 3"), turn, counts);
    check_routes(gpu, call_of("resize", "--fit 90x20 --pad 0.18,0.18,0.18 --enlarge"), turn, counts);
  }
}

GPU_TEST_CASE("every example of every row in Yxy, packed, not fused, in a chain and in tiles" *
              doctest::test_suite("thorough")) {
  check_rows(gpu, 100, 4);
}
