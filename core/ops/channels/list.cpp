#include "core/ops/channels/list.h"

#include "core/base/text.h"

#include <algorithm>

namespace gpupost {

namespace {

constexpr std::string_view letters = "RGBA";

// "G", "G=R", "G=Z" or "G=0.5" for the channel at this place, which is what is left of the = where that is given.
std::optional<ChannelSource> source_of(std::string_view word, size_t place) {
  if (const size_t equals = word.find('='); equals != word.npos) {
    if (component_named(word.substr(0, equals)) != place) return std::nullopt;
    word.remove_prefix(equals + 1);
  }
  if (word.empty()) return std::nullopt;
  ChannelSource source;
  const std::string_view number = without_plus(word);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), source.number);
  const bool is_number = error != std::errc::invalid_argument && end == number.data() + number.size();
  if (is_number) return error == std::errc() && is_float_number(source.number) ? std::optional(source) : std::nullopt;
  return ChannelSource{.channel = std::string(word)};
}

}  // namespace

std::optional<size_t> component_named(std::string_view channel) {
  if (channel.size() != 1 || letters.find(channel[0]) == letters.npos) return std::nullopt;
  return letters.find(channel[0]);
}

bool ChannelSources::has_names() const {
  return std::ranges::any_of(
      of, [](const ChannelSource& source) { return !source.channel.empty() && !component_named(source.channel); });
}

std::optional<ChannelSources> channel_sources(std::string_view list) {
  const std::vector<std::string_view> words = split_at_commas(list);
  if (words.size() < 3 || words.size() > 4) return std::nullopt;
  ChannelSources sources{.has_alpha = words.size() == 4};
  for (size_t place = 0; place < words.size(); ++place) {
    const std::optional<ChannelSource> source = source_of(words[place], place);
    if (!source) return std::nullopt;
    sources.of[place] = *source;
  }
  if (!sources.has_alpha) sources.of[3].number = 1;
  return sources;
}

ChannelSources channel_sources(const Call& call) { return *channel_sources(call.word("list")); }

}  // namespace gpupost
