// `gpupost compare A B`: two files, or two sequences frame by frame.
#include "cli/commands/commands.h"
#include "cli/options/frame_range.h"
#include "cli/options/sequence.h"
#include "cli/text/json_text.h"
#include "cli/text/messages.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/codec/codec.h"
#include "core/image/channel_names.h"
#include "core/image/difference.h"
#include "core/image/primaries.h"
#include "core/image/to_working.h"
#include "core/system/atomic_file.h"

#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace gpupost {

namespace {

using json = nlohmann::ordered_json;

struct Options {
  DifferenceOptions difference;
  double max_percent = 0;  // percentage of a channel's texels that may exceed the tolerance
  double scale = 1;        // factor for the image of differences
  std::string output;      // its path, which may be a sequence; "" for none
  bool makes_folders = false;
  bool is_json = false;
  bool all_levels = true;
  DecodeOptions decode;
};

double number_of(const CommandCall& call, std::string_view option, double default_value, double high) {
  if (!call.has(option)) return default_value;
  const std::string word = call.value(option);
  const double number = number_in<double>(without_plus(word)).value_or(-1);
  if (!(number >= 0 && number <= high))
    fail(Exit::usage, "compare: {} {} is not a number of at least 0{}", option, word,
         std::isinf(high) ? "" : fmt::format(" and at most {}", high));
  return number;
}

Options options_of(const CommandCall& call, const Globals& globals) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Options options{
      .difference = {.tolerance = number_of(call, "--tolerance", 0, infinity), .is_relative = call.has("--relative")},
      .max_percent = number_of(call, "--max-percent", 0, 100),
      .scale = number_of(call, "--scale", 1, 1e6),
      .output = call.value("-o"),
      .makes_folders = globals.encoding.makes_folders,
      .is_json = call.has("--json"),
      .all_levels = !globals.input.level,
      .decode = decode_options(globals.input)};
  if (options.scale == 0)
    fail(Exit::usage, "compare: --scale 0 would make the difference image black; expected a number above 0");
  if (call.has("--scale") && options.output.empty())
    fail(Exit::usage, "compare: --scale has no effect without -o, which writes the difference image");
  return options;
}

// Converts to linear, premultiplied float, so that files with different encodings can be compared.
Picture meaning_of(Picture picture) {
  make_working(picture, Depth::f32);
  for (Group& group : picture.groups)
    if (group.depth == Depth::half) change_depth(group, Depth::f32);
  return picture;
}

void say_warnings(const std::string& path, const Decoded& decoded) {
  for (const std::string& warning : decoded.warnings) say_warning("{}: {}", path, warning);
}

// Reads level 0 of a file, or the requested level. Prints warnings of the reader.
Picture first_of(const std::string& path, const DecodeOptions& options) {
  Decoded decoded = decode_file(path, options);
  say_warnings(path, decoded);
  return meaning_of(std::move(decoded.picture));
}

Picture level_of(const std::string& path, DecodeOptions options, int level) {
  if (!std::filesystem::is_regular_file(path))  // "-" too
    fail(Exit::usage, "compare: {} can be read only once and has several levels; choose one with --level",
         path == "-" ? "standard input" : path);
  options.level = level;
  return meaning_of(decode_file(path, options).picture);
}

std::string text_of(const Window& window) {
  return fmt::format("({}, {}) to ({}, {})", window.min_x, window.min_y, window.max_x, window.max_y);
}

