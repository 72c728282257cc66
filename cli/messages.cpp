#include "cli/messages.h"

#include "core/child/descriptor.h"

#include <span>

namespace gpupost {

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

void say(std::string_view text) noexcept { write_whole(STDERR_FILENO, std::as_bytes(std::span(text))); }

}  // namespace gpupost
