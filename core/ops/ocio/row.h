// The row of `ocio`, color transforms by OpenColorIO.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op ocio_op;

// The configuration that a word names ("" for none): the word itself, else the variable OCIO, else the built-in "cg".
// Throws Error(Exit::input) for a name "ocio://..." that is not built in, and for a pipe or a device.
std::string ocio_config_of(const std::string& word);

// Has the file several corrections? By its name, as OpenColorIO tells formats apart.
bool is_collection(const std::string& file);

}  // namespace gpupost
