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
    return opening_.valid() ? opening_.get().gpu.get() : nullptr;
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

// llvmpipe starts up to 16 threads.
void check_threads() {
  const int count = 2 + std::min(core_count(), 16);
  if (!can_start_threads(count))
    fail(Exit::limit,
         "the device needs {} threads, and the system gives fewer (ulimit -u, ulimit -v or a limit of the container)",
         count);
}

void DeviceSession::open() {
  // deferred if the system has no thread left
  opening_ = std::async(std::launch::async | std::launch::deferred, [this] {
               check_threads();
               const std::vector<DeviceInfo> devices = devices_for(settings_);
               Opened opened{.gpu = std::make_unique<Gpu>(devices[size_t(place_) % devices.size()]),
                             .device_count = int(devices.size())};
               opened.gpu->keep_memory(keeps_memory_);
               if (settings_.device_seconds) opened.gpu->allow_seconds(*settings_.device_seconds);
               return opened;
             }).share();
}

void DeviceSessions::keep_memory() {
  keeps_memory_ = true;
  for (DeviceSession& session : sessions_) session.keep_memory();
}

size_t DeviceSessions::start_all(size_t most) {
  constexpr int on_a_gpu = 2;
  const bool is_cpu = first().get().info().traits.type == DeviceType::cpu;
  const int of_each = settings_.session_count.value_or(is_cpu ? 1 : on_a_gpu);
  const size_t count = std::min(most, size_t(of_each * first().device_count()));
  while (sessions_.size() < count) {
    add();
    if (keeps_memory_) sessions_.back().keep_memory();
    sessions_.back().start();
  }
  return std::max<size_t>(1, count);
}

}  // namespace gpupost
