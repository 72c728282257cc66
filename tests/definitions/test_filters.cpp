// Blur, resize and mips, held against their definitions, and what holds of every linear filter.
#include "tests/definitions/filters.h"
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace definitions;

namespace {

using Filter = std::function<Image(const Image&)>;

Filter box_blur(int radius, Border border = Border::clamp) {
  return [=](const Image& image) {
    const auto taps = [&](int at) { return box(at, radius); };
    return filtered(image, image.width, image.height, taps, taps, border);
  };
}
Filter gaussian_blur(double sigma, Border border = Border::clamp) {
  return [=](const Image& image) { return blurred(image, sigma, int(std::ceil(3 * sigma)), border); };
}
Filter resize_to(int width, int height, const std::string& filter, Border border = Border::clamp) {
  return [=](const Image& image) { return resized(image, width, height, filter, border); };
}

struct Case {
  std::string line;
  Filter filter;
  double tolerance = 2e-6;  // of the largest number
};

const Case blurs[] = {
    {"blur --radius 1", box_blur(1)},
    {"blur --radius 3 --border mirror", box_blur(3, Border::mirror)},
    {"blur --radius 2 --border black", box_blur(2, Border::black)},
    {"blur --radius 40 --border repeat", box_blur(40, Border::repeat)},
    {"blur --radius 40 --border renormalize --method sliding", box_blur(40, Border::renormalize)},
    {"blur --sigma 1.5", gaussian_blur(1.5)},
    {"blur --sigma 0.3 --border repeat", gaussian_blur(0.3, Border::repeat)},
    {"blur --sigma 2 --border black --method direct --order z", gaussian_blur(2, Border::black)},
    {"blur --sigma 6 --border mirror --method lines", gaussian_blur(6, Border::mirror)},
    {"blur --kernel gaussian --radius 4 --border renormalize",
     [](const Image& image) { return blurred(image, 4 / 3.0, 4, Border::renormalize); }},
    {"blur --sigma 3 --radius 2 --axis y --method separable",
     [](const Image& image) {
       return filtered(
           image, image.width, image.height, identity, [](int at) { return gaussian(at, 3, 2); }, Border::clamp);
     }},
    {"blur --radius 2 --passes 3 --axis x",
     [](const Image& image) {
       const auto once = [](const Image& i) {
         return filtered(
             i, i.width, i.height, [](int at) { return box(at, 2); }, identity, Border::clamp);
       };
       return once(once(once(image)));
     }},
};

// The texel under the middle of each texel of the result, the one before an edge.
Image copied(const Image& image, int width, int height) {
  const auto under = [](int at, int from, int to) { return int(std::ceil((at + 0.5) * from / to - 1e-9)) - 1; };
  return made(image.name, width, height, image.has_alpha,
              [&](int x, int y) { return image.at(under(x, image.width, width), under(y, image.height, height)); });
}

const Case resizes[] = {
    {"resize --size 23x31", resize_to(23, 31, "lanczos3"), 1e-5},
    {"resize --size 100x7", resize_to(100, 7, "lanczos3"), 1e-5},
    {"resize --size 1x1", resize_to(1, 1, "lanczos3"), 1e-5},
    {"resize --size 31x20 --filter box", resize_to(31, 20, "box"), 1e-5},
    {"resize --size 31x20 --filter triangle --border repeat", resize_to(31, 20, "triangle", Border::repeat), 1e-5},
    {"resize --size 19x50 --filter kaiser --border mirror", resize_to(19, 50, "kaiser", Border::mirror), 1e-5},
    {"resize --size 19x50 --filter mitchell", resize_to(19, 50, "mitchell"), 1e-5},
    {"resize --size 19x50 --filter catmull-rom", resize_to(19, 50, "catmull-rom"), 1e-5},
    {"resize --size 31x20 --filter cubic --border mirror", resize_to(31, 20, "cubic", Border::mirror), 1e-5},
    {"resize --size 19x50 --filter lanczos2", resize_to(19, 50, "lanczos2"), 1e-5},
    {"resize --size 23x31 --filter lanczos4", resize_to(23, 31, "lanczos4"), 1e-5},
    {"resize --size 23x31 --filter lanczos6 --border repeat", resize_to(23, 31, "lanczos6", Border::repeat), 1e-5},
    {"resize --size 31x77 --filter gaussian", resize_to(31, 77, "gaussian"), 1e-5},
    {"resize --size 31x77 --ringing keep",
     [](const Image& image) { return resized(image, 31, 77, "lanczos3", Border::clamp, Ringing::keep); }, 1e-5},
    {"resize --size 19x50 --filter nearest", [](const Image& image) { return copied(image, 19, 50); }, 0},
    {"resize --size 131x90 --filter nearest --tile-side 64", [](const Image& image) { return copied(image, 131, 90); },
     0},
    {"resize --size 100% --filter nearest", [](const Image& image) { return image; }, 0},
};

void hold(const Case& c, const Images& inputs) {
  const Images results = run(c.line, inputs);
  for (size_t i = 0; i < inputs.size(); ++i)
    check_near(results[i], c.filter(inputs[i]), c.line, {2e-6, c.tolerance * largest(inputs[i])});
}

double mean(const Image& image, size_t channel) {
  double sum = 0;
  for (const Position& texel : image.texels) sum += texel[channel];
  return sum / double(image.texels.size());
}

// Black with some light in the middle, so that no border has a say.
Image island(int seed, int x, int y) {
  return made("island", 64, 48, true, [=](int column, int row) {
    const int u = column - x, v = row - y;
    if (u < 0 || v < 0 || u >= 6 || v >= 5) return Position{};
    return Position{noise(u, v, 0, seed), noise(u, v, 1, seed), noise(u, v, 2, seed), 0.25 + noise(u, v, 3, seed)};
  });
}

}  // namespace

