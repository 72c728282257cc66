// What was done and how long it took: what the pipeline tells its caller.
#pragma once

#include "core/base/error.h"
#include "core/gpu/gpu.h"
#include "core/pipeline/journal.h"
#include "core/pipeline/statistics_result.h"
#include "core/reference/verify.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace gpupost {

struct PassReport {
  std::string name;
  std::string kernel;
  Depth storage = Depth::half;  // of its pictures
  double milliseconds = 0;
  size_t bytes_read = 0, bytes_written = 0;
};

// Milliseconds of each stage.
struct StageTimes {
  double decode = 0, device = 0, compile = 0, upload = 0, passes = 0, download = 0, verify = 0, encode = 0, write = 0;
  double total = 0;
};

// GB/s of copies of images as large as the picture on its device; 0: not measured.
struct CopySpeeds {
  double half_gb_per_s = 0, float_gb_per_s = 0;
};

// What --verify has found.
struct Verification {
  std::vector<LevelCheck> levels;
  std::vector<NumberCheck> numbers;  // the worst of what each `stats` has measured of a group of channels
};

// The way of one input, or of those that make one file together.
struct JobReport {
  std::string input;  // its name; of several the first, with the number of the others
  std::vector<std::string> outputs;
  Size size;
  std::string storage;               // "16f" or "32f"
  std::vector<std::string> choices;  // method and why
  StageTimes ms;
  CopySpeeds copies;
  std::vector<PassReport> passes;          // of all groups of channels, in order
  std::vector<StatisticsResult> measured;  // by each `stats` of the chain
  Verification verified;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // what the user may not expect of a run that is as it should be
  Exit exit = Exit::done;
  std::string error;     // "" where the output is whole
  JournalEntry journal;  // empty where the run keeps none

  // Once, however often it comes.
  void add_warning(const std::string& warning) {
    if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
  }
  void fail_with(Exit code, const std::string& message) {
    exit = code;
    error = message;
  }
};

// Where the time of a run went. The device is fed by one thread, which waits for decoders before an image and for encoders when
// too many images wait to be written.
struct BatchTimes {
  double wall_ms = 0;
  double cpu_ms = 0;  // of this process and of the workers that have ended, all cores together
  double waited_for_decoders_ms = 0, waited_for_encoders_ms = 0;
};

struct Report {
  std::vector<std::string> chain;
  std::optional<DeviceInfo> device;  // none where none was needed
  size_t job_count = 0;              // of the run
  std::vector<JobReport> jobs;       // fewer where the run stopped at a failure
  BatchTimes times;
};

}  // namespace gpupost
