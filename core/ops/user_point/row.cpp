// A point op that its user has written: its row. What a file of one is, core/ops/user_point/file.h says.
#include "core/ops/user_point/row.h"
#include "core/ops/user_point/file.h"

namespace gpupost {

static std::vector<Note> lines() {
  return {
      {.name = "//!point NAME HELP",
       .formula = "//!point vibrance dull colors more saturated, saturated ones less so",
       .text = "begins the file: the op's name, which is its function's, and what it does"},
      {.name = "//!space rgb|yxy",
       .formula = "//!space rgb",
       .text = "what the function takes c for: linear Rec.709, or CIE Y, x and y; without the line rgb"},
      {.name = "//!alpha straight|premultiplied",
       .formula = "//!alpha straight",
       .text = "is color multiplied by alpha? Without the line it is not: straight"},
      {.name = "//!param NAME DEFAULT LEAST..MOST HELP",
       .formula = "//!param amount 0.5 -1..2 how much more saturated",
       .text = "a number p.NAME, which --set NAME=NUMBER gives; as many such lines as there are numbers"},
      {.name = "GLSL",
       .formula = "vec4 vibrance(vec4 c, vibrance_params p) { ... }",
       .text = "functions and constants alone: no directives, no layouts, no variables of the file, nothing of other "
               "texels; their names are the file's own, whatever gpupost or another file calls by them"},
  };
}

// What the function does with R, G and B is not known.
static Needs needs(const Call&) { return {.primaries = rec709, .file = "file"}; }

const Op users_point_op{
    .name = "point",
    .doc =
        {.summary = "an op of your own: what a GLSL function makes of each texel",
         .description =
             "The file holds a function `vec4 NAME(vec4 c, NAME_params p)` and, in lines that begin with //!, a "
             "header; docs/vibrance.glsl is an example. It is done as any other point op is: as other passes load and "
             "store, or in one pass with those beside it. The file is read with the command line and compiled in a "
             "process of its own, in at most 5 s and 512 MiB; what is wrong with it is exit 2 and names the line. Its "
             "variables may take 32 KiB, and its SPIR-V 65,536 words with every call expanded. There is no definition "
             "to hold the result against: --verify refuses a chain with it. A shader that has not finished after "
             "--device-seconds is exit 4. llvmpipe leaves every loop after 65,535 rounds, with wrong numbers.",
         .citation = "the file; its header is after the user shaders of mpv",
         .examples = {"docs/vibrance.glsl --set amount=0.8"},
         .notes = lines},
    .params = {{.name = "file",
                .help = "the op's file",
                .kind = ParamKind::text,
                .form = {.syntax = "FILE.glsl",
                         .matches = [](std::string_view text) { return text.ends_with(".glsl"); }},
                .presence = Presence::required,
                .is_positional = true},
               {.name = "set",
                .help = "a number that the file's header declares; may be given for each of them",
                .kind = ParamKind::text,
                .form = {.syntax = "NAME=NUMBER", .matches = is_setting, .is_repeated = true}}},
    .prepare = [](Call& call) { call.shader = std::make_shared<const FusedPoint>(fold_of_source(call)); },
    .needs = needs,
    .point = Point{},
};

}  // namespace gpupost
