#include "core/ops/luminance/reference.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/base/text.h"
#include "core/base/threads.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpupost {

CellMeasure cell_measure_of(const Call& call) { return CellMeasure(call.integer("measure")); }

// --- cells ----------------------------------------------------------------------------------------------------------

int AxisCells::begin(int cell) const {
  if (tile > 0) return std::min(cell * tile, texels);
  const int count = side_cells > 0 ? side_cells : cells;
  const auto from_side = [&](int64_t of_cell) { return int(of_cell * texels / count); };
  return from_side(int64_t(cell) + first) - from_side(first);
}

int AxisCells::longest() const {
  return tile > 0 ? std::min(tile, texels) : div_ceil(texels, side_cells > 0 ? side_cells : cells);
}

AxisCells AxisCells::part(int from_cell, int count) const {
  if (tile > 0) return {.texels = begin(from_cell + count) - begin(from_cell), .cells = count, .tile = tile};
  return {.texels = texels, .cells = count, .first = from_cell, .side_cells = cells};
}

static AxisCells cut_by_tile(int texels, int tile) {
  const int held = std::min(tile, texels);  // a tile larger than the picture is the whole of it
  return {.texels = texels, .cells = div_ceil(texels, held), .tile = held};
}

Cells cells_of(const Call& call, Size size) {
  if (const std::string& word = call.word("size"); !word.empty()) {
    const std::vector<int> cells = *sides(word);
    if (cells[0] > size.width || cells[1] > size.height)
      fail(Exit::usage, "luminance: --size {} is larger than the image, which is {} x {} texels", word, size.width,
           size.height);
    return {.x = {.texels = size.width, .cells = cells[0]}, .y = {.texels = size.height, .cells = cells[1]}};
  }
  const std::string& word = call.word("tile");
  const std::vector<int> tile = word.empty() ? std::vector{16, 16} : *sides(word);
  return {.x = cut_by_tile(size.width, tile[0]), .y = cut_by_tile(size.height, tile[1])};
}

// --- the definition -------------------------------------------------------------------------------------------------

std::array<double, 3> weights_of_light(const Call& call) {
  if (call.choice("weights") == "document") return {0.2125, 0.7154, 0.0721};
  return {0.2126, 0.7152, 0.0722};
}

namespace {

// Of a cell's numbers, one by one. What is no number stays, once it is there.
class ReferenceReduction {
 public:
  explicit ReferenceReduction(CellMeasure measure) : measure_(measure) {}

  void add(double number) {
    ++count_;
    sum_ += number;
    const bool is_new =
        count_ == 1 || std::isnan(number) || (measure_ == CellMeasure::minimum ? number < extreme_ : number > extreme_);
    if (is_new) extreme_ = number;
  }
  double result() const {
    switch (measure_) {
      case CellMeasure::mean: return sum_ / double(count_);
      case CellMeasure::count: return double(count_);
      default: return extreme_;
    }
  }

 private:
  CellMeasure measure_;
  int64_t count_ = 0;
  double sum_ = 0, extreme_ = 0;
};

// A number for each texel of a cell, reduced.
Plane reduced(const Cells& cells, CellMeasure measure, const std::function<double(size_t index)>& number_at) {
  const Size size = size_of(cells);
  Plane made{.size = size, .values = std::vector<double>(texel_count(size))};
  const auto reduce = [&](int column, int row) {
    ReferenceReduction reduction(measure);
    for (int y = cells.y.begin(row); y < cells.y.begin(row + 1); ++y)
      for (int x = cells.x.begin(column); x < cells.x.begin(column + 1); ++x)
        reduction.add(number_at(size_t(y) * size_t(cells.x.texels) + size_t(x)));
    made.values[size_t(row) * size_t(size.width) + size_t(column)] = reduction.result();
  };
  parallel_ranges(int(texel_count(size)), 1, [&](int begin, int end) {
    for (int cell = begin; cell < end; ++cell) reduce(cell % size.width, cell / size.width);
  });
  return made;
}

// Of a texel's red, green and blue, each through `part` before.
template <class Part>
double luminance_at(const std::array<double, 3>& weights, const Planes& planes, size_t index, Part part) {
  double sum = 0;
  for (size_t c = 0; c < 3; ++c) sum += weights[c] * part(planes[c].values[index]);
  return sum;
}

double absolute_of_any(double number) { return std::abs(number); }
double absolute_where_finite(double number) { return std::isfinite(number) ? std::abs(number) : 0; }

Planes gray(Plane plane, double alpha) {
  const Size size = plane.size;
  return {plane, plane, plane, Plane{.size = size, .values = std::vector<double>(texel_count(size), alpha)}};
}

// Sums of 256 numbers are made of at most 32 additions one behind the other, those of more numbers of sums of such sums.
double additions(const Cells& cells) {
  const double texels = double(cells.x.longest()) * cells.y.longest();
  return 32 * std::max(1.0, std::ceil(std::log2(texels) / 8));
}

}  // namespace

Planes luminances(const Call& call, const Planes& from) {
  const std::array<double, 3> weights = weights_of_light(call);
  return gray(
      reduced(cells_of(call, size_of(from)), cell_measure_of(call),
              [&](size_t index) { return luminance_at(weights, from, index, [](double number) { return number; }); }),
      1);
}

Planes luminances_tolerance(const Call& call, const Planes& from, const Planes& error) {
  const Cells cells = cells_of(call, size_of(from));
  const std::array<double, 3> weights = weights_of_light(call);
  const CellMeasure measure = cell_measure_of(call);
  if (measure == CellMeasure::count) return gray(reduced(cells, measure, [](size_t) { return 0; }), 0);
  const bool is_mean = measure == CellMeasure::mean;
  const double relative = ((is_mean ? additions(cells) : 0) + 4) * 0x1p-24;
  // numbers are scaled down before they are summed, and devices may flush to zero
  const double least = (is_mean ? 2.0 * cells.x.longest() * cells.y.longest() : 2) * 0x1p-126;
  Plane tolerance = reduced(cells, is_mean ? measure : CellMeasure::maximum, [&](size_t index) {
    return relative * luminance_at(weights, from, index, is_mean ? absolute_of_any : absolute_where_finite) +
           luminance_at(weights, error, index, absolute_where_finite);
  });
  for (double& value : tolerance.values) value += least;
  return gray(std::move(tolerance), 0);
}

}  // namespace gpupost
