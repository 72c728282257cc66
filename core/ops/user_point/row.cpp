// A point op that its user has written: its row. What a file of one is, core/ops/user_point/file.h says.
#include "core/op/op.h"
#include "core/ops/user_point/file.h"

namespace gpupost {

static std::vector<Note> lines() {
  return {
      {.name = "//!point NAME HELP",
       .formula = "//!point vibrance dull colors more saturated, saturated ones less so",
       .text = "Name of the op and of its function, and what the op does. Required"},
      {.name = "//!space rgb|yxy",
       .formula = "//!space rgb",
       .text = "Color space that the function gets: linear Rec. 709 (rgb) or CIE Y, x, y (yxy); default rgb"},
      {.name = "//!alpha straight|premultiplied",
       .formula = "//!alpha straight",
       .text = "Whether the function gets straight or premultiplied color; default straight"},
      {.name = "//!param NAME DEFAULT MIN..MAX HELP",
       .formula = "//!param amount 0.5 -1..2 how much more saturated",
       .text = "Declares p.NAME, a number that --set NAME=NUMBER sets. One line per number"},
      {.name = "GLSL",
       .formula = "vec4 vibrance(vec4 c, vibrance_params p) { ... }",
       .text =
           "Functions and constants only: no directives, layouts, global variables or access to other texels. Names "
           "may be the same as names in gpupost or in another file"},
  };
}

// What the function does with R, G and B is not known.
static Needs needs(const Call&) { return {.primaries = rec709, .file = "file"}; }

// The function may return any alpha.
static Output output(const Call& call, std::span<const Output> inputs) {
  Output made = by_values(call, inputs);
  made.may_be_transparent = true;
  return made;
}

extern const Op users_point_op;
const Op users_point_op{
    .name = "point",
    .doc =
        {.group = OpGroup::custom,
         .summary = "Apply your own GLSL function to each texel",
         .description =
             "The file holds a function `vec4 NAME(vec4 c, NAME_params p)`, and a header in lines that begin with "
             "//!. docs/vibrance.glsl is an example. Like any point op, the function runs inside a neighboring pass "
             "if there is one. An image without alpha gets none from the function, but its color is still multiplied "
             "by the alpha that a function of straight color returns: return c.a.\nThe file is compiled in a "
             "sandboxed process, within 5 s and 512 MiB. An error in the file is exit code 2, and the message names "
             "the line. Local variables may take up to 262144 bytes, and the SPIR-V up to 65536 words with every call "
             "inlined. A shader that runs longer than --device-seconds is exit code 4. llvmpipe, Mesa's CPU device, "
             "ends each loop after 65535 iterations; results of longer loops are wrong. --verify refuses `point`, "
             "because there is no reference to compare with.",
         .citation = "The file; the header is modeled on the user shaders of mpv",
         .examples = {"docs/vibrance.glsl --set amount=0.8"},
         .notes = lines},
    .params = {{.name = "file",
                .help = "GLSL file with the function and a header",
                .kind = ParamKind::text,
                .form = {.syntax = "FILE.glsl",
                         .matches = [](std::string_view text) { return text.ends_with(".glsl"); }},
                .presence = Presence::required,
                .is_positional = true},
               {.name = "set",
                .help = "Set a number that the header of the file declares; may be given several times",
                .kind = ParamKind::text,
                .form = {.syntax = "NAME=NUMBER", .matches = is_setting, .is_repeated = true}}},
    .prepare = [](Call& call) { call.shader = std::make_shared<const FusedPoint>(fused_point_of_source(call)); },
    .needs = needs,
    .output = output,
    .point = Point{},
};

}  // namespace gpupost
