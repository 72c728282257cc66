// Jobs whose outputs are being encoded and written, a thread for each, within the batch settings.
#pragma once

#include "core/pipeline/block_device.h"
#include "core/pipeline/process_job.h"
#include "core/pipeline/run_jobs.h"

#include <condition_variable>
#include <cstdint>
#include <future>
#include <map>
#include <mutex>
#include <string>

namespace gpupost {

// Passes reports on in order of the jobs, and calls the events, one at a time. Thread-safe.
class OutputQueue {
 public:
  // All arguments must outlive it. `journal` may be null.
  OutputQueue(const ChainRequest& request, Journal* journal, Report& report, const RunEvents& events)
      : request_(request), journal_(journal), report_(report), events_(events), blocks_(request.device) {}

  void start(const Job& job);
  void warn(const std::string& text);
  // Adds job `index`, then waits until the queue is within its limits. With one job at a time the queue is empty
  // afterwards. Returns the time of waiting in ms.
  double add(size_t index, ProcessedJob made);
  // Adds a job that has nothing to encode.
  void add(size_t index, JobReport report);
  // Ends all waiting for other jobs, because one of them will never be added.
  void give_up();
  // Waits for all jobs. No other thread may add any. Returns the time of waiting in ms.
  double finish_all();
  bool has_failure() const;

 private:
  struct Writing {
    std::future<JobReport> report;
    uint64_t bytes = 0;
  };

  void make_room(size_t index);
  void insert(size_t index, Writing writing);
  bool can_take() const {
    return !is_taking_ && !queue_.empty() && queue_.begin()->first == report_.jobs.size() &&
           queue_.begin()->second.report.valid();
  }
  void take_next(std::unique_lock<std::mutex>& lock);

  const ChainRequest& request_;
  Journal* journal_;
  Report& report_;
  const RunEvents& events_;
  BlockDevice blocks_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_taking_ = false;  // a thread waits for the next job
  bool is_given_up_ = false;
  std::map<size_t, Writing> queue_;  // by index of the job
  uint64_t bytes_ = 0;               // bytes in the queue
  bool has_failure_ = false;
};

}  // namespace gpupost
