// Makes names and texts of files printable.
#pragma once

#include <string>
#include <string_view>

namespace gpupost {

// The text as one line without effect on a terminal. Each byte of a control character, of a bidirectional control, or
// of invalid UTF-8 becomes \xNN. Longer text is cut to `most_bytes` first.
std::string printable(std::string_view text, size_t most_bytes = std::string_view::npos);
// The text in printable ASCII: each other character, and each byte of invalid UTF-8, becomes `?`.
std::string ascii_of(std::string_view text);
// Returns whether all of the text is valid UTF-8.
bool is_utf8(std::string_view text);
// The name of a file in JSON, which holds only UTF-8. Other names become printable.
std::string json_name(const std::string& name);
// Makes each line printable.
std::string printable_lines(std::string_view text);

}  // namespace gpupost
