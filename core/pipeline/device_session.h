// The device of a request. It opens while the first image is decoded, and can be kept for several runs.
#pragma once

#include "core/gpu/gpu.h"
#include "core/pipeline/settings.h"

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>

namespace gpupost {

class DeviceSession {
 public:
  // `on_warning` runs in the thread that calls run_with_retry() or warn().
  DeviceSession(const DeviceSettings& settings, std::function<void(const std::string&)> on_warning)
      : settings_(settings), on_warning_(std::move(on_warning)) {}

  // Starts to open the device in another thread.
  void start() {
    if (!opening_.valid()) open();
  }
  // Keeps device memory from run to run. Call it before start().
  void keep_memory() { keeps_memory_ = true; }
  void warn(const std::string& text) const { on_warning_(text); }
  // Calls `work` with the device. If the device is lost, opens a new one and calls it once more. Throws the error of
  // opening at each call.
  template <class Work>
  auto run_with_retry(const Work& work) {
    try {
      return work(get());
    } catch (const DeviceLost& lost) {
      warn(std::string(lost.what()) + "; trying again on a new device");
      open();
      return work(get());
    }
  }
  // nullptr if the device was not needed or could not be opened
  Gpu* opened() const;

 private:
  Gpu& get() {
    start();
    return *opening_.get();
  }
  void open();

  const DeviceSettings settings_;
  std::function<void(const std::string&)> on_warning_;
  bool keeps_memory_ = false;
  std::shared_future<std::unique_ptr<Gpu>> opening_;
};

}  // namespace gpupost
