// An op is one record: the parser, the help, the documents, the plan and the tests are loops over these records.
#pragma once

#include "core/image/picture.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

struct Call;
struct PrimariesChange;
class PlanBuilder;

enum class ParamKind { flag, integer, number, choice, text };

// One option of an op. On the command line it is `--name`, a positional one its value alone.
struct Param {
  std::string_view name;
  std::string_view help;
  ParamKind kind = ParamKind::number;
  double default_value = 0;  // of a choice: its index
  double min = 0, max = 0;   // inclusive; of integers and numbers
  std::string_view unit;     // "texels", "stops"; "" for a plain number
  std::vector<std::string_view> choices;
  std::string_view syntax;                                  // of a text: "WxH+X+Y"
  bool (*matches_syntax)(std::string_view text) = nullptr;  // of a text: is it of that form?
  bool is_required = false;                                 // has no default
  bool is_optional = false;    // an integer or a number without a default: not-a-number till given
  bool is_positional = false;  // a choice or a text that stands behind the op's name by itself
  bool is_repeated = false;    // of a text: may be given several times, and is then one with commas between them
  bool is_for_color = false;   // other channels go through the op as if it were not given
  // Of one that means nothing in some calls: does it mean something in this one, and what do the others lack? Those are
  // refused.
  bool (*has_effect)(const Call& call) = nullptr;
  std::string_view requirement = "";  // "--blades"

  // As it is typed and as messages name it: "--levels", a positional one "axis".
  std::string typed_name() const;
  bool is_for_measuring =
      false;  // its choices do the same in other ways: `bench OP --list` names them, the help does not
};

// Numbers of the CPU reference: one component of a picture, rows from the top.
struct Plane {
  Size size;
  std::vector<double> values;
};

// What an op cannot be faster than: one pass that reads each texel of the picture once, and writes as many, a third as
// many, or none; or the bytes that its own passes move, at the speed of a copy.
enum class Floor { copy, third, read, bytes };

// What an op is measured at beside size and format: a value of one of its parameters, behind each variant's arguments.
struct Setting {
  std::string_view param;  // "radius"; "": none
  int value = 0;           // over 0, a plot's axis is its logarithm
  bool operator==(const Setting&) const = default;

  std::string text() const;  // "--radius 7", or ""
};

// What a document claims of the row's variants: how much faster `faster` is than `slower`, or where `slower` is empty, how
// long `faster` takes.
struct Claim {
  std::string_view what;     // "the threads' order"
  std::string_view claimed;  // "about +8 %", "0.17 ms"
  std::string_view where;    // the document and its device
  std::vector<Size> sizes;
  std::vector<Depth> depths;
  Setting setting;                                      // of a row that has settings
  std::string_view slower, faster;                      // arguments
  bool slower_is_half = false, faster_is_half = false;  // --fp16
};

// Curves that a document shows without their numbers: the times of variants against settings, at the sizes and formats of
// the row.
struct Graph {
  std::string_view what;
  std::string_view where;  // the document and its device
  std::vector<Setting> settings;
  std::vector<std::string_view> variants;  // arguments
};

// What `bench` measures of an op; without sizes it measures nothing.
struct Benchmark {
  Floor floor = Floor::copy;
  std::vector<Size> sizes;
  std::vector<Size> cpu_sizes;        // where the device is a CPU
  std::vector<Depth> depths;          // of the images
  std::vector<Setting> settings;      // empty: the op needs none
  std::vector<Setting> cpu_settings;  // where the device is a CPU
  std::vector<Claim> claims;          // held against the device by `bench --documents`
  std::vector<Graph> graphs;          // likewise
  std::string_view remark;            // on what is claimed, a sentence
};

// The four components of a picture, of one size.
using Planes = std::array<Plane, 4>;

constexpr Size size_of(const Planes& planes) { return planes[0].size; }
Planes absolute(Planes planes);

// How far from its own place a texel of the result looks, in texels to each side.
struct Margin {
  int x = 0, y = 0;
  bool wraps = false;  // beyond the picture it sees the picture again
};

// The tolerance of an op whose row names none.
std::vector<Planes> tolerance_of_means(const Call& call, const Planes& base, const Planes& error, Depth depth);

// The levels of a reference that takes each component by itself, all cores at work.
std::vector<Planes> by_component(Planes base, const std::function<std::vector<Plane>(Plane)>& reference);

// A texel's four numbers.
using Color = std::array<double, 4>;

// What a point op takes the first three numbers for: linear Rec.709, or CIE Y, x and y.
enum class PointSpace { rgb, yxy };

