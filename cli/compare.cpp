// `gpupost compare A B`.
#include "cli/request.h"
#include "cli/verbs.h"
#include "core/codec/codec.h"
#include "core/codec/encode.h"
#include "core/convert.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace gpupost {

namespace {

struct Options {
  std::vector<std::string> files;
  double tolerance = 0;
  DecodeOptions decode;
};

double tolerance_in(const std::string& word) {
  double tolerance = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), tolerance);
  if (error != std::errc() || end != word.data() + word.size() || !(tolerance >= 0))
    fail(Exit::usage, "compare: --tolerance {} is not a number of at least 0", word);
  return tolerance;
}

Options options_of(const std::vector<std::string>& given) {
  std::vector<std::string> words = given;
  Options options;
  if (const auto word = take_value(words, "--tolerance")) options.tolerance = tolerance_in(*word);
  const Request request = parse_files("compare", words, 2);
  options.files = request.inputs;
  options.decode = decode_options(request.globals);
  return options;
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
Picture meaning_of(const std::string& path, const DecodeOptions& options) {
  Picture picture = decode_file(path, options).picture;
  make_working(picture, Depth::f32);
  for (Group& group : picture.groups)
    if (group.depth == Depth::half) change_depth(group, Depth::f32);
  return picture;
}

}  // namespace

Exit run_compare(const std::vector<std::string>& words) {
  const Options options = options_of(words);
  const Picture a = meaning_of(options.files[0], options.decode);
  const Picture b = meaning_of(options.files[1], options.decode);
  if (a.size() != b.size()) {
    print_out(fmt::format("sizes differ: {} x {} and {} x {}\n", a.size().width, a.size().height, b.size().width,
                          b.size().height));
    return Exit::difference;
  }
  if (channel_names(a) != channel_names(b)) {
    print_out(fmt::format("channels differ: {} and {}\n", channel_names(a), channel_names(b)));
    return Exit::difference;
  }
  bool is_within = true;
  const size_t width = size_t(a.size().width);
  for (size_t group = 0; group < a.groups.size(); ++group)
    for (size_t component = 0; component < 4; ++component) {
      const std::string& name = a.groups[group].channels[component].name;
      if (name.empty()) continue;
      if (a.groups[group].depth != b.groups[group].depth)
        fail(Exit::difference, "compare: {} is uint in one picture alone", name);
      const Difference found = difference_of(a.groups[group], b.groups[group], component);
      const double mean_square = found.square_sum / double(texel_count(a.size()));
      print_out(fmt::format("{:<12} largest {:.9g} at ({}, {}), root mean square {:.6g}\n", name, found.largest,
                            found.at % width, found.at / width, std::sqrt(mean_square)));
      is_within = is_within && found.largest <= options.tolerance;
    }
  if (is_within) return Exit::done;
  print_out(fmt::format("different: over the tolerance of {:g}\n", options.tolerance));
  return Exit::difference;
}

}  // namespace gpupost
