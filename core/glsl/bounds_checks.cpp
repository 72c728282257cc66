#include "core/glsl/bounds_checks.h"

#include "core/base/error.h"
#include "core/glsl/shader_text.h"

#include <algorithm>
#include <cctype>

namespace gpupost {

namespace {

// An array that kernels index, and the place of its kind among the things that are counted.
struct Array {
  std::string_view name;
  int thing = 0;
};

enum Thing { read_images, written_images, statistics, scratch, table };
constexpr std::string_view things[] = {"images that it reads", "images that it writes", "statistics", "scratch memory",
                                       "table"};
constexpr Array arrays[] = {{"statistics", statistics},
                            {"scratch_counters", scratch},
                            {"scratch_texels", scratch},
                            {"kept_texels", scratch},
                            {"table", table},
                            {"far_table", table},
                            {"table4", table}};

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The bracket that closes the one at `open`.
size_t closing_bracket(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    depth += (text[at] == '[') - (text[at] == ']');
    if (depth == 0) return at;
  }
  fail(Exit::bug, "a bracket of a kernel is not closed: {}", text.substr(open, 40));
}

void check_indices(std::string& text, const Array& array) {
  const std::string opening = fmt::format("{}[", array.name);
  for (size_t at = text.find(opening); at != text.npos; at = text.find(opening, at + 1)) {
    if (at > 0 && is_of_word(text[at - 1])) continue;
    const size_t open = at + array.name.size();
    text.insert(closing_bracket(text, open), fmt::format(", {}.length(), {})", array.name, array.thing));
    text.insert(open + 1, "within(");
  }
}

}  // namespace

std::span<const std::string_view> names_in_bounds() { return things; }

std::string with_checked_indices(std::string text) {
  for (const Array& array : arrays) check_indices(text, array);
  return text;
}

std::string bounds_declarations() {
  return fmt::format("#define BOUNDS_BINDING {}\n#define READ_IMAGES {}\n#define WRITTEN_IMAGES {}\n{}",
                     int(bounds_binding), int(read_images), int(written_images), kernel_text("lib/bounds_checks.glsl"));
}

}  // namespace gpupost
