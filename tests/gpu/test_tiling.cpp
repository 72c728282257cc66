// Pictures that go through in parts: the same texels as at once, bit for bit.
#include "core/base/half.h"
#include "core/base/threads.h"
#include "core/engine/floors.h"
#include "core/engine/run_chain.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/ops/stats/check.h"
#include "core/plan/tiling.h"
#include "core/reference/verify.h"
#include "core/system/sandbox.h"
#include "tests/support/device.h"
#include "tests/support/error_of.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"
#include "tests/support/thorough.h"
#include "tests/support/tiled_runs.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace gpupost;
using namespace gpupost::test;

namespace {

void check_same(Gpu& gpu, Gpu& small, std::span<const Call> calls, const PlanInput& input, std::string_view name,
                const ChainOptions& options) {
  test::check_same(gpu, small, calls, input, pattern(name, input.size, input.storage), options);
}

void check_same(Gpu& gpu, Gpu& small, std::span<const Call> calls, Size size, Depth depth,
                const ChainOptions& options) {
  check_same(gpu, small, calls, PlanInput{.size = size, .storage = depth}, "nonfinite", options);
}

// Workgroups of a GPU begin anew after a hundred texels where those of a CPU do after a few, so that its tiles are larger.
int scale_of(const Gpu& gpu) { return gpu.info().traits.type == DeviceType::cpu ? 1 : 4; }

// The sanitizers see the code of the host alone, which is the same for each combination: a fifth is enough for them.
bool is_left_out(int turn) { return is_sanitized() && turn % 5 != 0; }

}  // namespace

GPU_TEST_CASE("every way of blurring is the same in parts, with every border") {
  struct Way {
    std::string_view words;
    Size size;
    int side;  // that the small device takes
  };
  const int scale = scale_of(gpu);
  // sums that slide begin anew after some hundred texels: parts are as large
  constexpr Way ways[] = {{"--radius 15", {1301, 64}, 1200},
                          {"--radius 15", {64, 1301}, 1200},
                          {"--radius 3 --method separable", {203, 133}, 92},
                          {"--sigma 3", {406, 133}, 184},
                          {"--radius 4 --method direct", {203, 133}, 92},
                          {"--sigma 2 --method shared", {403, 133}, 360},
                          {"--radius 7 --method sliding --axis x --passes 2", {1301, 64}, 1200},
                          {"--sigma 5", {203, 133}, 92},
                          {"--sigma 12.3", {601, 31}, 255},
                          {"--sigma 9 --axis y", {31, 601}, 255}};
  constexpr std::string_view borders[] = {"clamp", "repeat", "mirror", "black", "renormalize"};
  int turn = 0;
  for (const Way& way : ways) {
    const bool slides = way.side > 1000;
    const Size size = slides ? way.size : Size{scale * way.size.width, scale * way.size.height};
    Gpu small = small_device(gpu, slides ? way.side : scale * way.side);
    for (const std::string_view border : borders) {
      const Call call = call_of("blur", fmt::format("{} --border {}", way.words, border));
      if (can_run(call, gpu.info().traits) && !find_untileable({&call, 1}))
        check_same(gpu, small, {&call, 1}, size, kinds[turn++ % 2].depth, {});
    }
  }
}

