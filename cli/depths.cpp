#include "cli/depths.h"

#include "core/error.h"

namespace gpupost {

void check_bits(const Globals& globals, const Format& format) {
  if (!globals.bits || format.holds_float == is_float(*globals.bits)) return;
  fail(Exit::usage, "--bits {}: {} holds {}; expected {}", name_of(*globals.bits), format.name,
       format.holds_float ? "floats" : "integers", format.holds_float ? "16f or 32f" : "8 or 16");
}

Depth output_depth(const Globals& globals, const Format& format, Depth came_in) {
  if (globals.bits) return *globals.bits;
  if (!format.holds_float) return came_in == Depth::u16 ? Depth::u16 : Depth::u8;
  if (globals.fp16 || came_in == Depth::u8 || came_in == Depth::half) return Depth::half;
  return Depth::f32;
}

static bool fits_half(Depth depth) { return depth == Depth::u8 || depth == Depth::half; }

Depth working_depth(Depth came_in, Depth goes_out) {
  return fits_half(came_in) && fits_half(goes_out) ? Depth::half : Depth::f32;
}

Depth storage_of(const Globals& globals, Depth came_in, Depth goes_out) {
  if (globals.storage) return *globals.storage;
  return globals.fp16 ? Depth::half : working_depth(came_in, goes_out);
}

}  // namespace gpupost
