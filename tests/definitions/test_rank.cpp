// erode, dilate, median and sharpen, held against what they say of each texel.
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace definitions;

namespace {

// choose(numbers) of each component of each square; beyond the border is the nearest texel.
Image of_squares(const Image& image, int radius, const std::function<double(std::vector<double>)>& choose) {
  return made(image.name, image.width, image.height, image.has_alpha, [&](int x, int y) {
    Position result{};
    for (size_t c = 0; c < 4; ++c) {
      std::vector<double> numbers;
      for (int row = y - radius; row <= y + radius; ++row)
        for (int column = x - radius; column <= x + radius; ++column)
          numbers.push_back(image.at(std::clamp(column, 0, image.width - 1), std::clamp(row, 0, image.height - 1))[c]);
      result[c] = choose(std::move(numbers));
    }
    return result;
  });
}

double least(std::vector<double> numbers) { return std::ranges::min(numbers); }
double largest_of(std::vector<double> numbers) { return std::ranges::max(numbers); }
double middle(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return numbers[numbers.size() / 2];
}

}  // namespace

DEVICE_TEST_CASE("erode, dilate and median take the numbers that they say, bit for bit") {
  const Images inputs{one(), odd(), holes(), negatives(), column(), row(), wide()};
  for (const int radius : {1, 2, 4, 5, 13, 41, 60}) {
    const std::string words = " --radius " + std::to_string(radius);
    const Images eroded = run("erode" + words, inputs), dilated = run("dilate" + words, inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      check_near(eroded[i], of_squares(inputs[i], radius, least), "erode" + words, {0, 0});
      check_near(dilated[i], of_squares(inputs[i], radius, largest_of), "dilate" + words, {0, 0});
    }
  }
  for (const int radius : {1, 2, 3, 7}) {
    const std::string words = "median --radius " + std::to_string(radius);
    const Images results = run(words, inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
      check_near(results[i], of_squares(inputs[i], radius, middle), words, {0, 0});
  }
  check_near(run("erode --radius 3 --tile-side 32", {wide()}), run("erode --radius 3", {wide()}), "tiles", {0, 0});
}

DEVICE_TEST_CASE("convolve sums weights times texels") {
  const Images inputs{one(), odd(), holes(), negatives(), column(), row()};
  const std::vector<double> sobel{-1, 0, 1, -2, 0, 2, -1, 0, 1}, sharp{0, -1, 0, -1, 5, -1, 0, -1, 0};
  const auto sum = [](const std::vector<double>& weights) {
    return [weights](const std::vector<double>& numbers) {
      double result = 0;
      for (size_t i = 0; i < weights.size(); ++i) result += weights[i] * numbers[i];
      return result;
    };
  };
  add_file("sobel.txt", "-1 0 1\n-2, 0, 2\n\n-1 0 1\n");
  const Images edges = run("convolve --rows -1,0,1,-2,0,2,-1,0,1 --keep-alpha", inputs);
  const Images sharpened = run("convolve --rows 0,-1,0,-1,5,-1,0,-1,0", inputs);
  check_near(run("convolve --kernel sobel.txt --keep-alpha", inputs), edges, "a file", {0, 0});
  for (size_t i = 0; i < inputs.size(); ++i) {
    Image expected = of_squares(inputs[i], 1, sum(sobel));
    for (size_t at = 0; at < expected.texels.size(); ++at) {
      const Position& before = inputs[i].texels[at];
      if (before[3] == 0) expected.texels[at] = before;
      expected.texels[at][3] = before[3];
    }
    check_near(edges[i], expected, "sobel", {2e-6, 2e-5});
    check_near(sharpened[i], of_squares(inputs[i], 1, sum(sharp)), "sharp", {2e-6, 2e-5});
  }
  add_file("bad.txt", "1 2 3\n4 5\n");
  check_exit_code("convolve --kernel bad.txt", odd(), 2);
  for (const std::string line : {"convolve", "convolve --rows 1,2", "convolve --rows 1,-2,1,0,0,0,-1,2,-1 --normalize"})
    check_exit_code(line, odd(), 1);
}

DEVICE_TEST_CASE("convolve with a product of a column and a row takes two passes, and gives what one pass would give") {
  const std::vector<double> tall{0.5, -1, 3, 0, 2, 1, -0.25}, wide_row{1, 0, -2, 4, 0.5, 3, 0, 1, 1};
  const auto kernel_text = [&](double change) {
    std::string text;
    for (const double a : tall) {
      for (const double b : wide_row) text += std::to_string(a * b + (a == 2 && b == 4 ? change : 0)) + " ";
      text += "\n";
    }
    return text;
  };
  const auto convolved = [&](const Image& image, double change, bool keeps_alpha, bool mirrors) {
    const auto continued = [&](int t, int side) {
      if (!mirrors) return std::clamp(t, 0, side - 1);
      const int rest = ((t % (2 * side)) + 2 * side) % (2 * side);
      return rest < side ? rest : 2 * side - 1 - rest;
    };
    return made(image.name, image.width, image.height, image.has_alpha, [&](int x, int y) {
      const Position before = image.at(x, y);
      if (keeps_alpha && before[3] == 0) return before;
      Position sum{};
      for (int row = 0; row < 7; ++row)
        for (int column = 0; column < 9; ++column) {
          const double a = tall[size_t(row)], b = wide_row[size_t(column)];
          const Position& c = image.at(continued(x + column - 4, image.width), continued(y + row - 3, image.height));
          for (size_t k = 0; k < 4; ++k) sum[k] += (a * b + (a == 2 && b == 4 ? change : 0)) * c[k];
        }
      if (keeps_alpha || !image.has_alpha) sum[3] = before[3];
      return sum;
    });
  };
  add_file("product.txt", kernel_text(0));
  add_file("other.txt", kernel_text(0.01));  // no product any more
  for (const Image& image : {one(), odd(), holes(), negatives(), column(), row(), wide()}) {
    check_near(run("convolve --kernel product.txt", {image})[0], convolved(image, 0, false, false), "product",
               {2e-6, 1e-4});
    check_near(run("convolve --kernel other.txt", {image})[0], convolved(image, 0.01, false, false), "no product",
               {2e-6, 1e-4});
    check_near(run("convolve --kernel product.txt --keep-alpha --border mirror", {image})[0],
               convolved(image, 0, true, true), "product, alpha kept", {2e-6, 1e-4});
  }
  const auto explained = [](const char* line) {
    const std::vector<std::string> lines = run_lines(line, {wide()});
    return std::ranges::any_of(lines,
                               [](const std::string& text) { return text.find("rows of 9 weights") != text.npos; });
  };
  CHECK(explained("convolve --kernel product.txt --explain"));
  CHECK(!explained("convolve --kernel other.txt --explain"));
  check_near(run("convolve --kernel product.txt --tile-side 64", {large()}),
             run("convolve --kernel product.txt", {large()}), "tiles", {0, 0});
}

DEVICE_TEST_CASE("bilateral is a blur where its range is wide, nothing where it is narrow, and keeps a step") {
  const Images inputs{odd(), dim()};
  const Images wide_range = run("bilateral --sigma 1.5 --range 60000", inputs);
  const Images blurred_ones = run("blur --sigma 1.5 --border renormalize", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) check_near(wide_range[i], blurred_ones[i], "wide range", {1e-4, 1e-5});
  const Image step = made("step", 40, 20, false, [](int x, int y) {
    const double light = (x < 20 ? 0.2 : 2) + 0.02 * (noise(x, y, 0) - 0.5);
    return Position{light, light, light, 1};
  });
  const Image kept = run("bilateral --sigma 2 --range 0.1", {step})[0];
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 40; ++x) CHECK(std::fabs(kept.at(x, y)[0] - (x < 20 ? 0.2 : 2)) < 0.008);
}