DEVICE_TEST_CASE("blurs are the weighted means of their definition, at any size and border") {
  for (const Case& c : blurs) hold(c, {one(), odd(), wide(), holes(), negatives(), column(), row()});
}

DEVICE_TEST_CASE("splines come as near to a gaussian as help says") {
  // a light of 1 in the middle, and an edge
  Image light = star(160, 160, 80, 80), edge = star(160, 160, 80, 80, 0);
  for (int y = 0; y < 160; ++y)
    for (int x = 80; x < 160; ++x) edge.at(x, y) = {1, 1, 1, 1};
  for (const double sigma : {5.0, 6.5, 11.0}) {
    const std::string line = "blur --sigma " + std::to_string(sigma);
    const Images results = run(line, {light, edge});
    // the gaussian to 6 sigma, where help lets splines end
    const auto gaussian = [&](const Image& image) { return blurred(image, sigma, int(6 * sigma), Border::clamp); };
    const Image kernel = gaussian(light), step = gaussian(edge);
    check_near(results[0], kernel, line, {0, 0.001 * kernel.at(80, 80)[0]});
    check_near(results[1], step, line, {0, 0.0002});
  }
}

DEVICE_TEST_CASE("resize takes the filters of their publications") {
  for (const Case& c : resizes) hold(c, {one(), odd(), wide(), holes(), negatives(), column(), row()});
}

