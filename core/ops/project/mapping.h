// Positions in the input for each texel of the result. The definition and the pass use the same ones.
#pragma once

#include "core/image/cube.h"
#include "core/op/op.h"

#include <array>
#include <string_view>
#include <vector>

namespace gpupost {

// Forms of an environment in one image. In the order of the choices of --from and --to.
enum class Form { latlong, strip, cross };
inline constexpr std::string_view form_names[] = {"latlong", "strip", "cross"};

// An image of an environment.
struct Environment {
  Form form = Form::latlong;
  Size size;
  // For the forms with faces. A size without square faces only occurs in plans of images that are not read yet.
  Size face;
  Size grid;  // columns and rows of faces
  FaceCells cells{};

  bool has_faces() const { return form != Form::latlong; }
  // The face in a cell of the grid; -1: none.
  int face_in(Position cell) const;
};

Environment environment_of(Form form, Size size);
// Returns whether an image of this size has square faces in this form. Each lat-long is allowed.
bool has_shape(Form form, Size size);

struct Projection {
  Environment from, to;
  int samples = 1;            // samples per texel of the result along each axis
  bool skips_texels = false;  // some texels of the input are in no sample, because `samples` has a limit
};
// The projection of an image of this size.
Projection projection_of(const Call& call, Size size);

// A texel of the input and its weight.
struct Tap {
  Position at;
  double weight = 0;
};
// The texels of one sample. The weights add up to 1.
struct Taps {
  std::array<Tap, 10> taps;
  size_t count = 0;
};

// Numbers of the positions, in floats as the device uses them.
class Mapping {
 public:
  // Offsets in the table: coefficients of the arc tangent; for each face the axes `ahead`, `right` and `down`; for each face its
  // corner in the input and whether it is turned; the face in each cell of the result; two numbers for each column of samples, and
  // then for each row.
  static constexpr size_t arc_count = 10;
  static constexpr size_t faces_at = arc_count, corners_at = faces_at + 9 * size_t(face_count),
                          cells_at = corners_at + 3 * size_t(face_count), columns_at = cells_at + 12;

  explicit Mapping(const Projection& projection);

  const Projection& projection() const { return projection_; }
  // The table of the pass. The offsets are those of its parts.
  const std::vector<float>& table() const { return table_; }
  int rows_at() const { return rows_at_; }

  // The texels of sample `sample` of a texel of the result. No texels: no face is there.
  Taps taps_at(Position texel, Position sample) const;

 private:
  const float* column(int index) const { return &table_[columns_at + 2 * size_t(index)]; }
  const float* row(int index) const { return &table_[size_t(rows_at_) + 2 * size_t(index)]; }

  Projection projection_;
  std::vector<float> table_;
  int rows_at_ = 0;
};

// Positions are rounded to 2^-environment_position_bits texels.
inline constexpr int environment_position_bits = 15;

}  // namespace gpupost
