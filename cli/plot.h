// A plot of lines over sizes as SVG, for a page that has the style of bench_page.cpp.
#pragma once

#include <string>
#include <vector>

namespace gpupost {

// One line of a plot; y over 0.
struct PlotLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x ascending
};

struct PlotTick {
  double x = 0;
  std::string name;
};

// Both axes logarithmic. The first lines have colours and their names at their ends, the others are grey; a line at y = 1
// is what all are compared with. `y_name` is the unit of y.
std::string plot(const std::vector<PlotLine>& lines, const std::vector<PlotTick>& ticks, const std::string& y_name);

std::string html_escaped(std::string_view text);

}  // namespace gpupost
