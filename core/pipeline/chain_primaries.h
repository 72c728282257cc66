// Which primaries the colors of a chain have, call by call. Pure: used before a chain is planned.
#pragma once

#include "core/image/primaries.h"
#include "core/op/op.h"

#include <optional>
#include <span>
#include <vector>

namespace gpupost {

struct ChainPrimaries {
  std::vector<Call> calls;  // those of the chain, and `matrix` calls where colors have to be converted
  bool converts = false;    // were such calls added?
  bool is_named = false;    // does a call of the chain itself name the primaries that it makes?
  Primaries result = rec709;
};

// The chain on a picture of these primaries. `given` is empty where the file names none, or Rec. 709: then an op that names
// the primaries it takes is believed. The result gets the primaries `wanted`; empty: those that the chain leaves.
ChainPrimaries with_primaries(std::span<const Call> calls, std::optional<Primaries> given,
                              std::optional<Primaries> wanted);

}  // namespace gpupost
