// The least, the largest and the middle one of the numbers in a square around a texel: rows, definitions and passes.
#include "core/ops/rank/row.h"
#include "core/base/math.h"
#include "core/base/threads.h"
#include "core/op/benchmark.h"
#include "core/plan/builder.h"
#include "core/plan/kernel_choices.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

int radius_of(const Call& call) { return call.integer("radius"); }

Footprint footprint(const Call& call, Size) {
  return {.kind = Footprint::Kind::around, .margin = {.x = radius_of(call), .y = radius_of(call)}};
}

// --- the definitions ------------------------------------------------------------------------------------------------

// The largest number of the square, or with `is_least` the least. NaN counts only where there is nothing else. Texels beyond the
// picture are left out. Rows first, then columns: the extreme of extremes.
Plane extremes(const Plane& plane, int radius, bool is_least) {
  const int width = plane.size.width, height = plane.size.height;
  const auto along = [&](const std::vector<double>& from, int count, ptrdiff_t stride, size_t first, int at) {
    double made = std::nan("");
    for (int i = std::max(0, at - radius); i <= std::min(count - 1, at + radius); ++i) {
      const double number = from[first + size_t(i * stride)];
      if (std::isnan(made) || (is_least ? number < made : number > made)) made = number;
    }
    return made;
  };
  Plane rows = plane, made = plane;
  parallel_ranges(height, 16, [&](int begin, int end) {
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < width; ++x)
        rows.values[size_t(y * width + x)] = along(plane.values, width, 1, size_t(y * width), x);
  });
  parallel_ranges(height, 16, [&](int begin, int end) {
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < width; ++x)
        made.values[size_t(y * width + x)] = along(rows.values, height, width, size_t(x), y);
  });
  return made;
}

Planes extremes(const Planes& planes, int radius, bool is_least) {
  Planes made;
  for (size_t c = 0; c < 4; ++c) made[c] = extremes(planes[c], radius, is_least);
  return made;
}

// The middle one of the square's numbers in their order, NaN behind all others. Beyond the picture is its nearest texel.
Plane median(const Plane& plane, int radius) {
  const int width = plane.size.width, height = plane.size.height;
  Plane made = plane;
  parallel_ranges(height, 4, [&](int begin, int end) {
    std::vector<double> numbers;
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < width; ++x) {
        numbers.clear();
        for (int dy = -radius; dy <= radius; ++dy)
          for (int dx = -radius; dx <= radius; ++dx) {
            const int row = std::clamp(y + dy, 0, height - 1), column = std::clamp(x + dx, 0, width - 1);
            numbers.push_back(plane.values[size_t(row * width + column)]);
          }
        const auto middle = numbers.begin() + ptrdiff_t(numbers.size() / 2);
        std::ranges::nth_element(numbers, middle,
                                 [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
        made.values[size_t(y * width + x)] = *middle;
      }
  });
  return made;
}

// Whichever number of the square is taken, it is off by no more than the worst of them.
std::vector<Planes> tolerance(const Call& call, const Planes&, const Planes& error, Depth depth) {
  Planes made = extremes(error, radius_of(call), false);
  if (depth != Depth::f32) return {made};
  for (Plane& plane : made)
    for (double& value : plane.values) value += 0x1p-126;  // devices may take denormals for 0
  return {made};
}

// --- the passes -----------------------------------------------------------------------------------------------------

PassSpec pass_over(std::string name, std::string_view kernel, int source, Size size) {
  return {.name = std::move(name),
          .kernel = kernel,
          .values = {{"end_x", size.width}, {"end_y", size.height}},
          .grid = {.count = {div_ceil(size.width, 64), div_ceil(size.height, 16)}},
          .source = {.image = source},
          .access = {.is_bounded = true}};
}

// The extreme of `taps` numbers, `stride` apart from `first` on, the last of them `last` behind the first. Windows may overlap:
// a number that counts twice changes nothing.
struct Step {
  int taps = 1, stride = 1, last = 0, first = 0;
};

// An axis in few passes of few taps: windows of as many texels as the taps of the first pass, then windows of those.
std::vector<Step> steps_of(int radius) {
  constexpr int most_taps = 9;
  const int width = 2 * radius + 1;
  const int pass_count = width <= most_taps ? 1 : width <= most_taps * most_taps ? 2 : 3;
  const int taps = int(std::ceil(std::pow(width, 1.0 / pass_count) - 1e-9));
  std::vector<Step> steps;
  int covered = 1;
  for (int pass = 0; pass < pass_count; ++pass) {
    const bool is_last = pass + 1 == pass_count;
    const int next = is_last ? width : covered * taps;
    steps.push_back({.taps = (next + covered - 1) / covered,
                     .stride = covered,
                     .last = next - covered,
                     .first = is_last ? -radius : 0});
    covered = next;
  }
  return steps;
}

void plan_extremes(const Call& call, PlanBuilder& builder) {
  int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const std::vector<Step> steps = steps_of(radius_of(call));
  for (size_t index = 0; index < 2 * steps.size(); ++index) {
    const bool on_x = index < steps.size();
    const Step& step = steps[index % steps.size()];
    PassSpec pass = pass_over(fmt::format("{} {}", call.op->name, on_x ? "rows" : "columns"), "rank/extreme.glsl",
                              source, image.size);
    pass.defines = {{"AXIS", on_x ? along_x : along_y, axis_names}, {"IS_LEAST", call.op == &erode_op}};
    for (const PushConstant& value :
         {PushConstant{"taps", step.taps}, {"stride", step.stride}, {"last", step.last}, {"first", step.first}})
      pass.values.push_back(value);
    pass.access.reads_per_texel = step.taps;
    pass.access.is_in_rgb = true;
    if (index + 1 == 2 * steps.size()) {
      builder.add_result(std::move(pass), {.size = image.size, .depth = image.depth});
      return;
    }
    source = pass.target.image = builder.add_image({.size = image.size, .depth = image.depth});
    builder.image(source).space = Space::rgb;  // in which the numbers stay what they are
    builder.add(std::move(pass));
  }
}

void plan_median(const Call& call, PlanBuilder& builder) {
  const PlanImage image = builder.image(builder.current_image());
  const int radius = radius_of(call), side = 2 * radius + 1;
  const bool has_network = radius <= 2;
  PassSpec pass = pass_over("median", has_network ? "rank/median.glsl" : "rank/median_by_counting.glsl",
                            builder.current_image(), image.size);
  pass.defines = {{"RADIUS", radius}};
  if (!has_network) pass.defines.push_back({"IS_HALF", image.depth == Depth::half});
  pass.access.is_in_rgb = true;
  pass.access.reads_per_texel = has_network ? 2 * side : 8.0 * side * side;
  builder.add_result(std::move(pass), {.size = image.size, .depth = image.depth});
}

std::vector<Planes> extremes_of_call(const Call& call, Planes base) {
  return {extremes(base, radius_of(call), call.op == &erode_op)};
}

constexpr std::string_view extremes_description =
    "Each texel becomes the minimum (`erode`) or maximum (`dilate`) of the 2R+1 x 2R+1 texels around it, where R is "
    "--radius. R, G, B and alpha are processed separately, premultiplied. NaN is ignored unless all values are NaN. "
    "Texels beyond the border are left out. The cost hardly grows with the radius.";

Param radius_param(int most) {
  return {.name = "radius",
          .help = "Radius of the square neighborhood in texels",
          .kind = ParamKind::integer,
          .default_value = 1,
          .min = 1,
          .max = double(most),
          .unit = "texels"};
}

}  // namespace

