// Differences of two files, for `gpupost compare`.
#pragma once

#include "core/base/error.h"
#include "core/codec/codec.h"
#include "core/image/difference.h"
#include "core/image/flip_errors.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpupost {

struct CompareOptions {
  DifferenceOptions difference;
  double max_percent = 0;            // percentage of a channel's texels that may exceed the tolerance
  std::optional<double> flip_limit;  // largest mean FLIP that is allowed; empty: FLIP is not computed
  bool channels_decide = true;       // with flip_limit: images with color must also be within the tolerance
  double scale = 1;                  // factor for the image of differences or of FLIP
  std::string output;                // its path, which may be a sequence; "" for none
  bool makes_folders = false;
  bool is_json = false;
  bool is_quiet = false;  // no warnings and notes
  bool all_levels = true;
  std::optional<Alpha> alpha;  // of both files; empty: as they record it
  bool alpha_is_data = false;  // color is not multiplied by alpha
  DecodeOptions decode;
};

// Differences of one level of a part.
struct LevelResult {
  std::string part;  // "" if the files have only one
  int level = 0;
  std::vector<std::pair<std::string, ChannelDifference>> channels;  // by name
  bool channels_decide = true;                                      // false: the result does not depend on them
  std::optional<FlipErrors> flip;                                   // its map is empty unless it will be written
};

// Result of comparing two files.
struct PairResult {
  std::string a, b;
  std::string error;     // why they could not be compared; "" where they were
  std::string problems;  // differences other than values, one per line
  std::vector<LevelResult> levels;
  bool is_equal = false;             // within the tolerance and without problems
  std::optional<Error> write_error;  // of the image of differences
};

// Compares result.a and result.b and fills in the rest of the result. Writes the image of differences to `output`, if that is not
// empty. Prints warnings and notes. Throws Error if a file cannot be read or written.
void compare_files(const std::string& output, const CompareOptions& options, PairResult& result);

}  // namespace gpupost
