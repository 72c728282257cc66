// `gpupost compare A B`: two files, or two sequences frame by frame.
#include "cli/commands/commands.h"
#include "cli/commands/compare_files.h"
#include "cli/commands/compare_pairs.h"
#include "cli/jobs/conflicts.h"
#include "cli/options/sequence.h"
#include "cli/text/json_text.h"
#include "cli/text/messages.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/system/output_target.h"

#include <nlohmann/json.hpp>

#include <set>
#include <span>

namespace gpupost {

namespace {

using json = nlohmann::ordered_json;

double number_of(const CommandCall& call, std::string_view option, double default_value, double high,
                 bool may_be_zero = true) {
  if (!call.has(option)) return default_value;
  const std::string word = call.value(option);
  const double number = number_in<double>(without_plus(word)).value_or(-1);
  if (!(number >= 0 && number <= high) || (number == 0 && !may_be_zero))
    fail(Exit::usage, "compare: {} {} is not a number {} 0 and at most {}", option, word,
         may_be_zero ? "of at least" : "above", high);
  return number;
}

CompareOptions options_of(const CommandCall& call, const Globals& globals) {
  constexpr double largest = 1e38;  // an infinite tolerance would accept a NaN in one of the images
  CompareOptions options{
      .difference = {.tolerance = number_of(call, "--tolerance", 0, largest), .is_relative = call.has("--relative")},
      .max_percent = number_of(call, "--max-percent", 0, 100),
      .channels_decide = call.has("--tolerance") || call.has("--max-percent"),
      .scale = number_of(call, "--scale", 1, 1e6, false),
      .output = call.value("-o"),
      .makes_folders = globals.encoding.makes_folders,
      .is_json = call.has("--json"),
      .is_quiet = globals.report.quiet,
      .all_levels = !globals.input.level,
      .alpha = globals.input.alpha,
      .alpha_is_data = globals.input.alpha_is_data,
      .decode = decode_options(globals.input)};
  if (call.has("--flip")) options.flip_limit = number_of(call, "--flip", 0, 1);
  if (own_descriptor(options.output))
    fail(Exit::usage, "compare: -o {} is not a file; expected -o FILE with {}", options.output, writable_extensions());
  if (call.has("--scale") && options.output.empty())
    fail(Exit::usage, "compare: --scale has no effect without -o, which writes the difference image");
  return options;
}

// "G", "G level 2", "depth: Z".
std::string name_of(const LevelResult& level, const std::string& channel) {
  return (level.part.empty() ? "" : level.part + ": ") + channel +
         (level.level > 0 ? fmt::format(" level {}", level.level) : "");
}

std::string to_text(const PairResult& result, const CompareOptions& options) {
  std::string text = result.problems;
  bool is_over = false, is_over_flip = false;
  for (const LevelResult& level : result.levels) {
    for (const auto& [name, found] : level.channels) {
      text += fmt::format(
          "{:<12} largest {:.9g} at ({}, {}), mean {:.6g}, root mean square {:.6g}, PSNR {}, {:.4g} % above the "
          "tolerance\n",
          name_of(level, name), found.maximum, found.worst.x, found.worst.y, found.mean, found.root_mean_square,
          found.psnr() ? fmt::format("{:.4g} dB", *found.psnr()) : "n/a", found.over_percent());
      is_over |= level.channels_decide && found.over_percent() > options.max_percent;
    }
    if (!level.flip) continue;
    const FlipErrors& flip = *level.flip;
    text += fmt::format("{:<12} largest {:.6g} at ({}, {}), mean {:.6g}\n", name_of(level, "FLIP"), flip.maximum,
                        flip.worst.x, flip.worst.y, flip.mean);
    is_over_flip |= flip.mean > *options.flip_limit;
  }
  if (!result.problems.empty()) text += "different: properties of the files; see the first lines\n";
  if (is_over)
    text += fmt::format("different: above the {}tolerance of {:g}\n", options.difference.is_relative ? "relative " : "",
                        options.difference.tolerance);
  if (is_over_flip) text += fmt::format("different: mean FLIP above {:g}\n", *options.flip_limit);
  return text;
}

// Infinity becomes null, because JSON cannot represent it.
json to_json(const PairResult& result) {
  json pair;
  add_name(pair, "a", result.a);
  add_name(pair, "b", result.b);
  pair["equal"] = result.is_equal;
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
                          {"peak", found.is_relative ? json() : json(found.peak)},
                          {"over_count", found.over_count},
                          {"over_percent", found.over_percent()}});
    json one = {{"level", level.level}, {"channels", std::move(channels)}};
    if (!level.part.empty()) one["part"] = level.part;
    if (const auto& flip = level.flip)
      one["flip"] = {{"mean", flip->mean}, {"maximum", flip->maximum}, {"worst", {flip->worst.x, flip->worst.y}}};
    pair["levels"].push_back(std::move(one));
  }
  return pair;
}

