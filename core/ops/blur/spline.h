// Gaussians on a coarser grid: windows reduce an axis to cells, a small kernel blurs the cells, and the same windows enlarge
// them. The windows look like cubic B-splines, and alias less. This file has the numbers of one axis, in double;
// spline_passes.cpp has the passes.
#pragma once

#include "core/reference/filter.h"

#include <array>
#include <cstdint>
#include <vector>

namespace gpupost {

// Above this sigma, splines are faster than weighted sums.
constexpr double splines_above_sigma = 4;

// A part of a picture begins at a multiple of so many cells, and a picture that repeats has such a multiple. Then the blur of
// the cells takes the same sums in every part: devices round them by their place in the work of a thread.
constexpr int cell_alignment = 12;

// Cells beyond an end that does not repeat: the next ones hold no texel of the picture.
constexpr int cells_beyond = 3;

// How far the weights of an axis may be from those of the gaussian: each one, as a share of the gaussian's weight in the
// middle, and the sum of all differences.
constexpr double spline_weight_error = 5e-4, spline_total_error = 4e-4;

// The cells of an axis. Their width is not a whole number of texels: all cells together are exactly as long as the axis,
// or as some axes behind each other where one is very short. Cells and texels go on beyond both ends with the same spacing.
class SplineGrid {
 public:
  // `sigma` in texels, more than splines_above_sigma; `side` texels of the whole picture.
  SplineGrid(double sigma, int side, Border border = Border::clamp);

  int cells() const { return cells_; }
  int length() const { return length_; }  // of all cells, in texels: a multiple of the side
  int radius() const { return radius_; }  // of the blur of the cells, in cells
  // Weights of cells -radius..radius of that blur. Their sum is 1, and none is 0.
  std::vector<double> cell_weights() const;
  double texels_per_cell() const { return double(length_) / cells_; }
  // The last cell whose middle does not lie behind the middle of the texel. It and the next one enclose the texel.
  int cell_before(int texel) const;
  // The first texel that has this cell before it.
  int first_texel(int cell) const;
  // Weights of the cells cell_before - 1 to cell_before + 2 at a texel. Their sum is 1, their center is the texel, and none is 0.
  std::array<double, 4> weights(int texel) const;
  // Weights of these texels in the cells cell_before - 1 to cell_before + 2 that they are reduced to: the same, divided so that
  // the weights of all texels in a cell have a sum of 1 and a constant stays one.
  std::vector<std::array<double, 4>> reductions(int first, int count) const;
  // The source texels from the first to the last whose numbers a texel of the result depends on.
  std::array<int, 2> reached(int texel) const;
  // The most that a texel of the result reaches to either side.
  int reach() const;
  // Of a picture of ones with nothing around it the blur, for each texel.
  std::vector<double> blurred_ones() const;

 private:
  int64_t position(int texel) const;  // of the middle of a texel behind that of cell 0, in 1 / (2 length) cells

  int side_ = 1, length_ = 1, cells_ = 1, radius_ = 0;
  double sigma_ = 0;  // of the whole gaussian, in cells
};

// Weights of texels -radius..radius of a gaussian; their sum is 1.
std::vector<double> gaussian_weights(double sigma, int radius);

}  // namespace gpupost
