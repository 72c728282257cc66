// Finds files that a request would lose: outputs that are inputs, two outputs of one name, pipes that are read twice.
#pragma once

#include "cli/options/command_line.h"
#include "core/pipeline/job.h"

#include <sys/stat.h>

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace gpupost {

// Canonical names of paths, which resolve links and repeated folders.
class FileNames {
 public:
  std::string of(const std::string& path);

 private:
  const std::string& folder_name(const std::string& folder);

  std::map<std::string, std::string> folder_names_;  // by path; many files are in one folder
};

// Files that the jobs read and may write, to find conflicts.
class Paths {
 public:
  // `jobs`: all that read files; their outputs are added later.
  Paths(const Request& request, std::span<const Job> jobs);
  // Adds the outputs of a job. Throws Error(Exit::usage) if one is a file that any job reads, or an output of another job.
  void add_outputs(const Request& request, const Job& job);
  // Adds a file that the run reads.
  void add_read(const ReadFile& file);
  // Adds a file that an option writes; "": none. Throws Error(Exit::usage) if another file has its name.
  void add_side_file(std::string_view option, const std::string& path);
  // The same for a file that is not replaced as a whole, so that its other names (hard links) count too.
  void add_file_written_in_place(std::string_view option, const std::string& path);
  // Adds standard output, to which `op` prints statistics. Throws Error(Exit::usage) if an image goes there.
  void add_printed(std::string_view op);

 private:
  void add_written(const Request& request, const Job& job, const std::string& path, size_t index);

  struct Written {
    std::string by;    // name of the job, option or op
    size_t index = 0;  // in possible_paths() of the job
  };

  FileNames names_;
  std::map<std::string, ReadFile> read_;                     // by canonical name
  std::map<std::string, Written> written_;                   // by canonical name
  std::map<std::pair<dev_t, ino_t>, std::string> in_place_;  // files that are not replaced: the option and the path
};

// A pipe or a device, whose bytes can be read only once.
bool is_pipe(const std::string& path);

// Refuses pipes that would have to be read twice: by two images, by an image and --list, for the journal's hash of files that ops
// read, or by a run that continues this one. Throws Error(Exit::usage).
void check_pipes(const Request& request, std::span<const Job> jobs);

}  // namespace gpupost