GPU_TEST_CASE("chains are the same in parts: of points, blurs, lenses, moved texels and levels") {
  const int scale = scale_of(gpu);
  const Size size{403 * scale, 333 * scale};
  Gpu small = small_device(gpu, 192 * scale);
  const std::vector<Call> chains[] = {
      chain_of({{"exposure", "--stops 1"}, {"gamma", "--value 2"}}, size),
      chain_of({{"exposure", "--stops 1"},
                {"blur", "--radius 3 --border repeat"},
                {"saturation", "--factor 0.5"},
                {"blur", "--sigma 2"}},
               size),
      chain_of({{"flip", "x"}, {"gain", "--value 0.25"}, {"crop", "--window 301x257+51+13"}}, size),
      chain_of({{"blur", "--radius 3"}, {"shift", "--x 3"}, {"gain", "--value 0.7"}}, size),
      chain_of({{"gain", "--value 0.9"}, {"shift", "--x 3"}, {"gain", "--value 0.7"}}, size),
      chain_of({{"localgamma", "--adapt-radius 8"}}, size),
      chain_of({{"dof", "--max-radius 6 --focus 3 --f-stop 1.4 --blades 6"}}, size),
      chain_of({{"dof", "--max-radius 9 --resolution half"}}, size),
      chain_of({{"gain", "--value 0.5"}, {"dof", "--max-radius 4 --focus-at 200,100 --show coc"}}, size),
      chain_of({{"bloom", "--threshold 0.25 --radius 4"}}, size),
      chain_of({{"gain", "--value 2"}, {"bloom", "--threshold 0.25 --radius 3"}, {"gain", "--value 0.5"}}, size),
      chain_of({{"rotate", "--degrees 33 --border clamp"}}, size),
      chain_of({{"gain", "--value 2"}, {"rotate", "--degrees 133 --border repeat --filter lanczos3"}}, size),
      chain_of({{"rotate", "--degrees -80 --border mirror --filter bilinear"}, {"gain", "--value 2"}}, size),
      chain_of({{"rotate", "--degrees 45 --expand --filter nearest"}}, size),
      chain_of({{"resize", "--size 50%"}, {"gain", "--value 2"}}, size),
      chain_of({{"gain", "--value 2"}, {"resize", "--size 130% --filter mitchell --border repeat"}}, size),
      chain_of({{"resize", "--size 91x300 --filter box"}, {"blur", "--sigma 2"}}, size),
      chain_of({{"resize", "--fit 300x500 --pad 1,0.5,0,0.25"}, {"gain", "--value 2"}}, size),
      chain_of({{"resize", "--size 701x55 --filter kaiser --hicomp"}}, size),
      chain_of({{"resize", "--fit 300x500 --pad 1,0.5,0,0.25 --filter nearest"}}, size),
      // results as large as the input
      chain_of({{"gain", "--value 2"}, {"resize", "--size 100%"}}, size),
      chain_of({{"resize", "--fit 4000x4000"}}, size),
      chain_of({{"shift", "--x 7 --y -5"}, {"pad", fmt::format("--size {}x{}", size.width, size.height)}}, size),
      chain_of({{"mips", "--method per-level"}}, size),
      chain_of({{"gain", "--value 0.5"}, {"mips", "--method per-level --reduce max --levels 3"}}, size)};
  int turn = 0;
  for (const std::vector<Call>& calls : chains) {
    const Depth depth = turn++ % 2 == 0 ? Depth::half : Depth::f32;
    check_same(gpu, small, calls, size, depth, {});
    if (is_thorough()) check_same(gpu, small, calls, size, depth == Depth::half ? Depth::f32 : Depth::half, {});
  }
}

GPU_TEST_CASE("several passes of a blur are the same in tiles, in the middle and beyond a border that repeats") {
  const int scale = scale_of(gpu);
  Gpu small = small_device(gpu, 92 * scale);
  int turn = 0;
  for (const std::string_view words :
       {"--radius 3 --passes 3 --method separable --border repeat", "--sigma 1 --passes 2 --border repeat",
        "--sigma 1 --passes 2", "--sigma 5 --passes 2 --axis x --border repeat",
        "--radius 20 --passes 4 --method lines --border repeat"})
    for (const Size size : {Size{203, 133}, {257, 129}, {1, 4096}, {110, 9}}) {
      const std::vector<Call> calls = chain_of({{"gain", "--value 2"}, {"blur", words}, {"gain", "--value 0.5"}}, size);
      check_same(gpu, small, calls, {size.width * scale, size.height * (size.height < 4096 ? scale : 1)},
                 kinds[turn++ % 2].depth, {});
    }
}

namespace {

// The call of `warp` with an ST map of this size in which texel (x, y) has the s and t that `at` gives.
Call warp_by(std::string_view words, Size size, const std::function<std::array<float, 2>(double x, double y)>& at) {
  auto map = std::make_shared<Level>(Level{size, TexelBuffer(texel_count(size) * 4 * sizeof(float))});
  float* value = map->texels.as<float>().data();
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x, value += 4) {
      const auto [s, t] = at((x + 0.5) / size.width, (y + 0.5) / size.height);
      value[0] = s;
      value[1] = t;
    }
  Call call = call_of("warp", fmt::format("--st map.exr --origin top {}", words));
  call.inputs = {{.picture = {.size = size, .depth = Depth::f32}, .texels = map}};
  return call;
}

std::array<float, 2> lens(double x, double y) {
  const double scale = 0.9 + 0.4 * ((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5));
  return {float(0.5 + scale * (x - 0.5)), float(0.5 + scale * (y - 0.5))};
}

