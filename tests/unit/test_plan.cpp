// Plans, without a device.
#include "core/base/error.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/plan/explain.h"
#include "core/plan/plan.h"
#include "core/plan/tiling.h"
#include "tests/support/error_of.h"
#include "tests/support/patterns.h"
#include "tests/support/rich_gpu.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpupost;
using namespace gpupost::test;

namespace {

const Op& mips() { return *op_named("mips"); }

int level_count(std::string_view words, Size size) {
  const Call call = parse_call(mips(), words);
  return result_level_count({&call, 1}, size);
}

Plan plan_of(std::string_view words, Size size, const DeviceTraits& traits, Depth storage = Depth::half) {
  const Call call = parse_call(mips(), words);
  return plan({&call, 1}, {.size = size, .storage = storage}, traits);
}

// "1 message" of the error that planning throws; "" where it throws none.
std::string refusal(std::string_view words, Size size, const DeviceTraits& traits) {
  return coded_error_of([&] { plan_of(words, size, traits); });
}

std::vector<Size> many_sizes() {
  std::vector<Size> sizes = test::awkward_sizes();
  sizes.insert(sizes.end(),
               {{1, 2}, {2, 1}, {1920, 1080}, {4096, 4096}, {4095, 4097}, {32768, 1}, {1, 32768}, {32768, 3}});
  return sizes;
}

// Do the groups of a pass reach every texel of the levels it writes?
bool reaches_all(const Pass& pass, Size target, int tile_side_x, int tile_side_y) {
  return pass.grid.count[0] * tile_side_x >= target.width && pass.grid.count[1] * tile_side_y >= target.height;
}

}  // namespace

TEST_CASE("a whole chain has 1 + floor(log2(longer side)) levels") {
  const std::pair<Size, int> expected[] = {{{1, 1}, 1},      {{2, 1}, 2},         {{3, 5}, 3},        {{1, 4096}, 13},
                                           {{17, 9}, 5},     {{1920, 1080}, 11},  {{4096, 4096}, 13}, {{4095, 3}, 12},
                                           {{32767, 2}, 15}, {{32768, 32768}, 16}};
  for (const auto& [size, levels] : expected) {
    CHECK_MESSAGE(level_count("", size) == levels, size.width, "x", size.height);
    CHECK(level_count("--levels 3", size) == std::min(3, levels));
    CHECK(level_count("--levels 1", size) == 1);
  }
}

TEST_CASE("one pass a level writes each level once, from the level above it, with groups enough") {
  for (const Size size : many_sizes())
    for (const bool on_cpu : {true, false}) {
      CAPTURE(size.width);
      CAPTURE(size.height);
      DeviceTraits traits = rich_gpu();
      if (on_cpu) traits.type = DeviceType::cpu;
      const Plan made = plan_of("--method per-level", size, traits);
      const int levels = level_count_of(size);
      REQUIRE(int(made.passes.size()) == levels - 1);
      CHECK(made.images.at(0).level_count == levels);
      for (int level = 1; level < levels; ++level) {
        const Pass& pass = made.passes[size_t(level) - 1];
        CHECK(pass.source.level == level - 1);
        CHECK(pass.target.level == level);
        CHECK(pass.target.count == 1);
        const int width = on_cpu ? pass.grid.group[0] : 16, height = on_cpu ? pass.grid.group[1] : 16;
        CHECK(reaches_all(pass, level_size(size, level), width, height));
        CHECK(pass.memory.bytes_read == 8 * texel_count(level_size(size, level - 1)));
        CHECK(pass.memory.bytes_written == 8 * texel_count(level_size(size, level)));
      }
    }
}

TEST_CASE("the single pass is one pass that writes all levels, its tiles reach every texel") {
  for (const Size size : many_sizes()) {
    if (size == Size{1, 1}) continue;
    CAPTURE(size.width);
    CAPTURE(size.height);
    const Plan made = plan_of("--method single-pass", size, rich_gpu(), Depth::f32);
    REQUIRE(made.passes.size() == 1);
    const Pass& pass = made.passes[0];
    const int levels = level_count_of(size);
    CHECK(pass.target.level == 1);
    CHECK(pass.target.count == levels - 1);
    CHECK(pass.target.bound_count >= pass.target.count);
    CHECK(reaches_all(pass, level_size(size, 1), 32, 32));
    CHECK(pass.memory.bytes_read == 16 * texel_count(size));
    size_t written = 0;
    for (int level = 1; level < levels; ++level) written += 16 * texel_count(level_size(size, level));
    CHECK(pass.memory.bytes_written == written);
    const bool has_tail = levels - 1 > 6;
    CHECK((pass.memory.scratch_bytes > 0 || !has_tail));
  }
}

