// The pass that makes all levels of a mip chain.
#pragma once

#include "core/ops/mips/variants.h"

namespace gpupost {

// How the single pass goes down: tiles make the first levels of the picture, blocks the next ones of what the tiles made,
// the last workgroup the rest.
struct MipsSteps {
  bool is_even = false;        // the tiles' levels are exact halves: no texel of a neighbor is needed
  int tile = 0;                // levels that a tile makes
  int block = 0;               // levels that a block makes; 0: none are left
  bool is_block_even = false;  // as in tiles; else blocks of 32x32 that take along what they need of their neighbors
  bool has_tail = false;

  int block_level() const { return tile + block; }
  int block_side() const { return (is_block_even ? 64 : 32) >> block; }  // of its last level
};

// `levels`: of the chain, level 0 included.
MipsSteps mips_steps(Size base, int levels);

// The settings of a single pass.
struct MipsSinglePass {
  int levels = 1;
  int reduce = 0;
  MipsSteps steps;
  MipsVariant variant;
};

// Why the device cannot run it on such images; "" where it can.
std::string obstacle(const MipsSinglePass& pass, const PlanInput& input, const DeviceTraits& traits);

void plan_single_pass(PlanBuilder& builder, int image, const MipsSinglePass& single);

}  // namespace gpupost
