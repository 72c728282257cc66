// Writes outputs atomically, also several files together.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace gpupost {

// The error of an existing file that `no_clobber` protects.
struct AlreadyExists : Error {
  using Error::Error;
};

// The descriptor that a path means: "-", /dev/stdout, /dev/fd/3. Such an output is appended to and never replaced.
std::optional<int> own_descriptor(const std::string& path);

// Throws Error(Exit::output) if a path clearly cannot be written: the folder is missing or not writable; the path is a
// folder, a mount point, a read-only file, a dangling link, or a file that `no_clobber` protects; or the descriptor is
// closed or read-only.
void check_can_be_written(const std::string& path, bool no_clobber);

// Throws Error(Exit::output) if the folder of a path does not exist.
void refuse_missing_folder(const std::string& path);
// Creates the folder of a path, with those above it. Throws Error(Exit::output).
void make_folder_of(const std::string& path);

struct OutputFile {
  std::string path;
  std::span<const std::byte> bytes;
};

// Writes several files; either all get their names or none. All are checked, then written to temporary files and
// synced, then renamed while signals are blocked, the first one last. If a rename fails, earlier renames are undone (not
// possible without hard links). Devices, pipes and descriptors are written before the renames. At most 64 files.
void write_files(std::span<const OutputFile> files, bool no_clobber);

// Replaces `path` atomically: writes and syncs a temporary file in the same folder, renames it, and syncs the folder.
// For a symbolic link, the target is replaced. "-" writes to standard output. With `no_clobber`, an existing path is an
// error: AlreadyExists. Throws Error(Exit::output) and leaves no temporary file.
void write_file(const std::string& path, std::span<const std::byte> bytes, bool no_clobber);

// Removes the temporary files of running write_file() calls. Safe in a signal handler.
void remove_temporary_files() noexcept;

}  // namespace gpupost
