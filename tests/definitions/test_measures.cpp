// What is measured: stats, luminance, and the exposure that comes of it.
#include "tests/definitions/program.h"
#include "tests/support/json.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace definitions;
using gpupost::test::parse_json;
using nlohmann::json;

namespace {

// Luminances above 0 and finite, from dark to bright.
std::vector<double> luminances(const Image& image) {
  std::vector<double> result;
  for (const Position& texel : image.texels)
    if (const double y = luminance(rgb_of(texel)); y > 0 && std::isfinite(y)) result.push_back(y);
  std::ranges::sort(result);
  return result;
}

// Of those between two shares of all.
double log_average(const Image& image, double low = 0, double high = 1) {
  const std::vector<double> sorted = luminances(image);
  const auto first = size_t(low * double(sorted.size())), last = size_t(std::ceil(high * double(sorted.size())));
  double sum = 0;
  for (size_t at = first; at < last; ++at) sum += std::log(sorted[at]);
  return std::exp(sum / double(last - first));
}

Image smooth() {
  return made("smooth light", 40, 25, false, [](int x, int y) {
    const double light = std::exp2(8 * (x + 40.0 * y) / 1000 - 4);
    return Position{light, light, light, 1};
  });
}

bool is_near(double a, double b, double share) { return std::fabs(a - b) <= share * std::fabs(b); }

// The tiles of an axis: how many texels each holds.
std::vector<int> tiles(int side, int tile) {
  std::vector<int> result;
  for (int at = 0; at < side; at += tile) result.push_back(std::min(tile, side - at));
  return result;
}

double rounded_luminance(const Position& t) { return 0.2126 * t[0] + 0.7152 * t[1] + 0.0722 * t[2]; }

Image of_tiles(const Image& image, const std::vector<int>& columns, const std::vector<int>& rows,
               const std::string& measure) {
  Image result = made(image.name, int(columns.size()), int(rows.size()), false, [](int, int) { return Position{}; });
  int top = 0;
  for (size_t row = 0; row < rows.size(); top += rows[row++]) {
    int left = 0;
    for (size_t column = 0; column < columns.size(); left += columns[column++]) {
      double sum = 0, least = INFINITY, most = -INFINITY, count = 0;
      for (int y = top; y < top + rows[row]; ++y)
        for (int x = left; x < left + columns[column]; ++x) {
          const double light = rounded_luminance(image.at(x, y));
          sum += light, ++count, least = std::fmin(least, light), most = std::fmax(most, light);
        }
      const double number = measure == "mean"      ? sum / count
                            : measure == "count"   ? count
                            : measure == "minimum" ? least
                                                   : most;
      result.at(int(column), int(row)) = {number, number, number, 1};
    }
  }
  return result;
}

}  // namespace

