// The GLSL of a pass: declarations made from the pass, then the text of its kernel. Pure: needs no device.
#pragma once

#include "core/plan/plan.h"

#include <string>
#include <string_view>

namespace gpupost {

// Text of a file of kernels/, built in. Throws Error(Exit::bug) where there is none.
std::string_view kernel_text(std::string_view name);

// Bindings that every pass has, used or not.
enum Binding {
  source_binding = 0,
  second_source_binding = 1,
  target_binding = 2,
  statistics_binding = 3,
  scratch_binding = 4,
  table_binding = 5,
  more_sources_binding = 6,  // and those behind it, most_more_sources of them
  far_table_binding = more_sources_binding + most_more_sources,
  bounds_binding = far_table_binding + 1  // of passes that check bounds alone
};

// What is pushed, in the order in which the text declares it.
std::vector<int32_t> pushed_words(const Pass& pass);

// A whole compute shader. Equal passes give equal text, whatever the picture's size.
std::string glsl_of(const Pass& pass);
// The same with a count of what it reads and writes outside of its images and buffers.
std::string bounds_checking_glsl_of(const Pass& pass);

// A compiler's message on that text, with the names of users' sources as those have them.
std::string in_users_names(std::string message);

}  // namespace gpupost
