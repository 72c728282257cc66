// rotate --degrees and warp, held against the definition of a sample between texels, and what holds of any of them.
#include "tests/definitions/filters.h"
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace definitions;

namespace {

// A texel of the picture or of what continues it.
Position continued(const Image& image, int x, int y, const std::string& border) {
  const auto along = [&](int at, int count) {
    if (border == "clamp") return std::clamp(at, 0, count - 1);
    const int period = border == "mirror" ? 2 * count : count, rest = (at % period + period) % period;
    return rest < count ? rest : period - 1 - rest;
  };
  const bool is_inside = x >= 0 && y >= 0 && x < image.width && y < image.height;
  if (border == "black" && !is_inside) return {};
  return image.at(along(x, image.width), along(y, image.height));
}

// The sum along one axis of texel(k) at `at`, texel centers at whole numbers, without ringing.
double along_axis(double at, const std::string& filter, const std::function<double(int)>& texel) {
  const int base = int(std::floor(at)), radius = int(filter_radius(filter));
  double sum = 0, total = 0, least = INFINITY, most = -INFINITY;
  for (int k = base + 1 - radius; k <= base + radius; ++k) {
    const double weight = filter_weight(filter, k - at);
    sum += weight * texel(k), total += weight;
    if (std::fabs(k - at) < 2) least = std::min(least, texel(k));
    if (k == base || k == base + 1) most = std::max(most, texel(k));
  }
  if (filter == "triangle") return sum / total;
  return std::max(least, std::min(sum / total, most + (most - least) / 4));
}

// The picture at (x, y), rows first.
Position sample(const Image& image, double x, double y, const std::string& filter, const std::string& border) {
  if (filter == "nearest") return continued(image, int(std::floor(x + 0.5)), int(std::floor(y + 0.5)), border);
  Position made{};
  for (size_t c = 0; c < 4; ++c)
    made[c] = along_axis(y, filter, [&](int row) {
      return along_axis(x, filter, [&](int column) { return continued(image, column, row, border)[c]; });
    });
  return made;
}

Image rotated(const Image& image, double degrees, const std::string& filter, const std::string& border) {
  const double angle = degrees * std::numbers::pi / 180, x = (image.width - 1) / 2.0, y = (image.height - 1) / 2.0;
  return made("rotated", image.width, image.height, image.has_alpha, [&](int column, int row) {
    const double u = column - x, v = row - y;
    Position c = sample(image, x + std::cos(angle) * u + std::sin(angle) * v,
                        y - std::sin(angle) * u + std::cos(angle) * v, filter, border);
    if (!image.has_alpha) c[3] = 1;
    return c;
  });
}

// A map whose texel centers lie where `place` says, in texels of a picture, t from the bottom.
Image map_to(int width, int height, const Image& picture, const std::function<std::array<double, 2>(int, int)>& place) {
  return made("map", width, height, false, [&](int x, int y) {
    const auto [u, v] = place(x, y);
    return Position{(u + 0.5) / picture.width, 1 - (v + 0.5) / picture.height, 0, 1};
  });
}

Image smooth(int width, int height) {
  return made("smooth", width, height, true, [](int x, int y) {
    return Position{2 + std::sin(x / 9.0), 3 + std::cos(y / 8.0), 2 + std::sin((x + y) / 11.0), 1};
  });
}

const char* const filters[][2] = {
    {"bilinear", "triangle"}, {"catmull-rom", "catmull-rom"}, {"lanczos3", "lanczos3"}, {"nearest", "nearest"}};
const char* const borders[] = {"black", "clamp", "repeat", "mirror"};

}  // namespace

