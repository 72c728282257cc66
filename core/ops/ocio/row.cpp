// Color transforms by OpenColorIO, as point ops: row and reference. Its worker is core/ops/ocio/worker.cpp.
#include "core/ops/ocio/row.h"

#include "core/base/error.h"
#include "core/image/primaries.h"
#include "core/op/point.h"
#include "core/ops/ocio/shader.h"
#include "core/ops/ocio/worker.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>

namespace gpupost {

// The worker would wait for a pipe, and read a device without an end.
static void refuse_special_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_other(path, error)) fail(Exit::input, "{}: is not a regular file", path);
}

std::string ocio_config_of(const std::string& word) {
  constexpr std::string_view built_in = "ocio://";
  const char* variable = std::getenv("OCIO");
  const std::string name = !word.empty() ? word : variable && *variable ? variable : "cg";
  if (name == "cg" || name == "studio") return name;
  if (!name.starts_with(built_in)) {
    refuse_special_file(name);
    return name;
  }
  const bool is_config = name.starts_with("ocio://cg-config-") || name.starts_with("ocio://studio-config-");
  const bool has_aces = name.find("_aces-v1.3_") != name.npos || name.ends_with("-config-latest");
  if (name != "ocio://default" && !(is_config && has_aces))
    fail(Exit::input,
         "ocio: {} is not built in; expected ocio://default, the cg or studio configuration of ACES 1.3, or a file",
         name);
  return name.find("studio") != name.npos ? "studio" : "cg";
}

bool is_collection(const std::string& file) {
  std::string extension = std::filesystem::path(file).extension().string();
  std::ranges::transform(extension, extension.begin(), [](char c) { return char(std::tolower(uint8_t(c))); });
  return extension == ".ccc" || extension == ".cdl";
}

namespace {

// A call's transform, and what its result is.
struct Prepared {
  OcioTransform transform;
  bool is_light = false;
  bool keeps_data = false, takes_encoded = false;
  std::optional<Primaries> primaries;     // of light, if they are not those of Rec. 709
  std::optional<ColorEncoding> encoding;  // of numbers, if it is a known one
  std::vector<std::string> files;         // that the library has read
};

const Prepared* prepared(const Call& call) {
  return call.shader ? static_cast<const Prepared*>(call.shader->origin.get()) : nullptr;
}

bool is_given(const Call& call, std::string_view name) { return !call.word(name).empty(); }

// The file that the call names, or the variable OCIO; "": none.
std::string named_file(const Call& call) {
  if (is_given(call, "file")) return call.word("file");
  const std::string config = ocio_config_of(call.word("config"));
  return config == "cg" || config == "studio" ? "" : config;
}

// `named`, and regular files that the worker says it has read. The worker is not trusted.
std::vector<std::string> files_read(const std::string& named, const std::vector<std::string>& said) {
  std::vector<std::string> files;
  if (!named.empty()) files.push_back(named);
  for (const std::string& path : said) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error) && !std::filesystem::equivalent(path, named, error))
      files.push_back(path);
  }
  return files;
}

// Is the input light whose place in the configuration gpupost looks for itself?
bool takes_light(const Call& call) {
  if (const Prepared* own = prepared(call); own && own->keeps_data) return false;
  return !is_given(call, "file") && !is_given(call, "from") && !call.flag("inverse");
}

// The primaries of linear light that these rows take to ACES2065-1.
std::optional<Primaries> primaries_of(const Matrix3& to_aces) {
  for (const Primaries& known : {ap0, ap1}) {
    const Matrix3 rows = conversion({.from = known, .to = ap0});
    double farthest = 0;
    for (size_t row = 0; row < 3; ++row)
      for (size_t column = 0; column < 3; ++column)
        farthest = std::max(farthest, std::abs(rows[row][column] - to_aces[row][column]));
    if (farthest < 1e-3) return known;
  }
  return primaries_of_xyz(product(conversion({.from = ap0, .to = cie_xyz}), to_aces), rec709.white);
}

