// sheet: all inputs in one image, and what of them it refuses.
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace definitions;

namespace {

struct Sheet {
  int columns, cell_width, cell_height, gap;
  Position color{0, 0, 0, 1};
  int strip = 0;  // rows for the label, below the cell
};

// Each image in the middle of its cell; cells from the left to the right, then down.
Image arranged(const Images& images, const Sheet& sheet) {
  const int columns = std::min(sheet.columns, int(images.size()));
  const int rows = (int(images.size()) + columns - 1) / columns;
  const int width = sheet.cell_width + 2 * sheet.gap, height = sheet.cell_height + 2 * sheet.gap + sheet.strip;
  const bool has_alpha = std::ranges::any_of(images, &Image::has_alpha) || sheet.color[3] < 1;
  return made("sheet", columns * width, rows * height, has_alpha, [&](int x, int y) {
    const size_t index = size_t(y / height * columns + x / width);
    if (index >= images.size()) return sheet.color;
    const Image& image = images[index];
    const int left = (width - image.width) / 2, top = (height - sheet.strip - image.height) / 2;
    const int from_x = x % width - left, from_y = y % height - top;
    const bool is_inside = from_x >= 0 && from_y >= 0 && from_x < image.width && from_y < image.height;
    return is_inside ? image.at(from_x, from_y) : sheet.color;
  });
}

// The one output of all inputs.
Image sheet_of(const std::string& line, const Images& inputs) { return run(line, inputs)[0]; }

}  // namespace

DEVICE_TEST_CASE("sheet puts all inputs into cells, in their order, without a change of a bit") {
  const Images alike{wide(), dim(), scaled(wide(), 2), scaled(dim(), 3), mirrored(wide(), true, false)};
  check_near(sheet_of("sheet", alike), arranged(alike, {4, 64, 48, 4}), "default", {0, 0});
  check_near(sheet_of("sheet --columns 2 --gap 0", alike), arranged(alike, {2, 64, 48, 0}), "no gap", {0, 0});
  check_near(sheet_of("sheet --columns 9", {wide()}), arranged({wide()}, {1, 64, 48, 4}), "one image", {0, 0});
  const Images unlike{odd(), wide(), one(), holes(), column()};
  check_near(sheet_of("sheet --columns 3 --cell 64x50 --gap 3 --color 1,0.5,0,0.5", unlike),
             arranged(unlike, {3, 64, 50, 3, {0.5, 0.25, 0, 0.5}}), "cells", {0, 0});
  check_near(sheet_of("sheet --columns 2 --cell 64x50 --tile-side 32", {wide(), odd()}),
             arranged({wide(), odd()}, {2, 64, 50, 4}), "tiles", {0, 0});
}

namespace {

// Replaces the letters in the strips by the color of the sheet, and checks that each label has some and that they are within
// the cell. Letters have exactly the color `ink`. Returns the letters of each label, as one texel after the other.
std::vector<std::vector<bool>> take_labels(Image& seen, size_t count, const Sheet& sheet, const Position& ink) {
  std::vector<std::vector<bool>> labels;
  const int columns = std::min(sheet.columns, int(count));
  const int width = sheet.cell_width + 2 * sheet.gap, height = sheet.cell_height + 2 * sheet.gap + sheet.strip;
  for (int index = 0; index < int(count); ++index) {
    const int left = index % columns * width + sheet.gap,
              top = index / columns * height + sheet.gap + sheet.cell_height;
    std::vector<bool>& label = labels.emplace_back();
    for (int y = top; y < top + sheet.strip; ++y)
      for (int x = left; x < left + sheet.cell_width; ++x) {
        label.push_back(seen.at(x, y) == ink);
        if (label.back()) seen.at(x, y) = sheet.color;
      }
    CHECK(std::ranges::count(label, true) > 20);
  }
  return labels;
}

}  // namespace

