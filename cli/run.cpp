#include "cli/run.h"

#include "cli/messages.h"
#include "cli/outputs.h"
#include "cli/report.h"
#include "core/convert.h"
#include "core/gpu/gpu.h"
#include "core/nearest.h"
#include "core/plan.h"
#include "core/verify.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <future>
#include <optional>

namespace gpupost {

namespace {

// Depth of the colour in the output: as asked for, else as it came in as far as the format can hold it.
Depth output_depth(const Globals& globals, const Format& format, Depth came_in) {
  if (globals.bits) {
    if (format.holds_float && !is_float(*globals.bits))
      fail(Exit::usage, "--bits {}: {} holds floats; expected 16f or 32f", name_of(*globals.bits), format.name);
    if (!format.holds_float && is_float(*globals.bits))
      fail(Exit::usage, "--bits {}: {} holds integers; expected 8 or 16", name_of(*globals.bits), format.name);
    return *globals.bits;
  }
  if (!format.holds_float) return came_in == Depth::u16 ? Depth::u16 : Depth::u8;
  if (globals.fp16 || came_in == Depth::u8 || came_in == Depth::half) return Depth::half;
  return Depth::f32;
}

// The device, opened at the first need, while the first picture is being decoded.
class LazyGpu {
 public:
  LazyGpu(const Globals& globals, bool is_needed) {
    if (is_needed)
      opening_ = std::async(std::launch::async, [&globals] {
        return Gpu(choose_device(list_devices(), globals.device, globals.require_gpu));
      });
  }
  Gpu& get() {
    if (!gpu_) gpu_.emplace(opening_.get());
    return *gpu_;
  }

