#include "core/pipeline/output_queue.h"

#include "core/base/stopwatch.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace gpupost {

void OutputQueue::start(const Job& job) {
  const std::lock_guard lock(mutex_);
  events_.on_start(job);
}

void OutputQueue::warn(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (events_.on_warning) events_.on_warning(text);
}

double OutputQueue::add(size_t index, ProcessedJob made) {
  make_room(index);
  const uint64_t bytes = 2 * made.bytes();  // images and their encoded files
  const auto shared = std::make_shared<ProcessedJob>(std::move(made));
  auto report = std::async(std::launch::async | std::launch::deferred,  // deferred if the system has no thread left
                           [this, shared] { return finish(request_, journal_, blocks_, *shared); });
  std::unique_lock lock(mutex_);
  insert(index, {.report = std::move(report), .bytes = bytes});
  const Stopwatch waiting;
  constexpr size_t most_writers = 8;  // each encoder uses several cores
  const size_t most_jobs = std::min(size_t(request_.batch.job_count) - 1, most_writers);
  while (!is_given_up_ && (queue_.size() > most_jobs || bytes_ > request_.batch.max_memory_bytes / 2)) take_next(lock);
  const double waited_ms = waiting.milliseconds();
  while (can_take() && queue_.begin()->second.report.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    take_next(lock);
  return waited_ms;
}

void OutputQueue::add(size_t index, JobReport report) {
  make_room(index);
  std::promise<JobReport> made;
  made.set_value(std::move(report));
  std::unique_lock lock(mutex_);
  insert(index, {.report = made.get_future(), .bytes = 0});
  if (can_take() && queue_.size() == 1) take_next(lock);
}

void OutputQueue::give_up() {
  const std::lock_guard lock(mutex_);
  is_given_up_ = true;
  changed_.notify_all();
}

double OutputQueue::finish_all() {
  const Stopwatch waiting;
  std::unique_lock lock(mutex_);
  while (!queue_.empty()) take_next(lock);
  return waiting.milliseconds();
}

bool OutputQueue::has_failure() const {
  const std::lock_guard lock(mutex_);
  return has_failure_;
}

// For a job and its report, so that memory does not end once its output is written.
void OutputQueue::make_room(size_t index) {
  const std::lock_guard lock(mutex_);
  if (report_.jobs.capacity() <= index) report_.jobs.reserve(2 * (index + 1));
  queue_.try_emplace(index);
}

void OutputQueue::insert(size_t index, Writing writing) {
  bytes_ += writing.bytes;
  queue_.at(index) = std::move(writing);
  changed_.notify_all();
}

// Takes the next job out of the queue when it is written, or waits for another thread.
void OutputQueue::take_next(std::unique_lock<std::mutex>& lock) {
  if (!can_take()) return changed_.wait(lock);
  is_taking_ = true;
  std::future<JobReport> writing = std::move(queue_.begin()->second.report);
  lock.unlock();
  JobReport report = writing.get();
  lock.lock();
  report.index = report_.jobs.size();
  report_.jobs.push_back(std::move(report));
  bytes_ -= queue_.begin()->second.bytes;
  queue_.erase(queue_.begin());
  is_taking_ = false;
  changed_.notify_all();
  events_.on_job(report_.jobs.back());
  has_failure_ |= report_.jobs.back().exit != Exit::done;
}

}  // namespace gpupost
