#include "cli/commands/bench/page.h"

#include "cli/commands/bench/svg_plot.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace gpupost {

using json = nlohmann::ordered_json;

namespace {

constexpr std::string_view head = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>gpupost bench</title>
<style>
:root { color-scheme: light dark; --ground: #fff; --ink: #1c1f24; --soft: #646b76; --line: #e2e5ea; --mark: #eef3fb;
  --c0: #1767c4; --c1: #c2410c; --c2: #15803d; --c3: #7c3aed; --c4: #b3125f; --c5: #0e7c86; --c6: #8a6a00; --c7: #5b6472; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171c; --ink: #e6e9ee; --soft: #9aa3b0; --line: #2b3038; --mark: #1d2733;
    --c0: #62a8ff; --c1: #ff9d66; --c2: #5fd08a; --c3: #b99aff; --c4: #ff7fb8; --c5: #4fd0dc; --c6: #e0bd4a; --c7: #aab3c0; } }
body { background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem;
  max-width: 1040px; }
h1 { font-size: 1.5rem; margin: 0 0 1.5rem; } h2 { font-size: 1.25rem; margin: 2.5rem 0 .25rem; }
h3 { font-size: 1.05rem; margin: 2rem 0 .25rem; }
p { margin: .25rem 0 .75rem; } .soft { color: var(--soft); } code { font-size: .9em; }
svg { width: 100%; height: auto; display: block; } svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
svg .grid { stroke: var(--line); } svg .floor { stroke: var(--soft); stroke-dasharray: 5 4; }
svg path { fill: none; stroke: currentColor; stroke-width: 2; } svg circle { fill: currentColor; }
svg .other { color: var(--line); } svg .leader { stroke-width: 1; opacity: .45; } svg .name { fill: currentColor; }
.c0 { color: var(--c0); } .c1 { color: var(--c1); } .c2 { color: var(--c2); } .c3 { color: var(--c3); }
.c4 { color: var(--c4); } .c5 { color: var(--c5); } .c6 { color: var(--c6); } .c7 { color: var(--c7); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; } th:first-child, td:first-child, td.text { text-align: left; }
td.best { font-weight: 700; background: var(--mark); } td.text { white-space: normal; }
details { margin: .75rem 0; } summary { cursor: pointer; color: var(--soft); }
</style>
</head>
<body>
<h1>gpupost bench</h1>
)html";

std::string text_of(const json& value) { return html_escaped(value.get<std::string>()); }

std::string size_name(const json& measured) {
  const int width = measured.at("width"), height = measured.at("height");
  return width == height ? fmt::format("{}\u00b2", width) : fmt::format("{}\u00d7{}", width, height);
}

double texels_of(const json& measured) {
  return measured.at("width").get<double>() * measured.at("height").get<double>();
}

bool is_measured(const json& variant) { return variant.at("state") == "measured"; }

const json& floor_of(const json& run, const json& measured) {
  for (const json& floor : measured.at("floors"))
    if (floor.at("floor") == run.at("floor")) return floor;
  return measured.at("floors").at(0);
}

bool has_setting(const json& measured) { return measured.contains("setting"); }

// Position and label of a case on the axis of a plot: its size, or its setting if it has one.
PlotTick tick_of(const json& measured) {
  if (!has_setting(measured)) return {texels_of(measured), size_name(measured)};
  const int value = measured.at("setting_value");
  return {double(value), fmt::to_string(value)};
}

// Name of the section of a case: the format, and with settings also the size and the option.
std::string section_name(const json& measured) {
  const std::string format = measured.at("format");
  if (!has_setting(measured)) return format;
  return fmt::format("{}, {}, --{}", format, size_name(measured), measured.at("setting_name").get<std::string>());
}

// The measured cases of a section, in the order of the axis.
std::vector<json> cases_of(const json& run, const std::string& section) {
  std::vector<json> cases;
  for (const json& measured : run.at("cases"))
    if (section_name(measured) == section && measured.at("obstacle") == "" && has_place(tick_of(measured).x))
      cases.push_back(measured);
  std::ranges::stable_sort(cases, {}, [](const json& measured) { return tick_of(measured).x; });
  return cases;
}

// The quantity that a plot and its table show.
struct Shown {
  const char* key;
  std::string name;
  int digits;
  bool has_floor;  // draws a line at 1