TEST_CASE("a GPU takes the single pass by itself, a CPU one pass a level, and each says why") {
  DeviceTraits traits = rich_gpu();
  CHECK(plan_of("", {512, 512}, traits).passes.size() == 1);
  CHECK(plan_of("", {512, 512}, traits).choices ==
        std::vector<std::string>{"mips: single-pass amd-2x2+shuffle+load, one dispatch is the fastest on a GPU"});
  // with bytes, a sampler gives the same mean bit for bit
  const Call call = parse_call(mips(), "");
  CHECK(plan({&call, 1}, {.size = {512, 512}, .storage = Depth::u8}, traits).choices ==
        std::vector<std::string>{"mips: single-pass amd-2x2+shuffle+linear, one dispatch is the fastest on a GPU"});
  traits.type = DeviceType::cpu;
  CHECK(plan_of("", {512, 512}, traits).passes.size() == 9);
  CHECK(plan_of("", {512, 512}, traits).choices ==
        std::vector<std::string>{"mips: per-level, barriers and shared memory are slow on a CPU device"});
  CHECK(plan_of("--method single-pass", {512, 512}, traits).choices ==
        std::vector<std::string>{"mips: single-pass amd-2x2+shuffle+load, asked for"});
}

TEST_CASE(
    "a device that lacks what the single pass needs gets one pass a level, and the reason; asked for, it is refused") {
  struct Lack {
    const char* reason;
    void (*take_away)(DeviceTraits&);
    size_t pass_count;  // 5: one workgroup makes levels 5 to 9
  };
  const Lack lacks[] = {
      {"it needs workgroups of 256 threads; the device has 128",
       [](DeviceTraits& traits) { traits.max_group_invocations = 128; }, 9},
      {"it needs the Vulkan memory model", [](DeviceTraits& traits) { traits.has_memory_model = false; }, 5},
      {"it writes 9 images at once; the device allows 8", [](DeviceTraits& traits) { traits.max_storage_images = 8; },
       5},
      {"bytes of shared memory; the device has 1024", [](DeviceTraits& traits) { traits.shared_bytes = 1024; }, 9},
  };
  for (const Lack& lack : lacks) {
    DeviceTraits traits = rich_gpu();
    lack.take_away(traits);
    const Plan made = plan_of("", {512, 512}, traits);
    CHECK(made.passes.size() == lack.pass_count);
    CHECK_MESSAGE(made.choices.at(0).find(lack.reason) != std::string::npos, made.choices.at(0));
    const std::string message = refusal("--method single-pass", {512, 512}, traits);
    CHECK_MESSAGE(message.starts_with("1 mips: --method single-pass cannot run on a rich GPU: "), message);
    CHECK_MESSAGE(message.find(lack.reason) != message.npos, message);
  }
}

TEST_CASE("two passes make a chain whose fourth or fifth level is odd, unless a method is asked for") {
  for (const Size size : {Size{1920, 1080}, Size{1280, 720}, Size{200, 144}}) {
    const Plan made = plan_of("", size, rich_gpu());
    REQUIRE(made.passes.size() == 2);
    CHECK(made.passes[0].target.count == 5);
    CHECK(made.passes[1].source.level == 5);
    CHECK(made.passes[1].target.level == 6);
    CHECK(made.choices.at(0).starts_with("mips: two passes amd-2x2+shuffle+load"));
    CHECK(plan_of("--method single-pass", size, rich_gpu()).passes.size() == 1);
    CHECK(plan_of("--method per-level", size, rich_gpu()).passes.size() > 6);
  }
  for (const Size size : {Size{1920, 1088}, Size{640, 352}, Size{3840, 2160}, Size{1024, 1024}})
    CHECK(plan_of("", size, rich_gpu()).passes.size() == 1);
}

