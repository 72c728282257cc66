// What a blur is: its weights, its borders, its plan.
#include "core/ops/blur/reference.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/op/parse.h"
#include "core/ops/blur/spline.h"
#include "core/ops/registry.h"
#include "core/plan/plan.h"
#include "tests/support/patterns.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

using namespace gpupost;

namespace {

Call call_of(std::string_view words) { return parse_call(*op_named("blur"), words); }
Blur blur_of_words(std::string_view words) { return blur_of(call_of(words)); }

std::vector<double> weights_of_words(std::string_view words) {
  const Blur blur = blur_of_words(words);
  return weights_of(blur, blur.radius_x);
}

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

Planes planes_of(Size size, const std::vector<double>& values) {
  Planes planes;
  planes.fill({.size = size, .values = values});
  return planes;
}

std::vector<double> blurred_values(std::string_view words, Size size, const std::vector<double>& values) {
  return blurred(planes_of(size, values), blur_of_words(words))[0].values;
}

// One texel of 1 in the middle of nothing.
std::vector<double> impulse(Size size) {
  std::vector<double> values(texel_count(size));
  values[texel_count(size) / 2] = 1;
  return values;
}

constexpr std::string_view kernels[] = {"--radius 3",           "--radius 40", "--sigma 0.5",
                                        "--sigma 2.5",          "--sigma 17",  "--kernel gaussian --radius 7",
                                        "--radius 2 --passes 3"};

}  // namespace

TEST_CASE("the weights of a kernel add up to one, are the same to both sides, and none is larger than the middle") {
  for (const std::string_view words : {"--radius 0", "--radius 1", "--radius 1024", "--sigma 0", "--sigma 0.01",
                                       "--sigma 0.3", "--sigma 5", "--sigma 341", "--sigma 3 --radius 4"}) {
    CAPTURE(words);
    const std::vector<double> weights = weights_of_words(words);
    CHECK(weights.size() % 2 == 1);
    CHECK(sum_of(weights) == doctest::Approx(1).epsilon(1e-12));
    for (size_t index = 0; index < weights.size(); ++index) {
      CHECK(weights[index] == weights[weights.size() - 1 - index]);
      CHECK(weights[index] > 0);
      CHECK(weights[index] <= weights[weights.size() / 2]);
    }
  }
}

TEST_CASE("weights are what they are by hand: a box's all alike, a gaussian's exp(-k^2 / 2 S^2)") {
  for (const double weight : weights_of_words("--radius 3")) CHECK(weight == doctest::Approx(1.0 / 7));
  // radius 7, so a sigma of 7/3
  const double expected[] = {.17118068, .15616027, .11855449, .07490263, .03938291, .01723257, .00627515, .00190165};
  const std::vector<double> weights = weights_of_words("--kernel gaussian --radius 7");
  REQUIRE(weights.size() == 15);
  for (size_t k = 0; k < 8; ++k) CHECK(weights[7 + k] == doctest::Approx(expected[k]).epsilon(1e-6));
}

TEST_CASE("--sigma is a gaussian that reaches to 3 sigma, --radius a box; each may be given with the other") {
  const auto radius = [](std::string_view words) { return blur_of_words(words).radius_x; };
  CHECK(blur_of_words("--radius 5").kernel == BlurKernel::box);
  CHECK(blur_of_words("--sigma 2").kernel == BlurKernel::gaussian);
  CHECK(blur_of_words("--sigma 2 --kernel auto").kernel == BlurKernel::gaussian);
  CHECK(radius("--sigma 2") == 6);
  CHECK(radius("--sigma 0.8") == 3);
  CHECK(radius("--sigma 341 --method lines") == 1023);
  CHECK(radius("--sigma 341") == 1966);  // splines cut off what is under 2^-24 of the middle, and no more
  CHECK(blur_of_words("--kernel gaussian --radius 6").sigma == 2);
  CHECK(radius("--sigma 3 --radius 4") == 4);
  CHECK(radius("--sigma 0") == 0);
  // texels of weights under 2^-24 of the middle's are left out: exp(-6^2 / 2) is 1.5e-8
  CHECK(radius("--sigma 1 --radius 30") == 5);
}

