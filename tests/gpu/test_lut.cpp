// `lut` on the device, held against its definition.
#include "core/op/parse.h"
#include "core/ops/lut/row.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// Numbers that no simple formula makes, from -0.5 up to 2.
std::string colors(size_t count, size_t seed) {
  std::string text;
  for (size_t index = 0; index < count; ++index) {
    for (size_t k = 0; k < 3; ++k)
      text += fmt::format("{:.6f} ", 0.75 + 1.25 * std::sin(double((index * 3 + k + 1) * (seed + 7)) * 0.7));
    text += "\n";
  }
  return text;
}

Call lut_call(const std::string& text, const std::string& words) {
  Call call = parse_call(lut_op, "t.cube " + words);
  call.source = text;
  lut_op.prepare(call);
  return call;
}

}  // namespace

GPU_TEST_CASE("tables of every kind give what their definition says, at awkward sizes and on awkward numbers") {
  const std::string cube = "LUT_3D_SIZE 5\n" + colors(125, 1),
                    curve = "LUT_1D_SIZE 17\nDOMAIN_MIN -1 0 0\nDOMAIN_MAX 4 2 1\n" + colors(17, 2),
                    both = "LUT_1D_SIZE 4\nLUT_1D_INPUT_RANGE 0 16\nLUT_3D_SIZE 3\nLUT_3D_INPUT_RANGE -0.5 2\n" +
                           colors(31, 3);
  const std::vector<Call> calls{lut_call(cube, ""),       lut_call(cube, "--interpolation trilinear"),
                                lut_call(both, ""),       lut_call(curve, "--linear"),
                                lut_call(cube, "--srgb"), lut_call(both, "--log-shaper")};
  const std::vector<Size> sizes = awkward_sizes();
  size_t turn = 0;
  for (const Call& call : calls)
    for (const std::string_view name : pattern_names()) {
      check_call(gpu, call, name, sizes[turn % sizes.size()], kinds[turn % 2]);
      ++turn;
    }
}

GPU_TEST_CASE("a table is looked up in the one pass of the point ops beside it") {
  const Call lut = lut_call("LUT_3D_SIZE 5\n" + colors(125, 1), ""),
             second = lut_call("LUT_1D_SIZE 5\n" + colors(5, 4), "");
  const std::vector<Call> chain{call_of("exposure", "--stops 1"), lut, second, lut};
  check_chain(gpu, chain, "noise", {257, 129}, kinds[0]);
  CHECK(plan(chain, {.size = {257, 129}}, gpu.info().traits).passes.size() == 1);
}
