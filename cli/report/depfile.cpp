#include "cli/report/depfile.h"

#include <string_view>

namespace gpupost {

static std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '$') text += '$';
    else if (c == ' ' || c == '#' || c == ':') text += '\\';
    text += c;
  }
  return text;
}

std::string depfile_rule(std::span<const std::string> outputs, std::span<const std::string> inputs) {
  if (outputs.empty()) return "";
  std::string text;
  for (const std::string& output : outputs) text += (text.empty() ? "" : " ") + escaped(output);
  text += ":";
  for (const std::string& input : inputs) text += " " + escaped(input);
  return text + "\n";
}

}  // namespace gpupost