std::string text_of(const std::vector<std::string>& parts) {
  return parts.empty() ? "one part" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string text_of(const Primaries& p) {
  return fmt::format("red {:g}, {:g} green {:g}, {:g} blue {:g}, {:g} white {:g}, {:g}", p.red.x, p.red.y, p.green.x,
                     p.green.y, p.blue.x, p.blue.y, p.white.x, p.white.y);
}

// Why two images cannot be compared; "" if they can.
std::string obstacle_to(const Picture& a, const Picture& b) {
  if (a.size() != b.size())
    return fmt::format("sizes differ: {} x {} and {} x {}\n", a.size().width, a.size().height, b.size().width,
                       b.size().height);
  const auto channels = [](const Picture& picture) { return fmt::format("{}", fmt::join(names_of(picture), " ")); };
  if (channels(a) != channels(b))
    return fmt::format("channels differ: {} and {}\n", printable(channels(a)), printable(channels(b)));
  return "";
}

// Differences of two files other than values, one per line.
std::string differences_around(const Picture& a, const Picture& b, bool all_levels) {
  std::string text;
  if (a.data_window != b.data_window)
    text += fmt::format("data windows differ: {} and {}\n", text_of(a.data_window), text_of(b.data_window));
  if (a.display_window != b.display_window)
    text += fmt::format("display windows differ: {} and {}\n", text_of(a.display_window), text_of(b.display_window));
  const Primaries of_a = other_primaries(a).value_or(rec709), of_b = other_primaries(b).value_or(rec709);
  if (!are_same(of_a, of_b)) text += fmt::format("chromaticities differ: {} and {}\n", text_of(of_a), text_of(of_b));
  if (all_levels && a.file_level_count != b.file_level_count)
    text += fmt::format("levels differ: {} and {}\n", a.file_level_count, b.file_level_count);
  return text;
}

// Differences of one level of a part.
struct LevelResult {
  std::string part;  // "" if the files have only one
  int level = 0;
  std::vector<std::pair<std::string, ChannelDifference>> channels;  // by name
};

// Result of comparing two files.
struct PairResult {
  std::string a, b;
  std::string error;     // why they could not be compared; "" where they were
  std::string problems;  // differences other than values, one per line
  std::vector<LevelResult> levels;
  bool is_equal = false;  // within the tolerance and without problems
};

// Compares two images without an obstacle. Returns whether all channels are within the tolerance.
bool compare_numbers(const Picture& a, const Picture& b, const std::string& part, int level, const Options& options,
                     PairResult& result) {
  bool is_within = true;
  LevelResult& found = result.levels.emplace_back(LevelResult{.part = part, .level = level, .channels = {}});
  for (size_t group = 0; group < a.groups.size(); ++group)
    for (size_t component = 0; component < 4; ++component) {
      const std::string name = printable(a.groups[group].channels[component].name);
      if (name.empty()) continue;
      if (a.groups[group].depth != b.groups[group].depth) {
        result.problems += fmt::format("{} is uint in one image only\n", name);
        is_within = false;
        continue;
      }
      const auto& [_, difference] = found.channels.emplace_back(
          name, difference_of(a.groups[group], b.groups[group], component, options.difference));
      is_within = is_within && difference.over_percent() <= options.max_percent;
    }
  return is_within;
}

// Warns that -o is not written, if it is given.
void say_unwritten(const std::string& path) {
  if (!path.empty())
    say_warning("compare: -o {} is not written; the images have different sizes, channels or parts", path);
}

// Writes the image of differences, if `path` is given.
void write_difference(const Picture& a, const Picture& b, const std::string& path, const Options& options) {
  if (path.empty()) return;
  if (!obstacle_to(a, b).empty()) return say_unwritten(path);
  const Format* format = format_of_extension(path);
  if (!format || !format->can_write())
    fail(Exit::usage, "compare: -o {}: cannot write files with this extension; expected {}", path,
         writable_extensions());
  Picture picture = picture_of_difference(a, b, options.difference.is_relative, options.scale);
  drop_extras(picture, *format);
  if (options.makes_folders) make_folder_of(path);
  const Depth depth = format->can_write(Depth::f32) ? Depth::f32 : Depth::u8;
  write_file(path, encode(*format, picture, {.depth = depth, .keep_depths = true}).bytes.bytes(), false);
}

// Compares one part of two files: `a` and `b` are its level 0. Returns whether all channels are within the tolerance.
bool compare_part(const Picture& a, const Picture& b, const std::string& part, const Options& options,
                  PairResult& result) {
  const auto add_problems = [&](const std::string& lines) {
    if (lines.empty()) return false;
    result.problems += part.empty() ? lines : fmt::format("part {}: {}", part, lines);
    return true;
  };
  if (add_problems(obstacle_to(a, b))) return false;
  add_problems(differences_around(a, b, options.all_levels));
  bool is_within = compare_numbers(a, b, part, 0, options, result);
  const int level_count = options.all_levels ? std::min(a.file_level_count, b.file_level_count) : 1;
  for (int level = 1; level < level_count; ++level) {
    const Picture of_a = level_of(result.a, options.decode, level), of_b = level_of(result.b, options.decode, level);
    // Level sizes may be rounded down or up.
    if (const std::string obstacle = obstacle_to(of_a, of_b); !obstacle.empty()) {
      add_problems(fmt::format("level {}: {}", level, obstacle));
      return false;
    }
    is_within &= compare_numbers(of_a, of_b, part, level, options, result);
  }
  return is_within;
}

// Names of the parts of a file, or their numbers if they have none; empty if the file has only one.
std::vector<std::string> part_names(const Decoded& decoded) {
  std::vector<std::string> names;
  if (decoded.parts.size() > 1)
    for (const FilePart& part : decoded.parts)
      names.push_back(part.name.empty() ? std::to_string(names.size()) : part.name);
  return names;
}

void compare_files(const std::string& output, const Options& options, PairResult& result) {
  if (result.a == "-" && result.b == "-")
    fail(Exit::usage, "compare: both images are standard input, which can be read only once; write one to a file");
  Decoded first_a = decode_file(result.a, options.decode), first_b = decode_file(result.b, options.decode);
  const std::vector<std::string> parts = part_names(first_a), parts_of_b = part_names(first_b);
  const bool compares_parts = options.decode.part.empty() && !(parts.empty() && parts_of_b.empty());
  if (compares_parts && parts != parts_of_b) {
    result.problems = fmt::format("parts differ: {} and {}; compare one with --part\n", printable(text_of(parts)),
                                  printable(text_of(parts_of_b)));
    say_unwritten(output);
    return;
  }
  for (const std::string& path : {result.a, result.b})
    if (compares_parts && !std::filesystem::is_regular_file(path))
      fail(Exit::usage, "compare: {} can be read only once and has several parts; choose one with --part",
           path == "-" ? "standard input" : path);
  bool is_within = true;
  if (!compares_parts) {
    say_warnings(result.a, first_a);
    say_warnings(result.b, first_b);
    const Picture a = meaning_of(std::move(first_a.picture)), b = meaning_of(std::move(first_b.picture));
    is_within = compare_part(a, b, "", options, result);
    write_difference(a, b, output, options);
  }
  for (const std::string& part : compares_parts ? parts : std::vector<std::string>()) {
    Options of_part = options;
    of_part.decode.part = part;
    const Picture a = first_of(result.a, of_part.decode), b = first_of(result.b, of_part.decode);
    is_within &= compare_part(a, b, printable(part), of_part, result);
    if (part == parts.front()) write_difference(a, b, output, options);
  }
  result.is_equal = is_within && result.problems.empty();
}

// "G", "G level 2", "depth: Z".
std::string name_of(const LevelResult& level, const std::string& channel) {
  return (level.part.empty() ? "" : level.part + ": ") + channel +
         (level.level > 0 ? fmt::format(" level {}", level.level) : "");
}

std::string to_text(const PairResult& result, const Options& options) {
  std::string text = result.problems;
  bool is_over = false;
  for (const LevelResult& level : result.levels)
    for (const auto& [name, found] : level.channels) {
      text += fmt::format(
          "{:<12} largest {:.9g} at ({}, {}), mean {:.6g}, root mean square {:.6g}, PSNR {}, {:.4g} % above the "
          "tolerance\n",
          name_of(level, name), found.maximum, found.worst.x, found.worst.y, found.mean, found.root_mean_square,
          found.psnr() ? fmt::format("{:.4g} dB", *found.psnr()) : "n/a", found.over_percent());
      is_over |= found.over_percent() > options.max_percent;
    }
  if (is_over)
    text += fmt::format("different: above the {}tolerance of {:g}\n", options.difference.is_relative ? "relative " : "",
                        options.difference.tolerance);
  return text;
}

// Infinity becomes null, because JSON cannot represent it.
json to_json(const PairResult& result) {
  json pair = {{"a", result.a}, {"b", result.b}, {"equal", result.is_equal}};
  if (!result.error.empty()) pair["error"] = result.error;
  pair["problems"] = json::array();
  for (size_t begin = 0; begin < result.problems.size();) {
    const size_t end = result.problems.find('\n', begin);
    pair["problems"].push_back(result.problems.substr(begin, end - begin));
    begin = end + 1;
  }
  pair["levels"] = json::array();
  for (const LevelResult& level : result.levels) {
    json channels = json::array();
    for (const auto& [name, found] : level.channels)
      channels.push_back({{"name", name},
                          {"maximum", found.maximum},
                          {"worst", {found.worst.x, found.worst.y}},
                          {"mean", found.mean},
                          {"root_mean_square", found.root_mean_square},
                          {"psnr", found.psnr() ? json(*found.psnr()) : json()},
                          {"peak", found.peak},
                          {"over_count", found.over_count},
                          {"over_percent", found.over_percent()}});
    json one = {{"level", level.level}, {"channels", std::move(channels)}};
    if (!level.part.empty()) one["part"] = level.part;
    pair["levels"].push_back(std::move(one));
  }
  return pair;
}

// Pairs of files to compare.
struct Pairs {
  std::vector<std::pair<Input, Input>> inputs;
  bool is_whole = true;  // whether each frame is in both sequences
};

// Prints missing frames of a sequence. Returns whether all exist.
bool has_all(const std::string& word, const std::map<int64_t, Input>& found, const std::vector<int64_t>& frames) {
  std::vector<int64_t> missing;
  std::ranges::copy_if(frames, std::back_inserter(missing), [&](int64_t frame) { return !found.contains(frame); });
  std::ranges::sort(missing);
  if (!missing.empty())
    say_error(fmt::format("{}: missing frames: {}; render them, or skip them with --skip-missing", word,
                          text_of_frames(missing)));
  return missing.empty();
}

// All frames from the first to the last frame of both sequences.
std::vector<int64_t> frames_of(const std::map<int64_t, Input>& a, const std::map<int64_t, Input>& b) {
  const int64_t first = std::min(a.begin()->first, b.begin()->first),
                last = std::max(a.rbegin()->first, b.rbegin()->first);
  if (size_t(last - first) >= max_frame_count)
    fail(Exit::usage, "compare: the frames go from {} to {}; the limit is {} frames (choose some with --frames)", first,
         last, max_frame_count);
  std::vector<int64_t> frames(size_t(last - first) + 1);
  std::iota(frames.begin(), frames.end(), first);
  return frames;
}

Pairs pairs_of(const std::vector<std::string>& words, InputOptions options) {
  const bool skips_missing = std::exchange(options.skips_missing, true);
  const InputList lists[] = {list_inputs({words[0]}, options), list_inputs({words[1]}, options)};
  std::map<int64_t, Input> found[2];
  for (const size_t side : {0, 1})
    for (const Input& input : lists[side].files)
      if (input.frame) found[side][*input.frame] = input;
  const auto is_one_file = [&](size_t side) { return !lists[side].is_batch; };
  if (is_one_file(0) && is_one_file(1)) return {.inputs = {{lists[0].files.front(), lists[1].files.front()}}};
  for (const size_t side : {0, 1})
    if (is_one_file(side) || found[side].size() != lists[side].files.size())
      fail(Exit::usage,
           "compare: {} is not a sequence of numbered frames; expected two files, or two sequences like a.%04d.exr",
           words[side]);
  const std::vector<int64_t> frames = options.frames ? *options.frames : frames_of(found[0], found[1]);
  Pairs pairs;
  for (const size_t side : {0, 1})
    if (!skips_missing && !has_all(words[side], found[side], frames)) pairs.is_whole = false;
  for (const int64_t frame : frames)
    if (found[0].contains(frame) && found[1].contains(frame))
      pairs.inputs.emplace_back(found[0][frame], found[1][frame]);
  if (pairs.inputs.empty() && pairs.is_whole)
    fail(Exit::input, "compare: {} and {} have no frame in common; choose frames that both have with --frames",
         words[0], words[1]);
  return pairs;
}

std::string output_for(const Options& options, const std::pair<Input, Input>& pair, bool is_one) {
  if (options.output.empty()) return "";
  const std::optional<Sequence> sequence = Sequence::parse(options.output);
  if (sequence.has_value() != pair.first.frame.has_value() && !is_one)
    fail(Exit::usage, "compare: -o {}: needs a pattern for the frame number, like diff.%04d.png", options.output);
  const std::string output = sequence && pair.first.frame ? sequence->path(*pair.first.frame) : options.output;
  for (const std::string& input : {pair.first.path, pair.second.path}) {
    std::error_code error;
    if (std::filesystem::equivalent(output, input, error))
      fail(Exit::usage, "compare: -o {} is an input; name another file", output);
  }
  return output;
}

}  // namespace

