#include "core/system/descriptor.h"

#include "core/base/error.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

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

ssize_t read_some(int descriptor, std::span<std::byte> bytes) {
  while (true) {
    const ssize_t got = read(descriptor, bytes.data(), bytes.size());
    if (got >= 0 || (errno != EINTR && errno != EAGAIN)) return got;
    pollfd ready{.fd = descriptor, .events = POLLIN, .revents = 0};
    if (errno == EAGAIN) poll(&ready, 1, -1);
  }
}

std::vector<std::byte> read_to_end(int descriptor) {
  std::vector<std::byte> bytes(4096);
  size_t size = 0;
  while (true) {
    const ssize_t got = read_some(descriptor, std::span(bytes).subspan(size));
    if (got <= 0) break;
    size += size_t(got);
    if (size == bytes.size()) bytes.resize(2 * size);
  }
  bytes.resize(size);
  return bytes;
}

// Reads the bytes that wait in a pipe and leaves them there: tee() copies them to another pipe.
static size_t look_into_pipe(int pipe_end, std::span<std::byte> bytes) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return 0;
  const Descriptor out(ends[0]), in(ends[1]);
  const ssize_t copied = tee(pipe_end, in.get(), bytes.size(), SPLICE_F_NONBLOCK);
  return copied > 0 ? size_t(std::max<ssize_t>(read(out.get(), bytes.data(), size_t(copied)), 0)) : 0;
}

static size_t look_into_socket(int socket, std::span<std::byte> bytes) {
  return size_t(std::max<ssize_t>(recv(socket, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT), 0));
}

// Waits until `look` finds enough bytes in a pipe or a socket, or until no more can come.
static size_t wait_for(int descriptor, std::span<std::byte> bytes, size_t (*look)(int, std::span<std::byte>)) {
  while (true) {
    pollfd ready{.fd = descriptor, .events = POLLIN | POLLRDHUP, .revents = 0};
    if (poll(&ready, 1, -1) < 0) return 0;
    const size_t count = look(descriptor, bytes);
    if (count == bytes.size() || (ready.revents & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL))) return count;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // poll() does not wait for more than one byte
  }
}

std::vector<std::byte> first_bytes(int descriptor, size_t count) {
  std::vector<std::byte> bytes(count);
  struct stat facts = {};
  ssize_t got = 0;
  if (fstat(descriptor, &facts) != 0) got = 0;
  else if (S_ISREG(facts.st_mode)) got = pread(descriptor, bytes.data(), count, lseek(descriptor, 0, SEEK_CUR));
  else if (S_ISFIFO(facts.st_mode)) got = ssize_t(wait_for(descriptor, bytes, look_into_pipe));
  else if (S_ISSOCK(facts.st_mode)) got = ssize_t(wait_for(descriptor, bytes, look_into_socket));
  bytes.resize(size_t(std::max<ssize_t>(got, 0)));
  return bytes;
}

std::string read_text(int descriptor, const std::string& name, size_t most_bytes) {
  std::string text;
  char part[65536];
  while (true) {
    const ssize_t got = read_some(descriptor, std::as_writable_bytes(std::span(part)));
    if (got < 0) fail(Exit::input, "{}: cannot be read: {}", name, std::generic_category().message(errno));
    if (got == 0) return text;
    text.append(part, size_t(got));
    if (text.size() > most_bytes) fail(Exit::input, "{}: has more than {} bytes; expected fewer", name, most_bytes);
  }
}

}  // namespace gpupost