std::array<float, 2> swirl(double x, double y) {
  const double dx = x - 0.5, dy = y - 0.5, angle = 2 * std::exp(-8 * (dx * dx + dy * dy));
  return {float(0.5 + std::cos(angle) * dx - std::sin(angle) * dy),
          float(0.5 + std::sin(angle) * dx + std::cos(angle) * dy)};
}

// Begins in the middle and goes on beyond the border to the middle; the upper left corner has no position.
std::array<float, 2> shifted(double x, double y) {
  if (x < 0.3 && y < 0.3) return {NAN, float(y)};
  return {float(x + 0.5), float(y - 0.25)};
}

}  // namespace

GPU_TEST_CASE("warp is the same in tiles, for every border, filter and awkward size") {
  Gpu small = small_device(gpu, 97);
  int turn = 0;
  // each map with each border and with each filter, at two or three sizes, and more where is_thorough()
  const int step = is_thorough() ? 1 : is_sanitized() ? 4 : 2;
  for (const auto& at : {lens, swirl, shifted})
    for (const std::string_view border : {"black", "clamp", "repeat", "mirror"})
      for (const std::string_view filter : {"catmull-rom", "bilinear", "nearest", "lanczos3"})
        for (const auto& [from, to] : {std::pair{Size{257, 129}, Size{203, 311}},
                                       {{101, 67}, {101, 67}},
                                       {{17, 9}, {257, 129}},
                                       {{1, 1}, {100, 1}},
                                       {{1, 4096}, {1, 4096}}}) {
          if (!is_thorough() && border != "clamp" && filter != "bilinear") continue;
          if (++turn % step != 0) continue;
          const Call call = warp_by(fmt::format("--border {} --filter {}", border, filter), to, at);
          CAPTURE(to.width);
          check_same(gpu, small, {&call, 1}, from, kinds[turn % 2].depth, {});
        }
  const Size size{257, 129};
  const Call warp = warp_by("", size, swirl);
  std::vector<Call> calls = chain_of({{"gain", "--value 2"}, {"gain", "--value 1"}, {"gain", "--value 0.5"}}, size);
  calls[1] = warp;
  check_same(gpu, small, calls, size, Depth::half, {});
  check_same(gpu, small, calls, PlanInput{.size = size, .between = Space::yxy}, "light", {});
  std::vector<Call> merged =
      chain_of({{"gain", "--value 2"}, {"merge", "--with other.exr"}, {"blur", "--sigma 1 --method separable"}}, size);
  merged[0] = warp;
  check_same(gpu, small, merged, size, Depth::half, {});
}

GPU_TEST_CASE("merge is the same in tiles, whatever the size and the place of the second image") {
  Gpu small = small_device(gpu, 97);
  const Size size{257, 129};
  int turn = 0;
  for (const Size other : {Size{301, 257}, Size{50, 400}, Size{1, 1}, size})
    for (const std::string_view offset : {"0,0", "-31,17", "100,60", "256,128", "257,0", "-400,-500"}) {
      if (is_left_out(++turn)) continue;
      Call call = parse_call(*op_named("merge"),
                             fmt::format("--with other.exr --offset {} --mode {}", offset, turn % 2 ? "over" : "add"));
      call.inputs.push_back({.picture = {.size = other, .depth = Depth::half},
                             .texels = std::make_shared<const Level>(pattern("light", other, Depth::half))});
      std::vector<Call> calls = chain_of({{"gain", "--value 2"}, {"gain", "--value 1"}, {"flip", "x"}}, size);
      calls[1] = call;
      CAPTURE(other.width);
      check_same(gpu, small, calls, size, kinds[turn % 2].depth, {});
    }
}

GPU_TEST_CASE("a map that tears tiles apart is refused") {
  Gpu small = small_device(gpu, 97);
  const Size size{257, 129};
  const Call call = warp_by("", size, [](double x, double y) {
    return std::array{float(std::fmod(x * 997, 1)), float(std::fmod(y * 991, 1))};
  });
  const auto run = [&] { run_chain(small, {&call, 1}, {.size = size}, pattern("noise", size, Depth::half), {}); };
  const std::string said = error_of(run, Exit::limit);
  CHECK_MESSAGE(said.find("a tile of `warp --st map.exr --origin top` needs at least") != said.npos, said);
}

