#include "cli/jobs/run.h"

#include "cli/jobs/conflicts.h"
#include "cli/jobs/job_list.h"
#include "cli/jobs/outputs.h"
#include "cli/jobs/series.h"
#include "cli/options/environment.h"
#include "cli/report/depfile.h"
#include "cli/report/progress.h"
#include "cli/report/report.h"
#include "cli/report/statistics_report.h"
#include "cli/text/messages.h"
#include "core/base/text.h"
#include "core/pipeline/journal.h"
#include "core/pipeline/run_jobs.h"
#include "core/system/atomic_file.h"
#include "core/system/interrupt.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <new>
#include <optional>
#include <set>
#include <utility>

namespace gpupost {

namespace {

// Name of a job's input for messages.
std::string name_of(const JobReport& report) { return report.input == "-" ? "standard input" : report.input; }

// Prints the result of a successful --verify.
void say_verified(const JobReport& report) {
  const auto worst = std::ranges::max_element(report.verified.levels, {}, &LevelCheck::share);
  if (worst != report.verified.levels.end())
    say_note("{}: verified all texels of all levels; closest to its tolerance: {}", name_of(report), describe(*worst));
  const auto number = std::ranges::max_element(report.verified.numbers, {}, &NumberCheck::share);
  if (number != report.verified.numbers.end())
    say_note("{}: verified all numbers; closest to its tolerance: {}", name_of(report), describe(*number));
}

// A message with # for its numbers. Numbers in names, such as 1 in "key1.R", stay.
std::string without_numbers(std::string_view text) {
  constexpr std::string_view digits = "0123456789",
                             of_words = "0123456789-._ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string result;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_not_of(of_words));
    const std::string_view number = word.substr(0, word.find_last_not_of('.') + 1);  // without the end of a sentence
    const bool is_number = number_in<double>(number) && number.find_first_of(digits) != number.npos;  // not "nan"
    const size_t length = is_number ? number.size() : std::max<size_t>(word.size(), 1);
    result += is_number ? "#" : text.substr(0, length);
    text.remove_prefix(length);
  }
  return result;
}

// Prints warnings and notes. Each is printed for the first input; at the end, the number of other inputs with the same
// message is printed.
class Warnings {
 public:
  void tell(const JobReport& report) {
    ++input_count_;
    for (const std::string& warning : report.warnings) tell(report, "warning: ", warning);
    for (const std::string& note : report.notes) tell(report, "note: ", note);
  }

  void tell_counts() const {
    for (const Told& told : told_)
      if (told.more_count > 0)
        say_note("{}{} more {}{}: {}", told.kind, told.more_count, told.more_count == 1 ? "input" : "inputs",
                 told.has_other_numbers ? fmt::format(" with other numbers; for {}", told.input) : "", told.text);
  }

 private:
  struct Told {
    std::string_view kind;
    std::string pattern;    // text without numbers
    std::string text;       // printed text
    std::string input;      // name of the first input
    size_t more_count = 0;  // of other inputs
    size_t last_input = 0;  // value of input_count_ when it was told last
    bool has_other_numbers = false;
  };

  void tell(const JobReport& report, std::string_view kind, const std::string& text) {
    const std::string pattern = without_numbers(text);
    const auto told = std::ranges::find(told_, pattern, &Told::pattern);
    if (told != told_.end()) {
      if (told->last_input != input_count_) ++told->more_count;  // levels of one image may have the same message
      told->last_input = input_count_;
      told->has_other_numbers |= told->text != text;
      return;
    }
    say_note("{}{}: {}", kind, name_of(report), text);
    told_.push_back(
        {.kind = kind, .pattern = pattern, .text = text, .input = name_of(report), .last_input = input_count_});
  }