// A member of the struct that a point op's function takes its values from.
struct ShaderParam {
  std::string name;
  double value = 0;
  bool is_integer = false;
  bool is_literal = false;  // stands in the generated text; else it is pushed
  int table_index = -1;     // where the plan has put what could not be pushed
};

// An op that makes each texel of itself alone: the function `vec4 NAME(vec4 c, NAME_params p)` of kernels/point_NAME.glsl, NAME
// the op's with _ for -.
struct Point {
  std::string_view kernel;  // a file of kernels/: holds the function
  PointSpace space = PointSpace::rgb;
  PointSpace (*space_of)(const Call& call) = nullptr;  // where calls differ in it
  bool is_straight = false;                            // works on color that is not multiplied by alpha
  bool takes_any_alpha =
      false;  // is the same either way: of c times a number it makes that number times what it makes of c
  bool reads_statistics = false;  // `statistics[]`, what passes before it have measured
  double relative_error =
      0x1p-19;                // error of its arithmetic in float, relative to the largest of the result's components
  double absolute_error = 0;  // likewise, for each unit of alpha, but not relative: where numbers nearly cancel
  // What its struct holds, in its order; a field a parameter where there is none: numbers and integers pushed, choices and
  // flags literals.
  std::vector<ShaderParam> (*fields)(const Call& call) = nullptr;
  // The definition, in the op's own space and alpha. `picture` is all that there is before the op: linear Rec.709,
  // premultiplied.
  std::function<Color(const Color&)> (*texel)(const Call& call, const Planes& picture) = nullptr;
  // Does the call leave every texel as it is?
  bool (*is_identity)(const Call& call) = nullptr;
  // Does it need more than the texel, so that it has passes of its own?
  bool (*has_passes)(const Call& call) = nullptr;
};

// What a choice of a row's first parameter stands for, beside the help of the parameter.
struct Note {
  std::string_view name;  // of the choice
  std::string_view formula;
  std::string text;
};

struct Op {
  std::string_view name;
  std::string_view help;         // one line
  std::string_view description;  // shapes, units, ranges and errors in a sentence or two
  std::string_view source;       // the paper and equation, or where the rule comes from
  std::vector<Param> params;
  bool makes_levels = false;     // adds mip levels to the picture; nothing may follow such an op
  bool every_channel = false;    // works on each channel by itself: depth, ids and the like go through it too
  bool makes_luminance = false;  // its result is one number a texel, Y, in floats
  bool is_exact = false;         // moves numbers and makes none: the device may be off by nothing
  bool reads_once = false;       // its passes load each texel once: point ops before it are done as they do
  bool passes_through = false;   // leaves the picture as it is and makes numbers of it, for the host
  bool takes_rec709 = false;     // what it makes depends on what R, G and B are, as luminance does
  bool (*takes_rec709_in)(const Call& call) = nullptr;  // the same of a row whose calls differ in it
  bool result_is_display = false;                       // its result is encoded for display
  bool takes_source = false;  // its user has written it: it has no reference, and nothing of it is built in
  bool reads_depth = false;   // its calls need the distance of each texel
  std::vector<std::string_view> examples;  // arguments after the op's name, as they are tested and built in