static Exit run_compare(const CommandCall& call) {
  const Globals globals = parse_globals(call.global_words);
  const Options options = options_of(call, globals);
  const Pairs pairs = pairs_of(call.words, globals.inputs);
  const bool is_one = !pairs.inputs.empty() && !pairs.inputs.front().first.frame;
  json list = json::array();
  size_t different_count = 0;
  bool is_whole = pairs.is_whole;
  for (const auto& pair : pairs.inputs) {
    PairResult result{.a = pair.first.path, .b = pair.second.path};
    try {
      compare_files(output_for(options, pair, is_one), options, result);
    } catch (const Error& error) {
      if (is_one || error.code() == Exit::usage) throw;
      say_error(error.what());
      result.error = error.what();
      is_whole = false;
    }
    if (result.error.empty() && !result.is_equal) ++different_count;
    if (options.is_json) list.push_back(to_json(result));
    else
      print_out(is_one ? to_text(result, options)
                       : printable_lines(fmt::format("{} and {}\n{}", result.a, result.b, to_text(result, options))));
  }
  if (options.is_json)
    print_out(json_text({{"tolerance", options.difference.tolerance},
                         {"relative", options.difference.is_relative},
                         {"equal", is_whole && different_count == 0},
                         {"pairs", std::move(list)}},
                        2));
  else if (!is_one) print_out(fmt::format("{} of {} pairs differ\n", different_count, pairs.inputs.size()));
  if (!is_whole) return Exit::batch;
  return different_count == 0 ? Exit::done : Exit::difference;
}