  std::vector<Told> told_;
  size_t input_count_ = 0;
};

// The error of one of several jobs names its input. Errors of outputs name those.
std::string named_error(const JobReport& report) {
  const std::string name = name_of(report) + ": ";
  return report.exit == Exit::output || report.error.starts_with(name) ? report.error : name + report.error;
}

// Prints statistics, notes, warnings and the error of a job, one line each. Statistics are added to `lines` instead, if
// it is not null.
void tell(const Request& request, bool is_batch, JobReport& report, Warnings& warnings, std::string* lines) {
  try {
    for (const StatisticsResult& measured : report.measured) {
      if (report.exit != Exit::done) continue;
      if (lines) *lines += to_text(measured);
      else print_out(to_text(measured));
    }
  } catch (const Error& error) {
    report.fail_with(error.code(), error.what());
  }
  const bool is_told = !request.globals.report.quiet && report.exit == Exit::done;  // an error is only one line
  try {
    if (is_told) say_verified(report);
    if (is_told) warnings.tell(report);
  } catch (const std::bad_alloc&) {  // the output is written and whole
    std::fputs("gpupost: warning: out of memory: warnings and notes of an input are not shown\n", stderr);
  }
  if (report.exit == Exit::done) return;
  report.error = with_origins(is_batch ? named_error(report) : report.error, request.words);
  say_error(report.error);
}

// The part of a job that a run without a report keeps once it is told. The rest would add up in a large batch.
JobReport without_details(JobReport job) {
  return {.index = job.index,
          .input = std::move(job.input),
          .outputs = std::move(job.outputs),
          .exit = job.exit,
          .journal = std::move(job.journal)};
}

// Whether tell() prints anything; the bar must be cleared before.
bool has_words(const Request& request, const JobReport& report) {
  const bool is_told = !request.globals.report.quiet || report.exit != Exit::done;
  return !report.measured.empty() ||
         (is_told && !(report.warnings.empty() && report.notes.empty() && report.error.empty() &&
                       report.verified.levels.empty() && report.verified.numbers.empty()));
}

// The end of a note about outputs of an earlier run.
std::string_view unverified(const Globals& globals) {
  return globals.passes.verify ? "; --verify does not check them" : "";
}

// Prints the number of jobs that this run did not process. `job_count`: those that --no-clobber does not keep.
void tell_counts(const Globals& globals, const Report& report, size_t job_count) {
  const auto skipped_count =
      std::ranges::count_if(report.jobs, [](const JobReport& job) { return job.journal.is_skipped; });
  if (globals.report.quiet) return;
  if (skipped_count > 0)
    say_note("skipped {} of {} outputs: done by an earlier run and not changed (--resume){}", skipped_count, job_count,
             unverified(globals));
  if (const size_t count = report.job_count - report.jobs.size(); count > 0)
    say_note("{} of {} inputs {} not started, because {}", count, report.job_count, count == 1 ? "was" : "were",
             globals.batch.fails_fast ? "one failed (--fail-fast)" : "the device could not be opened");
}

bool is_file_or_pipe(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode));
}

// The output of a job that exists, or its levels.
std::vector<std::string> existing_outputs(const Request& request, const Job& job) {
  const std::string statistics_file = statistics_file_of(request);
  if (!statistics_file.empty()) return {statistics_file};
  if (!job.writes_picture) return {};
  std::vector<std::string> outputs{job.output.at(0)};
  for (int level = 1; job.is_a_file_a_level() && access(job.output.at(level).c_str(), F_OK) == 0; ++level)
    outputs.push_back(job.output.at(level));
  return outputs;
}

// The report of a job that --no-clobber keeps: as that of a job which an earlier run has finished.
JobReport report_of_kept(const Request& request, const Job& job) {
  return {.input = job.name(), .outputs = existing_outputs(request, job), .journal = {.is_skipped = true}};
}

// Adds kept jobs to a report, so that it has all jobs of the request in their order.
void add_kept(const Request& request, const JobList& list, Report& report) {
  for (size_t count = list.kept.size(); count-- > 0;) {
    const KeptJob& kept = list.kept[count];
    JobReport job = report_of_kept(request, kept.job);
    job.index = kept.index - count;  // the index of the next job that runs
    report.jobs.insert(std::ranges::lower_bound(report.jobs, job.index, {}, &JobReport::index), std::move(job));
  }
}