static const Benchmark extremes_bench = {.sizes = {{1920, 1080}, {3840, 2160}},
                                         .cpu_sizes = {{1024, 1024}},
                                         .depths = {Depth::half, Depth::f32},
                                         .settings = {{"radius", 1}, {"radius", 15}, {"radius", 100}},
                                         .cpu_settings = {{"radius", 15}}};
static const Benchmark median_bench = {.sizes = {{1920, 1080}, {3840, 2160}},
                                       .cpu_sizes = {{512, 512}},
                                       .depths = {Depth::half, Depth::f32},
                                       .settings = {{"radius", 1}, {"radius", 2}, {"radius", 5}},
                                       .cpu_settings = {{"radius", 2}}};

// --- the rows -------------------------------------------------------------------------------------------------------

// Completes a row that has its own name, summary and citation.
static Op extremes_op(Op row) {
  row.doc.group = OpGroup::filter;
  row.doc.description = extremes_description;
  row.doc.examples = {"", "--radius 15", "--radius 50"};
  row.params = {radius_param(1024)};
  row.channels = Channels::all;
  row.footprint = footprint;
  row.reference = {.levels = extremes_of_call, .tolerance = tolerance, .sums_xyz = false};
  row.plan = plan_extremes;
  row.bench = &extremes_bench;
  return row;
}

const Op dilate_op = extremes_op({
    .name = "dilate",
    .doc = {.summary = "Replace each texel by the maximum of its neighborhood",
            .citation = "Gray-scale morphology with a square, as in OpenCV dilate"},
});

const Op erode_op = extremes_op({
    .name = "erode",
    .doc = {.summary = "Replace each texel by the minimum of its neighborhood",
            .citation = "Gray-scale morphology with a square, as in OpenCV erode"},
});

const Op median_op{
    .name = "median",
    .doc = {.group = OpGroup::filter,
            .summary = "Replace each texel by the median of its neighborhood",
            .description =
                "Each texel becomes the median of the 2R+1 x 2R+1 texels around it, where R is --radius. R, G, B and "
                "alpha are processed separately, premultiplied. A median removes single bright texels and keeps edges. "
                "NaN counts as larger than all other values. Beyond the border, the edge texel repeats.",
            .citation = "J. Tukey, Exploratory Data Analysis, 1977; sorting networks for radius 1 and 2, radix "
                        "selection from 3 on",
            .examples = {"", "--radius 2", "--radius 3"}},
    .params = {radius_param(7)},
    .channels = Channels::all,
    .footprint = footprint,
    .reference = {.levels =
                      [](const Call& call, Planes base) {
                        return by_component(std::move(base), [&](const Plane& plane) {
                          return std::vector{median(plane, radius_of(call))};
                        });
                      },
                  .tolerance = tolerance,
                  .sums_xyz = false},
    .plan = plan_median,
    .bench = &median_bench,
};

}  // namespace gpupost
