// sheet: all inputs in one image, and what of them it refuses.
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

using namespace definitions;

namespace {

struct Sheet {
  int columns, cell_width, cell_height, gap;
  Position color{0, 0, 0, 1};
};

// Each image in the middle of its cell; cells from the left to the right, then down.
Image arranged(const Images& images, const Sheet& sheet) {
  const int columns = std::min(sheet.columns, int(images.size()));
  const int rows = (int(images.size()) + columns - 1) / columns;
  const int width = sheet.cell_width + 2 * sheet.gap, height = sheet.cell_height + 2 * sheet.gap;
  const bool has_alpha = std::ranges::any_of(images, &Image::has_alpha) || sheet.color[3] < 1;
  return made("sheet", columns * width, rows * height, has_alpha, [&](int x, int y) {
    const size_t index = size_t(y / height * columns + x / width);
    if (index >= images.size()) return sheet.color;
    const Image& image = images[index];
    const int left = (width - image.width) / 2, top = (height - image.height) / 2;
    const int from_x = x % width - left, from_y = y % height - top;
    const bool is_inside = from_x >= 0 && from_y >= 0 && from_x < image.width && from_y < image.height;
    return is_inside ? image.at(from_x, from_y) : sheet.color;
  });
}

// The one output of all inputs.
Image sheet_of(const std::string& line, const Images& inputs) { return run(line, inputs)[0]; }

}  // namespace

TEST_CASE("sheet puts all inputs into cells, in their order, without a change of a bit") {
  if (!has_device()) return;
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

TEST_CASE("sheet takes what the chain before it makes, and other colors of the same image do not change a cell") {
  if (!has_device()) return;
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
}

TEST_CASE("sheet refuses images of two sizes, images larger than a cell, and ops after it") {
  if (!has_device()) return;
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
