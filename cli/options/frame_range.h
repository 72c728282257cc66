// Parses frame numbers of --frames. It accesses no files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

constexpr int64_t max_frame = 1'000'000'000'000'000;  // largest magnitude
constexpr size_t max_frame_count = 1'000'000;         // limit for one command line

// Parses "7", "1001-1100", "5-1", "1-100x2" (every 2nd), "1-10y3" (all but every 3rd), "-5--1", or several with commas.
// Keeps the order; a repeated frame keeps its first position. Throws Error(Exit::usage).
std::vector<int64_t> parse_frames(std::string_view word);

// Formats increasing `frames`: "3-5, 9" for {3, 4, 5, 9}.
std::string text_of_frames(std::span<const int64_t> frames);

}  // namespace gpupost
