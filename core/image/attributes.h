// Attributes of EXR headers that ops make wrong: how rows adapt or remove them.
#pragma once

#include "core/image/picture.h"

#include <initializer_list>
#include <string_view>
#include <vector>

namespace gpupost {

void remove_attributes(std::vector<Attribute>& attributes, std::initializer_list<std::string_view> names);
// Replaces the attribute, or adds it.
void set_text(std::vector<Attribute>& attributes, std::string_view name, std::string_view text);

// Adapts the attributes of a camera to a picture whose frame was `before` and is the part `after` of it. Removes those
// that cannot be adapted.
void crop_frame(std::vector<Attribute>& attributes, const Window& before, const Window& after);
// The same for a frame that is mirrored.
void mirror_frame(std::vector<Attribute>& attributes, bool flips_x, bool flips_y);

}  // namespace gpupost