 private:
  std::future<Gpu> opening_;
  std::optional<Gpu> gpu_;
};

// The chain on one group of channels; its levels are added to the group, the working base stays its level 0.
void run_group(const Request& request, Gpu& gpu, Group& group, bool half_arithmetic, JobReport& report) {
  const Level& base = group.levels[0];
  const PlanInput input{.size = base.size, .storage = group.depth, .half_arithmetic = half_arithmetic};
  const Plan made = plan(request.calls, input, gpu.info().traits);
  if (group.is_colour || report.choices.empty()) report.choices = made.choices;
  RunResult result = gpu.run(made, base, 1);
  report.upload_ms += result.times.upload_ms;
  report.download_ms += result.times.download_ms;
  for (size_t index = 0; index < made.passes.size(); ++index) {
    const Pass& pass = made.passes[index];
    report.passes_ms += result.times.pass_ms[index];
    report.passes.push_back(
        {pass.name, std::string(pass.kernel), result.times.pass_ms[index], pass.bytes_read, pass.bytes_written});
  }
  for (Level& level : result.levels) group.levels.push_back(std::move(level));
}

void verify_group(const Request& request, const Group& group, JobReport& report) {
  const Stopwatch watch;
  const std::vector<LevelCheck> checks =
      verify(request.calls.back(), group.levels[0], std::span(group.levels).subspan(1), group.depth);
  report.verify_ms += watch.milliseconds();
  for (const LevelCheck& check : checks) {
    report.checks.push_back(check);
    if (check.share > 1) fail(Exit::difference, "--verify: {}; nothing was written", describe(check));
  }
}

// The chain on all that the picture has: colour, then the channels that go along.
void run_chain(const Request& request, LazyGpu& gpu, Picture& picture, JobReport& report) {
  const Globals& globals = request.globals;
  const Depth storage = storage_of(globals, picture.groups.front());
  if (const size_t clamped = make_working(picture, storage))
    report.warnings.push_back(fmt::format("{} values over 65504 were clamped to it on their way to half", clamped));
  report.storage = name_of(storage);
  for (Group& group : picture.groups) {
    if (group.depth == Depth::u32) {
      add_nearest_levels(group, result_level_count(request.calls, picture.size()));
      continue;
    }
    const Stopwatch watch;
    Gpu& opened = gpu.get();
    report.device_ms += watch.milliseconds();
    run_group(request, opened, group, globals.fp16 && group.depth == Depth::half, report);
    if (globals.verify) verify_group(request, group, report);
  }
}

std::vector<Encoded> encode_outputs(const Job& job, const Globals& globals, const Picture& picture, Depth depth) {
  const Group& first = picture.groups.front();
  EncodeOptions options{.depth = depth,
                        .keep_depths = true,
                        .compression = globals.compression,
                        .mipmapped = first.levels.size() > 1 && !job.is_a_file_a_level};
  std::vector<Encoded> files;
  const int file_count = job.is_a_file_a_level ? int(first.levels.size()) : 1;
  for (options.level = 0; options.level < file_count; ++options.level)
    files.push_back(encode(*job.format, picture, options));
  return files;
}

void process(const Request& request, const Job& given, LazyGpu& gpu, JobReport& report) {
  const Globals& globals = request.globals;
  const Stopwatch total;
  Stopwatch watch;
  Decoded decoded = decode_file(given.input, {.layer = globals.layer, .level = globals.level, .limits = {}});
  Picture& picture = decoded.picture;
  report.decode_ms = watch.milliseconds();
  report.size = picture.size();
  report.warnings = decoded.warnings;
  if (given.is_format_changed)
    report.warnings.push_back(
        fmt::format("{} files cannot hold the result; it is written as {}", picture.format, given.format->name));

  const Job job =
      for_levels(given, globals, result_level_count(request.calls, picture.size()), level_count_of(picture.size()));
  Group& first = picture.groups.front();
  const Depth came_in = first.depth;
  const Depth depth = output_depth(globals, *job.format, came_in);
  if (globals.input_transfer) picture.transfer = *globals.input_transfer;
  if (globals.input_alpha) picture.alpha = *globals.input_alpha;
  if (is_float(depth))
    for (Channel& channel : first.channels)
      if (globals.bits || globals.fp16 || !is_float(came_in)) channel.depth = depth;

  if (!request.calls.empty()) run_chain(request, gpu, picture, report);
  else if (is_float(depth) || first.depth != depth || globals.input_transfer || globals.input_alpha)
    make_working(picture, first.depth == Depth::u8 || first.depth == Depth::half ? Depth::half : Depth::f32);

  watch = Stopwatch();
  const std::vector<Encoded> files = encode_outputs(job, globals, picture, depth);
  report.encode_ms = watch.milliseconds();
  for (const std::string& warning : files.front().warnings) report.warnings.push_back(warning);

  watch = Stopwatch();
  for (size_t level = 0; level < files.size(); ++level) {
    const std::string path = level_path(job, int(level));
    write_file(path, files[level].bytes.bytes(), globals.no_clobber);
    report.outputs.push_back(path);
  }
  report.write_ms = watch.milliseconds();
  report.total_ms = total.milliseconds();
}

// What --verify found where all is well.
void say_verified(const JobReport& report) {
  const auto worst = std::ranges::max_element(report.checks, {}, &LevelCheck::share);
  if (worst != report.checks.end())
    say_note("{}: verified, every texel of every level; nearest to its tolerance: {}", report.input, describe(*worst));
}

// What stays true of a job whatever happens: its warnings and its error are said, each in one line.
Exit process_and_tell(const Request& request, const Job& job, LazyGpu& gpu, JobReport& report) {
  Exit code = Exit::done;
  try {
    process(request, job, gpu, report);
  } catch (const Error& error) {
    report.error = error.what();
    code = error.code();
  }
  if (!request.globals.quiet && code == Exit::done) say_verified(report);
  if (!request.globals.quiet)
    for (const std::string& warning : report.warnings) say_warning("{}: {}", job.input, warning);
  if (!report.error.empty()) say_error(report.error);
  return code;
}

bool is_file_or_pipe(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode));
}

}  // namespace

Exit run(const Request& request) {
  const Globals& globals = request.globals;
  if (request.calls.empty() && globals.output.empty())
    fail(Exit::usage, "nothing to do: expected an op (`gpupost ops` lists them) or an output (-o FILE)");
  const std::vector<Job> jobs = jobs_of(request);
  LazyGpu gpu(globals, !request.calls.empty());
  Report report;
  for (const Call& call : request.calls) report.chain.push_back(call.text());
  if (globals.output.empty() && jobs.front().input != "-" && is_file_or_pipe(STDOUT_FILENO) && !globals.quiet)
    say_warning("the result goes to {}; standard output stays empty (-o - writes there)", jobs.front().output);

  Exit code = Exit::done;
  for (const Job& job : jobs) {
    JobReport& job_report = report.jobs.emplace_back(JobReport{.input = job.input});
    const Exit job_code = process_and_tell(request, job, gpu, job_report);
    if (job_code != Exit::done) code = jobs.size() == 1 ? job_code : Exit::batch;
  }
  if (globals.timing || !globals.report.empty()) {
    if (!request.calls.empty()) {
      report.device = gpu.get().info();
      for (JobReport& job : report.jobs)
        if (job.error.empty())
          job.copy_gb_per_second = gpu.get().copy_speed(job.size, job.storage == "16f" ? Depth::half : Depth::f32);
    }
    if (globals.timing) fmt::print(stderr, "{}", to_table(report));
    const std::string text = to_json(report);
    if (!globals.report.empty()) write_file(globals.report, std::as_bytes(std::span(text)), false);
  }
  return code;
}

}  // namespace gpupost