DEVICE_TEST_CASE("rotate --degrees pulls each texel from its place, clockwise around the center") {
  for (const auto& [name, filter] : filters)
    for (const char* border : borders) {
      const std::string line = std::string("rotate --degrees 20.7 --filter ") + name + " --border " + border;
      const Images inputs{one(), odd(), wide(), column()}, results = run(line, inputs);
      for (size_t i = 0; i < inputs.size(); ++i)
        check_near(results[i], rotated(inputs[i], 20.7, filter, border), line, {1e-5, 1e-4 * largest(inputs[i])});
    }
  const std::string line = "rotate --degrees -131 --filter bilinear --border clamp";
  check_near(run(line, {wide()})[0], rotated(wide(), -131, "triangle", "clamp"), line, {1e-5, 2e-3});
}

DEVICE_TEST_CASE("rotate --degrees: quarters are those of rotate, and turning back gives the picture") {
  const Images inputs{one(), odd(), wide(), column(), holes()};
  for (const char* filter : {"nearest", "bilinear", "catmull-rom", "lanczos3"}) {
    const std::string by = std::string(" --filter ") + filter;
    for (const char* quarter : {"90", "180", "270"})
      check_near(run(std::string("rotate --expand --degrees ") + quarter + by, inputs),
                 run(std::string("rotate ") + quarter, inputs), quarter + by, {4e-7, 0});
    check_near(run("rotate --degrees 0" + by + " rotate --degrees -720" + by, inputs), inputs, "no turn" + by,
               {4e-7, 0});
  }
  const Image picture = smooth(80, 70);
  Image seen = run("rotate --degrees 33 rotate --degrees -33", {picture})[0];
  double worst = 0;
  for (int y = 20; y < 50; ++y)
    for (int x = 25; x < 55; ++x) worst = std::max(worst, std::fabs(seen.at(x, y)[0] - picture.at(x, y)[0]));
  CHECK(worst < 2e-3);
}

DEVICE_TEST_CASE("rotate --degrees keeps a constant, and turns a spot around the center") {
  const auto constant = [](int width, int height) {
    return made("constant", width, height, true, [](int, int) { return Position{0.3, 700, -0.01, 0.7}; });
  };
  check_near(run("rotate --degrees 17 --border clamp", {constant(1, 1), constant(33, 20)}),
             {constant(1, 1), constant(33, 20)}, "constant", {2e-6, 0});
  // around the middle of a texel, 20 texels to the right of it before
  const Image spot = made("spot", 101, 81, true, [](int x, int y) {
    const double u = x - 70, v = y - 40;
    const double light = std::exp(-(u * u + v * v) / 8);
    return Position{light, light, light, light};
  });
  for (const double degrees : {0.0, 30.0, 90.0, -45.0}) {
    const Moments at = moments(run("rotate --degrees " + std::to_string(degrees), {spot})[0], 0);
    const double angle = degrees * std::numbers::pi / 180;
    CHECK(at.x == doctest::Approx(50 + 20 * std::cos(angle)).epsilon(1e-4));
    CHECK(at.y == doctest::Approx(40 + 20 * std::sin(angle)).epsilon(1e-4));
  }
}

DEVICE_TEST_CASE("rotate --degrees in tiles is the same, and goes by the windows") {
  for (const std::string words :
       {"--degrees 2 --border repeat", "--degrees 9 --border mirror --expand", "--degrees -6 --expand",
        "--degrees 5 --border clamp --filter lanczos3", "--degrees 7 --border repeat --expand --filter bilinear"})
    check_near(run("rotate " + words + " --tile-side 64", {large()}), run("rotate " + words, {large()}),
               words + " in tiles", {0, 0});
  Image part = odd();
  part.has_windows = true;
  part.data = {3, 2, 19, 10};
  part.display = {0, 0, 24, 19};
  const Image whole = made("whole", 25, 20, true, [&](int x, int y) {
    return x >= 3 && x < 20 && y >= 2 && y < 11 ? part.at(x - 3, y - 2) : Position{};
  });
  const Images seen = run("rotate --degrees 25", {part, whole});
  check_near(seen[0], seen[1], "windows", {0, 0});
  CHECK(seen[0].data == Window{0, 0, 24, 19});
  const Image grown = run("rotate --degrees 90 --expand", {part})[0], turned = run("rotate 90", {part})[0];
  check_near(grown, turned, "windows of a quarter", {4e-7, 0});
  CHECK(grown.data == turned.data);
  CHECK(grown.display == turned.display);
  for (const std::string line :
       {"rotate 180 --degrees 3", "rotate 90 --border clamp", "rotate --expand", "rotate --degrees x"})
    check_exit_code(line, odd(), 1);
}

