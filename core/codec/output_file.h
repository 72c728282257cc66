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

// Throws Error(Exit::output), which names it as the path, where nothing can be written to such a descriptor.
void check_can_be_written(int descriptor, const std::string& path);

struct OutputFile {
  std::string path;
  std::span<const std::byte> bytes;
};

// As write_file() each, but none gets its name before all of them are whole and on the disk: where one cannot be written, no
// file is. At most 64.
void write_files(std::span<const OutputFile> files, bool no_clobber);

}  // namespace gpupost
