#include "core/base/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace gpupost {

static std::atomic<int> most_threads = 0;  // 0: no limit

void limit_threads(int most) { most_threads = most; }

int core_count() {
  cpu_set_t set;
  const bool is_known = sched_getaffinity(0, sizeof set, &set) == 0;
  const int cores = std::max(1, is_known ? CPU_COUNT(&set) : int(std::thread::hardware_concurrency()));
  return most_threads > 0 ? std::min<int>(cores, most_threads) : cores;
}

void parallel_ranges(int count, int grain, const std::function<void(int, int)>& body) {
  const int part_count = std::clamp(count / std::max(1, grain), 1, core_count());
  std::vector<std::exception_ptr> errors(static_cast<size_t>(part_count));
  const auto part = [&](int index) {
    try {
      body(int(int64_t(count) * index / part_count), int(int64_t(count) * (index + 1) / part_count));
    } catch (...) {
      errors[size_t(index)] = std::current_exception();
    }
  };
  std::vector<std::jthread> threads;
  threads.reserve(size_t(part_count));
  int started = 1;
  try {
    for (; started < part_count; ++started) threads.emplace_back(part, started);
  } catch (const std::system_error&) {  // no more threads
  }
  part(0);
  for (int index = started; index < part_count; ++index) part(index);
  threads.clear();  // joins
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace gpupost
