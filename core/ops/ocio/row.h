// The row of `ocio`, color transforms by OpenColorIO.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op ocio_op;

// The configuration that a word names ("" for none): the word itself, else the variable OCIO, else the built-in "cg".
std::string ocio_config_of(const std::string& word);

}  // namespace gpupost
