#include "cli/options/frame_range.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <charconv>
#include <optional>
#include <unordered_set>

namespace gpupost {

namespace {

constexpr std::string_view expected =
    "expected frames like 1001-1100, 1-100x2, 1-10y3, 5-1, -5--1, or several with commas";

// Reads one item of --frames from left to right.
class ItemReader {
 public:
  ItemReader(std::string_view word, std::string_view item) : word_(word), item_(item), rest_(item) {}

  std::vector<int64_t> read() {
    const int64_t first = frame();
    if (rest_.empty()) return {first};
    if (!take('-')) refuse(expected);
    const int64_t last = frame();
    const bool is_complement = take('y');
    int64_t step = 1;
    if (is_complement || take('x')) step = number(1, max_frame, "expected a step of 1 or more");
    if (!rest_.empty()) refuse(expected);
    return frames(first, last, step, is_complement);
  }

 private:
  std::vector<int64_t> frames(int64_t first, int64_t last, int64_t step, bool is_complement) const {
    const int64_t distance = first < last ? last - first : first - last;
    const int64_t count = is_complement ? distance : distance / step;
    if (count >= int64_t(max_frame_count)) refuse(fmt::format("the limit is {} frames", max_frame_count));
    std::vector<int64_t> result;
    for (int64_t at = 0; at <= distance; at += is_complement ? 1 : step)
      if (!is_complement || at % step != 0) result.push_back(first < last ? first + at : first - at);
    if (result.empty())
      refuse(fmt::format("y{} leaves no frame; expected {}", step, distance == 0 ? "more frames" : "a larger step"));
    return result;
  }

  bool take(char c) {
    const bool is_there = rest_.starts_with(c);
    if (is_there) rest_.remove_prefix(1);
    return is_there;
  }

  int64_t frame() { return number(-max_frame, max_frame, expected); }

  int64_t number(int64_t low, int64_t high, std::string_view what) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc::result_out_of_range)
      refuse(fmt::format("a frame is a number in {}..{}", -max_frame, max_frame));
    if (error != std::errc()) refuse(what);
    if (value < low || value > high)
      refuse(low < 0 ? fmt::format("a frame is a number in {}..{}", low, high) : std::string(what));
    rest_.remove_prefix(size_t(end - rest_.data()));
    return value;
  }

  [[noreturn]] void refuse(std::string_view what) const {
    if (item_.find(':') != item_.npos)
      fail(Exit::usage,
           "--frames {}: {} has a colon, which schedulers read in different ways; write 1-10x2 for every 2nd frame",
           word_, item_);
    if (item_ == word_) fail(Exit::usage, "--frames {}: {}", word_, what);
    fail(Exit::usage, "--frames {}: in \"{}\": {}", word_, item_, what);
  }

  std::string_view word_, item_, rest_;
};

}  // namespace

std::vector<int64_t> parse_frames(std::string_view word) {
  std::vector<int64_t> frames;
  std::unordered_set<int64_t> known;
  for (const std::string_view item : split_at_commas(word)) {
    for (const int64_t frame : ItemReader(word, item).read())
      if (known.insert(frame).second) frames.push_back(frame);
    if (frames.size() > max_frame_count)
      fail(Exit::usage, "--frames {}: the limit is {} frames", word, max_frame_count);
  }
  return frames;
}

std::string text_of_frames(std::span<const int64_t> frames) {
  std::string text;
  for (size_t first = 0; first < frames.size();) {
    size_t last = first;
    while (last + 1 < frames.size() && frames[last + 1] == frames[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", frames[first]);
    if (last > first) text += fmt::format("-{}", frames[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace gpupost
