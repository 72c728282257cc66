// A small picture of luminances: which texels each of its cells holds, and the definition in double.
#pragma once

#include "core/op/op.h"

#include <vector>

namespace gpupost {

// What a cell says of the luminances of its texels.
enum class CellMeasure { mean, minimum, maximum, count };
inline constexpr std::string_view measure_names[] = {"mean", "minimum", "maximum", "count"};
CellMeasure cell_measure_of(const Call& call);

// How one side of a picture is cut into cells.
struct AxisCells {
  int texels = 1;
  int cells = 1;
  int tile = 0;  // texels a cell, the last holds what is left; 0: all cells as many, or one less
  // For a part of a side, where `tile` is 0: the first cell of the part, and the number of cells of the whole side. `texels`
  // is then the length of the whole side.
  int first = 0, side_cells = 0;

  int begin(int cell) const;  // the first texel of a cell; of cell `cells`, the end of the side or the part
  int length() const { return begin(cells); }
  int longest() const;                             // texels of the largest cell
  AxisCells part(int from_cell, int count) const;  // a part of a whole side
  bool operator==(const AxisCells&) const = default;
};

struct Cells {
  AxisCells x, y;
};

// Throws Error(Exit::usage) where a picture of that size has not as many texels as the call asks for cells.
Cells cells_of(const Call& call, Size size);
constexpr Size size_of(const Cells& cells) { return {cells.x.cells, cells.y.cells}; }

// What a texel of linear Rec.709 light adds to its luminance, by red, green and blue.
std::array<double, 3> weights_of_light(const Call& call);

// The luminances in R, G and B, and an alpha of 1.
Planes luminances(const Call& call, const Planes& from);
// What the device may be off by there, where `from` is off by `error`.
Planes luminances_tolerance(const Call& call, const Planes& from, const Planes& error);

}  // namespace gpupost
