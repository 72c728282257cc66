// Automatic exposure on the device, from the darkest floats to the brightest.
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"

#include "core/reference/verify.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace gpupost;
using namespace gpupost::test;

namespace {

Level made_by(Gpu& gpu, const Call& call, const Level& base) {
  const Plan made = plan({&call, 1}, {.size = base.size, .storage = Depth::f32}, gpu.info().traits);
  return std::move(gpu.run(made, base, 0).levels[0]);
}

Level scaled(const Level& from, float scale) {
  Level level{from.size, TexelBuffer(from.texels.size())};
  const auto numbers = from.texels.as<float>();
  std::ranges::copy(numbers, level.texels.as<float>().begin());
  for (size_t index = 0; index < numbers.size(); ++index)
    if (index % 4 < 3) level.texels.as<float>()[index] *= scale;
  return level;
}

}  // namespace

GPU_TEST_CASE("automatic exposure on the device gives one result from 1e-30 to 1e30 times the light") {
  const Level base = pattern("noise", {129, 65}, Depth::f32);
  for (const std::string_view words : {"--auto", "--auto --percentile 10,90"}) {
    const Call call = call_of("exposure", words);
    const Level once = made_by(gpu, call, base);
    for (const float scale : {1e-30f, 1e-12f, 3e-5f, 7e4f, 1e7f, 1e30f}) {
      CAPTURE(words);
      CAPTURE(scale);
      const Level dim = scaled(base, scale), found = made_by(gpu, call, dim);
      const Expected expected = expected_of({&call, 1}, dim, Depth::f32);
      for (const LevelCheck& check : verify(expected, std::span(&found, 1), 0))
        CHECK_MESSAGE(check.share <= 1, describe(check));
      double most = 0;
      for (size_t index = 0; index < once.texels.as<float>().size(); ++index)
        if (const double wanted = double(once.texels.as<float>()[index]); std::abs(wanted) > 1e-6)
          most = std::max(most, std::abs(double(found.texels.as<float>()[index]) / wanted - 1));
      CHECK(most <= 0.0906);  // an eighth of a stop
    }
  }
}

GPU_TEST_CASE("light next to the edge of a bin is exposed as the definition allows") {
  const Call call = call_of("exposure", "--auto --percentile 10,90");
  Level gray{{65, 33}, TexelBuffer(65 * 33 * 16)};
  for (const float light : {0.5f, 1.0f, 0.18f, std::exp2(-0.125f), std::exp2(13.375f)}) {
    for (size_t index = 0; index < gray.texels.as<float>().size(); ++index)
      gray.texels.as<float>()[index] = index % 4 == 3 ? 1 : light;
    const Level found = made_by(gpu, call, gray);
    const Expected expected = expected_of({&call, 1}, gray, Depth::f32);
    for (const LevelCheck& check : verify(expected, std::span(&found, 1), 0))
      CHECK_MESSAGE(check.share <= 1, light, ": ", describe(check));
  }
}
