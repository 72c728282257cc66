#include "core/pipeline/texture_assembly.h"

#include "core/base/error.h"
#include "core/image/channel_names.h"
#include "core/image/cube.h"
#include "core/ops/prefilter/row.h"
#include "core/ops/project/mapping.h"
#include "core/ops/project/row.h"
#include "core/pipeline/pixel_formats.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace gpupost {

bool is_cube(Assembly assembly) { return assembly != Assembly::none && assembly != Assembly::array; }

bool is_cut(Assembly assembly) {
  return assembly == Assembly::cube_from_cross || assembly == Assembly::cube_from_strip;
}

Arrangement arrangement_of(Assembly assembly) {
  if (assembly == Assembly::none) return Arrangement::single;
  return is_cube(assembly) ? Arrangement::cube : Arrangement::array;
}

size_t calls_before_cut(std::span<const Call> calls, Assembly assembly) {
  if (!is_cut(assembly)) return 0;
  const auto last = std::find_if(calls.rbegin(), calls.rend(),
                                 [](const Call& call) { return makes_faces(call) || filters_cube(call); });
  return size_t(calls.rend() - last);
}

static std::string text_of(Size size) { return fmt::format("{} x {}", size.width, size.height); }

void check_cut(const std::string& input, Size size, Assembly assembly) {
  const bool is_cross = assembly == Assembly::cube_from_cross;
  if (!has_shape(is_cross ? Form::cross : Form::strip, size))
    fail(Exit::input, "{}: --assemble {}: it is {}; expected {} squares", input, name_of(assembly), text_of(size),
         is_cross ? "4 x 3 or 3 x 4" : "6 x 1 or 1 x 6");
}

std::vector<Picture> cut_faces(const std::string& input, const Picture& picture, Assembly assembly) {
  check_cut(input, picture.size(), assembly);
  return assembly == Assembly::cube_from_cross ? faces_of_cross(picture) : faces_of_strip(picture);
}

ColorType color_type_of(const Picture& picture) {
  const Group& color = picture.groups.front();
  return {.channels = fmt::format("{}", fmt::join(names_of(color), " ")), .depth = file_depth_of(color)};
}

static void demand_same(const std::string& input, const std::string& here, const std::string& first_input,
                        const std::string& first, Assembly assembly) {
  if (here != first)
    fail(Exit::input, "{}: --assemble {}: it is {}, but {} is {}", input, name_of(assembly), here, first_input, first);
}

void check_type(const std::string& input, const ColorType& type, const std::string& first_input, const ColorType& first,
                Assembly assembly) {
  if (assembly == Assembly::none) return;
  demand_same(input, "of " + type.channels, first_input, "of " + first.channels, assembly);
  const auto depth_text = [](Depth depth) { return fmt::format("of depth {}", name_of(depth)); };
  demand_same(input, depth_text(type.depth), first_input, depth_text(first.depth), assembly);
}

void check_alpha(const std::string& input, const Picture& picture, const std::string& first_input, const Picture& first,
                 Assembly assembly) {
  if (assembly == Assembly::none) return;
  const auto text_of_alpha = [](const Group& color) {
    return !color.has_alpha() ? "without alpha" : color.is_data ? "of alpha that is data" : "of alpha that is opacity";
  };
  demand_same(input, text_of_alpha(picture.groups.front()), first_input, text_of_alpha(first.groups.front()), assembly);
}

void check_size(const std::string& input, Size written, const std::string& first_input, Size first, Assembly assembly) {
  if (assembly == Assembly::none) return;
  if (is_cube(assembly) && written.width != written.height)
    fail(Exit::input, "{}: --assemble {}: it is written as {}; a face of a cube is square", input, name_of(assembly),
         text_of(written));
  demand_same(input, "written as " + text_of(written), first_input, "written as " + text_of(first), assembly);
}

}  // namespace gpupost