DEVICE_TEST_CASE("resize --fit, --fill and --long-side keep the proportions and enlarge where they are asked to") {
  struct Sized {
    const char* line;
    int width, height;
  };
  for (const Sized& sized : {Sized{"resize --fit 32x100", 32, 24},
                             {"resize --fit 100x12", 16, 12},
                             {"resize --fit 100x100", 64, 48},
                             {"resize --fit 100x96 --enlarge", 100, 75},
                             {"resize --long-side 20", 20, 15},
                             {"resize --long-side 90", 64, 48},
                             {"resize --long-side 96 --enlarge", 96, 72}})
    check_near(run(sized.line, {wide()})[0], resized(wide(), sized.width, sized.height, "lanczos3", Border::clamp),
               sized.line, {1e-5, 1e-5});
  // the middle of what covers the box
  const auto middle = [](int width, int height, int scaled_width, int scaled_height) {
    const Image scaled = resized(wide(), scaled_width, scaled_height, "lanczos3", Border::clamp);
    const int left = (scaled_width - width) / 2, top = (scaled_height - height) / 2;
    return made("middle", width, height, false, [&](int x, int y) { return scaled.at(x + left, y + top); });
  };
  check_near(run("resize --fill 20x30", {wide()})[0], middle(20, 30, 40, 30), "fill 20x30", {1e-5, 1e-5});
  check_near(run("resize --fill 32x10", {wide()})[0], middle(32, 10, 32, 24), "fill 32x10", {1e-5, 1e-5});
  check_near(run("resize --fill 100x80 --enlarge", {wide()})[0], middle(100, 80, 107, 80), "fill 100x80", {1e-5, 1e-5});
  check_near(run("resize --fill 100x40", {wide()})[0], middle(64, 40, 64, 48), "fill 100x40", {1e-5, 1e-5});
  check_near(run("resize --fill 60x80 --tile-side 128", {large()})[0], run("resize --fill 60x80", {large()})[0],
             "fill in tiles", {0, 0});
  const auto padded = [](int width, int height, int inner_width, int inner_height) {
    const Image scaled = resized(wide(), inner_width, inner_height, "lanczos3", Border::clamp);
    const int left = (width - inner_width) / 2, top = (height - inner_height) / 2;
    return made("padded", width, height, true, [&](int x, int y) {
      const bool is_inside = x >= left && x < left + inner_width && y >= top && y < top + inner_height;
      return is_inside ? scaled.at(x - left, y - top) : Position{0.125, 0.25, 0.5, 0.5};  // premultiplied
    });
  };
  check_near(run("resize --fit 32x101 --pad 0.25,0.5,1,0.5", {wide()})[0], padded(32, 101, 32, 24), "pad",
             {1e-5, 1e-5});
  check_near(run("resize --fit 101x100 --pad 0.25,0.5,1,0.5", {wide()})[0], padded(101, 100, 64, 48), "pad, not larger",
             {1e-5, 1e-5});
  check_near(run("resize --fit 100x120 --enlarge --pad 0.25,0.5,1,0.5", {wide()})[0], padded(100, 120, 100, 75),
             "pad, enlarged", {1e-5, 1e-5});
  check_near(run("resize --fit 60x140 --pad 1,0,0 --tile-side 64", {large()})[0],
             run("resize --fit 60x140 --pad 1,0,0", {large()})[0], "pad in tiles", {0, 0});
  for (const std::string line :
       {"resize", "resize --size 3x3 --fit 4x4", "resize --fit 0x4", "resize --size 50% --enlarge",
        "resize --size 9x9 --pad 0,0,0", "resize --fit 9x9 --pad red", "resize --fit 9x9 --pad 0,0"})
    check_exit_code(line, odd(), 1);
}

