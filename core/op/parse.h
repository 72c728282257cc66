// Words to calls, by the rows.
#pragma once

#include "core/op/op.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// One call from the words behind the op's name, options and their values. Throws Error(Exit::usage) naming the op, the
// option, its value and what was expected.
Call parse_call(const Op& op, const std::vector<std::string>& words);
// The same from words in one line, as a row's examples have them.
Call parse_call(const Op& op, std::string_view line);

// Refuses chains that mean nothing: throws Error(Exit::usage).
void check_chain(std::span<const Call> calls);

// The word of `known` that `word` was probably meant to be; "" where none is near.
std::string closest_word(std::string_view word, const std::vector<std::string_view>& known);
// " (did you mean `mips`?)", or "".
std::string suggestion(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace gpupost
