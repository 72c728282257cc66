// A time limit for calls into the driver, which may never return: a shader may loop forever, and so may its compiler.
#pragma once

#include "core/base/error.h"

#include <chrono>
#include <functional>
#include <future>
#include <thread>
#include <utility>

namespace gpupost {

struct TimeLimit {
  double seconds = 0;      // 0: none
  bool is_of_cpu = false;  // the device is a CPU: its time counts only while this process also uses the processor
};

// The driver has not returned in time. It works on in a thread of its own for as long as the process lives.
class DriverStuck : public Error {
 public:
  explicit DriverStuck(const TimeLimit& limit);
};

// core/gpu/gpu.h says what it means. From then on no Vulkan object may be destroyed.
bool driver_is_stuck();

// Waits until `is_ready(seconds)`, which waits for at most so long, is true. Throws DriverStuck where the limit passes first.
void wait_within(const TimeLimit& limit, const std::function<bool(double)>& is_ready);

// Returns call(), which runs in a thread of its own and must own what it uses: it outlives its caller where it is stuck.
// Throws DriverStuck, at once where another call is stuck already.
template <class Call>
auto call_within(const TimeLimit& limit, Call call) {
  if (driver_is_stuck()) throw DriverStuck(limit);
  if (limit.seconds == 0) return call();
  std::packaged_task<decltype(call())()> task(std::move(call));
  auto result = task.get_future();
  std::thread thread(std::move(task));
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
