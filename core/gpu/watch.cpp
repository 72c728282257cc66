#include "core/gpu/watch.h"

#include "core/base/memory.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <system_error>

namespace gpupost {

static std::atomic<bool> is_stuck{false};

bool driver_is_stuck() { return is_stuck; }

DriverStuck::DriverStuck(const TimeLimit& limit)
    : Error(Exit::device,
            fmt::format("the device has not finished within {:.0f} s; a shader may loop forever, or takes "
                        "longer (allow more with --device-seconds)",
                        limit.seconds)) {}

std::thread started(const std::function<std::thread()>& start) {
  try {
    return start();
  } catch (const std::system_error&) {
    fail(Exit::limit,
         "the system has no thread left for the device (ulimit -u, ulimit -v or a limit of the container)");
  }
}

static double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

void wait_within(const TimeLimit& limit, const std::function<bool(double)>& is_ready) {
  using SteadyClock = std::chrono::steady_clock;
  constexpr double interval = 0.1;     // seconds between two checks of the CPU time
  constexpr double most_waiting = 10;  // factor of the limit for a CPU device that gets no CPU time
  constexpr double longest_step = 1;   // more passes where the process is stopped and continued, and does not count
  SteadyClock::time_point before = SteadyClock::now();
  double elapsed = 0;
  const double cpu_start = cpu_seconds();
  while (true) {
    const SteadyClock::time_point now = SteadyClock::now();
    elapsed += std::min(std::chrono::duration<double>(now - before).count(), longest_step);
    before = now;
    const double worked = limit.is_of_cpu ? cpu_seconds() - cpu_start : elapsed;
    const bool is_over =
        elapsed >= limit.seconds && (worked >= limit.seconds || elapsed >= most_waiting * limit.seconds);
    if (is_ready(is_over ? 0 : std::min(interval, limit.seconds))) return;
    if (!is_over) continue;
    is_stuck = true;
    TexelBuffer::keep_all();
    throw DriverStuck(limit);
  }
}

}  // namespace gpupost