DEVICE_TEST_CASE("sheet --labels adds a strip with a name to each cell, and changes nothing else") {
  const Position white{1, 1, 1, 1}, black{0, 0, 0, 1};
  const Images alike{wide(), dim(), scaled(wide(), 2)};
  struct Case {
    std::string line;
    Images images;
    Sheet sheet;
    Position ink;
    double error = 0;
  };
  const std::vector<Case> cases{
      {"sheet --labels", alike, {4, 64, 48, 4, {0, 0, 0, 1}, 12}, white},
      {"sheet --labels --columns 2 --gap 0 --color 0.25,0.25,0.25",
       alike,
       {2, 64, 48, 0, {.25, .25, .25, 1}, 12},
       black},
      {"sheet --labels --color 0.125,0.125,0.125", alike, {4, 64, 48, 4, {.125, .125, .125, 1}, 12}, white},
      {"sheet --labels --color 1,1,1,0.125", alike, {4, 64, 48, 4, {.125, .125, .125, .125}, 12}, white},
      {"sheet --labels --color 0,0,0,0 --tile-side 32 --columns 1", {wide(), dim()}, {1, 64, 48, 4, {}, 12}, white},
      {"sheet --labels --cell 64x50 --gap 3 --storage fp16",
       {odd(), column()},
       {4, 64, 50, 3, {0, 0, 0, 1}, 12},
       white,
       0x1p-10},
      {"sheet --labels --storage r11g11b10", {wide(), dim()}, {4, 64, 48, 4, {0, 0, 0, 1}, 12}, white, 0x1p-5},
      {"sheet --labels --cell 400x200 --columns 1 --verify",
       {large(), wide()},
       {1, 400, 200, 4, {0, 0, 0, 1}, 24},
       white},
  };
  for (const Case& one : cases) {
    Image seen = sheet_of(one.line, one.images);
    REQUIRE(!seen.texels.empty());
    const auto labels = take_labels(seen, one.images.size(), one.sheet, one.ink);
    CHECK(labels[0] != labels[1]);
    check_near(seen, arranged(one.images, one.sheet), one.line, {one.error, one.error});
  }
}

DEVICE_TEST_CASE(
    "sheet takes what the chain before it makes, and other colors of the same image do not change a cell") {
  const Images inputs{wide(), large(), odd()};
  Images small = run("resize --fit 20x20 flip x", inputs);
  check_near(sheet_of("resize --fit 20x20 flip x sheet --columns 2 --cell 20x20", inputs),
             arranged(small, {2, 20, 20, 4}), "resize", {0, 0});
  Image gray = wide();
  gray.is_gray = true;
  for (Position& c : gray.texels) c[1] = c[2] = c[0];
  check_near(sheet_of("sheet", {gray, wide()}), arranged({gray, wide()}, {4, 64, 48, 4}), "gray", {0, 0});
  Image part = wide();
  part.has_windows = true;
  part.data = {-8, 0, 55, 47};
  part.display = {0, 0, 55, 47};
  const Image shown = made("shown", 56, 48, false, [](int x, int y) { return wide().at(x + 8, y); });
  check_near(sheet_of("sheet", {part}), arranged({shown}, {1, 56, 48, 4}), "windows", {0, 0});
  part.data = part.display = {101, 50, 164, 97};
  for (const std::string line : {"shift --x 5 resize --size 50%", "crop --window 30x9+10+20", "rotate 90"}) {
    const Image alone = run(line, {part})[0];
    const Sheet sheet{1, alone.width, alone.height, 4, {0, 0, 0, 1}, 12};
    Image seen = sheet_of(line + " sheet --labels", {part});
    REQUIRE(seen.width == alone.width + 8);
    take_labels(seen, 1, sheet, {1, 1, 1, 1});
    check_near(seen, arranged({alone}, sheet), line, {0, 0});
  }
}

DEVICE_TEST_CASE("sheet converts empty cells to other primaries like the color between cells") {
  const Image seen =
      sheet_of("sheet --columns 2 --color 1,0.25,0 --output-primaries ap1", {wide(), dim(), scaled(wide(), 2)});
  REQUIRE(seen.width == 144);
  const Position between = seen.at(0, 0), empty = seen.at(100, 80);
  CHECK(between[0] < 0.9);
  for (size_t c = 0; c < 4; ++c) CHECK(std::abs(empty[c] - between[c]) < 1e-6);
}

DEVICE_TEST_CASE("sheet refuses images of two sizes, images larger than a cell, and ops after it") {
  const auto check_exit = [](const std::string& line, const Images& inputs, int expected) {
    for (size_t i = 0; i < inputs.size(); ++i) add_image("in" + std::to_string(i) + ".exr", inputs[i]);
    check_exit_code(line, inputs.back(), expected);  // after the others
  };
  check_exit("in0.exr sheet", {wide(), odd()}, 2);
  check_exit("in0.exr sheet --cell 40x60", {wide(), odd()}, 2);
  check_exit("in0.exr sheet flip x", {wide(), wide()}, 1);
  check_exit("in0.exr sheet --columns 1 --cell 64x20000", {wide(), wide()}, 7);
  check_exit("missing.exr sheet", {wide()}, 2);
  check_exit("in0.exr sheet --assemble array", {wide(), wide()}, 1);
}
