#include "cli/report/depfile.h"

#include "core/base/error.h"
#include "core/system/output_target.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

namespace gpupost {

// Names the part of a name that make or ninja misreads; "" if both read it.
static std::string_view obstacle_in(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> obstacles[] = {{"\n", "a newline"},
                                                                         {"=", "a ="},
                                                                         {";", "a ;"},
                                                                         {"|", "a |"},
                                                                         {"%", "a %"},
                                                                         {"*", "a *"},
                                                                         {"?", "a ?"},
                                                                         {"[", "a ["},
                                                                         {"\\#", "a \\ before #"},
                                                                         {"\\:", "a \\ before :"}};
  for (const auto& [text, what] : obstacles)
    if (name.find(text) != name.npos) return what;
  constexpr std::pair<std::string_view, std::string_view> at_end[] = {
      {"\\", "a \\ at its end"}, {"&", "a & at its end"}, {" ", "a blank at its end"}, {"\t", "a tab at its end"}};
  for (const auto& [text, what] : at_end)
    if (name.ends_with(text)) return what;
  if (name.starts_with('~') || name.starts_with("./~")) return "a ~ at its start";
  return name.ends_with(')') && name.find('(') != name.npos ? "a ( and a ) at its end" : "";
}

std::string name_for_make_alone(std::span<const DepfileRule> rules) {
  const auto is_misread = [](std::string_view name) {
    return name.ends_with(':') || name.find("\\$") != name.npos || std::ranges::any_of(name, [](char c) {
             return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f ||
                    std::string_view("'\"&<>^`").find(c) != std::string_view::npos;
           });
  };
  for (const DepfileRule& rule : rules)
    for (const std::vector<std::string>& names : {rule.outputs, rule.inputs})
      if (const auto found = std::ranges::find_if(names, is_misread); found != names.end()) return *found;
  return "";
}

// As make reads names: backslashes before a blank count twice.
static std::string escaped(std::string_view name) {
  if (const std::string_view obstacle = obstacle_in(name); !obstacle.empty())
    fail(Exit::usage,
         "--depfile: the name {} has {}, which make or ninja cannot read; rename it or leave --depfile out", name,
         obstacle);
  std::string text;
  size_t backslash_count = 0;  // right before this character
  for (const char c : name) {
    const bool is_blank = c == ' ' || c == '\t';
    if (c == '$') text += '$';
    else if (is_blank) text.append(backslash_count + 1, '\\');
    else if (c == '#' || c == ':') text += '\\';
    text += c;
    backslash_count = c == '\\' ? backslash_count + 1 : 0;
  }
  return text;
}

// The same path for all names of a file, also those through links.
static std::string canonical(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  const std::filesystem::path found = std::filesystem::weakly_canonical(absolute, error);
  return error ? path : found.string();
}

std::string depfile_text(std::span<const DepfileRule> rules) {
  std::string text, empty_rules;
  std::set<std::string> names;  // that have a rule
  for (const DepfileRule& rule : rules) names.insert(rule.outputs.begin(), rule.outputs.end());
  for (const DepfileRule& rule : rules) {
    std::string line;
    std::set<std::string> replaced;
    for (const std::string& output : rule.outputs) replaced.insert(canonical(output));
    for (const std::string& output : rule.outputs)
      if (!own_descriptor(output)) line += (line.empty() ? "" : " ") + escaped(output);
    if (line.empty()) continue;
    line += ":";
    for (const std::string& input : rule.inputs) {
      if (own_descriptor(input) || replaced.contains(canonical(input))) continue;
      line += " " + escaped(input);
      if (names.insert(input).second) empty_rules += escaped(input) + ":\n";
    }
    text += line + "\n";
  }
  return text + empty_rules;
}

}  // namespace gpupost
