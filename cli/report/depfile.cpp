#include "cli/report/depfile.h"

#include "core/base/error.h"
#include "core/system/output_target.h"

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

std::string depfile_rule(std::span<const std::string> outputs, std::span<const std::string> inputs) {
  std::string text;
  for (const std::string& output : outputs)
    if (!own_descriptor(output)) text += (text.empty() ? "" : " ") + escaped(output);
  if (text.empty()) return "";
  text += ":";
  for (const std::string& input : inputs)
    if (!own_descriptor(input)) text += " " + escaped(input);
  return text + "\n";
}

}  // namespace gpupost
