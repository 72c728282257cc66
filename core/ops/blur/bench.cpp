#include "core/ops/blur/bench.h"

namespace gpupost {

std::vector<std::string> blur_variants() {
  return {"--method direct --order rows --workgroup 16x16",
          "--method direct --order z --workgroup 16x16",
          "--method direct --order amd --workgroup 16x16",
          "--method direct --order rows --workgroup 8x8",
          "--method direct --order z --workgroup 8x8",
          "--method direct --order amd --workgroup 8x8",
          "--method direct --order z --workgroup 32x8",
          "--method separable --order rows --workgroup 16x16",
          "--method separable --order z --workgroup 16x16",
          "--method separable --order amd --workgroup 16x16",
          "--method separable --order z --workgroup 8x8",
          "--method shared",
          "--method sliding",
          "--method lines"};
}

static constexpr std::string_view post = "A tale of too many blurs, part 1, RTX 3070 Ti";

static Claim time_claim(std::string_view what, std::string_view claimed, Depth depth, std::string_view variant) {
  return {.what = what,
          .claimed = claimed,
          .where = post,
          .sizes = {{4096, 4096}},
          .depths = {depth},
          .setting = {"radius", 1},
          .slower = "",
          .faster = variant};
}

static std::vector<Setting> settings(std::string_view param, const std::vector<int>& values) {
  std::vector<Setting> made;
  for (const int value : values) made.push_back({param, value});
  return made;
}

static std::vector<Setting> radii_and_sigmas(const std::vector<int>& radii, const std::vector<int>& sigmas) {
  std::vector<Setting> made = settings("radius", radii);
  for (const Setting& sigma : settings("sigma", sigmas)) made.push_back(sigma);
  return made;
}

Benchmark blur_benchmark() {
  constexpr std::string_view rows = "--method direct --order rows --workgroup 16x16";
  constexpr std::string_view z = "--method direct --order z --workgroup 16x16";
  constexpr std::string_view amd = "--method direct --order amd --workgroup 16x16";
  return {.variants = blur_variants,
          .floor = Floor::copy,
          .sizes = {{4096, 4096}},
          .cpu_sizes = {{512, 512}},
          .depths = {Depth::u8, Depth::half, Depth::f32},
          .settings = radii_and_sigmas({1, 3, 7, 15, 31, 63}, {1, 3, 10}),
          .cpu_settings = radii_and_sigmas({1, 3, 7}, {1, 3}),  // a radius of 63 takes a minute there
          .claims = {time_claim("box of 3 x 3 in rows", "0.17 ms", Depth::u8, rows),
                     time_claim("box of 3 x 3 along a z-curve", "0.17 ms", Depth::u8, z),
                     time_claim("box of 3 x 3 in rows", "0.26 ms", Depth::half, rows),
                     time_claim("box of 3 x 3 along a z-curve", "0.26 ms", Depth::half, z),
                     time_claim("box of 3 x 3 in rows", "0.56 ms", Depth::f32, rows),
                     time_claim("box of 3 x 3 along a z-curve", "0.54 ms", Depth::f32, z)},
          .graphs = {{.what = "time against the radius, in rows and along a z-curve; AMD's order is added",
                      .where = post,
                      .settings = settings("radius", {1, 2, 3, 5, 7, 11, 15}),
                      .variants = {rows, z, amd}}},
          .remark =
              "The times of the post are not targets: to read and write the image once in that time, its card would "
              "need 790, 1032 and 959 GB/s at 32, 64 and 128 bits per texel, and its memory has 608 GB/s."};
}

}  // namespace gpupost
