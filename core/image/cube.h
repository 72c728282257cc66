// Cube maps: how six faces lie in one picture, and where they meet. Their order is +X -X +Y -Y +Z -Z, their orientation
// that of Vulkan, OpenGL and Direct3D: seen from inside with +Y up, rows from the top.
#pragma once

#include "core/image/picture.h"

#include <span>
#include <string_view>
#include <vector>

namespace gpupost {

inline constexpr int face_count = 6;
inline constexpr std::string_view face_names[face_count] = {"+X", "-X", "+Y", "-Y", "+Z", "-Z"};

// The faces of a cross:
//     .  +Y  .   .        .  +Y  .
//    -X  +Z  +X  -Z  or  -X  +Z  +X
//     .  -Y  .   .        .  -Y  .
//                         .  -Z  .   turned by half, so that it joins on to -Y
// Empty where the picture's shape is neither.
std::vector<Picture> faces_of_cross(const Picture& picture);

// The faces of a row or a column of six, in order. Empty if the image has another shape.
std::vector<Picture> faces_of_strip(const Picture& picture);

// Makes texels that touch across an edge or a corner (three faces) equal, so that a level shows no seam. In faces of one texel, all
// six become equal. `faces` are the color of six faces, half or float, linear and premultiplied, or data.
void close_seams(std::span<Group* const> faces, int level, SeamValue value);

}  // namespace gpupost
