#include "cli/report/statistics_report.h"

#include "cli/text/json_text.h"
#include "core/base/printable.h"
#include "core/ops/stats/row.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace gpupost {

using json = nlohmann::ordered_json;

static constexpr std::array percentiles{1, 5, 25, 50, 75, 95, 99};

// A mean that counts denormal luminances as the least normal one is clamped to the measured range.
static double log_average_of(const Statistics& statistics) {
  return std::min(statistics.log_average, std::max(0.0, statistics.luminance.largest));
}

// Interpolated percentiles are clamped to the measured range.
static double percentile_of(const Statistics& statistics, double percent) {
  const ChannelStats& luminance = statistics.luminance;
  return std::clamp(statistics.histogram.percentile(percent), std::max(0.0, luminance.least),
                    std::max(0.0, luminance.largest));
}

// The shortest decimal that gives the same float.
static std::string shortest(double number) { return fmt::format("{}", float(number)); }

// A float as JSON; null if `count`, the number of values behind it, is 0.
static json number(double value, uint32_t count) {
  return count > 0 ? json(std::strtod(shortest(value).c_str(), nullptr)) : json();
}

static void add_spread(json& made, const StatisticsResult& measured, const ChannelStats& spread) {
  const uint32_t count = spread.finite_count(texel_count(measured.size));
  made["mean"] = number(spread.mean, count);
  made["minimum"] = number(spread.least, count);
  made["maximum"] = number(spread.largest, count);
  made["nan"] = spread.nan_count;
  made["infinite"] = spread.infinite_count;
  if (measured.measure == Measure::extremes) return;
  made["deviation"] = number(spread.deviation, count);
  made["negative"] = spread.negative_count;
  made["zero"] = spread.zero_count;
}

// Stops to print: 2^-16 to 2^16, and stops outside of that if they have values.
struct Stops {
  int first = -16 - Histogram::least_stop, end = 16 - Histogram::least_stop;  // relative to the lowest stop
};

static std::array<uint64_t, Histogram::stop_count> counts_by_stop(const Histogram& histogram) {
  std::array<uint64_t, Histogram::stop_count> counts{};
  for (size_t bin = 0; bin < histogram.bins.size(); ++bin) counts[bin / Histogram::bins_a_stop] += histogram.bins[bin];
  return counts;
}

static Stops shown_stops(const Histogram& histogram) {
  const auto counts = counts_by_stop(histogram);
  Stops stops;
  for (int stop = 0; stop < Histogram::stop_count; ++stop)
    if (counts[size_t(stop)] > 0) stops = {std::min(stops.first, stop), std::max(stops.end, stop + 1)};
  return stops;
}

static json to_json(const Histogram& histogram) {
  const auto [first, end] = shown_stops(histogram);
  const auto shown = std::span(histogram.bins)
                         .subspan(size_t(first) * Histogram::bins_a_stop, size_t(end - first) * Histogram::bins_a_stop);
  return {{"least_stop", first + Histogram::least_stop},
          {"bins_a_stop", Histogram::bins_a_stop},
          {"counts", std::vector<uint32_t>(shown.begin(), shown.end())}};
}

static json luminance_of(const StatisticsResult& measured) {
  json made;
  const Statistics& color = measured.color;
  add_spread(made, measured, color.luminance);
  if (measured.measure == Measure::extremes) return made;
  const uint32_t count = color.positive_count();
  made["positive"] = count;
  made["log_average"] = number(log_average_of(color), count);
  for (const int percent : percentiles)
    made["percentiles"][std::to_string(percent)] = number(percentile_of(color, percent), count);
  made["histogram"] = to_json(color.histogram);
  return made;
}

json to_json(const StatisticsResult& measured) {
  json made;
  add_name(made, "input", measured.input);
  if (int64_t frame = 0; !measured.frame.empty()) {
    std::from_chars(measured.frame.data(), measured.frame.data() + measured.frame.size(), frame);
    made["frame"] = frame;
  }
  made["op"] = stats_op.name;
  made["before"] = measured.before;
  made["width"] = measured.size.width;
  made["height"] = measured.size.height;
  if (measured.color.texel_count > 0) made["luminance"] = luminance_of(measured);
  if (measured.measure == Measure::extremes) return made;
  made["channels"] = json::array();
  for (const StatisticsResult::Channel& channel : measured.channels) {
    json one{{"name", channel.name}};
    add_spread(one, measured, channel.spread);
    made["channels"].push_back(one);
  }
  made["not_measured"] = measured.not_measured;
  return made;
}

