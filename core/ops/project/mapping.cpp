#include "core/ops/project/mapping.h"

#include "core/base/error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace gpupost {

namespace {

constexpr int most_side = 32768, most_samples = 16;
constexpr int position_steps = 1 << environment_position_bits;

// atan(q) / (2 pi) for q in 0..1 is q times this polynomial of q^2, to 2^-25.
constexpr std::array<float, Mapping::arc_count> arc_coefficients{
    0.159154937F, -0.0530515574F, 0.0318279266F,   -0.0226955209F, 0.0173993614F,
    -0.013289F,   0.00908608548F, -0.00483064912F, 0.00166916125F, -0.000270749617F};

// --- sizes ----------------------------------------------------------------------------------------------------------

Size grid_of(Form form, Size size) {
  const bool is_wide = size.width >= size.height;
  if (form == Form::strip) return is_wide ? Size{6, 1} : Size{1, 6};
  return is_wide ? Size{4, 3} : Size{3, 4};
}

// Side of a face of the result, or height of a lat-long.
int side_of(const Call& call, const Environment& from, Form to) {
  if (call.has("size")) return call.integer("size");
  if (to == Form::latlong) return 2 * from.face.width;
  return from.has_faces() ? from.face.width : std::max(1, (from.size.width + 2) / 4);
}

// Texels of the input per texel of the result, where there are most; the poles of a panorama do not count.
double scale_of(const Environment& from, const Environment& to) {
  constexpr double pi = std::numbers::pi;
  const auto side = [](Size size) { return double(std::max(size.width, size.height)); };
  if (!from.has_faces()) return std::max(from.size.width, 2 * from.size.height) / (pi * to.face.width);
  return to.has_faces() ? side(from.face) / to.face.width : pi * side(from.face) / to.size.height;
}

// --- float arithmetic -----------------------------------------------------------------------------------------------

// Only sums and products of floats, which every device rounds alike. The kernel has the same steps.
using Direction = std::array<float, 3>;

float reciprocal(float x) {
  float r = std::bit_cast<float>(0x7ef311c3U - std::bit_cast<uint32_t>(x));
  r = r * (2.0F - x * r);
  r = r * (2.0F - x * r);
  return r * (2.0F - x * r);
}

float root(float x) {
  const float half = 0.5F * x;
  float r = std::bit_cast<float>(0x5f375a86U - (std::bit_cast<uint32_t>(x) >> 1));
  r = r * (1.5F - half * r * r);
  r = r * (1.5F - half * r * r);
  r = r * (1.5F - half * r * r);
  return x * r;
}

// atan2(y, x) as a share of a turn, -0.5 to 0.5.
float turn_of(float y, float x) {
  const float a = std::abs(x), b = std::abs(y), least = std::min(a, b), most = std::max(a, b);
  if (most == 0) return 0;
  const float q = least * reciprocal(most), s = q * q;
  float sum = arc_coefficients.back();
  for (size_t k = Mapping::arc_count - 1; k-- > 0;) sum = sum * s + arc_coefficients[k];
  float turn = q * sum;
  if (b > a) turn = 0.25F - turn;
  if (x < 0) turn = 0.5F - turn;
  return y < 0 ? -turn : turn;
}

float dot(const Direction& a, const std::array<int, 3>& b) {
  return a[0] * float(b[0]) + a[1] * float(b[1]) + a[2] * float(b[2]);
}

// A point of a face: -1 to 1 from left to right, and from top to bottom.
struct FacePoint {
  int face = 0;
  float u = 0, v = 0;
};

// ahead * x + right * u + down * v
Direction direction_of(int face, float x, float u, float v) {
  const auto& [ahead, right, down] = face_axes[size_t(face)];
  Direction made;
  for (size_t k = 0; k < 3; ++k) made[k] = float(ahead[k]) * x + float(right[k]) * u + float(down[k]) * v;
  return made;
}

FacePoint face_point_of(const Direction& d) {
  const float x = std::abs(d[0]), y = std::abs(d[1]), z = std::abs(d[2]);
  const size_t axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  const int face = 2 * int(axis) + (d[axis] < 0 ? 1 : 0);
  const float scale = reciprocal(std::abs(d[axis]));
  const auto& [ahead, right, down] = face_axes[size_t(face)];
  return {face, dot(d, right) * scale, dot(d, down) * scale};
}

// A position along an axis: from the center of `texel`, `part` steps onwards.
struct Place {
  int texel = 0, part = 0;
};
Place place_of(float at) {
  const float whole = std::floor(at);
  const int steps = int(std::floor((at - whole) * float(position_steps) + 0.5F));
  return {int(whole) + (steps >> environment_position_bits), steps & (position_steps - 1)};
}

Place place_in_face(float u, int side) {
  const float half = 0.5F * float(side);
  const float from_left = u * half;
  return place_of(from_left + (half - 0.5F));
}

// --- sampling -------------------------------------------------------------------------------------------------------

class Sampler {
 public:
  explicit Sampler(const Environment& from) : from_(from) {}

