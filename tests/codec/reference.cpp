#include "tests/codec/reference.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>

#include <stdexcept>

namespace gpupost {

bool MemoryInput::read(char bytes[], int count) {
  if (at_ + size_t(count) > file_.size()) throw std::runtime_error("is cut off");
  std::memcpy(bytes, file_.data() + at_, size_t(count));
  at_ += size_t(count);
  return at_ < file_.size();
}

namespace {

bool is_same(const std::byte* ours, Depth our_depth, const char* theirs, Depth their_depth) {
  if (our_depth == their_depth) return std::memcmp(ours, theirs, bytes_of(our_depth)) == 0;
  half narrow;
  float wide;
  std::memcpy(&narrow, theirs, sizeof narrow);
  std::memcpy(&wide, ours, sizeof wide);
  return wide == float(narrow) || (wide != wide && narrow.isNan());
}

std::string difference_in_channel(Imf::InputFile& file, const Group& group, size_t component) {
  const Channel& channel = group.channels[component];
  const Imf::Channel* there = file.header().channels().findChannel(channel.name);
  if (!there) return channel.name + " is not there";
  const Imath::Box2i window = file.header().dataWindow();
  const Size size = group.levels[0].size;
  const size_t bytes = bytes_of(channel.depth);
  std::vector<char> plane(bytes * texel_count(size));
  char* origin = plane.data() - int64_t(bytes) * (int64_t(window.min.y) * size.width + window.min.x);
  Imf::FrameBuffer buffer;
  buffer.insert(channel.name, Imf::Slice(there->type, origin, bytes, bytes * size_t(size.width)));
  file.setFrameBuffer(buffer);
  file.readPixels(window.min.y, window.max.y);
  for (size_t texel = 0; texel < texel_count(size); ++texel) {
    const std::byte* ours = group.levels[0].texels.data() + bytes_of(group.depth) * (4 * texel + component);
    if (!is_same(ours, group.depth, &plane[bytes * texel], channel.depth))
      return fmt::format("{} at texel {}", channel.name, texel);
  }
  return "";
}

}  // namespace

std::string difference_from_openexr(Imf::InputFile& file, const Picture& picture) {
  const Imath::Box2i data = file.header().dataWindow(), display = file.header().displayWindow();
  if (picture.data_window != Window{data.min.x, data.min.y, data.max.x, data.max.y}) return "data window";
  if (picture.display_window != Window{display.min.x, display.min.y, display.max.x, display.max.y})
    return "display window";
  long channel_count = 0;
  for (const Group& group : picture.groups)
    for (size_t component = 0; component < 4; ++component) {
      if (group.channels[component].name.empty()) continue;
      ++channel_count;
      const std::string difference = difference_in_channel(file, group, component);
      if (!difference.empty()) return difference;
    }
  long there_count = 0;
  const Imf::ChannelList& channels = file.header().channels();
  for (auto channel = channels.begin(); channel != channels.end(); ++channel) ++there_count;
  return channel_count == there_count ? "" : "number of channels";
}

}  // namespace gpupost
