// Samples of the lobe that filters an environment. The definition and the pass use the same ones.
#pragma once

#include "core/image/picture.h"

#include <vector>

namespace gpupost {

// Cells per face of the pyramid that the samples read: half as many in each level as in the one above.
struct CellLevels {
  int finest = 1;  // cells along a side of a face, a power of two
  int count = 1;   // levels

  int cells(int level) const { return finest >> level; }
};

// Solid angle of a small area of a face, up to a factor. Coordinates are from -1 to 1.
double solid_angle_at(double x, double y);

// The solid angle that each corner of the cells of a face stands for, up to a factor: row by row, for each level. It is the integral of
// the weight in linear interpolation over this face.
std::vector<std::vector<float>> solid_angles_of_corners(const CellLevels& levels);

// The faces of an image that is a row of six. A size without square faces only occurs in plans of images that are not read yet.
Size face_of_strip(Size strip);
CellLevels cell_levels_of(Size strip);

// A direction around +z, its weight, and the level of the pyramid that it reads.
struct LobeSample {
  float x = 0, y = 0, z = 0;  // as the device has them
  double weight = 0;
  int level = 0;
};

// Importance samples of GGX with N = V = R and alpha = roughness^2, above 0, with weights n.l that add up to 1. With roughness 1, D is
// constant, so that the weighted mean is the irradiance divided by pi. A sample between two levels is there twice.
std::vector<LobeSample> lobe_samples(double roughness, int count, const CellLevels& levels);

}  // namespace gpupost