TEST_CASE("--axis leaves the other axis as it is") {
  CHECK(blur_of_words("--radius 5 --axis x").radius_x == 5);
  CHECK(blur_of_words("--radius 5 --axis x").radius_y == 0);
  CHECK(blur_of_words("--radius 5 --axis y").radius_x == 0);
  CHECK(blur_of_words("--radius 5 --axis y").radius_y == 5);
  CHECK(blurred_values("--radius 1 --axis x", {3, 3}, impulse({3, 3})) ==
        std::vector<double>{0, 0, 0, 1.0 / 3, 1.0 / 3, 1.0 / 3, 0, 0, 0});
}

TEST_CASE("borders are what they are by hand, on a row of 1 2 3 4 with a radius of 2") {
  const std::pair<std::string_view, std::array<double, 4>> expected[] = {{"clamp", {8.0, 11.0, 14.0, 17.0}},
                                                                         {"repeat", {13.0, 14.0, 11.0, 12.0}},
                                                                         {"mirror", {9.0, 11.0, 14.0, 16.0}},
                                                                         {"black", {6.0, 10.0, 10.0, 9.0}},
                                                                         {"renormalize", {10.0, 12.5, 12.5, 15.0}}};
  for (const auto& [border, sums] : expected) {
    const std::vector<double> row = blurred_values(fmt::format("--radius 2 --border {}", border), {4, 1}, {1, 2, 3, 4});
    // of one row a column's sum is five times the row, or the row alone
    const double column = border == "black" ? 0.2 : 1;
    for (size_t x = 0; x < 4; ++x) CHECK_MESSAGE(row[x] == doctest::Approx(column * sums[x] / 5), border, " at ", x);
  }
}

TEST_CASE("a picture that repeats keeps its energy, on sides smaller than the kernel too") {
  for (const std::string_view kernel : kernels)
    for (const Size size : {Size{31, 19}, Size{5, 3}, Size{1, 7}, Size{1, 1}})
      CHECK_MESSAGE(sum_of(blurred_values(fmt::format("{} --border repeat", kernel), size, impulse(size))) ==
                        doctest::Approx(1).epsilon(1e-12),
                    kernel, " ", size.width, "x", size.height);
}

TEST_CASE("a constant stays one with every border but black, which darkens what is near it") {
  const Size size{23, 11};
  for (const std::string_view kernel : kernels) {
    for (const std::string_view border : {"clamp", "repeat", "mirror", "renormalize"})
      for (const double value :
           blurred_values(fmt::format("{} --border {}", kernel, border), size, std::vector<double>(23 * 11, 0.7)))
        CHECK_MESSAGE(value == doctest::Approx(0.7).epsilon(1e-12), kernel, " ", border);
    const std::vector<double> dark =
        blurred_values(fmt::format("{} --border black", kernel), size, std::vector<double>(23 * 11, 0.7));
    CHECK(dark[0] < 0.6);
    CHECK(dark[0] <= dark[5 * 23 + 11]);  // both the same where the kernel is larger than the picture
  }
}

TEST_CASE("a box applied some times comes near the gaussian of its variance, the nearer the more often") {
  constexpr int radius = 4;
  const Size size{161, 1};
  double before = 1;
  for (const int passes : {1, 2, 3, 5, 8}) {
    const std::vector<double> boxes =
        blurred_values(fmt::format("--radius {} --passes {} --axis x", radius, passes), size, impulse(size));
    const double variance = passes * ((2 * radius + 1) * (2 * radius + 1) - 1) / 12.0;
    double found_variance = 0, worst = 0;
    for (int x = -80; x <= 80; ++x) {
      const double gaussian = std::exp(-x * x / (2 * variance)) / std::sqrt(2 * std::numbers::pi * variance);
      found_variance += boxes[size_t(x + 80)] * x * x;
      worst = std::max(worst, std::abs(boxes[size_t(x + 80)] - gaussian) * std::sqrt(2 * std::numbers::pi * variance));
    }
    CHECK(found_variance == doctest::Approx(variance).epsilon(1e-9));
    CHECK(worst < before);
    CHECK_MESSAGE(worst < (passes == 1 ? 1 : 0.2 / passes), passes, " passes: ", worst, " of the peak");
    before = worst;
  }
}

