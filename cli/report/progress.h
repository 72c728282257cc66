// Progress of a batch or a benchmark: a bar on a terminal, or lines for programs.
#pragma once

#include "cli/options/global_options.h"
#include "core/base/stopwatch.h"
#include "core/pipeline/run_jobs.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpupost {

// State of a progress display.
struct ProgressState {
  size_t count = 0;                                            // of items: files of a batch, cases of a benchmark
  size_t done_count = 0, failed_count = 0, skipped_count = 0;  // done_count includes failed and skipped items
  double seconds = 0;                                          // seconds since the start
  std::string current;                                         // the item that is on the device; "": none
  std::string_view unit = "file";                              // what an item is

  double percent() const { return count > 0 ? 100 * double(done_count) / double(count) : 100; }
  // Items per second, without skipped items. 0: unknown.
  double rate() const;
  std::optional<double> seconds_left() const;
};

// The bar: one line of at most `width` columns with bar, items, rate, time left and current item.
std::string bar_text(const ProgressState& state, int width);

class Progress {
 public:
  // Throws Error(Exit::output) if the file cannot be opened.
  Progress(const ProgressSettings& settings, bool is_quiet, size_t count, std::string_view unit = "file");
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { hide(); }

  bool is_bar() const { return kind_ == Kind::bar; }
  void begin(const std::string& name);
  void end_file(const JobReport& report);
  void end_case(const std::string& name, Exit exit, const std::string& error);
  // Clears the bar before other text is printed.
  void hide();
  // `other_failures`: failures of the run that are not in the reports of its items, for example missing frames. Returns the
  // exit code of the run: `exit`, or Exit::output, with an error, if a run without failures could not write lines to the file.
  Exit finish(Exit exit, std::span<const std::string> other_failures = {});
  // The run ends with an error that no item has. Only for JSON: tell_failure() writes the line of openjd.
  void end_with(Exit exit) {
    if (kind_ == Kind::json) finish(exit);
  }

 private:
  enum class Kind { none, bar, json, openjd };

  // `facts` makes what a line of JSON says of the item. It is called only for such a line: memory may end after an output is
  // written.
  void end(const std::string& name, Exit exit, bool is_skipped, const std::function<nlohmann::ordered_json()>& facts);
  void tell(std::string_view text);
  void draw();

  Kind kind_ = Kind::none;
  ProgressState state_;
  Stopwatch watch_;
  double drawn_at_ = -1;   // time of the last drawing in seconds; -1: the bar is not visible
  std::string file_name_;  // "": standard error
  int file_error_ = 0;     // errno of the first line that could not be written to the file
};

// Writes the line of --progress openjd for an error that ended the whole run, or the last line of a JSON file that no Progress has
// opened. The command line may be invalid, so an existing file may be an input: it is replaced only if it has lines of an earlier
// run. Else the line of openjd goes to standard error.
void tell_failure(std::string_view text, std::span<const std::string> words, Exit code);

}  // namespace gpupost
