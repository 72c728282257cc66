// `ocio` on the device, held against OpenColorIO's exact CPU path.
#include "core/op/parse.h"
#include "core/ops/ocio/row.h"
#include "core/ops/ocio/worker.h"
#include "core/reference/verify.h"
#include "tests/support/device.h"
#include "tests/support/ocio.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <sstream>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// Compiled in this process: only the program itself can be the compiler's worker.
Call ocio_call(const std::vector<std::string>& words) {
  Call call = parse_call(ocio_op, words);
  ocio_op.prepare(call);
  FusedPoint point = *call.shader;
  point.author = Author::gpupost;
  call.shader = std::make_shared<const FusedPoint>(std::move(point));
  return call;
}

// Each display of a configuration with each of its views.
std::vector<std::pair<std::string, std::string>> views_of(const std::string& config) {
  std::vector<std::pair<std::string, std::string>> views;
  std::istringstream lines(ocio_list(config));
  std::string display;
  constexpr size_t name_at = 9;  // behind "display  " and "  view   "
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("display")) display = line.substr(name_at);
    if (line.starts_with("  view")) views.emplace_back(display, line.substr(name_at));
  }
  return views;
}

// The tolerance of the row, which is 1e-4 of the value and 2e-4, on three pictures.
void check_views(Gpu& gpu, const std::string& config, size_t step) {
  const auto views = views_of(config);
  for (size_t index = 0; index < views.size(); index += step) {
    const auto& [display, view] = views[index];
    const Call call = ocio_call({"--config=" + config, "--display=" + display, "--view=" + view});
    CAPTURE(display);
    CAPTURE(view);
    for (const std::string_view name : {"noise", "ramp", "dark"}) {
      const Level base = pattern(name, {63, 33}, Depth::f32);
      const RunResult result =
          gpu.run(plan({&call, 1}, {.size = base.size, .storage = Depth::f32}, gpu.info().traits), base, 0);
      const std::vector<LevelCheck> checks = verify({&call, 1}, base, result.levels, 0, Depth::f32);
      CHECK_MESSAGE(checks[0].share <= 1, describe(checks[0]));
    }
  }
}

}  // namespace

GPU_TEST_CASE("views of both built-in configurations are what OpenColorIO's CPU path makes") {
  if (!has_ocio()) return;
  check_views(gpu, "cg", 4);
  check_views(gpu, "studio", 13);
}

GPU_TEST_CASE("a NaN in R, G or B makes all three NaN, and infinities count as 1e30") {
  if (!has_ocio()) return;
  const float nan = std::nanf(""), infinity = INFINITY;
  const std::vector<float> texels{nan, 0.5f, 0.25f, 1, infinity, -infinity, 0.25f, 1, 1e30f, -1e30f, 0.25f, 1};
  Level base{.size = {3, 1}, .texels = TexelBuffer(texels.size() * sizeof(float))};
  std::ranges::copy(texels, base.texels.as<float>().begin());
  for (const char* to : {"--to=ACEScct", "--to=Linear Rec.709 (sRGB)"}) {
    const Call call = ocio_call({"--from=ACEScg", to});
    const RunResult result =
        gpu.run(plan({&call, 1}, {.size = base.size, .storage = Depth::f32}, gpu.info().traits), base, 0);
    const std::span<const float> made = result.levels[0].texels.as<float>();
    for (size_t c = 0; c < 3; ++c) {
      CHECK(std::isnan(made[c]));
      CHECK(made[4 + c] == made[8 + c]);
    }
    CHECK(made[3] == 1);
  }
}

GPU_TEST_CASE("an alpha that is not finite does not change the color") {
  if (!has_ocio()) return;
  for (const Call& call : {ocio_call({"--to=ACEScg"}), ocio_call({"--from=ACEScg", "--to=ACEScct"})})
    check_call(gpu, call, "nonfinite", {65, 33}, kinds[0]);
}

GPU_TEST_CASE("a curve of two segments is finite where the segment that does not count overflows") {
  if (!has_ocio()) return;
  const std::vector<float> texel{7.7f, 7.7f, 7.7f, 1};  // 4.6e37 in ACEScct
  Level base{.size = {1, 1}, .texels = TexelBuffer(texel.size() * sizeof(float))};
  std::ranges::copy(texel, base.texels.as<float>().begin());
  const Call call = ocio_call({"--from=ACEScct", "--to=sRGB - Texture"});
  const RunResult result =
      gpu.run(plan({&call, 1}, {.size = base.size, .storage = Depth::f32}, gpu.info().traits), base, 0);
  CHECK(result.levels[0].texels.as<float>()[1] > 1e15f);
}

