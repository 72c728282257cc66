// File names with a frame number: "shot.%04d.exr", "shot.####.exr".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpupost {

// Formats a frame number with leading zeros: "0007", "-007". The width includes a minus sign.
std::string frame_digits(int64_t frame, int width);

// A path whose file name has one place for a frame number: %d, %04d, # (4 digits), or n # (n digits).
class Sequence {
 public:
  // Parses a path. Returns nothing if it has no such place. Throws Error(Exit::usage) if it has two, or an unsupported
  // one like %4d.
  static std::optional<Sequence> parse(const std::string& path);

  std::string path(int64_t frame) const { return folder_ + file_name(frame); }
  // The path whose minus sign does not count as a digit, as in many other programs: "-0007" for 4 digits. path() for frames from 0 on.
  std::string path_of_signed(int64_t frame) const { return folder_ + signed_name(frame); }
  // The path with a text in the place of the frame number.
  std::string with_text(std::string_view text) const { return folder_ + before_ + std::string(text) + after_; }
  // The frame number of a file name in folder(). Nothing if path() and path_of_signed() would write other names.
  std::optional<int64_t> frame_of(std::string_view file_name) const;
  // Returns the pattern for the frame number of a file name that matches except for its number of digits: "%04d", or "%d"
  // without leading zeros. Nothing for other names.
  std::optional<std::string> other_place_of(std::string_view file_name) const;

  const std::string& pattern() const { return pattern_; }  // path as given
  std::string folder() const { return folder_.empty() ? "." : folder_; }
  int width() const { return width_; }

 private:
  std::string file_name(int64_t frame) const { return before_ + frame_digits(frame, width_) + after_; }
  std::string signed_name(int64_t frame) const {
    return before_ + frame_digits(frame, width_ + (frame < 0 ? 1 : 0)) + after_;
  }
  std::optional<int64_t> number_in(std::string_view file_name) const;

  std::string pattern_, folder_;  // the folder with its / at the end, "" for none
  std::string before_, after_;    // parts of the file name before and after the number
  int width_ = 1;
};

}  // namespace gpupost