// Throws Error(Exit::input) if the matrix from the result of a call to ACES2065-1 has no inverse. Then no color could be converted back
// to that result.
void check_matrix(const Call& call, const std::string& config, const Matrix3& to_aces) {
  const auto& [r, g, b] = to_aces;
  const Vector3 normal{r[1] * g[2] - r[2] * g[1], r[2] * g[0] - r[0] * g[2], r[0] * g[1] - r[1] * g[0]};
  double largest = 0;
  for (const Vector3& row : to_aces)
    for (const double number : row) largest = std::max(largest, std::abs(number));
  const double determinant = normal[0] * b[0] + normal[1] * b[1] + normal[2] * b[2];
  if (std::abs(determinant) > 1e-6 * largest * largest * largest) return;
  const bool ends_at_from = call.flag("inverse") || !is_given(call, "to");
  fail(Exit::input,
       "ocio: --{} {}: the configuration {} converts this space to aces_interchange by a matrix without an inverse; "
       "correct the space, or choose another",
       ends_at_from ? "from" : "to", call.word(ends_at_from ? "from" : "to"), config);
}

// Without a working folder, the path as it is.
std::string absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path made = std::filesystem::absolute(path, error);
  return error ? path : made.string();
}

void prepare(Call& call) {
  if (is_given(call, "file")) refuse_special_file(call.word("file"));
  auto own = std::make_shared<Prepared>();
  OcioTransform& transform = own->transform;
  transform = {.config = is_given(call, "file") ? "cg" : ocio_config_of(call.word("config")),
               .from = call.word("from"),
               .to = call.word("to"),
               .display = call.word("display"),
               .view = call.word("view"),
               .looks = call.word("looks"),
               .look = call.word("look"),
               .file = is_given(call, "file") ? absolute(call.word("file")) : "",
               .id = call.word("id"),
               .is_inverse = call.flag("inverse"),
               .is_best = call.choice("interpolation") == "best"};
  OcioShader shader = ocio_shader(transform);
  own->encoding = shader.encoding;
  own->keeps_data = shader.keeps_data;
  own->takes_encoded = shader.takes_encoded && !call.flag("linear");
  own->files = files_read(named_file(call), shader.files);
  if (shader.to_aces) check_matrix(call, transform.config, *shader.to_aces);
  const std::optional<Primaries> result = shader.to_aces ? primaries_of(*shader.to_aces) : std::nullopt;
  if (is_given(call, "file")) own->is_light = call.flag("linear");
  else if (result) {
    own->is_light = true;
    own->primaries = result;
  } else if (shader.is_scene_linear) {
    own->is_light = true;
    own->primaries = rec709;  // unknown, which counts as Rec. 709 in every image
  } else {
    const bool ends_in_rec709 = !own->keeps_data && !is_given(call, "from") && !is_given(call, "to");
    own->is_light = ends_in_rec709 && (call.flag("inverse") || is_given(call, "look"));
  }
  FusedPoint point = ocio_point(std::move(shader), is_given(call, "file") ? call.word("file") : transform.config);
  point.origin = own;
  call.shader = std::make_shared<const FusedPoint>(std::move(point));
}

void check(const Call& call) {
  const auto count = int(is_given(call, "display")) + int(is_given(call, "to") || is_given(call, "look")) +
                     int(is_given(call, "file"));
  if (count != 1)
    fail(Exit::usage, "ocio: {}; expected --to SPACE, --display DISPLAY, --look LOOK or --file FILE",
         count == 0 ? "no transform is given" : "several transforms are given");
  if (is_given(call, "file") && is_given(call, "from"))
    fail(Exit::usage, "ocio: --from {} has no effect with --file, which takes values as they are; leave it out",
         call.word("from"));
  if (is_given(call, "id") && !is_collection(call.word("file")))
    fail(Exit::usage, "ocio: --id {} has no effect with {}; expected a .ccc or .cdl file, or leave it out",
         call.word("id"), call.word("file"));
}

