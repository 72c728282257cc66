// An op is one record: the parser, the help, the documents, the plan and the tests are loops over these records.
#pragma once

#include "core/image/picture.h"
#include "core/image/primaries.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

struct Benchmark;
struct Call;
class PlanBuilder;

enum class ParamKind { flag, integer, number, choice, text };

// Must an option be given, and what is its value if it is not?
enum class Presence {
  has_default,
  optional,  // an integer or a number: NaN
  required,
};

// The values that an option of kind text takes.
struct TextForm {
  std::string_view syntax;                           // "WxH+X+Y"
  bool (*matches)(std::string_view text) = nullptr;  // is the text of that form?
  bool is_repeated = false;                          // may be given several times; a comma joins the values
};

// When an option changes the result. Null: always. To give it in another call is an error that names the requirement.
struct Effect {
  bool (*in)(const Call& call) = nullptr;
  std::string_view requirement;  // "--blades"
};

// One option of an op. On the command line it is `--name`, a positional one its value alone.
struct Param {
  std::string_view name;
  std::string_view help;
  ParamKind kind = ParamKind::number;
  double default_value = 0;  // of a choice: its index
  double min = 0, max = 0;   // inclusive; of integers and numbers
  std::string_view unit;     // "texels", "stops"; "" for a plain number
  std::vector<std::string_view> choices;
  TextForm form;
  Presence presence = Presence::has_default;
  bool is_positional = false;  // a choice or a text that stands behind the op's name by itself
  bool is_for_color = false;   // other channels go through the op as if it were not given
  Effect effect;
  bool is_for_measuring = false;  // its choices give the same result: `bench OP --list` names them, the help does not

  // As it is typed and as messages name it: "--levels", a positional one "axis".
  std::string typed_name() const;
};

// Numbers of the CPU reference: one component of a picture, rows from the top.
struct Plane {
  Size size;
  std::vector<double> values;
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

// The tolerance of an op that makes means: its reference of absolute values bounds both.
std::vector<Planes> tolerance_of_means(const Call& call, const Planes& base, const Planes& error, Depth depth);

// The tolerance of an op that moves numbers and makes none: the device may be off by nothing.
std::vector<Planes> exact_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth);

// The levels of a reference that takes each component by itself, all cores at work.
std::vector<Planes> by_component(Planes base, const std::function<std::vector<Plane>(Plane)>& reference);

// A texel's four numbers.
using Color = std::array<double, 4>;

// What a point op takes the first three numbers for: linear Rec.709, or CIE Y, x and y.
enum class PointSpace { rgb, yxy };

// Is the color that a point op works on multiplied by alpha?
enum class PointAlpha {
  premultiplied,
  straight,
  any,  // both give the same: the function of c times a number is that number times the function of c
};

// A member of the struct that a point op's function takes its values from.
struct ShaderParam {
  std::string name;
  double value = 0;
  bool is_integer = false;
  bool is_literal = false;  // stands in the generated text; else it is pushed
  int table_index = -1;     // where the plan has put what could not be pushed
};

// Floats that a point op made at run time reads. `float @NAME(int index)` in its text returns one of them; an index beyond
// the ends returns the nearest.
struct PointTable {
  std::string name;                                   // as the text calls it
  std::shared_ptr<const std::vector<float>> numbers;  // at least one; plans and passes share them
  bool operator==(const PointTable&) const = default;
};

// Stands before each name of file scope in the text of a point op made at run time. Where the text is used, a prefix that
// no other text there has takes its place.
inline constexpr char name_mark = '@';

// Who has written the text of a shader. The compiler takes the text of a user, or of a library that read a user's files, in a
// process of its own, since it may be invalid or hostile. A user's text may also run only for a short time.
enum class Author { gpupost, library, user };

// A point op as a pass does it while it loads or stores a texel.
struct FusedPoint {
  std::string name;    // of its function
  std::string kernel;  // the file of kernels/ that holds its function; empty if there is a text
  // GLSL made at run time: `struct @NAME_params`, whose members are `fields` or one int, and `vec4 @NAME(vec4 c,
  // @NAME_params p)`.
  std::string text;
  Author author = Author::user;    // of the text
  std::string file;                // of the text, for the compiler's messages
  std::vector<PointTable> tables;  // that the text reads
  // What the op has made the text from, for its reference. The op knows the type. Null: the reference needs nothing.
  std::shared_ptr<const void> origin;
  std::vector<ShaderParam> fields;
  PointSpace space = PointSpace::rgb;
  PointAlpha alpha = PointAlpha::premultiplied;
  bool reads_statistics = false;  // `statistics[]`, what passes before it have measured
};

