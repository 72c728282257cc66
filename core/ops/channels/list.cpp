#include "core/ops/channels/list.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpupost {

namespace {

constexpr std::string_view letters = "RGBA";

// "R", "Z" or "0.5".
std::optional<ChannelSource> source_of(std::string_view word) {
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
  std::array<bool, 4> is_set{};
  for (size_t index = 0; index < words.size(); ++index) {
    const size_t equals = words[index].find('=');
    const bool names_target = equals != std::string_view::npos;
    const std::optional<size_t> place = names_target ? component_named(words[index].substr(0, equals)) : index;
    const std::optional<ChannelSource> source =
        source_of(names_target ? words[index].substr(equals + 1) : words[index]);
    if (!source || !place || *place >= words.size() || std::exchange(is_set[*place], true)) return std::nullopt;
    sources.of[*place] = *source;
  }
  if (!sources.has_alpha) sources.of[3].number = 1;
  return sources;
}

ChannelSources channel_sources(const Call& call) { return *channel_sources(call.word("list")); }

}  // namespace gpupost