TEST_CASE("a kernel touches no texel outside of it: not-a-numbers and infinities stay within") {
  const Size size{41, 33};
  for (const double hard : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    std::vector<double> values(texel_count(size), 0.5);
    values[texel_count(size) / 2] = hard;
    for (const std::string_view words : {"--radius 5", "--kernel gaussian --radius 5", "--sigma 1 --radius 30"}) {
      const std::vector<double> found = blurred_values(words, size, values);
      for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) {
          const bool is_inside = std::abs(x - 20) <= 5 && std::abs(y - 16) <= 5;
          REQUIRE(std::isfinite(found[size_t(y) * 41 + size_t(x)]) == !is_inside);
        }
    }
  }
}

TEST_CASE("what a call of blur says is typed again as it was") {
  for (const char* text : {"blur --radius 0", "blur --radius 7 --zcurve", "blur --sigma 0", "blur --sigma 2.5 --axis x",
                           "blur --radius 4 --kernel gaussian --border mirror",
                           "blur --radius 2 --sigma 1.25 --passes 2 --method separable --order amd --workgroup 32x8"}) {
    CHECK(call_of(std::string_view(text).substr(4)).text() == text);
  }
}

// --- plans ----------------------------------------------------------------------------------------------------------

namespace {

DeviceTraits gpu_traits() {
  return {.name = "a GPU",
          .type = DeviceType::discrete,
          .max_image_side = 16384,
          .max_group_invocations = 1024,
          .shared_bytes = 49152,
          .subgroup = {.size = 32},
          .filters_f32 = true};
}

Plan plan_of(std::string_view words, Depth storage = Depth::half, const DeviceTraits& traits = gpu_traits()) {
  const Call call = call_of(words);
  return plan({&call, 1}, {.size = {640, 360}, .storage = storage}, traits);
}

int literal(const Pass& pass, std::string_view name) {
  for (const Define& literal : pass.defines)
    if (literal.name == name) return literal.value;
  FAIL(name, " is no literal of ", pass.name);
  return 0;
}

}  // namespace

TEST_CASE("direct is one pass a repeat, separable two with an image of floats between them, one along one axis") {
  CHECK(plan_of("--radius 7 --method direct").passes.size() == 1);
  CHECK(plan_of("--radius 7 --method direct --passes 3").passes.size() == 3);
  const Plan two = plan_of("--radius 7 --method separable");
  REQUIRE(two.passes.size() == 2);
  CHECK(two.images.at(size_t(two.passes[0].target.image)).depth == Depth::f32);
  CHECK(two.passes[1].source.image == two.passes[0].target.image);
  CHECK(two.images.at(size_t(two.result_image)).depth == Depth::half);
  CHECK(!two.keeps_level_0);
  for (const char* axis : {"x", "y"}) {
    const Plan one = plan_of(fmt::format("--radius 7 --method separable --axis {}", axis));
    REQUIRE(one.passes.size() == 1);
    CHECK(one.images.size() == 2);
    CHECK(literal(one.passes[0], "AXIS") == (axis[0] == 'x' ? 0 : 1));
  }
  CHECK(plan_of("--radius 7 --method separable --passes 4").passes.size() == 8);
}

