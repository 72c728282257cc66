// What the channels of a picture's color are called behind a chain.
#pragma once

#include "core/image/picture.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

// Names R, G and B after what their numbers have become: all three of a gray picture where they are no longer the same, else
// those that the file has not and that are no longer 0. What differs by no more than rounding, and by 2^-16 of the largest of
// them, is the same: matrices and powers do not leave gray as it is to the last bit.
void name_colors(Group& color);

// Has a picture an R, G or B beside its color: "diffuse.R"?
bool has_colors_beside(const Picture& picture);

// Gives each of several colors the channels that any of them has.
void name_alike(std::span<Group* const> colors);

// Names an alpha beside the colors that are there, "A" beside "R", "diffuse.A" beside "diffuse.R", or takes its name away.
void name_alpha(Group& color, bool has_alpha);

// Leaves one channel of the color: "Y" in the place of "R", "diffuse.Y" of "diffuse.R".
void name_luminance(Group& color, Depth depth);

// Takes from a picture what is beside its color and is called as one of the color's channels is. Returns their names.
std::vector<std::string> drop_namesakes(Picture& picture);

// The names of a group's channels, in the order of their components.
std::vector<std::string> names_of(const Group& group);

}  // namespace gpupost
