#include "core/pipeline/opaque.h"

#include "core/op/parse.h"
#include "core/ops/channels/row.h"

namespace gpupost {

std::vector<Call> keep_opaque(std::span<const Call> calls, const Output& image) {
  std::vector<Call> kept;
  Output made = image;
  for (const Call& call : calls) {
    if (made.may_be_transparent && !made.has_alpha) kept.push_back(parse_call(channels_op, "--list R,G,B"));
    made.may_be_transparent = false;
    made = output_of(call, made);
    kept.push_back(call);
  }
  return kept;
}

}  // namespace gpupost
