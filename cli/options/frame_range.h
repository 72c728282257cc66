// Frame numbers as `--frames` takes them. Pure: knows nothing of files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

constexpr int64_t max_frame = 1'000'000'000'000'000;  // of either sign
constexpr size_t max_frame_count = 1'000'000;         // of one command line

// The frames of "7", "1001-1100", "5-1", "1-100x2" (every 2nd), "1-10y3" (all but every 3rd), "-5--1", or of several of them
// with commas between, in that order. A frame that comes twice stays where it came first. Throws Error(Exit::usage).
std::vector<int64_t> parse_frames(std::string_view word);

// The same the other way: "3-5, 9" for {3, 4, 5, 9}. `frames` rise.
std::string text_of_frames(std::span<const int64_t> frames);

}  // namespace gpupost
