#include "cli/commands/compare_files.h"

#include "cli/text/messages.h"
#include "core/base/printable.h"
#include "core/image/channel_names.h"
#include "core/image/primaries.h"
#include "core/image/to_working.h"
#include "core/system/atomic_file.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>

namespace gpupost {

namespace {

// Converts to linear, premultiplied float, so that files with different encodings can be compared.
Picture meaning_of(Picture picture, const CompareOptions& options) {
  if (options.alpha) picture.alpha = overridden(picture.alpha, *options.alpha);
  make_working(picture, Depth::f32);
  for (Group& group : picture.groups)
    if (group.depth == Depth::half) change_depth(group, Depth::f32);
  return picture;
}

void say_warnings(const std::string& path, const Decoded& decoded, const CompareOptions& options) {
  if (options.is_quiet) return;
  for (const std::string& warning : decoded.warnings) say_warning("{}: {}", path, warning);
}

// Number of texels that are transparent in both images and have different colors in the files.
size_t hidden_difference_count(const Picture& a, const Picture& b, std::optional<Alpha> alpha) {
  const Group &of_a = a.groups.front(), &of_b = b.groups.front();
  if (a.size() != b.size() || of_a.depth != of_b.depth || !of_a.has_alpha() || !of_b.has_alpha()) return 0;
  if (alpha.value_or(a.alpha) != Alpha::straight || alpha.value_or(b.alpha) != Alpha::straight) return 0;
  const TexelBuffer &from_a = of_a.levels[0].texels, &from_b = of_b.levels[0].texels;
  const size_t bytes = bytes_of(of_a.depth);
  const std::string zero(bytes, '\0');
  size_t count = 0;
  for (size_t at = 0; at < from_a.size(); at += 4 * bytes) {
    const auto is_transparent = [&](const TexelBuffer& texels) {
      return std::memcmp(texels.data() + at + 3 * bytes, zero.data(), bytes) == 0;
    };
    if (is_transparent(from_a) && is_transparent(from_b))
      count += std::memcmp(from_a.data() + at, from_b.data() + at, 3 * bytes) != 0;
  }
  return count;
}

// Tells of them, unless they are compared.
void say_hidden(const Picture& a, const Picture& b, const std::string& name, const CompareOptions& options) {
  if (a.groups.front().is_data || options.is_quiet) return;
  if (const size_t count = hidden_difference_count(a, b, options.alpha); count > 0)
    say_note(
        "compare: {}: colors of texels with alpha 0 are not compared; they differ in {} of them (--input-alpha data "
        "compares them)",
        name, count);
}

// Both images of a part and a level, as they are compared.
std::pair<Picture, Picture> meanings_of(Picture a, Picture b, const std::string& part, int level,
                                        const CompareOptions& options, const PairResult& result) {
  bool &of_a = a.groups.front().is_data, &of_b = b.groups.front().is_data;
  of_a = of_b = options.alpha_is_data || of_a || of_b;
  say_hidden(a, b,
             fmt::format("{} and {}{}{}", result.a, result.b, part.empty() ? "" : " part " + part,
                         level > 0 ? fmt::format(" level {}", level) : ""),
             options);
  return {meaning_of(std::move(a), options), meaning_of(std::move(b), options)};
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool is_regular_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

Picture level_of(const std::string& path, const CompareOptions& options, int level) {
  if (!is_regular_file(path))  // "-" too
    fail(Exit::usage, "compare: {} can be read only once and has several levels; choose one with --level",
         path == "-" ? "standard input" : path);
  DecodeOptions of_level = options.decode;
  of_level.level = level;
  return decode_file(path, of_level).picture;
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
  if (a.size() == b.size()) return "";
  return fmt::format("sizes differ: {} x {} and {} x {}\n", a.size().width, a.size().height, b.size().width,
                     b.size().height);
}

// "" if both images have the same channels.
std::string difference_of_channels(const Picture& a, const Picture& b) {
  const auto text_of_names = [](const std::vector<std::string>& names) {
    return printable(fmt::format("{}", fmt::join(names, " ")));
  };
  const auto sorted = [](std::vector<std::string> names) {  // uint channels stand elsewhere than floats
    std::ranges::sort(names);
    return names;
  };
  if (const auto of_a = names_of(a), of_b = names_of(b); sorted(of_a) != sorted(of_b))
    return fmt::format("channels differ: {} and {}\n", text_of_names(of_a), text_of_names(of_b));
  return "";
}

// A channel that both images have.
struct SharedChannel {
  std::string name;
  ChannelPlace a, b;
};

// Y of a gray image is R, G and B of the other image.
std::vector<SharedChannel> shared_channels(const Picture& a, const Picture& b) {
  std::vector<SharedChannel> shared;
  const Group &of_a = a.groups.front(), &of_b = b.groups.front();
  if (of_a.is_color && of_b.is_color && of_a.is_luminance != of_b.is_luminance)
    for (size_t c = 0; c < 3; ++c)
      if (const std::string& name = (of_a.is_luminance ? of_b : of_a).channels[c].name; !name.empty())
        shared.push_back({name, {&of_a, of_a.is_luminance ? 0 : c}, {&of_b, of_b.is_luminance ? 0 : c}});
  const std::vector<NamedChannel> channels_of_b = channels_of(b);
  for (const auto& [name, place] : channels_of(a))
    if (const auto same = std::ranges::find(channels_of_b, name, &NamedChannel::name); same != channels_of_b.end())
      shared.push_back({name, place, same->place});
  return shared;
}

// Differences of two files other than values, one per line.
std::string differences_around(const Picture& a, const Picture& b, bool all_levels) {
  std::string text = difference_of_channels(a, b);
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

// Compares two images without an obstacle. Returns whether all channels are within the tolerance. `problems` gets lines.
bool compare_numbers(const Picture& a, const Picture& b, const std::string& part, int level,
                     const CompareOptions& options, PairResult& result, std::string& problems) {
  bool is_within = true;
  const bool channels_decide = !options.flip_limit || options.channels_decide || !has_flip_color(a);
  LevelResult& found = result.levels.emplace_back(
      LevelResult{.part = part, .level = level, .channels = {}, .channels_decide = channels_decide});
  for (const auto& [name, of_a, of_b] : shared_channels(a, b)) {
    if (of_a.is_uint() != of_b.is_uint()) {
      problems += fmt::format("{} is uint in one image only\n", printable(name));
      is_within = false;
      continue;
    }
    const auto& [_, difference] =
        found.channels.emplace_back(printable(name), difference_of(of_a, of_b, options.difference));
    is_within = is_within && (!channels_decide || difference.over_percent() <= options.max_percent);
  }
  return is_within;
}

// Compares level 0 of two images without an obstacle by FLIP, if that is wanted. Returns whether the mean is within the limit.
bool compare_flip(const Picture& a, const Picture& b, const CompareOptions& options, PairResult& result) {
  if (!options.flip_limit || !has_flip_color(a) || !has_flip_color(b)) return true;
  const bool is_written = result.levels.size() == 1 && !options.output.empty();
  FlipErrors& errors = result.levels.back().flip.emplace(flip_errors(a, b));
  if (!is_written) errors.map = {};
  return errors.mean <= *options.flip_limit;
}

constexpr std::string_view unlike_images = "the images have different sizes, channels or parts";

// Warns that -o is not written, if it is given.
void say_unwritten(const std::string& path, std::string_view reason, const CompareOptions& options) {
  if (!path.empty() && !options.is_quiet)
    say_warning("compare: -o {} is not written; {}{}", path, reason,
                exists(path) ? "; an older file of this name stays" : "");
}

// Warns of channels with differences that the image of differences lacks. `names`: the channels that it lacks.
void say_unshown(const std::string& path, const std::vector<std::string>& names, const LevelResult& level) {
  std::vector<std::string> unshown;
  for (const auto& [name, difference] : level.channels)
    if (difference.over_count > 0 && std::ranges::find(names, name) != names.end()) unshown.push_back(name);
  if (!unshown.empty())
    say_warning("compare: -o {} does not show the differences of {}; an EXR shows all channels", path,
                fmt::join(unshown, ", "));
}

// Warns of parts and levels with differences beside the first, which the image of differences shows.
void say_unshown(const std::string& path, std::span<const LevelResult> others) {
  std::vector<std::string> unshown;
  for (const LevelResult& other : others)
    if (std::ranges::any_of(other.channels, [](const auto& channel) { return channel.second.over_count > 0; }))
      unshown.push_back(other.part.empty() ? fmt::format("level {}", other.level)
                        : other.level == 0 ? fmt::format("part {}", other.part)
                                           : fmt::format("part {} level {}", other.part, other.level));
  if (!unshown.empty())
    say_warning("compare: -o {} does not show the differences of {}; choose what it shows with --part or --level", path,
                fmt::join(unshown, ", "));
}

// Writes the image of differences. `level` has the differences of these two images. Returns whether the format can hold them.
bool write_difference(const Picture& a, const Picture& b, const LevelResult& level, const std::string& path,
                      const CompareOptions& options) {
  const Format* format = format_of_extension(path);
  if (!format || !format->can_write())
    fail(Exit::usage, "compare: -o {}: cannot write files with this extension; expected {}", path,
         writable_extensions());
  if (!format->holds_everything && !a.groups.front().is_color) {
    say_unwritten(path, fmt::format("the images have no color, and {} holds only color; name an EXR", format->name),
                  options);
    return false;
  }
  const Depth depth = format->can_write(Depth::f32) ? Depth::f32 : Depth::u8;
  Picture picture = level.flip ? picture_of_flip(*level.flip, a, options.scale)
                               : picture_of_difference(a, b, options.difference.is_relative, options.scale);
  if (level.flip && depth == Depth::u8) picture.transfer = Transfer::srgb;  // 255 is an error of 1, as in other tools
  std::vector<std::string> lacking;
  for (const std::string& name : names_of(picture)) lacking.push_back(printable(name));
  drop_extras(picture, *format);
  for (const std::string& name : names_of(picture)) std::erase(lacking, printable(name));
  if (!options.is_quiet) say_unshown(path, lacking, level);
  if (options.makes_folders) make_folder_of(path);
  write_file(path, encode(*format, picture, {.depth = depth, .keep_depths = true}).bytes.bytes(), false);
  return true;
}

// Compares one part of two files: `a` and `b` are its level 0. Returns whether all channels are within the tolerance.
bool compare_part(const Picture& a, const Picture& b, const std::string& part, const CompareOptions& options,
                  PairResult& result) {
  const auto add_problems = [&](const std::string& lines) {
    for (size_t begin = 0; begin < lines.size();) {
      const size_t end = lines.find('\n', begin) + 1;
      result.problems += (part.empty() ? "" : fmt::format("part {}: ", part)) + lines.substr(begin, end - begin);
      begin = end;
    }
    return !lines.empty();
  };
  const auto compare = [&](const Picture& of_a, const Picture& of_b, int level) {
    std::string problems;
    const bool is_alike = compare_numbers(of_a, of_b, part, level, options, result, problems);
    add_problems(problems);
    return is_alike;
  };
  if (add_problems(obstacle_to(a, b))) return false;
  add_problems(differences_around(a, b, options.all_levels));
  bool is_within = compare(a, b, 0);
  is_within &= compare_flip(a, b, options, result);
  const int level_count = options.all_levels ? std::min(a.file_level_count, b.file_level_count) : 1;
  for (int level = 1; level < level_count; ++level) {
    const auto [of_a, of_b] = meanings_of(level_of(result.a, options, level), level_of(result.b, options, level), part,
                                          level, options, result);
    // Level sizes may be rounded down or up.
    if (const std::string obstacle = obstacle_to(of_a, of_b); !obstacle.empty()) {
      add_problems(fmt::format("level {}: {}", level, obstacle));
      return false;
    }
    is_within &= compare(of_a, of_b, level);
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

}  // namespace

void compare_files(const std::string& output, const CompareOptions& options, PairResult& result) {
  if (result.a == "-" && result.b == "-")
    fail(Exit::usage, "compare: both images are standard input, which can be read only once; write one to a file");
  Decoded first_a = decode_file(result.a, options.decode), first_b = decode_file(result.b, options.decode);
  const std::vector<std::string> parts = part_names(first_a), parts_of_b = part_names(first_b);
  const bool compares_parts = options.decode.part.empty() && !(parts.empty() && parts_of_b.empty());
  if (compares_parts && parts != parts_of_b) {
    result.problems = fmt::format("parts differ: {} and {}; compare one with --part\n", printable(text_of(parts)),
                                  printable(text_of(parts_of_b)));
    say_unwritten(output, unlike_images, options);
    return;
  }
  for (const std::string& path : {result.a, result.b})
    if (compares_parts && !is_regular_file(path))
      fail(Exit::usage, "compare: {} can be read only once and has several parts; choose one with --part",
           path == "-" ? "standard input" : path);
  bool is_within = true, is_shown = false;
  for (size_t part = 0; part < (compares_parts ? parts.size() : 1); ++part) {
    CompareOptions of_part = options;
    if (compares_parts) {
      of_part.decode.part = std::to_string(part);  // its name may be the number of another one
      first_a = decode_file(result.a, of_part.decode);
      first_b = decode_file(result.b, of_part.decode);
    }
    say_warnings(result.a, first_a, options);
    say_warnings(result.b, first_b, options);
    const std::string name = compares_parts ? printable(parts[part]) : "";
    const auto [a, b] = meanings_of(std::move(first_a.picture), std::move(first_b.picture), name, 0, of_part, result);
    is_within &= compare_part(a, b, name, of_part, result);
    if (part > 0 || output.empty()) continue;
    if (!obstacle_to(a, b).empty() || !difference_of_channels(a, b).empty()) {
      say_unwritten(output, unlike_images, options);
      continue;
    }
    try {
      is_shown = write_difference(a, b, result.levels.front(), output, options);
    } catch (const Error& error) {
      if (error.code() == Exit::usage) throw;
      result.write_error = error;
    }
  }
  if (is_shown && !options.is_quiet) say_unshown(output, std::span(result.levels).subspan(1));
  result.is_equal = is_within && result.problems.empty();
}

}  // namespace gpupost
