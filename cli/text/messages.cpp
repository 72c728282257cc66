#include "cli/text/messages.h"

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/system/descriptor.h"

#include <cerrno>
#include <cstdio>
#include <span>
#include <system_error>

namespace gpupost {

std::string one_line(std::string_view text) { return printable(text.substr(0, text.find_last_not_of(" \n") + 1)); }

void say(std::string_view text) noexcept { write_whole(STDERR_FILENO, std::as_bytes(std::span(text))); }

void print_out(std::string_view text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  // a closed pipe is the reader's choice
  if (!is_written && errno != EPIPE)
    fail(Exit::output, "standard output: cannot be written: {}", std::generic_category().message(errno));
}

}  // namespace gpupost
