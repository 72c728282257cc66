// Parses calls of ops from words of the command line, using the rows.
#pragma once

#include "core/op/op.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// Parses one call from the words after the op's name. Throws Error(Exit::usage) with the op, the option, its value and
// the expected values.
Call parse_call(const Op& op, const std::vector<std::string>& words);
// Parses one call from a line, such as an example of a row.
Call parse_call(const Op& op, std::string_view line);

// Checks the order of ops in a chain. Throws Error(Exit::usage).
void check_chain(std::span<const Call> calls);

// The word in `known` that is most similar to `word`; empty if none is similar.
std::string closest_word(std::string_view word, const std::vector<std::string_view>& known);
// " (did you mean `mips`?)", or "".
std::string suggestion(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace gpupost
