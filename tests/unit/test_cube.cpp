// Cube maps, held against directions: every texel of a face looks somewhere, and texels that meet look the same way.
#include "core/image/cube.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

using namespace gpupost;

namespace {

double middle_of(int texel, int side) { return (2.0 * texel + 1) / side - 1; }

// A smooth function of where a texel looks.
float brightness(const Direction& at) {
  const double length = std::hypot(at[0], at[1], at[2]);
  return float(0.5 + 0.2 * at[0] / length + 0.15 * at[1] / length * at[2] / length - 0.1 * at[2] / length);
}

using FaceBits = std::function<uint32_t(int face, int x, int y, size_t component)>;

struct Cube {
  std::vector<Group> groups;
  Cube(int side, Depth depth, const FaceBits& bits_of) {
    for (int face = 0; face < face_count; ++face) {
      groups.push_back(made_group({{{"R", depth}, {"G", depth}, {"B", depth}, {"A", depth}}}, depth, {side, side}, 1,
                                  [&](int x, int y, size_t c, int) { return bits_of(face, x, y, c); }));
      groups.back().is_color = true;
    }
  }
  void close_seams(SeamValue value = SeamValue::mean) {
    std::vector<Group*> faces;
    for (Group& group : groups) faces.push_back(&group);
    gpupost::close_seams(faces, 0, value);
  }
  float number(int face, int x, int y, size_t component) const {
    const Level& level = groups[size_t(face)].levels[0];
    const size_t index = 4 * (size_t(y) * size_t(level.size.width) + size_t(x)) + component;
    if (groups[size_t(face)].depth == Depth::f32) return level.texels.as<float>()[index];
    return float_from_half(level.texels.as<uint16_t>()[index]);
  }
};

struct CubeTexel {
  int face, x, y;
};
using Point = std::array<long, 3>;

// The texels that touch each point of the edges: the corners of the cube, and the middles of texels between them.
std::map<Point, std::vector<CubeTexel>> meetings(int side) {
  std::map<Point, std::vector<CubeTexel>> found;
  const auto ends = [&](int texel) {
    std::vector<double> places{middle_of(texel, side)};
    if (texel == 0) places.push_back(-1);
    if (texel == side - 1) places.push_back(1);
    return places;
  };
  for (int face = 0; face < face_count; ++face)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        for (const double u : ends(x))
          for (const double v : ends(y)) {
            if (std::abs(u) != 1 && std::abs(v) != 1) continue;
            const Direction at = direction_of(face, u, v);
            found[{std::lround(1000 * at[0]), std::lround(1000 * at[1]), std::lround(1000 * at[2])}].push_back(
                {face, x, y});
          }
  return found;
}

FaceBits noise(Depth depth) {
  return [depth](int face, int x, int y, size_t c) {
    const float number = float(hash_of(uint32_t(x), uint32_t(y), uint32_t(c), uint32_t(face)) >> 8) * 0x1p-24f;
    return depth == Depth::half ? bits_of_half(number) : bits_of_float(number);
  };
}

FaceBits analytic(int side) {
  return [side](int face, int x, int y, size_t) {
    return bits_of_float(brightness(direction_of(face, middle_of(x, side), middle_of(y, side))));
  };
}

// A grid of squares of `side` texels, with the faces of `cube` where `places` has their names; "-Z/" is -Z turned by half.
Picture laid_out(const Cube& cube, int side, const std::vector<std::vector<std::string>>& places) {
  const Size size{side * int(places[0].size()), side * int(places.size())};
  const auto number = [&](int x, int y, size_t c, int) -> uint32_t {
    const std::string& name = places[size_t(y / side)][size_t(x / side)];
    for (int face = 0; face < face_count; ++face) {
      if (!name.starts_with(face_names[face])) continue;
      const bool is_turned = name.ends_with('/');
      const int column = is_turned ? side - 1 - x % side : x % side, row = is_turned ? side - 1 - y % side : y % side;
      return bits_of_float(cube.number(face, column, row, c));
    }
    return bits_of_float(-1);
  };
  return picture_of(made_group(cube.groups[0].channels, Depth::f32, size, 1, number));
}

const std::vector<std::vector<std::string>> horizontal_cross{
    {".", "+Y", ".", "."}, {"-X", "+Z", "+X", "-Z"}, {".", "-Y", ".", "."}};
const std::vector<std::vector<std::string>> vertical_cross{
    {".", "+Y", "."}, {"-X", "+Z", "+X"}, {".", "-Y", "."}, {".", "-Z/", "."}};

void check_faces(const std::vector<Picture>& faces, const Cube& cube, int side) {
  REQUIRE(faces.size() == face_count);
  for (int face = 0; face < face_count; ++face) {
    CHECK(faces[size_t(face)].size() == Size{side, side});
    CHECK_MESSAGE(std::ranges::equal(faces[size_t(face)].groups[0].levels[0].texels.bytes(),
                                     cube.groups[size_t(face)].levels[0].texels.bytes()),
                  face_names[face]);
  }
}

}  // namespace

