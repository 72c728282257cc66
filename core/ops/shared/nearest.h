// The way of numbers that must not be mixed: ids, masks of bits.
#pragma once

#include "core/op/op.h"

namespace gpupost {

// Takes a group with ids through a chain, all levels: each texel of the result is one of the input.
void follow_by_nearest(Group& group, std::span<const Call> calls);
// The same of one call on one level.
Level pick_nearest_texels(const Level& base, Depth depth, const Call& call);

// The texel of a side of `from` under the middle of texel `i` of a side of `to`, the lower one of two.
int under_middle(int i, int from, int to);

}  // namespace gpupost
