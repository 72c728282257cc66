// Owned file descriptors, and writing to them.
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

// Returns whether errno means that memory, descriptors, processes or threads are exhausted.
bool is_out_of_resources(int error);

// Returns whether the process may open this many more files.
bool can_open_more(size_t count);

// Writes all bytes. Waits for non-blocking pipes. Returns 0 or errno.
int write_whole(int descriptor, std::span<const std::byte> bytes);
// Like read(), but goes on after a signal, and waits for non-blocking pipes.
ssize_t read_some(int descriptor, std::span<std::byte> bytes);
// Reads until the end or an error.
std::vector<std::byte> read_to_end(int descriptor);
// The first bytes that a reader will get, at most `count`. Waits for them, and leaves them where they are. Empty where that is not
// possible, as for terminals.
std::vector<std::byte> first_bytes(int descriptor, size_t count);
// The text of a file or pipe that the user names. Throws Error(Exit::input), with `name` in it, where reading fails, or where
// there are more than `most_bytes`: /dev/zero has no end.
std::string read_text(int descriptor, const std::string& name, size_t most_bytes);

}  // namespace gpupost
