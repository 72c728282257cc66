#include "cli/options/global_options.h"

#include "cli/options/environment.h"
#include "cli/options/exit_map.h"
#include "cli/options/frame_range.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "core/op/parse.h"
#include "core/op/typed_options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>

namespace gpupost {

static std::vector<std::string_view> primaries_names() {
  std::vector<std::string_view> names;
  for (const NamedPrimaries& row : named_primaries) names.push_back(row.name);
  return names;
}

std::span<const Global> all_globals() {
  static const Global rows[] = {
      {"output",
       "FILE",
       "Output file, a folder ending in /, a pattern, or - for standard output. A pattern may contain {stem} (input "
       "name without extension), {name} (with extension), {dir} (its folder) and {ext} (of the output). It may also "
       "contain {level}, {frame}, or a frame number like %04d or ####. Default for in.exr: in.OP.exr in the working "
       "directory, where OP is the last op; for standard input: standard output",
       {},
       "-o"},
      {"list",
       "FILE",
       "Read more input file names from FILE, or from standard input with -. Names end with a newline or a NUL byte "
       "(find -print0). They cannot be globs or sequences",
       {},
       ""},
      {"recursive", "", "Process all images in input folders and in their subfolders", {}, ""},
      {"frames",
       "RANGE",
       "Frames of an input sequence: 1001-1100, 1-100x2 (every 2nd), 1-10y3 (all but every 3rd), 5-1 (backwards), "
       "-5--1, or several with commas. Default: all existing frames. Write the sequence as in.%04d.exr, in.####.exr "
       "or in.#.exr, which all mean 4 digits",
       {},
       ""},
      {"skip-missing",
       "",
       "Skip frames that are missing from a sequence. Without it the run ends with exit code 5",
       {},
       ""},
      {"shard",
       "K/N",
       "Process only shard K of N of the inputs (K is 1..N). K/N splits them by a hash of their names, count:K/N takes "
       "every Nth input. auto takes K and N from the scheduler (docs/farm.md)",
       {},
       ""},
      {"shards",
       "N",
       "Number of shards for --shard auto, if the scheduler does not set it (Kubernetes, HyperQueue)",
       {},
       ""},
      {"format", "NAME", "File format of the output. Default: from the extension of the output", writable_formats(),
       ""},
      {"assemble",
       "KIND",
       "Write all inputs to one KTX2 or DDS file. cube takes six faces (+X -X +Y -Y +Z -Z), array any number of "
       "images. cube-from-cross takes one image of 4x3 or 3x4 faces, cube-from-strip one of 6x1 or 1x6 faces",
       {std::begin(assembly_names) + 1, std::end(assembly_names)},
       ""},
      {"bits",
       "DEPTH",
       "Bits per channel of the output's color: 8 or 16 for integers, 16f or 32f for floats. Default: as the input if "
       "the format holds it",
       {"8", "16", "16f", "32f"},
       ""},
      {"quality",
       "N",
       "Quality of a JPEG output, 1 to 100 (default 90). Below 90, chroma has half the resolution",
       {},
       ""},
      {"compression",
       "NAME",
       "Compression of an EXR output (all but lzw and zstd) or a TIFF output (none, lzw, zip, zstd). zip, zips and "
       "zstd take a level: `zip:1` is the fastest, `zip:9` the smallest (zstd: to 22; default for EXR 2, for TIFF 4). "
       "dwaa and dwab lose more at a higher level (default 45). Default: as the input if the format "
       "is the same, else zip",
       {std::begin(compression_names), std::end(compression_names)},
       "",
       false,
       false,
       false,
       true},
      {"to-display",
       "",
       "Write exactly the display window: drop texels outside it, fill missing ones with transparent black. Always on "
       "for formats without windows",
       {},
       ""},
      {"transfer",
       "CURVE",
       "Transfer function of an integer output. Default: srgb, but linear for 16-bit KTX2 and DDS. Float outputs are "
       "always linear. pq and hlg need a 16-bit PNG",
       {"srgb", "linear", "pq", "hlg"},
       ""},
      {"dither",
       "KIND",
       "Dither the color of an 8-bit output with an ordered 8 x 8 pattern that keeps the mean. Default: none, which "
       "rounds to nearest. Alpha and values that need no rounding are not dithered",
       {"none", "ordered"},
       ""},
      {"input-transfer",
       "CURVE",
       "Transfer function of the input's color. Default: from the file, else srgb for integers and linear for floats",
       {"srgb", "linear", "pq", "hlg"},
       ""},
      {"input-alpha",
       "KIND",
       "Alpha of the input. Default: as the file records for TIFF, premultiplied for EXR, straight for other formats",
       {"straight", "premultiplied"},
       ""},
      {"input-primaries", "X,Y,...",
       "Primaries of the input's color: a name, or eight numbers with commas: x and y of red, green, blue and white. "
       "Default: from the file, else rec709",
       primaries_names(), "", false, false, true},
      {"output-primaries", "X,Y,...",
       "Convert the result to these primaries and record them in the output (EXR, PNG, JPEG or TIFF). Default: the "
       "input's, or Rec. 709 if an op or the format needs it",
       primaries_names(), "", false, false, true},
      {"no-orient",
       "",
       "Ignore the Exif or TIFF orientation of the input: keep texels as they are stored",
       {},
       "",
       true},
      {"apply-to",
       "NAME,...",
       "Channels that ops filter: color (default), all, or names of channels and layers. This is for blur, convolve, "
       "dilate, erode, median, resize, rotate and warp. They move or resize other channels by the nearest texel, or "
       "leave them as they are. Color ops such as exposure never change other channels; mips and nan always work on "
       "all channels",
       {"color", "all"},
       "",
       false,
       false,
       true},
      {"part",
       "WHICH",
       "Part of a multi-part EXR to work on, by number or name. Default: the first. An EXR output gets the other parts "
       "too",
       {},
       "",
       true},
      {"drop-parts", "", "Write only the part that was read, not the other parts of a multi-part EXR", {}, ""},
      {"flatten",
       "",
       "Composite the samples of a deep EXR, front to back. Without it, deep data is an error",
       {},
       "",
       true},
      {"layer", "NAME", "Work on the channels NAME.R, NAME.G, ... of an EXR instead of R, G, ...", {}, "", true},
      {"level", "N", "Level of a mip-mapped input to read. Default: 0; `compare` compares all levels", {}, "", true},
      {"max-side", "N", "Limit for each side of an input, in texels (default 32768)", {}, "", true, true},
      {"max-texels", "N", "Limit for the number of texels of an input (default 268435456)", {}, "", true, true},
      {"max-channels", "N", "Limit for the number of channels of an input (default 64)", {}, "", true, true},
      {"max-decoded",
       "SIZE",
       "Limit for the decoded size of an input in bytes, like 512M or 8G (default 4G)",
       {},
       "",
       true,
       true},
      {"decode-seconds", "N", "Limit for the time to decode one input, in seconds (default 120)", {}, "", true, true},
      {"decode-cpu-seconds",
       "N",
       "Limit for the CPU time to decode one input, in seconds over all cores (default 30)",
       {},
       "",
       true,
       true},
      {"require-sandbox",
       "",
       "Fail with exit code 7 if decoders cannot run in the sandbox, which needs seccomp. Default: print a warning",
       {},
       "",
       true,
       true},
      {"jobs",
       "N",
       "Number of inputs decoded at once, and of outputs written at once. Default: the number of cores",
       {},
       "",
       false,
       true},
      {"max-memory",
       "SIZE",
       "Memory for images that wait for the device or for writing, like 512M or 8G (default: 2G). The image on the "
       "device is extra",
       {},
       "",
       false,
       true},
      {"keep-going", "", "Go on with the other inputs when one fails (default)", {}, ""},
      {"fail-fast", "", "Start no further input when one has failed", {}, ""},
      {"resume",
       "",
       "Skip inputs that an earlier run with --resume or --journal has finished, unless they have changed",
       {},
       ""},
      {"journal",
       "FILE",
       "Add a line to FILE for each finished output, for --resume. Default with --resume: gpupost.journal next to the "
       "first output, else no journal",
       {},
       ""},
      {"progress",
       "KIND",
       "Show progress. auto (default): a bar if there are several inputs (cases in `bench`) and a terminal; json: a "
       "line "
       "of JSON for each; openjd: lines for Open Job Description",
       {"auto", "none", "json", "openjd"},
       ""},
      {"progress-file", "FILE", "Write --progress json or openjd to FILE (default: standard error)", {}, ""},
      {"device",
       "WHICH",
       "Vulkan device by index, part of its name, UUID, cpu or gpu. Default: a discrete GPU, else an integrated or "
       "virtual one, else the CPU device",
       {},
       "",
       false,
       true},
      {"require-gpu", "", "Fail with exit code 4 if ops would run without a GPU", {}, "", false, true},
      {"tile-side",
       "TEXELS",
       "Longest side of a tile. Tiles give the same result (docs/tiling.md has two exceptions). Default: tile only if "
       "the image is too large for the device",
       {},
       "",
       false,
       true},
      {"max-dispatch-ms",
       "MS",
       "Longest single GPU submission, in milliseconds; larger images are tiled. 0 is no limit. Default: 500 on a GPU, "
       "0 on a CPU",
       {},
       "",
       false,
       true},
      {"device-seconds",
       "S",
       "Limit for the time of a single submission, in seconds; a longer one fails with exit code 4. 0 is no limit. "
       "Default: 600, but for the op point 5 plus 1 for each million texels",
       {},
       "",
       false,
       true},
      {"fp16",
       "",
       "Store images as 16-bit floats (half) and, in ops where it is safe, compute in half. Float outputs become half",
       {},
       ""},
      {"storage",
       "KIND",
       "Type in which the device stores images: 32-bit float, 16-bit float or packed 11-bit floats. r11g11b10 is used "
       "between ops and holds no alpha and no negative values. Default: fp16 if input and output are 8 bits or half, "
       "else fp32",
       {"fp32", "fp16", "r11g11b10"},
       ""},
      {"space", "NAME", "Color space of the images between ops: rgb or CIE Yxy (default rgb)", {"rgb", "yxy"}, ""},
      {"no-fuse",
       "",
       "Run each point op (which computes a texel only from the same texel) in its own pass, with float storage "
       "between passes. Default: fuse point ops into other passes",
       {},
       ""},
      {"report", "FILE", "Write a JSON report with the results, and the time of each stage and pass", {}, ""},
      {"depfile", "FILE", "Write the dependencies of each output as rules for make and ninja", {}, ""},
      {"timing", "", "Print the times of stages and passes as a table on standard error", {}, ""},
      {"bake",
       "N",
       "Write the chain as a 3-D table with N entries per side (2..256) to the .cube file of -o. Takes only point ops "
       "and no input",
       {},
       ""},
      {"bake-shaper",
       "NAME",
       "Encoding of the input of the --bake table: none (default) is linear light from 0 to 1; srgb is for `lut "
       "--srgb`; log is for `lut --log-shaper`, with light up to 223",
       {"none", "srgb", "log"},
       ""},
      {"explain", "", "Print the passes of the chain and why they were chosen; run nothing", {}, ""},
      {"size", "WxH", "Image size for --explain and `shader`, if there is no input (default 1920x1080)", {}, ""},
      {"verify",
       "",
       "Compare the result with a CPU reference in double precision. If they differ: exit code 6 and no output",
       {},
       ""},
      {"no-clobber", "", "Skip inputs whose output exists, and print their number", {}, ""},
      {"mkdir", "", "Create missing folders for outputs", {}, ""},
      {"exit-map",
       "CODE=CODE,...",
       "Replace exit codes, for a scheduler: 7=33,5=34 ends with 33 instead of 7 and 34 instead of 5. 0 cannot be "
       "replaced or used",
       {},
       ""},
      {"quiet", "", "Do not print warnings and notes", {}, ""},
  };
  return rows;
}

const Global* global_named(std::string_view name) {
  for (const Global& global : all_globals())
    if (global.name == name) return &global;
  return nullptr;
}

std::string Global::value_text() const {
  if (choices.empty()) return std::string(value);
  return fmt::format("{}{}{}{}", fmt::join(choices, "|"), has_names ? "|" : "", has_names ? value : "",
                     has_level ? "[:LEVEL]" : "");
}

// The value of each given global option, by name; "1" for a flag.
static std::map<std::string_view, std::string> values_of(const std::vector<std::string>& words) {
  std::vector<OptionNames> options;
  for (const Global& global : all_globals())
    options.push_back({fmt::format("{}{}--{}", global.short_name, global.short_name.empty() ? "" : ",", global.name),
                       global.value.empty()});
  const std::vector<TypedOption> typed = typed_options(options, words, "");
  std::map<std::string_view, std::string> values;
  for (size_t index = 0; index < typed.size(); ++index) {
    const Global& global = all_globals()[index];
    const std::vector<std::string>& list = typed[index].values;
    for (const std::string& value : list)
      if (value != list.front())
        fail(Exit::usage, "--{} is given twice, as {} and as {}; give it once", global.name, list.front(), value);
    if (typed[index].is_given) values[global.name] = global.value.empty() ? "1" : list.front();
    else if (const std::string value = value_in_environment(global); !value.empty()) values[global.name] = value;
  }
  return values;
}

static Transfer transfer_named(const std::string& name) {
  return name == "srgb"  ? Transfer::srgb
         : name == "pq"  ? Transfer::pq
         : name == "hlg" ? Transfer::hlg
                         : Transfer::linear;
}

static Primaries primaries_named(std::string_view option, const std::string& text) {
  if (const auto parsed = parse_primaries(text)) return *parsed;
  fail(Exit::usage,
       "--{} {} are not primaries; expected {}, or eight numbers with commas: x and y of red, green, blue and white",
       option, text, fmt::join(primaries_names(), ", "));
}

static int64_t whole_number(std::string_view name, const std::string& word, int64_t low, int64_t high) {
  int64_t value = 0;
  const auto [end, error] = number_from(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < low || value > high)
    fail(Exit::usage, "--{} {} is not a whole number in {}..{}", name, word, low, high);
  return value;
}

static Size size_of(const std::string& word) {
  const size_t cross = word.find('x');
  if (cross == word.npos) fail(Exit::usage, "--size {} is not of the form WxH, like 1920x1080", word);
  return {int(whole_number("size", word.substr(0, cross), 1, 32768)),
          int(whole_number("size", word.substr(cross + 1), 1, 32768))};
}

// A number of bytes: 4096, 64K, 512M, 8G.
static uint64_t bytes_of(std::string_view name, const std::string& word) {
  constexpr std::string_view units = "KMG";
  constexpr int64_t most = int64_t(1) << 40;
  const size_t unit = word.empty() ? units.npos : units.find(word.back());
  const int shift = unit == units.npos ? 0 : 10 * int(unit + 1);
  int64_t value = 0;
  const char* end = word.data() + word.size() - (shift > 0 ? 1 : 0);
  const auto [rest, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || rest != end || value < 1 || value > most >> shift)
    fail(Exit::usage, "--{} {} is not a number of bytes up to 1024G, like 4096, 64K, 512M or 8G", name, word);
  return uint64_t(value) << shift;
}

static bool truth(const Global& global, const std::string& word) {
  if (word == "1" || word == "true") return true;
  if (word == "0" || word == "false") return false;
  fail(Exit::usage, "{}={} is neither 1 nor 0", environment_name(global), word);
}

// Sets the limits of inputs.
static Limits limits_of(const std::map<std::string_view, std::string>& values) {
  Limits limits;
  const auto take = [&](std::string_view name, auto& limit, int64_t high) {
    if (values.contains(name))
      limit = std::remove_cvref_t<decltype(limit)>(whole_number(name, values.at(name), 1, high));
  };
  take("max-side", limits.side, 1 << 20);
  take("max-texels", limits.texel_count, int64_t(1) << 40);
  take("max-channels", limits.channel_count, 4096);
  take("decode-seconds", limits.wall_seconds, 86400);
  take("decode-cpu-seconds", limits.cpu_seconds, 86400);
  if (values.contains("max-decoded")) limits.decoded_bytes = bytes_of("max-decoded", values.at("max-decoded"));
  return limits;
}

static ProgressSettings progress_settings(const std::string& kind, const std::string& file) {
  const ProgressSettings settings{.kind = kind == "json"     ? ProgressKind::json
                                          : kind == "openjd" ? ProgressKind::openjd
                                          : kind == "none"   ? ProgressKind::none
                                                             : ProgressKind::automatic,
                                  .file = file};
  const bool has_lines = settings.kind == ProgressKind::json || settings.kind == ProgressKind::openjd;
  if (!file.empty() && !has_lines) fail(Exit::usage, "--progress-file {}: needs --progress json or openjd", file);
  return settings;
}

static std::optional<std::string> variable_of_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

static InputOptions input_options(const std::map<std::string_view, std::string>& values) {
  const auto has = [&](std::string_view name) { return values.contains(name); };
  InputOptions options{.list = has("list") ? values.at("list") : "",
                       .is_recursive = has("recursive"),
                       .skips_missing = has("skip-missing")};
  if (has("frames")) options.frames = parse_frames(values.at("frames"));
  std::optional<int> shard_count;
  if (has("shards")) shard_count = int(whole_number("shards", values.at("shards"), 1, 1'000'000));
  if (shard_count && !has("shard")) fail(Exit::usage, "--shards {} needs --shard auto", *shard_count);
  if (has("shard")) options.shard = parse_shard(values.at("shard"), shard_count, variable_of_environment);
  return options;
}

// NAME[:LEVEL], with a known name.
static void read_compression(const std::string& word, OutputSettings& output) {
  const std::string name = word.substr(0, word.find(':'));
  const auto compression = Compression(std::ranges::find(compression_names, name) - std::begin(compression_names));
  output.compression = compression;
  if (name.size() == word.size()) return;
  const CompressionLevels levels = levels_of(compression);
  if (levels.most == 0)
    fail(Exit::usage, "--compression {}: {} has no levels; expected --compression {}", word, name, name);
  output.compression_level =
      int(whole_number("compression " + name, word.substr(name.size() + 1), levels.least, levels.most));
}

Globals parse_globals(const std::vector<std::string>& words) {
  const std::map<std::string_view, std::string> values = values_of(words);
  const auto text = [&](std::string_view name) { return values.contains(name) ? values.at(name) : std::string(); };
  const auto flag = [&](std::string_view name) {
    return values.contains(name) && truth(*global_named(name), values.at(name));
  };
  for (const auto& [name, value] : values) {
    const std::vector<std::string_view>& choices = global_named(name)->choices;
    const bool is_open = choices.empty() || global_named(name)->has_names;
    const std::string word = global_named(name)->has_level ? value.substr(0, value.find(':')) : value;
    if (!is_open && std::find(choices.begin(), choices.end(), word) == choices.end())
      fail(Exit::usage, "--{} {} is not one of {}{}", name, value, fmt::join(choices, ", "),
           suggestion(value, choices));
  }
  if (values.contains("exit-map")) parse_exit_map(text("exit-map"));  // only checks it here; main() uses it
  Globals globals{.inputs = input_options(values),
                  .output = text("output"),
                  .input = {.part = text("part"),
                            .layer = text("layer"),
                            .limits = limits_of(values),
                            .requires_sandbox = flag("require-sandbox")},
                  .encoding = {.no_clobber = flag("no-clobber")},
                  .passes = {.fp16 = flag("fp16"), .no_fuse = flag("no-fuse"), .verify = flag("verify")},
                  .device = {.device = text("device"), .require_gpu = flag("require-gpu")},
                  .report = {.file = text("report"),
                             .depfile = text("depfile"),
                             .timing = flag("timing"),
                             .quiet = flag("quiet"),
                             .progress = progress_settings(text("progress"), text("progress-file"))},
                  .makes_folders = flag("mkdir"),
                  .explain = flag("explain")};
  InputSettings& input = globals.input;
  OutputSettings& encoding = globals.encoding;
  PassSettings& passes = globals.passes;
  DeviceSettings& device = globals.device;
  BatchSettings& batch = globals.batch;
  batch = {.fails_fast = flag("fail-fast"), .journal = text("journal"), .resumes = flag("resume")};
  batch.job_count = values.contains("jobs") ? int(whole_number("jobs", text("jobs"), 1, 256)) : core_count();
  if (values.contains("max-memory")) batch.max_memory_bytes = bytes_of("max-memory", text("max-memory"));
  if (batch.fails_fast && flag("keep-going"))
    fail(Exit::usage, "--fail-fast stops at a failure and --keep-going does not; expected one of them");
  if (values.contains("level")) input.level = int(whole_number("level", text("level"), 0, 31));
  if (values.contains("assemble"))
    input.assembly = Assembly(std::ranges::find(assembly_names, text("assemble")) - std::begin(assembly_names));
  if (values.contains("input-primaries")) input.primaries = primaries_named("input-primaries", text("input-primaries"));
  input.keeps_orientation = flag("no-orient");
  input.flatten = flag("flatten");
  if (values.contains("input-transfer")) input.transfer = transfer_named(text("input-transfer"));
  if (values.contains("input-alpha"))
    input.alpha = text("input-alpha") == "straight" ? Alpha::straight : Alpha::premultiplied;
  if (values.contains("format")) globals.format = format_named(text("format"));
  if (const std::string bits = text("bits"); !bits.empty())
    encoding.bits = bits == "8" ? Depth::u8 : bits == "16" ? Depth::u16 : bits == "16f" ? Depth::half : Depth::f32;
  if (values.contains("compression")) read_compression(text("compression"), encoding);
  if (values.contains("quality")) encoding.quality = int(whole_number("quality", text("quality"), 1, 100));
  if (values.contains("output-primaries"))
    encoding.primaries = primaries_named("output-primaries", text("output-primaries"));
  encoding.to_display = flag("to-display");
  encoding.drop_parts = flag("drop-parts");
  if (values.contains("transfer")) encoding.transfer = transfer_named(text("transfer"));
  if (text("dither") == "ordered") encoding.dither = Dither::ordered;
  if (values.contains("apply-to")) passes.apply_to = parse_apply_to(text("apply-to"));
  passes.is_r11g11b10 = text("storage") == "r11g11b10";
  if (values.contains("storage") && !passes.is_r11g11b10)
    passes.storage = text("storage") == "fp16" ? Depth::half : Depth::f32;
  if (text("space") == "yxy") passes.space = Space::yxy;
  if (values.contains("tile-side")) device.tile_side = whole_number("tile-side", text("tile-side"), 16, 32768);
  if (values.contains("max-dispatch-ms"))
    device.max_dispatch_ms = whole_number("max-dispatch-ms", text("max-dispatch-ms"), 0, 1'000'000);
  if (values.contains("device-seconds"))
    device.device_seconds = whole_number("device-seconds", text("device-seconds"), 0, 86400);
  if (values.contains("bake")) globals.bake.side = int(whole_number("bake", text("bake"), 2, 256));
  if (values.contains("bake-shaper") && !globals.bake.side)
    fail(Exit::usage, "--bake-shaper {} has no effect without --bake N", text("bake-shaper"));
  if (values.contains("bake-shaper")) globals.bake.shaper = text("bake-shaper");
  if (values.contains("size")) globals.size = size_of(text("size"));
  if (passes.fp16 && passes.storage == Depth::f32)
    fail(Exit::usage, "--fp16 means half storage and contradicts --storage fp32; leave one out");
  if (passes.fp16 && encoding.bits && *encoding.bits == Depth::f32)
    fail(Exit::usage, "--fp16 means half storage and contradicts --bits 32f; leave one out");
  return globals;
}

}  // namespace gpupost
