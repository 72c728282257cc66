// Worker processes, for work that may crash or hang on a file.
#pragma once

#include "core/system/message.h"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// The descriptor of a worker that is its socket.
inline constexpr int worker_talk = 3;

// The program for workers. Its main() checks is_worker() and runs the worker. Set it before the first worker; use
// "/proc/self/exe" for the program itself.
void use_worker_program(std::string path);

// Returns whether this process must act as the worker named `word`.
bool is_worker(int argc, char** argv, std::string_view word);

// Acts as a worker: answers requests until the parent closes the socket, and ends the process. It skips destructors. If `answer`
// throws std::bad_alloc, the exit code is that of Exit::limit, else EXIT_FAILURE.
[[noreturn]] void run_worker(const std::function<std::vector<std::byte>(const Message&)>& answer);

// What came of a request to a worker.
struct WorkerAnswer {
  std::vector<std::byte> said;  // the reply; empty if it is not whole
  bool was_too_slow = false;    // exceeded its time and was killed
  bool said_too_much = false;   // reply was too long, and it was killed
  int status = 0;               // status from waitpid; 0 while the worker runs
  bool has_no_status = false;   // it ended, and the system did not keep its status because SIGCHLD is ignored
  double cpu_seconds = 0;       // CPU time of the process when it ended
};

// A worker process. It ends with this object, and with the thread that has started it.
class Worker {
 public:
  // Starts the worker named `word`. Throws Error(Exit::limit) if it cannot start.
  explicit Worker(std::string_view word);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Sends a request, with descriptors, and waits for the reply. If no whole reply comes, the worker has ended when ask()
  // returns. Otherwise it runs on and can be asked again.
  WorkerAnswer ask(std::span<const std::byte> request, std::span<const int> descriptors, size_t max_answer_bytes,
                   std::chrono::seconds at_most);

  // CPU time of the process in seconds, over all threads.
  double cpu_seconds() const;
  // Lets the process use this many seconds of CPU time from now on, rounded up to a whole second of its clock. The hard
  // limit of its sandbox stays. Returns false if the limit cannot be set.
  bool renew_cpu_limit(int seconds) const;

 private:
  using Clock = std::chrono::steady_clock;
  bool listen(WorkerAnswer& answer, size_t max_answer_bytes, Clock::time_point& deadline);
  void wait(WorkerAnswer& answer, Clock::time_point deadline);

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
[[noreturn]] void throw_worker_failure(const WorkerAnswer& answer, const Task& task);

}  // namespace gpupost