DEVICE_TEST_CASE("a bright light is resized without dark or bright rings, and a dim edge keeps its bright overshoot") {
  const auto sun = made("sun", 60, 50, true, [](int x, int y) {
    const bool is_sun = (x - 30) * (x - 30) + (y - 25) * (y - 25) < 20;
    return is_sun ? Position{60000, 5000, 0.5, 1} : Position{0.5, 0.25, 0.5, 1};
  });
  const auto edge = made("edge", 60, 50, false, [](int x, int) {
    return x < 30 ? Position{0.25, 0.25, 0.25, 1} : Position{0.75, 0.75, 0.75, 1};
  });
  for (const std::string filter : {"lanczos3", "lanczos6", "kaiser", "catmull-rom", "mitchell"})
    for (const char* size : {"31x23", "60x20", "133x111"}) {
      const std::string line = std::string("resize --size ") + size + " --filter " + filter;
      const Images seen = run(line, {sun, edge});
      double least = 1, ring = 0;
      for (int y = 0; y < seen[0].height; ++y)
        for (int x = 0; x < seen[0].width; ++x) {
          const Position& texel = seen[0].at(x, y);
          least = std::min({least, texel[0] / 0.5, texel[1] / 0.25});
          // texels from the sun's edge, of the coarser side
          const double ratio_x = 60.0 / seen[0].width, ratio_y = 50.0 / seen[0].height;
          const double u = std::fabs((x + 0.5) * ratio_x - 30.5) - 5, v = std::fabs((y + 0.5) * ratio_y - 25.5) - 5;
          if (u > 1.5 * std::max(1.0, ratio_x) || v > 1.5 * std::max(1.0, ratio_y))
            ring = std::max(ring, texel[0] / 0.5);
        }
      CHECK_MESSAGE(least >= 1 - 1e-5, line, ": ", least);
      CHECK_MESSAGE(ring <= 1 + 1e-5, line, ": ", ring);
      if (filter == "mitchell" || seen[1].width == 60) continue;
      double most = 0;
      for (const Position& texel : seen[1].texels) most = std::max(most, texel[0]);
      CHECK_MESSAGE(most > 0.76, line, ": ", most);
    }
  const Image kept = run("resize --size 31x23 --ringing keep", {sun})[0];
  CHECK(std::ranges::min(kept.texels, {}, [](const Position& c) { return c[0]; })[0] < -100);
  check_exit_code("resize --size 50% --filter box --ringing keep", edge, 1);
}

DEVICE_TEST_CASE("resize --hicomp filters what the published pair of curves compresses") {
  const double a = -0.54576885700225830078, b = 0.18351669609546661377, c = 284.3577880859375;
  const auto squeeze = [&](double x) {
    return std::fabs(x) <= 0.18 ? x : std::copysign(a + b * std::log(c * std::fabs(x) + 1), x);
  };
  const auto expand = [&](double x) {
    return std::fabs(x) <= 0.18 ? x : std::copysign((std::exp((std::fabs(x) - a) / b) - 1) / c, x);
  };
  const Image source = wide();
  const auto each = [](const Image& image, const auto& f) {
    Image result = image;
    for (Position& texel : result.texels) texel = {f(texel[0]), f(texel[1]), f(texel[2]), texel[3]};
    return result;
  };
  check_near(run("resize --size 23x31 --hicomp", {source})[0],
             each(resized(each(source, squeeze), 23, 31, "lanczos3"), expand), "resize --hicomp", {2e-4, 2e-5});
}

DEVICE_TEST_CASE("the levels of mips are means over areas, and each keeps the mean of the picture") {
  const Images inputs{one(),           odd(), wide(), holes(), negatives(), star(1, 33, 0, 32), star(5, 64, 4, 0),
                      star(7, 7, 3, 3)};
  for (const char* line : {"mips", "mips --method single-pass"}) {
    const std::vector<Images> results = run_levels(line, inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      Image expected = inputs[i];
      const int side = std::max(expected.width, expected.height);
      CHECK(results[i].size() == size_t(1 + std::floor(std::log2(side))));
      for (size_t level = 0; level < results[i].size(); ++level) {
        check_near(results[i][level], expected, std::string(line) + " level " + std::to_string(level),
                   {2e-6, 2e-6 * largest(inputs[i])});
        for (size_t c = 0; c < 4; ++c)
          CHECK(mean(results[i][level], c) == doctest::Approx(mean(inputs[i], c)).epsilon(1e-5));
        expected = halved(expected);
      }
    }
  }
}

