// OpenColorIO in a process of its own: what it is asked and what it answers. core/ops/ocio/row.cpp asks.
#pragma once

#include "core/base/error.h"
#include "core/image/color_matrices.h"
#include "core/op/op.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpupost {

// A transform in the words of a configuration.
struct OcioTransform {
  std::string config;  // a file, "cg" or "studio"
  // Empty: linear Rec. 709, which the role aces_interchange places in the configuration.
  std::string from;
  std::string to, display, view, looks, look, file;  // empty: not given
  std::string id;                                    // of a correction in --file; empty: the first one
  bool is_inverse = false;
  bool is_best = true;  // interpolation of --file: best, or as its format says

  // The file that a message about the transform names.
  const std::string& source() const { return file.empty() ? config : file; }
};

// Numbers that the text of a transform reads as an image.
struct OcioTexture {
  std::string sampler;        // its name in the text
  std::array<int, 3> size{};  // entries along x, y and z; a 3-D table is a cube, a curve has a z of 0
  int channels = 3;           // 1 or 3
  bool is_linear = true;      // mixes the entries around a place, else takes the nearest
  std::vector<float> values;  // x fastest
};

struct OcioShader {
  std::string text;  // GLSL without declarations of uniforms: `vec4 ocio_transform(vec4)` and what it needs
  std::vector<OcioTexture> textures;
  std::vector<std::string> files;  // LUTs and transform files that the library has read
  // Rows of the matrix from the result to ACES2065-1, if the result is linear light.
  std::optional<Matrix3> to_aces;
  bool is_scene_linear = false;  // linear light by the configuration, even if its primaries are unknown
  bool keeps_data = false;       // passes any values on, as data
  bool takes_encoded = false;    // may expect values that are not linear light
  // The encoding of a result that is not light, if it is sRGB's curve or PQ with named primaries.
  std::optional<ColorEncoding> encoding;
};

// Was this program built with OpenColorIO? Its version, or "".
std::string_view ocio_version();

// Each starts a worker. Throws Error(Exit::usage) where the configuration lacks what is named, Error(Exit::input) for a file that
// cannot be read or that the library cannot take, Error(Exit::limit).
OcioShader ocio_shader(const OcioTransform& transform);
// Colors (four floats each, straight alpha) through the library's exact CPU path.
std::vector<float> ocio_apply(const OcioTransform& transform, std::span<const float> colors);
// For each number of ocio_apply()'s result: its error where curves behind a clamp get a rounded input.
std::vector<float> ocio_rounding(const OcioTransform& transform, std::span<const float> colors);
// Spaces, displays, views and looks of a configuration, a line each.
std::string ocio_list(const std::string& config);

// The other side, for main().
bool is_ocio_worker(int argc, char** argv);
int ocio_worker_main();

}  // namespace gpupost