  Taps of_latlong(const Direction& d) {
    const int width = from_.size.width, height = from_.size.height;
    const float across = 0.5F + turn_of(d[0], d[2]), radius = root(d[0] * d[0] + d[2] * d[2]);
    const float down = 0.5F - 2 * turn_of(d[1], radius);
    const float column = across * float(width), row = down * float(height);
    return around(place_of(column - 0.5F), place_of(row - 0.5F), [&](int x, int y, double weight) {
      // beyond a pole, half a turn away
      if (y < 0 || y >= height) x += width / 2, y = y < 0 ? 0 : height - 1;
      add({(x + width) % width, y}, weight);
    });
  }

  Taps of_face(const FacePoint& at) {
    return of_face(at.face, place_in_face(at.u, from_.face.width), place_in_face(at.v, from_.face.height));
  }

  Taps of_face(int face, const Place& column, const Place& row) {
    double missing = 0;
    around(column, row, [&](int x, int y, double weight) {
      const bool is_beside = x < 0 || x >= from_.face.width, is_above = y < 0 || y >= from_.face.height;
      if (is_beside && is_above) missing += weight;  // at a corner of the cube, only three texels meet
      else if (is_beside || is_above) add_beyond(face, {x, y}, is_beside, weight);
      else add_in_face(face, {x, y}, weight);
    });
    for (size_t index = 0; index < taps_.count; ++index) taps_.taps[index].weight /= 1 - missing;
    return taps_;
  }

 private:
  // Calls add(x, y, weight) for the four texels around a position, if their weight is not 0.
  template <class Add>
  Taps around(const Place& column, const Place& row, const Add& add) {
    for (const int y : {0, 1})
      for (const int x : {0, 1}) {
        const int parts_x = x == 0 ? position_steps - column.part : column.part;
        const int parts_y = y == 0 ? position_steps - row.part : row.part;
        const double weight = double(parts_x) * parts_y / (double(position_steps) * position_steps);
        if (weight > 0) add(column.texel + x, row.texel + y, weight);
      }
    return taps_;
  }

  void add(Position at, double weight) { taps_.taps[taps_.count++] = {at, weight}; }

  void add_in_face(int face, Position at, double weight) {
    const auto& [place, is_turned] = from_.cells[size_t(face)];
    if (is_turned) at = {from_.face.width - 1 - at.x, from_.face.height - 1 - at.y};
    add({std::min(place.x * from_.face.width + at.x, from_.size.width - 1),
         std::min(place.y * from_.face.height + at.y, from_.size.height - 1)},
        weight);
  }

  // The texel next to an edge of the face, as the face behind the edge shows it.
  void add_beyond(int face, Position at, bool is_beside, double weight) {
    const int width = from_.face.width, height = from_.face.height;
    const float side = float(is_beside ? width : height), shrink = side * reciprocal(side + 1);
    const float sign = (is_beside ? at.x : at.y) < 0 ? -1.0F : 1.0F;
    const int along = is_beside ? 2 * at.y + 1 - height : 2 * at.x + 1 - width;
    const float middle = float(along) * reciprocal(float(is_beside ? height : width)) * shrink;
    const FacePoint point =
        face_point_of(is_beside ? direction_of(face, shrink, sign, middle) : direction_of(face, shrink, middle, sign));
    const Place column = place_in_face(point.u, width), row = place_in_face(point.v, height);
    around(column, row, [&](int x, int y, double share) {
      add_in_face(point.face, {std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1)}, weight * share);
    });
  }

  const Environment& from_;
  Taps taps_;
};

}  // namespace

int Environment::face_in(Position cell) const {
  const auto found = std::ranges::find(cells, cell, &FaceCell::place);
  return found == cells.end() ? -1 : int(found - cells.begin());
}