TEST_CASE("results take the place of sums where one subgroup makes a row, and short windows stay in registers") {
  DeviceTraits traits = gpu_traits();
  traits.subgroup.has_shuffle = true;
  const auto pass_of = [&](const char* words, Depth depth) {
    const Plan made = plan_of(words, depth, traits);
    REQUIRE(made.passes.size() == 1);
    return made.passes[0];
  };
  const Pass halves = pass_of("--radius 7", Depth::half);
  CHECK(literal(halves, "IN_PLACE") == 1);
  CHECK(literal(halves, "KEEPS_WINDOW") == 1);
  CHECK((halves.grid.group[0] >> literal(halves, "LOG_RESULTS")) == 32);
  CHECK(halves.arithmetic.subgroup_size == 32);
  CHECK(literal(pass_of("--radius 9", Depth::half), "KEEPS_WINDOW") == 0);
  CHECK(literal(pass_of("--radius 7", Depth::f32), "IN_PLACE") == 1);
  CHECK(literal(pass_of("--radius 1", Depth::half), "IN_PLACE") == 1);
  CHECK(literal(pass_of("--radius 7", Depth::u8), "WINDOW") == 15);
  for (const auto& [words, depth] : {std::pair{"--radius 7", Depth::u8},
                                     {"--radius 20", Depth::half},
                                     {"--radius 63", Depth::f32},
                                     {"--sigma 1.2", Depth::half}})
    CHECK(literal(pass_of(words, depth), "IN_PLACE") == 0);
  traits.subgroup.size = 8;
  CHECK(literal(pass_of("--radius 7", Depth::half), "IN_PLACE") == 0);
  CHECK(literal(pass_of("--radius 7", Depth::half), "LOG_RESULTS") == 3);
}

TEST_CASE("a segment of sliding sums has whole groups of rows, so that none makes rows of its neighbor") {
  DeviceTraits traits = gpu_traits();
  traits.shared_bytes = 49152;
  int counted = 0;
  for (const Size size : {Size{200, 400}, Size{512, 512}, Size{1920, 1080}, Size{2048, 2048}, Size{4096, 4096}})
    for (const Depth depth : {Depth::half, Depth::f32})
      for (int radius = 8; radius <= 127; ++radius) {
        const Call call = call_of(fmt::format("--radius {} --method sliding", radius));
        const Pass pass = plan({&call, 1}, {.size = size, .storage = depth}, traits).passes.front();
        const auto rows = std::ranges::find(pass.values, "segment_rows", &PushConstant::name);
        const auto group = std::ranges::find(pass.defines, "GROUP", &Define::name);
        REQUIRE(rows != pass.values.end());
        if (group == pass.defines.end()) continue;  // sums of integers go row by row
        CHECK_MESSAGE(rows->word() % group->value == 0, call.text(), " ", size.width);
        ++counted;
      }
  CHECK(counted > 600);
}

TEST_CASE("passes of splines fit into the shared memory of small and large GPUs") {
  for (const int bytes : {16384, 32768, 49152})
    for (const double sigma : {4.1, 5.0, 5.1, 7.0, 10.0, 19.0, 40.0, 300.0}) {
      const Depth depth = sigma == 5 || sigma == 19 ? Depth::f32 : Depth::half;
      DeviceTraits traits = gpu_traits();
      traits.shared_bytes = bytes;
      const Plan made = plan_of(fmt::format("--sigma {}", sigma), depth, traits);
      const Pass& enlarge = made.passes.back();
      REQUIRE(enlarge.kernel == "blur/spline_enlarge_tile.glsl");
      const int cells = literal(enlarge, "CELL_ROWS") * literal(enlarge, "CELL_COLUMNS");
      const int of_cell = literal(enlarge, "CELLS_ARE_HALVES") == 1 ? 8 : 16;
      CHECK(of_cell * cells + 16 * literal(enlarge, "TEXEL_ROWS") + 4 * literal(enlarge, "CELL_ROWS") <= bytes);
      const Pass& reduce = made.passes.front();
      if (reduce.kernel != "blur/spline_reduce_both.glsl") continue;
      const int columns = literal(reduce, "COLUMNS"), rows = literal(reduce, "TEXEL_ROWS");
      const int of_cells = literal(reduce, "CELLS") * (literal(reduce, "TAPS") + 1) + 4;
      CHECK(literal(reduce, "CELLS_ARE_HALVES") == int(depth == Depth::half));
      const int of_sum = depth == Depth::half ? 8 : 16;
      CHECK(of_sum * 2 * (columns + columns / 4) + 16 * rows + 4 * (literal(reduce, "SEGMENT") + 4 + of_cells) <=
            bytes);
    }
}

