#include "cli/text/messages.h"

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/system/descriptor.h"

#include <cerrno>
#include <span>
#include <system_error>

namespace gpupost {

std::string one_line(std::string_view text) { return printable(text.substr(0, text.find_last_not_of(" \n") + 1)); }

void say(std::string_view text) noexcept { write_whole(STDERR_FILENO, std::as_bytes(std::span(text))); }

void print_out(std::string_view text) {
  const int error = write_whole(STDOUT_FILENO, std::as_bytes(std::span(text)));
  // a closed pipe is the reader's choice
  if (error != 0 && error != EPIPE)
    fail(Exit::output, "standard output: cannot be written: {}", std::generic_category().message(error));
}

}  // namespace gpupost