static std::optional<Histogram> histogram_of(const json& value) {
  const json& first = value.at("least_stop");
  const json& counts = value.at("counts");
  if (!first.is_number_integer() || !counts.is_array() || value.at("bins_a_stop") != Histogram::bins_a_stop) return {};
  const auto stop = first.get<int64_t>() - Histogram::least_stop;
  if (stop < 0 || stop >= Histogram::stop_count) return {};
  const auto begin = size_t(stop) * Histogram::bins_a_stop;
  if (counts.size() > Histogram::bin_count - begin) return {};
  Histogram histogram;
  for (size_t index = 0; index < counts.size(); ++index) {
    if (!counts[index].is_number_unsigned() || counts[index].get<uint64_t>() > UINT32_MAX) return {};
    histogram.bins[begin + index] = uint32_t(counts[index].get<uint64_t>());
  }
  return histogram;
}

std::optional<MeasuredLight> measured_light_of(std::string_view line) {
  const json value = json::parse(line, nullptr, false);
  try {
    const json& luminance = value.at("luminance");
    const json& average = luminance.at("log_average");
    MeasuredLight measured{.input = value.at("input").get<std::string>(), .frame = {}, .before = {}, .statistics = {}};
    if (const auto bytes = value.find("input_bytes"); bytes != value.end()) {
      const auto numbers = bytes->get<std::vector<uint8_t>>();
      measured.input.assign(numbers.begin(), numbers.end());
    }
    if (const auto frame = value.find("frame"); frame != value.end()) {
      if (!frame->is_number_integer()) return {};
      measured.frame = frame->get<int64_t>();
    }
    if (const auto before = value.find("before"); before != value.end())
      measured.before = before->get<std::vector<std::string>>();
    const std::optional<Histogram> histogram = histogram_of(luminance.at("histogram"));
    const bool is_black = average.is_null();
    if (!histogram || (!is_black && !average.is_number())) return {};
    const double log_average = is_black ? 0 : average.get<double>();
    if (!(log_average >= 0 && log_average <= double(std::numeric_limits<float>::max()))) return {};
    measured.statistics.log_average = double(float(log_average));  // as it was measured
    measured.statistics.histogram = *histogram;
    return measured;
  } catch (const json::exception&) {
    return {};
  }
}

// --- the table ------------------------------------------------------------------------------------------------------

static std::string spread_line(std::string_view name, const StatisticsResult& measured, const ChannelStats& spread) {
  const bool has_numbers = spread.finite_count(texel_count(measured.size)) > 0;
  const auto number = [&](double value) { return has_numbers ? shortest(value) : "-"; };
  std::string line = fmt::format("  {:<16}{:>15}{:>15}{:>15}{:>10}{:>10}", name, number(spread.mean),
                                 number(spread.least), number(spread.largest), spread.nan_count, spread.infinite_count);
  if (measured.measure == Measure::all)
    line += fmt::format("{:>10}{:>10}{:>15}", spread.negative_count, spread.zero_count, number(spread.deviation));
  return line + "\n";
}

// One line per stop, if there are luminances.
static std::string stops_of(const Histogram& histogram) {
  const auto stops = counts_by_stop(histogram);
  const uint64_t most = std::max<uint64_t>(1, *std::ranges::max_element(stops));
  std::string text;
  for (size_t index = 0; index < stops.size(); ++index)
    if (stops[index] > 0)
      text += fmt::format("  2^{:<14}{:>15} {}\n", int(index) + Histogram::least_stop, stops[index],
                          std::string(size_t(1 + 59 * stops[index] / most), '#'));
  return text;
}

static std::string to_table(const StatisticsResult& measured) {
  std::string text = fmt::format("{}{}{}: {} x {}\n", printable(measured.input), measured.before.empty() ? "" : " ",
                                 printable(fmt::format("{}", fmt::join(measured.before, " "))), measured.size.width,
                                 measured.size.height);
  text += fmt::format("  {:<16}{:>15}{:>15}{:>15}{:>10}{:>10}", "", "mean", "minimum", "maximum", "nan", "infinite");
  text +=
      measured.measure == Measure::all ? fmt::format("{:>10}{:>10}{:>15}\n", "negative", "zero", "deviation") : "\n";
  const Statistics& color = measured.color;
  const bool has_color = color.texel_count > 0;
  if (has_color) text += spread_line("luminance", measured, color.luminance);
  for (const StatisticsResult::Channel& channel : measured.channels)
    text += spread_line(printable(channel.name), measured, channel.spread);
  if (!has_color || measured.measure == Measure::extremes || color.positive_count() == 0) return text;
  text += fmt::format("  {:<16}{:>15}\n", "log average", shortest(log_average_of(color)));
  for (const int percent : percentiles)
    text +=
        fmt::format("  {:<16}{:>15}\n", fmt::format("percentile {}", percent), shortest(percentile_of(color, percent)));
  return text + "  histogram: luminance from, number of texels\n" + stops_of(color.histogram);
}

std::string to_text(const StatisticsResult& measured) {
  if (measured.is_table) return to_table(measured);
  return json_text(to_json(measured), -1);
}

}  // namespace gpupost
