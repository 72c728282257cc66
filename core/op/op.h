// The record of an op. The parser, the help, the documents, the planner and the tests are loops over these records.
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

// Whether an option is required, and its value if it is not given.
enum class Presence {
  has_default,
  optional,  // integers and numbers are NaN if not given
  required,
};

// The syntax of an option of kind text.
struct TextForm {
  std::string_view syntax;                           // "WxH+X+Y"
  std::string_view range = {};                       // valid values, for messages: "A in 0..1"; "": the syntax says all
  bool (*matches)(std::string_view text) = nullptr;  // returns whether the text is valid
  bool is_repeated = false;                          // if given several times, commas join the values
};

// When an option has an effect. A null function means always. If an option has no effect in a call, giving it is an
// error that names the requirement.
struct Effect {
  bool (*in)(const Call& call) = nullptr;
  std::string_view requirement;  // "--blades"
};

// One option of an op. On the command line it is `--name VALUE`; a positional option is only its value.
struct Param {
  std::string_view name;
  std::string_view help;
  ParamKind kind = ParamKind::number;
  double default_value = 0;  // for a choice, its index
  double min = 0, max = 0;   // inclusive range of integers and numbers
  std::string_view unit;     // "texels", "stops"; "" for a plain number
  std::vector<std::string_view> choices;
  TextForm form;
  Presence presence = Presence::has_default;
  bool is_positional = false;  // a choice or a text without `--name`
  bool is_for_color = false;   // ignored for channels other than color
  Effect effect;
  bool is_for_measuring = false;  // all choices give the same result; `bench OP --list` lists them, help does not

  // The name for messages: "--levels", or "axis" if positional.
  std::string typed_name() const;
  // The possible values, for help and messages: "auto|single-pass|per-level", "0..16 texels", "FILE.cube"; "" for a flag.
  std::string value_text() const;
};

// One component of an image in the CPU reference, row by row from the top.
struct Plane {
  Size size;
  std::vector<double> values;
};

// The four components of an image. All have the same size.
using Planes = std::array<Plane, 4>;

constexpr Size size_of(const Planes& planes) { return planes[0].size; }
Planes absolute(Planes planes);

// How many texels to each side an op reads around a texel.
struct Margin {
  int x = 0, y = 0;
  bool wraps = false;  // reads beyond the border continue at the opposite side
};

// Tolerance of an op that computes weighted means: the reference of the absolute values bounds both error and rounding.
std::vector<Planes> tolerance_of_means(const Call& call, const Planes& base, const Planes& error, Depth depth);

// Tolerance 0, for an op that only moves values.
std::vector<Planes> exact_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth);

// Applies a reference of one component to all four, in parallel.
std::vector<Planes> by_component(Planes base, const std::function<std::vector<Plane>(Plane)>& reference);

// The four values of a texel.
using Color = std::array<double, 4>;

// Color space of the first three values that a point op gets: linear Rec. 709, or CIE Y, x and y.
enum class PointSpace { rgb, yxy };

// Whether a point op gets premultiplied or straight color.
enum class PointAlpha {
  premultiplied,
  straight,
  any,  // both give the same result, because f(k c) = k f(c)
};

// A member of the struct of parameters of a point op.
struct ShaderParam {
  std::string name;
  double value = 0;
  bool is_integer = false;
  bool is_literal = false;                         // a constant in the generated text; otherwise a push constant
  int table_index = -1;                            // set by the planner if the value did not fit in the push constants
  std::span<const std::string_view> choices = {};  // names of its values; the kernel gets NAN_POLICY_ZERO and so on
};

// A table of floats for a point op whose text is made at run time. `float @NAME(int index)` reads it; an index outside
// the table reads the nearest end.
struct PointTable {
  std::string name;                                   // used in the text
  std::shared_ptr<const std::vector<float>> numbers;  // not empty; shared by plans and passes
  bool operator==(const PointTable&) const = default;
};

// Marks each name of file scope in the text of a point op that is made at run time. The planner replaces it by a unique
// prefix.
inline constexpr char name_mark = '@';

