// A worker as its parent sees it: a process of its own, for what may hang or crash on a file.
#pragma once

#include "core/system/descriptor.h"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// Where a worker finds its descriptors.
enum WorkerDescriptor {
  worker_talk = 3,         // a socket: the request in up to its end, then the answer out
  worker_descriptors = 4,  // those that its parent hands over, in their order
};

// The program that workers are started from. Its main() returns what a worker's main returns where is_worker() says so. A
// program hands the path in before it starts a worker: "/proc/self/exe" where it answers for its workers itself.
void use_worker_program(std::string path);

// Is this process meant to be the worker that `word` names?
bool is_worker(int argc, char** argv, std::string_view word);

// What became of a worker: what it said up to its end, and how it ended.
struct WorkerEnd {
  std::vector<std::byte> said;
  bool was_too_slow = false;   // and was killed for it
  bool said_too_much = false;  // likewise
  int status = 0;              // as waitpid has it
};

class Worker {
 public:
  // The one that `word` names, with these descriptors and no others. Throws Error(Exit::limit) if it cannot start.
  Worker(std::string_view word, std::span<const int> descriptors);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Hands over the request and collects the answer; the worker is gone when it returns.
  WorkerEnd run(std::span<const std::byte> request, size_t max_answer_bytes, std::chrono::seconds at_most);

 private:
  using Clock = std::chrono::steady_clock;
  void listen(WorkerEnd& end, size_t max_answer_bytes, Clock::time_point deadline);
  void wait(WorkerEnd& end, Clock::time_point deadline);

  pid_t process_ = -1;
  Descriptor talk_;
};

// What a worker is for and what its limits were, as messages say it.
struct Task {
  std::string_view action;  // "decode"
  std::string_view worker;  // "decoder"
  int cpu_seconds = 0;
  int wall_seconds = 0;
  std::string_view cpu_option = "", wall_option = "";  // that lift the limits: " (--decode-seconds)"
};

// Says why a worker gave no answer to be used. Throws Error(Exit::input), or Error(Exit::limit) where the machine is to blame.
[[noreturn]] void throw_worker_failure(const WorkerEnd& end, const Task& task);

}  // namespace gpupost
