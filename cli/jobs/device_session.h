// The device of a request, opened while its first picture is decoded.
#pragma once

#include "cli/options/global_options.h"
#include "cli/text/messages.h"
#include "core/gpu/gpu.h"

#include <future>
#include <memory>

namespace gpupost {

// `globals` must outlive it.
class DeviceSession {
 public:
  DeviceSession(const Globals& globals, bool is_needed) : globals_(globals) {
    if (is_needed) open();
  }
  // Calls `work` with the device, and once more with a fresh one where that was lost. Throws what went wrong with it, at each
  // call.
  template <class Work>
  auto run_with_retry(const Work& work) {
    try {
      return work(get());
    } catch (const DeviceLost& lost) {
      if (!globals_.quiet) say_warning("{}; once more on a fresh device", lost.what());
      open();
      return work(get());
    }
  }
  // nullptr where it was not needed or could not be opened.
  Gpu* opened() const;

 private:
  Gpu& get() { return *opening_.get(); }
  void open();

  const Globals& globals_;
  std::shared_future<std::unique_ptr<Gpu>> opening_;
};

}  // namespace gpupost
