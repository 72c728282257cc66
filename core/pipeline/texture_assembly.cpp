#include "core/pipeline/texture_assembly.h"

#include "core/base/error.h"
#include "core/image/channel_names.h"
#include "core/image/cube.h"

#include <fmt/ranges.h>

namespace gpupost {

bool is_cube(Assembly assembly) { return assembly != Assembly::none && assembly != Assembly::array; }

Arrangement arrangement_of(Assembly assembly) {
  if (assembly == Assembly::none) return Arrangement::single;
  return is_cube(assembly) ? Arrangement::cube : Arrangement::array;
}

static std::string text_of(Size size) { return fmt::format("{} x {}", size.width, size.height); }

std::vector<Picture> cut_faces(const std::string& input, const Picture& picture, Assembly assembly) {
  const bool is_cross = assembly == Assembly::cube_from_cross;
  std::vector<Picture> faces = is_cross ? faces_of_cross(picture) : faces_of_strip(picture);
  if (faces.empty())
    fail(Exit::input, "{}: --assemble {}: it is {}; expected {} squares", input, name_of(assembly),
         text_of(picture.size()), is_cross ? "4 x 3 or 3 x 4" : "6 x 1 or 1 x 6");
  return faces;
}

ImageShape shape_of(const Picture& picture) {
  const Group& color = picture.groups.front();
  return {.size = picture.size(), .channels = fmt::format("{}", fmt::join(names_of(color), " ")), .depth = color.depth};
}

void check_fits(const std::string& input, const ImageShape& shape, const std::string& first_input,
                const ImageShape& first, Assembly assembly) {
  if (assembly == Assembly::none) return;
  if (is_cube(assembly) && shape.size.width != shape.size.height)
    fail(Exit::input, "{}: --assemble {}: it is {}; a face of a cube is square", input, name_of(assembly),
         text_of(shape.size));
  const auto demand_same = [&](const std::string& here, const std::string& there) {
    if (here != there)
      fail(Exit::input, "{}: --assemble {}: it is {}, but {} is {}", input, name_of(assembly), here, first_input,
           there);
  };
  demand_same(text_of(shape.size), text_of(first.size));
  demand_same("of " + shape.channels, "of " + first.channels);
  demand_same(fmt::format("of depth {}", name_of(shape.depth)), fmt::format("of depth {}", name_of(first.depth)));
}

}  // namespace gpupost
