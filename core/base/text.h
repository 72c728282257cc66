// Parts of text: numbers, words and lists of option values.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// The number that the whole word is, as std::from_chars reads it. Returns nothing for other words, and for numbers that do not fit.
template <class Number>
std::optional<Number> number_in(std::string_view word) {
  Number number{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(number) : std::nullopt;
}

// "1" for "+1", because std::from_chars accepts no plus.
inline std::string_view without_plus(std::string_view word) {
  return word.size() > 1 && word[0] == '+' && word[1] != '-' ? word.substr(1) : word;
}

// Parses non-negative integers with these separators: "x++" parses 640x480+10+20. Nothing if the word does not match.
std::optional<std::vector<int>> whole_numbers(std::string_view word, std::string_view separators);

// Parses 640x480, or 64 for a square; both sides are at least 1. Nothing if the word does not match.
std::optional<std::vector<int>> sides(std::string_view word);

// Parses 50% or 12.5%. Nothing if the word does not match.
std::optional<double> percentage(std::string_view word);

// Returns whether the value is finite as a float.
bool is_float_number(double number);

// Splits a word at its commas: one part more than there are commas.
std::vector<std::string_view> split_at_commas(std::string_view word);

// Parses 1,0.5,-2; all must be finite as floats. Nothing if the word does not match.
std::optional<std::vector<double>> list_of_numbers(std::string_view word);

// The text with ASCII letters in lower case.
std::string lower_case(std::string_view text);

}  // namespace gpupost
