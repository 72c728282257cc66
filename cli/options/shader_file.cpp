#include "cli/options/shader_file.h"

#include "core/base/error.h"
#include "core/system/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace gpupost {

std::string source_of(const std::string& path, size_t most_bytes) {
  // non-blocking, because a pipe of that name would block
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) fail(Exit::input, "{}: cannot be opened: {}", path, std::generic_category().message(errno));
  struct stat facts = {};
  if (fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) fail(Exit::input, "{}: is not a regular file", path);
  if (size_t(facts.st_size) > most_bytes)
    fail(Exit::input, "{}: has {} bytes; the limit is {}", path, facts.st_size, most_bytes);
  return read_text(file.get(), path, most_bytes);
}

}  // namespace gpupost
