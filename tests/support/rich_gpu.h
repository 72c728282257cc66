// A device for tests that plan without one.
#pragma once

#include "core/plan/plan.h"

namespace gpupost::test {

// A device that can do all that gpupost may ask of one.
inline DeviceTraits rich_gpu() {
  return {.name = "a rich GPU",
          .type = DeviceType::discrete,
          .max_image_side = 32768,
          .max_group_invocations = 1024,
          .max_storage_images = 1000000,
          .shared_bytes = 49152,
          .subgroup = {.size = 32, .has_quad = true, .has_shuffle = true},
          .half = {.has_arithmetic = true},
          .filters_f32 = true,
          .has_memory_model = true};
}

}  // namespace gpupost::test