// Colors of a picture as the library gets them, and a black one behind them.
std::vector<float> straight_colors(const Planes& planes) {
  std::vector<float> colors;
  for (size_t index = 0; index < planes[0].values.size(); ++index) {
    const Color c = unpremultiply(color_at(planes, index));
    for (size_t k = 0; k < 3; ++k) colors.push_back(std::isnan(c[k]) ? 0.0f : float(std::clamp(c[k], -1e30, 1e30)));
    colors.push_back(std::isfinite(c[3]) ? float(c[3]) : 0.0f);  // the library's matrices multiply it by 0
  }
  colors.insert(colors.end(), {0, 0, 0, 0});
  return colors;
}

Planes through_library(const Call& call, const Planes& base) {
  const std::vector<float> made = ocio_apply(prepared(call)->transform, straight_colors(base));
  const float* black = &made[made.size() - 4];
  return made_of_texels(size_of(base), [&](size_t index) -> Color {
    const Color before = color_at(base, index);
    Color c{0, 0, 0, before[3]};
    for (size_t k = 0; k < 3; ++k)
      c[k] = double(made[4 * index + k]) - (is_transparent(before[3]) ? double(black[k]) : 0);
    if (std::isnan(before[0]) || std::isnan(before[1]) || std::isnan(before[2]))
      c[0] = c[1] = c[2] = std::numeric_limits<double>::quiet_NaN();
    return as_floats(premultiply(c));
  });
}

std::vector<Planes> reference(const Call& call, Planes base) { return {through_library(call, base)}; }

// Estimate of the rounding inside the transform, as an error of the input color: a share of its largest channel. A power curve
// makes it large near black.
double rounding_inside(const Planes& base, size_t index) {
  double largest = 0;
  for (size_t c = 0; c < 3; ++c)
    if (const double value = std::abs(base[c].values[index]); std::isfinite(value)) largest = std::max(largest, value);
  return 0x1p-22 * largest;
}

// 1e-4 of the value and 2e-4 for each unit of alpha, and what errors of the input and the rounding inside make of it. An error
// of the input may not pass a clamp, so the rounding of what comes after the clamp is added.
std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const Planes made = through_library(call, base);
  const std::vector<float> behind_clamps = ocio_rounding(prepared(call)->transform, straight_colors(base));
  Planes bound = made;
  for (size_t c = 0; c < 4; ++c)
    for (size_t index = 0; index < made[c].values.size(); ++index) {
      const double value = std::abs(made[c].values[index]), alpha = std::abs(base[3].values[index]);
      const double unit = std::isfinite(alpha) && !is_transparent(alpha) ? alpha : 1;
      bound[c].values[index] =
          rounding(value, depth) +
          (c < 3 ? 1e-4 * value + (2e-4 + double(behind_clamps[4 * index + c])) * unit : error[3].values[index]);
    }
  for (size_t moved = 0; moved < 4; ++moved) {
    if (moved == 3 && std::ranges::all_of(error[3].values, [](double number) { return number == 0; })) continue;
    for (const double sign : {-1.0, 1.0}) {
      Planes beside = base;
      for (size_t index = 0; index < error[moved].values.size(); ++index)
        beside[moved].values[index] +=
            sign * (error[moved].values[index] + (moved < 3 ? rounding_inside(base, index) : 0));
      const Planes found = through_library(call, beside);
      for (size_t c = 0; c < 3; ++c)
        for (size_t index = 0; index < made[c].values.size(); ++index)
          if (const double off = std::abs(found[c].values[index] - made[c].values[index]); std::isfinite(off))
            bound[c].values[index] += off;
    }
  }
  return {std::move(bound)};
}

Needs needs(const Call& call) {
  Needs made;
  if (takes_light(call)) made.primaries = rec709;
  const Prepared* own = prepared(call);
  made.takes_encoded = own && own->takes_encoded;
  made.files = own ? own->files : files_read(named_file(call), {});
  return made;
}

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = by_values(call, inputs);
  const Prepared* own = prepared(call);
  if (own && own->is_light) {
    made.primaries = own->primaries;
    if (made.content == Content::numbers) made.content = Content::color;
  } else made.content = Content::numbers;
  made.encoding = own ? own->encoding : std::nullopt;
  return made;
}

Param text_param(std::string_view name, std::string_view help, std::string_view syntax, Effect effect = {}) {
  return {.name = name,
          .help = help,
          .kind = ParamKind::text,
          .form = {.syntax = syntax, .matches = [](std::string_view text) { return !text.empty(); }},
          .effect = effect};
}