DEVICE_TEST_CASE("mips: least and largest numbers of all that a texel covers, filters from above and from the base") {
  const Images inputs{odd(), wide()};
  const std::vector<Images> least = run_levels("mips --reduce min", inputs),
                            most = run_levels("mips --reduce max", inputs);
  const auto reduced = [](const Image& image, bool is_least) {
    Image result = halved(image);
    for (int y = 0; y < result.height; ++y)
      for (int x = 0; x < result.width; ++x)
        for (size_t c = 0; c < 4; ++c) {
          double& number = result.at(x, y)[c] = is_least ? INFINITY : -INFINITY;
          for (int v = 2 * y; v < 2 * y + 2 + image.height % 2 && v < image.height; ++v)
            for (int u = 2 * x; u < 2 * x + 2 + image.width % 2 && u < image.width; ++u)
              number = is_least ? std::fmin(number, image.at(u, v)[c]) : std::fmax(number, image.at(u, v)[c]);
        }
    return result;
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    Image low = inputs[i], high = inputs[i];
    for (size_t level = 0; level < least[i].size(); ++level) {
      check_near(least[i][level], low, "mips --reduce min", {0, 0});
      check_near(most[i][level], high, "mips --reduce max", {0, 0});
      low = reduced(low, true), high = reduced(high, false);
    }
  }
  const std::vector<Images> chain = run_levels("mips --filter kaiser", inputs),
                            base = run_levels("mips --filter mitchell --from-base --border mirror", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    Image above = inputs[i];
    for (size_t level = 1; level < chain[i].size(); ++level) {
      const int width = chain[i][level].width, height = chain[i][level].height;
      above = resized(above, width, height, "kaiser");
      const Tolerance tolerance{2e-6, 1e-5 * largest(inputs[i])};
      check_near(chain[i][level], above, "mips --filter kaiser", tolerance);
      check_near(base[i][level], resized(inputs[i], width, height, "mitchell", Border::mirror), "mips --from-base",
                 tolerance);
    }
  }
}

DEVICE_TEST_CASE("mips --normal averages directions, and --coverage keeps what an alpha test lets through") {
  const Image normals = made("normals", 16, 8, false, [](int x, int y) {
    const double u = noise(x, y, 0) - 0.5, v = noise(x, y, 1) - 0.5, w = 0.5 + noise(x, y, 2),
                 length = std::sqrt(u * u + v * v + w * w);
    return Position{0.5 + u / length / 2, 0.5 + v / length / 2, 0.5 + w / length / 2, 1};
  });
  const Images levels = run_levels("mips --normal --normal-length alpha", {normals})[0];
  if (levels.size() > 1) {
    Image expected = halved(normals);
    expected.has_alpha = true;
    for (Position& texel : expected.texels) {
      const double u = 2 * texel[0] - 1, v = 2 * texel[1] - 1, w = 2 * texel[2] - 1,
                   length = std::sqrt(u * u + v * v + w * w);
      texel = {0.5 + u / length / 2, 0.5 + v / length / 2, 0.5 + w / length / 2, length};
    }
    check_near(levels[1], expected, "mips --normal", {2e-6, 2e-6});
  }
  // a coverage by bilinear samples, 4 x 4 between each four texels
  const Image leaves = made("leaves", 64, 64, true, [](int x, int y) {
    const double alpha = noise(x / 2, y / 2, 0) < 0.3 ? 1 : 0.2 * noise(x, y, 1);
    return Position{alpha / 2, alpha, alpha / 4, alpha};
  });
  const auto coverage = [](const Image& image, double reference) {
    int count = 0, passed = 0;
    for (int y = 0; y + 1 < image.height; ++y)
      for (int x = 0; x + 1 < image.width; ++x)
        for (int sample = 0; sample < 16; ++sample) {
          const double u = (sample % 4 + 0.5) / 4, v = (sample / 4 + 0.5) / 4;
          const auto alpha = [&](int dx, int dy) { return std::clamp(image.at(x + dx, y + dy)[3], 0.0, 1.0); };
          const double above = (1 - u) * alpha(0, 0) + u * alpha(1, 0), below = (1 - u) * alpha(0, 1) + u * alpha(1, 1);
          passed += (1 - v) * above + v * below > reference;
          ++count;
        }
    return double(passed) / count;
  };
  const Images kept = run_levels("mips --coverage 0.6", {leaves})[0], plain = run_levels("mips", {leaves})[0];
  for (size_t level = 1; level + 2 < kept.size(); ++level) {
    const double wanted = coverage(leaves, 0.6), is = coverage(kept[level], 0.6);
    const double texels = double(kept[level].texels.size());
    CHECK_MESSAGE(std::fabs(is - wanted) < 0.02 + 2 / texels, "level ", level, ": coverage ", is, " of ", wanted);
    for (size_t at = 0; at < kept[level].texels.size(); ++at) {  // color goes along with alpha
      const Position &now = kept[level].texels[at], &before = plain[level].texels[at];
      CHECK(now[3] <= 1);
      CHECK(now[0] * before[3] == doctest::Approx(before[0] * now[3]).epsilon(1e-4));
    }
  }
}

