// Channels reordered, filled and dropped.
#include "core/forms.h"
#include "core/ops/ops.h"
#include "core/point.h"

#include <array>
#include <charconv>
#include <optional>

namespace gpupost {

namespace {

constexpr std::string_view names = "RGBA";

// What an output channel is: a share of each input channel, and a number.
struct Source {
  std::array<double, 4> shares{};
  double number = 0;
};

struct Sources {
  std::array<Source, 4> of;  // R, G, B, A
  bool has_alpha = false;    // is alpha among them?
};

std::optional<size_t> channel_named(std::string_view word) {
  if (word.size() != 1 || names.find(word[0]) == names.npos) return std::nullopt;
  return names.find(word[0]);
}

// "G", "G=R" or "G=0.5" for the channel at this place, which is what is left of the = where that is given.
std::optional<Source> source_of(std::string_view word, size_t place) {
  if (const size_t equals = word.find('='); equals != word.npos) {
    if (channel_named(word.substr(0, equals)) != place) return std::nullopt;
    word.remove_prefix(equals + 1);
  }
  Source source;
  if (const std::optional<size_t> from = channel_named(word)) {
    source.shares[*from] = 1;
    return source;
  }
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), source.number);
  if (error != std::errc() || end != word.data() + word.size() || !is_float_number(source.number)) return std::nullopt;
  return source;
}

std::optional<Sources> parsed(std::string_view list) {
  Sources sources;
  size_t place = 0;
  while (true) {
    const size_t comma = list.find(',');
    const std::optional<Source> source = source_of(list.substr(0, comma), place);
    if (!source) return std::nullopt;
    sources.of[place++] = *source;
    if (comma == list.npos) break;
    if (place == 4) return std::nullopt;
    list.remove_prefix(comma + 1);
  }
  if (place < 3) return std::nullopt;
  sources.has_alpha = place == 4;
  if (!sources.has_alpha) sources.of[3].number = 1;
  return sources;
}

Sources sources_of(const Call& call) { return *parsed(call.word("list")); }

std::vector<Field> fields(const Call& call) {
  const Sources sources = sources_of(call);
  std::vector<Field> made;
  for (size_t c = 0; c < 4; ++c) {
    const Source& source = sources.of[c];
    int from = -1;  // none: the number
    for (size_t k = 0; k < 4; ++k)
      if (source.shares[k] != 0) from = int(k);
    made.push_back({.name = {names[c], '_', 'i', 'n'}, .value = double(from), .is_integer = true, .is_literal = true});
    made.push_back({.name = {names[c], '_', 'i', 's'}, .value = source.number});
  }
  return made;
}

}  // namespace

const Op channels_op = point_op({
    .name = "channels",
    .help = "channels reordered, filled with a number, or dropped",
    .description = "--list says what R, G, B and alpha become, in this order: one of R, G, B and A as they come in, a "
                   "number, or either behind the name of the place and an = (`R,G,B=0.5,A=1`). Without a fourth the "
                   "result has no alpha. Channels are taken as they stand: linear, colour multiplied by alpha; of a "
                   "grey picture R, G and B are all Y. Other channels, like Z, cannot be taken; --layer makes those "
                   "of a layer R, G and B.",
    .source = "oiiotool --ch",
    .params = {{.name = "list",
                .help = "three or four channels",
                .kind = ParamKind::text,
                .form = "C,C,C[,C] of R, G, B, A and numbers",
                .has_form = [](std::string_view text) { return parsed(text).has_value(); },
                .is_required = true}},
    .examples = {"--list B,G,R,A", "--list R,G,B=0.5,A=1", "--list R,R,R"},
    .adds_alpha = [](const Call& call) { return sources_of(call).has_alpha; },
    .drops_alpha = [](const Call& call) { return !sources_of(call).has_alpha; },
    .point = Point{.fields = fields,
                   .texel =
                       [](const Call& call, const Planes&) {
                         return std::function([sources = sources_of(call)](const Colour& c) {
                           Colour made;
                           for (size_t k = 0; k < 4; ++k) {
                             made[k] = sources.of[k].number;
                             for (size_t from = 0; from < 4; ++from)
                               if (sources.of[k].shares[from] != 0) made[k] = c[from];
                           }
                           return made;
                         });
                       }},
});

}  // namespace gpupost
