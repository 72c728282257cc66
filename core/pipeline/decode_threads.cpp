#include "core/pipeline/decode_threads.h"

#include <system_error>
#include <utility>

namespace gpupost {

std::future<InputRead> DecodeThreads::add(Work work, size_t most) {
  std::packaged_task<InputRead(DecodeWorker&)> task(std::move(work));
  std::future<InputRead> result = task.get_future();
  const std::lock_guard lock(mutex_);
  if (queue_.size() >= idle_count_ && threads_.size() < most) start_thread();
  queue_.push_back(std::move(task));
  has_work_.notify_one();
  return result;
}

void DecodeThreads::end() {
  {
    const std::lock_guard lock(mutex_);
    queue_.clear();
    is_ending_ = true;
  }
  has_work_.notify_all();
  threads_.clear();  // joins
  is_ending_ = false;
}

void DecodeThreads::start_thread() {
  try {
    threads_.emplace_back([this] { run(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;  // otherwise the work waits for one of them
  }
}

void DecodeThreads::run() {
  DecodeWorker worker;
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_count_;
    has_work_.wait(lock, [this] { return is_ending_ || !queue_.empty(); });
    --idle_count_;
    if (queue_.empty()) break;
    std::packaged_task<InputRead(DecodeWorker&)> task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    task(worker);
    lock.lock();
  }
  started_count_ += worker.started_count();
}

}  // namespace gpupost