DEVICE_TEST_CASE("linear filters: sums, scales, mirrors, channels and places go through") {
  struct Linear {
    const char* line;
    int step;  // texels of the input that are one of the result
    bool keeps_centroid = true;
  };
  const Linear filters[] = {{"blur --sigma 2.5", 1},
                            {"blur --radius 5 --method sliding", 1},
                            {"blur --radius 2 --passes 2 --method direct", 1},
                            {"resize --size 32x24 --ringing keep", 2},
                            {"resize --size 16x12 --filter kaiser --ringing keep", 4},
                            {"resize --size 128x96 --filter mitchell --ringing keep", 0},
                            {"bloom --threshold 0 --radius 8 --intensity 1", 1, false},
                            {"luminance --tile 4", 4, false}};
  const int x = 28, y = 20;
  const Image a = island(1, x, y), b = island(2, x, y);
  for (const Linear& filter : filters) {
    const int step = std::max(1, filter.step);
    Images inputs{a,
                  b,
                  sum(a, b),
                  scaled(a, 1e3),
                  scaled(a, 1e-6),
                  permuted(a),
                  mirrored(a, true, false),
                  mirrored(a, false, true),
                  shifted(a, -step, 2 * step)};
    const Images r = run(filter.line, inputs);
    const std::string what = filter.line;
    const Tolerance tolerance{1e-5, 2e-6};
    check_near(r[2], sum(r[0], r[1]), what + ", sum", tolerance);
    check_near(r[3], scaled(r[0], 1e3), what + ", times 1000", {1e-5, 2e-3});
    check_near(r[4], scaled(r[0], 1e-6), what + ", times 1e-6", {1e-5, 2e-12});
    if (what.find("luminance") == what.npos) check_near(r[5], permuted(r[0]), what + ", permuted", tolerance);
    check_near(r[6], mirrored(r[0], true, false), what + ", mirrored in x", tolerance);
    check_near(r[7], mirrored(r[0], false, true), what + ", mirrored in y", tolerance);
    if (filter.step > 0 && what.find("bloom") == what.npos)
      check_near(r[8], shifted(r[0], -1 * step / step, 2), what + ", moved", tolerance);
    if (!filter.keeps_centroid) continue;
    for (const int channel : {0, 3}) {
      const Moments before = moments(a, channel), after = moments(r[0], channel);
      const double share = double(a.width) / r[0].width;
      CHECK_MESSAGE(after.sum * share * share == doctest::Approx(before.sum).epsilon(2e-3), what);
      CHECK_MESSAGE((after.x + 0.5) * share == doctest::Approx(before.x + 0.5).epsilon(2e-3), what);
      CHECK_MESSAGE((after.y + 0.5) * share == doctest::Approx(before.y + 0.5).epsilon(2e-3), what);
    }
  }
}

