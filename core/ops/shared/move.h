// The pass that moves texels and makes none.
#pragma once

#include "core/plan/builder.h"

#include <string>

namespace gpupost {

// Where the texels of a result come from.
struct Move {
  Size size;                // of the result
  Position from;            // of the texel that goes to the top left
  Position step{1, 1};      // 1 or -1 along each axis of the source, to the next texel
  bool swaps_axes = false;  // the source's columns become rows
  bool fills = false;       // texels beyond the source become 0; otherwise all must be inside
};

// Appends the pass that makes a picture of the current image's texels.
void plan_move(PlanBuilder& builder, std::string name, const Move& move);

}  // namespace gpupost
