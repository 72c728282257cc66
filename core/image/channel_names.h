// Names of color channels after a chain.
#pragma once

#include "core/image/picture.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

// Names R, G and B after a chain. A gray image gets all three if the chain colors it. Another image gets the channels that were
// missing and are no longer 0. Ignores differences within rounding and within 2^-16 of the largest channel, because matrices and
// powers change gray slightly.
void name_colors(Group& color, GrayResult gray_result);

// Whether an image has another R, G or B: "diffuse.R".
bool has_colors_beside(const Picture& picture);

// Layers of an image that --layer accepts as color, in alphabetical order.
std::vector<std::string> layers_with_color(const Picture& picture);

// The part of a color's channel names before R, G, B, A or Y: "diffuse." of "diffuse.R", "" of "R".
std::string layer_prefix(const Group& color);

// Gives all colors the channels that any of them has.
void name_alike(std::span<Group* const> colors);

// Adds the name of alpha, "A" for "R", "diffuse.A" for "diffuse.R", or removes it.
void name_alpha(Group& color, bool has_alpha);

// Keeps one color channel: "Y" instead of "R", "diffuse.Y" instead of "diffuse.R".
void name_luminance(Group& color, Depth depth);

// Removes other channels with the name of a color channel. Returns their names.
std::vector<std::string> drop_namesakes(Picture& picture);

// The channel names of a group or an image, in order.
std::vector<std::string> names_of(const Group& group);
std::vector<std::string> names_of(const Picture& picture);

}  // namespace gpupost