TEST_CASE("two threads of a column read the texels of a cell in as few turns as possible, with few places left over") {
  for (const double sigma : {30.0, 40.0, 50.0, 100.0}) {
    CAPTURE(sigma);
    const Pass reduce = plan_of(fmt::format("--sigma {}", sigma)).passes.front();
    REQUIRE(reduce.kernel == "blur/spline_reduce_columns.glsl");
    const int texels = int(std::ceil(SplineGrid(sigma, 360).texels_per_cell())), places = 2 * literal(reduce, "CHUNK");
    CHECK(places <= 16);
    CHECK(round_up(texels, places) < texels + 4);
  }
}

TEST_CASE("cells of splines are blurred in one dispatch where they are many, with the weights of both axes") {
  const DeviceTraits traits = gpu_traits();
  const auto passes_of = [&](const char* arguments, Size size) {
    const PlanInput input{.size = size, .storage = Depth::half};
    const Call call = call_of(arguments);
    return plan({&call, 1}, input, traits).passes;
  };
  CHECK(passes_of("--sigma 5", {512, 512})[1].kernel == "blur/cells_tile.glsl");
  CHECK(passes_of("--sigma 10", {1920, 1080})[1].kernel == "blur/cells_tile.glsl");
  CHECK(passes_of("--sigma 300", {512, 512}).size() == 5);  // the table of a tile would not fit into shared memory
  const std::vector<Pass> passes = passes_of("--sigma 5", {4096, 3001});
  REQUIRE(passes.size() == 3);
  const Pass& cells = passes[1];
  REQUIRE(cells.kernel == "blur/strip_taps.glsl");
  CHECK(literal(cells, "TURNS") == 0);  // tiles have the bits of the whole
  const int groups = cells.grid.count[0] * cells.grid.count[1];
  CHECK(groups > 256);  // so many that all processors of a large GPU are busy, and no more than run at once
  CHECK(groups < 550);
  const SplineGrid x(5, 4096), y(5, 3001);
  const size_t count_x = size_t(2 * x.radius() + 1), count_y = size_t(2 * y.radius() + 1);
  REQUIRE(cells.table.size() == count_x + count_y);
  CHECK(std::accumulate(cells.table.begin(), cells.table.begin() + long(count_x), 0.0) == doctest::Approx(0.5));
  CHECK(std::accumulate(cells.table.begin() + long(count_x), cells.table.end(), 0.0) == doctest::Approx(1));
  CHECK(cells.table[count_x / 2] == float(x.cell_weights()[count_x / 2] / 2));
  CHECK(cells.table[count_x + count_y / 2] == float(y.cell_weights()[count_y / 2]));
}

TEST_CASE("an order and a workgroup are what was asked for, and reach every texel") {
  for (const auto& [order, index] : {std::pair{"rows", 0}, {"z", 1}, {"amd", 2}})
    for (const auto& [workgroup, width, height] : {std::tuple{"8x8", 8, 8}, {"16x16", 16, 16}, {"32x8", 32, 8}})
      for (const char* method : {"direct", "separable"})
        for (const Pass& pass :
             plan_of(fmt::format("--radius 2 --method {} --order {} --workgroup {}", method, order, workgroup))
                 .passes) {
          CHECK(literal(pass, "ORDER") == index);
          CHECK(literal(pass, "GROUP_X") == width);
          CHECK(literal(pass, "GROUP_Y") == height);
          CHECK(pass.grid.group[0] * pass.grid.group[1] == width * height);
          CHECK(pass.grid.count[0] * width >= 640);
          CHECK(pass.grid.count[1] * height >= 360);
        }
  CHECK(literal(plan_of("--radius 2 --zcurve --method direct").passes[0], "ORDER") == 1);
}