std::string output_for(const CompareOptions& options, const std::pair<Input, Input>& pair) {
  if (options.output.empty()) return "";
  const std::optional<Sequence> sequence = Sequence::parse(options.output);
  if (sequence && !pair.first.frame)
    fail(Exit::usage,
         "compare: -o {}: has a pattern for a frame number, and the input {} has no frame number; expected a name "
         "without a pattern",
         options.output, pair.first.path);
  if (pair.first.frame && !sequence)
    fail(Exit::usage, "compare: -o {}: needs a pattern for the frame number, like diff.%04d.png", options.output);
  return sequence ? sequence->path(*pair.first.frame) : options.output;
}

// Throws Error(Exit::usage) if the output of a pair is an input of any pair.
void check_outputs(const CompareOptions& options, std::span<const std::pair<Input, Input>> pairs) {
  if (options.output.empty()) return;
  FileNames names;
  std::set<std::string> read;
  for (const auto& [a, b] : pairs) read.insert({names.of(a.path), names.of(b.path)});
  for (const auto& pair : pairs)
    if (const std::string output = output_for(options, pair); read.contains(names.of(output)))
      fail(Exit::usage, "compare: -o {} is an input; name another file", output);
}

}  // namespace

static Exit run_compare(const CommandCall& call) {
  const Globals globals = parse_globals(call.global_words);
  const CompareOptions options = options_of(call, globals);
  const Pairs pairs = pairs_of(call.words, globals.inputs);
  const bool is_one = !pairs.inputs.empty() && !pairs.inputs.front().first.frame;
  for (const std::string& missing : pairs.missing) say_error(missing);
  check_outputs(options, pairs.inputs);
  json list = json::array();
  size_t different_count = 0, failed_count = 0;
  Exit write_error = Exit::done;
  for (const auto& pair : pairs.inputs) {
    PairResult result{.a = pair.first.path, .b = pair.second.path};
    try {
      compare_files(output_for(options, pair), options, result);
    } catch (const Error& error) {
      if (is_one || error.code() == Exit::usage) throw;
      say_error(error.what());
      result.error = error.what();
      ++failed_count;
    }
    if (result.error.empty() && !result.is_equal) ++different_count;
    if (result.write_error) {
      say_error(result.write_error->what());
      write_error = result.write_error->code();
    }
    if (options.is_json) list.push_back(to_json(result));
    else
      print_out(is_one ? to_text(result, options)
                       : printable_lines(fmt::format("{} and {}\n{}", result.a, result.b, to_text(result, options))));
  }
  const bool is_whole = pairs.missing.empty() && failed_count == 0;
  if (options.is_json) {
    json report{{"tolerance", options.difference.tolerance}, {"relative", options.difference.is_relative}};
    if (options.flip_limit) report["flip_limit"] = *options.flip_limit;
    report["equal"] = is_whole && different_count == 0;
    report["missing"] = pairs.missing;
    report["pairs"] = std::move(list);
    print_out(json_text(report, 2));
  } else if (!is_one)
    print_out(fmt::format("{} of {} pairs differ{}\n", different_count, pairs.inputs.size(),
                          failed_count > 0 ? fmt::format("; {} could not be compared", failed_count) : ""));
  if (!is_whole) return Exit::batch;
  if (different_count > 0) return Exit::difference;
  return write_error == Exit::done || is_one ? write_error : Exit::batch;
}