  // Other ways to do the same, as arguments behind the op's name: what `bench` compares and `tune` chooses from. The
  // first is what the others are compared with.
  std::vector<std::string> (*variants)() = nullptr;
  Benchmark benchmark;
  // Levels of the result, 1 where there is none.
  int (*level_count)(const Call& call, Size size) = nullptr;
  // Size of the result's level 0, that of the input where there is none. Throws Error(Exit::usage) where the call cannot
  // be done on a picture of that size.
  Size (*result_size)(const Call& call, Size size) = nullptr;
  // Where the result lies, the windows of the input where there is none.
  Windows (*result_windows)(const Call& call, const Windows& windows) = nullptr;
  // The primaries that a call converts from and to. Null, or a null result: the call leaves them.
  const PrimariesChange* (*changes_primaries)(const Call& call) = nullptr;
  // Adapts attributes of the picture that the call makes wrong, and removes those that it cannot adapt. Null: there are none.
  void (*change_attributes)(const Call& call, std::vector<Attribute>& attributes) = nullptr;
  // The texel of an input of size `from` that stands for a texel of the result where numbers must not be mixed, the one
  // under its middle where there is none. Its column depends on the column alone, its row on the row.
  Position (*nearest_texel)(const Call& call, Size from, Position at) = nullptr;
  // The definition in double: all levels of the result, level 0 first.
  std::vector<Planes> (*reference)(const Call& call, Planes base) = nullptr;
  // What the device may be off by, level 0 first, where the input `base` itself is off by `error`. Where there is none the
  // op makes means: its reference of absolute values bounds both.
  std::vector<Planes> (*tolerance)(const Call& call, const Planes& base, const Planes& error, Depth depth) = nullptr;
  // Are R, G and B numbers that are no colors, like those of normal maps? Then they are neither decoded from sRGB nor
  // multiplied by alpha, and are written as they are.
  bool (*takes_data)(const Call& call) = nullptr;
  // Does the result have an alpha where the input has none?
  bool (*adds_alpha)(const Call& call) = nullptr;
  // Has it none where the input has one?
  bool (*drops_alpha)(const Call& call) = nullptr;
  // Where the result may be made in parts, each of the part of the picture that it reaches, around the texel under its
  // middle where the size changes. Point ops need not say so.
  std::optional<Margin> (*reach)(const Call& call, Size size) = nullptr;
  // Options with which parts may be smaller, "" where they cannot be.
  std::string_view smaller_parts;
  // Of an op that makes levels: the call that makes `levels` of them, the base counted, each of the one above alone;
  // nothing where they are made otherwise.
  std::optional<Call> (*level_by_level)(const Call& call, int levels) = nullptr;
  // Must a call like this be the first of its chain? Then it returns why, for the error message; else "".
  std::string_view (*must_be_first)(const Call& call) = nullptr;
  // Throws Error(Exit::usage) where options are given that mean nothing together.
  void (*check)(const Call& call) = nullptr;
  // What help and documents say of the choices of the first parameter, in their order.
  std::vector<Note> (*notes)() = nullptr;
  // Of an op that makes each texel of itself alone; point_op() of core/op/point.h fills in the rest.
  std::optional<Point> point;
  // Appends the passes that do the call to the plan. A point op needs none: the planner fuses it or adds a pass for it.
  void (*plan)(const Call& call, PlanBuilder& builder) = nullptr;

  const Param* param(std::string_view param_name) const;
};

// One op as it was called, with a value for each of its row's parameters.
struct Call {
  const Op* op = nullptr;
  std::vector<double> values;      // as many as op->params, in their order
  std::vector<std::string> texts;  // likewise; empty but for parameters that are texts
  std::string source;              // of an op that takes one: what its file holds
  // Of an op that reads_depth: the distances of the texels that it works on, in meters; nullptr: not read yet.
  std::shared_ptr<const Plane> depth;
  Windows windows;  // of the picture before the call; empty: that is the whole frame and begins at (0, 0)

  double number(std::string_view param_name) const;
  int integer(std::string_view param_name) const { return int(number(param_name)); }
  bool flag(std::string_view param_name) const { return number(param_name) != 0; }
  std::string_view choice(std::string_view param_name) const;
  bool has(std::string_view param_name) const;                 // is it given, or does it have a default?
  const std::string& word(std::string_view param_name) const;  // of a text
  // As it would be typed, without the values that are defaults: "mips --levels 3".
  std::string text() const;
  std::string text_of(const Param& param) const;  // of one of its parameters: "--levels 3"
  bool is_default(const Param& param) const;
  // The same with another value of a parameter; of a choice that is its index.
  Call with(std::string_view param_name, double value) const;
};

// What a chain makes of a picture of this size: level 0, and how many levels.
Size result_size(std::span<const Call> calls, Size size);
int result_level_count(std::span<const Call> calls, Size size);
// Where the result of a chain lies.
Windows result_windows(std::span<const Call> calls, Windows windows);
// Gives each call the windows of the picture before it.
void set_windows(std::span<Call> calls, Windows windows);
// The windows of a call's input, which has this size.
Windows windows_before(const Call& call, Size size);
// Is level 0 of the result the input? Ops that make levels or numbers leave it as it is.
bool keeps_base(std::span<const Call> calls);
// What the rows say of any of its calls.
bool takes_data(std::span<const Call> calls);
bool takes_rec709(const Call& call);
// Does a chain's result have an alpha where its input has one, or has none? The last op that says so decides.
bool has_alpha_behind(std::span<const Call> calls, bool has_alpha);
bool makes_luminance(std::span<const Call> calls);
// How the numbers of the result are kept, where those of the picture are of `depth`.
Depth result_depth(std::span<const Call> calls, Depth depth);
// The calls of a chain that channels beside the color go through.
std::vector<Call> calls_for_other_channels(std::span<const Call> calls);

// A call with every parameter at its default, texts that have none empty.
Call default_call(const Op& op);

}  // namespace gpupost
