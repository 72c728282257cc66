#include "core/system/message.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace gpupost {

namespace {

constexpr size_t most_descriptors = 8;

struct alignas(cmsghdr) Control {
  char bytes[CMSG_SPACE(most_descriptors * sizeof(int))];
};

[[noreturn]] void fail_receive(int error) { throw std::system_error(error, std::generic_category(), "message"); }

int send_whole(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno;
    bytes = bytes.subspan(size_t(sent));
  }
  return 0;
}

// Sends the size, which is short enough to go out whole.
int send_size(int socket, MessageSize size, std::span<const int> descriptors) {
  iovec part = {.iov_base = &size, .iov_len = sizeof size};
  Control control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = control.bytes;
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  while (sendmsg(socket, &header, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) return errno;
  return 0;
}

std::vector<Descriptor> descriptors_in(msghdr& header) {
  std::vector<Descriptor> descriptors;
  for (cmsghdr* rights = CMSG_FIRSTHDR(&header); rights; rights = CMSG_NXTHDR(&header, rights)) {
    if (rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS) continue;
    int numbers[most_descriptors];
    const size_t count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::memcpy(numbers, CMSG_DATA(rights), count * sizeof(int));
    for (size_t index = 0; index < count; ++index) descriptors.emplace_back(numbers[index]);
  }
  return descriptors;
}

}  // namespace

int send_message(int socket, std::span<const std::byte> bytes, std::span<const int> descriptors) {
  const int error = send_size(socket, bytes.size(), descriptors);
  return error != 0 ? error : send_whole(socket, bytes);
}

int write_message(int socket, std::span<const std::byte> bytes) {
  const MessageSize size = bytes.size();
  const int error = write_whole(socket, std::as_bytes(std::span(&size, 1)));
  return error != 0 ? error : write_whole(socket, bytes);
}

std::optional<Message> receive_message(int socket) {
  MessageSize size = 0;
  iovec part = {.iov_base = &size, .iov_len = sizeof size};
  Control control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.bytes;
  header.msg_controllen = sizeof control.bytes;
  ssize_t got = 0;
  while ((got = recvmsg(socket, &header, MSG_WAITALL | MSG_CMSG_CLOEXEC)) < 0)
    if (errno != EINTR) fail_receive(errno);
  if (got == 0) return std::nullopt;
  Message message{.bytes = {}, .descriptors = descriptors_in(header)};
  if (got != sizeof size) fail_receive(EPROTO);
  message.bytes.resize(size);
  for (size_t at = 0; at < message.bytes.size(); at += size_t(got)) {
    got = read(socket, &message.bytes[at], message.bytes.size() - at);
    if (got == 0 || (got < 0 && errno != EINTR)) fail_receive(got == 0 ? EPROTO : errno);
    if (got < 0) got = 0;
  }
  return message;
}

}  // namespace gpupost