// An op that makes each texel of itself alone: the function `vec4 NAME(vec4 c, NAME_params p)` of a file of kernels/, NAME the
// op's with _ for -.
struct Point {
  std::string_view kernel;  // the file
  PointSpace space = PointSpace::rgb;
  PointSpace (*space_of)(const Call& call) = nullptr;  // if calls differ in it
  PointAlpha alpha = PointAlpha::premultiplied;
  double relative_error = 0x1p-19;  // of its arithmetic in float, as a share of the largest of the result's components
  double absolute_error = 0;        // for each unit of alpha: where numbers nearly cancel
  // The members of its struct, in their order. Null: the op's parameters; numbers and integers are pushed, choices and flags
  // are literals.
  std::vector<ShaderParam> (*fields)(const Call& call) = nullptr;
  // The definition, in the op's own space and alpha. `picture` is the input of the op: linear Rec.709, premultiplied.
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

// The groups of ops in help and documents. core/ops/registry.cpp has their titles.
enum class OpGroup { none, size, blur, tone, color, channels, measure, custom };

// What help and documents say of an op.
struct Doc {
  OpGroup group = OpGroup::none;  // a test refuses none
  std::string_view summary;       // one line
  std::string_view description;   // what is computed, units, ranges and errors; a line for each paragraph
  std::string_view citation;      // the paper and equation, or where the rule comes from
  // Arguments behind the op's name. Tests run them, and their shaders are built in.
  std::vector<std::string_view> examples;
  std::vector<Note> (*notes)() = nullptr;  // of the choices of the first parameter, in their order
};

// What the result of an op is. Nothing may stand behind levels; statistics leave the picture as it is.
enum class Makes { picture, levels, statistics };

// The channels that go through an op: those of the color, or depth, ids and the like too, each by itself.
enum class Channels { color, all };

// What a call needs before it can run.
struct Needs {
  std::optional<Primaries> primaries;  // that R, G and B must have; empty: any
  bool depth = false;                  // call.depth
  std::string_view file;               // the parameter that names a file; call.source is what the file holds
  size_t most_file_bytes = 64 << 10;   // a larger file is an error
  std::vector<std::string> pictures;   // files that become call.inputs, in their order
  std::string_view front;              // why the call must be the first of its chain; "": it need not
};

// What the numbers of a color are.
enum class Content {
  color,
  data,       // R, G and B are not colors, like those of normal maps: no transfer curve, and no multiplication by alpha
  luminance,  // one number a texel
  display,    // encoded for display
  numbers,    // written as they are, neither decoded nor encoded: for a display, or of a log space
};

// A picture between two calls of a chain.
struct Output {
  Size size;        // of level 0; 0 x 0: not known yet
  Windows windows;  // of level 0; empty: not known, or all of it
  int level_count = 1;
  int layers = 1;
  bool has_alpha = false;
  Depth depth = Depth::half;
  Content content = Content::color;
  std::optional<Primaries> primaries;  // that a call has given to R, G and B; empty: none did
};

// A picture that a call takes beside the one that its chain is run on: linear Rec.709, premultiplied.
struct InputPicture {
  Output picture;                       // its depth is half or f32
  std::shared_ptr<const Level> texels;  // four numbers a texel; nullptr: not read yet
};

// The texels of the input that a texel of the result is made of.
struct Footprint {
  enum class Kind {
    texel,   // the same one
    around,  // those within the margin of the one under its middle
    moves,   // the nearest one, bit for bit
    levels,  // of each level, those of the level above
    whole,   // any of them: the picture cannot be tiled
  };
  Kind kind = Kind::whole;
  Margin margin = {};
  // The texel of the input that stands for one of the result if numbers must not be mixed; its column depends on the column
  // alone, its row on the row. Null: the same one.
  std::function<Position(Position)> nearest = {};
  std::function<Call(int levels)> by_level = {};  // of levels: the call that makes so many, each of the one above
  bool reads_once = false;     // each texel is loaded once, so that point ops before the call are fused into the loads
  bool counts_texels = false;  // a point op with a guard: no texel may go through it twice
  std::string_view smaller_tiles;  // the option with which tiles may be smaller; "": none
};

// The definition of an op, in double.
struct Reference {
  // All levels of the result, level 0 first.
  std::vector<Planes> (*levels)(const Call& call, Planes base) = nullptr;
  // What the device may be off by, level 0 first, if the input `base` is off by `error`.
  std::vector<Planes> (*tolerance)(const Call& call, const Planes& base, const Planes& error,
                                   Depth depth) = tolerance_of_means;
};

Needs needs_nothing(const Call& call);
Needs needs_rec709(const Call& call);
Output same_as_input(const Call& call, std::span<const Output> inputs);

struct Op {
  std::string_view name;
  Doc doc;
  std::vector<Param> params;
  // Throws Error(Exit::usage) if options contradict each other.
  void (*check)(const Call& call) = nullptr;
  // Makes call.shader. Called once for each call of the command line, before any picture is read. Throws Error(Exit::input)
  // or Error(Exit::usage).
  void (*prepare)(Call& call) = nullptr;
  Makes makes = Makes::picture;
  Channels channels = Channels::color;
  Needs (*needs)(const Call& call) = needs_nothing;
  // What the call makes of its inputs, the first of which is the picture of the chain. If their sizes are not known, neither is
  // that of the result. Throws Error(Exit::usage) if the call cannot be done on inputs of these sizes.
  Output (*output)(const Call& call, std::span<const Output> inputs) = same_as_input;
  // On an input of this size. Null: that of a point op is the texel, that of another the whole picture.
  Footprint (*footprint)(const Call& call, Size size) = nullptr;
  // Adapts attributes of the picture that the call makes wrong, and removes those that it cannot adapt.
  void (*change_attributes)(const Call& call, std::vector<Attribute>& attributes) = nullptr;
  Reference reference;
  // Of an op that makes each texel of itself alone; point_op() of core/op/point.h fills in the rest.
  std::optional<Point> point;
  // Appends the passes that do the call to the plan. Null: the planner fuses the point op, or adds a pass for it.
  void (*plan)(const Call& call, PlanBuilder& builder) = nullptr;
  const Benchmark* bench = nullptr;  // null: `bench` does not measure it

