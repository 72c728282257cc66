#include "cli/jobs/job_list.h"

#include "cli/jobs/conflicts.h"
#include "cli/jobs/outputs.h"
#include "cli/options/sequence.h"
#include "core/base/error.h"
#include "core/system/atomic_file.h"
#include "core/system/output_target.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace gpupost {

static bool is_standard_output(const std::string& path) { return own_descriptor(path) == STDOUT_FILENO; }

std::string journal_of(const Globals& globals, std::span<const Job> jobs) {
  if (!globals.batch.resumes && globals.batch.journal.empty()) return "";
  const std::string_view option = globals.batch.resumes ? "--resume" : "--journal";
  for (const Job& job : jobs) {
    if (!job.writes_picture)
      fail(Exit::usage, "{}: the chain writes no image to check later; leave {} out", option, option);
    if (own_descriptor(job.output.at(0)))
      fail(Exit::usage, "{}: output to {} cannot be checked later; write to a file with -o FILE", option,
           job.output.at(0));
  }
  if (!globals.batch.journal.empty() || jobs.empty()) return globals.batch.journal;
  return globals.inputs.output_folder + "gpupost.journal";  // which does not depend on the inputs
}

// Checks the file of `stats -o FILE.json`.
static void check_statistics_file(const Request& request) {
  const std::string path = statistics_file_of(request);
  if (path.empty()) return;
  check_has_no_placeholder(path, "the statistics of all inputs go to one file");
  if (std::ranges::any_of(request.calls,
                          [](const Call& call) { return call.op->makes == Makes::statistics && call.flag("table"); }))
    fail(Exit::usage, "-o {}: stats --table prints a table, which is not JSON; leave --table or -o out", path);
  prepare_output(request.globals.encoding, path, request.globals.encoding.no_clobber);
}

// Second images take the frame number of the input by {frame}, and by no other pattern.
static void check_second_images(std::span<const Call> calls) {
  for (const Call& call : calls)
    for (const NeededPicture& needed : call.op->needs(call).pictures) {
      const std::string& path = needed.path;
      if (access(path.c_str(), F_OK) == 0) continue;
      if (const std::optional<Sequence> sequence = Sequence::parse(path))
        fail(Exit::usage,
             "{}: {} does not exist, and a second image has no pattern for a frame number; write {{frame}} in its "
             "place, like {}",
             call.op->name, path, sequence->with_text("{frame}"));
    }
}

// Makes missing folders with --mkdir, and checks that all files can be written.
static void check_can_write(const Request& request, std::span<const Job> jobs, const std::string& journal) {
  const Globals& globals = request.globals;
  for (const Job& job : jobs) {
    if (!job.writes_picture) continue;
    if (globals.encoding.makes_folders) make_folder_of(job.output.at(0));
    check_can_be_written(job, 1, globals.encoding.no_clobber);  // the number of levels is not known yet
  }
  if (!jobs.empty()) check_statistics_file(request);
  if (globals.encoding.makes_folders) {
    make_folder_of(globals.report.progress.file);
    make_folder_of(journal);
  }
  prepare_output(globals.encoding, globals.report.file);
  prepare_output(globals.encoding, globals.report.depfile);
}

// Returns whether the output of a job exists. If only its default name for level 0 exists, that becomes the output.
static bool finds_output(const Request& request, Job& job) {
  if (output_is_there(job.output.at(0))) return true;
  const std::optional<OutputPath> levels = possible_level_output(request, job);
  if (!levels || !output_is_there(levels->at(0))) return false;
  job.output = *levels;
  return true;
}

// The jobs of all inputs. `share`: inputs of each job.
static std::vector<Job> all_jobs_of(const Request& request, std::span<const Input> inputs, size_t share) {
  std::vector<Job> jobs;
  for (size_t first = 0; first < inputs.size(); first += share)
    jobs.push_back(job_of(request, inputs.subspan(first, share)));
  return jobs;
}

// The files that the jobs and those of other shards read and write: no shard may lose a file of another one.
static Paths paths_of(const Request& request, std::span<const Job> jobs) {
  std::vector<Job> all(jobs.begin(), jobs.end());
  std::ranges::move(all_jobs_of(request, request.inputs.others, 1), std::back_inserter(all));
  Paths paths(request, all);
  for (size_t index = 0; index < all.size(); ++index)  // each shard has descriptors of its own
    if (index < jobs.size() || !own_descriptor(all[index].output.at(0))) paths.add_outputs(request, all[index]);
  return paths;
}

void check_output_names(const Request& request) {
  if (!request.inputs.files.empty())
    paths_of(request, all_jobs_of(request, request.inputs.files, inputs_per_job(request)));
}

JobList jobs_of(const Request& request) {
  const Globals& globals = request.globals;
  check_second_images(request.calls);
  std::vector<Input> inputs = request.inputs.files;
  const bool reads_standard_input = inputs.empty() && !request.inputs.is_batch;
  if (reads_standard_input && isatty(STDIN_FILENO))
    fail(Exit::usage, "no input: expected a file, or an image on standard input (which is a terminal)");
  if (reads_standard_input) inputs.push_back({.path = "-", .frame = {}});
  if (std::ranges::find(inputs, "-", &Input::path) != inputs.end() && isatty(STDIN_FILENO))
    fail(Exit::usage, "- : standard input is a terminal; expected an image");
  const size_t share = reads_standard_input ? 1 : inputs_per_job(request);
  std::vector<Job> jobs = all_jobs_of(request, inputs, share);
  if (isatty(STDOUT_FILENO) &&
      std::ranges::any_of(jobs, [](const Job& job) { return is_standard_output(job.output.at(0)); }))
    fail(Exit::usage, "standard output is a terminal; expected -o FILE, or a pipe");
  Paths paths = paths_of(request, jobs);
  JobList list;
  for (size_t index = 0; index < jobs.size(); ++index) {
    // With one file per level, the file of level 0 exists only if all do: write_files() renames it last.
    if (globals.encoding.no_clobber && jobs[index].writes_picture && finds_output(request, jobs[index]))
      list.kept.push_back({.job = std::move(jobs[index]), .index = index});
    else list.jobs.push_back(std::move(jobs[index]));
  }
  const std::string statistics_file = statistics_file_of(request);
  if (globals.encoding.no_clobber && !statistics_file.empty() && output_is_there(statistics_file)) {
    for (Job& job : list.jobs) list.kept.push_back({.job = std::move(job), .index = list.kept.size()});
    list.jobs.clear();
    list.keeps_statistics = true;
  }
  const auto measuring =
      std::ranges::find_if(request.calls, [](const Call& call) { return call.op->makes == Makes::statistics; });
  if (measuring != request.calls.end() && statistics_file.empty()) paths.add_printed(measuring->op->name);
  paths.add_side_file("-o", statistics_file);
  paths.add_side_file("--report", globals.report.file);
  paths.add_side_file("--depfile", globals.report.depfile);
  const std::string journal = journal_of(globals, list.jobs);
  paths.add_file_written_in_place("--journal", journal);
  paths.add_file_written_in_place("--progress-file", globals.report.progress.file);
  check_pipes(request, list.jobs);
  check_can_write(request, list.jobs, journal);
  return list;
}

}  // namespace gpupost
