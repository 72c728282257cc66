// Generates the GLSL of a pass: declarations for the pass, then the text of its kernel. It needs no device.
#pragma once

#include "core/plan/plan.h"

#include <string>
#include <string_view>

namespace gpupost {

// The built-in text of a file of kernels/. Throws Error(Exit::bug) if there is none.
std::string_view kernel_text(std::string_view name);

// Bindings of every pass, used or not.
enum Binding {
  source_binding = 0,
  second_source_binding = 1,
  target_binding = 2,
  statistics_binding = 3,
  scratch_binding = 4,
  table_binding = 5,
  more_sources_binding = 6,  // the first of most_more_sources bindings
  far_table_binding = more_sources_binding + most_more_sources,
  bounds_binding = far_table_binding + 1,  // only in passes that check bounds
  // only on devices with image buffers: the sources again, and the targets
  source_words_binding = bounds_binding + 1,
  target_words_binding = source_words_binding + 2
};

// Push constants, in the order of their declaration.
std::vector<int32_t> pushed_words(const Pass& pass);

// A line of shaders whose sums and products must not be contracted. SPIR-V of them has a decoration for each.
constexpr std::string_view no_contraction_line = "#pragma gpupost(no_contraction)";

// A complete compute shader. Equal passes give the same text for any image size.
std::string glsl_of(const Pass& pass);
// A compute shader that also counts accesses outside of its images and buffers.
std::string bounds_checking_glsl_of(const Pass& pass);

// A message of the compiler about that text, with the names of the user's source.
std::string in_users_names(std::string message);

}  // namespace gpupost
