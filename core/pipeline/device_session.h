// The devices of a request. They open while the first image is decoded, and can be kept for several runs.
#pragma once

#include "core/gpu/gpu.h"
#include "core/pipeline/report.h"
#include "core/pipeline/settings.h"

#include <deque>
#include <future>
#include <memory>
#include <utility>
#include <vector>

namespace gpupost {

// Throws Error(Exit::limit) if the system gives too few threads for a driver, which may wait forever for them.
void check_threads();

// A device that runs one image at a time. One thread uses it.
class DeviceSession {
 public:
  // `place`: index among the devices that the settings select, modulo their number. The best device is the first.
  explicit DeviceSession(const DeviceSettings& settings, int place = 0) : settings_(settings), place_(place) {}

  // Starts to open the device in another thread.
  void start() {
    if (!opening_.valid()) open();
  }
  // Keeps device memory from run to run. Call it before start().
  void keep_memory() { keeps_memory_ = true; }
  bool keeps_memory() const { return keeps_memory_; }
  // Waits until the device is open. Throws the error of opening at each call.
  Gpu& get() {
    start();
    return *opening_.get().gpu;
  }
  // Calls `work` with the device. If the device is lost, opens a new one and calls it once more; the report gets a warning.
  template <class Work>
  auto run_with_retry(JobReport& report, const Work& work) {
    try {
      return work(get());
    } catch (const DeviceLost& lost) {
      report.add_warning(std::string(lost.what()) + "; trying again on a new device");
      open();
      return work(get());
    }
  }
  // Waits until the device is open. If it is lost meanwhile, opens it once more, as run_with_retry() does.
  void wait(JobReport& report) {
    run_with_retry(report, [](Gpu&) {});
  }
  // nullptr if the device was not needed or could not be opened
  Gpu* opened() const;
  // Number of devices that the settings select. The device must be open.
  int device_count() const { return opening_.get().device_count; }

 private:
  struct Opened {
    std::unique_ptr<Gpu> gpu;
    int device_count = 1;
  };

  void open();

  const DeviceSettings settings_;
  const int place_;
  bool keeps_memory_ = false;
  std::shared_future<Opened> opening_;
};

// All sessions of a request: on each GPU two, so that one uploads while the other runs passes; on a CPU device one.
class DeviceSessions {
 public:
  explicit DeviceSessions(const DeviceSettings& settings) : settings_(settings) { add(); }

  DeviceSession& first() { return sessions_.front(); }
  // Keeps device memory from run to run. Call it before the first device starts.
  void keep_memory();
  // Starts to open all sessions, at most `most`, and returns their number. The first must be open.
  size_t start_all(size_t most);
  DeviceSession& at(size_t index) { return sessions_[index]; }
  size_t count() const { return sessions_.size(); }

 private:
  void add() { sessions_.emplace_back(settings_, int(sessions_.size())); }

  const DeviceSettings settings_;
  bool keeps_memory_ = false;
  std::deque<DeviceSession> sessions_;  // a deque, because sessions do not move
};

}  // namespace gpupost