const CommandRow compare_verb{
    .name = "compare",
    .summary = "Print the differences of two images or sequences",
    .usage = "compare A B [OPTIONS]",
    .description =
        "Prints for each channel and level: the largest difference and its position, the mean, the root mean square, "
        "the PSNR, and the percentage of texels above the tolerance. Exit code 6 if a difference is above the "
        "tolerance, or if sizes, channels, windows, chromaticities, parts or level counts differ. Integers are first "
        "decoded to linear light. All parts of a multi-part EXR are compared, or the one of --part; -o shows the "
        "first. Sequences are compared frame by frame; exit code 5 if a frame is missing or cannot be read. "
        "The peak of the PSNR is the largest magnitude in A, but at least 1. Relative differences have no peak, so "
        "with --relative the PSNR is n/a, and null in JSON. The image of -o has no alpha: its red, green and blue show "
        "the difference of alpha where that is larger than their own.",
    .argument = Argument::file,
    .least_words = 2,
    .most_words = 2,
    .options =
        {{"--tolerance", "T", "Largest difference that is allowed, in linear light (default 0)", {}},
         {"--relative", "", "Divide each difference by the larger magnitude of the two values", {}},
         {"--max-percent", "P", "Percentage of texels that may exceed the tolerance, for each channel (default 0)", {}},
         {"-o", "FILE", "Write an image of the differences; for sequences, a pattern like diff.%04d.png", {}},
         {"--scale", "S", "Factor for the differences in the image of -o (default 1)", {}},
         {"--json", "", "Print JSON, with null for infinite and missing numbers", {}}},
    .takes_global =
        [](const Global& global) {
          return global.is_of_decoding || global.name == "frames" || global.name == "skip-missing" ||
                 global.name == "mkdir";
        },
    .examples = {"compare in.exr in.exr", "compare in.exr in.exr --tolerance 0.001 --level 0",
                 "compare in.exr in.exr --tolerance 0.01 --relative --json",
                 "compare 'a.####.exr' 'b.####.exr' -o 'diff.####.png' --scale 10"},
    .run = run_compare,
};

}  // namespace gpupost