DEVICE_TEST_CASE("stats: means, extremes, log average and percentiles of what stands in the picture") {
  const Images inputs{one(), odd(), wide(), holes(), negatives(), smooth()};
  const std::vector<std::string> lines = run_lines("stats", inputs);
  REQUIRE(lines.size() == inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    INFO(inputs[i].name);
    const json seen = parse_json(lines[i]);
    double sum = 0, least = INFINITY, most = -INFINITY, absolute = 0;
    for (const Position& texel : inputs[i].texels) {
      const double y = luminance(rgb_of(texel));
      sum += y, absolute += std::fabs(y), least = std::fmin(least, y), most = std::fmax(most, y);
    }
    const double count = double(inputs[i].texels.size());
    const json& light = seen["luminance"];
    CHECK(std::fabs(light["mean"].get<double>() - sum / count) <= 1e-6 * absolute / count);
    double squares = 0;
    for (const Position& texel : inputs[i].texels) squares += std::pow(luminance(rgb_of(texel)) - sum / count, 2);
    CHECK(std::fabs(light["deviation"].get<double>() - std::sqrt(squares / count)) <= 1e-5 * absolute / count);
    CHECK(light["minimum"].get<double>() == doctest::Approx(least).epsilon(1e-5));
    CHECK(light["maximum"].get<double>() == doctest::Approx(most).epsilon(1e-6));
    CHECK(light["log_average"].get<double>() == doctest::Approx(log_average(inputs[i])).epsilon(1e-5));
    const std::vector<double> sorted = luminances(inputs[i]);
    CHECK(light["positive"].get<size_t>() == sorted.size());
    for (const auto& [share, value] : light["percentiles"].items()) {
      // to a bin of an eighth of a stop, where there are texels around it
      const double rank = std::stod(share) / 100 * (double(sorted.size()) - 1), bin = std::exp2(0.125) * 1.001;
      const double low = sorted[size_t(std::max(0.0, std::floor(rank - 1)))];
      const double high = sorted[std::min(sorted.size() - 1, size_t(std::ceil(rank + 1)))];
      CHECK_MESSAGE(value.get<double>() >= low / bin, share, " % in ", inputs[i].name);
      CHECK_MESSAGE(value.get<double>() <= high * bin, share, " % in ", inputs[i].name);
    }
    size_t channel = 0;
    for (const json& numbers : seen["channels"]) {
      double channel_sum = 0, lowest = INFINITY, highest = -INFINITY, size = 0;
      for (const Position& texel : inputs[i].texels) {
        channel_sum += texel[channel], size += std::fabs(texel[channel]);
        lowest = std::fmin(lowest, texel[channel]), highest = std::fmax(highest, texel[channel]);
      }
      CHECK(std::fabs(numbers["mean"].get<double>() - channel_sum / count) <= 1e-6 * size / count);
      double channel_squares = 0;
      for (const Position& texel : inputs[i].texels)
        channel_squares += std::pow(texel[channel] - channel_sum / count, 2);
      CHECK(std::fabs(numbers["deviation"].get<double>() - std::sqrt(channel_squares / count)) <= 1e-6 * size / count);
      CHECK(numbers["minimum"].get<double>() == doctest::Approx(lowest).epsilon(1e-7));
      CHECK(numbers["maximum"].get<double>() == doctest::Approx(highest).epsilon(1e-7));
      ++channel;
    }
    CHECK(channel == (inputs[i].has_alpha ? 4 : 3));
  }
  CHECK(parse_json(lines[5])["luminance"]["percentiles"]["50"].get<double>() == doctest::Approx(1).epsilon(0.01));
}

DEVICE_TEST_CASE("stats: every number of light goes with the exposure, from the darkest to the brightest") {
  const int stops[] = {0, -100, -50, -20, -12, 12, 20, 50, 100};
  Images inputs;
  for (const int stop : stops) inputs.push_back(scaled(wide(), std::exp2(stop)));
  const std::vector<std::string> lines = run_lines("stats", inputs);
  REQUIRE(lines.size() == inputs.size());
  const json base = parse_json(lines[0])["luminance"];
  for (size_t i = 1; i < lines.size(); ++i) {
    const json light = parse_json(lines[i])["luminance"];
    const double factor = std::exp2(stops[i]);
    for (const std::string name : {"mean", "minimum", "maximum", "deviation", "log_average"})
      CHECK_MESSAGE(is_near(light[name], factor * base[name].get<double>(), 1e-5), name, " at ", stops[i], " stops");
    const double median = light["percentiles"]["50"], expected = factor * base["percentiles"]["50"].get<double>();
    int off = 0;
    for (const auto& [share, value] : light["percentiles"].items())
      off += !is_near(value, factor * base["percentiles"][share].get<double>(), 1e-4);
    CHECK_MESSAGE(off == 0, off, " percentiles at ", stops[i], " stops; the median is ", median, ", expected ",
                  expected);
  }
}

DEVICE_TEST_CASE("stats counts what is no number, and where texels stand does not matter") {
  Image broken = wide();
  broken.at(3, 4)[0] = NAN;
  broken.at(5, 6)[1] = INFINITY;
  broken.at(7, 8) = {0, 0, 0, 1};
  broken.at(9, 9) = {-1, -1, -1, 1};
  const std::vector<std::string> lines = run_lines("stats", {broken, mirrored(broken, true, true)});
  REQUIRE(lines.size() == 2);
  const json a = parse_json(lines[0]), b = parse_json(lines[1]);
  CHECK(a["luminance"]["nan"] == 1);
  CHECK(a["luminance"]["infinite"] == 1);
  CHECK(a["luminance"]["zero"] == 1);
  CHECK(a["luminance"]["negative"] == 1);
  CHECK(a["luminance"]["positive"] == 64 * 48 - 4);
  CHECK(a["channels"][0]["nan"] == 1);
  CHECK(a["luminance"]["histogram"] == b["luminance"]["histogram"]);
  CHECK(a["luminance"]["percentiles"] == b["luminance"]["percentiles"]);
  CHECK(is_near(a["luminance"]["mean"], b["luminance"]["mean"], 2e-6));
  CHECK(is_near(a["luminance"]["deviation"], b["luminance"]["deviation"], 2e-6));
}

