// Encodes a block of BC7 in each thread, with the choices of core/codec/blocks/bc7_encode.cpp. What is a table there is `table` here.
#include "blocks/bc7_estimate.glsl"
#include "blocks/bc7_fit.glsl"
#include "blocks/bc7_store.glsl"

const float above_all_costs = 1e30;
const uint all_texels = 0xffffu;

bool is_cutout;  // alphas are 0 or 255, and not all 255
bool is_one_color;
bool has_all_extremes;  // all numbers are 0 or 255

void read_block(ivec2 block) {
  const ivec2 last = ivec2(end_x, end_y) - 1;
  is_opaque = is_cutout = is_one_color = has_all_extremes = true;
  for (int at = 0; at < 16; ++at) {
    const uint word = source_word(min(4 * block + ivec2(at & 3, at >> 2), last));
    texels[at] = word;
    const uint alpha = word >> 24;
    is_opaque = is_opaque && alpha == 255u;
    is_cutout = is_cutout && (alpha == 255u || alpha == 0u);
    is_one_color = is_one_color && word == texels[0];
    // 0 or 255 in each byte: the highest bit of the byte, repeated
    has_all_extremes = has_all_extremes && (word >> 7 & 0x01010101u) * 255u == word;
  }
  is_cutout = is_cutout && !is_opaque;
}

Choice choice_of_color() {
  Choice choice = no_choice();
  choice.candidate = candidate_of(5, 0, 0, 0);
  ivec4 first = ivec4(texel(0, 0)), second = first;
  for (int channel = 0; channel < 3; ++channel) {
    const int at = EXACT_AT + 2 * first[channel];
    first[channel] = int(table[at]);
    second[channel] = int(table[at + 1]);
  }
  choice.ends[0] = packed(first);
  choice.ends[1] = packed(second);
  choice.indices = uvec2(0x11111111u);
  return choice;
}

bool keeps_alpha(Choice choice) {
  for (int at = 0; at < 16; ++at)
    if (decoded_alpha(choice, at) != int(texels[at] >> 24)) return false;
  return true;
}

// Texels and channels that share two endpoints: those of a pair, or color and then the channel that is apart.
struct Part {
  Group group;
  Format format;
  bool is_single, has_second_indices;
  int at;  // of its first endpoint
};

Part part_of(uint candidate, Mode mode, int number) {
  const bool is_apart = mode.second_index_bits != 0, is_single = is_apart && number == 1;
  const bool is_second = is_apart && is_single == (selection_in(candidate) == 0);
  const vec4 channels = is_single ? vec4(0.0, 0.0, 0.0, 1.0) : vec4(1.0, 1.0, 1.0, is_apart || is_opaque ? 0.0 : 1.0);
  const uint texels_of_part = is_apart ? all_texels : texels_of_pair(mode.pair_count, shape_in(candidate), number);
  const Format format =
      Format(is_single ? mode.alpha_bits : mode.color_bits, is_second ? mode.second_index_bits : mode.index_bits,
             mode.p_bits, is_opaque && mode.alpha_bits != 0);
  return Part(Group(texels_of_part, channels, rotation_in(candidate)), format, is_single, is_second,
              is_apart ? 0 : 2 * number);
}

// The endpoint `end` with the fitted channels of a part.
uint with_fitted(uint end, ivec4 fitted_end, Part part, Mode mode) {
  if (part.is_single) return packed(ivec4(unpacked(end).rgb, fitted_end.a));
  if (part.group.channels.a == 0.0 && mode.alpha_bits != 0) fitted_end.a = (1 << mode.alpha_bits) - 1;
  return packed(fitted_end);
}

// Fits the endpoints of a candidate. Stops if the error reaches `cost`.
Choice choice_of(uint candidate, bool is_thorough, float cost) {
  const Mode mode = mode_of(mode_in(candidate));
  const int part_count = mode.second_index_bits != 0 ? 2 : mode.pair_count;
  Choice choice = no_choice();
  choice.candidate = candidate;
  for (int number = 0; number < part_count && choice.error < cost; ++number) {
    const Part part = part_of(candidate, mode, number);
    const Fit fit = fitted(part.group, part.format, is_thorough);
    choice.error += fit.error;
    choice.ends[part.at] = with_fitted(choice.ends[part.at], fit.first, part, mode);
    choice.ends[part.at + 1] = with_fitted(choice.ends[part.at + 1], fit.second, part, mode);
    choice.p_bits |= uint(fit.p_bits) << part.at;
    if (part.has_second_indices) choice.second_indices = fit.indices;
    else choice.indices |= fit.indices;
  }
  return choice;
}

// The candidate of a step of best_choice(): mode 6, those that were found, special ones, and the best one again.
const int extremes_step = candidate_count + 1, first_cutout_step = extremes_step + 1,
          last_step = first_cutout_step + CUTOUT_COUNT;
uint candidate_at(int step, Choice best) {
  if (step == 0) return candidate_of(6, 0, 0, 0);
  if (step <= candidate_count) return candidates[step - 1];
  if (step == extremes_step) return has_all_extremes && best.error > 0.0 ? candidate_of(5, 0, 0, 0) : no_candidate;
  if (step < last_step) return is_cutout ? uint(table[CUTOUTS_AT + step - first_cutout_step]) : no_candidate;
  return best.candidate;
}

Choice best_choice() {
  Choice best = no_choice();
  float best_cost = above_all_costs;
  best.error = above_all_costs;
  for (int step = 0; step <= last_step && best.error > 0.0; ++step) {
    if (step == 1) find_candidates();
    const uint candidate = candidate_at(step, best);
    if (candidate == no_candidate) continue;
    const Choice choice = choice_of(candidate, step == last_step, best_cost);
    if (choice.error >= best_cost) continue;
    const float cost = is_cutout && !keeps_alpha(choice) ? table[COST_AT] * choice.error + table[COST_AT + 1] : choice.error;
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = choice;
  }
  return best;
}

void main() {
  const ivec2 block = ivec2(gl_GlobalInvocationID.xy), count = (ivec2(end_x, end_y) + 3) / 4;
  if (any(greaterThanEqual(block, count))) return;
  read_block(block);
  Choice choice;
  if (is_one_color) choice = choice_of_color();
  else choice = best_choice();
  store(block, uintBitsToFloat(bits_of(choice)));
}