TEST_CASE("few storage images are enough for few levels") {
  DeviceTraits traits = rich_gpu();
  traits.max_storage_images = 4;
  CHECK(plan_of("--levels 5", {512, 512}, traits).passes.size() == 1);
  CHECK(plan_of("--levels 5", {512, 512}, traits).passes[0].target.bound_count <= 4);
  CHECK(plan_of("--levels 6", {512, 512}, traits).passes.size() == 5);
}

TEST_CASE("what every Vulkan 1.2 device has is enough for a plan") {
  for (const Size size : test::awkward_sizes())
    CHECK(int(plan_of("", size, {}).passes.size()) == level_count_of(size) - 1);
}

TEST_CASE("a picture larger than the device takes is over a limit, in either direction, and the message names both") {
  DeviceTraits traits = rich_gpu();
  traits.max_image_side = 4096;
  CHECK(refusal("", {4096, 4096}, traits) == "");
  CHECK(refusal("", {4097, 1}, traits) == "7 the image is 4097 x 1 texels; a rich GPU allows at most 4096 per side");
  CHECK(refusal("", {1, 4097}, traits).starts_with("7 "));
}

TEST_CASE("a device without half arithmetic is given none, and the plan says so") {
  const Call call = parse_call(mips(), "");
  for (const bool has_float16 : {true, false}) {
    DeviceTraits traits = rich_gpu();
    traits.half.has_arithmetic = has_float16;
    const Plan made = plan({&call, 1}, {.size = {64, 64}, .half_arithmetic = true}, traits);
    for (const Pass& pass : made.passes) CHECK(pass.arithmetic.is_half == has_float16);
    CHECK((made.choices.front().find("--fp16") != std::string::npos) == !has_float16);
  }
}

TEST_CASE("a picture of one texel needs no pass") {
  const Plan made = plan_of("", {1, 1}, rich_gpu());
  CHECK(made.passes.empty());
  CHECK(made.keeps_level_0);
  CHECK(made.choices == std::vector<std::string>{"mips: the image is its only level"});
  CHECK(plan_of("--levels 1", {512, 512}, rich_gpu()).passes.empty());
}

TEST_CASE("the text of a plan names chain, choices, images and every pass with its numbers") {
  const Call call = parse_call(mips(), "--method per-level --levels 3");
  const Plan made = plan({&call, 1}, {.size = {1024, 512}, .storage = Depth::half}, rich_gpu());
  const std::string text = explain(made, {&call, 1});
  for (const std::string part :
       {"chain    mips --method per-level --levels 3\n", "choice   mips: per-level, asked for\n",
        "image 0  1024 x 512, 3 levels, RGBA16F, 5.2 MiB\n", "pass 0   mips level 1: mips/level.glsl [",
        "32x16 groups of 256x1, reads 4.0 MiB, writes 1.0 MiB\n", "pass 1   mips level 2: mips/level.glsl ["})
    CHECK_MESSAGE(text.find(part) != text.npos, "no \"", part, "\" in\n", text);
}

static std::vector<std::string> names_of(const std::vector<FusedPoint>& points) {
  std::vector<std::string> names;
  for (const FusedPoint& point : points) names.push_back(point.name);
  return names;
}

static Plan plan_of_chain(std::initializer_list<std::string_view> lines, bool fuses = true) {
  std::vector<Call> calls;
  for (const std::string_view line : lines) {
    const size_t space = std::min(line.find(' '), line.size());
    calls.push_back(parse_call(*op_named(line.substr(0, space)), line.substr(space)));
  }
  return plan(calls, {.size = {640, 480}, .storage = Depth::half, .fuses = fuses}, rich_gpu());
}

TEST_CASE("point ops go into what the pass before them stores, and into one pass where there is none") {
  using Names = std::vector<std::string>;
  const Plan alone = plan_of_chain({"exposure --stops 1", "gamma --value 2", "clamp"});
  REQUIRE(alone.passes.size() == 1);
  CHECK(alone.passes[0].kernel == "shared/copy.glsl");
  CHECK(names_of(alone.passes[0].points.on_store) == Names{"exposure", "gamma", "clamp"});
  CHECK(!alone.keeps_level_0);

  const Plan behind = plan_of_chain({"blur --radius 2 --method direct", "gamma --value 2", "clamp"});
  REQUIRE(behind.passes.size() == 1);
  CHECK(names_of(behind.passes[0].points.on_store) == Names{"gamma", "clamp"});
  CHECK(behind.images.size() == 2);

  const Plan between =
      plan_of_chain({"clamp", "blur --radius 2 --method direct", "exposure --stops 1", "mips --method single-pass"});
  REQUIRE(between.passes.size() == 3);
  CHECK(names_of(between.passes[0].points.on_store) == Names{"clamp"});
  CHECK(names_of(between.passes[1].points.on_store) == Names{"exposure"});
  CHECK(between.passes[2].points.on_store.empty());
  CHECK(between.result_image == between.passes[1].target.image);
}