// The author of a shader's text. Text of a user, or of a library that read a user's files, may be invalid or hostile,
// so it is compiled in a sandboxed process. Text of a user also has a time limit on the device.
enum class Author { gpupost, library, user };

// A point op that a pass applies when it loads or stores a texel.
struct FusedPoint {
  std::string name;    // name of its GLSL function
  std::string kernel;  // file of kernels/ with the function; empty if `text` has it
  // GLSL made at run time: `struct @NAME_params` with the members of `fields` (or one int), and `vec4 @NAME(vec4 c,
  // @NAME_params p)`.
  std::string text;
  Author author = Author::user;    // author of the text
  std::string file;                // file name of the text, for the messages of the compiler
  std::vector<PointTable> tables;  // tables that the text reads
  // The data from which the op made the text, for its reference. Only the op knows the type. Null if the reference
  // needs nothing.
  std::shared_ptr<const void> origin;
  std::vector<ShaderParam> fields;
  PointSpace space = PointSpace::rgb;
  PointAlpha alpha = PointAlpha::premultiplied;
  bool reads_statistics = false;  // reads `statistics[]`, which earlier passes measured
  // The op of the call, for messages: its kernel may be that of another op. Set by the planner; "" before.
  std::string_view op;

  // Drivers put the text of a point op wherever its pass loads or stores a texel. Compiling a long text several times takes
  // longer than a pass of its own, in which it stands once: for a view of ACES, 0.2 s for 3.8 s on a CPU device and 0.4 s for
  // 3.1 s on an H100, where the pass takes the same time. So a long one gets its own pass.
  bool is_long() const { return text.size() > 4000; }
};

// An op that computes each texel only from the same texel of its input. Its GLSL function is `vec4 NAME(vec4 c,
// NAME_params p)`, with the name of the op and _ for -.
struct Point {
  std::string_view kernel;  // file of kernels/ with the function
  PointSpace space = PointSpace::rgb;
  PointSpace (*space_of)(const Call& call) = nullptr;  // set if the space depends on the call
  PointAlpha alpha = PointAlpha::premultiplied;
  // Rounding error of its float arithmetic, relative to the largest component of the result.
  double relative_error = 0x1p-19;
  double absolute_error = 0;  // absolute error per unit of alpha, for values that nearly cancel
  // The members of its struct, in order. Null: the options of the op. Numbers and integers are then push constants,
  // choices and flags are constants.
  std::vector<ShaderParam> (*fields)(const Call& call) = nullptr;
  // The definition, in the op's own space and alpha. `picture` is the input of the op in linear Rec. 709,
  // premultiplied.
  std::function<Color(const Color&)> (*texel)(const Call& call, const Planes& picture) = nullptr;
  // Returns whether the call changes no texel.
  bool (*is_identity)(const Call& call) = nullptr;
  // Returns whether the call reads other texels too, so that it needs its own passes.
  bool (*has_passes)(const Call& call) = nullptr;
};

// Help for one choice of an op's first option.
struct Note {
  std::string_view name;  // name of the choice
  std::string_view formula;
  std::string text;
};

// The groups of ops in help and documents. core/ops/registry.cpp has their titles.
enum class OpGroup { none, size, filter, blur, combine, tone, color, channels, measure, custom };

// The text of help and documents.
struct Doc {
  OpGroup group = OpGroup::none;  // must not be none
  std::string_view summary;       // one line without a period
  std::string_view description;   // what is computed, units, ranges and errors; each line is a paragraph
  std::string_view citation;      // source: a paper and equation, or a standard
  // Arguments after the op's name. Tests run them, and the build compiles their shaders.
  std::vector<std::string_view> examples;
  std::vector<Note> (*notes)() = nullptr;  // help for the choices of the first option, in order
};

// Result of an op. Levels and cells end the chain. Statistics leave the image unchanged. `sheet` makes a cell: the results of all
// inputs are the cells of one image.
enum class Makes { picture, levels, statistics, cell };

// The channels that an op processes: only color, or also depth, ids and other channels, each separately.
enum class Channels { color, all };

