// Line plots as SVG, in the style of bench_page.cpp.
#pragma once

#include <string>
#include <vector>

namespace gpupost {

// Returns whether a logarithmic axis can show this number.
constexpr bool has_place(double number) { return number >= 1e-12 && number <= 1e12; }

// x and y must be valid for the axes; `title` is the tooltip.
struct PlotPoint {
  double x = 0, y = 0;
  std::string title;
};

struct PlotLine {
  std::string name;
  std::vector<PlotPoint> points;  // x ascending
};

struct PlotTick {
  double x = 0;  // must be valid for the axis
  std::string name;
};

struct PlotAxes {
  std::string x_name;  // "": the ticks say it
  std::string y_name;
  bool has_floor = true;  // draws the floor as a line at y = 1
};

// Draws a plot with logarithmic axes. The first lines have colors and labels, the others are gray.
std::string plot(const std::vector<PlotLine>& lines, const std::vector<PlotTick>& ticks, const PlotAxes& named);

std::string html_escaped(std::string_view text);

}  // namespace gpupost
