// A convolution with any small kernel: its row, its definition and its pass.
#include "core/base/error.h"
#include "core/base/math.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "core/op/benchmark.h"
#include "core/op/op.h"
#include "core/op/point.h"
#include "core/plan/builder.h"
#include "core/reference/filter.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gpupost {

namespace {

constexpr int most_side = 63;

// Weights row by row; both sides are odd.
struct Kernel {
  int width = 1, height = 1;
  std::vector<double> weights;
};

bool is_side(size_t side) { return side % 2 == 1 && side <= size_t(most_side); }

// A square of weights.
std::optional<Kernel> square_of(std::string_view word) {
  const auto numbers = list_of_numbers(word);
  if (!numbers) return {};
  const auto side = int(std::lround(std::sqrt(double(numbers->size()))));
  if (size_t(side) * size_t(side) != numbers->size() || !is_side(size_t(side))) return {};
  return Kernel{side, side, *numbers};
}

// A line of the file for each row, its numbers parted by spaces or commas.
Kernel parse_kernel(std::string_view text, const std::string& name) {
  Kernel kernel{.width = 0, .height = 0, .weights = {}};
  for (int line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string list;
    for (const char c : text.substr(0, end)) {
      const bool is_gap = c == ' ' || c == '\t' || c == '\r' || c == ',';
      if (!is_gap) list += c;
      else if (!list.empty() && list.back() != ',') list += ',';
    }
    if (list.ends_with(',')) list.pop_back();
    text.remove_prefix(std::min(end + 1, text.size()));
    if (list.empty()) continue;
    const auto numbers = list_of_numbers(list);
    if (!numbers) fail(Exit::input, "{}: line {} is \"{}\"; expected numbers", name, line, printable(list, 60));
    if (kernel.height > 0 && numbers->size() != size_t(kernel.width))
      fail(Exit::input, "{}: line {} has {} number{}; expected {}, as the lines before", name, line, numbers->size(),
           numbers->size() == 1 ? "" : "s", kernel.width);
    kernel.width = int(numbers->size());
    kernel.height += 1;
    kernel.weights.insert(kernel.weights.end(), numbers->begin(), numbers->end());
  }
  if (!is_side(size_t(kernel.width)) || !is_side(size_t(kernel.height)))
    fail(Exit::input, "{}: {} x {} weights; expected odd sides of at most {}", name, kernel.width, kernel.height,
         most_side);
  return kernel;
}

Kernel kernel_of(const Call& call) {
  const std::string& file = call.word("kernel");
  Kernel kernel = file.empty() ? *square_of(call.word("rows")) : parse_kernel(call.source, file);
  if (!call.flag("normalize")) return kernel;
  const double sum = std::reduce(kernel.weights.begin(), kernel.weights.end());
  if (std::abs(sum) < 1e-6) fail(Exit::usage, "convolve: the weights add up to {}; leave --normalize out", sum);
  for (double& weight : kernel.weights) weight /= sum;
  return kernel;
}

void check(const Call& call) {
  if (call.word("kernel").empty() == call.word("rows").empty())
    fail(Exit::usage, "convolve: {}; expected --rows or --kernel",
         call.word("rows").empty() ? "no kernel is given" : "--rows and --kernel are both given");
  if (!call.word("rows").empty()) kernel_of(call);
}

// A column and a row whose product is the kernel.
struct Product {
  std::vector<double> column, row;
};

double size_of(const std::vector<double>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0, [](double sum, double w) { return sum + std::abs(w); });
}

// The weights minus the product of column and row.
Kernel rest_of(Kernel kernel, const Product& product) {
  for (size_t at = 0; at < kernel.weights.size(); ++at)
    kernel.weights[at] -= product.column[at / size_t(kernel.width)] * product.row[at % size_t(kernel.width)];
  return kernel;
}

// The product that a kernel is to within rounding, if two passes read clearly fewer texels. It starts from the row of the largest
// weight, and is then the nearest one in the sense of least squares. Rows and columns of zeros stay zero.
std::optional<Product> product_of(const Kernel& kernel) {
  const auto width = size_t(kernel.width), height = size_t(kernel.height);
  if (width * height < 2 * (width + height)) return {};
  const auto largest = std::ranges::max_element(kernel.weights, {}, [](double w) { return std::abs(w); });
  if (*largest == 0) return {};
  const auto first = kernel.weights.begin() + (largest - kernel.weights.begin()) / kernel.width * kernel.width;
  Product made{.column = std::vector<double>(height), .row = {first, first + kernel.width}};
  for (int turn = 0; turn < 3; ++turn) {
    const double row_square = std::inner_product(made.row.begin(), made.row.end(), made.row.begin(), 0.0);
    for (size_t y = 0; y < height; ++y)
      made.column[y] =
          std::inner_product(made.row.begin(), made.row.end(), &kernel.weights[y * width], 0.0) / row_square;
    const double square = std::inner_product(made.column.begin(), made.column.end(), made.column.begin(), 0.0);
    for (size_t x = 0; x < width; ++x) {
      made.row[x] = 0;
      for (size_t y = 0; y < height; ++y) made.row[x] += kernel.weights[y * width + x] * made.column[y] / square;
    }
  }
  for (size_t at = 0; at < kernel.weights.size(); ++at)
    if ((kernel.weights[at] == 0) != (made.column[at / width] * made.row[at % width] == 0)) return {};
  if (!(size_of(rest_of(kernel, made).weights) <= 0x1p-18 * size_of(kernel.weights))) return {};
  return made;
}

