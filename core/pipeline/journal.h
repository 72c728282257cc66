// The journal of a batch lists finished jobs, so that an interrupted run can continue. Each job appends one line of
// JSON. Incomplete or damaged lines are ignored: the job runs again.
#pragma once

#include "core/pipeline/job.h"
#include "core/pipeline/settings.h"
#include "core/system/descriptor.h"

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace gpupost {

// The entry of a finished job.
struct JournalEntry {
  struct Output {
    std::string path;
    uint64_t byte_count = 0;
    std::string sha256;
  };
  std::vector<std::string> input_sha256;  // hash of each input, in order
  std::vector<Output> outputs;
  std::vector<double> stops = {};  // exposures of Job::calls
  bool is_skipped = false;         // an earlier run has finished the job
};

class Journal {
 public:
  // Opens or creates the file, and reads it if the run resumes. Throws Error(Exit::output) if it cannot be used.
  explicit Journal(const ChainRequest& request);

  // Finds finished jobs whose inputs and outputs have not changed. Their entries have outputs and is_skipped; entries
  // of other jobs are empty.
  std::vector<JournalEntry> entries_of_done(std::span<const Job> jobs) const;

  // Hash of everything that decides the job's result, except the content of its inputs and its exposures. It reads the files of the job's
  // frame. Call it before the job reads them: then a file that changes meanwhile makes the next run repeat the job.
  std::string key_of(const Job& job) const;

  // Appends a line for a finished job. If that fails, throws Error(Exit::output) that names the job. Thread-safe.
  void add(const std::string& key, const Job& job, const JournalEntry& entry);

 private:
  void read_lines();

  std::string path_;
  std::string chain_;  // what decides the results of all jobs: calls, options, content of files that they read, version
  std::vector<std::string> files_of_frame_;      // files that calls read for each frame, with {frame}
  std::map<std::string, JournalEntry> entries_;  // by key of the job; the last line wins
  Descriptor file_;
  std::mutex adding_;
};

}  // namespace gpupost