TEST_CASE("a stream reads halves as words, but not what is packed, and begins tiles at segments that go the same way") {
  const Call call = call_of("--radius 7");
  const auto pass_of = [&](int index, PlanInput input) {
    input.size = {640, 360};
    const std::vector<Call> twice{call, call};
    DeviceTraits traits = gpu_traits();
    traits.has_packed_floats = true;
    return plan(twice, input, traits).passes.at(size_t(index));
  };
  const Pass halves = pass_of(1, {.storage = Depth::half});
  CHECK(halves.kernel == "blur/strip_halves.glsl");
  CHECK(halves.words.source == Words::halves4);
  // the first pass reads the input, which is not packed; in tiles so does the second
  for (const int index : {0, 1})
    CHECK(pass_of(index, {.storage = Depth::half, .is_r11g11b10_between = true}).kernel == "blur/strip_sums.glsl");
  for (const PushConstant& value : halves.values)
    if (value.name == "segment_rows") CHECK(halves.access.tile_alignment[1] == 2 * value.word());
}

TEST_CASE("segments of a gaussian are long only where a large GPU still has enough workgroups") {
  const auto columns = [](Size size) {
    const Call call = call_of("--sigma 3 --method shared");
    return literal(plan({&call, 1}, {.size = size, .storage = Depth::half}, gpu_traits()).passes.at(0), "COLUMNS");
  };
  CHECK(columns({4096, 4096}) == 192);
  CHECK(columns({1920, 1080}) == 128);
}

TEST_CASE(
    "a blur of an image of video size has enough workgroups for a large GPU, with segments longer than its kernel") {
  for (const Depth depth : {Depth::u8, Depth::half, Depth::f32})
    for (const auto& [words, radius] : {std::pair{"--radius 63 --method sliding", 63},
                                        {"--radius 31 --method sliding", 31},
                                        {"--radius 15 --method sliding", 15},
                                        {"--sigma 3 --method shared", 9},
                                        {"--sigma 4 --method shared", 12}}) {
      const Call call = call_of(words);
      const auto pass_of = [&](Size size) {
        return plan({&call, 1}, {.size = size, .storage = depth}, gpu_traits()).passes.at(0);
      };
      INFO(std::string(words), " ", std::string(name_of(depth)));
      const Pass video = pass_of({1920, 1080});
      CHECK(video.grid.count[0] * video.grid.count[1] > 130);
      CHECK(video.access.tile_alignment[1] > 2 * 2 * radius);
      CHECK(pass_of({4096, 4096}).access.tile_alignment[1] >= video.access.tile_alignment[1]);
    }
}

TEST_CASE("auto says what it took and why, and which methods an order leaves it") {
  const auto choice = [](std::string_view words) { return plan_of(words).choices.at(0); };
  CHECK(choice("--radius 7 --method separable") == "blur: separable, asked for");
  CHECK(choice("--radius 1 --zcurve") ==
        "blur: direct, --zcurve needs direct or separable: one pass of few texels is faster than two");
  CHECK(choice("--radius 9 --order amd --workgroup 8x8")
            .starts_with("blur: separable, --order amd, --workgroup 8x8 needs direct"));
  CHECK(choice("--radius 7").starts_with("blur: "));
}

TEST_CASE("a device of small workgroups gets small ones, and refuses the large") {
  const DeviceTraits traits{.name = "a small device", .type = DeviceType::integrated};
  for (const char* method : {"direct", "separable"}) {
    const Pass pass = plan_of(fmt::format("--radius 7 --method {}", method), Depth::half, traits).passes.at(0);
    CHECK(pass.grid.group[0] * pass.grid.group[1] == 64);
    CHECK_THROWS_WITH_AS(plan_of(fmt::format("--radius 7 --method {} --workgroup 16x16", method), Depth::half, traits),
                         "blur: --workgroup 16x16 cannot run on a small device: it allows at most 128 threads per "
                         "workgroup; expected 8x8",
                         Error);
  }
}