  const Param* param(std::string_view param_name) const;
};
// Are its numbers those of the input, moved at most?
bool is_exact(const Op& op);
Footprint footprint_of(const Call& call, Size size);

// One op as it was called, with a value for each of its row's parameters.
struct Call {
  const Op* op = nullptr;
  std::vector<double> values;      // as many as op->params, in their order
  std::vector<std::string> texts;  // likewise; empty but for parameters that are texts
  std::string source;              // what the file holds that the call needs
  // The point op that was made for this call at run time; null if its kernel is a file of kernels/.
  std::shared_ptr<const FusedPoint> shader;
  std::vector<InputPicture> inputs;  // the pictures that the call needs
  // The distances of the texels, in meters, if the call needs them; nullptr: not read yet.
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

// What a call, or a chain, makes of an input. A call takes its own inputs too.
Output output_of(const Call& call, const Output& input);
Output output_of(std::span<const Call> calls, Output input);
// What a chain makes of a picture of this size: level 0, and how many levels.
Size result_size(std::span<const Call> calls, Size size);
int result_level_count(std::span<const Call> calls, Size size);
// Where the result of a chain lies.
Windows result_windows(std::span<const Call> calls, const Windows& windows);
// Gives each call the windows of the picture before it.
void set_windows(std::span<Call> calls, Windows windows);
// The windows of the input of a call: those that `input` says, else those that the call was given, else all of it.
Windows windows_before(const Call& call, Size size);
Windows windows_before(const Call& call, const Output& input);
// Is level 0 of the result the input? Ops that make levels or numbers leave it as it is.
bool keeps_base(std::span<const Call> calls);
// Does a call of the chain make it such content?
bool makes_content(std::span<const Call> calls, Content content);
// Does a chain's result have an alpha?
bool has_alpha_behind(std::span<const Call> calls, bool has_alpha);
// How the numbers of the result are kept, where those of the picture are of `depth`.
Depth result_depth(std::span<const Call> calls, Depth depth);
// The calls of a chain that channels beside the color go through.
std::vector<Call> calls_for_other_channels(std::span<const Call> calls);

// A call with every parameter at its default, texts that have none empty.
Call default_call(const Op& op);

}  // namespace gpupost
