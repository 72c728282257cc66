// A decode worker as its parent sees it.
#pragma once

#include "core/codec/bytes.h"
#include "core/codec/codec.h"
#include "core/codec/descriptor.h"

#include <sys/types.h>

#include <chrono>
#include <vector>

namespace gpupost {

// What became of a worker: what it said up to its end, and how it ended.
struct WorkerEnd {
  std::vector<std::byte> said;
  bool was_too_slow = false;   // and was killed for it
  bool said_too_much = false;  // likewise
  int status = 0;              // as waitpid has it
};

class Worker {
 public:
  // This same program, as a worker with these descriptors and no others. Throws Error(Exit::bug) if it cannot start.
  Worker(int input, int texels);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Hands over the request and collects the answer; the worker is gone when it returns.
  WorkerEnd run(Bytes request, size_t max_answer_bytes, std::chrono::seconds at_most);

 private:
  using Clock = std::chrono::steady_clock;
  void listen(WorkerEnd& end, size_t max_answer_bytes, Clock::time_point deadline);
  void wait(WorkerEnd& end, Clock::time_point deadline);

  pid_t process_ = -1;
  Descriptor talk_;
};

}  // namespace gpupost
