// Writes outputs atomically, also several files together.
#pragma once

#include "core/system/output_target.h"

#include <cstddef>
#include <span>
#include <string>

namespace gpupost {

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
