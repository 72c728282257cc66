#include "core/base/text.h"

#include <cctype>
#include <cmath>
#include <limits>

namespace gpupost {

std::optional<std::vector<int>> whole_numbers(std::string_view word, std::string_view separators) {
  std::vector<int> numbers;
  const char* at = word.data();
  const char* const end = word.data() + word.size();
  for (size_t index = 0; index <= separators.size(); ++index) {
    if (index > 0 && (at == end || *at++ != separators[index - 1])) return std::nullopt;
    int number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 0 || *at == '-') return std::nullopt;  // -0 is none of these either
    numbers.push_back(number);
    at = after;
  }
  if (at != end) return std::nullopt;
  return numbers;
}

std::optional<std::vector<int>> sides(std::string_view word) {
  std::optional<std::vector<int>> numbers = whole_numbers(word, word.find('x') == word.npos ? "" : "x");
  if (!numbers || numbers->front() == 0 || numbers->back() == 0) return std::nullopt;
  return std::vector{numbers->front(), numbers->back()};
}

bool is_float_number(double number) { return std::abs(number) <= double(std::numeric_limits<float>::max()); }

std::optional<double> percentage(std::string_view word) {
  if (!word.ends_with('%')) return std::nullopt;
  word.remove_suffix(1);
  const std::optional<double> number = number_in<double>(without_plus(word));
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::vector<std::string_view> split_at_commas(std::string_view word) {
  std::vector<std::string_view> parts;
  for (size_t comma; (comma = word.find(',')) != word.npos; word.remove_prefix(comma + 1))
    parts.push_back(word.substr(0, comma));
  parts.push_back(word);
  return parts;
}

std::optional<std::vector<double>> list_of_numbers(std::string_view word) {
  std::vector<double> numbers;
  for (const std::string_view part : split_at_commas(word)) {
    const std::optional<double> number = number_in<double>(without_plus(part));
    if (!number || !is_float_number(*number)) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = char(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

}  // namespace gpupost