  std::string text(const json& times) const { return fmt::format("{:.{}f}", times.at(key).get<double>(), digits); }
};

const Shown as_ratio{.key = "ratio", .name = "median to floor", .digits = 2, .has_floor = true};
const Shown as_time{.key = "median_ms", .name = "median, ms", .digits = 4, .has_floor = false};

// Published graphs show times.
const Shown& shown_of(const json& run) { return run.contains("graphs") ? as_time : as_ratio; }

// One line per variant. Ratios are sorted by their mean, so that the variants nearest to the floor are first. Times
// keep their order, so that a variant has the same color in all graphs.
std::vector<PlotLine> lines_of(const std::vector<json>& cases, const Shown& shown) {
  std::vector<PlotLine> lines;
  for (const json& measured : cases)
    for (const json& variant : measured.at("variants")) {
      if (!is_measured(variant)) continue;
      const std::string name = variant.at("variant");
      auto line = std::ranges::find(lines, name, &PlotLine::name);
      if (line == lines.end()) line = lines.insert(lines.end(), PlotLine{.name = name, .points = {}});
      const double shown_number = variant.at(shown.key);
      if (!has_place(shown_number)) continue;  // it is only in the table
      line->points.push_back({.x = tick_of(measured).x,
                              .y = shown_number,
                              .title = fmt::format("{:.2f}, {:.4f} ms", variant.at("ratio").get<double>(),
                                                   variant.at("median_ms").get<double>())});
    }
  if (!shown.has_floor) return lines;
  std::ranges::stable_sort(lines, {}, [&](const PlotLine& line) {
    double sum = 0;
    for (const PlotPoint& point : line.points) sum += std::log(point.y);
    // variants that were not measured everywhere are last
    return std::pair(line.points.size() < cases.size(), sum / std::max(1.0, double(line.points.size())));
  });
  return lines;
}

// The line of the floor in plots of times. In plots of ratios it is at 1.
PlotLine floor_line(const json& run, const std::vector<json>& cases) {
  PlotLine line{.name = "floor: " + run.at("floor").get<std::string>(), .points = {}};
  for (const json& measured : cases)
    if (const double median = floor_of(run, measured).at("median_ms"); has_place(median))
      line.points.push_back(
          {.x = tick_of(measured).x, .y = median, .title = as_time.text(floor_of(run, measured)) + " ms"});
  return line;
}

// A table cell: a variant in a case.
std::string variant_cell(const json& measured, const std::string& name, const Shown& shown) {
  double best = HUGE_VAL;
  const json* found = nullptr;
  for (const json& variant : measured.at("variants")) {
    if (variant.at("variant") == name) found = &variant;
    if (is_measured(variant)) best = std::min(best, variant.at(shown.key).get<double>());
  }
  if (!found) return "<td></td>";
  if (!is_measured(*found))
    return fmt::format(R"(<td title="{}">{}</td>)", text_of(found->at("why")),
                       found->at("state") == "failed" ? "failed" : "\u2013");
  return fmt::format(R"(<td{}>{}</td>)", found->at(shown.key).get<double>() == best ? R"( class="best")" : "",
                     shown.text(*found));
}

// Variants by sizes or settings.
std::string variant_table(const json& run, const std::vector<json>& cases, const std::vector<PlotLine>& lines,
                          const Shown& shown) {
  std::string text = fmt::format("<div class=\"wide\"><table><tr><th>{}</th>", shown.name);
  for (const json& measured : cases)
    text += fmt::format("<th>{}</th>", has_setting(measured) ? text_of(measured.at("setting")) : size_name(measured));
  text += "</tr>\n<tr><td class=\"soft\">the floor, ms</td>";
  for (const json& measured : cases)
    text += fmt::format("<td class=\"soft\">{:.4f}</td>", floor_of(run, measured).at("median_ms").get<double>());
  text += "</tr>\n";
  std::vector<std::string> names;
  for (const PlotLine& line : lines) names.push_back(line.name);
  for (const json& measured : cases)  // variants without any measurement
    for (const json& variant : measured.at("variants"))
      if (std::ranges::find(names, variant.at("variant").get<std::string>()) == names.end())
        names.push_back(variant.at("variant"));
  for (const std::string& name : names) {
    text += fmt::format("<tr><td>{}</td>", html_escaped(name));
    for (const json& measured : cases) text += variant_cell(measured, name, shown);
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string times_row(const std::string& name, const json& times) {
  return fmt::format("<tr><td>{}</td><td>{:.4f}</td><td>{:.4f}</td><td>{:.4f}</td><td>{}</td><td>{:.1f}</td>",
                     html_escaped(name), times.at("min_ms").get<double>(), times.at("median_ms").get<double>(),
                     times.at("max_ms").get<double>(), times.at("n").get<int>(), times.at("gb_per_s").get<double>());
}

// All numbers of one case.
std::string details(const json& measured) {
  const json& verified = measured.at("verified");
  std::string text = fmt::format(
      "<p><b>{}{}</b>, every texel of every level verified at {} \u00d7 {}</p><div class=\"wide\"><table><tr>"
      "<th>milliseconds</th><th>min</th><th>median</th><th>max</th><th>n</th><th>GB/s</th><th>ratio</th></tr>\n",
      size_name(measured), has_setting(measured) ? " " + text_of(measured.at("setting")) : "",
      verified.at("width").get<int>(), verified.at("height").get<int>());
  for (const json& floor : measured.at("floors")) text += times_row(floor.at("shape"), floor) + "<td></td></tr>\n";
  for (const json& variant : measured.at("variants"))
    text += is_measured(variant)
                ? times_row(variant.at("variant"), variant) +
                      fmt::format("<td>{:.2f}</td></tr>\n", variant.at("ratio").get<double>())
                : fmt::format("<tr><td>{}</td><td class=\"text\" colspan=\"6\">{}: {}</td></tr>\n",
                              text_of(variant.at("variant")), text_of(variant.at("state")), text_of(variant.at("why")));
  return text + "</table></div>\n";
}

std::string plot_of(const json& run, const std::vector<json>& cases, std::vector<PlotLine> lines, const Shown& shown) {
  if (!shown.has_floor) lines.push_back(floor_line(run, cases));
  std::vector<PlotTick> ticks;
  for (const json& measured : cases) ticks.push_back(tick_of(measured));
  const std::string setting = cases.front().value("setting_name", "");
  return plot(lines, ticks, {.x_name = setting, .y_name = shown.name, .has_floor = shown.has_floor});
}

std::string section(const json& run, const std::string& name) {
  const std::vector<json> cases = cases_of(run, name);
  if (cases.empty()) return "";
  const Shown& shown = shown_of(run);
  const std::vector<PlotLine> lines = lines_of(cases, shown);
  std::string text = fmt::format("<h3>{}</h3>\n", html_escaped(name));
  text += plot_of(run, cases, lines, shown);
  text += variant_table(run, cases, lines, shown);
  text += "<details><summary>all numbers</summary>\n";
  for (const json& measured : cases) text += details(measured);
  return text + "</details>\n";
}

// The measurement of a published figure.
std::string found(const json& claim) {
  if (claim.contains("gain_percent")) return fmt::format("{:+.1f} %", claim.at("gain_percent").get<double>());
  if (!claim.contains("median_ms")) return text_of(claim.at("why"));
  return fmt::format("{} ms, {:.1f} GB/s (floor {:.1f})", as_time.text(claim), claim.at("gb_per_s").get<double>(),
                     claim.at("floor_gb_per_s").get<double>());
}

// The variants of a published figure.
std::string variants_text(const json& claim) {
  if (claim.contains("variant")) return text_of(claim.at("variant"));
  return fmt::format("{} to {}", text_of(claim.at("slower")), text_of(claim.at("faster")));
}

// Table of published figures and measurements.
std::string claims_table(const json& claims) {
  std::string text =
      "<div class=\"wide\"><table><tr><th>published "
      "figure</th><th>size</th><th>format</th><th>claimed</th><th>here</th><th>where</th></tr>\n";
  for (const json& claim : claims) {
    text += fmt::format(
        "<tr><td title=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"best\">{}</td>"
        "<td class=\"text\">{}</td></tr>\n",
        variants_text(claim), text_of(claim.at("what")), size_name(claim), text_of(claim.at("format")),
        text_of(claim.at("claimed")), found(claim), text_of(claim.at("where")));
  }
  return text + "</table></div>\n";
}

// Table of goals and what the device reaches.
std::string goals_table(const json& goals) {
  std::string text =
      "<div class=\"wide\"><table><tr><th>goal</th><th>size</th><th>format</th><th>median ms</th><th>compared ms</th>"
      "<th>with</th><th>ratio</th><th>goal</th></tr>\n";
  for (const json& goal : goals) {
    text += fmt::format(R"(<tr><td title="{}">{}</td><td>{}</td><td>{}</td>)", text_of(goal.at("chain")),
                        text_of(goal.at("what")), size_name(goal), text_of(goal.at("format")));
    text += goal.contains("ratio")
                ? fmt::format("<td>{}</td><td>{:.4f}</td><td>{}</td><td{}>{:.2f}</td><td>{:.2f}</td></tr>\n",
                              as_time.text(goal), goal.at("compared_ms").get<double>(),
                              text_of(goal.at("compared_with")), goal.at("reached") ? R"( class="best")" : "",
                              goal.at("ratio").get<double>(), goal.at("goal").get<double>())
                : fmt::format("<td class=\"text\" colspan=\"5\">{}</td></tr>\n", text_of(goal.at("why")));
  }
  return text + "</table></div>\n<p>Reached goals are marked.</p>\n";
}

std::string run_section(const json& run) {
  const json& device = run.at("device");
  std::string text = fmt::format("<h2>{} on {}</h2>\n", text_of(run.at("op")), text_of(device.at("name")));
  text += fmt::format("<p class=\"soft\">{}, {}, {}<br><code>{}</code></p>\n", text_of(device.at("driver")),
                      text_of(run.at("program")), text_of(run.at("date")), text_of(run.at("command")));
  if (run.contains("goals")) return text + goals_table(run.at("goals"));
  text += fmt::format(
      "<p>Ratio of a variant\u2019s median time to the floor of the same run: one pass of \u201c{}\u201d at the same "
      "size, measured the same way. 1 is the limit of the device.</p>\n",
      text_of(run.at("floor")));
  if (const json& claims = run.at("documents"); !claims.empty()) text += claims_table(claims);
  if (run.contains("remark")) text += fmt::format("<p>{}</p>\n", text_of(run.at("remark")));
  if (run.contains("graphs"))
    for (const json& graph : run.at("graphs"))
      text += fmt::format("<p>Graphs: {} ({}).</p>\n", text_of(graph.at("what")), text_of(graph.at("where")));
  std::vector<std::string> names;
  for (const json& measured : run.at("cases"))
    if (std::ranges::find(names, section_name(measured)) == names.end()) names.push_back(section_name(measured));
  for (const std::string& name : names) text += section(run, name);
  return text;
}

}  // namespace

std::string bench_page(const std::vector<json>& runs) {
  std::string text(head);
  for (const json& run : runs) text += run_section(run);
  return text + "</body>\n</html>\n";
}

}  // namespace gpupost