Environment environment_of(Form form, Size size) {
  Environment made{.form = form, .size = size};
  if (form == Form::latlong) return made;
  made.grid = grid_of(form, size);
  made.face = {std::max(1, size.width / made.grid.width), std::max(1, size.height / made.grid.height)};
  const bool is_wide = made.grid.width > made.grid.height;
  made.cells = form == Form::strip ? cells_of_strip(is_wide) : cells_of_cross(is_wide);
  return made;
}

bool has_shape(Form form, Size size) {
  if (form == Form::latlong) return true;
  const Size grid = grid_of(form, size);
  return size.width % grid.width == 0 && size.width / grid.width * grid.height == size.height;
}

Projection projection_of(const Call& call, Size size) {
  Projection made{.from = environment_of(Form(call.integer("from")), size), .to = {}};
  if (call.takes_openexr_cube && made.from.form == Form::strip)
    made.from.cells = cells_of_openexr(made.from.grid.width > 1);
  const Form to = Form(call.integer("to"));
  const int64_t side = side_of(call, made.from, to);
  const int64_t across = to == Form::latlong ? 2 : to == Form::strip ? 6 : 4, down = to == Form::cross ? 3 : 1;
  if (across * side > most_side)
    fail(Exit::usage, "project: the result would be {} x {} texels; the limit is {} per side (make --size smaller)",
         across * side, down * side, most_side);
  made.to = environment_of(to, {int(across * side), int(down * side)});
  const double samples = std::max(1.0, std::ceil(scale_of(made.from, made.to) - 1e-6));
  made.samples = int(std::min(samples, double(most_samples)));
  made.skips_texels = samples > most_samples;
  return made;
}

Mapping::Mapping(const Projection& projection) : projection_(projection) {
  const auto& [from, to, samples, skips] = projection_;
  table_.assign(arc_coefficients.begin(), arc_coefficients.end());
  for (const FaceAxes& axes : face_axes)
    for (const auto& axis : {axes.ahead, axes.right, axes.down}) table_.insert(table_.end(), axis.begin(), axis.end());
  for (const auto& [place, is_turned] : from.cells) {
    table_.push_back(float(place.x * from.face.width));
    table_.push_back(float(place.y * from.face.height));
    table_.push_back(is_turned ? 1.0F : 0.0F);
  }
  for (int cell = 0; cell < 12; ++cell)
    table_.push_back(to.has_faces() ? float(to.face_in({cell % to.grid.width, cell / to.grid.width})) : -1.0F);
  // Samples along an axis of the result, or of one of its faces.
  const Size side = to.has_faces() ? to.face : to.size;
  for (const bool is_row : {false, true}) {
    if (is_row) rows_at_ = int(table_.size());
    const int64_t count = int64_t(samples) * (is_row ? side.height : side.width);
    const int64_t from_side = is_row ? from.face.height : from.face.width;
    for (int64_t index = 0; index < count; ++index) {
      const double share = double(2 * index + 1) / double(2 * count);  // of the side
      if (!to.has_faces()) {
        const double angle = std::numbers::pi * (is_row ? 0.5 - share : 2 * share - 1);
        table_.push_back(float(std::sin(angle)));
        table_.push_back(float(std::cos(angle)));
      } else if (from.has_faces()) {  // a position in the same face of the input
        const int64_t steps = ((2 * index + 1) * from_side - count) * position_steps / (2 * count) + position_steps;
        table_.push_back(float((steps >> environment_position_bits) - 1));
        table_.push_back(float(steps & (position_steps - 1)));
      } else {
        table_.push_back(float(2 * share - 1));
        table_.push_back(0);
      }
    }
  }
}

Taps Mapping::taps_at(Position texel, Position sample) const {
  const auto& [from, to, samples, skips] = projection_;
  int face = 0;
  if (to.has_faces()) {
    face = to.face_in({texel.x / to.face.width, texel.y / to.face.height});
    if (face < 0) return {};
    texel = {texel.x % to.face.width, texel.y % to.face.height};
  }
  const float* const across = column(texel.x * samples + sample.x);
  const float* const down = row(texel.y * samples + sample.y);
  Sampler sampler(from);
  if (!to.has_faces()) return sampler.of_face(face_point_of({across[0] * down[1], down[0], across[1] * down[1]}));
  if (!from.has_faces()) return sampler.of_latlong(direction_of(face, 1, across[0], down[0]));
  return sampler.of_face(face, {int(across[0]), int(across[1])}, {int(down[0]), int(down[1])});
}

}  // namespace gpupost
