#include "cli/options/sequence.h"

#include "cli/options/frame_range.h"
#include "core/base/error.h"
#include "core/base/text.h"

#include <algorithm>
#include <charconv>

namespace gpupost {

constexpr int max_width = 18;

std::string frame_digits(int64_t frame, int width) { return fmt::format("{:0{}}", frame, width); }

// The first place for a frame number in a text: a run of #, or % and d with any digits between. Empty, at the end of the text, if
// there is none.
static std::string_view place_in(std::string_view text) {
  for (size_t at = text.find_first_of("#%"); at != text.npos; at = text.find_first_of("#%", at + 1)) {
    if (text[at] == '#') return text.substr(at, std::min(text.find_first_not_of('#', at), text.size()) - at);
    const size_t end = text.find_first_not_of("0123456789", at + 1);
    if (end != text.npos && text[end] == 'd') return text.substr(at, end + 1 - at);
  }
  return text.substr(text.size());
}

std::optional<Sequence> Sequence::parse(const std::string& path) {
  const size_t name_at = path.rfind('/') + 1;  // npos + 1 is 0
  const std::string_view name = std::string_view(path).substr(name_at), typed = place_in(name);
  if (typed.empty()) return std::nullopt;
  const auto place_at = size_t(typed.data() - name.data());
  const std::string_view after = name.substr(place_at + typed.size());
  if (const std::string_view second = place_in(after); !second.empty())
    fail(Exit::usage, "{}: has two patterns for a frame number, {} and {}; give one", path, typed, second);
  const std::string_view digits = typed[0] == '#' ? "" : typed.substr(1, typed.size() - 2);
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
  sequence.before_ = name.substr(0, place_at);
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
  const bool is_own = frame && (this->file_name(*frame) == file_name || signed_name(*frame) == file_name);
  return is_own ? frame : std::nullopt;
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
