#include "core/ops/lut/cube_file.h"

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace gpupost {

namespace {

constexpr int most_curve_entries = 65536, most_cube_side = 256;
constexpr size_t longest_line = 250;

// Words before a comment.
std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\v\f";
  std::vector<std::string_view> words;
  for (size_t at = line.find_first_not_of(blanks); at != line.npos; at = line.find_first_not_of(blanks, at)) {
    if (line[at] == '#') break;
    const size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

// Reads a file line by line.
class CubeReader {
 public:
  CubeReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  CubeFile read() {
    while (!text_.empty()) take(next_line());
    const size_t expected = expected_count();
    if (expected == 0) fail(Exit::input, "{}: has no LUT_1D_SIZE and no LUT_3D_SIZE; it is not a .cube file", name_);
    if (count_ < expected)
      fail(Exit::input, "{}: ends after {} color{}; its sizes need {}", name_, count_, count_ == 1 ? "" : "s",
           expected);
    return std::move(file_);
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> message, Args&&... args) const {
    fail(Exit::input, "{}:{}: {}", name_, line_, fmt::format(message, std::forward<Args>(args)...));
  }

  std::string_view next_line() {
    ++line_;
    const size_t end = std::min(text_.find_first_of("\r\n"), text_.size());
    const std::string_view line = text_.substr(0, end);
    const size_t length_of_end = text_.substr(end).starts_with("\r\n") ? 2 : 1;
    text_.remove_prefix(std::min(end + length_of_end, text_.size()));
    if (line.size() > longest_line) refuse("has {} bytes; a line has at most {}", line.size(), longest_line);
    return line;
  }

  void take(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) return;
    constexpr std::string_view starts_of_numbers = "+-.0123456789";
    if (starts_of_numbers.find(words[0][0]) != starts_of_numbers.npos || is_nan_or_infinity(words[0]))
      return take_color(words);
    if (words[0] == "TITLE") return;
    if (count_ > 0) refuse("{} comes after the first color; move it to the front", shown(words[0]));
    take_keyword(words);
  }

  // "nan", "inf" and "infinity", which take_color() refuses by name.
  static bool is_nan_or_infinity(std::string_view word) {
    const std::optional<double> number = number_in<double>(without_plus(word));
    return number && !std::isfinite(*number);
  }

  static std::string shown(std::string_view word) { return printable(word, 60); }

  void take_keyword(const std::vector<std::string_view>& words) {
    const std::string_view keyword = words[0];
    if (keyword == "LUT_1D_SIZE") file_.curve.size = size(words, file_.curve, most_curve_entries);
    else if (keyword == "LUT_3D_SIZE") file_.cube.size = size(words, file_.cube, most_cube_side);
    else if (keyword == "DOMAIN_MIN") domain_min_ = numbers(words, 3);
    else if (keyword == "DOMAIN_MAX") domain_max_ = numbers(words, 3);
    else if (keyword == "LUT_1D_INPUT_RANGE") set_range(file_.curve, numbers(words, 2));
    else if (keyword == "LUT_3D_INPUT_RANGE") set_range(file_.cube, numbers(words, 2));
    else
      refuse(
          "{} is unknown; expected TITLE, LUT_1D_SIZE, LUT_3D_SIZE, DOMAIN_MIN, DOMAIN_MAX, LUT_1D_INPUT_RANGE, "
          "LUT_3D_INPUT_RANGE or three numbers",
          shown(keyword));
  }

  static void set_range(ColorTable& table, const std::vector<double>& range) {
    table.min.fill(range[0]);
    table.max.fill(range[1]);
  }

  int size(const std::vector<std::string_view>& words, const ColorTable& table, int most) const {
    if (table.size > 0) refuse("{} is given twice", words[0]);
    const int size = number_in<int>(without_plus(words.size() == 2 ? words[1] : "")).value_or(0);
    if (size < 2 || size > most)
      refuse("{} {} is not a size; expected one whole number in 2..{}", words[0],
             words.size() < 2 ? "without a number" : shown(words[1]), most);
    return size;
  }

  double number(std::string_view word) const {
    double number = 0;
    const std::string_view digits = without_plus(word);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_tiny = error == std::errc::result_out_of_range && word.find("e-") != word.npos;
    if ((error != std::errc() && !is_tiny) || end != digits.data() + digits.size() || !std::isfinite(float(number)))
      refuse("{} is not a finite number", shown(word));
    return number;
  }

  std::vector<double> numbers(const std::vector<std::string_view>& words, size_t count) const {
    if (words.size() != count + 1)
      refuse("{} has {}; expected {}", words[0], count_of_numbers(words.size() - 1), count);
    std::vector<double> numbers;
    for (const std::string_view word : std::span(words).subspan(1)) numbers.push_back(number(word));
    return numbers;
  }

  static std::string count_of_numbers(size_t count) { return fmt::format("{} number{}", count, count == 1 ? "" : "s"); }

  size_t expected_count() const {
    const auto side = size_t(file_.cube.size);
    return size_t(file_.curve.size) + side * side * side;
  }

  void take_color(const std::vector<std::string_view>& words) {
    if (count_ == 0) settle_domains();
    if (words.size() != 3) refuse("has {}; a color has 3", count_of_numbers(words.size()));
    if (count_ == expected_count()) refuse("has too many colors; the sizes need {}", count_);
    ColorTable& table = count_ < size_t(file_.curve.size) ? file_.curve : file_.cube;
    for (const std::string_view word : words) table.values.push_back(float(number(word)));
    ++count_;
  }

  // Before the first color.
  void settle_domains() {
    if (expected_count() == 0) refuse("is a color before LUT_1D_SIZE or LUT_3D_SIZE");
    const bool has_both = file_.curve.size > 0 && file_.cube.size > 0;
    if (has_both && (domain_min_ || domain_max_))
      refuse(
          "DOMAIN_MIN and DOMAIN_MAX do not apply to two tables; expected LUT_1D_INPUT_RANGE and LUT_3D_INPUT_RANGE");
    ColorTable& only = file_.curve.size > 0 ? file_.curve : file_.cube;
    if (domain_min_) std::ranges::copy(*domain_min_, only.min.begin());
    if (domain_max_) std::ranges::copy(*domain_max_, only.max.begin());
    for (const ColorTable* table : {&file_.curve, &file_.cube})
      for (size_t k = 0; k < 3; ++k)
        if (!(float(table->min[k]) < float(table->max[k])) ||
            !std::isfinite(1 / (float(table->max[k]) - float(table->min[k]))))
          refuse("the domain of the table goes from {} to {}; expected an end above the start", table->min[k],
                 table->max[k]);
  }

  std::string_view text_;
  const std::string& name_;
  int line_ = 0;
  size_t count_ = 0;  // of the colors so far
  std::optional<std::vector<double>> domain_min_, domain_max_;
  CubeFile file_;
};

}  // namespace

CubeFile parse_cube(std::string_view text, const std::string& name) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return CubeReader(text, name).read();
}

std::string cube_text(const ColorTable& cube, std::string_view title, std::span<const std::string> comments) {
  std::string text = fmt::format("TITLE \"{}\"\n", title);
  for (const std::string& comment : comments) text += fmt::format("# {}\n", comment);
  text += fmt::format("LUT_3D_SIZE {}\n", cube.size);
  for (size_t index = 0; index < cube.values.size(); index += 3)
    fmt::format_to(std::back_inserter(text), "{:.9g} {:.9g} {:.9g}\n", cube.values[index], cube.values[index + 1],
                   cube.values[index + 2]);
  return text;
}

}  // namespace gpupost
