// An image in the middle of a canvas, by its display window: definition and pass. `pad`, `sheet` and `resize --pad` use it.
#pragma once

#include "core/op/point.h"
#include "core/plan/builder.h"

#include <string>
#include <string_view>

namespace gpupost {

struct Canvas {
  Size image;            // size of the image
  Size frame;            // size of the display window, which is centered on the canvas
  Position in_frame;     // position of the image in the display window
  Size size;             // size of the canvas, which may be smaller
  Color color;           // color around the image, premultiplied unless alpha is data
  int strip = 0;         // rows at the bottom of the canvas that are left free: the frame is centered above them
  bool repeats = false;  // the image's border texels are repeated around it; there is no color
};
// A canvas of this size for an image with these windows.
Canvas canvas_around(const Windows& windows, Size size);

// "R,G,B" or "R,G,B,A": linear and straight.
bool is_canvas_color(std::string_view word);
inline constexpr TextForm canvas_color_form{
    .syntax = "R,G,B[,A]", .range = "R, G and B in -65504..65504 and A in 0..1", .matches = is_canvas_color};
// Returns the color of an option, premultiplied unless alpha is data, or `other` if the option is not given.
Color canvas_color_of(const Call& call, std::string_view param_name, const Color& other);

// Position of texel (0, 0) of the canvas in the image.
Position corner_of(const Canvas& canvas);
// The texel of the image that is nearest to a position of the canvas.
Position nearest_on(const Canvas& canvas, Position at);
// The canvas becomes the data window and the display window.
Output canvas_output(const Canvas& canvas, Output image);
// Updates attributes that describe the frame. `windows` are those of the image.
void crop_to_canvas(const Canvas& canvas, const Windows& windows, std::vector<Attribute>& attributes);

// The definition.
Planes on_canvas(const Canvas& canvas, const Planes& image);
Planes canvas_tolerance(const Canvas& canvas, const Planes& error, Depth depth);

// Appends the pass that makes the region `made` of the canvas. The current image begins at `corner` of the whole image.
void plan_canvas(PlanBuilder& builder, std::string name, const Canvas& canvas, Position corner, const Region& made);

}  // namespace gpupost
