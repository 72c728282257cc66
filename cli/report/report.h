// What was done and how long it took: one record for the JSON report and the table.
#pragma once

#include "cli/report/statistics_report.h"
#include "core/gpu/gpu.h"
#include "core/reference/verify.h"

#include <algorithm>
#include <chrono>
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

// The way of one input, or of those that make one file together.
struct JobReport {
  std::string input;  // its name; of several the first, with the number of the others
  std::vector<std::string> outputs;
  Size size;
  std::string storage;               // "16f" or "32f"
  std::vector<std::string> choices;  // method and why
  double decode_ms = 0, device_ms = 0, compile_ms = 0, upload_ms = 0, passes_ms = 0, download_ms = 0, verify_ms = 0,
         encode_ms = 0, write_ms = 0;
  double total_ms = 0;
  // of image copies of this size on this device; 0: not measured
  double copy_half_gb_per_second = 0, copy_float_gb_per_second = 0;
  std::vector<PassReport> passes;          // of all groups of channels, in order
  std::vector<StatisticsResult> measured;  // by each `stats` of the chain
  std::vector<LevelCheck> checks;          // of --verify
  std::vector<NumberCheck> number_checks;  // likewise, the worst of what each `stats` has measured of a group
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // what the user may not expect of a run that is as it should be
  std::string error;               // "" where the output is whole

  // Once, however often it comes.
  void add_warning(const std::string& warning) {
    if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
  }
};

struct Report {
  std::vector<std::string> chain;
  std::optional<DeviceInfo> device;  // none where none was needed
  std::vector<JobReport> jobs;
};

std::string to_json(const Report& report);
std::string to_table(const Report& report);

// Milliseconds since it was made.
class Stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Version and commit of this build.
std::string version_text();

}  // namespace gpupost
