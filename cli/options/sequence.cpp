#include "cli/options/sequence.h"

#include "cli/options/frame_range.h"
#include "core/base/error.h"
#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <regex>

namespace gpupost {

constexpr int max_width = 18;

std::string frame_digits(int64_t frame, int width) { return fmt::format("{:0{}}", frame, width); }

std::optional<Sequence> Sequence::parse(const std::string& path) {
  static const std::regex place("%([0-9]*)d|#+");
  const size_t name_at = path.rfind('/') + 1;  // npos + 1 is 0
  const std::string name = path.substr(name_at);
  std::smatch found, second;
  if (!std::regex_search(name, found, place)) return std::nullopt;
  const std::string typed = found.str(), digits = found[1].str(), after = found.suffix();
  if (std::regex_search(after, second, place))
    fail(Exit::usage, "{}: has two patterns for a frame number, {} and {}; give one", path, typed, second.str());
  Sequence sequence;
  if (typed[0] == '#') sequence.width_ = typed.size() == 1 ? 4 : int(std::min<size_t>(typed.size(), max_width + 1));
  else if (!digits.empty()) std::from_chars(digits.data(), digits.data() + digits.size(), sequence.width_);
  const bool has_zero = digits.starts_with('0') && digits.size() > 1;
  if (!digits.empty() && (!has_zero || digits.size() > 3 || sequence.width_ < 1))
    fail(Exit::usage, "{}: {} is not a pattern for a frame number; expected %04d, %d or ####", path, typed);
  if (sequence.width_ > max_width)
    fail(Exit::usage, "{}: {} has too many digits; the limit is {}", path, typed, max_width);
  sequence.pattern_ = path;
  sequence.folder_ = path.substr(0, name_at);
  sequence.before_ = found.prefix();
  sequence.after_ = after;
  return sequence;
}

std::optional<int64_t> Sequence::number_in(std::string_view file_name) const {
  if (file_name.size() <= before_.size() + after_.size() || !file_name.starts_with(before_) ||
      !file_name.ends_with(after_))
    return std::nullopt;
  const std::string_view digits = file_name.substr(before_.size(), file_name.size() - before_.size() - after_.size());
  const std::optional<int64_t> frame = gpupost::number_in<int64_t>(digits);
  return frame && *frame >= -max_frame && *frame <= max_frame ? frame : std::nullopt;
}

std::optional<int64_t> Sequence::frame_of(std::string_view file_name) const {
  const std::optional<int64_t> frame = number_in(file_name);
  return frame && this->file_name(*frame) == file_name ? frame : std::nullopt;
}

std::optional<std::string> Sequence::other_place_of(std::string_view file_name) const {
  const std::optional<int64_t> frame = number_in(file_name);
  if (!frame || frame_of(file_name)) return std::nullopt;
  const std::string_view digits = file_name.substr(before_.size(), file_name.size() - before_.size() - after_.size());
  if (frame_digits(*frame, 1) == digits) return "%d";
  const auto width = int(std::min<size_t>(digits.size(), max_width + 1));
  const bool can_be_parsed = width <= max_width && frame_digits(*frame, width) == digits;
  return can_be_parsed ? std::optional(fmt::format("%0{}d", width)) : std::nullopt;
}

}  // namespace gpupost
