// Writes a block of BC7 from its fields, as core/codec/blocks/bc7_store.cpp does, and decodes its alpha.
#include "blocks/bc7_modes.glsl"
#include "blocks/put_bits.glsl"

// If the anchor of a pair has an index with the highest bit set: exchanges the endpoints and counts from the other one.
// `channels`: 255 in the bytes of the channels that have the indices.
void normalize_pair(inout Choice choice, inout uvec2 indices, int index_bits, int pair_count, int pair, uint channels) {
  const int shape = shape_in(choice.candidate), last = (1 << index_bits) - 1, at = 2 * pair;
  if (index_of(indices, anchor_of(pair_count, shape, pair)) <= last / 2) return;
  const uint different = (choice.ends[at] ^ choice.ends[at + 1]) & channels;
  choice.ends[at] ^= different;
  choice.ends[at + 1] ^= different;
  const uint p_bits = (choice.p_bits >> at ^ choice.p_bits >> at + 1) & 1u;
  choice.p_bits ^= p_bits * 3u << at;
  for (uint rest = texels_of_pair(pair_count, shape, pair); rest != 0u; rest &= rest - 1u) {
    const int texel = findLSB(rest);
    indices[texel >> 3] ^= uint(last) << 4 * (texel & 7);  // last - index
  }
}

void put_indices(uvec2 indices, int bits, int pair_count, int shape) {
  uint anchors = 0u;
  for (int pair = 0; pair < pair_count; ++pair) anchors |= 1u << anchor_of(pair_count, shape, pair);
  for (int texel = 0; texel < 16; ++texel) put(index_of(indices, texel), bits - int(anchors >> texel & 1u));
}

uvec4 bits_of(Choice choice) {
  const int number = mode_in(choice.candidate), shape = shape_in(choice.candidate);
  const Mode mode = mode_of(number);
  const bool is_apart = mode.second_index_bits != 0;
  const uint color = selection_in(choice.candidate) == 0 ? 0xffffffu : 0xff000000u;
  for (int pair = 0; pair < mode.pair_count; ++pair)
    normalize_pair(choice, choice.indices, mode.index_bits, mode.pair_count, pair, is_apart ? color : ~0u);
  if (is_apart) normalize_pair(choice, choice.second_indices, mode.second_index_bits, 1, 0, ~color);
  begin_block();
  put(1 << number, number + 1);
  put(shape, mode.shape_bits);
  put(rotation_in(choice.candidate), mode.rotation_bits);
  put(selection_in(choice.candidate), mode.selection_bits);
  const int end_count = 2 * mode.pair_count;
  for (int channel = 0; channel < 4; ++channel)
    for (int end = 0; end < end_count; ++end)
      put(unpacked(choice.ends[end])[channel] & (channel < 3 ? 255 : (1 << mode.alpha_bits) - 1),
          channel < 3 ? mode.color_bits : mode.alpha_bits);
  if (mode.p_bits != P_BITS_NONE)
    for (int end = 0; end < end_count; end += mode.p_bits == P_BITS_OWN ? 1 : 2)
      put(int(choice.p_bits >> end & 1u), 1);
  put_indices(choice.indices, mode.index_bits, mode.pair_count, shape);
  if (is_apart) put_indices(choice.second_indices, mode.second_index_bits, 1, 0);
  return put_words();
}

int decoded_alpha(Choice choice, int texel) {
  const Mode mode = mode_of(mode_in(choice.candidate));
  if (mode.alpha_bits == 0) return 255;
  const int rotation = rotation_in(choice.candidate), channel = rotation == 0 ? 3 : rotation - 1;
  int pair = 0;
  for (int other = 1; other < mode.pair_count; ++other)
    if ((texels_of_pair(mode.pair_count, shape_in(choice.candidate), other) >> texel & 1u) != 0u) pair = other;
  const bool is_apart = mode.second_index_bits != 0;
  const bool is_second = is_apart && (channel == 3) == (selection_in(choice.candidate) == 0);
  const int bits = channel == 3 ? mode.alpha_bits : mode.color_bits;
  ivec2 ends;
  for (int end = 0; end < 2; ++end) {
    const int stored = unpacked(choice.ends[2 * pair + end])[channel];
    const int p_bit = int(choice.p_bits >> 2 * pair + end & 1u);
    ends[end] = (mode.p_bits == P_BITS_NONE ? widen(ivec4(stored), bits) : widen(ivec4(stored << 1 | p_bit), bits + 1)).x;
  }
  const float index = float(index_of(is_second ? choice.second_indices : choice.indices, texel));
  const int weight = int(weight_of(index, is_second ? mode.second_index_bits : mode.index_bits));
  return (64 - weight) * ends.x + weight * ends.y + 32 >> 6;
}
