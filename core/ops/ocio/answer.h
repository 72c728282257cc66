// What the worker does for its parent, once it is in its sandbox. With OpenColorIO: answer_opencolorio.cpp.
#pragma once

#include "core/ops/ocio/worker.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpupost {

enum class OcioAction { shader, apply, rounding, list };

struct OcioRequest {
  OcioAction action{};
  OcioTransform transform;
  std::vector<float> colors;  // for apply and rounding
};

// Either an error (exit code other than `done`), or the answer to one action.
struct OcioReply {
  Exit exit = Exit::done;
  std::string message;  // error message
  OcioShader shader;    // without to_aces and encoding
  // For a shader whose result is linear light: rows of the matrix to ACES2065-1. Otherwise, a transfer and an index into
  // named_primaries. Empty: not known.
  std::vector<double> to_aces;
  std::vector<int32_t> encoding;
  std::vector<float> colors;
  std::string list;
};

// Throws Error.
OcioReply ocio_answer(OcioRequest request);

}  // namespace gpupost