// An image file that is read into call.inputs.
struct NeededPicture {
  std::string path;                    // {frame} stands for the frame number of the image
  bool is_data = false;                // it is read as data, in 32-bit float: no conversion of colors or alpha
  bool needs_float = false;            // its values may be below 0, so that a file of integers is an error
  std::string_view alpha_option = {};  // option that takes its alpha, so that a file without alpha causes a warning
};

// When images of a chain are stored as float, although half is enough for input and output: never, if the input has 8 bits, because
// halves round most of its values, or always.
enum class FloatStorage { never, of_bytes, always };

// The requirements of a call.
struct Needs {
  std::optional<Primaries> primaries;  // required primaries of R, G and B; empty: any
  bool luminance = false;              // takes the luminance of linear light, in the primaries that it has
  bool depth = false;                  // requires call.depth
  FloatStorage floats = FloatStorage::never;
  bool takes_encoded = false;           // may expect values of a file as they are, not linear light
  std::string_view file;                // name of the option with a file, which is read into call.source; empty: none
  size_t most_file_bytes = 64 << 10;    // limit for that file
  std::vector<std::string> files;       // other files that `prepare` reads
  std::vector<NeededPicture> pictures;  // in the order of call.inputs
  std::string_view alpha_option;        // option that has no effect on an image without alpha; empty: none
  std::string_view front;               // why the call must be first in its chain; empty if it need not be
  bool only_content = false;            // the pipeline crops the input to its texels with content before the chain
  // Why the call cannot take an image with the windows call.windows; empty if it can. The pipeline refuses such images. Plans and
  // the definition accept them.
  std::string wrong_windows;
  std::string warning;  // about the result for an image with the windows call.windows; empty: none
};

// The meaning of the values of a color.
enum class Content {
  color,
  data,       // not colors, for example normal maps: no transfer curve, no multiplication by alpha
  luminance,  // one value per texel
  display,    // encoded for a display
  numbers,    // encoded for a display or in a log space; written without decoding or encoding
};

// The curve and the primaries of encoded colors.
struct ColorEncoding {
  Transfer transfer = Transfer::srgb;
  Primaries primaries = rec709;
};

// Properties of an image between two calls of a chain.
struct Output {
  Size size;        // size of level 0; 0 x 0: not known yet
  Windows windows;  // windows of level 0; empty: not known, or the whole image
  int level_count = 1;
  int layers = 1;
  bool has_alpha = false;
  bool may_be_transparent = false;            // some texels may have an alpha other than 1, even without a channel A
  bool colors_transparent = false;            // texels with alpha 0 have a straight color, which is not to be added up
  bool is_straight = false;                   // color was divided by alpha, which float files record
  GrayResult gray_result = GrayResult::gray;  // what the calls so far make of a gray image
  Depth depth = Depth::half;
  Content content = Content::color;
  SeamValue seam = SeamValue::mean;       // for levels of a cube
  std::optional<Primaries> primaries;     // primaries that a call gave to R, G and B; empty: none
  std::optional<ColorEncoding> encoding;  // of Content::numbers; empty: not known
};

// A second input of a call, in linear Rec. 709, premultiplied, or data.
struct InputPicture {
  Output picture;                       // its depth must be half or f32
  std::shared_ptr<const Level> texels;  // four values per texel; nullptr: not read yet
};

