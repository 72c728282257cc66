// Where the paths of outputs lead, and how several files are written as one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace gpupost {

// The number of the descriptor of this process that a path stands for, if it does: of "-", /dev/stdout, /dev/fd/3. Such an
// output is written on to, and never replaced.
std::optional<int> own_descriptor(const std::string& path);

// Throws Error(Exit::output) where it can be seen beforehand that the path cannot be written: its folder is not there or takes
// no files, a folder or a mount point has its name, a file does that `no_clobber` protects or that is read-only, a link leads
// to nothing, a descriptor is closed or for reading.
void check_can_be_written(const std::string& path, bool no_clobber);

struct OutputFile {
  std::string path;
  std::span<const std::byte> bytes;
};

// As write_file() each, but all get their names or none does: all are looked at, then all are written beside their places and
// synced, then all are renamed, with signals held back; where a rename fails, those before it are undone. (A file system
// without hard links cannot undo.) Bytes for devices, pipes and own descriptors are written before the renames. At most 64.
void write_files(std::span<const OutputFile> files, bool no_clobber);

// Replaces `path` whole: a temporary file in its folder, every byte written, synced, renamed, the folder synced. A
// symbolic link keeps its place and its target is replaced. "-" writes to standard output. With `no_clobber` a path
// that exists is refused. Throws Error(Exit::output) and leaves nothing behind.
void write_file(const std::string& path, std::span<const std::byte> bytes, bool no_clobber);

// Removes the temporary files of every write_file() under way. Safe to call from a signal handler.
void remove_temporary_files() noexcept;

}  // namespace gpupost
