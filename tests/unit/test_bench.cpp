// The arithmetic of measuring, without a device.
#include "core/engine/floors.h"
#include "core/gpu/timing.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "tests/support/tested_ops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

using namespace gpupost;
using namespace gpupost::test;

namespace {

bool contains(const std::vector<Setting>& settings, const Setting& setting) {
  return std::ranges::find(settings, setting) != settings.end();
}

// Settings of a row and of its graphs.
std::vector<Setting> all_settings(const Benchmark& row) {
  std::vector<Setting> all = row.settings;
  for (const Graph& graph : row.graphs) all.insert(all.end(), graph.settings.begin(), graph.settings.end());
  return all;
}

}  // namespace

TEST_CASE("a summary has the least, the middle and the largest of what was measured") {
  const Summary odd = summary_of({5, 1, 3});
  CHECK(odd.min_ms == 1);
  CHECK(odd.median_ms == 3);
  CHECK(odd.max_ms == 5);
  CHECK(odd.count == 3);
  CHECK(summary_of({4, 1, 2, 100}).median_ms == 3);
  CHECK(summary_of({}).count == 0);
}

TEST_CASE("copies of a picture exceed the cache twice, and fit into half of the memory") {
  constexpr size_t mebi = 1 << 20;
  CHECK(rotation_count(8 * mebi, 64 * mebi, 8192 * mebi) * 8 > 128);
  CHECK(rotation_count(8 * mebi, 64 * mebi, 8192 * mebi) == 17);
  CHECK(rotation_count(1000 * mebi, 64 * mebi, 80000 * mebi) == 2);  // never the same one twice in a row
  CHECK(rotation_count(1, 64 * mebi, 8192 * mebi) == 512);
  CHECK(rotation_count(1000 * mebi, 64 * mebi, 3000 * mebi) == 1);
  CHECK(rotation_count(8 * mebi, 64 * mebi, 64 * mebi) == 4);
}

TEST_CASE("the passes of a floor reach every texel, and count the bytes that they must move") {
  for (const Size size : {Size{1, 1}, {3, 5}, {257, 129}, {1920, 1080}, {4096, 4096}})
    for (const Depth depth : {Depth::u8, Depth::half, Depth::f32}) {
      const size_t picture = texel_count(size) * 4 * bytes_of(depth);
      const size_t row = size_t(size.width) * 4 * bytes_of(depth);
      for (const Plan& plan : floor_plans(Floor::copy, size, depth)) CHECK(bytes_moved(plan) == 2 * picture);
      for (const Plan& plan : floor_plans(Floor::read, size, depth)) CHECK(bytes_moved(plan) == picture);
      for (const Plan& plan : floor_plans(Floor::third, size, depth)) {
        CHECK(bytes_moved(plan) >= picture + picture / 3);
        CHECK(bytes_moved(plan) < picture + picture / 3 + row);
      }
    }
}

TEST_CASE("each floor has several shapes") {
  for (const Floor floor : {Floor::copy, Floor::third, Floor::read}) {
    std::set<std::string> names;
    for (const Plan& plan : floor_plans(floor, {640, 480}, Depth::half)) names.insert(plan.passes.at(0).name);
    CHECK(names.size() >= 3);
    CHECK(names.begin()->find(name_of(floor)) != std::string::npos);
  }
}

TEST_CASE("noise fills 0 to 1, is the same each time, and repeats in no row") {
  const Size size{64, 64};
  const Level a = noise(size, Depth::f32), b = noise(size, Depth::f32);
  double sum = 0;
  std::set<float> numbers;
  for (size_t index = 0; index < 4 * texel_count(size); ++index) {
    const float number = a.texels.as<float>()[index];
    CHECK((number >= 0 && number < 1));
    CHECK(number == b.texels.as<float>()[index]);
    sum += double(number);
    numbers.insert(number);
  }
  CHECK(sum / double(4 * texel_count(size)) == doctest::Approx(0.5).epsilon(0.02));
  CHECK(numbers.size() > 16000);
  const Level bytes = noise(size, Depth::u8);
  CHECK(bytes.texels.as<uint8_t>()[5] == std::lround(255 * a.texels.as<float>()[5]));
}

