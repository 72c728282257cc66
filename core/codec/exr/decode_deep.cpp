// Decodes deep parts: unpacks their samples, and flattens them.
#include "core/codec/exr/block_decoder.h"
#include "core/codec/exr/deep_samples.h"
#include "core/codec/exr/deep_weights.h"
#include "core/image/number.h"

#include <algorithm>

namespace gpupost {

namespace {

constexpr int no_channel = -1;

int position_of(const std::vector<Channel>& channels, std::string_view name) {
  const auto found = std::ranges::find(channels, name, &Channel::name);
  return found == channels.end() ? no_channel : int(found - channels.begin());
}

// Alpha of a channel: that of its layer, else A.
int alpha_of(const std::vector<Channel>& channels, const std::string& name) {
  const size_t dot = name.rfind('.');
  const int own = dot == name.npos ? no_channel : position_of(channels, name.substr(0, dot + 1) + "A");
  return own == no_channel ? position_of(channels, "A") : own;
}

double number_at(const DeepRow& row, int channel, Depth depth, size_t sample) {
  return number_at(row.channel_data[size_t(channel)] + sample * bytes_of(depth), depth);
}

// Channels that have their alpha in common.
struct Composited {
  int alpha = no_channel;
  std::vector<size_t> channels;  // of the flat image
};

class FlattenedBlocks : public BlockDecoder {
 public:
  FlattenedBlocks(Bytes file, const ExrHeader& header, const ExrLevel& level, uint64_t most_bytes)
      : file_(file), header_(header), level_(level), most_bytes_(most_bytes), channels_(flat_channels(header)) {
    for (const Channel& channel : channels_) sources_.push_back(position_of(header.channels, channel.name));
    alpha_ = position_of(header.channels, "A");
    depth_ = position_of(header.channels, "Z");
    back_ = position_of(header.channels, "ZBack");
    for (size_t c = 0; c < channels_.size(); ++c) {
      if (channels_[c].depth == Depth::u32 || sources_[c] == depth_) continue;
      const int alpha = alpha_of(header.channels, channels_[c].name);
      auto found = std::ranges::find(composited_, alpha, &Composited::alpha);
      if (found == composited_.end()) found = composited_.insert(found, {.alpha = alpha, .channels = {}});
      found->channels.push_back(c);
    }
  }
  int count() const override { return level_.columns * level_.rows; }
  void decode(int index, const BlockSink& use) const override {
    const DeepChunk chunk =
        unpack_deep_chunk(file_, header_, level_, index % level_.columns, index / level_.columns, most_bytes_);
    std::vector<std::vector<unsigned char>> numbers;
    std::vector<unsigned char*> planes;
    for (const Channel& channel : channels_)
      planes.push_back(numbers.emplace_back(texel_count(chunk.place.size) * bytes_of(channel.depth)).data());
    State state;
    for (size_t y = 0; y < chunk.rows.size(); ++y)
      for (size_t x = 0; x < chunk.rows[y].ends.size(); ++x)
        if (chunk.rows[y].count(x) > 0)
          flatten(chunk.rows[y], x, y * size_t(chunk.place.size.width) + x, planes, state);
    use({.place = chunk.place, .planes = planes});
  }

 private:
  struct State {
    std::vector<DeepSample> samples;
    DeepWeights weights;
  };

  Depth depth_of(int channel) const { return header_.channels[size_t(channel)].depth; }

  void take_samples(const DeepRow& row, size_t x, int alpha, std::vector<DeepSample>& samples) const {
    samples.clear();
    for (uint32_t sample = row.first(x); sample < row.ends[x]; ++sample) {
      const double front = number_at(row, depth_, depth_of(depth_), sample);
      samples.push_back({.front = front,
                         .back = back_ == no_channel ? front : number_at(row, back_, depth_of(back_), sample),
                         .alpha = alpha == no_channel ? 1 : number_at(row, alpha, depth_of(alpha), sample)});
    }
  }

  // Composites the samples of a texel.
  void flatten(const DeepRow& row, size_t x, size_t index, std::span<unsigned char* const> planes, State& state) const {
    bool has_nearest = false;
    for (const Composited& some : composited_) {
      take_samples(row, x, some.alpha, state.samples);
      state.weights.compute(state.samples);
      if (some.alpha == alpha_) take_nearest(row, x, index, planes, state);
      has_nearest |= some.alpha == alpha_;
      const std::span weights = state.weights.weights();
      for (const size_t c : some.channels) {
        double sum = 0;
        for (size_t i = 0; i < weights.size(); ++i)
          if (weights[i] != 0)  // hidden infinities have no effect
            sum += weights[i] * number_at(row, sources_[c], channels_[c].depth, row.first(x) + i);
        const Depth depth = channels_[c].depth;
        put_number(reinterpret_cast<std::byte*>(planes[c]) + index * bytes_of(depth), depth, sum);
      }
    }
    if (has_nearest) return;
    take_samples(row, x, alpha_, state.samples);
    state.weights.compute(state.samples);
    take_nearest(row, x, index, planes, state);
  }

  // Depth and ids are those of the first sample that is not transparent. `state` is for channel A.
  void take_nearest(const DeepRow& row, size_t x, size_t index, std::span<unsigned char* const> planes,
                    const State& state) const {
    const std::span order = state.weights.order();
    const auto first = std::ranges::find_if(order, [&](size_t i) { return state.samples[i].alpha > 0; });
    if (first == order.end()) return;
    for (size_t c = 0; c < channels_.size(); ++c) {
      if (channels_[c].depth != Depth::u32 && sources_[c] != depth_) continue;
      const size_t bytes = bytes_of(channels_[c].depth);
      std::memcpy(planes[c] + index * bytes, row.channel_data[size_t(sources_[c])] + (row.first(x) + *first) * bytes,
                  bytes);
    }
  }

  Bytes file_;
  const ExrHeader& header_;
  const ExrLevel& level_;
  uint64_t most_bytes_;
  std::vector<Channel> channels_;  // of the flat image
  std::vector<int> sources_;       // their indices in the header
  int alpha_ = no_channel, depth_ = no_channel, back_ = no_channel;
  std::vector<Composited> composited_;
};

}  // namespace

std::vector<Channel> flat_channels(const ExrHeader& header) {
  std::vector<Channel> channels = header.channels;
  std::erase_if(channels, [](const Channel& channel) { return channel.name == "ZBack"; });
  return channels;
}

void check_flattens(const ExrHeader& header) {
  for (const char* name : {"Z", "ZBack"}) {
    const int channel = position_of(header.channels, name);
    if (channel == no_channel && name == std::string_view("Z"))
      fail(Exit::input, "its deep data has no channel Z, so its samples have no order and cannot be flattened");
    if (channel != no_channel && header.channels[size_t(channel)].depth == Depth::u32)
      fail(Exit::input, "its deep data has channel {} of type uint; expected half or float", name);
  }
  for (const Channel& channel : header.channels) {
    const bool is_alpha = channel.name == "A" || channel.name.ends_with(".A");
    if (is_alpha && channel.depth == Depth::u32)
      fail(Exit::input, "its deep data has channel {} of type uint; expected half or float", printable(channel.name));
    if (channel.name == "AR" || channel.name == "AG" || channel.name == "AB")
      fail(Exit::input, "its deep data has alpha for each color (channel {}), which is not supported", channel.name);
  }
}

std::unique_ptr<BlockDecoder> flattened_blocks(Bytes file, const ExrHeader& header, const ExrLevel& level,
                                               uint64_t most_bytes) {
  return std::make_unique<FlattenedBlocks>(file, header, level, most_bytes);
}

}  // namespace gpupost
