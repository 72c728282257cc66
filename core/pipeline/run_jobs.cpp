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
#include "core/system/core_shares.h"
#include "core/system/interrupt.h"
#include "core/system/sandbox.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
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

// Reads the inputs of a job and runs the chain on them. Unlocks `turn` after the last input.
void process(const ChainRequest& request, DeviceSession& device, Prefetch& inputs, std::unique_lock<std::mutex>& turn,
             PictureInputs& others, double& decode_wait_ms, ProcessedJob& made) {
  const Job& given = *made.job;
  JobReport& report = made.report;
  const Call* sheet = sheet_of(request.calls);
  ImageShape first;
  for (const std::string& input : given.inputs) {
    const Stopwatch waiting;
    InputImages images = inputs.next(report);
    decode_wait_ms += waiting.milliseconds();
    if (&input == &given.inputs.back()) turn.unlock();
    for (Picture& picture : images.pictures) {
      take_named_channels(request.calls, picture);
      // levels are made from the display window; other ops may read texels around it
      const bool has_levels = !request.calls.empty() && request.calls.back().op->makes == Makes::levels;
      if (has_levels) show_display_window(request, given, picture, report);
      if (sheet) prepare_cell(request.calls, input, request.input.limits.texel_count, picture);
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
  if (sheet) arrange_cells(*sheet, given.inputs, request.input.limits.texel_count, made.parts);
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

// Jobs whose outputs are being written, one thread each. Reports are passed on in order of the jobs. Thread-safe.
class OutputQueue {
 public:
  OutputQueue(const ChainRequest& request, Journal* journal, Report& report, const RunEvents& events)
      : request_(request), journal_(journal), report_(report), events_(events) {}

  void start(const Job& job) {
    const std::lock_guard lock(mutex_);
    events_.on_start(job);
  }
  void warn(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (events_.on_warning) events_.on_warning(text);
  }
  // Adds job `index`, then waits until the queue is within its limits. With one job at a time the queue is empty
  // afterwards. Returns the time of waiting in ms.
  double add(size_t index, ProcessedJob made) {
    const uint64_t bytes = 2 * made.bytes();  // images and their encoded files
    const auto shared = std::make_shared<ProcessedJob>(std::move(made));
    auto report = std::async(std::launch::async | std::launch::deferred,  // deferred if the system has no thread left
                             [this, shared] { return finish(request_, journal_, *shared); });
    std::unique_lock lock(mutex_);
    insert(index, {.report = std::move(report), .bytes = bytes});
    const Stopwatch waiting;
    constexpr size_t most_writers = 8;  // each encoder uses several cores
    const size_t most_jobs = std::min(size_t(request_.batch.job_count) - 1, most_writers);
    while (!is_given_up_ && (queue_.size() > most_jobs || bytes_ > request_.batch.max_memory_bytes / 2))
      take_next(lock);
    const double waited_ms = waiting.milliseconds();
    while (!is_taking_ && has_next() &&
           queue_.begin()->second.report.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
      take_next(lock);
    return waited_ms;
  }
  // Adds a job that has nothing to encode.
  void add(size_t index, JobReport report) {
    std::promise<JobReport> made;
    made.set_value(std::move(report));
    std::unique_lock lock(mutex_);
    insert(index, {.report = made.get_future(), .bytes = 0});
    if (!is_taking_ && has_next() && queue_.size() == 1) take_next(lock);
  }
  // No job waits for others any more: one of them will never be added.
  void give_up() {
    const std::lock_guard lock(mutex_);
    is_given_up_ = true;
    changed_.notify_all();
  }
  // Waits for all jobs. No other thread adds any.
  double finish_all() {
    const Stopwatch waiting;
    std::unique_lock lock(mutex_);
    while (!queue_.empty()) take_next(lock);
    return waiting.milliseconds();
  }
  bool has_failure() const {
    const std::lock_guard lock(mutex_);
    return has_failure_;
  }

 private:
  struct Writing {
    std::future<JobReport> report;
    uint64_t bytes = 0;
  };

  void insert(size_t index, Writing writing) {
    // room for its report, so that memory does not end once its output is written
    if (report_.jobs.capacity() <= index) report_.jobs.reserve(2 * (index + 1));
    bytes_ += writing.bytes;
    queue_.emplace(index, std::move(writing));
    changed_.notify_all();
  }
  bool has_next() const { return !queue_.empty() && queue_.begin()->first == report_.jobs.size(); }

  // Takes the next job out of the queue when it is written, or waits until another thread has done so.
  void take_next(std::unique_lock<std::mutex>& lock) {
    if (is_taking_ || !has_next()) return changed_.wait(lock);
    is_taking_ = true;
    std::future<JobReport> writing = std::move(queue_.begin()->second.report);
    lock.unlock();
    JobReport report = writing.get();
    lock.lock();
    report_.jobs.push_back(std::move(report));
    bytes_ -= queue_.begin()->second.bytes;
    queue_.erase(queue_.begin());
    is_taking_ = false;
    changed_.notify_all();
    events_.on_job(report_.jobs.back());
    has_failure_ |= report_.jobs.back().exit != Exit::done;
  }

  const ChainRequest& request_;
  Journal* journal_;
  Report& report_;
  const RunEvents& events_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_taking_ = false;  // a thread waits for the next job
  bool is_given_up_ = false;
  std::map<size_t, Writing> queue_;  // by index of the job
  uint64_t bytes_ = 0;               // bytes in the queue
  bool has_failure_ = false;
};

// User GLSL is compiled by a process in the same sandbox as the decoders.
void check_sandbox(const ChainRequest& request, const RunEvents& events) {
  if (is_sanitized() || sandbox_holds()) return;
  if (request.input.requires_sandbox)
    fail(Exit::limit,
         "the compiler's system calls cannot be filtered here (no seccomp), and --require-sandbox is given");
  if (events.on_warning)
    events.on_warning("user GLSL is compiled without a system call filter (no seccomp; see `gpupost doctor`)");
}

// Compiles each point op made at run time on its own, before any other work. Passes that fuse it compile it again.
void check_shaders(const ChainRequest& request, const RunEvents& events) {
  if (std::ranges::any_of(request.calls,
                          [](const Call& call) { return call.shader && call.shader->author == Author::user; }))
    check_sandbox(request, events);  // must run before drivers start threads
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

// The opened devices with the jobs of all of their sessions.
std::vector<DeviceUse> uses_of(DeviceSessions& devices, std::span<const JobReport> jobs) {
  std::vector<DeviceUse> uses;
  std::vector<size_t> use_of_session;
  for (size_t session = 0; session < devices.count(); ++session) {
    const Gpu* gpu = devices.at(session).opened();
    const auto same =
        std::ranges::find_if(uses, [&](const DeviceUse& use) { return gpu && use.info.index == gpu->info().index; });
    use_of_session.push_back(size_t(same - uses.begin()));
    if (gpu && same == uses.end()) uses.push_back({.info = gpu->info()});
  }
  for (const JobReport& job : jobs) {
    if (job.passes.empty()) continue;
    DeviceUse& use = uses.at(use_of_session.at(job.session));
    ++use.job_count;
    use.busy_ms += job.ms.upload + job.ms.passes + job.ms.download;
  }
  return uses;
}

// Runs jobs on device sessions. Each session has a thread, which takes the next job: its inputs first, then the device,
// then the queue of outputs.
class Feeders {
 public:
  Feeders(const ChainRequest& request, std::span<const Job> jobs, std::span<const JournalEntry> done, Prefetch& inputs,
          Journal* journal, OutputQueue& outputs)
      : request_(request), jobs_(jobs), done_(done), inputs_(inputs), journal_(journal), outputs_(outputs) {}

  // Runs the first job alone, because the first device decides the number of sessions, then all others. Rethrows the
  // first exception that is not the error of a job.
  void run(DeviceSessions& devices) {
    PictureInputs others;
    feed(devices.first(), 0, others, 1);
    if (next_ < jobs_.size() && devices.first().opened())
      session_count_ = devices.start_all(std::min(size_t(request_.batch.job_count), jobs_.size() - next_));
    std::vector<std::jthread> threads;
    try {
      for (size_t index = 1; index < session_count_; ++index)
        threads.emplace_back([this, index, &device = devices.at(index)] {
          PictureInputs own;
          if (is_open(device)) feed(device, index, own, jobs_.size());
        });
    } catch (const std::system_error&) {  // the system has no thread left
    }
    feed(devices.first(), 0, others, jobs_.size());
    threads.clear();  // joins
    if (failure_) std::rethrow_exception(failure_);
  }
  // Means of all sessions.
  double decode_wait_ms() const { return decode_wait_ms_ / double(session_count_); }
  double encode_wait_ms() const { return encode_wait_ms_ / double(session_count_); }
  // Number of processes that decoded second images.
  int decoder_count() const { return decoder_count_; }

 private:
  // Waits for the device, so that no job waits with it. Other sessions go on without one that cannot be opened.
  bool is_open(DeviceSession& device) {
    try {
      device.get();
      return true;
    } catch (const Error& error) {
      outputs_.warn(fmt::format("{}; other devices do its work", error.what()));
      return false;
    }
  }

  void feed(DeviceSession& device, size_t session, PictureInputs& others, size_t end) {
    try {
      while (run_next(device, session, others, end)) {
      }
    } catch (...) {
      const std::lock_guard lock(turn_);
      if (!failure_) failure_ = std::current_exception();
      next_ = jobs_.size();
      outputs_.give_up();
    }
    const std::lock_guard lock(turn_);
    if (end == jobs_.size()) decoder_count_ += others.decoder_count();
  }

  // Runs the next job before `end`. Returns whether there was one.
  bool run_next(DeviceSession& device, size_t session, PictureInputs& others, size_t end) {
    std::unique_lock turn(turn_);
    if (next_ >= end || (request_.batch.fails_fast && outputs_.has_failure())) return false;
    const size_t index = next_++;
    const Job& job = jobs_[index];
    outputs_.start(job);
    if (done_[index].is_skipped) {
      count_for_interrupt();
      outputs_.add(index, report_of_skipped(job, done_[index]));
      return true;
    }
    ProcessedJob made{.job = &job, .report = {.input = job.name(), .session = session}};
    if (journal_) made.journal_key = journal_->key_of(job);
    double decode_wait_ms = 0;
    work_on(made, [&] { process(request_, device, inputs_, turn, others, decode_wait_ms, made); });
    if (!turn.owns_lock()) turn.lock();
    if (request_.batch.fails_fast && made.report.exit != Exit::done) next_ = jobs_.size();
    turn.unlock();
    const double encode_wait_ms = outputs_.add(index, std::move(made));
    turn.lock();
    decode_wait_ms_ += decode_wait_ms;
    encode_wait_ms_ += encode_wait_ms;
    return true;
  }

  const ChainRequest& request_;
  std::span<const Job> jobs_;
  std::span<const JournalEntry> done_;
  Prefetch& inputs_;
  Journal* journal_;
  OutputQueue& outputs_;
  std::mutex turn_;  // of the thread that reads the inputs of the next job, and for all members below
  size_t next_ = 0;  // index of the next job
  size_t session_count_ = 1;
  double decode_wait_ms_ = 0, encode_wait_ms_ = 0;
  int decoder_count_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

Report run_jobs(const ChainRequest& request, std::span<const Job> jobs, DeviceSessions& devices,
                const RunEvents& events) {
  const Stopwatch wall;
  const double cpu_before = cpu_ms();
  const CoreWatch cores;
  check_shaders(request, events);
  std::optional<Journal> journal;
  if (!request.batch.journal.empty()) journal.emplace(request);
  const std::vector<JournalEntry> done =
      journal ? journal->entries_of_done(jobs) : std::vector<JournalEntry>(jobs.size());
  const bool has_work = std::ranges::any_of(done, [](const JournalEntry& entry) { return !entry.is_skipped; });
  const bool needs_device = !request.calls.empty() && has_work;
  if (jobs.size() > 1) devices.keep_memory();
  if (needs_device) devices.first().start();
  if (request.device.require_gpu && needs_device) devices.first().get();  // if there is no device, no input is read
  const bool keeps_some_parts = std::ranges::any_of(jobs, [&](const Job& job) { return keeps_parts(request, job); });
  Prefetch inputs(inputs_of(jobs, done), request, keeps_some_parts);
  Report report{.job_count = jobs.size()};
  for (const Call& call : request.calls) report.chain.push_back(call.text());
  OutputQueue outputs(request, journal ? &*journal : nullptr, report, events);
  Feeders feeders(request, jobs, done, inputs, journal ? &*journal : nullptr, outputs);
  feeders.run(devices);
  report.decoder_count = inputs.end() + feeders.decoder_count();
  const double last_wait_ms = outputs.finish_all();
  report.times = {.wall_ms = wall.milliseconds(),
                  .cpu_ms = cpu_ms() - cpu_before,
                  .waited_for_decoders_ms = feeders.decode_wait_ms(),
                  .waited_for_encoders_ms = feeders.encode_wait_ms() + last_wait_ms,
                  .cores = cores.shares()};
  report.devices = uses_of(devices, report.jobs);
  return report;
}

Exit exit_of(const Report& report) {
  if (report.job_count == 1) return report.jobs.front().exit;
  const bool is_done = std::ranges::all_of(
      report.jobs, [](Exit exit) { return exit == Exit::done; }, &JobReport::exit);
  return is_done ? Exit::done : Exit::batch;
}

void measure_copies(DeviceSessions& devices, Report& report) {
  for (JobReport& job : report.jobs) {
    Gpu* gpu = devices.at(job.session).opened();
    if (!gpu) continue;
    for (const PassReport& pass : job.passes) {
      double& speed = pass.storage == Depth::half ? job.copies.half_gb_per_s : job.copies.float_gb_per_s;
      if (speed == 0) speed = copy_speed_of(*gpu, job.size, pass.storage);
    }
  }
}

}  // namespace gpupost