// All files that the outputs of a job depend on, its inputs first. One of them is the file of --list if an output is made of all
// inputs.
std::vector<std::string> files_of(const Request& request, const Neighbors& neighbors, const Job& job) {
  std::vector<std::string> files = job.inputs;
  std::ranges::copy(neighbors.of(job), std::back_inserter(files));
  for (const ReadFile& file : files_of_calls(request.calls, job)) files.push_back(file.path);
  const std::string& list = request.globals.inputs.list;
  const bool is_of_all = !one_file_of(request).empty() || !statistics_file_of(request).empty();
  if (is_of_all && !list.empty() && !is_pipe(list)) files.push_back(list);
  return files;
}

// Makes a rule for each finished job, and for each whose outputs --no-clobber keeps. Jobs with the same outputs, which write to one
// file of statistics, have one rule.
std::string depfile_of(const Request& request, const JobList& list, const Report& report) {
  std::vector<DepfileRule> rules;
  std::set<std::string> seen;  // the inputs of the last rule
  const Neighbors neighbors(request);
  const auto add = [&](const Job& job, const std::vector<std::string>& outputs) {
    if (rules.empty() || rules.back().outputs != outputs) {
      rules.push_back({.outputs = outputs, .inputs = {}});
      seen.clear();
    }
    for (const std::string& file : files_of(request, neighbors, job))
      if (seen.insert(file).second) rules.back().inputs.push_back(file);
  };
  for (const KeptJob& kept : list.kept) add(kept.job, existing_outputs(request, kept.job));
  for (const JobReport& job : report.jobs)
    if (job.exit == Exit::done) add(list.jobs[job.index], job.outputs);
  return depfile_text(rules);
}

// Throws Error(Exit::usage) if a depfile cannot hold a name of a job.
void check_depfile(const Request& request, const JobList& list) {
  const Neighbors neighbors(request);
  std::string for_make_alone;
  const auto check = [&](const Job& job) {
    const std::string output = job.writes_picture ? job.output.at(0) : statistics_file_of(request);
    const DepfileRule rule{.outputs = {output}, .inputs = files_of(request, neighbors, job)};
    if (output.empty()) return;
    depfile_text(std::span(&rule, 1));
    if (for_make_alone.empty()) for_make_alone = name_for_make_alone(std::span(&rule, 1));
  };
  for (const KeptJob& kept : list.kept) check(kept.job);
  for (const Job& job : list.jobs) check(job);
  if (!for_make_alone.empty() && !request.globals.report.quiet)
    say_warning("--depfile: ninja cannot read the name {}; make can", for_make_alone);
}

// Writes the file of statistics, which is the output of all jobs, if all were measured: an incomplete one would look like a whole one.
// Throws Error if it cannot be written; the jobs get the error too.
void write_statistics(const Request& request, std::string_view lines, Report& report) {
  const bool is_whole = request.inputs.missing.empty() &&
                        std::ranges::all_of(report.jobs, [](const JobReport& job) { return job.exit == Exit::done; });
  try {
    if (is_whole) write_or_keep(request.globals, lines);
  } catch (const Error& error) {
    for (JobReport& job : report.jobs) job.fail_with(error.code(), error.what());
    throw;
  }
  if (is_whole) return;
  for (JobReport& job : report.jobs) job.outputs.clear();
  if (!request.globals.report.quiet)
    say_note("{} is not written, because not all inputs were measured", statistics_file_of(request));
}

// Message of an interrupted run: what is done, and how to continue. # is the number of finished files.
std::string interrupt_line(const ChainRequest& chain, std::span<const Job> jobs, bool has_bar) {
  // an older output would be taken for one of this run
  const bool makes_new_files = std::ranges::all_of(jobs, [](const Job& job) {
    return job.writes_picture && !own_descriptor(job.output.at(0)) && access(job.output.at(0).c_str(), F_OK) != 0;
  });
  const char* advice = !chain.batch.journal.empty()         ? "to continue, run the same command with --resume"
                       : jobs.size() > 1 && makes_new_files ? "to continue, run the same command with --no-clobber"
                                                            : "run the same command again";
  return fmt::format("{}gpupost: interrupted; at least # of {} file{} done; {}\n",
                     has_bar ? "\r\x1b[K\x1b]9;4;0;0\x07" : "", jobs.size(), jobs.size() == 1 ? " is" : "s are",
                     advice);
}

