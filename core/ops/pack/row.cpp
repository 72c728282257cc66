// Channels of several pictures in one, as in packed masks of textures: row, definition and pass.
#include "core/base/error.h"
#include "core/base/math.h"
#include "core/op/benchmark.h"
#include "core/op/op.h"
#include "core/op/point.h"
#include "core/ops/shared/second_pictures.h"
#include "core/plan/builder.h"
#include "core/reference/verify.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

namespace gpupost {

namespace {

constexpr std::array<std::string_view, 4> targets{"red", "green", "blue", "alpha"};
constexpr std::string_view letters = "RGBA";

// The file and the channel of one option: "rough.png" or "rough.png:G".
struct NamedSource {
  std::string path;
  int component = 0;  // R if no channel is named
};

NamedSource named_source(const std::string& word) {
  const size_t colon = word.rfind(':');
  if (colon == word.npos || colon == 0 || colon + 2 != word.size()) return {.path = word};
  const size_t component = letters.find(word.back());
  return component == letters.npos ? NamedSource{.path = word}
                                   : NamedSource{.path = word.substr(0, colon), .component = int(component)};
}

// Throws Error(Exit::usage) if the text behind a file's name is no channel.
void check_channel(std::string_view target, const std::string& word) {
  std::error_code error;
  const size_t colon = word.rfind(':');
  if (colon == word.npos || named_source(word).path != word || std::filesystem::exists(word, error)) return;
  if (std::filesystem::exists(word.substr(0, colon), error))
    fail(Exit::usage,
         "pack: --{0} {1}: pack reads only R, G, B and A; write {2} to a file first: gpupost {3} channels --list "
         "{2},{2},{2} --drop-channels -o z.exr",
         target, word, word.substr(colon + 1), word.substr(0, colon));
}

// A channel of the result that comes from a file.
struct Source {
  size_t file = 0;  // in Sources::files, and so in Call::inputs
  int component = 0;
};

struct Sources {
  std::array<std::optional<Source>, 4> of;  // R, G, B, A; empty: the channel of the picture stays
  std::vector<std::string> files;           // each once
};

Sources sources_of(const Call& call) {
  Sources made;
  for (size_t target = 0; target < targets.size(); ++target) {
    const std::string& word = call.word(targets[target]);
    if (word.empty()) continue;
    const auto [path, component] = named_source(word);
    auto file = std::ranges::find(made.files, path);
    if (file == made.files.end()) file = made.files.insert(file, path);
    made.of[target] = Source{.file = size_t(file - made.files.begin()), .component = component};
  }
  return made;
}

void check(const Call& call) {
  for (const std::string_view target : targets) check_channel(target, call.word(target));
  if (sources_of(call).files.empty())
    fail(Exit::usage, "pack: no file is given; expected --red, --green, --blue or --alpha, or several of them");
}

Needs needs(const Call& call) {
  Needs made;
  for (std::string& file : sources_of(call).files) made.pictures.push_back({.path = std::move(file), .is_data = true});
  return made;
}

Output output(const Call& call, std::span<const Output> inputs) {
  check_lies_on_image(call, inputs);
  const Sources sources = sources_of(call);
  for (const std::optional<Source>& source : sources.of)
    if (source && source->component == 3 && source->file + 1 < inputs.size() && !inputs[source->file + 1].has_alpha)
      fail(Exit::usage, "pack: {0} has no alpha; expected {0}:R, {0}:G or {0}:B", sources.files[source->file]);
  const bool is_alpha_only = sources.of[3] && !sources.of[0] && !sources.of[1] && !sources.of[2];
  Output made = is_alpha_only ? inputs.front() : with_gray(inputs.front(), GrayResult::color);
  made.content = Content::data;
  made.has_alpha |= sources.of[3].has_value();
  made.may_be_transparent |= sources.of[3].has_value();
  return made;
}

// The definition: calls made(index, c, is_replaced) for each texel, c the result.
template <class Made>
Planes each_texel(const Call& call, const Planes& base, const Made& made) {
  const Sources sources = sources_of(call);
  std::vector<Planes> files;
  for (const InputPicture& input : call.inputs) files.push_back(planes_of(*input.texels, input.picture.depth));
  return made_of_texels(size_of(base), [&](size_t index) {
    Color c = color_at(base, index);
    for (size_t k = 0; k < 4; ++k)
      if (const std::optional<Source>& source = sources.of[k])
        c[k] = files[source->file][size_t(source->component)].values[index];
    return made(index, c, sources);
  });
}

std::vector<Planes> reference(const Call& call, Planes base) {
  return {each_texel(call, base, [](size_t, const Color& c, const Sources&) { return c; })};
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  return {each_texel(call, base, [&](size_t index, const Color& c, const Sources& sources) {
    Color allowed = color_at(error, index);
    for (size_t k = 0; k < 4; ++k) {
      if (sources.of[k]) allowed[k] = 0;
      allowed[k] += rounding(std::abs(c[k]), depth);
    }
    return allowed;
  })};
}

void plan_pack(const Call& call, PlanBuilder& builder) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const Sources sources = sources_of(call);
  PassSpec pass{.name = "pack",
                .kernel = "pack/pack.glsl",
                .defines = {{"FILE_COUNT", int(sources.files.size())}},
                .values = {{"end_x", image.size.width}, {"end_y", image.size.height}},
                .grid = {.count = {div_ceil(image.size.width, 64), div_ceil(image.size.height, 16)}},
                .source = {.image = source},
                .access = {.can_be_in_place = builder.writes_in_place()},
                .memory = {.bytes_read = (1 + sources.files.size()) * bytes_of_level(image, 0)}};
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> names{
      {{"RED_FILE", "RED_CHANNEL"},
       {"GREEN_FILE", "GREEN_CHANNEL"},
       {"BLUE_FILE", "BLUE_CHANNEL"},
       {"ALPHA_FILE", "ALPHA_CHANNEL"}}};
  for (size_t k = 0; k < 4; ++k) {
    const std::optional<Source>& from = sources.of[k];
    pass.defines.push_back({names[k].first, from ? int(from->file) : -1});
    if (from) pass.defines.push_back({names[k].second, from->component});
  }
  for (size_t index = 0; index < sources.files.size(); ++index)
    pass.more_sources.push_back(builder.add_input(second_picture(call, index, builder.whole_size(), Depth::f32)));
  builder.add_result(std::move(pass), {.size = image.size, .depth = image.depth});
}

Param file_param(std::string_view name, std::string_view help) {
  return {.name = name,
          .help = help,
          .kind = ParamKind::text,
          .form = {.syntax = "FILE[:C]", .matches = [](std::string_view text) { return !text.empty(); }}};
}

}  // namespace