DEVICE_TEST_CASE("a constant picture stays constant, whatever filter it goes through") {
  const auto constant = [](int width, int height) {
    return made("constant", width, height, true, [](int, int) { return Position{0.3, 700, -0.01, 0.7}; });
  };
  for (const char* line : {"blur --sigma 4", "blur --radius 3 --border repeat --passes 2",
                           "blur --radius 9 --border renormalize", "blur --sigma 7", "resize --size 13x77",
                           "resize --size 40% --filter kaiser --border mirror", "mips --filter lanczos3 --from-base"}) {
    for (const Images& levels : run_levels(line, {constant(1, 1), constant(17, 9), constant(64, 48)}))
      for (const Image& level : levels) check_near(level, constant(level.width, level.height), line, {5e-6, 0});
  }
}

DEVICE_TEST_CASE("what is no number shows where its kernel reaches, and nowhere else") {
  Image broken = wide();
  broken.at(30, 20)[1] = NAN;
  broken.at(10, 40)[0] = INFINITY;
  const auto hidden = [](const Image& image, const Image& other) {  // other's numbers where image's are none
    Image result = image;
    for (size_t at = 0; at < image.texels.size(); ++at)
      for (size_t c = 0; c < 4; ++c)
        if (!std::isfinite(image.texels[at][c])) result.texels[at][c] = other.texels[at][c];
    return result;
  };
  struct Margin {
    const char* line;
    int texels;
  };
  for (const Margin& reach : {Margin{"blur --radius 4 --method sliding", 4},
                              {"blur --sigma 2 --method lines", 6},
                              {"blur --radius 40 --axis x", 40},
                              {"resize --size 100% --filter mitchell", 1}}) {
    const Images seen = run(reach.line, {wide(), broken});
    check_near(hidden(seen[1], seen[0]), seen[0], reach.line, {1e-5, 1e-5});
    int wrong = 0;
    for (int y = 0; y < 48; ++y)
      for (int x = 0; x < 64; ++x) {
        const auto is_near = [&](int u, int v) {
          const bool is_line = std::string(reach.line).find("axis") != std::string::npos;
          return std::abs(x - u) <= reach.texels && std::abs(y - v) <= (is_line ? 0 : reach.texels);
        };
        wrong += std::isfinite(seen[1].at(x, y)[1]) == is_near(30, 20);
        wrong += std::isfinite(seen[1].at(x, y)[0]) == is_near(10, 40);
      }
    CHECK_MESSAGE(wrong == 0, std::string(reach.line), ": ", wrong, " texels");
  }
}

DEVICE_TEST_CASE("tiles, fused passes and the space between them change no number, or hardly any") {
  for (const std::string line :
       {"blur --sigma 3", "resize --size 37% --filter mitchell exposure --stops 1",
        "dof --focus 2 --sensor-width 5 --f-stop 1.4 --max-radius 9", "localgamma --adapt-radius 5", "mips",
        "flip xy crop --window 130x90+7+5 blur --radius 2 --passes 3",
        "resize --size 91x133 --filter kaiser --border repeat"})
    check_near(run(line + " --tile-side 64", {large()}), run(line, {large()}), line + " --tile-side 64", {0, 0});
  const std::string line = "exposure --stops 1 blur --radius 4 gamma --value 2 flip x contrast --factor 1.2";
  const Images inputs{odd(), wide(), holes()}, whole = run(line, inputs);
  check_near(run(line + " --no-fuse", inputs), whole, line + " --no-fuse", {1e-5, 1e-5});
  check_near(run(line + " --space yxy", inputs), whole, line + " --space yxy", {1e-4, 1e-4});
}

DEVICE_TEST_CASE("a gray picture is that of three equal channels") {
  const Image three = mapped(wide(), [](const Position& t) { return Position{t[1], t[1], t[1], 1}; });
  Image gray = three;
  gray.is_gray = true;
  for (const char* line : {"gain --red 2", "blur --sigma 2 resize --size 50%", "tonemap --curve agx",
                           "saturation --factor 3 bloom", "brightpass"}) {
    const Images seen = run(line, {three, gray});
    check_near(seen[1], seen[0], line, {2e-5, 2e-5});
  }
}
