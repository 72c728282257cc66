// Block compression on a device, against the encoder of the host.
#include "core/base/half.h"
#include "core/codec/blocks/level.h"
#include "core/engine/block_encoder.h"
#include "core/glsl/shader_text.h"
#include "core/pipeline/block_device.h"
#include "tests/support/device.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <string>

using namespace gpupost;
using namespace gpupost::test;

namespace {

using Bytes4 = std::array<uint8_t, 4>;

uint32_t hash_of(uint32_t value) {
  value = (value ^ value >> 16) * 0x7feb352du;
  value = (value ^ value >> 15) * 0x846ca68bu;
  return value ^ value >> 16;
}

// Texels of bytes or of halves.
template <class T>
Level level_of(Size size, const std::function<std::array<T, 4>(int, int)>& texel) {
  Level level{size, TexelBuffer(texel_count(size) * 4 * sizeof(T))};
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const std::array<T, 4> color = texel(x, y);
      std::ranges::copy(color, level.texels.as<T>().data() + 4 * (size_t(y) * size_t(size.width) + size_t(x)));
    }
  return level;
}

uint8_t byte_of(double value) { return uint8_t(std::lround(std::min(std::max(value, 0.0), 1.0) * 255)); }

template <class Texel>
struct Pattern {
  std::string name;
  std::function<Texel(int, int)> texel;
};

const std::array patterns{
    Pattern<Bytes4>{"a smooth opaque picture with edges",
                    [](int x, int y) {
                      const double edge = std::sin(x * 0.37) + std::cos(y * 0.23) > 0 ? 0.6 : 0.1;
                      return Bytes4{byte_of(edge + 0.2 * std::sin(x * 0.1)), byte_of(0.5 + 0.4 * std::cos(y * 0.15)),
                                    byte_of(0.7 - edge), 255};
                    }},
    Pattern<Bytes4>{"noise with alpha",
                    [](int x, int y) {
                      const uint32_t hash = hash_of(uint32_t(x + 1000 * y));
                      return Bytes4{uint8_t(hash), uint8_t(hash >> 8), uint8_t(hash >> 16), uint8_t(hash >> 24)};
                    }},
    Pattern<Bytes4>{"opaque noise",
                    [](int x, int y) {
                      const uint32_t hash = hash_of(uint32_t(x + 1000 * y));
                      return Bytes4{uint8_t(hash), uint8_t(hash >> 8), uint8_t(hash >> 16), 255};
                    }},
    Pattern<Bytes4>{"a smooth alpha over colors",
                    [](int x, int y) {
                      return Bytes4{byte_of(0.5 + 0.5 * std::sin(x * 0.2)), byte_of(y / 40.0), byte_of((x + y) / 80.0),
                                    byte_of(0.5 + 0.5 * std::cos((x - y) * 0.11))};
                    }},
    Pattern<Bytes4>{
        "a cutout",
        [](int x, int y) {
          const bool is_in = std::hypot(x % 23 - 11, y % 19 - 9) < 8;
          return Bytes4{byte_of(0.2 + x / 60.0), byte_of(0.8 - y / 60.0), byte_of(0.3), uint8_t(is_in ? 255 : 0)};
        }},
    Pattern<Bytes4>{"only 0 and 255",
                    [](int x, int y) {
                      const uint32_t hash = hash_of(uint32_t(x + 1000 * y));
                      const auto extreme = [&](int bit) { return uint8_t(hash >> bit & 1 ? 255 : 0); };
                      return Bytes4{extreme(0), extreme(1), extreme(2), 255};
                    }},
    Pattern<Bytes4>{"blocks of one color", [](int x, int y) {
                      const uint32_t hash = hash_of(uint32_t(x / 4 + 1000 * (y / 4)));
                      return Bytes4{uint8_t(hash), uint8_t(hash >> 8), uint8_t(hash >> 16), uint8_t(hash >> 24)};
                    }}};

std::vector<std::byte> host_blocks(const Level& level, BlockFormat format = BlockFormat::bc7) {
  std::vector<std::byte> blocks(block_bytes_of(format, level.size));
  encode_blocks(format, level.size, level.texels.bytes(), blocks);
  return blocks;
}

using Halves4 = std::array<uint16_t, 4>;

Halves4 halves_of_light(double r, double g, double b) {
  return {half_from_float(float(r)), half_from_float(float(g)), half_from_float(float(b)), half_from_float(1)};
}

