#include "core/codec/exr/luma_chroma.h"

#include <algorithm>
#include <string_view>

namespace gpupost {

bool has_halved_chroma(const ExrHeader& header, const ExrGroup& color) {
  if (!color.has_chroma) return false;
  const auto is_sampled = [&](size_t component, Size wanted) {
    const int source = color.sources[component];
    return source < 0 || header.samplings[size_t(source)] == wanted;
  };
  return is_sampled(0, {2, 2}) && is_sampled(1, {1, 1}) && is_sampled(2, {2, 2}) && is_sampled(3, {1, 1});
}

void name_colors(Group& group, const std::string& layer) {
  constexpr std::string_view names[] = {"R", "G", "B"};
  const std::string prefix = layer.empty() ? "" : layer + ".";
  for (size_t i = 0; i < 3; ++i) group.channels[i] = {.name = prefix + std::string(names[i]), .depth = group.depth};
}

}  // namespace gpupost
