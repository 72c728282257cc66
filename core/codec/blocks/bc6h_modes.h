// The 14 modes of BC6H: the place of each bit in a block. The decoder and the encoder share them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gpupost::bc6h {

constexpr size_t partition_field = 12;
// Bits of endpoints: fields 3 e to 3 e + 2 are R, G and B of endpoint e. Pair p has the endpoints 2 p and 2 p + 1.
using Fields = std::array<uint32_t, 13>;
using Block = std::array<uint64_t, 2>;  // bit i of a block: bit i % 64 of word i / 64

struct BitPlace {
  uint8_t field, bit;
};

struct Mode {
  uint32_t number;  // the first bits of the block
  int number_bits;
  int pair_count;
  int endpoint_bits;
  std::array<int, 3> delta_bits;  // of R, G and B in endpoints after the first
  bool has_deltas;                // these endpoints are differences from the first
  int place_count;
  std::array<BitPlace, 80> places;  // of the bits after the number

  int index_start() const { return number_bits + place_count; }
  int index_bits() const { return pair_count == 1 ? 4 : 3; }
};

extern const std::array<Mode, 14> modes;

// Returns null if the mode is reserved.
const Mode* mode_of(const Block& block);
Fields fields_of(const Block& block, const Mode& mode);
void put_fields(const Fields& fields, const Mode& mode, Block& block);

// The weights of the second endpoint, in parts of 64.
constexpr std::array<int, 8> weights_of_8{0, 9, 18, 27, 37, 46, 55, 64};
constexpr std::array<int, 16> weights_of_16{0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};

// Converts an endpoint of `bits` bits to the 16 bits that are interpolated.
int unquantize(int value, int bits);
int unquantize_signed(int value, int bits);

}  // namespace gpupost::bc6h
