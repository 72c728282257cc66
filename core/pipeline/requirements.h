// Requirements of a chain on an image.
#pragma once

#include "core/pipeline/settings.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpupost {

// The first call that makes all values of the chain data, as messages name it: "pack" or "mips --normal". Empty if there is none.
std::string_view maker_of_data(std::span<const Call> calls);

// A channel of a Cryptomatte, if --layer makes it the color and the chain has no `channels`; else nullptr. The ids of the color must
// not change.
const Channel* kept_id(std::span<const Call> calls, const Picture& picture);

// Throws Error(Exit::usage) if an op has no reference, which --verify needs.
void check_references(std::span<const Call> calls);

// Throws Error(Exit::usage) if an output of this depth cannot hold the ids of a Cryptomatte that --layer makes the color.
void check_output_keeps_ids(const ChainRequest& request, const Format& format, Depth output_depth,
                            const Picture& picture);

// Throws Error(Exit::usage) if alpha is data, and a call may take it as opacity or makes an alpha that is opacity. Without Call::inputs,
// second images count as opaque. `cut_at`: the number of calls before the image is cut into faces; 0: it is not cut.
void check_alpha(std::span<const Call> calls, const Picture& picture, size_t cut_at = 0);

// Throws Error(Exit::usage) as check_alpha() does, if an image has no color and an op would change nothing, if it is gray and R, G and
// B must be directions, or if ids would change.
void check_requirements(const ChainRequest& request, const Picture& picture);

// The warning of a call that may expect the values of the file, and gets light that is decoded from them. Empty if there is none.
std::optional<std::string> warning_of_decoding(std::span<const Call> calls, const Picture& picture,
                                               const InputSettings& settings);

// Throws Error(Exit::usage) if `picture`, the result of `mips --normal`, is made of a normal map with values below 0, which the
// levels take as 0.
void check_normals(const Picture& picture);

}  // namespace gpupost
