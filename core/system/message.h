// Messages between this program and its workers: the number of bytes (8 bytes), then the bytes. Descriptors travel with the number.
#pragma once

#include "core/system/descriptor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gpupost {

using MessageSize = uint64_t;

struct Message {
  std::vector<std::byte> bytes;
  std::vector<Descriptor> descriptors;
};

// Sends a message through a socket. Returns 0 or errno.
int send_message(int socket, std::span<const std::byte> bytes, std::span<const int> descriptors);
// The same with write() alone, for workers: their sandbox does not let them send descriptors.
int write_message(int socket, std::span<const std::byte> bytes);
// Waits for the next message. Returns nothing if the sender has closed the socket. Throws std::system_error for a descriptor that is
// no socket, and for a message that ends too early.
std::optional<Message> receive_message(int socket);

}  // namespace gpupost
