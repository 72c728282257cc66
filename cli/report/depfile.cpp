#include "cli/report/depfile.h"

#include "core/base/error.h"
#include "core/system/output_target.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace gpupost {

// As make reads names: backslashes before a blank count twice.
static std::string escaped(std::string_view name) {
  std::string text;
  size_t backslash_count = 0;  // right before this character
  for (const char c : name) {
    if (c == '\n')
      fail(Exit::usage,
           "--depfile: the name {} has a newline, which make cannot read; rename it or leave --depfile out", name);
    const bool is_blank = c == ' ' || c == '\t';
    if (c == '$') text += '$';
    else if (is_blank) text.append(backslash_count + 1, '\\');
    else if (c == '#' || c == ':') text += '\\';
    text += c;
    backslash_count = c == '\\' ? backslash_count + 1 : 0;
  }
  return text;
}

std::string depfile_text(std::span<const DepfileRule> rules) {
  std::string text, empty_rules;
  std::set<std::string> seen;
  for (const DepfileRule& rule : rules) seen.insert(rule.outputs.begin(), rule.outputs.end());
  for (const DepfileRule& rule : rules) {
    std::string line;
    for (const std::string& output : rule.outputs)
      if (!own_descriptor(output)) line += (line.empty() ? "" : " ") + escaped(output);
    if (line.empty()) continue;
    line += ":";
    for (const std::string& input : rule.inputs) {
      if (own_descriptor(input) || std::ranges::count(rule.outputs, input) > 0) continue;
      line += " " + escaped(input);
      if (seen.insert(input).second) empty_rules += escaped(input) + ":\n";
    }
    text += line + "\n";
  }
  return text + empty_rules;
}

}  // namespace gpupost
