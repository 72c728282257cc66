// Chains that run in tiles, beside the same on a device that takes the image whole.
#pragma once

#include "core/engine/run_chain.h"

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace gpupost::test {

// A device that takes images of at most `side` texels a side.
Gpu small_device(const Gpu& gpu, int side);
// Whether a run was tiled.
bool is_in_parts(const ChainRun& run);

// Calls from names of ops and their options, with all second inputs that they need.
std::vector<Call> chain_of(std::initializer_list<std::pair<std::string_view, std::string_view>> words, Size size);

// Checks that a chain is tiled on `small` alone, with the same bytes.
void check_same(Gpu& gpu, Gpu& small, std::span<const Call> calls, const PlanInput& input, const Level& base,
                const ChainOptions& options = {});

}  // namespace gpupost::test