// The texels of the input that a texel of the result depends on.
struct Footprint {
  enum class Kind {
    texel,   // the same texel
    around,  // texels within the margin around the corresponding position
    moves,   // one texel, copied bit for bit
    levels,  // the result is levels; each is made from the level above
    whole,   // any texel: the image cannot be tiled
  };
  Kind kind = Kind::whole;
  Margin margin = {};
  // Returns the region of the input that a region of the result depends on. Null: the corresponding region with the margin.
  // It may go on beyond the right and the lower border; texels there are those at the opposite side.
  std::function<Region(const Region& made)> region = {};
  // The input texel to copy for a result texel, for channels that must not be mixed. Its x may depend only on x, its y
  // only on y. Null: the same position.
  std::function<Position(Position)> nearest = {};
  // The same where x and y depend on both. {-1, -1}: no texel, so that the result is 0.
  std::function<Position(Position)> copied = {};
  bool swaps_axes = false;  // nearest swaps the axes: its x depends only on y, its y only on x
  // Calls that together do the same, for an op whose tiles cannot overlap by the texels that all its passes reach. Images between
  // them are stored in the depth of the input. Empty: the call itself runs in tiles.
  std::vector<Call> steps;
  // For levels: returns the footprint of one level in the level above. Sizes are those of both levels.
  std::function<Footprint(Size from, Size to)> of_level = {};
  // For levels that are scaled when all are made: returns the scale of each level from 1 on. `counts`: for each level, what is
  // counted at its places between four texels.
  using Counts = std::vector<uint64_t>;
  std::function<std::vector<float>(std::span<const Size> sizes, std::span<const Counts> counts)> scales_of = {};
  // For an op that first measures the whole image: returns the call of `stats` that measures the same. That call runs on
  // each tile first, and the planner gets the result in PlanInput::measured.
  std::function<Call()> measure = {};
  bool reads_once = false;     // loads each texel once, so that the planner fuses earlier point ops into the loads
  bool counts_texels = false;  // has a guard that counts texels, so that no texel may be processed twice
  // This call with another value for one option, which allows smaller tiles and gives the same result within the tolerance.
  // Empty: there is none.
  std::vector<Call> in_smaller_tiles;
};

// The CPU reference of an op, in double precision.
struct Reference {
  // Returns all levels of the result, level 0 first.
  std::vector<Planes> (*levels)(const Call& call, Planes base) = nullptr;
  // Returns the allowed error of the device, level 0 first, if the input `base` has the error `error`.
  std::vector<Planes> (*tolerance)(const Call& call, const Planes& base, const Planes& error,
                                   Depth depth) = tolerance_of_means;
  // In Yxy, a NaN or an infinity of R, G or B spreads to the others, since CIE XYZ is summed.
  bool sums_xyz = true;
};

Needs needs_nothing(const Call& call);
Needs needs_rec709(const Call& call);
// Also takes 8-bit inputs as floats, for ops that measure them.
Needs needs_exact_rec709(const Call& call);
Output same_as_input(const Call& call, std::span<const Output> inputs);
// Returns `image` with `gray_result` raised to at least this value.
Output with_gray(Output image, GrayResult gray_result);
// For an op that may color a gray image: the values of the result decide.
Output by_values(const Call& call, std::span<const Output> inputs);

struct Op {
  std::string_view name;
  Doc doc;
  std::vector<Param> params;
  // Throws Error(Exit::usage) if options contradict each other.
  void (*check)(const Call& call) = nullptr;
  // Makes call.shader. Runs once for each call of the command line, before any image is read. Throws Error(Exit::input)
  // or Error(Exit::usage).
  void (*prepare)(Call& call) = nullptr;
  Makes makes = Makes::picture;
  Channels channels = Channels::color;
  Needs (*needs)(const Call& call) = needs_nothing;
  // Returns the properties of the result. inputs[0] is the image of the chain. If a size of an input is not known,
  // neither is that of the result. Throws Error(Exit::usage) if inputs of these sizes are not allowed.
  Output (*output)(const Call& call, std::span<const Output> inputs) = same_as_input;
  // For an input of this size. Null: texel for a point op, whole for other ops.
  Footprint (*footprint)(const Call& call, Size size) = nullptr;
  // Updates attributes that the call makes wrong, and removes those that cannot be updated.
  void (*change_attributes)(const Call& call, std::vector<Attribute>& attributes) = nullptr;
  Reference reference;
  // Set for a point op. point_op() of core/op/point.h fills in the rest of the record.
  std::optional<Point> point;
  // Appends the passes of the call to the plan. Null: the planner fuses the point op, or adds a pass for it.
  void (*plan)(const Call& call, PlanBuilder& builder) = nullptr;
  const Benchmark* bench = nullptr;  // null if `gpupost bench` does not measure it

