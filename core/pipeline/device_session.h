// The device of a request, opened while its first picture is decoded. A caller may keep it from run to run.
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
  // `on_warning` is called by the thread that calls run_with_retry() or warn().
  DeviceSession(const DeviceSettings& settings, std::function<void(const std::string&)> on_warning)
      : settings_(settings), on_warning_(std::move(on_warning)) {}

  // Begins to open the device, in a thread of its own.
  void start() {
    if (!opening_.valid()) open();
  }
  void warn(const std::string& text) const { on_warning_(text); }
  // Calls `work` with the device, and once more with a fresh one where that was lost. Throws what went wrong with it, at each
  // call.
  template <class Work>
  auto run_with_retry(const Work& work) {
    try {
      return work(get());
    } catch (const DeviceLost& lost) {
      warn(std::string(lost.what()) + "; once more on a fresh device");
      open();
      return work(get());
    }
  }
  // nullptr where it was not needed or could not be opened.
  Gpu* opened() const;

 private:
  Gpu& get() {
    start();
    return *opening_.get();
  }
  void open();

  const DeviceSettings settings_;
  std::function<void(const std::string&)> on_warning_;
  std::shared_future<std::unique_ptr<Gpu>> opening_;
};

}  // namespace gpupost