TEST_CASE("what a row claims is between variants that it has, on pictures that it can be measured on") {
  size_t claim_count = 0;
  for (const Op* op : all_ops())
    for (const Claim& claim : op->bench ? op->bench->claims : std::vector<Claim>()) {
      ++claim_count;
      CAPTURE(claim.what);
      const std::vector<std::string> variants = op->bench->variants();
      const bool is_a_time = claim.slower.empty();
      for (const std::string_view arguments : {is_a_time ? claim.faster : claim.slower, claim.faster})
        CHECK_MESSAGE(std::ranges::find(variants, arguments) != variants.end(), arguments);
      CHECK((claim.slower != claim.faster || claim.slower_is_half != claim.faster_is_half));
      CHECK(claim.claimed.ends_with(is_a_time ? " ms" : "%"));
      CHECK((op->bench->settings.empty() ? claim.setting == Setting{} : contains(op->bench->settings, claim.setting)));
      CHECK(!claim.where.empty());
      for (const Size size : claim.sizes) CHECK(std::ranges::find(op->bench->sizes, size) != op->bench->sizes.end());
      for (const Depth depth : claim.depths)
        CHECK(std::ranges::find(op->bench->depths, depth) != op->bench->depths.end());
    }
  CHECK(claim_count > 0);
}

TEST_CASE("what a row is measured at are values that its parameters take") {
  size_t setting_count = 0;
  for (const Op* op : all_ops()) {
    if (!op->bench) continue;
    const Benchmark& row = *op->bench;
    for (const Setting& setting : all_settings(row)) {
      ++setting_count;
      CAPTURE(setting.text());
      const Param* param = op->param(setting.param);
      REQUIRE(param);
      CHECK(setting.value > 0);
      const Call call = parse_call(*op, setting.text());
      if (param->kind == ParamKind::text) CHECK(call.word(setting.param) == std::to_string(setting.value));
      else CHECK(call.number(setting.param) == setting.value);
    }
    CHECK(row.settings.empty() == row.cpu_settings.empty());
    for (const Setting& setting : row.cpu_settings) CHECK(contains(row.settings, setting));
  }
  CHECK(setting_count > 0);
  CHECK(Setting{"radius", 7}.text() == "--radius 7");
  CHECK(Setting{}.text() == "");
}

TEST_CASE(
    "every variant of a row can be called at some of its settings, and so can those of its graphs at all of theirs") {
  for (const Op* op : tested_ops()) {
    if (!op->bench) continue;
    const Benchmark& row = *op->bench;
    if (row.settings.empty()) continue;
    const std::vector<std::string> variants =
        op->bench->variants ? op->bench->variants() : std::vector<std::string>{""};
    for (const std::string& variant : variants)
      CHECK_NOTHROW_MESSAGE(parse_call(*op, variant + " " + row.settings.front().text()), variant);
    for (const Graph& graph : row.graphs)
      for (const std::string_view variant : graph.variants)
        CHECK_MESSAGE(std::ranges::find(variants, variant) != variants.end(), variant);
  }
}

TEST_CASE("the shares of the picture that the row of luminance names are those that the printed shaders read") {
  struct Shader {
    std::string_view variant;
    Size result;
    int threads, texels;  // of a thread
  };
  const Benchmark& row = *op_named("luminance")->bench;
  for (const Shader& shader : {Shader{"fetch2", {120, 68}, 64, 2},
                               {"fetch4-16", {120, 68}, 16, 4},
                               {"fetch4-64", {60, 34}, 64, 4},
                               {"fetch4-256", {30, 17}, 256, 4}}) {
    const double share = double(texel_count(shader.result)) * shader.threads * shader.texels / (1920.0 * 1080.0);
    const std::string told = "1/" + std::to_string(std::lround(1 / share));
    CHECK(share == doctest::Approx(1.0 / double(std::lround(1 / share))).epsilon(0.01));
    const size_t at = row.remark.find(shader.variant);
    REQUIRE(at != row.remark.npos);
    CHECK_MESSAGE(row.remark.substr(row.remark.find("1/", at), 3) == told, shader.variant);
  }
}

TEST_CASE("the memory traffic that the row of blur works out of the post's times follows from them") {
  const Benchmark& row = *op_named("blur")->bench;
  size_t found = 0;
  for (const Claim& claim : row.claims) {
    if (claim.what.find("rows") == claim.what.npos) continue;
    const size_t bytes = 2 * texel_count(claim.sizes.at(0)) * 4 * bytes_of(claim.depths.at(0));
    const double speed = gb_per_second(bytes, std::stod(std::string(claim.claimed)));
    CHECK_MESSAGE(row.remark.find(std::to_string(std::lround(speed))) != row.remark.npos, claim.claimed, ": ", speed);
    ++found;
  }
  CHECK(found == 3);
}