DEVICE_TEST_CASE("warp pulls each texel from where the map says, with any filter and border") {
  const Image picture = wide();
  const auto place = [](int x, int y) {
    return std::array{1.4 * x - 20.013 + 5 * std::sin(y / 3.0), 2.3 * y - 30.017 + 0.3 * x};  // no half texels
  };
  add_image("map.exr", map_to(70, 37, picture, place));
  for (const auto& [name, filter] : filters)
    for (const char* border : borders) {
      const std::string line = std::string("warp --st map.exr --filter ") + name + " --border " + border;
      check_near(run(line, {picture})[0],
                 made("warped", 70, 37, false,
                      [&](int x, int y) {
                        const auto [u, v] = place(x, y);
                        Position c = sample(picture, u, v, filter, border);
                        c[3] = 1;
                        return c;
                      }),
                 line, {1e-5, 2e-4 * largest(picture)});
    }
}

DEVICE_TEST_CASE("warp: the identity, its halves and flips, NaN, windows and what is refused") {
  const Image picture = odd();
  const auto identity = map_to(17, 9, picture, [](int x, int y) { return std::array{double(x), double(y)}; });
  add_image("same.exr", identity);
  check_near(run("warp --st same.exr", {picture})[0], picture, "identity", {1e-5, 2e-4 * largest(picture)});
  check_near(run("warp --st same.exr --origin top --filter nearest", {picture})[0], mirrored(picture, false, true),
             "from the top", {0, 0});
  Image broken = identity;
  broken.at(3, 4)[0] = NAN;
  broken.at(5, 6)[1] = -INFINITY;
  add_image("broken.exr", broken);
  Image expected = picture;
  expected.at(3, 4) = expected.at(5, 6) = {};
  check_near(run("warp --st broken.exr --border clamp", {picture})[0], expected, "NaN",
             {1e-5, 2e-4 * largest(picture)});
  Image moved = identity;
  moved.has_windows = true;
  moved.data = {2, 1, 18, 9};
  moved.display = {0, 0, 30, 20};
  add_image("moved.exr", moved);
  const Image seen = run("warp --st moved.exr --filter nearest", {picture})[0];
  CHECK(seen.data == moved.data);
  CHECK(seen.display == moved.display);
  // s and t span the display window of the input
  Image part = picture;
  part.has_windows = true;
  part.data = {4, 3, 20, 11};
  part.display = {0, 0, 33, 17};
  const Image whole = made("whole", 34, 18, true, [&](int x, int y) {
    return x >= 4 && x < 21 && y >= 3 && y < 12 ? part.at(x - 4, y - 3) : Position{};
  });
  const Images both = run("warp --st same.exr", {part, whole});
  check_near(both[0], both[1], "display window", {1e-6, 2e-4});
  // --border mirror folds s and t at the edges of the display window
  const auto mirrored_at = [](const auto& share_of) {
    return made("shares", 60, 1, false, [&](int x, int) { return Position{share_of((x + 0.5) / 12 - 2), 0.4, 0, 1}; });
  };
  add_image("far.exr", mirrored_at([](double s) { return s; }));
  add_image("near.exr", mirrored_at([](double s) { return std::fabs(s - 2 * std::round(s / 2)); }));
  const std::string nearest_of = " --filter nearest --border mirror";
  check_near(run("warp --st far.exr" + nearest_of, {part})[0], run("warp --st near.exr" + nearest_of, {part})[0],
             "mirrored at the display window", {0, 0});
  check_exit_code("warp --st none.exr", picture, 2);
  check_exit_code("warp", picture, 1);
}
