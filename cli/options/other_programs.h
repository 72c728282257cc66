// Advice for those who type words and options of other programs.
#pragma once

#include <string>
#include <string_view>

namespace gpupost {

// Returns advice in brackets for a word, an option or an extension for which gpupost has no similar name: " (write `flip x`)" for "-flop".
// Empty for others.
std::string advice_for(std::string_view word);

}  // namespace gpupost
