// Names of files with a frame number in them: "shot.%04d.exr", "shot.####.exr".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpupost {

// The digits of a frame, filled with zeros to a width that counts a minus sign: "0007", "-007".
std::string frame_digits(int64_t frame, int width);

// A path whose file name has one place for a frame: %d, %04d, # (4 digits), or a run of n # (n digits).
class Sequence {
 public:
  // None where the file name has no such place. Throws Error(Exit::usage) where it has two, or one like %4d.
  static std::optional<Sequence> parse(const std::string& path);

  std::string path(int64_t frame) const { return folder_ + file_name(frame); }
  // The frame of a file name in folder(): none where path() would not write it in the same way.
  std::optional<int64_t> frame_of(std::string_view file_name) const;
  // Does the file name match but for the width of its number?
  bool matches_other_width(std::string_view file_name) const;

  const std::string& pattern() const { return pattern_; }  // the path as typed
  std::string folder() const { return folder_.empty() ? "." : folder_; }
  int width() const { return width_; }

 private:
  std::string file_name(int64_t frame) const { return before_ + frame_digits(frame, width_) + after_; }
  std::optional<int64_t> number_in(std::string_view file_name) const;

  std::string pattern_, folder_;  // the folder with its / at the end, "" for none
  std::string before_, after_;    // the number, in the file name
  int width_ = 1;
};

}  // namespace gpupost
