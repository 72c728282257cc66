// Where alpha is 0 and there is no light, no op makes light.
#include "core/base/error.h"
#include "core/engine/floors.h"
#include "core/op/op.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "tests/support/tested_ops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// Color in the middle and nothing, with an alpha of 0, in the columns at both ends.
Planes picture_with_nothing(Size size) {
  Planes planes;
  planes.fill({.size = size, .values = std::vector<double>(texel_count(size))});
  for (int y = 0; y < size.height; ++y)
    for (int x = size.width / 3; x < 2 * size.width / 3; ++x)
      for (size_t c = 0; c < 4; ++c)
        planes[c].values[size_t(y * size.width + x)] = c == 3 ? 0.5 : 0.1 + 0.2 * double(c) + 0.01 * x;
  return planes;
}

// The color of its texels of alpha 0, the largest number.
double light_of_nothing(const Planes& planes) {
  double most = 0;
  for (size_t index = 0; index < planes[3].values.size(); ++index)
    if (planes[3].values[index] == 0)
      for (size_t c = 0; c < 3; ++c) most = std::max(most, std::abs(planes[c].values[index]));
  return most;
}

// Ops whose user says what stands in premultiplied color, ops whose numbers are no colors, ops that give such texels a color, a glow,
// which is light around the texels that it comes from, and a difference of premultiplied light.
bool makes_light(const Call& call) {
  const bool subtracts = call.op->name == "merge" && call.choice("mode") == "subtract";
  return subtracts || call.op->name == "channels" || call.op->name == "bloom" ||
         makes_content({&call, 1}, Content::data) || output_of(call, Output{}).colors_transparent;
}

}  // namespace

TEST_CASE("no op lights a texel of alpha 0 that is black, with any row's examples") {
  const Planes picture = picture_with_nothing({48, 24});
  for (const Op* op : tested_ops())
    for (const std::string_view example : op->doc.examples) {
      if (op->prepare || op->name == "luminance") continue;
      Call call = parse_call(*op, example);
      if (makes_light(call)) continue;
      give_inputs({&call, 1}, {48, 24});
      if (op->needs(call).depth)
        call.depth = std::make_shared<Plane>(Plane{.size = {48, 24}, .values = std::vector<double>(48 * 24, 5)});
      const double light = light_of_nothing(op->reference.levels(call, picture)[0]);
      CHECK_MESSAGE(light <= 1e-9, op->name, " ", example, ": ", light);
    }
}

TEST_CASE("ops that add a number add it times alpha") {
  const auto made = [](std::string_view op, std::string_view words, const Color& c) {
    Planes texel;
    for (size_t k = 0; k < 4; ++k) texel[k] = {.size = {1, 1}, .values = {c[k]}};
    const Planes result = op_named(op)->reference.levels(parse_call(*op_named(op), words), texel)[0];
    return Color{result[0].values[0], result[1].values[0], result[2].values[0], result[3].values[0]};
  };
  for (const double alpha : {0.0, 0.25, 1.0}) {
    const Color c{0.5, 0.25, 0.125, alpha};
    const Color offset = made("offset", "--value 0.1", c);
    const Color matrix = made("matrix", "--rows 1,0,0,0.25,0,1,0,0,0,0,1,-0.125", c);
    for (size_t k = 0; k < 3; ++k) {
      CHECK(std::abs(offset[k] - (c[k] + double(0.1F) * alpha)) < 1e-12);
      CHECK(std::abs(matrix[k] - (c[k] + std::array{0.25, 0.0, -0.125}[k] * alpha)) < 1e-12);
    }
  }
  const Color nothing{0, 0, 0, 0};
  for (const auto& [op, words] : {std::pair<std::string_view, std::string_view>{"offset", "--value 0.1"},
                                  {"clamp", "--min 0.1"},
                                  {"matrix", "--rows 1,0,0,1,0,1,0,1,0,0,1,1"},
                                  {"tonemap", "--curve uchimura --pedestal 0.1"},

                                  {"tonemap", "--curve agx-filament"}})
    CHECK_MESSAGE(made(op, words, nothing) == nothing, op, " ", words);
  // light without alpha stays light
  CHECK(made("clamp", "--min 0.1", {0.5, 0.5, 0.5, 0}) == Color{0.5, 0.5, 0.5, 0});
}
