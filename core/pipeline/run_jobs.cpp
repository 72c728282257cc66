#include "core/pipeline/run_jobs.h"

#include "core/base/stopwatch.h"
#include "core/glsl/shader_text.h"
#include "core/pipeline/output_queue.h"
#include "core/pipeline/requirements.h"
#include "core/system/interrupt.h"
#include "core/system/sandbox.h"

#include <fmt/core.h>

#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace gpupost {

namespace {

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
  if (request.passes.verify) check_references(request.calls);
  for (const Call& call : request.calls) {
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

// The opened devices with the jobs of all of their sessions. A device that was lost for good is left out.
std::vector<DeviceUse> uses_of(DeviceSessions& devices, std::span<const JobReport> jobs) {
  std::vector<DeviceUse> uses;
  std::vector<std::optional<size_t>> use_of_session(devices.count());
  for (size_t session = 0; session < devices.count(); ++session) {
    const Gpu* gpu = devices.at(session).opened();
    if (!gpu) continue;
    const auto same =
        std::ranges::find_if(uses, [&](const DeviceUse& use) { return use.info.index == gpu->info().index; });
    use_of_session[session] = size_t(same - uses.begin());
    if (same == uses.end()) uses.push_back({.info = gpu->info()});
  }
  for (const JobReport& job : jobs) {
    const std::optional<size_t> index = use_of_session.at(job.device.session);
    if (job.passes.empty() || !index) continue;
    ++uses[*index].job_count;
    uses[*index].busy_ms += job.ms.upload + job.ms.passes + job.ms.download;
  }
  return uses;
}

// Reports the jobs that this run did not reach because it stopped early, but that an earlier run has finished.
void add_skipped(std::span<const Job> jobs, std::span<const JournalEntry> done, const RunEvents& events,
                 Report& report) {
  for (size_t index = report.jobs.size(); index < jobs.size(); ++index) {
    if (!done[index].is_skipped) continue;
    events.on_start(jobs[index]);
    report.jobs.push_back(report_of_skipped(jobs[index], done[index]));
    report.jobs.back().index = index;
    events.on_job(report.jobs.back());
  }
}

// Runs jobs on device sessions. Each session has a thread, which takes the next job: its inputs first, then the device,
// then the queue of outputs.
class Feeders {
 public:
  Feeders(const ChainRequest& request, std::span<const Job> jobs, std::span<const JournalEntry> done, bool needs_device,
          Prefetch& inputs, Journal* journal, OutputQueue& outputs)
      : request_(request),
        jobs_(jobs),
        done_(done),
        needs_device_(needs_device),
        inputs_(inputs),
        journal_(journal),
        outputs_(outputs) {}

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
          count_decoders(own);
        });
    } catch (const std::system_error&) {  // the system has no thread left
      const std::lock_guard lock(turn_);
      session_count_ = threads.size() + 1;
    }
    feed(devices.first(), 0, others, jobs_.size());
    threads.clear();  // joins
    count_decoders(others);
    if (failure_) std::rethrow_exception(failure_);
  }
  // Means of all sessions.
  double decode_wait_ms() const { return decode_wait_ms_ / double(session_count_); }
  double encode_wait_ms() const { return encode_wait_ms_ / double(session_count_); }
  // Number of processes that decoded second images.
  int decoder_count() const { return decoder_count_; }
  Exit device_exit() const { return device_exit_; }

 private:
  // Waits for the device, so that no job waits with it. Other sessions go on without one that cannot be opened.
  bool is_open(DeviceSession& device) {
    try {
      device.get();
      return true;
    } catch (const Error& error) {
      std::unique_lock turn(turn_);
      lose_device(error.code());
      const bool others_go_on = lost_count_ < session_count_;
      turn.unlock();
      outputs_.warn(fmt::format("{}{}", error.what(), others_go_on ? "; other devices do its work" : ""));
      return false;
    }
  }

  // Counts a session whose device cannot be used, and ends the run behind the last one. Needs the lock of turn_.
  void lose_device(Exit exit) {
    if (++lost_count_ < session_count_) return;
    device_exit_ = exit;
    next_ = jobs_.size();
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
  }

  void count_decoders(const PictureInputs& others) {
    const std::lock_guard lock(turn_);
    decoder_count_ += others.decoder_count();
  }

  // Runs the next job before `end`. Returns whether there was one.
  bool run_next(DeviceSession& device, size_t session, PictureInputs& others, size_t end) {
    const Stopwatch waiting;
    std::unique_lock turn(turn_);
    double decode_wait_ms = waiting.milliseconds();  // until another session has its inputs
    if (next_ >= std::min(end, jobs_.size()) || (request_.batch.fails_fast && outputs_.has_failure())) return false;
    const size_t index = next_++;
    const Job& job = jobs_[index];
    outputs_.start(job);
    if (done_[index].is_skipped) {
      count_for_interrupt();
      outputs_.add(index, report_of_skipped(job, done_[index]));
      return true;
    }
    ProcessedJob made{.job = &job, .report = {.input = job.name(), .device = {.session = session}}};
    if (journal_) made.journal_key = journal_->key_of(job);
    process(request_, device, inputs_, turn, others, decode_wait_ms, made);
    if (!turn.owns_lock()) turn.lock();
    const bool lacks_device = needs_device_ && is_of_machine(made.report.exit) && !device.opened();
    if (lacks_device) lose_device(made.report.exit);
    if (request_.batch.fails_fast && made.report.exit != Exit::done) next_ = jobs_.size();
    turn.unlock();
    const double encode_wait_ms = outputs_.add(index, std::move(made));
    turn.lock();
    decode_wait_ms_ += decode_wait_ms;
    encode_wait_ms_ += encode_wait_ms;
    return !lacks_device;
  }

  const ChainRequest& request_;
  std::span<const Job> jobs_;
  std::span<const JournalEntry> done_;
  bool needs_device_;
  Prefetch& inputs_;
  Journal* journal_;
  OutputQueue& outputs_;
  std::mutex turn_;  // of the thread that reads the inputs of the next job, and for all members below
  size_t next_ = 0;  // index of the next job
  size_t session_count_ = 1, lost_count_ = 0;  // sessions, and those without a device
  double decode_wait_ms_ = 0, encode_wait_ms_ = 0;
  int decoder_count_ = 0;
  Exit device_exit_ = Exit::done;  // see Report
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
  const bool keeps_some_parts = std::ranges::any_of(jobs, [&](const Job& job) { return keeps_parts(request, job); });
  // the device starts its threads first, since a driver that gets none may wait forever
  Prefetch inputs(inputs_of(jobs, done), request, keeps_some_parts, [&] {
    if (needs_device) devices.first().opened();
  });
  Report report{.job_count = jobs.size()};
  for (const Call& call : request.calls) report.chain.push_back(call.text());
  OutputQueue outputs(request, journal ? &*journal : nullptr, report, events);
  if (request.device.require_gpu && needs_device) {  // if there is no device, no input is read
    JobReport opening;
    devices.first().wait(opening);
    for (const std::string& warning : opening.warnings) outputs.warn(warning);
  }
  Feeders feeders(request, jobs, done, needs_device, inputs, journal ? &*journal : nullptr, outputs);
  feeders.run(devices);
  report.decoder_count = inputs.end() + feeders.decoder_count();
  report.device_exit = feeders.device_exit();
  const double last_wait_ms = outputs.finish_all();
  add_skipped(jobs, done, events, report);
  report.times = {.wall_ms = wall.milliseconds(),
                  .cpu_ms = cpu_ms() - cpu_before,
                  .waited_for_decoders_ms = feeders.decode_wait_ms(),
                  .waited_for_encoders_ms = feeders.encode_wait_ms() + last_wait_ms,
                  .cores = {}};
  try {
    report.times.cores = cores.shares();
    report.devices = uses_of(devices, report.jobs);
  } catch (const std::bad_alloc&) {  // the jobs are done or have errors of their own; these figures are left out
  }
  return report;
}

Exit exit_of(const Report& report) {
  if (report.device_exit != Exit::done) return report.device_exit;
  if (report.job_count == 1) return report.jobs.front().exit;
  Exit common = Exit::done;
  for (const JobReport& job : report.jobs) {
    if (job.exit == Exit::done) continue;
    common = common == Exit::done || common == job.exit ? job.exit : Exit::batch;
  }
  return common == Exit::done || is_of_machine(common) ? common : Exit::batch;
}

void measure_copies(DeviceSessions& devices, Report& report) {
  for (JobReport& job : report.jobs) {
    Gpu* gpu = devices.at(job.device.session).opened();
    if (!gpu) continue;
    for (const PassReport& pass : job.passes) {
      double& speed = pass.storage == Depth::half ? job.device.half_copy_gb_per_s : job.device.float_copy_gb_per_s;
      if (speed == 0) speed = copy_speed_of(*gpu, job.size, pass.storage);
    }
  }
}

}  // namespace gpupost