const CommandRow compare_verb{
    .name = "compare",
    .summary = "Print the differences of two images or sequences",
    .usage = "compare A B [OPTIONS]",
    .description =
        "Prints for each channel and level: the largest difference and its position, the mean, the root mean square, "
        "the PSNR, and the percentage of texels above the tolerance. Exit code 6 if a difference is above the "
        "tolerance, or if sizes, channels, windows, chromaticities, parts or level counts differ. If channels differ, "
        "those that "
        "both images have are compared, and the Y of a gray image with R, G and B.\nIntegers are first "
        "decoded to linear light, and color is multiplied by alpha, so that colors of texels with alpha 0 are all the "
        "same; --input-alpha data compares color and alpha separately.\nAll parts of an EXR, pages of a TIFF, and "
        "layers and faces of a texture are compared, or the one of --part; -o shows the first. Sequences are compared "
        "frame by frame; exit code 5 if a frame is missing or cannot be read. If the image of -o cannot be written, "
        "the exit code is 3, or 5 for sequences, but 6 if there is a difference.\nThe peak of the PSNR is the largest "
        "magnitude in A, but at least 1. Relative differences have no peak, so with --relative the PSNR is n/a, and "
        "null in JSON. The image of -o shows level 0 and has no alpha: where alpha differs more than red, green or "
        "blue, they show the difference of alpha.\nFLIP estimates how much a viewer notices when one image replaces "
        "the other, on a display of 67 pixels per degree. 0 is no visible difference; black against white is 0.97. "
        "--flip prints the mean and the maximum of FLIP for level 0 of each part, or for the level of --level. Exit "
        "code 6 if a mean is above T. Differences of channels and of other levels then do not change the exit code. "
        "They do if --tolerance or --max-percent is given, or if the image has no color. FLIP measures color as it is "
        "shown: over black, in sRGB, clamped to 0..1. NaN is black, and the error is 1 if only one image has NaN "
        "there. With --flip, -o writes the errors as a gray "
        "image, 0 to 1. Source: P. Andersson et al., FLIP: A Difference Evaluator for Alternating Images, 2020.",
    .argument = Argument::file,
    .least_words = 2,
    .most_words = 2,
    .options =
        {{"--tolerance", "T", "Largest difference that is allowed, in linear light (default 0)", {}},
         {"--relative", "", "Divide each difference by the larger magnitude of the two values", {}},
         {"--max-percent", "P", "Percentage of texels that may exceed the tolerance, for each channel (default 0)", {}},
         {"--flip",
          "T",
          "Largest mean FLIP error that is allowed, 0 to 1, instead of a tolerance for each channel",
          {}},
         {"-o", "FILE", "Write an image of the differences; for sequences, a pattern like diff.%04d.png", {}},
         {"--scale", "S", "Factor for the values in the image of -o (default 1)", {}},
         {"--json", "", "Print JSON, with null for infinite and missing numbers", {}}},
    .takes_global =
        [](const Global& global) {
          return global.scope == Scope::reading || global.name == "frames" || global.name == "skip-missing" ||
                 global.name == "mkdir" || global.name == "input-alpha" || global.name == "quiet";
        },
    .examples = {"compare in.exr in.exr", "compare in.exr in.exr --tolerance 0.001 --level 0",
                 "compare in.exr in.exr --tolerance 0.01 --relative --json",
                 "compare in.exr in.exr --flip 0.05 -o flip.png",
                 "compare 'a.####.exr' 'b.####.exr' -o 'diff.####.png' --scale 10"},
    .run = run_compare,
};

}  // namespace gpupost