static const Benchmark bench = {.sizes = {{1920, 1080}, {3840, 2160}},
                                .cpu_sizes = {{1024, 1024}},
                                .depths = {Depth::half, Depth::f32},
                                .arguments = "--green second.exr --blue second.exr:B"};

extern const Op pack_op;
const Op pack_op{
    .name = "pack",
    .doc =
        {.group = OpGroup::combine,
         .summary = "Pack channels of several images into one, such as occlusion, roughness and metalness",
         .description =
             "Each of --red, --green, --blue and --alpha replaces one channel of the image by a channel of a file. "
             "C is the channel of the file: R, G, B or A; R if it is left out. R, G and B of a gray image are its Y. "
             "Channels without an option stay as they are. A file can be given several times. It must have the "
             "size of the image. {frame} in its name is replaced by the frame number of the input.\nAll values are "
             "data, also those of the image itself: they are copied without a transfer function, and alpha is "
             "independent of color. Integer outputs are written with --transfer linear. Run ops for colors, such as "
             "tonemap and saturation, in a second command. If the image has alpha, this is also true for ops that take "
             "alpha as opacity. `mips`, `resize` and `channels` can follow in the same command.\nTo replace R, G and B "
             "of an image in other orders, or by "
             "numbers, use `channels`.",
         .citation = "oiiotool --chappend, ImageMagick -combine",
         .examples = {"--green rough.exr --blue metal.exr", "--alpha mask.exr:G",
                      "--red a.exr --green b.exr:G --blue c.exr:B --alpha d.exr"}},
    .params = {file_param("red", "File whose channel C becomes R"),
               file_param("green", "File whose channel C becomes G"),
               file_param("blue", "File whose channel C becomes B"),
               file_param("alpha", "File whose channel C becomes alpha")},
    .check = check,
    .needs = needs,
    .output = output,
    .footprint = [](const Call&, Size) { return Footprint{.kind = Footprint::Kind::around}; },
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_pack,
    .bench = &bench,
};

}  // namespace gpupost
