// Recording of the passes of a plan.
#include "core/gpu/state.h"
#include "core/plan/strips.h"

namespace gpupost {

// The view of a source that a pass reads as words.
static VkImageView words_view(LevelRef source, Words words, std::span<const Image> images) {
  const Image& image = images[size_t(source.image)];
  return are_bits(words) ? image.bits_view(source.level) : image.view(source.level);
}

// The views of the sources that a pass reads from storage images; null for the others.
static std::array<VkImageView, 2> source_words_of(const Pass& pass, std::span<const Image> images) {
  const auto view_of = [&](LevelRef source, Words words) -> VkImageView {
    return words == Words::none ? nullptr : words_view(source, words, images);
  };
  return {pass.words.samples_source ? nullptr : view_of(pass.source, pass.words.source),
          view_of(pass.second, pass.words.second)};
}

static std::vector<LevelBuffer> target_words_of(const Pass& pass, std::span<const Image> images) {
  if (pass.words.targets.empty()) return {};
  std::vector<LevelBuffer> buffers{images[size_t(pass.target.image)].level_buffer(pass.target.level)};
  for (const int image : pass.more_targets) buffers.push_back(images[size_t(image)].level_buffer(0));
  return buffers;
}

void Gpu::State::record(VkCommandBuffer commands, const Plan& plan, std::span<const Image> images,
                        const PlanBuffers& buffers, Clock* clock) {
  if (plan.zeroes_statistics) {
    vkCmdFillBuffer(commands, buffers.statistics.handle(), 0, plan.statistics_bytes, 0);
    barrier(commands);
  }
  for (const auto& [offset, words] : plan.known_statistics)
    vkCmdUpdateBuffer(commands, buffers.statistics.handle(), size_t(offset) * sizeof(uint32_t),
                      words->size() * sizeof(uint32_t), words->data());
  if (!plan.known_statistics.empty()) barrier(commands);
  const size_t pass_count = plan.passes.size();
  const int first_step = clock ? clock->next_step() : 0;
  for (const auto& [index, first, count] : dispatches_of(plan)) {
    const Pass& pass = plan.passes[index];
    Bound bound{
        .source = words_view(pass.source, pass.words.samples_source ? pass.words.source : Words::none, images),
        .second_source = pass.second.image < 0 ? nullptr : images[size_t(pass.second.image)].view(pass.second.level),
        .more_sources = {},
        .targets = {},
        .source_words = source_words_of(pass, images),
        .target_words = target_words_of(pass, images),
        .statistics = buffers.statistics.handle(),
        .scratch = buffers.scratch[index].handle(),
        .table = buffers.tables[index].handle(),
        .table_bytes = buffers.tables[index].bytes(),
        .outside = {buffers.outside.handle(), index * bounds_bytes, bounds_bytes}};
    const auto target = [&](int image, int level) {
      return pass.half_targets.empty() ? images[size_t(image)].view(level) : images[size_t(image)].bits_view(level);
    };
    for (int level = pass.target.level; level < pass.target.level + pass.target.count; ++level)
      bound.targets.push_back(target(pass.target.image, level));
    for (const int image : pass.more_sources) bound.more_sources.push_back(images[size_t(image)].view(0));
    for (const int image : pass.more_targets) bound.targets.push_back(target(image, 0));
    pipelines.bind(commands, pass, bound);
    const bool is_left_out = index > 0 && index + 1 == pass_count && has_fault("pass");
    const auto [x, y] = first;
    const auto [across, down] = count;
    if (!is_left_out && pass.runs_in_strips())
      vkCmdDispatchBase(commands, uint32_t(x), uint32_t(y), 0, uint32_t(across), uint32_t(down), 1);
    else if (!is_left_out) vkCmdDispatch(commands, uint32_t(across), uint32_t(down), 1);
    barrier(commands);
    if (clock) clock->tick(commands, first_step + int(index));
  }
}

}  // namespace gpupost
