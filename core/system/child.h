// Worker processes, for work that may crash or hang on a file.
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

// Descriptor numbers in a worker.
enum WorkerDescriptor {
  worker_talk = 3,         // a socket: reads the request until its end, then writes the reply
  worker_descriptors = 4,  // descriptors from the parent, in order
};

// The program for workers. Its main() checks is_worker() and runs the worker. Set it before the first worker; use
// "/proc/self/exe" for the program itself.
void use_worker_program(std::string path);

// Returns whether this process must act as the worker named `word`.
bool is_worker(int argc, char** argv, std::string_view word);

// Result of a worker: its reply and how it ended.
struct WorkerEnd {
  std::vector<std::byte> said;
  bool was_too_slow = false;   // exceeded its time and was killed
  bool said_too_much = false;  // reply was too long, and it was killed
  int status = 0;              // status from waitpid
};

class Worker {
 public:
  // Starts the worker named `word` with only these descriptors. Throws Error(Exit::limit) if it cannot start.
  Worker(std::string_view word, std::span<const int> descriptors);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Sends the request and reads the reply. The worker has ended when it returns.
  WorkerEnd run(std::span<const std::byte> request, size_t max_answer_bytes, std::chrono::seconds at_most);

 private:
  using Clock = std::chrono::steady_clock;
  void listen(WorkerEnd& end, size_t max_answer_bytes, Clock::time_point deadline);
  void wait(WorkerEnd& end, Clock::time_point deadline);

  pid_t process_ = -1;
  Descriptor talk_;
};

// Purpose and limits of a worker, for messages.
struct Task {
  std::string_view action;  // "decode"
  std::string_view worker;  // "decoder"
  int cpu_seconds = 0;
  int wall_seconds = 0;
  std::string_view cpu_option = "", wall_option = "";  // that lift the limits: " (--decode-seconds)"
};

// Throws the reason why a worker failed: Error(Exit::input), or Error(Exit::limit) if the system is the cause.
[[noreturn]] void throw_worker_failure(const WorkerEnd& end, const Task& task);

}  // namespace gpupost
