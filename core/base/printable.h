// Names and texts of files, as messages and tables show them.
#pragma once

#include <string>
#include <string_view>

namespace gpupost {

// The text as one line that changes nothing on a terminal. Each byte of a control character, of a character that reorders a
// line, or of invalid UTF-8 becomes \xNN. A text of over `most_bytes` is cut first.
std::string printable(std::string_view text, size_t most_bytes = std::string_view::npos);
// Each line of a text made so.
std::string printable_lines(std::string_view text);

}  // namespace gpupost
