#include "core/glsl/color_constants.h"

#include "core/image/color_matrices.h"
#include "core/image/primaries.h"

#include <fmt/core.h>

namespace gpupost {

static std::string row_text(const Vector3& row) {
  return fmt::format("vec3({:#}, {:#}, {:#})", row[0], row[1], row[2]);
}

static std::string definition(std::string_view name, const Matrix3& rows) {
  return fmt::format("#define {} mat3({}, {}, {})\n", name, row_text(rows[0]), row_text(rows[1]), row_text(rows[2]));
}

std::string color_constants() {
  return definition("REC2020_OF_REC709", rec2020_of_rec709) + definition("REC709_OF_REC2020", rec709_of_rec2020) +
         definition("XYZ_OF_REC709", xyz_of_rec709) + definition("REC709_OF_XYZ", rec709_of_xyz) +
         fmt::format("#define WHITE vec2({:#}, {:#})\n", rec709.white.x, rec709.white.y) +
         fmt::format("#define LEAST_XYZ_SUM {:#}\n", least_xyz_sum);
}

}  // namespace gpupost