DEVICE_TEST_CASE("luminance: the numbers of tiles, and all of them together are the picture's") {
  const Images inputs{one(), odd(), wide(), negatives()};
  for (const char* measure : {"mean", "minimum", "maximum", "count"}) {
    const Images seen = run(std::string("luminance --tile 5x3 --measure ") + measure, inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
      check_near(seen[i], of_tiles(inputs[i], tiles(inputs[i].width, 5), tiles(inputs[i].height, 3), measure),
                 std::string("luminance --measure ") + measure, {3e-6, 3e-6 * largest(inputs[i])});
  }
  // so many tiles: which are the larger ones is the program's own business, but they are as even as can be
  const Images counts = run("luminance --size 7x5 --measure count", {odd(), wide()}),
               means = run("luminance --size 7x5", {odd(), wide()});
  for (size_t i = 0; i < 2; ++i) {
    const Image source = i == 0 ? odd() : wide();
    std::vector<int> columns, rows;
    const double width = counts[i].at(0, 0)[0], total = double(source.width) * source.height;
    double sum = 0;
    for (const Position& texel : counts[i].texels) sum += texel[0];
    CHECK(sum == total);
    double row_sum = 0;
    for (int x = 0; x < 7; ++x) row_sum += counts[i].at(x, 0)[0];
    const double height = row_sum / source.width;
    for (int x = 0; x < 7; ++x) columns.push_back(int(std::lround(counts[i].at(x, 0)[0] / height)));
    for (int y = 0; y < 5; ++y) rows.push_back(int(std::lround(counts[i].at(0, y)[0] / (width / height))));
    CHECK(std::ranges::max(columns) - std::ranges::min(columns) <= 1);
    CHECK(std::ranges::max(rows) - std::ranges::min(rows) <= 1);
    check_near(means[i], of_tiles(source, columns, rows, "mean"), "luminance --size", {3e-6, 1e-6});
  }
  // what is no number stays in its tile
  Image broken = wide();
  broken.at(20, 20)[1] = NAN;
  const Image tainted = run("luminance --tile 8", {broken})[0], sound = run("luminance --tile 8", {wide()})[0];
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 8; ++x) {
      if (x == 2 && y == 2) CHECK(tainted.at(x, y)[0] != tainted.at(x, y)[0]);
      else CHECK(tainted.at(x, y)[0] == sound.at(x, y)[0]);
    }
}

DEVICE_TEST_CASE("exposure --auto brings the log average to the key, whatever the exposure was") {
  Images inputs{one(), odd(), holes(), smooth()};
  for (const double factor : {1.0, 1e-7, 1e-4, 3.0, 1e7}) inputs.push_back(scaled(wide(), factor));
  const Images seen = run("exposure --auto --key 0.25", inputs);
  for (size_t i = 0; i < inputs.size(); ++i)
    check_near(seen[i], scaled(inputs[i], 0.25 / log_average(inputs[i])), "exposure --auto", {2e-5, 1e-12});
  const Image faint = scaled(wide(), 1e-30);
  check_near(run("exposure --auto", {faint}), {scaled(faint, 0.18 / log_average(faint))}, "exposure --auto", {2e-5, 0});
}

DEVICE_TEST_CASE("exposure --auto between percentiles leaves out the rest, whatever the exposure was") {
  // a few lamps, and holes that are all but black
  const Image source = made("lamps", 40, 25, false, [](int x, int y) {
    const double light = x < 2 ? 1e4 : x > 37 ? 1e-4 : 0.5 + noise(x, y, 0);
    return Position{light, light, light, 1};
  });
  Images inputs;
  const double scales[] = {1, 0x1p-30, 0x1p-20, 0x1p-10, 0x1p10, 0x1p20, 0x1p30, 1e-8, 1e8};
  for (const double scale : scales) inputs.push_back(scaled(source, scale));
  const Images seen = run("exposure --auto --percentile 10,90", inputs);
  const double expected = 0.18 / log_average(source, 0.1, 0.9);
  const double base = seen[0].at(20, 12)[0] / source.at(20, 12)[0];
  CHECK_MESSAGE(is_near(base, expected, 0.05), "factor ", base, ", expected about ", expected);
  for (size_t i = 1; i < inputs.size(); ++i) {
    const double factor = seen[i].at(20, 12)[0] / inputs[i].at(20, 12)[0];
    CHECK_MESSAGE(is_near(factor * scales[i], base, i < 7 ? 1e-3 : 0.03), "factor ", factor, " for light times ",
                  scales[i]);
  }
}