bool has_display(const Call& call) { return is_given(call, "display"); }
bool has_file(const Call& call) { return is_given(call, "file"); }
bool has_no_file(const Call& call) { return !is_given(call, "file"); }

}  // namespace

const Op ocio_op{
    .name = "ocio",
    .doc =
        {.group = OpGroup::color,
         .summary = "Convert colors with OpenColorIO: spaces, displays, looks, LUT files",
         .description =
             "Runs the shader that OpenColorIO generates, on straight color, in the same pass as neighboring point "
             "ops. If --to names a scene-linear space, the result is linear light: any op may follow, and an EXR "
             "records its primaries. Without the role aces_interchange, they are unknown and count as Rec. 709. Any "
             "other result, for a display or in a log space, is encoded values, which are written as they are. Then "
             "only these ops may follow: `stats`, ops that move texels, such as `crop`, and ops that compute each "
             "texel alone, such as `clamp`. Not allowed are ops that need luminance or known primaries, such as "
             "`saturation`, and the op `point`. Another `ocio` can make linear light again; then any op may follow.\nA "
             "sandboxed process reads configurations and LUT "
             "files. Variables in a configuration take their "
             "values from the configuration, not from the environment. The inverse of a 3-D table is another table, so "
             "it is approximate, as in other programs that use OpenColorIO's defaults. --verify compares with "
             "OpenColorIO's CPU path; the tolerance is 0.0001 of the value plus 0.0002. A NaN in R, G or B makes all "
             "three NaN. Values beyond -1e30 and 1e30, such as infinities, count as these.",
         .citation = "OpenColorIO 2.1; ACES 1.3 through OpenColorIO's built-in transforms",
         .examples = {"--to ACEScg", "--from ACEScg --to ACEScct", "--file testdata/look.cube",
                      "--file testdata/look.cube --interpolation default --linear"}},
    .params = {text_param("from",
                          "Color space of the input; default: linear light in the primaries of the file, found through "
                          "the role aces_interchange. If the values of an integer file are in this space, add the "
                          "global option --input-transfer linear, which keeps them as they are",
                          "SPACE"),
               text_param("to", "Color space of the result", "SPACE"),
               text_param("display", "Display to convert for", "DISPLAY"),
               text_param("view", "View of the display; default: its first view", "VIEW", {has_display, "--display"}),
               text_param("looks",
                          "Looks to use instead of those of the view: names with + (apply) or - (invert) before "
                          "each, separated by commas or colons; none: no looks",
                          "LOOKS", {has_display, "--display"}),
               text_param("look", "Look to apply alone, without a display", "LOOK"),
               text_param("file",
                          "LUT or transform file, applied to the values without conversion: clf, ctf, cube, csp, cc, "
                          "ccc, cdl, spi1d, spi3d, 3dl",
                          "FILE"),
               text_param("id",
                          "Correction of a .ccc or .cdl --file: the one with this id; if none has it, the one at this "
                          "place in the file, counted from 0. Default: the first one",
                          "ID", {has_file, "--file"}),
               {.name = "interpolation",
                .help = "Interpolation in the tables of --file: best (tetrahedral in 3-D), or default, which the "
                        "file's format defines",
                .kind = ParamKind::choice,
                .choices = {"best", "default"},
                .effect = {has_file, "--file"}},
               {.name = "linear",
                .help = "Treat the result of --file as linear light, so that any op may follow",
                .kind = ParamKind::flag,
                .effect = {has_file, "--file"}},
               {.name = "inverse", .help = "Apply the inverse transform", .kind = ParamKind::flag},
               text_param("config",
                          "Configuration: a file, or the built-in cg or studio (ACES 1.3); default: the environment "
                          "variable OCIO, else cg",
                          "FILE", {has_no_file, "a space, display or look"})},
    .check = check,
    .prepare = prepare,
    .needs = needs,
    .output = output,
    .reference = {.levels = reference, .tolerance = tolerance},
    .point = Point{.alpha = PointAlpha::straight},
};

}  // namespace gpupost
