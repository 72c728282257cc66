#include "core/ops/ops.h"

namespace gpupost {

std::span<const Op* const> all_ops() {
  // The order is the order of help and documents.
  static const Op* const ops[] = {&blur_op, &crop_op, &flip_op, &mips_op, &resize_op};
  return ops;
}

}  // namespace gpupost