// Runs the jobs, tells of them as they end, and writes the files about all of them. A file that cannot be written does not keep the
// others from being written. `job_count`: all jobs of the request. Returns the exit code of the run.
Exit run_list(const Request& request, const JobList& list, size_t job_count, const ChainRequest& chain,
              DeviceSessions& devices, Progress& progress, bool is_batch) {
  const std::vector<Job>& jobs = list.jobs;
  say_at_interrupt(interrupt_line(chain, jobs, progress.is_bar()));
  const Globals& globals = request.globals;
  const std::string statistics_file = statistics_file_of(request);
  std::string lines;
  Warnings warnings;
  const bool has_report = globals.report.timing || !globals.report.file.empty();
  bool is_measured = false;
  Report report = run_jobs(chain, jobs, devices,
                           {.on_warning =
                                [&](const std::string& text) {
                                  progress.hide();
                                  if (!globals.report.quiet) say_warning("{}", text);
                                },
                            .on_start = [&](const Job& job) { progress.begin(job.name()); },
                            .on_job =
                                [&](JobReport& job) {
                                  if (has_words(request, job)) progress.hide();
                                  tell(request, is_batch, job, warnings, statistics_file.empty() ? nullptr : &lines);
                                  progress.end_file(job);  // before the file of statistics is written
                                  if (!statistics_file.empty() && job.exit == Exit::done)
                                    job.outputs.push_back(statistics_file);
                                  is_measured |= !job.measured.empty();
                                  if (!has_report) job = without_details(std::move(job));
                                }});
  say_at_interrupt("");
  Exit code = exit_of(report);
  if (report.device_exit == Exit::done &&
      (!request.inputs.missing.empty() || (is_batch && code != Exit::done && !is_of_machine(code))))
    code = Exit::batch;
  progress.hide();
  tell_counts(globals, report, job_count - list.kept.size());
  warnings.tell_counts();
  const auto writes_standard_output = [](const Job& job) { return is_standard_input(job.inputs.front()); };
  if (code == Exit::done && !jobs.empty() && globals.output.empty() &&
      std::ranges::none_of(jobs, writes_standard_output) && is_file_or_pipe(STDOUT_FILENO) && !globals.report.quiet &&
      !is_measured) {
    size_t file_count = 0;
    for (const JobReport& job : report.jobs) file_count += job.outputs.size();
    say_note("the result is in {}{}; standard output stays empty (-o - writes there)",
             report.jobs.front().outputs.front(), file_count > 1 ? fmt::format(" and {} more", file_count - 1) : "");
  }
  std::optional<Error> unwritten;
  const auto try_to = [&](const auto& write) {
    try {
      write();
    } catch (const Error& error) {
      if (!unwritten) unwritten = error;
    }
  };
  const bool has_no_input = request.inputs.files.empty() && request.inputs.is_batch && !list.keeps_statistics;
  if (!statistics_file.empty() && (!jobs.empty() || has_no_input))
    try_to([&] { write_statistics(request, lines, report); });
  if (!globals.report.depfile.empty())
    try_to([&] {
      const std::string text = depfile_of(request, list, report);
      write_file(globals.report.depfile, std::as_bytes(std::span(text)), false);
    });
  if (has_report) {
    measure_copies(devices, report);
    add_kept(request, list, report);
    report.job_count = job_count;
    report.missing = request.inputs.missing;
    if (globals.report.timing) say(to_table(report));
    const std::string text = to_json(report);
    if (globals.report.file == "-") print_out(text);
    else if (!globals.report.file.empty()) write_file(globals.report.file, std::as_bytes(std::span(text)), false);
  }
  if (unwritten) throw *unwritten;
  return progress.finish(code, request.inputs.missing);
}

// Removes the jobs that no earlier run has finished.
void keep_finished(const ChainRequest& chain, std::vector<Job>& jobs) {
  const std::vector<JournalEntry> done = Journal(chain).entries_of_done(jobs);
  std::vector<Job> finished;
  for (size_t index = 0; index < jobs.size(); ++index)
    if (done[index].is_skipped) finished.push_back(std::move(jobs[index]));
  jobs = std::move(finished);
}

}  // namespace