GPU_TEST_CASE("every view of both built-in configurations is what OpenColorIO's CPU path makes" *
              doctest::test_suite("thorough")) {
  if (!has_ocio()) return;
  CHECK(views_of("cg").size() == 15);
  CHECK(views_of("studio").size() == 39);
  check_views(gpu, "cg", 1);
  check_views(gpu, "studio", 1);
}

GPU_TEST_CASE("spaces, looks and files are what OpenColorIO's CPU path makes, forwards and backwards") {
  if (!has_ocio()) return;
  const std::vector<std::vector<std::string>> calls{
      {"--to=ACEScct"},
      {"--look=ACES 1.3 Reference Gamut Compression"},
      {"--display=Rec.1886 Rec.709 - Display", "--view=ACES 1.0 - SDR Video",
       "--looks=ACES 1.3 Reference Gamut Compression"},
      {"--file=testdata/look.cube"},
      {"--file=testdata/look.cube", "--interpolation=default"}};
  for (const std::vector<std::string>& words : calls) {
    CAPTURE(words[0]);
    const Call call = ocio_call(words);
    check_call(gpu, call, "noise", {257, 129}, kinds[0]);
    check_call(gpu, call, "ramp", {1, 1}, kinds[1]);
  }
  // beyond 7.8 its light is infinite, and the library computes infinities in another way
  const std::vector<Call> from_log{call_of("clamp", "--max 7"), ocio_call({"--from=ACEScct", "--to=sRGB - Texture"})};
  check_chain(gpu, from_log, "noise", {257, 129}, kinds[0]);
  check_call(gpu, ocio_call({"--display=sRGB - Display", "--view=Un-tone-mapped", "--inverse"}), "ramp", {33, 17},
             kinds[0]);
}

// Opaque colors from -0.1 to 1.1, both ways.
GPU_TEST_CASE("film and camera spaces are what OpenColorIO's CPU path makes") {
  if (!has_ocio()) return;
  Level base{.size = {257, 129}, .texels = TexelBuffer(257 * 129 * 4 * sizeof(float))};
  const std::span<float> numbers = base.texels.as<float>();
  for (size_t index = 0; index < numbers.size(); ++index)
    numbers[index] = index % 4 == 3 ? 1 : 1.2f * float(index) / float(numbers.size()) - 0.1f;
  for (const std::string space : {"ADX10", "ADX16", "ARRI LogC3 (EI800)", "CanonLog2 CinemaGamut D55", "V-Log V-Gamut",
                                  "Log3G10 REDWideGamutRGB", "S-Log3 S-Gamut3"})
    for (const bool is_from : {true, false}) {
      CAPTURE(space);
      CAPTURE(is_from);
      const Call call = ocio_call({"--config=studio", "--from=" + (is_from ? space : "ACES2065-1"),
                                   "--to=" + (is_from ? "ACES2065-1" : space)});
      const RunResult result =
          gpu.run(plan({&call, 1}, {.size = base.size, .storage = Depth::f32}, gpu.info().traits), base, 0);
      const std::vector<LevelCheck> checks = verify({&call, 1}, base, result.levels, 0, Depth::f32);
      CHECK_MESSAGE(checks[0].share <= 1, describe(checks[0]));
    }
}

GPU_TEST_CASE("a view is one pass with the point ops before and behind it") {
  if (!has_ocio()) return;
  const Call view = ocio_call({"--display=sRGB - Display"});
  const std::vector<Call> chain{call_of("exposure", "--stops 1"), view, call_of("clamp", "")};
  CHECK(plan(chain, {.size = {257, 129}}, gpu.info().traits).passes.size() == 1);
  check_chain(gpu, chain, "noise", {65, 33}, kinds[0]);
}

TEST_CASE("a long function has one pass of its own, and stands there once") {
  if (!has_ocio()) return;
  const std::vector<Call> chain{call_of("blur", "--radius 2"),
                                ocio_call({"--display=sRGB - Display", "--view=ACES 1.0 - SDR Video"}),
                                call_of("clamp", "")};
  const Pass last = plan(chain, {.size = {257, 129}, .storage = Depth::half}, {}).passes.back();
  CHECK(last.name == "ocio, clamp");
  CHECK(std::ranges::any_of(last.defines,
                            [](const Define& define) { return define.name == "TEXELS" && define.value == 1; }));
  const std::vector<Call> short_one{chain[0], chain[2]};
  CHECK(plan(short_one, {.size = {257, 129}, .storage = Depth::half}, {}).passes.back().points.on_store.size() == 1);
}
