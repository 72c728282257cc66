#include "cli/jobs/run.h"

#include "cli/jobs/device_session.h"
#include "cli/jobs/outputs.h"
#include "cli/jobs/prefetch.h"
#include "cli/jobs/process_image.h"
#include "cli/jobs/texture_assembly.h"
#include "cli/jobs/write_outputs.h"
#include "cli/options/environment.h"
#include "cli/report/report_table.h"
#include "cli/text/messages.h"
#include "core/glsl/shader_text.h"
#include "core/image/channel_names.h"
#include "core/image/cube.h"
#include "core/pipeline/channel_lookup.h"
#include "core/plan/plan.h"
#include "core/system/sandbox.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace gpupost {

namespace {

std::vector<Group*> colors_of(std::vector<ProcessedImage>& parts) {
  std::vector<Group*> colors;
  for (ProcessedImage& part : parts) colors.push_back(&part.picture.groups.front());
  return colors;
}

// Every level of a cube but its base.
void close_seams(std::vector<ProcessedImage>& parts) {
  const Size size = parts.front().picture.size();
  if (size.width != size.height)
    fail(Exit::usage, "--assemble: the chain makes faces of {} x {}; expected squares", size.width, size.height);
  const std::vector<Group*> faces = colors_of(parts);
  for (int level = 1; level < int(faces.front()->levels.size()); ++level) average_seams(faces, level);
}

void process(const Request& request, const Job& given, DeviceSession& gpu, Prefetch& inputs, JobReport& report) {
  const Globals& globals = request.globals;
  const Stopwatch total;
  ConversionPlan way;
  ImageShape first;
  std::vector<ProcessedImage> parts;
  for (const std::string& input : given.inputs) {
    for (Picture& picture : inputs.next(report)) {
      take_named_channels(request.calls, picture);
      const ImageShape shape = shape_of(picture);
      if (parts.empty()) {
        way = conversion_plan_of(request, given, picture);
        first = shape;
      }
      check_fits(input, shape, given.inputs.front(), first, globals);
      parts.push_back(process_image(request, gpu, way, std::move(picture), report));
    }
  }
  report.size = first.size;
  if (given.is_format_changed)
    report.add_warning(fmt::format("{} files cannot hold the result; it is written as {}", parts.front().picture.format,
                                   given.format->name));
  name_alike(colors_of(parts));
  if (is_cube(globals)) close_seams(parts);

  if (way.job.writes_picture) write_outputs(way, globals, parts, report);
  for (const StatisticsResult& measured : report.measured) print_out(to_text(measured));
  report.total_ms = total.milliseconds();
}

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

// What stays true of a job whatever happens: its warnings and its error are said, each in one line.
Exit process_and_tell(const Request& request, const Job& job, DeviceSession& gpu, Prefetch& inputs, Warnings& warnings,
                      JobReport& report) {
  Exit code = Exit::done;
  try {
    process(request, job, gpu, inputs, report);
  } catch (const Error& error) {
    report.error = with_origins(error.what(), request.words);
    code = error.code();
  } catch (const std::bad_alloc&) {
    report.error = job.name() + ": out of memory";
    code = Exit::limit;
  }
  const bool is_told = !request.globals.quiet && code == Exit::done;  // an error stays one line
  if (is_told) say_verified(report);
  if (is_told) warnings.tell(report);
  if (!report.error.empty()) say_error(report.error);
  return code;
}

bool is_file_or_pipe(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode));
}

}  // namespace

// User GLSL is compiled by a process that takes the sandbox of the decoders.
static void check_sandbox(const Globals& globals) {
  if (is_sanitized() || sandbox_holds()) return;
  if (globals.requires_sandbox)
    fail(Exit::limit,
         "the compiler's system calls cannot be filtered here (no seccomp), and --require-sandbox is given");
  if (!globals.quiet)
    say_warning("user GLSL is compiled without a filter of system calls (no seccomp; see `gpupost doctor`)");
}

// Compiles what users have written before any work is done. By itself: other passes that it is folded into say the same of it.
static void check_sources(const Request& request) {
  if (std::ranges::any_of(request.calls, [](const Call& call) { return call.op->takes_source; }))
    check_sandbox(request.globals);  // before drivers start threads
  for (const Call& call : request.calls) {
    if (!call.op->takes_source) continue;
    if (request.globals.verify)
      fail(Exit::usage, "--verify: {} has no definition that its result could be compared with", call.op->name);
    const Plan made = plan({&call, 1}, {.size = {1, 1}}, {});
    spirv_of(glsl_of(made.passes.front()), call.word("file"), Author::user);
  }
}

static std::vector<std::string> inputs_of(const std::vector<Job>& jobs) {
  std::vector<std::string> inputs;
  for (const Job& job : jobs) inputs.insert(inputs.end(), job.inputs.begin(), job.inputs.end());
  return inputs;
}

Exit run(const Request& request) {
  const Globals& globals = request.globals;
  if (request.calls.empty() && globals.output.empty())
    fail(Exit::usage, "nothing to do: expected an op (`gpupost ops` lists them) or an output (-o FILE)");
  if (request.calls.empty() && globals.verify)
    fail(Exit::usage, "--verify compares what an op has made; there is no op");
  if (globals.size)
    fail(Exit::usage, "--size {}x{} is of plans without a file; expected --explain, or `resize --size`",
         globals.size->width, globals.size->height);
  const std::vector<Job> jobs = jobs_of(request);
  check_sources(request);
  DeviceSession gpu(globals, !request.calls.empty());
  if (globals.require_gpu && !request.calls.empty())
    gpu.run_with_retry([](Gpu&) {});  // no input is read where there is none
  Prefetch inputs(inputs_of(jobs), globals);
  Warnings warnings;
  Report report;
  for (const Call& call : request.calls) report.chain.push_back(call.text());
  Exit code = Exit::done;
  for (const Job& job : jobs) {
    JobReport& job_report = report.jobs.emplace_back(JobReport{.input = job.name()});
    const Exit job_code = process_and_tell(request, job, gpu, inputs, warnings, job_report);
    if (job_code != Exit::done) code = jobs.size() == 1 ? job_code : Exit::batch;
  }
  warnings.tell_counts();
  if (code == Exit::done && globals.output.empty() && jobs.front().inputs.front() != "-" &&
      is_file_or_pipe(STDOUT_FILENO) && !globals.quiet && report.jobs.front().measured.empty())
    say_warning("the result is in {}; standard output stays empty (-o - writes there)",
                report.jobs.front().outputs.front());
  if (globals.timing || !globals.report.empty()) finish_report(globals, gpu.opened(), report);
  return code;
}

}  // namespace gpupost
