#include "core/threads.h"

#include <sched.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace gpupost {

int core_count() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return std::max(1, int(std::thread::hardware_concurrency()));
  return std::max(1, CPU_COUNT(&set));
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
  for (int index = 1; index < part_count; ++index) threads.emplace_back(part, index);
  part(0);
  threads.clear();  // joins
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace gpupost
