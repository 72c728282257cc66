// Calls on the device, held against their definition.
#pragma once

#include "core/gpu/gpu.h"

#include <span>
#include <string_view>

namespace gpupost::test {

// How the numbers are kept and added.
struct Kind {
  Depth depth;
  bool half_arithmetic;
};
constexpr Kind kinds[] = {{Depth::f32, false}, {Depth::half, false}, {Depth::half, true}};

// How a chain goes from op to op.
struct Route {
  bool fuses = true;
  Space between = Space::rgb;
  bool is_r11g11b10 = false;
  int tile_side = 0;  // largest side of a tile; 0: the image is not tiled
};

// Those that a call's plans differ by: without a pass of half arithmetic there are two.
std::span<const Kind> kinds_of(const Call& call, Size size, const DeviceTraits& traits);

// Runs a chain on a pattern and compares all levels of its result with the definition.
void check_chain(Gpu& gpu, std::span<const Call> calls, std::string_view pattern_name, Size size, Kind kind,
                 const Route& route = {});
// Runs a chain by run_chain(), also in tiles, and compares all levels with the definition. Returns false, without a failure, if
// the chain is refused: with Exit::usage, or because no tile is large enough.
bool check_route(Gpu& gpu, std::span<const Call> calls, std::string_view pattern_name, Size size, Kind kind,
                 const Route& route);
void check_call(Gpu& gpu, const Call& call, std::string_view pattern_name, Size size, Kind kind);

// Can the device do the call? Where it cannot, the plan has to say why.
bool can_run(const Call& call, const DeviceTraits& traits);

Call call_of(std::string_view op, std::string_view words);
// A call of an op's example. Unless thorough, with at most 16 texels a side if the option --size is one number, and with 64 samples if
// the example does not say how many: the device and the definition take the same ones.
Call call_of_example(const Op& op, std::string_view example);

}  // namespace gpupost::test