GPU_TEST_CASE("chains in Yxy or packed between ops are the same in tiles") {
  const int scale = scale_of(gpu);
  const Size size{403 * scale, 333 * scale};
  Gpu small = small_device(gpu, 192 * scale);
  const std::vector<Call> chains[] = {
      chain_of({{"blur", "--radius 3"}, {"saturation", "--factor 0.5"}, {"blur", "--sigma 2"}}, size),
      chain_of({{"gain", "--value 2"}, {"blur", "--radius 2 --passes 2"}, {"resize", "--size 50%"}}, size),
      chain_of({{"flip", "x"}, {"blur", "--radius 3"}, {"flip", "y"}}, size),
      chain_of({{"flip", "x"}, {"shift", "--x 3"}, {"gain", "--value 0.25"}, {"blur", "--radius 3"}}, size),
      chain_of({{"gain", "--value 0.5"}, {"shift", "--x 3"}, {"gain", "--value 0.25"}, {"flip", "y"}}, size),
      chain_of({{"flip", "x"}, {"gain", "--value 0.25"}, {"blur", "--radius 3"}, {"flip", "y"}, {"gain", "--value 2"}},
               size),
      chain_of({{"blur", "--radius 3"}, {"shift", "--x 3"}, {"gain", "--value 1"}}, size),
      chain_of({{"blur", "--radius 3"}, {"crop", "--window 301x257+51+13"}, {"rotate", "--degrees 33"}}, size),
      chain_of({{"bloom", "--threshold 0.25 --radius 4"}, {"dof", "--max-radius 6 --focus 3 --f-stop 1.4"}}, size),
      chain_of({{"gain", "--value 0.5"}, {"mips", "--method per-level"}}, size),
      chain_of({{"blur", "--radius 3"}, {"gain", "--value 0.5"}, {"mips", "--filter triangle"}}, size),
      chain_of({{"flip", "x"}, {"mips", "--method per-level"}}, size)};
  int turn = 0;
  for (const std::vector<Call>& calls : chains)
    for (const Depth depth : {Depth::half, Depth::f32})
      for (const bool is_packed : {false, true})
        for (const bool fuses : {true, false}) {
          if (is_packed && !gpu.info().traits.has_packed_floats) continue;
          if (is_left_out(++turn)) continue;
          CAPTURE(is_packed);
          CAPTURE(fuses);
          check_same(gpu, small, calls,
                     PlanInput{.size = size,
                               .storage = depth,
                               .between = is_packed ? Space::rgb : Space::yxy,
                               .is_r11g11b10_between = is_packed,
                               .fuses = fuses},
                     "light", {});
        }
}

// In tiles, sums are added up in another order.
GPU_TEST_CASE("what is measured in tiles is what the definition says, and so is what follows from it") {
  const int scale = scale_of(gpu);
  const Size size{333 * scale, 222 * scale};
  Gpu small = small_device(gpu, scale == 1 ? 100 : 1000);  // surrounds of `tonemap` need all rows on a GPU
  const std::vector<Call> chains[] = {
      chain_of({{"stats", ""}}, size),
      chain_of({{"stats", "--measure extremes"}, {"gain", "--value 0.5"}, {"stats", ""}}, size),
      chain_of({{"blur", "--radius 3"}, {"stats", ""}, {"flip", "x"}}, size),
      chain_of({{"exposure", "--auto"}}, size),
      chain_of({{"gain", "--value 3"}, {"exposure", "--auto --percentile 10,90"}, {"blur", "--radius 3"}}, size),
      chain_of({{"brightpass", "--form mapped --threshold 0.2"}}, size),
      chain_of({{"tonemap", "--curve reinhard --key 0.18"}, {"exposure", "--auto"}}, size),
      chain_of({{"gain", "--value 2"}, {"tonemap", "--curve reinhard-local --scales 3 --key 0.18"}}, size),
      chain_of({{"luminance", ""}}, size),
      chain_of({{"gain", "--value 0.5"}, {"luminance", "--size 7x5"}, {"gain", "--value 2"}}, size),
      chain_of({{"luminance", "--tile 31x17 --measure maximum"}}, size),
      chain_of({{"luminance", "--size 30x40 --measure count"}}, size)};
  int turn = 0;
  for (const std::vector<Call>& calls : chains)
    for (const Depth depth : {Depth::half, Depth::f32})
      for (const std::string_view name : {"noise", "nonfinite"}) {
        if (is_left_out(++turn)) continue;
        std::string text(name);
        for (const Call& call : calls) text += " " + call.text();
        CAPTURE(text);
        const Level base = pattern(name, size, depth);
        const ChainRun run = run_chain(small, calls, {.size = size, .storage = depth}, base, {});
        CHECK(is_in_parts(run));
        // only `stats` needs the second reading
        CHECK(std::ranges::count(run.plan.passes, "deviations", &Pass::name) ==
              std::ranges::count_if(calls, [](const Call& call) { return call.text() == "stats"; }));
        for (const LevelCheck& check : verify(calls, base, run.result.levels, run.first_level, depth))
          CHECK_MESSAGE(check.share <= 1, describe(check));
        size_t result = 0;
        for (size_t index = 0; index < calls.size(); ++index) {
          if (calls[index].op->makes != Makes::statistics) continue;
          const Expected expected = expected_before(calls, index, base, depth, {});
          const auto words = run.plan.results.at(result++).of(run.result.statistics);
          const Measure measure = measure_of(calls[index]);
          const NumberCheck worst = worst_of(check_statistics(statistics_of(words, texel_count(size), measure),
                                                              expected.levels[0], expected.tolerance[0], measure));
          CHECK_MESSAGE(worst.share() <= 1, describe(worst));
        }
        CHECK(result == run.plan.results.size());
      }
}