TEST_CASE("without fusing each point op has a pass, and floats stand between them") {
  const Plan made = plan_of_chain({"exposure --stops 1", "gamma --value 2", "clamp", "flip x"}, false);
  REQUIRE(made.passes.size() == 4);
  std::vector<Depth> depths;
  for (const Pass& pass : made.passes) depths.push_back(made.images[size_t(pass.target.image)].depth);
  CHECK(depths == std::vector{Depth::f32, Depth::f32, Depth::half, Depth::half});
}

TEST_CASE("11:11:10 bits are of what ops hand on, never of the floats between point ops that are not fused") {
  const std::vector<Call> calls{parse_call(*op_named("exposure"), "--stops 1"),
                                parse_call(*op_named("gamma"), "--value 2"),
                                parse_call(*op_named("blur"), "--radius 2 --method direct")};
  DeviceTraits traits = rich_gpu();
  traits.has_packed_floats = true;
  const Plan made =
      plan(calls, {.size = {640, 480}, .storage = Depth::half, .is_r11g11b10_between = true, .fuses = false}, traits);
  REQUIRE(made.passes.size() == 3);
  const auto is_packed = [&](size_t pass) { return made.images[size_t(made.passes[pass].target.image)].is_packed; };
  CHECK(!is_packed(0));
  CHECK(is_packed(1));
}

TEST_CASE(
    "floats between point ops that are not fused are R, G and B: never Yxy or 11:11:10 bits, also with float storage") {
  DeviceTraits traits = rich_gpu();
  traits.has_packed_floats = true;
  const std::vector<Call> calls{parse_call(*op_named("exposure"), "--stops 1"),
                                parse_call(*op_named("gamma"), "--value 2"),
                                parse_call(*op_named("blur"), "--radius 2 --method direct")};
  for (const bool is_packed : {false, true}) {
    const Plan made = plan(calls,
                           {.size = {640, 480},
                            .storage = Depth::f32,
                            .between = is_packed ? Space::rgb : Space::yxy,
                            .is_r11g11b10_between = is_packed,
                            .fuses = false},
                           traits);
    REQUIRE(made.passes.size() == 3);
    const PlanImage& between_points = made.images[size_t(made.passes[0].target.image)];
    const PlanImage& between_ops = made.images[size_t(made.passes[1].target.image)];
    CHECK(between_points.space == Space::rgb);
    CHECK(!between_points.is_packed);
    CHECK(between_ops.space == (is_packed ? Space::rgb : Space::yxy));
    CHECK(between_ops.is_packed == is_packed);
  }
}

TEST_CASE("only the last result of an op is stored as Yxy or 11:11:10 bits, not the results between its passes") {
  DeviceTraits traits = rich_gpu();
  traits.has_packed_floats = true;
  const std::vector<Call> calls{parse_call(*op_named("blur"), "--radius 2 --method direct --passes 3"),
                                parse_call(*op_named("resize"), "--fit 90x20 --pad 0.5,0.5,0.5"),
                                parse_call(*op_named("flip"), "x")};
  for (const bool is_packed : {false, true}) {
    const Plan made = plan(calls,
                           {.size = {640, 480},
                            .storage = Depth::half,
                            .between = is_packed ? Space::rgb : Space::yxy,
                            .is_r11g11b10_between = is_packed},
                           traits);
    std::vector<PlanImage> targets;
    for (const Pass& pass : made.passes) targets.push_back(made.images[size_t(pass.target.image)]);
    REQUIRE(targets.size() == 7);  // three of the blur, rows, columns and canvas of resize, and flip
    for (const size_t within : {0, 1, 3, 4}) {
      CHECK(!targets[within].is_packed);
      CHECK(targets[within].space != Space::yxy);
      if (!is_packed) CHECK(targets[within].depth == Depth::f32);
    }
    for (const size_t last : {2, 5}) {
      CHECK(targets[last].is_packed == is_packed);
      CHECK(targets[last].space == (is_packed ? Space::rgb : Space::yxy));
      CHECK(targets[last].depth == Depth::half);
      if (is_packed) CHECK(made.passes[last].memory.bytes_written == 4 * texel_count(targets[last].size));
    }
    CHECK(!targets[6].is_packed);
    CHECK(targets[6].space == Space::rgb);
  }
}

