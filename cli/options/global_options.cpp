#include "cli/options/global_options.h"

#include "cli/options/environment.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "core/op/parse.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>

namespace gpupost {

static constexpr std::string_view assembly_names[] = {"none", "cube", "array", "cube-from-cross", "cube-from-strip"};
std::string_view name_of(Assembly assembly) { return assembly_names[size_t(assembly)]; }

std::span<const Global> all_globals() {
  static const Global rows[] = {
      {"output",
       "FILE",
       "where the result goes: a file, a folder with / at its end, a pattern with {stem} {name} {ext} {dir} {level}, "
       "or - for standard output",
       {},
       "-o"},
      {"format", "NAME", "of the output, whatever its name says", {"exr", "png", "ktx2", "dds"}, ""},
      {"assemble",
       "KIND",
       "all inputs to one KTX2 or DDS file: six to a cube (+X -X +Y -Y +Z -Z), any number to an array, or one picture "
       "that is a cross (4x3 or 3x4) or a strip (6x1 or 1x6) of faces to a cube",
       {std::begin(assembly_names) + 1, std::end(assembly_names)},
       ""},
      {"bits",
       "DEPTH",
       "of the output's color: integers of 8 or 16 bits, floats of 16 or 32",
       {"8", "16", "16f", "32f"},
       ""},
      {"compression", "NAME", "of an EXR", {"none", "rle", "zips", "zip"}, ""},
      {"transfer",
       "CURVE",
       "of integers in the output; without it srgb, but linear for 16 bits in KTX2 and DDS; floats are always linear",
       {"srgb", "linear"},
       ""},
      {"dither",
       "KIND",
       "of color in outputs of 8 bits: ordered takes the number below or above by a pattern of 8 x 8 texels that "
       "keeps "
       "their mean, and leaves alpha and what is such a number already; without it none, the nearest",
       {"none", "ordered"},
       ""},
      {"input-transfer",
       "CURVE",
       "of the input's color; without it integers are srgb, floats linear",
       {"srgb", "linear"},
       ""},
      {"input-alpha",
       "KIND",
       "of the input; without it EXR is premultiplied, all else straight",
       {"straight", "premultiplied"},
       ""},
      {"apply-to",
       "NAME,...",
       "Channels that ops filter: color alone (default), all, or the color and the channels or layers of these names. "
       "Other channels take the nearest texel where an op moves or resizes the image and skip ops that mix texels. "
       "mips "
       "makes levels of all channels",
       {"color", "all"},
       "",
       false,
       false,
       true},
      {"part", "WHICH", "of an EXR of several parts, by number or name; without it the first", {}, "", true},
      {"layer", "NAME", "work on NAME.R, NAME.G, ... of an EXR instead of R, G, ...", {}, "", true},
      {"level", "N", "of a mip-mapped input; without it 0, and to `compare` all", {}, "", true},
      {"max-side", "N", "texels of an input's longer side at most; without it 32768", {}, "", true, true},
      {"max-texels", "N", "texels of an input at most; without it 268435456", {}, "", true, true},
      {"max-channels", "N", "channels of an input at most; without it 64", {}, "", true, true},
      {"max-decoded",
       "SIZE",
       "bytes of an input at most once it is decoded, like 512M or 8G; without it 4G",
       {},
       "",
       true,
       true},
      {"decode-seconds", "N", "for an input at most; without it 120", {}, "", true, true},
      {"decode-cpu-seconds",
       "N",
       "processor time for an input at most, of all cores together; without it 30",
       {},
       "",
       true,
       true},
      {"require-sandbox",
       "",
       "Fail with exit 7 where the system cannot filter a decoder's system calls; without it that is a warning",
       {},
       "",
       true,
       true},
      {"jobs",
       "N",
       "of several inputs decoded at once, ahead of their turn; without it the number of cores",
       {},
       "",
       false,
       true},
      {"device",
       "WHICH",
       "by index, part of the name, UUID, cpu or gpu; without it the best there is",
       {},
       "",
       false,
       true},
      {"require-gpu", "", "a real GPU, or exit 4", {}, "", false, true},
      {"tile-side",
       "TEXELS",
       "pictures go through the device in parts of at most so many texels a side, which changes no number; without it "
       "at "
       "once where the device can",
       {},
       "",
       false,
       true},
      {"max-dispatch-ms",
       "MS",
       "that the device may work at once, in parts where a picture takes longer, 0 for as long as it takes; without it "
       "500 on a GPU, whose driver may end what takes seconds",
       {},
       "",
       false,
       true},
      {"device-seconds",
       "S",
       "longest that the device may work on one submission before the run fails with exit 4, 0 for no limit; default "
       "600, "
       "with user GLSL (point) 5, and 1 more for each million texels that are read",
       {},
       "",
       false,
       true},
      {"fp16",
       "",
       "half storage, half arithmetic where the op says it is safe, and half numbers in outputs of floats",
       {},
       ""},
      {"storage",
       "KIND",
       "of pictures on the device; without it fp16 for inputs of 8 bits and halves, else fp32; r11g11b10 is that too, "
       "but "
       "with 11:11:10 bits a texel in the pictures that a chain makes on its way, which hold no alpha and nothing "
       "negative",
       {"fp32", "fp16", "r11g11b10"},
       ""},
      {"space", "NAME", "of the pictures that a chain makes on its way; without it rgb", {"rgb", "yxy"}, ""},
      {"no-fuse",
       "",
       "a pass for each point op, with floats between them, in the place of as few passes as can be",
       {},
       ""},
      {"report", "FILE", "write what was done and how long each part took as JSON", {}, ""},
      {"timing", "", "the same as a table on standard error", {}, ""},
      {"explain", "", "print the plan and do nothing", {}, ""},
      {"size", "WxH", "of the picture that --explain and shader plan for when no file is given", {}, ""},
      {"verify",
       "",
       "compare the result with the definition in double on the CPU; exit 6 and no output when it is off",
       {},
       ""},
      {"no-clobber", "", "refuse to replace an output that exists", {}, ""},
      {"quiet", "", "no warnings", {}, ""},
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
  return fmt::format("{}{}{}", fmt::join(choices, "|"), has_names ? "|" : "", has_names ? value : "");
}

// The value of each global that was given, by name; "1" for a flag.
static std::map<std::string_view, std::string> values_of(const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag();
  std::map<std::string_view, std::vector<std::string>> lists;
  std::map<std::string_view, CLI::Option*> options;
  for (const Global& global : all_globals()) {
    const std::string names =
        fmt::format("{}{}--{}", global.short_name, global.short_name.empty() ? "" : ",", global.name);
    options[global.name] =
        global.value.empty() ? app.add_flag(names) : app.add_option(names, lists[global.name])->expected(1)->take_all();
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from the back
  } catch (const CLI::ParseError& error) {
    fail(Exit::usage, "{}", error.what());
  }
  std::map<std::string_view, std::string> values;
  for (const Global& global : all_globals()) {
    const std::vector<std::string>& list = lists[global.name];
    for (const std::string& value : list)
      if (value != list.front())
        fail(Exit::usage, "--{} is given twice, as {} and as {}", global.name, list.front(), value);
    if (options[global.name]->count() > 0) values[global.name] = global.value.empty() ? "1" : list.front();
    else if (const std::string value = value_in_environment(global); !value.empty()) values[global.name] = value;
  }
  return values;
}

static Transfer transfer_named(const std::string& name) { return name == "srgb" ? Transfer::srgb : Transfer::linear; }

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

// What is said of the limits of inputs.
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

DecodeOptions decode_options(const Globals& globals) {
  return {.part = globals.part,
          .layer = globals.layer,
          .level = globals.level.value_or(0),
          .limits = globals.limits,
          .requires_sandbox = globals.requires_sandbox};
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
    if (!is_open && std::find(choices.begin(), choices.end(), value) == choices.end())
      fail(Exit::usage, "--{} {} is none of {}{}", name, value, fmt::join(choices, ", "), suggestion(value, choices));
  }
  Globals globals{.output = text("output"),
                  .part = text("part"),
                  .layer = text("layer"),
                  .limits = limits_of(values),
                  .requires_sandbox = flag("require-sandbox"),
                  .job_count = values.contains("jobs") ? int(whole_number("jobs", text("jobs"), 1, 256)) : core_count(),
                  .device = text("device"),
                  .require_gpu = flag("require-gpu"),
                  .fp16 = flag("fp16"),
                  .report = text("report"),
                  .timing = flag("timing"),
                  .explain = flag("explain"),
                  .verify = flag("verify"),
                  .no_clobber = flag("no-clobber"),
                  .quiet = flag("quiet")};
  if (values.contains("apply-to")) globals.apply_to = parse_apply_to(text("apply-to"));
  if (values.contains("level")) globals.level = int(whole_number("level", text("level"), 0, 31));
  if (values.contains("format")) globals.format = format_named(text("format"));
  if (values.contains("assemble"))
    globals.assembly = Assembly(std::ranges::find(assembly_names, text("assemble")) - std::begin(assembly_names));
  if (const std::string bits = text("bits"); !bits.empty())
    globals.bits = bits == "8" ? Depth::u8 : bits == "16" ? Depth::u16 : bits == "16f" ? Depth::half : Depth::f32;
  if (const std::string name = text("compression"); !name.empty())
    globals.compression = name == "none"   ? Compression::none
                          : name == "rle"  ? Compression::rle
                          : name == "zips" ? Compression::zips
                                           : Compression::zip;
  if (values.contains("transfer")) globals.transfer = transfer_named(text("transfer"));
  if (text("dither") == "ordered") globals.dither = Dither::ordered;
  if (values.contains("input-transfer")) globals.input_transfer = transfer_named(text("input-transfer"));
  if (values.contains("input-alpha"))
    globals.input_alpha = text("input-alpha") == "straight" ? Alpha::straight : Alpha::premultiplied;
  globals.is_r11g11b10 = text("storage") == "r11g11b10";
  if (values.contains("storage") && !globals.is_r11g11b10)
    globals.storage = text("storage") == "fp16" ? Depth::half : Depth::f32;
  if (text("space") == "yxy") globals.space = Space::yxy;
  globals.no_fuse = flag("no-fuse");
  if (values.contains("tile-side")) globals.tile_side = whole_number("tile-side", text("tile-side"), 16, 32768);
  if (values.contains("max-dispatch-ms"))
    globals.max_dispatch_ms = whole_number("max-dispatch-ms", text("max-dispatch-ms"), 0, 1'000'000);
  if (values.contains("device-seconds"))
    globals.device_seconds = whole_number("device-seconds", text("device-seconds"), 0, 86400);
  if (values.contains("size")) globals.size = size_of(text("size"));
  if (globals.fp16 && globals.storage == Depth::f32)
    fail(Exit::usage, "--fp16 means half storage; --storage fp32 contradicts it");
  if (globals.fp16 && globals.bits && *globals.bits == Depth::f32)
    fail(Exit::usage, "--fp16 means half numbers; --bits 32f contradicts it");
  return globals;
}

}  // namespace gpupost