// Alpha is convolved too, unless it is kept.
Output output(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  made.may_be_transparent |= !call.flag("keep-alpha");
  return made;
}

Footprint footprint(const Call& call, Size) {
  const Kernel kernel = kernel_of(call);
  return {
      .kind = Footprint::Kind::around,
      .margin = {
          .x = kernel.width / 2, .y = kernel.height / 2, .wraps = Border(call.integer("border")) == Border::repeat}};
}

// --- the definition -------------------------------------------------------------------------------------------------

// Sums of weights times texels. Weights of 0 leave out what is infinite.
Plane convolved(const Plane& plane, const Kernel& kernel, Border border) {
  const int width = plane.size.width, height = plane.size.height;
  Plane made = plane;
  parallel_ranges(height, 4, [&](int begin, int end) {
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < width; ++x) {
        double sum = 0;
        for (int row = 0; row < kernel.height; ++row)
          for (int column = 0; column < kernel.width; ++column) {
            const double weight = kernel.weights[size_t(row * kernel.width + column)];
            const int from_x = continued(x + column - kernel.width / 2, width, border);
            const int from_y = continued(y + row - kernel.height / 2, height, border);
            if (weight != 0) sum += weight * plane.values[size_t(from_y * width + from_x)];
          }
        made.values[size_t(y * width + x)] = sum;
      }
  });
  return made;
}

// With --keep-alpha color whose alpha is 0 stays too: no light comes to transparent texels.
Planes convolved(const Call& call, const Planes& base, const Planes& alphas, const Kernel& kernel) {
  const bool keeps_alpha = call.flag("keep-alpha");
  Planes made = base;
  for (size_t c = 0; c < (keeps_alpha ? 3 : 4); ++c) {
    made[c] = convolved(base[c], kernel, Border(call.integer("border")));
    for (size_t index = 0; keeps_alpha && index < made[c].values.size(); ++index)
      if (is_transparent(alphas[3].values[index])) made[c].values[index] = base[c].values[index];
  }
  return made;
}

std::vector<Planes> reference(const Call& call, Planes base) { return {convolved(call, base, base, kernel_of(call))}; }

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const Kernel kernel = kernel_of(call);
  const auto convolved_sizes = [&](const Planes& planes, Kernel of) {
    for (double& weight : of.weights) weight = std::abs(weight);
    return convolved(call, planes, base, of);
  };
  const std::optional<Product> product = product_of(kernel);
  const Planes made = reference(call, base)[0], sizes = absolute(base);
  const Planes magnitude = convolved_sizes(sizes, kernel);
  const Planes left = convolved_sizes(sizes, product ? rest_of(kernel, *product) : Kernel{1, 1, {0}});
  Planes sum = convolved_sizes(error, kernel);
  const double steps = (product ? 2 : 1) + double(kernel.weights.size()) / 64;  // long sums lose more
  for (size_t c = 0; c < 4; ++c)
    for (size_t index = 0; index < sum[c].values.size(); ++index)
      sum[c].values[index] += steps * rounding(magnitude[c].values[index], Depth::f32) +
                              (std::isfinite(left[c].values[index]) ? left[c].values[index] : 0) +
                              rounding(std::abs(made[c].values[index]), depth);
  return {sum};
}

// --- the passes -----------------------------------------------------------------------------------------------------

// Divides weights by a power of two, so that they add up to at most 1 and no sum of the largest numbers overflows. Returns it.
double scale_down(std::vector<double>& weights) {
  const double scale = std::exp2(std::ceil(std::log2(std::max(size_of(weights), 1e-30))));
  for (double& weight : weights) weight /= scale;
  return scale;
}