TEST_CASE("point ops that change nothing are no pass") {
  CHECK(plan_of_chain({"exposure --stops 0", "gain", "gamma --value 1"}).passes.empty());
  CHECK(plan_of_chain({"exposure --stops 0", "gain", "gamma --value 1"}).keeps_level_0);
  CHECK(plan_of_chain({"gain --value 0.9", "shift --x 3", "gain --value 0.7"}).passes.size() == 1);
}

TEST_CASE(
    "a long chain has no more images than a short one, writes none that it still reads, and leaves its input where it "
    "must") {
  const auto blurs = [](int count) {
    const std::vector<Call> calls(size_t(count), parse_call(*op_named("blur"), "--radius 2 --method direct"));
    return plan(calls, {.size = {640, 480}, .storage = Depth::half, .keeps_input = true}, rich_gpu());
  };
  const Plan made = blurs(6);
  CHECK(made.passes.size() == 6);
  CHECK(made.images.size() == 3);  // the input, and two by turns
  CHECK(blurs(2).images.size() == 3);
  int current = 0;
  for (const Pass& pass : made.passes) {
    CHECK(pass.source.image == current);  // what the pass before has left
    CHECK(pass.target.image != pass.source.image);
    CHECK(pass.target.image != 0);
    current = pass.target.image;
  }
  CHECK(made.result_image == current);
}

TEST_CASE("what 11:11:10 bits cannot hold is the fault of ops by the names that were typed") {
  DeviceTraits traits = rich_gpu();
  traits.has_packed_floats = true;
  const auto faults = [&](std::vector<Call> calls) {
    const Plan made = plan(calls, {.size = {64, 48}, .storage = Depth::half, .is_r11g11b10_between = true}, traits);
    std::string text;
    for (const Guard& guard : made.guards) {
      const size_t begin = guard.message.find("alpha; "), end = guard.message.find(" {} texels");
      REQUIRE(begin != std::string::npos);
      REQUIRE(end != std::string::npos);
      text += guard.message.substr(begin + 7, end - begin - 7) + "\n";
    }
    return text;
  };
  const Call white = parse_call(*op_named("white-balance"), "--kelvin 3000"),
             gamma = parse_call(*op_named("gamma"), "--value 1.2"),
             offset = parse_call(*op_named("offset"), "--value -0.1"),
             blur = parse_call(*op_named("blur"), "--radius 2"), flip = parse_call(*op_named("flip"), "x");
  CHECK(faults({white, gamma, blur}) == "white-balance and gamma make\n");
  CHECK(faults({white, blur}) == "white-balance makes\n");
  CHECK(faults({white, gamma, offset, gamma, blur}) == "white-balance, gamma and offset make\n");
  CHECK(faults({blur, offset, flip}) == "blur and offset make\n");
  CHECK(faults({flip, parse_call(*op_named("tonemap"), "--curve reinhard"), blur}) == "flip and tonemap make\n");
  Call converted = parse_call(*op_named("matrix"), "--rows 1,0,0,0,1,0,0,0.5,1");
  converted.purpose = "the conversion of primaries";
  CHECK(faults({converted, blur}) == "the conversion of primaries makes\n");
}

TEST_CASE("memory that may be too small is a reason for tiles, but not to refuse a chain that cannot be tiled") {
  DeviceTraits traits = rich_gpu();
  traits.memory.total_bytes = size_t(1) << 20;
  const auto limit_of = [&](std::string_view words) {
    const Call call = parse_call(mips(), words);
    return decide_tiling({&call, 1}, {.size = {1024, 1024}, .storage = Depth::f32}, traits, {}).limit;
  };
  CHECK(limit_of("--method per-level").starts_with("all images need "));
  CHECK(limit_of("--hicomp --from-base") == "");
}
