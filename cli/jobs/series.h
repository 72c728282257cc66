// Exposures of a series of images: `exposure --auto-from FILE`, and `exposure --auto --smooth FRAMES`.
#pragma once

#include "cli/options/command_line.h"
#include "core/pipeline/device_session.h"
#include "core/pipeline/job.h"
#include "core/pipeline/settings.h"

#include <map>
#include <string>
#include <vector>

namespace gpupost {

// Gives each job its own exposure, as a call that replaces that of `chain`. Reads the files of --auto-from, which it then
// removes from `chain`. Without such a file it decodes and measures all inputs of the request. An image that
// could not be measured, and one whose exposure depends on it, get Job::unmeasured, so that their jobs fail; so does the job of an image
// that a file lacks, because it gets no call. Throws Error(Exit::usage) if the inputs are not one whole sequence, Error(Exit::input) if
// a file is not the output of `stats`, and the error of a device that cannot be opened.
void give_exposures(const Request& request, ChainRequest& chain, std::vector<Job>& jobs, DeviceSessions& devices);

// The other files that the exposure of a job depends on: with --smooth, the frames before and behind its own, and what the ops
// before the exposure read for them.
class Neighbors {
 public:
  explicit Neighbors(const Request& request);
  std::vector<std::string> of(const Job& job) const;

 private:
  size_t reach_ = 0;                             // in frames to each side; 0: no exposure depends on others
  std::vector<std::vector<std::string>> files_;  // of all frames in their order: the input and the others
  std::map<std::string, size_t> place_of_;       // of an input in files_
};

}  // namespace gpupost