TEST_CASE("texels that meet get their mean, two on an edge and three at a corner, and no other texel changes") {
  for (const Depth depth : {Depth::half, Depth::f32})
    for (const int side : {2, 3, 4, 17}) {
      CAPTURE(side);
      const Cube before(side, depth, noise(depth));
      Cube after(side, depth, noise(depth));
      after.close_seams();
      std::map<std::array<int, 3>, std::vector<CubeTexel>>
          expected;  // the texels whose mean a texel gets, itself among them
      const auto all = meetings(side);
      for (const auto& [point, texels] : all) {
        const bool is_corner = std::abs(point[0]) + std::abs(point[1]) + std::abs(point[2]) == 3000;
        CHECK(texels.size() == (is_corner ? 3 : 2));
        for (const CubeTexel& texel : texels) {
          std::vector<CubeTexel>& most = expected[{texel.face, texel.x, texel.y}];
          if (texels.size() > most.size()) most = texels;
        }
      }
      CHECK(all.size() == size_t(8 + 12 * side));
      for (int face = 0; face < face_count; ++face)
        for (int y = 0; y < side; ++y)
          for (int x = 0; x < side; ++x)
            for (size_t c = 0; c < 4; ++c) {
              double mean = before.number(face, x, y, c);
              if (const auto found = expected.find({face, x, y}); found != expected.end()) {
                mean = 0;
                for (const CubeTexel& texel : found->second)
                  mean += before.number(texel.face, texel.x, texel.y, c) / double(found->second.size());
              }
              const double tolerance = depth == Depth::half ? 0x1p-11 : 0x1p-24;
              CHECK(std::abs(after.number(face, x, y, c) - mean) <= tolerance);
            }
      for (const auto& [point, texels] : all)
        for (const CubeTexel& texel : texels)
          CHECK(after.number(texel.face, texel.x, texel.y, 0) ==
                after.number(texels[0].face, texels[0].x, texels[0].y, 0));
    }
}

TEST_CASE("minima and maxima of texels that meet bound all of them, and directions keep their length") {
  for (const int side : {1, 2, 5}) {
    const Cube before(side, Depth::f32, noise(Depth::f32));
    for (const SeamValue value :
         {SeamValue::minimum, SeamValue::maximum, SeamValue::direction, SeamValue::weighted_direction}) {
      Cube after(side, Depth::f32, noise(Depth::f32));
      after.close_seams(value);
      for (const auto& [point, texels] : meetings(side))
        for (const CubeTexel& texel : texels) {
          const auto made = [&](size_t c) { return double(after.number(texel.face, texel.x, texel.y, c)); };
          for (size_t c = 0; c < 4; ++c)
            for (const CubeTexel& other : texels) {
              const double was = double(before.number(other.face, other.x, other.y, c));
              if (value == SeamValue::minimum) CHECK(made(c) <= was);
              if (value == SeamValue::maximum) CHECK(made(c) >= was);
            }
          if (value == SeamValue::minimum || value == SeamValue::maximum) continue;
          const double length = std::hypot(2 * made(0) - 1, 2 * made(1) - 1, 2 * made(2) - 1);
          CHECK(length == doctest::Approx(1).epsilon(1e-6));
          if (value == SeamValue::weighted_direction) CHECK(made(3) <= 1);
        }
    }
  }
}

