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
               return std::make_unique<Gpu>(device_for(globals));
             }).share();
}

}  // namespace gpupost
