// The journal of a batch: which jobs are done, so that a run that was ended can go on where it was. A file to which each job adds
// one line of JSON. A line that is torn or damaged is ignored: its job is done again.
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

// What a journal says of a job that is done.
struct JournalEntry {
  struct Output {
    std::string path;
    uint64_t byte_count = 0;
    std::string sha256;
  };
  std::vector<std::string> input_sha256;  // of each input's content, in their order
  std::vector<Output> outputs;
  bool is_skipped = false;  // an earlier run has done the job
};

class Journal {
 public:
  // Opens the file, or makes it, and reads it if the run resumes another. Throws Error(Exit::output) where it cannot be used.
  explicit Journal(const ChainRequest& request);

  // Which jobs the journal says are done, whose inputs and outputs are what they were then. The outputs of such a job go to its
  // entry, which is_skipped; a job that is not done has an empty entry.
  std::vector<JournalEntry> entries_of_done(std::span<const Job> jobs) const;

  // Adds a line for a job that is done. Any thread may call it.
  void add(const Job& job, const JournalEntry& entry);

 private:
  std::string key_of(const Job& job) const;
  void read_lines();

  std::string path_;
  std::string chain_;  // all that makes a result of an input: calls, options, contents of files that they name, version
  std::map<std::string, JournalEntry> entries_;  // by the keys of jobs; the last line of a job counts
  Descriptor file_;
  std::mutex adding_;
};

}  // namespace gpupost