ChainRequest chain_request_of(const Request& request) {
  const Globals& globals = request.globals;
  return {.calls = request.calls,
          .input = globals.input,
          .output = globals.encoding,
          .passes = globals.passes,
          .device = globals.device,
          .batch = globals.batch};
}

Exit run(const Request& request) {
  const Globals& globals = request.globals;
  if (request.calls.empty() && globals.output.empty())
    fail(Exit::usage, "nothing to do: expected an op (`gpupost ops` lists them) or an output (-o FILE){}",
         std::ranges::find(request.words, "--") != request.words.end()
             ? "; all words after -- are inputs, so put ops and options before it"
         : request.likely_output.empty()
             ? ""
             : fmt::format("; {0} is taken as an input; to write it, use -o {0}", request.likely_output));
  check_options_have_effect(request);
  if (globals.size)
    fail(Exit::usage, "--size {}x{} is for --explain and `shader`; to change the size of an image use `resize --size`",
         globals.size->width, globals.size->height);
  for (const std::string& note : request.inputs.left_out)
    if (!globals.report.quiet) say_note("{}", note);
  if (!globals.report.quiet && globals.inputs.shard) say_note("{}", request.inputs.notes.back());
  for (const std::string& missing : request.inputs.missing) say_error(missing);
  const std::string one_file = one_file_of(request);
  if (!one_file.empty() && globals.inputs.shard)
    fail(Exit::usage, "{} needs all of its inputs; leave --shard out", one_file);
  if (!one_file.empty() && !request.inputs.missing.empty())
    fail(Exit::batch, "{} needs all of its inputs, and some are missing", one_file);
  const bool is_whole = request.inputs.missing.empty();
  const bool fails_at_once = !is_whole && globals.batch.fails_fast;
  if (fails_at_once && !globals.report.quiet)
    say_note("no input was started, because inputs are missing (--fail-fast)");
  if (request.inputs.files.empty() && request.inputs.skipped_count > 0 && !globals.report.quiet)
    say_note(
        "no input exists: {} missing (--skip-missing)",
        request.inputs.skipped_count == 1 ? "1 frame is" : fmt::format("{} frames are", request.inputs.skipped_count));
  JobList list = jobs_of(request);
  // counted before --fail-fast, which may start none of them
  const size_t run_count = list.jobs.size(), job_count = run_count + list.kept.size();
  std::vector<Job>& jobs = list.jobs;
  ChainRequest chain = chain_request_of(request);
  chain.batch.journal = journal_of(globals, jobs);
  chain.batch.options = request.result_options;
  if (!chain.batch.journal.empty() &&
      std::ranges::any_of(request.calls, [](const Call& call) { return call.op->makes == Makes::statistics; }))
    fail(Exit::usage, "--resume and --journal: a later run would not print the statistics again; leave stats out");
  if (fails_at_once && !chain.batch.resumes) jobs.clear();
  if (!globals.report.depfile.empty()) check_depfile(request, list);
  if (!request.likely_output.empty() && !globals.report.quiet)
    say_warning("{0} is taken as an input, not as the output; to write it, use -o {0}", request.likely_output);
  if (const size_t kept_count = list.keeps_statistics ? 1 : list.kept.size(); kept_count > 0 && !globals.report.quiet)
    say_note("skipped {} of {} outputs: already there (--no-clobber){}", kept_count, kept_count + run_count,
             unverified(globals));
  DeviceSessions devices(globals.device);
  say_at_interrupt("gpupost: interrupted before the first file was done; run the same command again\n");
  if (!jobs.empty()) give_exposures(request, chain, jobs, devices);
  if (fails_at_once && !jobs.empty()) keep_finished(chain, jobs);  // by their exposures too
  const bool is_batch = jobs.size() > 1 || (request.inputs.is_batch && one_file.empty());
  Progress progress(globals.report.progress, globals.report.quiet, job_count);
  for (const KeptJob& kept : list.kept) progress.end_file(report_of_kept(request, kept.job));
  try {
    return run_list(request, list, job_count, chain, devices, progress, is_batch);
  } catch (const Error& error) {
    progress.end_with(error.code());
    throw;
  }
}

}  // namespace gpupost
