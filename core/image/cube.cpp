#include "core/image/cube.h"

#include "core/image/number.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

namespace gpupost {
namespace {

using Vector = std::array<int, 3>;

constexpr int dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
constexpr Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
constexpr Vector scaled(const Vector& direction, int factor) {
  return {direction[0] * factor, direction[1] * factor, direction[2] * factor};
}
constexpr Vector sum(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

using Texel = std::array<double, 4>;

Texel mean_of(std::span<const Texel> texels) {
  Texel mean{};
  for (const Texel& texel : texels)
    for (size_t component = 0; component < 4; ++component) mean[component] += texel[component] / double(texels.size());
  return mean;
}

// The mean of directions, as in `mips --normal`. `has_lengths`: in alpha.
Texel mean_direction(std::span<const Texel> texels, bool has_lengths) {
  std::vector<Texel> directions(texels.begin(), texels.end());
  for (Texel& c : directions)
    for (size_t k = 0; k < 3; ++k) c[k] = (2 * c[k] - 1) * (has_lengths ? c[3] : 1);
  const Texel mean = mean_of(directions);
  const double length = std::hypot(mean[0], mean[1], mean[2]);
  Texel made{0.5, 0.5, 1, has_lengths ? std::min(length, 1.0) : mean[3]};
  for (size_t k = 0; k < 3 && length > 0; ++k) made[k] = 0.5 + 0.5 * mean[k] / length;
  return made;
}

Texel joined(std::span<const Texel> texels, SeamValue value) {
  if (value == SeamValue::mean) return mean_of(texels);
  if (value != SeamValue::minimum && value != SeamValue::maximum)
    return mean_direction(texels, value == SeamValue::weighted_direction);
  Texel made = texels[0];
  for (const Texel& texel : texels)
    for (size_t k = 0; k < 4; ++k)
      made[k] = value == SeamValue::minimum ? std::min(made[k], texel[k]) : std::max(made[k], texel[k]);
  return made;
}

// The six faces of one level.
class CubeLevel {
 public:
  CubeLevel(std::span<Group* const> faces, int level, SeamValue value)
      : depth_(faces[0]->depth), value_(value), side_(faces[0]->levels[size_t(level)].size.width) {
    for (Group* face : faces) texels_.push_back(face->levels[size_t(level)].texels.data());
  }

  int side() const { return side_; }

  // Makes the texels equal that touch a point of the cube's surface. The cube's coordinates go from -side() to side(), so that
  // middles of texels are whole numbers.
  void close_at(const Vector& point) {
    std::vector<std::byte*> touching;
    for (size_t face = 0; face < face_count; ++face)
      if (dot(point, face_axes[face].ahead) == side_) touching.push_back(texel_at(face, point));
    close(touching);
  }

  void close_all() { close({texels_.begin(), texels_.end()}); }

 private:
  std::byte* texel_at(size_t face, const Vector& point) const {
    const int column = std::min((dot(point, face_axes[face].right) + side_) / 2, side_ - 1);
    const int row = std::min((dot(point, face_axes[face].down) + side_) / 2, side_ - 1);
    return texels_[face] + 4 * bytes_of(depth_) * (size_t(row) * size_t(side_) + size_t(column));
  }

  void close(const std::vector<std::byte*>& touching) const {
    std::vector<Texel> texels;
    for (const std::byte* texel : touching) {
      texels.emplace_back();
      for (size_t component = 0; component < 4; ++component)
        texels.back()[component] = number_at(texel + component * bytes_of(depth_), depth_);
    }
    const Texel made = joined(texels, value_);
    for (std::byte* texel : touching)
      for (size_t component = 0; component < 4; ++component)
        put_number(texel + component * bytes_of(depth_), depth_, made[component]);
  }

  Depth depth_;
  SeamValue value_;
  int side_;
  std::vector<std::byte*> texels_;
};

void close_corners(CubeLevel& level) {
  for (const int x : {-1, 1})
    for (const int y : {-1, 1})
      for (const int z : {-1, 1}) level.close_at(scaled({x, y, z}, level.side()));
}

// Every edge but for its two ends, which are corners.
void close_edges(CubeLevel& level) {
  for (size_t a = 0; a < face_count; ++a) {
    for (size_t b = a + 1; b < face_count; ++b) {
      const Vector &one = face_axes[a].ahead, &other = face_axes[b].ahead;
      if (dot(one, other) != 0) continue;
      const Vector middle = scaled(sum(one, other), level.side());
      for (int i = 1; i < level.side() - 1; ++i)
        level.close_at(sum(middle, scaled(cross(one, other), 2 * i + 1 - level.side())));
    }
  }
}

// A square of `side` texels in a cell of a grid of such squares.
Level cut(const Level& from, const FaceCell& cell, int side, size_t texel_bytes) {
  const auto& [place, is_turned] = cell;
  const size_t row_bytes = size_t(side) * texel_bytes;
  Level level{{side, side}, TexelBuffer(size_t(side) * row_bytes)};
  for (int y = 0; y < side; ++y) {
    const size_t first = size_t(place.y * side + y) * size_t(from.size.width) + size_t(place.x * side);
    const std::byte* row = from.texels.data() + first * texel_bytes;
    std::byte* to = level.texels.data() + size_t(is_turned ? side - 1 - y : y) * row_bytes;
    if (!is_turned) std::memcpy(to, row, row_bytes);
    else
      for (size_t x = 0; x < size_t(side); ++x)
        std::memcpy(to + (size_t(side) - 1 - x) * texel_bytes, row + x * texel_bytes, texel_bytes);
  }
  return level;
}

Group cut(const Group& group, const FaceCell& cell, int side) {
  Group made{.channels = group.channels,
             .depth = group.depth,
             .is_color = group.is_color,
             .is_data = group.is_data,
             .is_luminance = group.is_luminance};
  for (size_t level = 0; level < group.levels.size(); ++level)
    made.levels.push_back(cut(group.levels[level], cell, side >> level, 4 * bytes_of(group.depth)));
  return made;
}

Picture cut(const Picture& picture, const FaceCell& cell, int side) {
  Picture face{.format = picture.format,
               .compression = picture.compression,
               .file_level_count = picture.file_level_count,
               .data_window = window_of({side, side}),
               .display_window = window_of({side, side}),
               .transfer = picture.transfer,
               .exponent = picture.exponent,
               .alpha = picture.alpha,
               .attributes = picture.attributes,
               .to_xyz = picture.to_xyz};
  for (const Group& group : picture.groups) face.groups.push_back(cut(group, cell, side));
  return face;
}

}  // namespace

FaceCells cells_of_cross(bool is_horizontal) {
  const FaceCell last = is_horizontal ? FaceCell{{3, 1}} : FaceCell{{1, 3}, true};
  return {{{{2, 1}}, {{0, 1}}, {{1, 0}}, {{1, 2}}, {{1, 1}}, last}};
}

FaceCells cells_of_strip(bool is_horizontal) {
  FaceCells cells;
  for (int face = 0; face < face_count; ++face)
    cells[size_t(face)].place = is_horizontal ? Position{face, 0} : Position{0, face};
  return cells;
}

FaceCells cells_of_openexr(bool is_horizontal) {
  FaceCells cells = cells_of_strip(is_horizontal);
  std::swap(cells[0], cells[1]);
  cells[2].is_turned = cells[3].is_turned = true;
  return cells;
}

static std::vector<Picture> faces_of(const Picture& picture, const FaceCells& cells, int side) {
  std::vector<Picture> faces;
  for (const FaceCell& cell : cells) faces.push_back(cut(picture, cell, side));
  return faces;
}

std::vector<Picture> faces_of_cross(const Picture& picture) {
  const auto [width, height] = picture.groups.front().levels.front().size;
  const bool is_horizontal = 3 * width == 4 * height && width % 4 == 0;
  const bool is_vertical = 4 * width == 3 * height && width % 3 == 0;
  if (!is_horizontal && !is_vertical) return {};
  return faces_of(picture, cells_of_cross(is_horizontal), is_horizontal ? width / 4 : width / 3);
}

std::vector<Picture> faces_of_strip(const Picture& picture) {
  const auto [width, height] = picture.groups.front().levels.front().size;
  if (width != 6 * height && height != 6 * width) return {};
  return faces_of(picture, cells_of_strip(width > height), std::min(width, height));
}

void close_seams(std::span<Group* const> faces, int level_index, SeamValue value) {
  CubeLevel level(faces, level_index, value);
  if (level.side() == 1) return level.close_all();
  close_corners(level);
  close_edges(level);
}

}  // namespace gpupost
