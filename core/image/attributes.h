// Updates attributes of EXR headers that ops make wrong.
#pragma once

#include "core/image/picture.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// Returns whether an attribute that every EXR has carries no information, because it has the usual value. Chromaticities count too:
// outputs record primaries or are Rec. 709.
bool is_default_attribute(const Attribute& attribute);

// Names of the attributes that are no default attributes.
std::vector<std::string> names_with_information(const std::vector<Attribute>& attributes);
// The warning of names that `attributes` no longer has; empty if it has all.
std::optional<std::string> warning_of_removed(const std::vector<std::string>& before,
                                              const std::vector<Attribute>& attributes);

// The texts of an attribute of type stringvector: for each its length, and its characters. Empty if the bytes are not that.
std::optional<std::vector<std::string>> string_vector(std::span<const std::byte> value);

void remove_attributes(std::vector<Attribute>& attributes, std::initializer_list<std::string_view> names);
// Removes the names of the color space, for other colors.
void remove_color_names(std::vector<Attribute>& attributes);
// Sets an attribute.
void set_text(std::vector<Attribute>& attributes, std::string_view name, std::string_view text);

// Updates camera attributes for an image whose frame was `before` and is now its part `after`. Removes those that
// cannot be updated.
void crop_frame(std::vector<Attribute>& attributes, const Window& before, const Window& after);
// Returns whether the attribute envmap says that the image is a cube map, in OpenEXR's layout.
bool is_openexr_cube(const std::vector<Attribute>& attributes);
// Updates camera attributes for a mirrored frame.
void mirror_frame(std::vector<Attribute>& attributes, bool flips_x, bool flips_y);
// The same for a frame whose rows and columns change places. The camera is removed: programs have none that is mirrored at a
// diagonal.
void transpose_frame(std::vector<Attribute>& attributes);
// Removes the attributes of the camera, for a frame that no camera has.
void remove_camera(std::vector<Attribute>& attributes);

}  // namespace gpupost
