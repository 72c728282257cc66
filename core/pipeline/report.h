// The report of a run: results and times. The pipeline returns it.
#pragma once

#include "core/base/error.h"
#include "core/gpu/gpu.h"
#include "core/pipeline/journal.h"
#include "core/pipeline/statistics_result.h"
#include "core/reference/verify.h"
#include "core/system/core_shares.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace gpupost {

struct PassReport {
  std::string name;
  std::string kernel;
  Depth storage = Depth::half;  // depth of its images
  double milliseconds = 0;
  size_t bytes_read = 0, bytes_written = 0;
};

// Milliseconds of each stage.
struct StageTimes {
  double decode = 0, device = 0, compile = 0, upload = 0, passes = 0, download = 0, verify = 0, encode = 0, write = 0;
  double total = 0;
};

// The device session that ran the passes of a job, the storage of its color, and speeds of its device.
struct JobDevice {
  size_t session = 0;
  std::string storage;                                     // "16f" or "32f"
  double half_copy_gb_per_s = 0, float_copy_gb_per_s = 0;  // of copies of images of this size; 0: not measured
};

// Result of --verify.
struct Verification {
  std::vector<LevelCheck> levels;
  std::vector<NumberCheck> numbers;  // the worst check of each `stats`, for a group of channels
};

// The report of one job.
struct JobReport {
  size_t index = 0;                  // of the job in the run
  std::string input;                 // name of the input; for several, the first and the number of others
  std::vector<std::string> outputs;  // empty if there is an error
  Size size;
  std::vector<std::string> choices;  // choices of the planner and reasons
  StageTimes ms;
  JobDevice device;
  std::vector<PassReport> passes;          // passes of all groups of channels, in order
  std::vector<StatisticsResult> measured;  // results of each `stats` of the chain
  Verification verified;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // information about a run without problems
  Exit exit = Exit::done;
  std::string error;     // "" if the outputs are complete, and the journal lists them
  JournalEntry journal;  // empty without a journal

  // Adds a warning; repeats are ignored.
  void add_warning(const std::string& warning) {
    if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
  }
  void fail_with(Exit code, const std::string& message) {
    exit = code;
    error = message;
    outputs.clear();
  }
};

// Times of a run. A thread feeds each device session. It waits for decoders before an image, and for encoders if too
// many images wait.
struct BatchTimes {
  double wall_ms = 0;
  double cpu_ms = 0;  // CPU time of this process and of ended workers, over all cores
  double waited_for_decoders_ms = 0, waited_for_encoders_ms = 0;  // mean of all sessions
  std::vector<CoreShares> cores;                                  // of each core that the process may use
};

// A device of a run and its work.
struct DeviceUse {
  DeviceInfo info;
  size_t job_count = 0;
  double busy_ms = 0;  // time of uploads, passes and downloads, by the device's clock
};

struct Report {
  std::vector<std::string> chain;
  std::vector<DeviceUse> devices;    // empty if no device was needed
  size_t job_count = 0;              // number of jobs of the run
  std::vector<JobReport> jobs;       // in order; not those that were not started, because the run stopped at a failure
  Exit device_exit = Exit::done;     // the exit code of a device that could not be opened, which stopped the run
  std::vector<std::string> missing;  // an error for each sequence with missing frames
  int decoder_count = 0;             // processes that decoded inputs and second images
  BatchTimes times;
};

}  // namespace gpupost
