#include "core/pipeline/run_jobs.h"

#include "core/base/printable.h"
#include "core/base/stopwatch.h"
#include "core/glsl/shader_text.h"
#include "core/image/channel_names.h"
#include "core/image/cube.h"
#include "core/image/display_window.h"
#include "core/pipeline/channel_lookup.h"
#include "core/pipeline/journal.h"
#include "core/pipeline/prefetch.h"
#include "core/pipeline/process_image.h"
#include "core/pipeline/sheet.h"
#include "core/pipeline/texture_assembly.h"
#include "core/pipeline/write_outputs.h"
#include "core/system/interrupt.h"
#include "core/system/sandbox.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <utility>

namespace gpupost {

namespace {

std::vector<Group*> colors_of(std::vector<ProcessedImage>& parts) {
  std::vector<Group*> colors;
  for (ProcessedImage& part : parts) colors.push_back(&part.picture.groups.front());
  return colors;
}

// All levels of a cube except level 0.
void close_seams(std::vector<ProcessedImage>& parts) {
  const Size size = parts.front().picture.size();
  if (size.width != size.height)
    fail(Exit::usage, "--assemble: the chain makes faces of {} x {}; expected squares", size.width, size.height);
  const std::vector<Group*> faces = colors_of(parts);
  for (int level = 1; level < int(faces.front()->levels.size()); ++level) average_seams(faces, level);
}

// Crops or pads the image to its display window if --to-display is given or the format has no windows. Returns whether
// it changed.
bool show_display_window(const ChainRequest& request, const Job& job, Picture& picture, JobReport& report) {
  const bool is_needed = request.output.to_display || !job.format->holds_everything;
  if (!is_needed || !job.writes_picture || !fit_to_display(picture, request.input.limits.texel_count)) return false;
  if (!request.output.to_display)
    report.notes.push_back(fmt::format("{} holds no windows; it gets the display window of {} x {} texels",
                                       job.format->name, picture.size().width, picture.size().height));
  return true;
}

// A job after its chain: it has results, or its report has an error.
struct ProcessedJob {
  const Job* job = nullptr;
  JobReport report;
  std::string journal_key;  // "" without a journal
  ConversionPlan way;
  std::vector<ProcessedImage> parts;
  Stopwatch total;

  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const ProcessedImage& part : parts)
      sum += texel_bytes(part.picture) + (part.base ? texel_bytes(*part.base) : 0) + part.others.bytes.size();
    return sum;
  }
};

// Runs a part of a job. Errors go to its report.
template <class Work>
void work_on(ProcessedJob& made, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    made.report.fail_with(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    made.report.fail_with(Exit::limit, made.job->name() + ": out of memory");
  }
}

// Returns whether the output of a job can hold the other parts of its input.
bool keeps_parts(const ChainRequest& request, const Job& job) {
  return job.format && job.format->holds_everything && job.writes_picture && !job.is_a_file_a_level() &&
         job.inputs.size() == 1 && !request.output.drop_parts;
}

// Assigns the other parts of the input to the image, or warns that the output lacks them. The reader warned if no part was
// chosen and it did not keep the others.
void take_other_parts(const ChainRequest& request, const Job& job, OtherParts others, ProcessedImage& image,
                      JobReport& report) {
  const bool is_told = !others.are_kept() && request.input.part.empty();
  if (others.names.empty() || !job.writes_picture || request.output.drop_parts || is_told) return;
  if (keeps_parts(request, job)) image.others = std::move(others);
  else
    report.add_warning(fmt::format("an output {} holds one part; dropped parts: {}",
                                   job.is_a_file_a_level() ? "with one file per level" : "of this format",
                                   printable(fmt::format("{}", fmt::join(others.names, ", ")))));
}

void process(const ChainRequest& request, DeviceSession& device, Prefetch& inputs, PictureInputs& others,
             double& decode_wait_ms, ProcessedJob& made) {
  const Job& given = *made.job;
  JobReport& report = made.report;
  const Call* sheet = sheet_of(request.calls);
  ImageShape first;
  Size cell;
  for (const std::string& input : given.inputs) {
    const Stopwatch waiting;
    InputImages images = inputs.next(report);
    decode_wait_ms += waiting.milliseconds();
    for (Picture& picture : images.pictures) {
      take_named_channels(request.calls, picture);
      // levels are made from the display window; other ops may read texels around it
      const bool has_levels = !request.calls.empty() && request.calls.back().op->makes == Makes::levels;
      if (has_levels) show_display_window(request, given, picture, report);
      if (sheet) cell = prepare_cell(request.calls, input, request.input.limits.texel_count, picture);
      const ImageShape shape = shape_of(picture);
      if (made.parts.empty()) {
        made.way = conversion_plan_of(request, given, picture);
        first = shape;
      }
      check_fits(input, shape, given.inputs.front(), first, request.input.assembly);
      made.parts.push_back(process_image(request, device, made.way, others, std::move(picture), report));
      ProcessedImage& part = made.parts.back();
      if (!has_levels && show_display_window(request, given, part.picture, report)) part.base.reset();
    }
    take_other_parts(request, made.way.job, std::move(images.others), made.parts.back(), report);
  }
  report.size = first.size;
  if (given.is_format_changed)
    report.add_warning(fmt::format("{} files cannot hold the result; it is written as {}",
                                   made.parts.front().picture.format, given.format->name));
  name_alike(colors_of(made.parts));
  if (sheet) arrange_cells(*sheet, given.inputs, cell, request.input.limits.texel_count, made.parts);
  if (is_cube(request.input.assembly)) close_seams(made.parts);
}

