// Matrices of linear colors, and those between usual primaries to ten digits, as they are published. White: D65.
#pragma once

#include <array>
#include <cstddef>

namespace gpupost {

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;  // rows

constexpr Vector3 product(const Matrix3& m, const Vector3& v) {
  Vector3 result{};
  for (size_t row = 0; row < 3; ++row)
    for (size_t column = 0; column < 3; ++column) result[row] += m[row][column] * v[column];
  return result;
}

constexpr Matrix3 product(const Matrix3& a, const Matrix3& b) {
  Matrix3 result{};
  for (size_t row = 0; row < 3; ++row)
    for (size_t column = 0; column < 3; ++column)
      for (size_t k = 0; k < 3; ++k) result[row][column] += a[row][k] * b[k][column];
  return result;
}

// The shaders get these numbers from here too: core/glsl/color_constants.h.
inline constexpr Matrix3 identity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
inline constexpr Matrix3 rec2020_of_rec709{{{0.6274038959, 0.3292830384, 0.0433130657},
                                            {0.0690972894, 0.9195403951, 0.0113623156},
                                            {0.0163914389, 0.0880133079, 0.8955952532}}};
inline constexpr Matrix3 rec709_of_rec2020{{{1.6604910021, -0.5876411388, -0.0728498633},
                                            {-0.1245504745, 1.1328998971, -0.0083494226},
                                            {-0.0181507634, -0.1005788980, 1.1187296614}}};
inline constexpr Matrix3 xyz_of_rec709{{{0.4123907993, 0.3575843394, 0.1804807884},
                                        {0.2126390059, 0.7151686788, 0.0721923154},
                                        {0.0193308187, 0.1191947798, 0.9505321522}}};
inline constexpr Matrix3 rec709_of_xyz{{{3.2409699419, -1.5373831776, -0.4986107603},
                                        {-0.9692436363, 1.8759675015, 0.0415550574},
                                        {0.0556300797, -0.2039769589, 1.0569715142}}};
inline constexpr Vector3 luminance_weights = xyz_of_rec709[1];  // of linear Rec. 709
inline constexpr double least_xyz_sum = 1e-30;                  // up to it, X + Y + Z is black and has no chromaticity

}  // namespace gpupost
