// A plot of lines as SVG, for a page that has the style of bench_page.cpp.
#pragma once

#include <string>
#include <vector>

namespace gpupost {

// Can an axis show this number? Axes are logarithmic, and end where a page's numbers are nonsense.
constexpr bool has_place(double number) { return number >= 1e-12 && number <= 1e12; }

// x and y have a place; `title` shows where the mouse rests on it.
struct PlotPoint {
  double x = 0, y = 0;
  std::string title;
};

struct PlotLine {
  std::string name;
  std::vector<PlotPoint> points;  // x ascending
};

struct PlotTick {
  double x = 0;  // has a place
  std::string name;
};

struct PlotAxes {
  std::string x_name;  // "": the ticks say it
  std::string y_name;
  bool has_floor = true;  // a line at y = 1 is what all are compared with
};

// Both axes logarithmic. The first lines have colors and their names at their ends, the others are gray.
std::string plot(const std::vector<PlotLine>& lines, const std::vector<PlotTick>& ticks, const PlotAxes& named);

std::string html_escaped(std::string_view text);

}  // namespace gpupost
