// `gpupost compare A B`.
#include "cli/commands/commands.h"
#include "cli/text/messages.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/codec/codec.h"
#include "core/codec/common/writer.h"
#include "core/image/primaries.h"
#include "core/image/to_working.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace gpupost {

namespace {

struct Options {
  std::vector<std::string> files;
  double tolerance = 0;
  bool all_levels = true;
  DecodeOptions decode;
};

double tolerance_in(const std::string& word) {
  double tolerance = 0;
  const auto [end, error] = number_from(word.data(), word.data() + word.size(), tolerance);
  if (error != std::errc() || end != word.data() + word.size() || !(tolerance >= 0))
    fail(Exit::usage, "compare: --tolerance {} is not a number of at least 0", word);
  return tolerance;
}

Options options_of(const CommandCall& call) {
  const Globals globals = parse_globals(call.global_words);
  return {.files = call.words,
          .tolerance = call.has("--tolerance") ? tolerance_in(call.value("--tolerance")) : 0,
          .all_levels = !globals.input.level,
          .decode = decode_options(globals.input)};
}

// Largest and mean square difference of one channel.
struct Difference {
  double largest = 0;
  double square_sum = 0;
  size_t at = 0;
  void add(double a, double b, size_t index) {
    const bool same = a == b || (std::isnan(a) && std::isnan(b));
    double difference = same ? 0 : std::abs(a - b);
    if (std::isnan(difference)) difference = std::numeric_limits<double>::infinity();  // a number against none
    square_sum += difference * difference;
    if (difference > largest) {
      largest = difference;
      at = index;
    }
  }
};

Difference difference_of(const Group& a, const Group& b, size_t component) {
  Difference difference;
  const bool whole_numbers = a.depth == Depth::u32;
  const size_t count = texel_count(a.levels[0].size);
  for (size_t texel = 0; texel < count; ++texel) {
    const size_t index = 4 * texel + component;
    if (whole_numbers)
      difference.add(a.levels[0].texels.as<uint32_t>()[index], b.levels[0].texels.as<uint32_t>()[index], texel);
    else
      difference.add(double(a.levels[0].texels.as<float>()[index]), double(b.levels[0].texels.as<float>()[index]),
                     texel);
  }
  return difference;
}

// All floats, linear and premultiplied: what two files mean, whatever they store.
Picture meaning_of(Picture picture) {
  make_working(picture, Depth::f32);
  for (Group& group : picture.groups)
    if (group.depth == Depth::half) change_depth(group, Depth::f32);
  return picture;
}

// A file's level 0, or the one that was asked for. What is not read of the file, or not as it says, is told.
Picture first_of(const std::string& path, const DecodeOptions& options) {
  Decoded decoded = decode_file(path, options);
  for (const std::string& warning : decoded.warnings) say_warning("{}: {}", path, warning);
  return meaning_of(std::move(decoded.picture));
}

Picture level_of(const std::string& path, DecodeOptions options, int level) {
  if (!std::filesystem::is_regular_file(path))  // "-" too
    fail(Exit::usage, "compare: {} can be read but once, and has several levels; expected --level with one of them",
         path == "-" ? "standard input" : path);
  options.level = level;
  return meaning_of(decode_file(path, options).picture);
}

std::string text_of(const Window& window) {
  return fmt::format("({}, {}) to ({}, {})", window.min_x, window.min_y, window.max_x, window.max_y);
}

std::string text_of(const Primaries& p) {
  return fmt::format("red {:g}, {:g} green {:g}, {:g} blue {:g}, {:g} white {:g}, {:g}", p.red.x, p.red.y, p.green.x,
                     p.green.y, p.blue.x, p.blue.y, p.white.x, p.white.y);
}

// What keeps numbers from being held against each other; "" where nothing does.
std::string obstacle_to(const Picture& a, const Picture& b) {
  if (a.size() != b.size())
    return fmt::format("sizes differ: {} x {} and {} x {}\n", a.size().width, a.size().height, b.size().width,
                       b.size().height);
  if (channel_names(a) != channel_names(b))
    return fmt::format("channels differ: {} and {}\n", printable(channel_names(a)), printable(channel_names(b)));
  return "";
}

// What differs of two files beside their numbers, a line each.
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

// Prints the largest difference of each channel. Are all within the tolerance?
bool compare_numbers(const Picture& a, const Picture& b, int level, double tolerance) {
  bool is_within = true;
  const size_t width = size_t(a.size().width);
  for (size_t group = 0; group < a.groups.size(); ++group)
    for (size_t component = 0; component < 4; ++component) {
      std::string name = printable(a.groups[group].channels[component].name);
      if (name.empty()) continue;
      if (a.groups[group].depth != b.groups[group].depth)
        fail(Exit::difference, "compare: {} is uint in one picture alone", name);
      const Difference found = difference_of(a.groups[group], b.groups[group], component);
      const double mean_square = found.square_sum / double(texel_count(a.size()));
      if (level > 0) name += fmt::format(" level {}", level);
      print_out(fmt::format("{:<12} largest {:.9g} at ({}, {}), root mean square {:.6g}\n", name, found.largest,
                            found.at % width, found.at / width, std::sqrt(mean_square)));
      is_within = is_within && found.largest <= tolerance;
    }
  return is_within;
}

}  // namespace

static Exit run_compare(const CommandCall& call) {
  const Options options = options_of(call);
  const Picture a = first_of(options.files[0], options.decode);
  const Picture b = first_of(options.files[1], options.decode);
  if (const std::string obstacle = obstacle_to(a, b); !obstacle.empty()) {
    print_out(obstacle);
    return Exit::difference;
  }
  const std::string around = differences_around(a, b, options.all_levels);
  print_out(around);
  bool is_within = compare_numbers(a, b, 0, options.tolerance);
  const int level_count = options.all_levels ? std::min(a.file_level_count, b.file_level_count) : 1;
  for (int level = 1; level < level_count; ++level) {
    const Picture of_a = level_of(options.files[0], options.decode, level);
    const Picture of_b = level_of(options.files[1], options.decode, level);
    if (const std::string obstacle = obstacle_to(of_a, of_b); !obstacle.empty()) {  // sides may be rounded down or up
      print_out(fmt::format("level {}: {}", level, obstacle));
      return Exit::difference;
    }
    is_within &= compare_numbers(of_a, of_b, level, options.tolerance);
  }
  if (!is_within) print_out(fmt::format("different: over the tolerance of {:g}\n", options.tolerance));
  return is_within && around.empty() ? Exit::done : Exit::difference;
}

const CommandRow compare_verb{
    .name = "compare",
    .summary = "Print the differences of two images",
    .usage = "compare A B [--tolerance T]",
    .description =
        "Prints for each channel and level the largest difference, where it is, and the root mean square. Exit "
        "code 6 if a difference is over the tolerance, or if sizes, channels, windows, chromaticities or "
        "numbers of levels differ. Integers are compared as the linear light that they mean.",
    .argument = Argument::file,
    .least_words = 2,
    .most_words = 2,
    .options = {{"--tolerance", "T", "Largest difference that is allowed, in linear light (default 0)", {}}},
    .takes_global = [](const Global& global) { return global.is_of_decoding; },
    .examples = {"compare in.exr in.exr", "compare in.exr in.exr --tolerance 0.001 --level 0"},
    .run = run_compare,
};

}  // namespace gpupost
