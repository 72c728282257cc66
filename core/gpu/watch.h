// Time limits for driver calls. A call may never return: a shader may loop forever, and so may its compiler.
#pragma once

#include "core/base/error.h"

#include <chrono>
#include <functional>
#include <future>
#include <thread>
#include <utility>

namespace gpupost {

struct TimeLimit {
  double seconds = 0;      // 0: no limit
  bool is_of_cpu = false;  // for a CPU device: counts only time in which this process also uses the CPU
};

// The driver did not return in time. It keeps running in its own thread until the process ends.
class DriverStuck : public Error {
 public:
  explicit DriverStuck(const TimeLimit& limit);
};

// See core/gpu/gpu.h. When it is true, no Vulkan object may be destroyed.
bool driver_is_stuck();

// Waits until `is_ready(seconds)` is true; each call of it waits at most that long. Throws DriverStuck after the limit.
void wait_within(const TimeLimit& limit, const std::function<bool(double)>& is_ready);

// Returns what start() does: a thread. Throws Error(Exit::limit) if the system has none left.
std::thread started(const std::function<std::thread()>& start);

// Runs call() in its own thread and returns its result. call() must own its data, because it outlives the caller if it
// is stuck. Throws DriverStuck after the limit, or immediately if another call is already stuck.
template <class Call>
auto call_within(const TimeLimit& limit, Call call) {
  if (driver_is_stuck()) throw DriverStuck(limit);
  if (limit.seconds == 0) return call();
  std::packaged_task<decltype(call())()> task(std::move(call));
  auto result = task.get_future();
  std::thread thread = started([&] { return std::thread(std::move(task)); });
  try {
    wait_within(limit, [&](double seconds) {
      return result.wait_for(std::chrono::duration<double>(seconds)) == std::future_status::ready;
    });
  } catch (const DriverStuck&) {
    thread.detach();
    throw;
  }
  thread.join();
  return result.get();
}

}  // namespace gpupost
