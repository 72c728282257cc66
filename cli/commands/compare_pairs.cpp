#include "cli/commands/compare_pairs.h"

#include "cli/options/frame_range.h"
#include "core/base/error.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace gpupost {

// An error that names the missing frames of a sequence; "" if all exist.
static std::string error_of_missing(const std::string& word, const std::map<int64_t, Input>& found,
                                    const std::vector<int64_t>& frames) {
  std::vector<int64_t> missing;
  std::ranges::copy_if(frames, std::back_inserter(missing), [&](int64_t frame) { return !found.contains(frame); });
  std::ranges::sort(missing);
  if (missing.empty()) return "";
  return fmt::format("{}: missing frame{} {}; render {} again, or use --skip-missing", word,
                     missing.size() == 1 ? "" : "s", text_of_frames(missing), missing.size() == 1 ? "it" : "them");
}

// All frames from the first to the last frame of both sequences.
static std::vector<int64_t> frames_of(const std::map<int64_t, Input>& a, const std::map<int64_t, Input>& b) {
  const int64_t first = std::min(a.begin()->first, b.begin()->first),
                last = std::max(a.rbegin()->first, b.rbegin()->first);
  if (size_t(last - first) >= max_frame_count)
    fail(Exit::usage, "compare: the frames go from {} to {}; the limit is {} frames (choose some with --frames)", first,
         last, max_frame_count);
  std::vector<int64_t> frames(size_t(last - first) + 1);
  std::iota(frames.begin(), frames.end(), first);
  return frames;
}

Pairs pairs_of(const std::vector<std::string>& words, const InputOptions& options) {
  const InputList lists[] = {list_inputs({words[0]}, options), list_inputs({words[1]}, options)};
  std::map<int64_t, Input> found[2];
  for (const size_t side : {0, 1})
    for (const Input& input : lists[side].files)
      if (input.frame) found[side][*input.frame] = input;
  const auto is_one_file = [&](size_t side) { return !lists[side].is_batch; };
  if (is_one_file(0) && is_one_file(1)) return {.inputs = {{lists[0].files.front(), lists[1].files.front()}}};
  for (const size_t side : {0, 1})
    if (is_one_file(side) || found[side].size() != lists[side].files.size())
      fail(Exit::usage,
           "compare: {} is not a sequence of numbered frames; expected two files, or two sequences like a.%04d.exr",
           words[side]);
  const std::vector<int64_t> frames = options.frames ? *options.frames : frames_of(found[0], found[1]);
  Pairs pairs;
  for (const size_t side : {0, 1})
    if (!options.skips_missing) pairs.missing.push_back(error_of_missing(words[side], found[side], frames));
  std::erase(pairs.missing, "");
  for (const int64_t frame : frames)
    if (found[0].contains(frame) && found[1].contains(frame))
      pairs.inputs.emplace_back(found[0][frame], found[1][frame]);
  if (pairs.inputs.empty() && pairs.missing.empty())
    fail(Exit::input, "compare: {} and {} have no frame in common; choose frames that both have with --frames",
         words[0], words[1]);
  return pairs;
}

}  // namespace gpupost
