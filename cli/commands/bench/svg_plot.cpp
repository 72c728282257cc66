#include "cli/commands/bench/svg_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace gpupost {

std::string html_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') escaped += "&amp;";
    else if (c == '<') escaped += "&lt;";
    else if (c == '>') escaped += "&gt;";
    else if (c == '"') escaped += "&quot;";
    else escaped += c;
  }
  return escaped;
}

namespace {

constexpr double width = 960, height = 380;
constexpr double left = 52, right = 305, top = 14, bottom = 40;  // margins; names of lines are at the right
constexpr size_t colored_count = 8;                              // number of colors in the style

// Maps a logarithmic axis: `low` is at `from`, `high` at `to`.
struct Scale {
  double low = 1, high = 2, from = 0, to = 1;
  double operator()(double value) const { return from + (to - from) * std::log(value / low) / std::log(high / low); }
};

struct Axes {
  Scale x, y;
};

Axes axes_of(const std::vector<PlotLine>& lines, const std::vector<PlotTick>& ticks, bool has_floor) {
  double least = has_floor ? 1 : HUGE_VAL, most = has_floor ? 1.25 : 0;
  for (const PlotLine& line : lines)
    for (const PlotPoint& point : line.points) {
      least = std::min(least, point.y);
      most = std::max(most, point.y);
    }
  if (most < least) least = most = 1;  // without points
  const double first = ticks.front().x, last = std::max(ticks.back().x, 2 * first);
  return {.x = {first, last, left + 12, width - right - 12}, .y = {least / 1.05, most * 1.05, height - bottom, top}};
}

// Round numbers for the labels of an axis; a short axis has fewer.
std::vector<double> round_numbers(const Scale& scale) {
  const double range = scale.high / scale.low;
  const std::vector<double> steps = range > 2000 ? std::vector{1.0}
                                    : range > 8  ? std::vector{1.0, 2.0, 5.0}
                                                 : std::vector{1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 8.0};
  std::vector<double> numbers;
  for (double power = std::pow(10, std::floor(std::log10(scale.low))); power <= scale.high; power *= 10)
    for (const double step : steps)
      if (const double number = power * step; number >= scale.low && number <= scale.high) numbers.push_back(number);
  return numbers;
}

std::string grid(const Axes& axes, const std::vector<PlotTick>& ticks, const PlotAxes& named) {
  std::string text;
  for (const double y : round_numbers(axes.y)) {
    const bool is_floor = named.has_floor && std::abs(y - 1) < 1e-9;
    text += fmt::format(R"(<line class="{}" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>)", is_floor ? "floor" : "grid",
                        left, width - right, axes.y(y), axes.y(y));
    text += fmt::format(R"(<text x="{}" y="{:.1f}" text-anchor="end">{:.4g}</text>)", left - 6, axes.y(y) + 4, y);
  }
  double behind = -1e9;
  for (const PlotTick& tick : ticks) {
    const double x = axes.x(tick.x);
    text += fmt::format(R"(<line class="grid" x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}"/>)", x, top, height - bottom);
    const double drop = x - behind < 62 ? 12 : 0;  // labels that would overlap are in two rows
    behind = drop > 0 ? -1e9 : x;
    text += fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", x, height - bottom + 16 + drop,
                        html_escaped(tick.name));
  }
  text += fmt::format(R"(<text x="{}" y="{}">{}</text>)", width - right + 10, height - bottom + 16,
                      html_escaped(named.x_name));
  return text + fmt::format(R"svg(<text transform="translate(12 {}) rotate(-90)" text-anchor="middle">{}</text>)svg",
                            (top + height - bottom) / 2, html_escaped(named.y_name));
}

std::string curve(const PlotLine& line, const Axes& axes, const std::string& style) {
  std::string path, dots;
  for (const auto& [x, y, title] : line.points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", axes.x(x), axes.y(y));
    dots += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3"><title>{}: {}</title></circle>)", axes.x(x), axes.y(y),
                        html_escaped(line.name), html_escaped(title));
  }
  return fmt::format(R"(<g class="{}"><path d="{}"/>{}</g>)", style, path, dots);
}

// Labels at the ends of colored lines, moved apart if they would overlap.
std::string names(const std::vector<PlotLine>& lines, const Axes& axes) {
  struct Name {
    double y;
    size_t index;
  };
  constexpr double apart = 15;
  std::vector<Name> placed;
  for (size_t index = 0; index < std::min(lines.size(), colored_count); ++index)
    if (!lines[index].points.empty()) placed.push_back({axes.y(lines[index].points.back().y), index});
  std::ranges::sort(placed, {}, &Name::y);
  for (size_t index = 1; index < placed.size(); ++index)
    placed[index].y = std::max(placed[index].y, placed[index - 1].y + apart);
  double most = height - bottom;
  for (auto name = placed.rbegin(); name != placed.rend(); ++name, most -= apart) name->y = std::min(name->y, most);
  std::string text;
  for (const Name& name : placed) {
    const auto& [x, y, title] = lines[name.index].points.back();
    text += fmt::format(R"(<g class="c{}"><path class="leader" d="M{:.1f} {:.1f}L{:.1f} {:.1f}"/>)", name.index,
                        axes.x(x) + 4, axes.y(y), width - right + 6, name.y);
    text += fmt::format(R"(<text class="name" x="{}" y="{:.1f}">{}</text></g>)", width - right + 10, name.y + 4,
                        html_escaped(lines[name.index].name));
  }
  return text;
}

}  // namespace

std::string plot(const std::vector<PlotLine>& lines, const std::vector<PlotTick>& ticks, const PlotAxes& named) {
  if (ticks.empty()) return "";
  const Axes axes = axes_of(lines, ticks, named.has_floor);
  std::string text = fmt::format(R"(<svg viewBox="0 0 {} {}" role="img">)", width, height);
  text += grid(axes, ticks, named);
  for (size_t index = lines.size(); index-- > 0;)  // so that the first lines are on top
    text += curve(lines[index], axes, index < colored_count ? fmt::format("c{}", index) : "other");
  return text + names(lines, axes) + "</svg>\n";
}

}  // namespace gpupost
