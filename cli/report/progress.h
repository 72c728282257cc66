// How far a run of several files is: a bar on a terminal, or lines for programs.
#pragma once

#include "cli/options/global_options.h"
#include "core/base/stopwatch.h"
#include "core/pipeline/run_jobs.h"

#include <optional>
#include <string>

namespace gpupost {

// What a progress display shows.
struct ProgressState {
  size_t file_count = 0;
  size_t done_count = 0, failed_count = 0, skipped_count = 0;  // failed and skipped files count as done too
  double seconds = 0;                                          // since the run began
  std::string current;                                         // the file that is on the device; "": none

  double percent() const { return file_count > 0 ? 100 * double(done_count) / double(file_count) : 100; }
  // Files a second; skipped ones do not count. 0: not known yet.
  double rate() const;
  std::optional<double> seconds_left() const;
};

// One line of at most `width` columns: bar, files, rate, time left, current file.
std::string bar_text(const ProgressState& state, int width);

class Progress {
 public:
  // Throws Error(Exit::output) where the file cannot be written.
  Progress(const ProgressSettings& settings, bool is_quiet, size_t file_count);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { hide(); }

  bool is_bar() const { return kind_ == Kind::bar; }
  void begin_file(const Job& job);
  void end_file(const JobReport& report);
  // Takes the bar from the terminal, before something else is printed there.
  void hide();
  void finish(Exit exit);

 private:
  enum class Kind { none, bar, json, openjd };

  void tell(std::string_view text) const;
  void draw();

  Kind kind_ = Kind::none;
  ProgressState state_;
  Stopwatch watch_;
  double drawn_at_ = -1;  // seconds; -1: the bar is not there
  Descriptor file_;       // none: standard error
};

}  // namespace gpupost
