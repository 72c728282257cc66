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
#include <span>

namespace gpupost {

const Global* global_of_option(std::string_view option) {
  for (const Global& global : all_globals())
    if ((!option.empty() && option == global.short_name) ||
        (option.starts_with("--") && option.substr(2) == global.name))
      return &global;
  return nullptr;
}

void refuse_option_as_value(std::string_view option, std::string_view next, std::string_view verb) {
  fail(Exit::usage, "{2}{3}{0} needs a value; {1} is an option ({0}={1} if it is meant as the value)", option, next,
       verb, verb.empty() ? "" : ": ");
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

std::string Global::help_text() const {
  constexpr std::string_view mark = "{ops}";
  std::string text(help);
  if (const size_t at = text.find(mark); at != text.npos) text.replace(at, mark.size(), names_with_apply_to());
  return text;
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
  const std::vector<std::string_view>& names = global_named(option)->choices;
  fail(Exit::usage,
       "--{} {} are not primaries{}; expected {}, or eight numbers with commas: x and y of red, green, blue and white",
       option, text, suggestion(text, names), fmt::join(names, ", "));
}

static std::optional<int64_t> number_in(std::string_view word, int64_t low, int64_t high) {
  const std::optional<int64_t> value = number_in<int64_t>(without_plus(word));
  return value && *value >= low && *value <= high ? value : std::nullopt;
}

static int64_t whole_number(std::string_view name, const std::string& word, int64_t low, int64_t high) {
  const std::optional<int64_t> value = number_in(word, low, high);
  if (!value) fail(Exit::usage, "--{} {} is not a whole number in {}..{}", name, word, low, high);
  return *value;
}

// The option of `resize` that was probably meant by --size and this word.
static std::string resize_option(const std::string& word) {
  if (number_in(word, 1, 32768)) return "--long-side " + word;
  const std::optional<double> factor = number_in<double>(word);
  if (factor && *factor > 0 && *factor < 100) return fmt::format("--size {:g}%", 100 * *factor);
  return word.ends_with('%') ? "--size " + word : "--size WxH";
}

static Size size_of(const std::string& word) {
  const size_t cross = word.find('x');
  if (cross == word.npos)
    fail(Exit::usage,
         "--size {0} is not of the form WxH, like 1920x1080; it is for --explain and `shader` (to change the size of "
         "an image, use `resize {1}`)",
         word, resize_option(word));
  const std::optional<int64_t> width = number_in(word.substr(0, cross), 1, 32768),
                               height = number_in(word.substr(cross + 1), 1, 32768);
  if (!width || !height)
    fail(Exit::usage, "--size {} is not of the form WxH with whole numbers in 1..32768, like 1920x1080", word);
  return {int(*width), int(*height)};
}

// A number of bytes: 4096, 64K, 512M, 8G.
static uint64_t bytes_of(std::string_view name, const std::string& word) {
  constexpr std::string_view units = "KMG";
  constexpr int64_t most = int64_t(1) << 40;
  const size_t unit = word.empty() ? units.npos : units.find(word.back());
  const int shift = unit == units.npos ? 0 : 10 * int(unit + 1);
  const std::string_view digits = std::string_view(word).substr(0, word.size() - (shift > 0 ? 1 : 0));
  const int64_t value = number_in<int64_t>(digits).value_or(0);
  if (value < 1 || value > most >> shift)
    fail(Exit::usage, "--{} {} is not a number of bytes up to 1024G, like 4096, 64K, 512M or 8G", name, word);
  return uint64_t(value) << shift;
}

static bool truth(const Global& global, const std::string& word) {
  if (word == "1" || word == "true") return true;
  if (word == "0" || word == "false") return false;
  fail(Exit::usage, "{}={} is not valid; expected 1, 0, true or false", environment_name(global), word);
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
  if (file == "-") fail(Exit::usage, "--progress-file - is not a file; without it lines go to standard error");
  if (!file.empty() && !has_lines) fail(Exit::usage, "--progress-file {}: needs --progress json or openjd", file);
  return settings;
}

static std::optional<std::string> variable_of_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

// The folder that -o names before its first placeholder, with its /; "" for none.
static std::string output_folder_of(const std::string& output) {
  const std::string known = output.substr(0, output.find('{'));
  const size_t slash = known.rfind('/');
  return slash == known.npos ? "" : output.substr(0, slash + 1);
}

static InputOptions input_options(const std::map<std::string_view, std::string>& values) {
  const auto has = [&](std::string_view name) { return values.contains(name); };
  InputOptions options{.list = has("list") ? values.at("list") : "",
                       .is_recursive = has("recursive"),
                       .output_folder = output_folder_of(has("output") ? values.at("output") : ""),
                       .skips_missing = has("skip-missing")};
  if (has("frames")) options.frames = parse_frames(values.at("frames"));
  std::optional<int> shard_count;
  if (has("shards")) shard_count = int(whole_number("shards", values.at("shards"), 1, 1'000'000));
  if (shard_count && !has("shard")) fail(Exit::usage, "--shards {} needs --shard auto", *shard_count);
  if (has("shard")) options.shard = parse_shard(values.at("shard"), shard_count, variable_of_environment);
  return options;
}

// The level of NAME[:LEVEL], the value of --`option`; 0 if it has none.
static int compression_level(std::string_view option, const std::string& word, const CompressionLevels& levels) {
  const std::string name = word.substr(0, word.find(':'));
  if (name.size() == word.size()) return 0;
  if (levels.most == 0) fail(Exit::usage, "--{0} {1}: {2} has no levels; expected --{0} {2}", option, word, name);
  const std::optional<int64_t> level = number_in(word.substr(name.size() + 1), levels.least, levels.most);
  if (!level)
    fail(Exit::usage, "--{0} {1}: the level is not a whole number in {3}..{4}; expected one, like {2}:{3}", option,
         word, name, levels.least, levels.most);
  return int(*level);
}

// The number of a NAME[:LEVEL] in a list that has the name.
static size_t index_in(std::span<const std::string_view> names, const std::string& word) {
  return size_t(std::ranges::find(names, word.substr(0, word.find(':'))) - names.begin());
}

static void read_compression(const std::string& word, OutputSettings& output) {
  output.compression = Compression(index_in(compression_names, word));
  output.compression_level = compression_level("compression", word, levels_of(*output.compression));
}

static void read_supercompression(const std::string& word, OutputSettings& output) {
  output.supercompression = Supercompression(index_in(supercompression_names, word));
  output.supercompression_level = compression_level("supercompression", word, levels_of(output.supercompression));
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
                  .encoding = {.no_clobber = flag("no-clobber"), .makes_folders = flag("mkdir")},
                  .passes = {.fp16 = flag("fp16"), .no_fuse = flag("no-fuse"), .verify = flag("verify")},
                  .device = {.device = text("device"), .require_gpu = flag("require-gpu")},
                  .report = {.file = text("report"),
                             .depfile = text("depfile"),
                             .timing = flag("timing"),
                             .quiet = flag("quiet"),
                             .progress = progress_settings(text("progress"), text("progress-file"))},
                  .explain = flag("explain")};
  InputSettings& input = globals.input;
  OutputSettings& encoding = globals.encoding;
  PassSettings& passes = globals.passes;
  DeviceSettings& device = globals.device;
  BatchSettings& batch = globals.batch;
  batch = {.fails_fast = flag("fail-fast"), .journal = text("journal"), .resumes = flag("resume")};
  if (batch.journal == "-") fail(Exit::usage, "--journal - is not a file, and a later run reads it; expected a file");
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
  input.alpha_is_data = text("input-alpha") == "data";
  if (values.contains("input-alpha") && !input.alpha_is_data)
    input.alpha = text("input-alpha") == "straight" ? Alpha::straight : Alpha::premultiplied;
  if (values.contains("format")) globals.format = format_of_extension("." + text("format"));
  if (const std::string bits = text("bits"); !bits.empty())
    encoding.bits = bits == "8" ? Depth::u8 : bits == "16" ? Depth::u16 : bits == "16f" ? Depth::half : Depth::f32;
  if (values.contains("compression")) read_compression(text("compression"), encoding);
  if (values.contains("supercompression")) read_supercompression(text("supercompression"), encoding);
  if (values.contains("quality")) encoding.quality = int(whole_number("quality", text("quality"), 1, 100));
  if (values.contains("output-primaries"))
    encoding.primaries = primaries_named("output-primaries", text("output-primaries"));
  encoding.to_display = flag("to-display");
  encoding.drop_parts = flag("drop-parts");
  encoding.drop_channels = flag("drop-channels");
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