// Encodes and writes the results of a job.
JobReport finish(const ChainRequest& request, Journal* journal, ProcessedJob& made) {
  work_on(made, [&] {
    if (made.report.exit != Exit::done) return;
    if (made.way.job.writes_picture) write_outputs(made.way, request, made.parts, made.report);
    if (journal) journal->add(made.journal_key, *made.job, made.report.journal);
  });
  if (made.report.exit == Exit::done) count_for_interrupt();
  made.report.ms.total = made.total.milliseconds();
  made.parts.clear();
  return std::move(made.report);
}

// Jobs whose outputs are being written, one thread each. Reports are passed on in order.
class OutputQueue {
 public:
  OutputQueue(const ChainRequest& request, Journal* journal, Report& report, const RunEvents& events)
      : request_(request), journal_(journal), report_(report), events_(events) {}

  // Adds the job, then waits until the queue is within its limits. With one job at a time the queue is empty
  // afterwards.
  void add(ProcessedJob made) {
    const uint64_t bytes = 2 * made.bytes();  // images and their encoded files
    const auto shared = std::make_shared<ProcessedJob>(std::move(made));
    auto report = std::async(std::launch::async | std::launch::deferred,  // deferred if the system has no thread left
                             [this, shared] { return finish(request_, journal_, *shared); });
    queue_.push_back({.report = std::move(report), .bytes = bytes});
    bytes_ += bytes;
    const Stopwatch waiting;
    constexpr size_t most_writers = 8;  // each encoder uses several cores
    const size_t most_jobs = std::min(size_t(request_.batch.job_count) - 1, most_writers);
    while (queue_.size() > most_jobs || bytes_ > request_.batch.max_memory_bytes / 2) take_first();
    report_.times.waited_for_encoders_ms += waiting.milliseconds();
    while (!queue_.empty() && queue_.front().report.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
      take_first();
  }
  // Adds a job that has nothing to encode.
  void add(JobReport report) {
    std::promise<JobReport> made;
    made.set_value(std::move(report));
    queue_.push_back({.report = made.get_future(), .bytes = 0});
    if (queue_.size() == 1) take_first();
  }
  void finish_all() {
    const Stopwatch waiting;
    while (!queue_.empty()) take_first();
    report_.times.waited_for_encoders_ms += waiting.milliseconds();
  }
  bool has_failure() const { return has_failure_; }

 private:
  struct Writing {
    std::future<JobReport> report;
    uint64_t bytes = 0;
  };

  void take_first() {
    report_.jobs.push_back(queue_.front().report.get());
    bytes_ -= queue_.front().bytes;
    queue_.pop_front();
    events_.on_job(report_.jobs.back());
    has_failure_ |= report_.jobs.back().exit != Exit::done;
  }

  const ChainRequest& request_;
  Journal* journal_;
  Report& report_;
  const RunEvents& events_;
  std::deque<Writing> queue_;
  uint64_t bytes_ = 0;  // bytes in the queue
  bool has_failure_ = false;
};

// User GLSL is compiled by a process in the same sandbox as the decoders.
void check_sandbox(const ChainRequest& request, DeviceSession& device) {
  if (is_sanitized() || sandbox_holds()) return;
  if (request.input.requires_sandbox)
    fail(Exit::limit,
         "the compiler's system calls cannot be filtered here (no seccomp), and --require-sandbox is given");
  device.warn("user GLSL is compiled without a system call filter (no seccomp; see `gpupost doctor`)");
}

// Compiles each point op made at run time on its own, before any other work. Passes that fuse it compile it again.
void check_shaders(const ChainRequest& request, DeviceSession& device) {
  if (std::ranges::any_of(request.calls,
                          [](const Call& call) { return call.shader && call.shader->author == Author::user; }))
    check_sandbox(request, device);  // must run before drivers start threads
  for (const Call& call : request.calls) {
    if (request.passes.verify && !call.op->reference.levels)
      fail(Exit::usage, "--verify: {} has no reference to compare with; leave --verify out", call.op->name);
    if (!call.shader) continue;
    const Plan made = plan({&call, 1}, {.size = {1, 1}}, {});
    spirv_of(glsl_of(made.passes.front()), call.shader->file, call.shader->author);
  }
}

// Inputs of jobs that are not finished.
std::vector<std::string> inputs_of(std::span<const Job> jobs, std::span<const JournalEntry> done) {
  std::vector<std::string> inputs;
  for (size_t index = 0; index < jobs.size(); ++index)
    if (!done[index].is_skipped) inputs.insert(inputs.end(), jobs[index].inputs.begin(), jobs[index].inputs.end());
  return inputs;
}

JobReport report_of_skipped(const Job& job, const JournalEntry& entry) {
  JobReport report{.input = job.name(), .journal = entry};
  for (const JournalEntry::Output& output : entry.outputs) report.outputs.push_back(output.path);
  return report;
}

// CPU time of this process and of its ended children.
double cpu_ms() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      sum += double(time.tv_sec) * 1e3 + double(time.tv_usec) * 1e-3;
  }
  return sum;
}

