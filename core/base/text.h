// Values of options that are several numbers in one word.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace gpupost {

// As std::from_chars, but a plus before the number is allowed: "+1".
template <class Number>
std::from_chars_result number_from(const char* begin, const char* end, Number& number) {
  const bool has_plus = end - begin > 1 && *begin == '+' && begin[1] != '-';
  return std::from_chars(has_plus ? begin + 1 : begin, end, number);
}

// The whole numbers, 0 or more, of a word like 640x480+10+20, whose separators in their order are "x++". None where the word has
// another form.
std::optional<std::vector<int>> whole_numbers(std::string_view word, std::string_view separators);

// Both sides of a word like 640x480, or 64 for a square, 1 or more. None where the word has another form.
std::optional<std::vector<int>> sides(std::string_view word);

// The number of a word like 50% or 12.5%. None where the word has another form.
std::optional<double> percentage(std::string_view word);

// Is it finite as the float that a device gets?
bool is_float_number(double number);

// The numbers of a word like 1,0.5,-2, finite as floats. None where the word has another form.
std::optional<std::vector<double>> list_of_numbers(std::string_view word);

}  // namespace gpupost
