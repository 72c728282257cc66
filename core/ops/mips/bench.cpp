#include "core/ops/mips/bench.h"

#include "core/ops/mips/variants.h"

namespace gpupost {

static std::vector<std::string> variants() {
  std::vector<std::string> all{"--method per-level"};
  for (const std::string& name : mips_variant_names()) all.push_back("--variant " + name);
  return all;
}

static constexpr std::string_view talk = "L. Kramer 2020, Radeon RX 5700 XT";

static Claim half_claim(std::string_view claimed, std::vector<Size> sizes) {
  return {.what = "half arithmetic",
          .claimed = claimed,
          .where = talk,
          .sizes = std::move(sizes),
          .depths = {Depth::u8, Depth::half},
          .slower = "--variant amd-2x2+quad+load",
          .faster = "--variant amd-2x2+quad+load",
          .faster_is_half = true};
}

static std::vector<Claim> claims() {
  const std::vector<Depth> both{Depth::u8, Depth::half};
  return {{.what = "texels in Morton-like order",
           .claimed = "about +8 %",
           .where = talk,
           .sizes = {{4096, 4096}},
           .depths = {Depth::half},
           .slower = "--variant rows-2x2+shared+load",
           .faster = "--variant amd-2x2+shared+load"},
          {.what = "working threads packed at the front",
           .claimed = "about +7 %",
           .where = talk,
           .sizes = {{3840, 2160}},
           .depths = {Depth::half},
           .slower = "--variant amd-2x2+shared-every-4th+load",
           .faster = "--variant amd-2x2+shared-packed+load"},
          {.what = "quads instead of shared memory",
           .claimed = "+5 %",
           .where = talk,
           .sizes = {{1920, 1080}, {2560, 1440}},
           .depths = both,
           .slower = "--variant amd-2x2+shared-packed+load",
           .faster = "--variant amd-2x2+quad+load"},
          {.what = "quads instead of shared memory",
           .claimed = "+1 %",
           .where = talk,
           .sizes = {{3840, 2160}},
           .depths = both,
           .slower = "--variant amd-2x2+shared-packed+load",
           .faster = "--variant amd-2x2+quad+load"},
          {.what = "shuffles instead of shared memory",
           .claimed = "-10 to +2 %",
           .where = talk,
           .sizes = {{1920, 1080}, {2560, 1440}, {3840, 2160}},
           .depths = both,
           .slower = "--variant amd-2x2+shared-packed+load",
           .faster = "--variant amd-2x2+shuffle+load"},
          half_claim("about +40 %", {{256, 256}}),
          half_claim("+15 %", {{1024, 1024}}),
          half_claim("0 to 2 %", {{1920, 1080}, {2560, 1440}})};
}

Benchmark mips_benchmark() {
  return {.variants = variants,
          .floor = Floor::third,
          .sizes = {{256, 256},
                    {1024, 1024},
                    {1920, 1080},
                    {2560, 1440},
                    {3840, 2160},
                    {4096, 4096},
                    {8192, 8192},
                    {16384, 16384}},
          .cpu_sizes = {{256, 256}, {1024, 1024}, {1920, 1080}},
          .depths = {Depth::u8, Depth::half, Depth::f32},
          .claims = claims()};
}

}  // namespace gpupost