GPU_TEST_CASE("levels of every pair of odd and even sides are the same in parts") {
  Gpu small = small_device(gpu, 33);
  const Call call = call_of("mips", "--method per-level");
  for (const Size size : {Size{64, 70}, {67, 36}, {34, 95}, {101, 67}, {1, 131}, {257, 1}, {259, 3}})
    check_same(gpu, small, {&call, 1}, size, Depth::f32, {});
}

GPU_TEST_CASE("filtered levels of awkward sizes are the same in tiles") {
  Gpu small = small_device(gpu, 33);
  const std::string_view examples[] = {"--filter kaiser",
                                       "--filter lanczos3 --border repeat",
                                       "--filter mitchell --border mirror --levels 4",
                                       "--filter lanczos3 --ringing keep",
                                       "--hicomp",
                                       "--normal",
                                       "--normal --normal-length alpha --filter mitchell --border repeat",
                                       "--filter triangle --levels 3"};
  int turn = 0;
  for (const std::string_view words : examples) {
    const Call call = call_of("mips", words);
    for (const Size size : {Size{64, 70}, {67, 36}, {34, 95}, {101, 67}, {1, 131}, {257, 1}, {259, 3}, {257, 129}})
      if (!is_left_out(++turn)) check_same(gpu, small, {&call, 1}, size, kinds[turn % 2].depth, {});
  }
  const Call call = call_of("mips", "--filter kaiser");
  for (const Size size : {Size{1, 4096}, {4096, 1}}) check_same(gpu, small, {&call, 1}, size, Depth::half, {});
  for (const Size size : {Size{1, 1}, {17, 9}}) {  // they fit at once
    const Level base = pattern("noise", size, Depth::half);
    CHECK(!is_in_parts(run_chain(small, {&call, 1}, {.size = size}, base, {})));
  }
}

GPU_TEST_CASE("a device that may not work long is given a part at a time") {
  constexpr Size size{512, 450};
  const std::vector<Call> direct = chain_of({{"blur", "--radius 9 --method direct"}}, size);
  const Level base = pattern("noise", size, Depth::half);
  const PlanInput input{.size = size};
  const ChainRun whole = run_chain(gpu, direct, input, base, {});
  double slowest = 0;
  for (const double pass : whole.result.times.pass_ms) slowest += pass;
  const ChainRun parts = run_chain(gpu, direct, input, base, {.most_ms = slowest / 8, .unwatched_reads = 0});
  CHECK(!is_in_parts(whole));
  CHECK(is_in_parts(parts));
  CHECK(are_equal(whole.result.levels, parts.result.levels, Depth::half));
  // what nothing is known of and what needs the whole picture goes through at once
  CHECK(!is_in_parts(run_chain(gpu, direct, input, base, {.most_ms = slowest / 8})));
  const Call from_base = call_of("mips", "--filter mitchell --from-base");
  CHECK(!is_in_parts(run_chain(gpu, {&from_base, 1}, input, base, {.most_ms = 1e-6, .unwatched_reads = 0})));
}