DEVICE_TEST_CASE("pad puts the image into the middle of a canvas") {
  const auto padded = [](const Image& image, int width, int height, const Position& color) {
    const auto corner = [](int from, int to) { return to >= from ? -((to - from) / 2) : (from - to) / 2; };
    const int left = corner(image.width, width), top = corner(image.height, height);
    return made(image.name, width, height, image.has_alpha, [&](int x, int y) {
      const int from_x = x + left, from_y = y + top;
      const bool is_inside = from_x >= 0 && from_y >= 0 && from_x < image.width && from_y < image.height;
      return is_inside ? image.at(from_x, from_y) : color;
    });
  };
  for (const Image& image : {one(), odd(), holes()}) {
    check_near(run("pad --size 40x5 --color 0.5,0.25,4,0.5", {image})[0], padded(image, 40, 5, {0.25, 0.125, 2, 0.5}),
               "pad", {0, 0});
    check_near(run("pad --size 12x31", {image})[0], padded(image, 12, 31, {}), "pad", {0, 0});
  }
  check_near(run("pad --size 300x90 --color 1,1,1 --tile-side 128", {large()})[0],
             padded(large(), 300, 90, {1, 1, 1, 1}), "tiles", {0, 0});
}

DEVICE_TEST_CASE("sharpen adds the difference from the blur, and leaves what is flat") {
  const Images inputs{one(), wide(), large()};
  const Images soft = run("blur --sigma 1.5", inputs), sharp = run("sharpen --sigma 1.5 --amount 0.75", inputs);
  const Images gated = run("sharpen --sigma 1.5 --amount 0.75 --threshold 0.25", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    Image expected = inputs[i], expected_gated = inputs[i];
    for (size_t at = 0; at < expected.texels.size(); ++at)
      for (size_t c = 0; c < 3; ++c) {
        const double detail = inputs[i].texels[at][c] - soft[i].texels[at][c];
        expected.texels[at][c] += 0.75 * detail;
        expected_gated.texels[at][c] += 0.75 * std::copysign(std::fmax(std::fabs(detail) - 0.25, 0), detail);
      }
    check_near(sharp[i], expected, "sharpen", {1e-5, 1e-5});
    check_near(gated[i], expected_gated, "sharpen --threshold", {1e-5, 1e-5});
  }
  // one straight color under any alpha: nothing to sharpen, no halo
  const Image flat = made("flat", 40, 30, true, [](int x, int y) {
    const double alpha = noise(x / 4, y / 4, 3) < 0.4 ? 0 : noise(x, y, 3);
    return Position{0.5 * alpha, 0.25 * alpha, 2 * alpha, alpha};
  });
  check_near(run("sharpen --sigma 2 --amount 4", {flat})[0], flat, "flat", {2e-5, 2e-5});
  check_near(run("sharpen --amount 0", {odd(), holes(), negatives()}), {odd(), holes(), negatives()}, "amount 0",
             {0, 0});
  check_exit_code("sharpen --storage r11g11b10 --verify", dim(), 0);
}
