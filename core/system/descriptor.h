// A file descriptor with an owner, and how bytes get to one.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gpupost {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  void reset() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

// Does this errno say that the process or the machine has no more memory, descriptors, processes or threads?
bool is_out_of_resources(int error);

// Writes all of the bytes, and waits for a pipe that its other end made non-blocking. 0, or the error (an errno).
int write_whole(int descriptor, std::span<const std::byte> bytes);
// All that there is to be read, up to the end or an error.
std::vector<std::byte> read_to_end(int descriptor);
// The text of a file or pipe that the user names. Throws Error(Exit::input), with `name` in it, where reading fails, or where
// there are more than `most_bytes`: /dev/zero has no end.
std::string read_text(int descriptor, const std::string& name, size_t most_bytes);

}  // namespace gpupost
