// Samples and weights of prefilter, held against integrals.
#include "core/ops/prefilter/lobe.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace gpupost;

TEST_CASE("samples of a lobe have length 1, are above the horizon, and their weights add up to 1") {
  const CellLevels levels = cell_levels_of({6 * 256, 256});
  CHECK(levels.finest == 256);
  CHECK(levels.cells(levels.count - 1) == 4);
  for (const double roughness : {0.01, 0.1, 0.5, 1.0})
    for (const int count : {16, 1000}) {
      double sum = 0;
      for (const LobeSample& sample : lobe_samples(roughness, count, levels)) {
        CHECK(std::hypot(sample.x, sample.y, sample.z) == doctest::Approx(1));
        CHECK(sample.z > 0);
        CHECK((sample.level >= 0 && sample.level < levels.count));
        sum += sample.weight;
      }
      CHECK(sum == doctest::Approx(1));
    }
}

TEST_CASE("samples of a lobe have the mean height of GGX") {
  const CellLevels levels = cell_levels_of({6 * 64, 64});
  for (const double roughness : {0.3, 0.6, 1.0}) {
    const double squared = std::pow(roughness, 4);
    double expected = 0, weights = 0, mean = 0;
    for (double z = 5e-6; z < 1; z += 1e-5) {
      const double weight = z * squared / std::pow((1 + z) / 2 * (squared - 1) + 1, 2);
      expected += weight * z, weights += weight;
    }
    for (const LobeSample& sample : lobe_samples(roughness, 4096, levels)) mean += sample.weight * double(sample.z);
    CHECK(mean == doctest::Approx(expected / weights).epsilon(1e-4));
  }
}

TEST_CASE("the solid angles of all corners of a face add up to a sixth of the sphere in each level") {
  const CellLevels levels = cell_levels_of({6 * 128, 128});
  const auto solid_angles = solid_angles_of_corners(levels);
  REQUIRE(int(solid_angles.size()) == levels.count);
  for (int level = 0; level < levels.count; ++level) {
    const int cells = levels.cells(level);
    REQUIRE(int(solid_angles[size_t(level)].size()) == (cells + 1) * (cells + 1));
    double sum = 0;
    for (const float one : solid_angles[size_t(level)]) sum += double(one);
    CHECK(sum * 4 / (cells * cells) == doctest::Approx(2 * std::numbers::pi / 3).epsilon(1e-4));
  }
}