const std::array lights{
    Pattern<Halves4>{"a sky with a sun",
                     [](int x, int y) {
                       const double sun = 5000 * std::exp(-0.05 * (std::pow(x - 30, 2) + std::pow(y - 20, 2)));
                       return halves_of_light(0.2 + sun + 0.01 * y, 0.4 + 0.9 * sun, 1 + 0.8 * sun + 0.02 * x);
                     }},
    Pattern<Halves4>{"edges between dark and bright",
                     [](int x, int y) {
                       const bool is_bright = std::sin(x * 0.37) + std::cos(y * 0.23) > 0;
                       return is_bright ? halves_of_light(12 + x * 0.1, 8, 3)
                                        : halves_of_light(0.01, 0.02 + 0.001 * y, 0.05);
                     }},
    Pattern<Halves4>{"all bits: also below 0, infinite and NaN",
                     [](int x, int y) {
                       const uint32_t one = hash_of(uint32_t(x + 1000 * y)), other = hash_of(one + 1);
                       return Halves4{uint16_t(one), uint16_t(one >> 16), uint16_t(other), uint16_t(other >> 16)};
                     }},
    Pattern<Halves4>{"noise around a color",
                     [](int x, int y) {
                       const uint32_t hash = hash_of(uint32_t(x + 1000 * y));
                       return Halves4{uint16_t(0x3800 + hash % 61), uint16_t(0x3400 + hash / 64 % 61),
                                      uint16_t(0x3900 + hash / 4096 % 61), 0x3c00};
                     }},
    Pattern<Halves4>{"one color", [](int, int) { return halves_of_light(0.5, 70, 60000); }}};

}  // namespace

GPU_TEST_CASE("blocks of BC7 of a device are those of the host, bit for bit") {
  for (const Pattern<Bytes4>& pattern : patterns)
    for (const Size size : {Size{64, 48}, Size{17, 9}, Size{1, 37}, Size{1, 1}}) {
      CAPTURE(pattern.name);
      CAPTURE(size.width);
      const Level level = level_of(size, pattern.texel);
      std::vector<std::byte> blocks(block_bytes_of(BlockFormat::bc7, size));
      encode_blocks_on(gpu, BlockFormat::bc7, level, blocks);
      CHECK(blocks == host_blocks(level));
    }
}

GPU_TEST_CASE("blocks of BC6H of a device are those of the host, bit for bit") {
  for (const Pattern<Halves4>& light : lights)
    for (const Size size : {Size{64, 48}, Size{17, 9}, Size{1, 37}, Size{1, 1}}) {
      CAPTURE(light.name);
      CAPTURE(size.width);
      const Level level = level_of(size, light.texel);
      std::vector<std::byte> blocks(block_bytes_of(BlockFormat::bc6h, size));
      encode_blocks_on(gpu, BlockFormat::bc6h, level, blocks);
      CHECK(blocks == host_blocks(level, BlockFormat::bc6h));
    }
}

GPU_TEST_CASE("no sum and no product of the kernels may be contracted") {
  for (const BlockFormat format : {BlockFormat::bc6h, BlockFormat::bc7}) {
    const Pass pass = plan_of_blocks(format, {64, 64}, gpu.info().traits).passes.front();
    const std::vector<uint32_t> words = spirv_of(glsl_of(pass), pass.name);
    std::set<uint32_t> sums, decorated;
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
      const uint32_t code = words[at] & 0xffff;
      const bool is_sum = code == 129 || code == 131,
                 is_product = code == 133 || code == 142;                      // OpFAdd, OpFSub, OpFMul,
      if (is_sum || is_product) sums.insert(words[at + 2]);                    // OpVectorTimesScalar
      if (code == 71 && words[at + 2] == 42) decorated.insert(words[at + 1]);  // OpDecorate NoContraction
      CHECK(code != 148);  // OpDot, whose order of sums is not given
      CHECK(code != 145);  // OpMatrixTimesVector
      CHECK(code != 146);  // OpMatrixTimesMatrix
    }
    CHECK(sums.size() > 100);
    CHECK(std::ranges::includes(decorated, sums));
  }
}

GPU_TEST_CASE("the host encodes what comes before the device is open") {
  const DeviceSettings settings{.device = gpu.info().uuid};
  const Level large = level_of({256, 258}, patterns.front().texel), small = level_of({64, 64}, patterns[1].texel);
  BlockDevice device(settings, 2 * texel_count(large.size));
  const auto is_right = [&](const Level& level) {
    std::vector<std::byte> blocks(block_bytes_of(BlockFormat::bc7, level.size));
    device.encode(BlockFormat::bc7, level.size, level.texels.bytes(), blocks);
    return blocks == host_blocks(level);
  };
  CHECK(is_right(small));
  CHECK(is_right(large));
  CHECK(!device.is_open());  // too few texels
  CHECK(is_right(large));
  CHECK(device.is_open() == (gpu.info().traits.type != DeviceType::cpu));
  CHECK(is_right(large));
}
