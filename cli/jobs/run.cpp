#include "cli/jobs/run.h"

#include "cli/jobs/outputs.h"
#include "cli/options/environment.h"
#include "cli/report/depfile.h"
#include "cli/report/report_table.h"
#include "cli/report/statistics_report.h"
#include "cli/text/messages.h"
#include "core/pipeline/run_jobs.h"
#include "core/system/atomic_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace gpupost {

namespace {

// The input of a job, as messages name it.
std::string name_of(const JobReport& report) { return report.input == "-" ? "standard input" : report.input; }

// What --verify found where all is well.
void say_verified(const JobReport& report) {
  const auto worst = std::ranges::max_element(report.checks, {}, &LevelCheck::share);
  if (worst != report.checks.end())
    say_note("{}: verified, every texel of every level; nearest to its tolerance: {}", name_of(report),
             describe(*worst));
  const auto number = std::ranges::max_element(report.number_checks, {}, &NumberCheck::share);
  if (number != report.number_checks.end())
    say_note("{}: verified, every number; nearest to its tolerance: {}", name_of(report), describe(*number));
}

// A message with its numbers taken out: those of two inputs with the same text differ in their counts alone.
std::string without_numbers(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9', is_in_number = is_digit || c == '.';
    if (is_digit && !result.ends_with('#')) result += '#';
    if (!is_in_number || (c == '.' && !result.ends_with('#'))) result += c;
  }
  return result;
}

// Warnings and notes as they come. Each is printed for the first input that has it; after the last input the number of
// others that have it is printed.
class Warnings {
 public:
  void tell(const JobReport& report) {
    for (const std::string& warning : report.warnings) tell(report, "warning: ", warning);
    for (const std::string& note : report.notes) tell(report, "note: ", note);
  }

  void tell_counts() const {
    for (const Told& told : told_)
      if (told.more_count > 0)
        say_note("{}{} more {}{}: {}", told.kind, told.more_count, told.more_count == 1 ? "input" : "inputs",
                 told.has_other_numbers ? ", with other numbers" : "", told.text);
  }

 private:
  struct Told {
    std::string_view kind;
    std::string pattern;  // the text without its numbers
    std::string text;     // as it was printed
    size_t more_count = 0;
    bool has_other_numbers = false;
  };

  void tell(const JobReport& report, std::string_view kind, const std::string& text) {
    const std::string pattern = without_numbers(text);
    const auto told = std::ranges::find(told_, pattern, &Told::pattern);
    if (told != told_.end()) {
      ++told->more_count;
      told->has_other_numbers |= told->text != text;
      return;
    }
    say_note("{}{}: {}", kind, name_of(report), text);
    told_.push_back({.kind = kind, .pattern = pattern, .text = text});
  }

  std::vector<Told> told_;
};

// Prints what a job has measured, its notes and warnings, and its error, each in one line.
void tell(const Request& request, JobReport& report, Warnings& warnings) {
  try {
    for (const StatisticsResult& measured : report.measured)
      if (report.exit == Exit::done) print_out(to_text(measured));
  } catch (const Error& error) {
    report.fail_with(error.code(), error.what());
  }
  const bool is_told = !request.globals.quiet && report.exit == Exit::done;  // an error stays one line
  if (is_told) say_verified(report);
  if (is_told) warnings.tell(report);
  if (report.exit == Exit::done) return;
  report.error = with_origins(report.error, request.words);
  say_error(report.error);
}

bool is_file_or_pipe(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode));
}

// A rule for each job that is done.
std::string depfile_of(const Request& request, std::span<const Job> jobs, const Report& report) {
  std::string text;
  for (size_t index = 0; index < jobs.size(); ++index) {
    if (report.jobs[index].exit != Exit::done) continue;
    std::vector<std::string> inputs = jobs[index].inputs;
    for (const ReadFile& file : files_of_calls(request.calls)) inputs.push_back(file.path);
    text += depfile_rule(report.jobs[index].outputs, inputs);
  }
  return text;
}

ChainRequest chain_request_of(const Request& request) {
  const Globals& globals = request.globals;
  return {.calls = request.calls,
          .input = globals.input,
          .output = globals.encoding,
          .passes = globals.passes,
          .device = globals.device};
}

}  // namespace

Exit run(const Request& request) {
  const Globals& globals = request.globals;
  if (request.calls.empty() && globals.output.empty())
    fail(Exit::usage, "nothing to do: expected an op (`gpupost ops` lists them) or an output (-o FILE)");
  if (request.calls.empty() && globals.passes.verify)
    fail(Exit::usage, "--verify compares what an op has made; there is no op");
  if (globals.size)
    fail(Exit::usage, "--size {}x{} is of plans without a file; expected --explain, or `resize --size`",
         globals.size->width, globals.size->height);
  if (!globals.quiet && globals.inputs.shard) say_note("{}", request.inputs.notes.back());
  for (const std::string& missing : request.inputs.missing) say_error(missing);
  if (globals.input.assembly != Assembly::none && (!request.inputs.missing.empty() || globals.inputs.shard))
    fail(Exit::usage,
         "--assemble {} needs all of its inputs; expected a run without missing frames and without --shard",
         name_of(globals.input.assembly));
  const bool is_whole = request.inputs.missing.empty();
  if (request.inputs.is_batch && request.inputs.files.empty()) return is_whole ? Exit::done : Exit::batch;
  const auto [jobs, kept_count] = jobs_of(request);
  if (kept_count > 0 && !globals.quiet)
    say_note("{} of {} outputs exist and stay as they are (--no-clobber)", kept_count, kept_count + jobs.size());
  const bool is_batch = jobs.size() > 1 || (request.inputs.is_batch && globals.input.assembly == Assembly::none);
  const bool is_quiet = globals.quiet;
  DeviceSession device(globals.device, [is_quiet](const std::string& text) {
    if (!is_quiet) say_warning("{}", text);
  });
  Warnings warnings;
  Report report =
      run_jobs(chain_request_of(request), jobs, device, [&](JobReport& job) { tell(request, job, warnings); });
  Exit code = exit_of(report);
  if (!is_whole || (is_batch && code != Exit::done)) code = Exit::batch;
  warnings.tell_counts();
  if (code == Exit::done && !jobs.empty() && globals.output.empty() && jobs.front().inputs.front() != "-" &&
      is_file_or_pipe(STDOUT_FILENO) && !globals.quiet && report.jobs.front().measured.empty())
    say_warning("the result is in {}; standard output stays empty (-o - writes there)",
                report.jobs.front().outputs.front());
  if (!globals.depfile.empty()) {
    const std::string text = depfile_of(request, jobs, report);
    write_file(globals.depfile, std::as_bytes(std::span(text)), false);
  }
  if (globals.timing || !globals.report.empty()) {
    measure_copies(device, report);
    finish_report(globals, report);
  }
  return code;
}

}  // namespace gpupost
