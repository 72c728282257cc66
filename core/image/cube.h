// Cube maps: how six faces lie in one picture, and where they meet. Their order is +X -X +Y -Y +Z -Z, their orientation
// that of Vulkan, OpenGL and Direct3D: seen from inside with +Y up, rows from the top.
#pragma once

#include "core/image/picture.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace gpupost {

inline constexpr int face_count = 6;
inline constexpr std::string_view face_names[face_count] = {"+X", "-X", "+Y", "-Y", "+Z", "-Z"};

// A face looks along `ahead`; its columns grow along `right`, its rows along `down`. Vulkan 1.3, table "Cube map face and
// coordinate selection": the signs of rc, sc and tc.
struct FaceAxes {
  std::array<int, 3> ahead, right, down;
};
inline constexpr std::array<FaceAxes, face_count> face_axes{{
    {.ahead = {1, 0, 0}, .right = {0, 0, -1}, .down = {0, -1, 0}},
    {.ahead = {-1, 0, 0}, .right = {0, 0, 1}, .down = {0, -1, 0}},
    {.ahead = {0, 1, 0}, .right = {1, 0, 0}, .down = {0, 0, 1}},
    {.ahead = {0, -1, 0}, .right = {1, 0, 0}, .down = {0, 0, -1}},
    {.ahead = {0, 0, 1}, .right = {1, 0, 0}, .down = {0, -1, 0}},
    {.ahead = {0, 0, -1}, .right = {-1, 0, 0}, .down = {0, -1, 0}},
}};

// The place of a face in an image with a grid of faces: column and row. `is_turned`: by half a turn.
struct FaceCell {
  Position place;
  bool is_turned = false;
};
using FaceCells = std::array<FaceCell, face_count>;
// `is_horizontal`: 4 x 3 faces, else 3 x 4.
FaceCells cells_of_cross(bool is_horizontal);
// `is_horizontal`: 6 x 1 faces, else 1 x 6.
FaceCells cells_of_strip(bool is_horizontal);

// The faces of a cube map of OpenEXR, whose axes are right-handed: ImfEnvmap.cpp. +X and -X change places, and +Y and -Y are turned.
FaceCells cells_of_openexr(bool is_horizontal);

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
