// Texels as words. On devices with image buffers, passes read images without a sampler and store to buffers. On other devices,
// passes with Access::reads_words read the words of their source with a sampler.
#pragma once

#include "core/plan/plan.h"

#include <string>
#include <string_view>

namespace gpupost {

// Declarations of the images and buffers that a pass accesses as words.
std::string word_bindings(const Pass& pass);
// Push constants: the texels from a row of each target to its next row.
std::string pitches(const Pass& pass);
// Whether the pass packs halves: it needs lib/half_bits.glsl.
bool packs_halves(const Pass& pass);
// The color of the texel `at` of an image. `is_sampled`: its words are read with a sampler.
std::string color_of(std::string_view image, Words words, bool is_sampled = false);
// The statement that finds the row of the texel `at` in a ring of rows, whose mask is a push constant; empty without a ring.
std::string ring_statement(int ring, std::string_view mask);
// For a pass with Access::reads_words: SOURCE_WORD, the type of a word of the source, source_word(), which reads one, and
// color_of_word(), which converts it to the color that load() returns.
std::string word_functions(const Pass& pass);
// Functions that find a texel of a target.
std::string place_functions(const Pass& pass);
// The statement that stores the color to the texel `at` of a target, 0, or of the one of more_targets before that number.
// `image`: the target's place in the array of images. Without `clamps`, the color is not clamped.
std::string store_statement(const Pass& pass, size_t target, size_t image, std::string_view color, bool clamps = true);

}  // namespace gpupost