// Speed in GB/s of copying an image of this size and depth, or the largest tile that fits; 0 if it cannot be measured.
double copy_speed_of(Gpu& gpu, Size size, Depth depth) {
  const DeviceTraits& traits = gpu.info().traits;
  const auto is_too_large = [&] {
    return std::max(size.width, size.height) > traits.max_image_side ||
           4 * bytes_of(depth) * texel_count(size) > traits.memory.allocation_bytes;
  };
  while (is_too_large()) (size.width > size.height ? size.width : size.height) /= 2;
  try {
    return gpu.copy_speed(size, depth);
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace

Report run_jobs(const ChainRequest& request, std::span<const Job> jobs, DeviceSession& device,
                const RunEvents& events) {
  const Stopwatch wall;
  const double cpu_before = cpu_ms();
  check_shaders(request, device);
  std::optional<Journal> journal;
  if (!request.batch.journal.empty()) journal.emplace(request);
  const std::vector<JournalEntry> done =
      journal ? journal->entries_of_done(jobs) : std::vector<JournalEntry>(jobs.size());
  const bool has_work = std::ranges::any_of(done, [](const JournalEntry& entry) { return !entry.is_skipped; });
  const bool needs_device = !request.calls.empty() && has_work;
  if (jobs.size() > 1) device.keep_memory();
  if (needs_device) device.start();
  if (request.device.require_gpu && needs_device)
    device.run_with_retry([](Gpu&) {});  // if there is no device, no input is read
  const bool keeps_some_parts = std::ranges::any_of(jobs, [&](const Job& job) { return keeps_parts(request, job); });
  Prefetch inputs(inputs_of(jobs, done), request, keeps_some_parts);
  PictureInputs others;
  Report report{.job_count = jobs.size()};
  for (const Call& call : request.calls) report.chain.push_back(call.text());
  OutputQueue outputs(request, journal ? &*journal : nullptr, report, events);
  for (size_t index = 0; index < jobs.size(); ++index) {
    if (request.batch.fails_fast && outputs.has_failure()) break;
    // room for its report, so that memory does not end once its output is written
    if (report.jobs.capacity() <= index) report.jobs.reserve(2 * (index + 1));
    events.on_start(jobs[index]);
    if (done[index].is_skipped) {
      count_for_interrupt();
      outputs.add(report_of_skipped(jobs[index], done[index]));
      continue;
    }
    ProcessedJob made{.job = &jobs[index], .report = {.input = jobs[index].name()}};
    if (journal) made.journal_key = journal->key_of(jobs[index]);
    work_on(made, [&] { process(request, device, inputs, others, report.times.waited_for_decoders_ms, made); });
    const bool is_last = request.batch.fails_fast && made.report.exit != Exit::done;
    outputs.add(std::move(made));
    if (is_last) break;
  }
  report.decoder_count = inputs.end() + others.decoder_count();
  outputs.finish_all();
  report.times.wall_ms = wall.milliseconds();
  report.times.cpu_ms = cpu_ms() - cpu_before;
  return report;
}

Exit exit_of(const Report& report) {
  if (report.job_count == 1) return report.jobs.front().exit;
  const bool is_done = std::ranges::all_of(
      report.jobs, [](Exit exit) { return exit == Exit::done; }, &JobReport::exit);
  return is_done ? Exit::done : Exit::batch;
}

void measure_copies(DeviceSession& device, Report& report) {
  Gpu* gpu = device.opened();
  if (!gpu) return;
  report.device = gpu->info();
  for (JobReport& job : report.jobs)
    for (const PassReport& pass : job.passes) {
      double& speed = pass.storage == Depth::half ? job.copies.half_gb_per_s : job.copies.float_gb_per_s;
      if (speed == 0) speed = copy_speed_of(*gpu, job.size, pass.storage);
    }
}

}  // namespace gpupost