TEST_CASE("faces of one texel get the mean of all six") {
  Cube cube(1, Depth::f32, [](int face, int, int, size_t) { return bits_of_float(float(face)); });
  cube.close_seams();
  for (int face = 0; face < face_count; ++face) CHECK(cube.number(face, 0, 0, 0) == 2.5f);
}

TEST_CASE("crosses and strips are cut into the faces that they show") {
  const int side = 5;
  const Cube cube(side, Depth::f32, noise(Depth::f32));
  check_faces(faces_of_cross(laid_out(cube, side, horizontal_cross)), cube, side);
  check_faces(faces_of_cross(laid_out(cube, side, vertical_cross)), cube, side);
  check_faces(faces_of_strip(laid_out(cube, side, {{"+X", "-X", "+Y", "-Y", "+Z", "-Z"}})), cube, side);
  check_faces(faces_of_strip(laid_out(cube, side, {{"+X"}, {"-X"}, {"+Y"}, {"-Y"}, {"+Z"}, {"-Z"}})), cube, side);
}

TEST_CASE("all levels of a strip are cut") {
  Picture strip = color_picture_of(
      made_group({{{"R", Depth::f32}, {"G", Depth::f32}, {"B", Depth::f32}, {}}}, Depth::f32, {24, 4}, 2,
                 [](int x, int y, size_t, int level) { return bits_of_float(float(100 * level + 10 * y + x)); }));
  const std::vector<Picture> faces = faces_of_strip(strip);
  REQUIRE(faces.size() == 6);
  const std::vector<Level>& levels = faces[5].groups[0].levels;
  REQUIRE(levels.size() == 2);
  CHECK(levels[1].size == Size{2, 2});
  CHECK(levels[1].texels.as<float>()[4 * 3] == 100 + 10 + 11);
  strip.data_window = window_of({4, 24});  // faces are cut of the texels, whose size decides
  CHECK(faces_of_strip(strip)[5].groups[0].levels[1].texels.as<float>()[4 * 3] == 100 + 10 + 11);
}

TEST_CASE("a cross is a net of the cube: what is smooth all around is smooth across its joints") {
  const int side = 16;
  const Cube cube(side, Depth::f32, analytic(side));
  for (const auto& places : {horizontal_cross, vertical_cross}) {
    const Picture net = laid_out(cube, side, places);
    const auto numbers = net.groups[0].levels[0].texels.as<float>();
    const Size size = net.size();
    const auto check_step = [&](int x, int y, int dx, int dy) {
      if (x + dx >= size.width || y + dy >= size.height) return;
      const float a = numbers[4 * size_t(y * size.width + x)], b = numbers[4 * size_t((y + dy) * size.width + x + dx)];
      if (a != -1 && b != -1) CHECK_MESSAGE(std::abs(a - b) < 0.05f, "at ", x, ", ", y);
    };
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        check_step(x, y, 1, 0);
        check_step(x, y, 0, 1);
      }
  }
}

TEST_CASE("a picture of another shape is neither cross nor strip") {
  for (const Size size : {Size{4, 4}, Size{5, 4}, Size{8, 5}, Size{1, 1}, Size{7, 1}}) {
    const Picture picture = picture_of(made_group({}, Depth::f32, size, 1, [](int, int, size_t, int) { return 0u; }));
    CHECK(faces_of_cross(picture).empty());
    CHECK(faces_of_strip(picture).empty());
  }
}
