// Progress of a batch: a bar on a terminal, or lines for programs.
#pragma once

#include "cli/options/global_options.h"
#include "core/base/stopwatch.h"
#include "core/pipeline/run_jobs.h"

#include <optional>
#include <string>

namespace gpupost {

// State of a progress display.
struct ProgressState {
  size_t file_count = 0;
  size_t done_count = 0, failed_count = 0, skipped_count = 0;  // done_count includes failed and skipped files
  double seconds = 0;                                          // seconds since the start
  std::string current;                                         // the file that is on the device; "": none

  double percent() const { return file_count > 0 ? 100 * double(done_count) / double(file_count) : 100; }
  // Files per second, without skipped files. 0: unknown.
  double rate() const;
  std::optional<double> seconds_left() const;
};

// The bar: one line of at most `width` columns with bar, files, rate, time left and current file.
std::string bar_text(const ProgressState& state, int width);

class Progress {
 public:
  // Throws Error(Exit::output) if the file cannot be written.
  Progress(const ProgressSettings& settings, bool is_quiet, size_t file_count);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { hide(); }

  bool is_bar() const { return kind_ == Kind::bar; }
  void begin_file(const Job& job);
  void end_file(const JobReport& report);
  // Clears the bar before other text is printed.
  void hide();
  void finish(Exit exit);

 private:
  enum class Kind { none, bar, json, openjd };

  void tell(std::string_view text) const;
  void draw();

  Kind kind_ = Kind::none;
  ProgressState state_;
  Stopwatch watch_;
  double drawn_at_ = -1;  // time of the last drawing in seconds; -1: the bar is not visible
  Descriptor file_;       // empty: standard error
};

}  // namespace gpupost
