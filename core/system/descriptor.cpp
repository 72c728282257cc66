#include "core/system/descriptor.h"

#include "core/base/error.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace gpupost {

bool is_out_of_resources(int error) { return error == ENOMEM || error == EAGAIN || error == EMFILE || error == ENFILE; }

bool can_open_more(size_t count) {
  std::vector<Descriptor> opened;
  while (opened.size() < count) {
    opened.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (opened.back().get() < 0) return !is_out_of_resources(errno);
  }
  return true;
}

int write_whole(int descriptor, std::span<const std::byte> bytes) {
  constexpr size_t most = size_t(1) << 30;  // Linux writes no more than 2 GiB at once
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), std::min(bytes.size(), most));
    if (written > 0) {
      bytes = bytes.subspan(size_t(written));
    } else if (written == 0) {
      return EIO;
    } else if (errno == EAGAIN) {
      pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

std::vector<std::byte> read_to_end(int descriptor) {
  std::vector<std::byte> bytes(4096);
  size_t size = 0;
  while (true) {
    const ssize_t got = read(descriptor, bytes.data() + size, bytes.size() - size);
    if (got <= 0) break;
    size += size_t(got);
    if (size == bytes.size()) bytes.resize(2 * size);
  }
  bytes.resize(size);
  return bytes;
}

std::string read_text(int descriptor, const std::string& name, size_t most_bytes) {
  std::string text;
  char part[65536];
  while (true) {
    const ssize_t got = read(descriptor, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(Exit::input, "{}: cannot be read: {}", name, std::generic_category().message(errno));
    if (got == 0) return text;
    text.append(part, size_t(got));
    if (text.size() > most_bytes) fail(Exit::input, "{}: has more than {} bytes; expected fewer", name, most_bytes);
  }
}

}  // namespace gpupost
