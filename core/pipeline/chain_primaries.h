// Primaries of the colors in a chain, call by call. Used before planning.
#pragma once

#include "core/image/primaries.h"
#include "core/op/op.h"

#include <optional>
#include <span>
#include <vector>

namespace gpupost {

struct ChainPrimaries {
  std::vector<Call> calls;       // calls of the chain, with inserted `matrix` calls that convert primaries
  bool converts = false;         // whether such calls were inserted
  bool is_named = false;         // whether a call of the chain sets the primaries of its result
  bool converts_result = false;  // whether the result of the chain itself has other primaries than `result`
  Primaries result = rec709;
};

// The primaries of the image at each call, for an image with primaries `given` (empty: Rec. 709, or it has none).
std::vector<Primaries> primaries_at_calls(std::span<const Call> calls, std::optional<Primaries> given);

// The chain for an image with these primaries. `given` is empty if the file has none or Rec. 709; then an op that
// expects certain primaries is trusted. `wanted` are the primaries of the result; empty: whatever the chain gives.
// The values of an encoded result stay as they are.
ChainPrimaries with_primaries(std::span<const Call> calls, std::optional<Primaries> given,
                              std::optional<Primaries> wanted);

}  // namespace gpupost
