#include "core/pipeline/device_session.h"

#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/pipeline/device.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace gpupost {

Gpu* DeviceSession::opened() const {
  try {
    return opening_.valid() ? opening_.get().get() : nullptr;
  } catch (const Error&) {
    return nullptr;
  }
}

// Returns whether the system allows this many more threads.
static bool can_start_threads(int count) {
  std::atomic<bool> is_over = false;
  std::vector<std::jthread> threads;
  threads.reserve(size_t(count));
  bool are_started = true;
  try {
    while (int(threads.size()) < count) threads.emplace_back([&] { is_over.wait(false); });
  } catch (const std::system_error&) {
    are_started = false;
  }
  is_over = true;
  is_over.notify_all();
  threads.clear();  // joins the threads
  return are_started;
}

// A driver that gets no thread may wait forever. llvmpipe starts up to 16 threads.
static void check_threads() {
  const int count = 2 + std::min(core_count(), 16);
  if (!can_start_threads(count))
    fail(Exit::limit,
         "the device needs {} threads, and the system gives fewer (ulimit -u, ulimit -v or a limit of the container)",
         count);
}

void DeviceSession::open() {
  // deferred if the system has no thread left
  opening_ =
      std::async(std::launch::async | std::launch::deferred, [&settings = settings_, keeps_memory = keeps_memory_] {
        check_threads();
        auto gpu = std::make_unique<Gpu>(device_for(settings));
        gpu->keep_memory(keeps_memory);
        if (settings.device_seconds) gpu->allow_seconds(*settings.device_seconds);
        return gpu;
      }).share();
}

}  // namespace gpupost
