#include "cli/lazy_gpu.h"

#include "cli/device.h"
#include "core/error.h"

namespace gpupost {

Gpu* LazyGpu::opened() const {
  try {
    return opening_.valid() ? opening_.get().get() : nullptr;
  } catch (const Error&) {
    return nullptr;
  }
}

void LazyGpu::open() {
  opening_ = std::async(std::launch::async, [&globals = globals_] {
               auto gpu = std::make_unique<Gpu>(device_for(globals));
               if (globals.device_seconds) gpu->allow_seconds(*globals.device_seconds);
               return gpu;
             }).share();
}

}  // namespace gpupost
