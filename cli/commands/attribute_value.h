// Values of attributes for `gpupost info`.
#pragma once

#include "core/image/picture.h"

#include <nlohmann/json_fwd.hpp>

namespace gpupost {

// The value of an EXR attribute: a number, a list of numbers, or text. Null for types that are not known, or not text or numbers,
// and for a value that has another size than its type.
nlohmann::ordered_json value_of(const Attribute& attribute);

}  // namespace gpupost
