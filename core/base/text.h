// Parses option values.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace gpupost {

// Like std::from_chars, but accepts a leading plus: "+1".
template <class Number>
std::from_chars_result number_from(const char* begin, const char* end, Number& number) {
  const bool has_plus = end - begin > 1 && *begin == '+' && begin[1] != '-';
  return std::from_chars(has_plus ? begin + 1 : begin, end, number);
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

}  // namespace gpupost
