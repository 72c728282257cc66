#include "core/pipeline/settings.h"

namespace gpupost {

DecodeOptions decode_options(const InputSettings& settings) {
  return {.part = settings.part,
          .layer = settings.layer,
          .level = settings.level.value_or(0),
          .limits = settings.limits,
          .keeps_orientation = settings.keeps_orientation,
          .flattens = settings.flatten,
          .requires_sandbox = settings.requires_sandbox};
}

}  // namespace gpupost