  const Param* param(std::string_view param_name) const;
};
// Returns whether the call only moves values of its input.
bool is_exact(const Call& call);
// Returns whether the call has passes of its own: it is no point op, or reads other texels too.
bool has_passes(const Call& call);
// Returns whether the call changes no texel, so that it needs no pass. It may measure the image, or move its windows.
bool is_identity(const Call& call);
Footprint footprint_of(const Call& call, Size size);

// An op with values for its options.
struct Call {
  const Op* op = nullptr;
  std::vector<double> values;      // one for each of op->params, in order; not used for texts
  std::vector<std::string> texts;  // one for each of op->params; empty unless it is a text
  std::string source;              // content of the file of Needs::file
  // The point op that `prepare` made for this call. Null if the kernel is a file of kernels/.
  std::shared_ptr<const FusedPoint> shader;
  std::vector<InputPicture> inputs;  // images of Needs::pictures
  // Depth of each texel in meters, if Needs::depth is set. nullptr: not read yet.
  std::shared_ptr<const Plane> depth;
  Windows windows;                     // windows of the input; empty: the image has one window, which begins at (0, 0)
  std::optional<Primaries> primaries;  // of the input's colors; empty: Rec. 709
  bool takes_openexr_cube = false;     // the input is a cube map in OpenEXR's layout, by its attribute envmap
  bool is_beside_color = false;        // is for channels other than color
  bool alpha_is_data = false;          // alpha does not weight the color
  // What the call does, for messages, if the program added it to the chain: "the conversion of primaries". "": a call of the
  // command line, which messages call by the name of its op.
  std::string_view purpose;

  double number(std::string_view param_name) const;
  int integer(std::string_view param_name) const { return int(number(param_name)); }
  bool flag(std::string_view param_name) const { return number(param_name) != 0; }
  std::string_view choice(std::string_view param_name) const;
  bool has(std::string_view param_name) const;                 // whether it is given or has a default
  const std::string& word(std::string_view param_name) const;  // value of a text
  // The call as on a command line, without defaults: "mips --levels 3".
  std::string text() const;
  std::string text_of(const Param& param) const;  // one option: "--levels 3"
  bool is_default(const Param& param) const;
  // A copy with another value for an option. The value of a choice is its index.
  Call with(std::string_view param_name, double value) const;
};

// The result of a call or a chain for an input. Call::inputs are added to it.
Output output_of(const Call& call, const Output& input);
Output output_of(std::span<const Call> calls, Output input);
// Size of level 0, and number of levels, of a chain's result for an image of this size.
Size result_size(std::span<const Call> calls, Size size);
int result_level_count(std::span<const Call> calls, Size size);
// Windows of a chain's result.
Windows result_windows(std::span<const Call> calls, const Windows& windows);
// Sets Call::windows of each call to the windows of its input.
void set_windows(std::span<Call> calls, Windows windows);
// Windows of a call's input: those of `input`, else Call::windows, else the whole image.
Windows windows_before(const Call& call, Size size);
Windows windows_before(const Call& call, const Output& input);
// Returns whether level 0 of the result is the input: the chain makes only levels or statistics.
bool keeps_base(std::span<const Call> calls);
// Returns whether the chain makes levels. No op follows that call.
bool makes_levels(std::span<const Call> calls);
// Returns whether the result of the chain has such content.
bool makes_content(std::span<const Call> calls, Content content);
// Returns whether any call of a chain makes one channel of luminance.
bool makes_luminance(std::span<const Call> calls);
// Returns whether the result of a chain has alpha.
bool has_alpha_behind(std::span<const Call> calls, bool has_alpha);
// Depth of the result for an input of `depth`.
Depth result_depth(std::span<const Call> calls, Depth depth);
// The calls of a chain that also process channels other than color.
std::vector<Call> calls_for_other_channels(std::span<const Call> calls);

// A call with the default of each option. Texts without a default are empty.
Call default_call(const Op& op);

}  // namespace gpupost
