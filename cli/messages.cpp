#include "cli/messages.h"

#include "core/child/descriptor.h"
#include "core/printable.h"

#include <span>

namespace gpupost {

std::string one_line(std::string_view text) { return printable(text.substr(0, text.find_last_not_of(" \n") + 1)); }

void say(std::string_view text) noexcept { write_whole(STDERR_FILENO, std::as_bytes(std::span(text))); }

}  // namespace gpupost
