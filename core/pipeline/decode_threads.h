// Threads that decode inputs ahead. Each has a decode worker of its own, which lives on from file to file.
#pragma once

#include "core/codec/codec.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gpupost {

// A decoded input and its decoding time.
struct InputRead {
  Decoded decoded;
  std::string sha256;  // of the file, from before it was decoded; "" without a journal
  double milliseconds = 0;
};

// One thread uses it.
class DecodeThreads {
 public:
  using Work = std::function<InputRead(DecodeWorker&)>;

  DecodeThreads() = default;
  DecodeThreads(const DecodeThreads&) = delete;
  DecodeThreads& operator=(const DecodeThreads&) = delete;
  ~DecodeThreads() { end(); }

  // Queues work. Starts a thread if none is idle and there are fewer than `most`. Throws std::system_error if there is no
  // thread and none can start.
  std::future<InputRead> add(Work work, size_t most);
  // Ends all threads and their processes. Work that has not begun is dropped. add() may follow.
  void end();
  // Number of processes of the threads that have ended.
  int started_count() const { return started_count_; }

 private:
  void start_thread();
  void run();

  std::mutex mutex_;
  std::condition_variable has_work_;
  std::deque<std::packaged_task<InputRead(DecodeWorker&)>> queue_;
  size_t idle_count_ = 0;
  bool is_ending_ = false;
  int started_count_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace gpupost
