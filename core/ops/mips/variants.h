// The variants of the single pass: how a workgroup takes a tile of 64 x 64 texels down.
#pragma once

#include "core/plan/builder.h"

#include <array>
#include <string>
#include <vector>

namespace gpupost {

// In which order the threads of a tile take the texels and how many a side at once, how they hand on their results, and how
// they read. The words are those of `--variant`.
struct MipsVariant {
  bool rows = false;
  int each = 2;
  int exchange = 0;  // an index of `mips_exchanges`
  bool linear = false;
};

struct MipsExchange {
  std::string_view name;
  int subgroup_size;                   // threads that must be able to exchange numbers directly
  std::array<int, 2> shared_texels{};  // that a tile needs, with 2x2 and with 4x4 texels a thread
};
inline constexpr MipsExchange mips_exchanges[] = {{"shared", 0, {1024 + 256 + 64 + 16 + 4, 256 + 64 + 16 + 4}},
                                                  {"shared-every-4th", 0, {1024, 256}},
                                                  {"shared-packed", 0, {1024, 256}},
                                                  {"quad", 4, {256 + 64 + 16 + 4, 64 + 16 + 4}},
                                                  {"shuffle", 16, {64, 16}}};

// The words of `--variant`, ACCESS+EXCHANGE+FETCH as kernels/mips/tile.glsl explains them, those of the talk first.
const std::vector<std::string>& mips_variant_names();
std::string name_of(const MipsVariant& variant);
// One of those words.
MipsVariant mips_variant(std::string_view name);

// Adds to a pass how its tiles are made.
void add_variant(PassSpec& pass, const MipsVariant& variant, const DeviceTraits& traits);

}  // namespace gpupost