GPU_TEST_CASE("a limit on bytes is one too") {
  const Call call = call_of("blur", "--radius 5 --method direct");
  const Level base = pattern("noise", {403, 333}, Depth::f32);
  const PlanInput input{.size = {403, 333}, .storage = Depth::f32};
  const std::vector<Level> whole = run_chain(gpu, {&call, 1}, input, base, {}).result.levels;
  for (size_t MemoryTraits::*limit : {&MemoryTraits::allocation_bytes, &MemoryTraits::total_bytes}) {
    DeviceInfo info = gpu.info();
    info.traits.memory.*limit = 1 << 20;
    Gpu small(info);
    const ChainRun parts = run_chain(small, {&call, 1}, input, base, {});
    CHECK(is_in_parts(parts));
    CHECK(are_equal(whole, parts.result.levels, Depth::f32));
  }
}

namespace {

// Numbers of a picture too large for anything but its parts, [0, 1) and a few of a thousand.
float number_at(int x, int y, int component) {
  uint32_t hash = uint32_t(x) * 2654435761u ^ uint32_t(y) * 2246822519u ^ uint32_t(component) * 3266489917u;
  hash = (hash ^ (hash >> 15)) * 2246822519u;
  hash ^= hash >> 13;
  const float number = float(hash & 1023) / 1024;
  return (hash >> 10 & 255) == 0 ? 1000 * number : number;
}

Level large_picture(Size size) {
  Level level{size, TexelBuffer(texel_count(size) * 4 * sizeof(uint16_t))};
  parallel_ranges(size.height, 16, [&](int begin, int end) {
    std::vector<float> row(4 * size_t(size.width));
    for (int y = begin; y < end; ++y) {
      for (size_t index = 0; index < row.size(); ++index) row[index] = number_at(int(index / 4), y, int(index % 4));
      halves_from_floats(row.data(), level.texels.as<uint16_t>().data() + size_t(y) * row.size(), row.size());
    }
  });
  return level;
}

// The largest share of its tolerance that a number of row `y` is off the mean of the texels of `from`, which gives for a texel the
// first and the last of them.
template <class From>
double worst_of_row(const Level& level, int y, int rounding_count, const From& from) {
  double worst = 0;
  for (int x = 0; x < level.size.width; ++x) {
    const auto [first, last] = from(Position{x, y});
    for (int component = 0; component < 4; ++component) {
      double sum = 0, count = 0;
      for (int row = first.y; row <= last.y; ++row)
        for (int column = first.x; column <= last.x; ++column, ++count)
          sum += double(number_at(std::clamp(column, 0, 19999), std::clamp(row, 0, 11999), component));
      const size_t index = (size_t(y) * size_t(level.size.width) + size_t(x)) * 4 + size_t(component);
      const double made = double(float_from_half(level.texels.as<uint16_t>()[index]));
      worst = std::max(worst, std::abs(made - sum / count) / (rounding_count * rounding(sum / count, Depth::half)));
    }
  }
  return worst;
}

}  // namespace

GPU_TEST_CASE("a picture of 20000 x 12000 texels is what the definition says, in rows here and there" *
              doctest::skip()) {
  constexpr Size size{20000, 12000};
  DeviceInfo info = gpu.info();
  info.traits.max_image_side = std::min(info.traits.max_image_side, 16384);
  Gpu small(info);
  const Level base = large_picture(size);
  const Call blur = call_of("blur", "--radius 7"), mips = call_of("mips", "");
  {
    const ChainRun blurred = run_chain(small, {&blur, 1}, {.size = size}, base, {});
    CHECK(is_in_parts(blurred));
    for (const int y : {0, 3, 5999, 6000, 7777, 11999})
      CHECK(worst_of_row(blurred.result.levels[0], y, 1, [](Position at) {
              return std::pair{Position{at.x - 7, at.y - 7}, Position{at.x + 7, at.y + 7}};
            }) <= 1);
  }
  const ChainRun levels = run_chain(small, {&mips, 1}, {.size = size}, base, {});
  CHECK(is_in_parts(levels));
  REQUIRE(levels.result.levels.size() == 14);
  for (const int level : {1, 2, 5})  // sides halve evenly so far
    for (const int y : {0, 1, 187, 374})
      CHECK(worst_of_row(levels.result.levels[size_t(level) - 1], y, level, [&](Position at) {
              const int side = 1 << level;
              return std::pair{Position{side * at.x, side * at.y},
                               Position{side * at.x + side - 1, side * at.y + side - 1}};
            }) <= 1);
}
