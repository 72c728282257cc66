#include "cli/options/exit_map.h"

#include "core/base/error.h"

#include <algorithm>
#include <charconv>

namespace gpupost {

std::map<int, int> parse_exit_map(std::string_view word) {
  const auto refuse = [&] {
    fail(Exit::usage, "--exit-map {}: expected codes in 1..255 like 7=33, or several with commas", word);
  };
  std::map<int, int> codes;
  const char* at = word.data();
  const char* const end = at + word.size();
  const auto number = [&] {
    int value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < 1 || value > 255) refuse();
    at = rest;
    return value;
  };
  for (;;) {
    const int from = number();
    if (at == end || *at++ != '=') refuse();
    if (!codes.emplace(from, number()).second)
      fail(Exit::usage, "--exit-map {}: {} is given twice; give it once", word, from);
    if (at == end) return codes;
    if (*at++ != ',') refuse();
  }
}

int mapped_exit_code(int code, const std::vector<std::string>& words) {
  constexpr std::string_view name = "--exit-map", with_value = "--exit-map=";
  const auto end = std::ranges::find(words, "--");
  for (auto word = words.begin(); word != end; ++word) {
    if (*word != name && !word->starts_with(with_value)) continue;
    if (*word == name && word + 1 == end) return code;
    try {
      const std::map<int, int> codes = parse_exit_map(*word == name ? *(word + 1) : word->substr(with_value.size()));
      const auto found = codes.find(code);
      return found == codes.end() ? code : found->second;
    } catch (const Error&) {
      return code;  // keep the code of the error message
    }
  }
  return code;
}

}  // namespace gpupost