PassSpec pass_of(const Call& call, const Kernel& kernel, double scale, Size size, int source) {
  const bool mirrors = Border(call.integer("border")) == Border::mirror;
  const int period_x = mirrors ? 2 * size.width : size.width, period_y = mirrors ? 2 * size.height : size.height;
  PassSpec pass{.name = "convolve",
                .kernel = "convolve/convolve.glsl",
                .defines = {{"BORDER", call.integer("border"), border_names}},
                .values = {{"end_x", size.width},
                           {"end_y", size.height},
                           {"kernel_width", kernel.width},
                           {"kernel_height", kernel.height},
                           {"shift_x", period_x * (kernel.width / period_x + 1)},
                           {"shift_y", period_y * (kernel.height / period_y + 1)},
                           {"scale", float(scale)}},
                .grid = {.count = {div_ceil(size.width, 64), div_ceil(size.height, 16)}},
                .source = {.image = source},
                .access = {.reads_per_texel = double(kernel.weights.size())}};
  for (const double weight : kernel.weights) pass.table.push_back(float(weight));
  return pass;
}

void plan_convolve(const Call& call, PlanBuilder& builder) {
  const int picture = builder.current_image();
  const PlanImage image = builder.image(picture);
  Kernel kernel = kernel_of(call);
  int source = picture;
  double scale = 1;
  if (std::optional<Product> product = product_of(kernel)) {
    builder.note(fmt::format("convolve: rows of {} weights, then columns of {}, because the kernel is their product",
                             kernel.width, kernel.height));
    scale = scale_down(product->row);
    PassSpec rows = pass_of(call, {kernel.width, 1, product->row}, 1, image.size, picture);
    rows.name = "convolve rows";
    rows.defines.push_back({"KEEPS_ALPHA", 0});
    source = rows.target.image = builder.add_image(
        {.size = image.size, .depth = Depth::f32, .space = image.space == Space::rgb ? Space::rgb : Space::xyz});
    builder.add(std::move(rows));
    kernel = {1, kernel.height, std::move(product->column)};
  }
  scale *= scale_down(kernel.weights);
  PassSpec pass = pass_of(call, kernel, scale, image.size, source);
  pass.defines.push_back({"KEEPS_ALPHA", call.flag("keep-alpha")});
  if (call.flag("keep-alpha")) pass.second.image = picture;
  builder.add_result(std::move(pass), {.size = image.size, .depth = image.depth});
}

}  // namespace

static const Benchmark bench = {.sizes = {{1920, 1080}},
                                .cpu_sizes = {{512, 512}},
                                .depths = {Depth::half, Depth::f32},
                                .arguments = "--rows 0,-1,0,-1,6,-1,0,-1,0"};

extern const Op convolve_op;
const Op convolve_op{
    .name = "convolve",
    .doc = {.group = OpGroup::filter,
            .summary = "Convolve with a kernel of up to 63 x 63 weights",
            .description =
                "Each texel becomes the weighted sum of the texels around it, in premultiplied linear light. The "
                "kernel is applied as written, not mirrored. Both sides of the kernel must be odd. --kernel reads a "
                "text file: one line per row, with spaces or commas between the weights. For gaussians and boxes, "
                "`blur` is faster.\nUse --keep-alpha for kernels whose weights add up to 0, such as edge detectors. "
                "Without it, alpha becomes 0 where the image is opaque.\nSome kernels of W x H weights are the product "
                "of a column and a row. They run as two faster passes if W H is at least 2 (W + H), as for 5x5. "
                "--explain prints the passes.",
            .citation = "OpenCV filter2D",
            .examples = {"--rows 0,-1,0,-1,6,-1,0,-1,0", "--rows -1,0,1,-2,0,2,-1,0,1 --keep-alpha --border mirror",
                         "--rows 1,2,3,2,1,2,4,6,4,2,3,6,9,6,3,2,4,6,4,2,1,2,3,2,1 --normalize --border repeat"}},
    .params = {{.name = "rows",
                .help = "Weights of a square kernel, row by row",
                .kind = ParamKind::text,
                .form = {.syntax = "N,N,N,... (K x K numbers, K odd)",
                         .matches = [](std::string_view word) { return square_of(word).has_value(); }}},
               {.name = "kernel",
                .help = "Text file of weights, instead of --rows",
                .kind = ParamKind::text,
                .form = {.syntax = "FILE", .matches = [](std::string_view word) { return !word.empty(); }}},
               {.name = "normalize", .help = "Divide the weights by their sum", .kind = ParamKind::flag},
               {.name = "border",
                .help = "Texels beyond the image: clamp repeats the edge, repeat tiles the image, mirror mirrors it",
                .kind = ParamKind::choice,
                .choices = {std::begin(border_names), std::begin(border_names) + 3}},
               {.name = "keep-alpha",
                .help = "Keep alpha, and the color of texels with alpha 0, as they are",
                .kind = ParamKind::flag,
                .is_for_color = true}},
    .check = check,
    .channels = Channels::all,
    .needs = [](const Call& call) { return Needs{.file = call.word("kernel").empty() ? "" : "kernel"}; },
    .output = output,
    .footprint = footprint,
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_convolve,
    .bench = &bench,
};

}  // namespace gpupost
