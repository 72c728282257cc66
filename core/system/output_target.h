// Finds out where the path of an output leads, and whether it can be written.
#pragma once

#include "core/base/error.h"
#include "core/system/descriptor.h"

#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <string>

namespace gpupost {

// The error of an existing file that `no_clobber` protects.
struct AlreadyExists : Error {
  using Error::Error;
};

// The descriptor that a path means, itself or through links: "-", /dev/stdout, /dev/fd/3. Such an output is appended to and never replaced.
std::optional<int> own_descriptor(const std::string& path);

// Whether a path is written on and never replaced: one of our own descriptors, a named pipe or a device. Its reader may have stopped.
bool is_stream(const std::string& path);

// Whether an input is standard input: "-", /dev/stdin, /dev/fd/0.
bool is_standard_input(const std::string& path);

// Throws Error(Exit::output) if a path clearly cannot be written: the folder is missing or not writable; the path is a
// folder, a mount point, a read-only file, a dangling link, or a file that `no_clobber` protects; or the descriptor is
// closed or read-only.
void check_can_be_written(const std::string& path, bool no_clobber);

// Throws Error(Exit::output) if the folder of a path does not exist.
void refuse_missing_folder(const std::string& path);
// Creates the folder of a path, with those above it. Throws Error(Exit::output).
void make_folder_of(const std::string& path);

// --- for atomic_file.cpp ----------------------------------------------------------------------------------------------

// Throws the error that a path cannot be written. `error` is an errno.
[[noreturn]] void fail_to_write(const std::string& path, int error);
// Throws AlreadyExists.
[[noreturn]] void refuse_to_clobber(const std::string& path);

// Calls a system function again while signals interrupt it.
template <class Call>
auto retried(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// A name in an open folder: whatever becomes of the path that led there, it stays the same place.
struct FileLocation {
  Descriptor folder;
  bool can_sync = true;  // a folder may be written to that may not be read
  std::string name;
};

// The place that a path leads to, and what is there now.
struct Target {
  FileLocation place;
  std::optional<struct stat> old;  // none: nothing is there

  bool is_device() const { return old && !S_ISREG(old->st_mode); }  // or a named pipe: what takes bytes and stays
};

// Looks at a target. Throws Error(Exit::output) if it can be seen that it cannot be written.
Target target_of(const std::string& path, bool no_clobber);

}  // namespace gpupost
