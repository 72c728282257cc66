#include "tests/codec/reference.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfRgbaYca.h>
#include <png.h>

#include <functional>
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

// Reads what the frame buffer asks for, of the level that is compared.
using Read = std::function<void(const Imf::FrameBuffer&)>;

// Numbers of a sub-sampled channel stand for those around them.
void repeat(std::vector<char>& plane, Size size, size_t bytes, const Imf::Channel& channel) {
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const auto at = [&](int column, int row) {
        return plane.data() + bytes * (size_t(row) * size_t(size.width) + size_t(column));
      };
      std::memmove(at(x, y), at(x - x % channel.xSampling, y - y % channel.ySampling), bytes);
    }
}

std::vector<char> plane_of(const Imf::Header& header, const Read& read, const std::string& name, Size size,
                           Position corner) {
  const Imf::Channel& channel = *header.channels().findChannel(name);
  const size_t bytes = channel.type == Imf::HALF ? 2 : 4;
  const auto width = size_t(size.width);
  std::vector<char> plane(bytes * texel_count(size));
  char* origin = plane.data() - int64_t(bytes) * (int64_t(corner.y) * size.width + corner.x);
  Imf::FrameBuffer buffer;
  buffer.insert(name, Imf::Slice(channel.type, origin, bytes * size_t(channel.xSampling),
                                 bytes * width * size_t(channel.ySampling), channel.xSampling, channel.ySampling));
  read(buffer);
  repeat(plane, size, bytes, channel);
  return plane;
}

std::string difference_in_channel(const Imf::Header& header, const Read& read, const Group& group, size_t component,
                                  Position corner) {
  const Channel& channel = group.channels[component];
  if (!header.channels().findChannel(channel.name)) return channel.name + " is not there";
  const Size size = group.levels[0].size;
  const size_t bytes = bytes_of(channel.depth);
  const std::vector<char> plane = plane_of(header, read, channel.name, size, corner);
  for (size_t texel = 0; texel < texel_count(size); ++texel) {
    const std::byte* ours = group.levels[0].texels.data() + bytes_of(group.depth) * (4 * texel + component);
    if (!is_same(ours, group.depth, &plane[bytes * texel], channel.depth))
      return fmt::format("{} at texel {}", channel.name, texel);
  }
  return "";
}

std::string difference_in_channels(const Imf::Header& header, const Read& read, const Picture& picture,
                                   Position corner) {
  long channel_count = 0;
  for (const Group& group : picture.groups)
    for (size_t component = 0; component < 4; ++component) {
      if (group.channels[component].name.empty()) continue;
      ++channel_count;
      const std::string difference = difference_in_channel(header, read, group, component, corner);
      if (!difference.empty()) return difference;
    }
  long there_count = 0;
  for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel) ++there_count;
  return channel_count == there_count ? "" : "number of channels";
}

template <class Input>
std::string difference_of_lines(Input& input, const Picture& picture) {
  const Imath::Box2i data = input.header().dataWindow(), display = input.header().displayWindow();
  if (picture.data_window != Window{data.min.x, data.min.y, data.max.x, data.max.y}) return "data window";
  if (picture.display_window != Window{display.min.x, display.min.y, display.max.x, display.max.y})
    return "display window";
  const auto read = [&](const Imf::FrameBuffer& buffer) {
    input.setFrameBuffer(buffer);
    input.readPixels(data.min.y, data.max.y);
  };
  return difference_in_channels(input.header(), read, picture, {data.min.x, data.min.y});
}

std::string difference_of_texels(const Imf::Rgba* theirs, const Group& color) {
  for (size_t at = 0; at < texel_count(color.levels[0].size); ++at)
    for (size_t component = 0; component < 4; ++component) {
      const half their_number = component == 0   ? theirs[at].r
                                : component == 1 ? theirs[at].g
                                : component == 2 ? theirs[at].b
                                                 : theirs[at].a;
      const std::byte* ours = color.levels[0].texels.data() + bytes_of(color.depth) * (4 * at + component);
      if (!is_same(ours, color.depth, reinterpret_cast<const char*>(&their_number), Depth::half))
        return fmt::format("component {} at texel {}", component, at);
    }
  return "";
}

}  // namespace

std::string difference_from_openexr(Imf::InputFile& file, const Picture& picture) {
  return difference_of_lines(file, picture);
}
std::string difference_from_openexr(Imf::InputPart& part, const Picture& picture) {
  return difference_of_lines(part, picture);
}

std::string difference_from_openexr(Imf::TiledInputFile& file, int level, const Picture& picture) {
  const Imath::Box2i window = file.dataWindowForLevel(level);
  const Size size = {window.max.x - window.min.x + 1, window.max.y - window.min.y + 1};
  if (picture.size() != size) return "size";
  const auto read = [&](const Imf::FrameBuffer& buffer) {
    file.setFrameBuffer(buffer);
    file.readTiles(0, file.numXTiles(level) - 1, 0, file.numYTiles(level) - 1, level);
  };
  return difference_in_channels(file.header(), read, picture, {window.min.x, window.min.y});
}

std::string difference_from_rgba(Imf::RgbaInputFile& file, const Group& color) {
  const Imath::Box2i window = file.dataWindow();
  const Size size = color.levels[0].size;
  std::vector<Imf::Rgba> texels(texel_count(size));
  file.setFrameBuffer(texels.data() - (int64_t(window.min.y) * size.width + window.min.x), 1, size_t(size.width));
  file.readPixels(window.min.y, window.max.y);
  return difference_of_texels(texels.data(), color);
}

std::string difference_from_whole_chroma(Imf::InputFile& file, const Group& color) {
  const Imath::Box2i window = file.header().dataWindow();
  const Size size = color.levels[0].size;
  const auto read = [&](const Imf::FrameBuffer& buffer) {
    file.setFrameBuffer(buffer);
    file.readPixels(window.min.y, window.max.y);
  };
  std::vector<Imf::Rgba> texels(texel_count(size), Imf::Rgba(0, 0, 0, 1));
  constexpr std::pair<const char*, half Imf::Rgba::*> places[] = {
      {"RY", &Imf::Rgba::r}, {"Y", &Imf::Rgba::g}, {"BY", &Imf::Rgba::b}};
  for (const auto& [name, place] : places) {
    const std::vector<char> plane = plane_of(file.header(), read, name, size, {window.min.x, window.min.y});
    for (size_t at = 0; at < texels.size(); ++at) std::memcpy(&(texels[at].*place), &plane[2 * at], 2);
  }
  Imf::RgbaYca::YCAtoRGBA(Imf::RgbaYca::computeYw({}), int(texels.size()), texels.data(), texels.data());
  return difference_of_texels(texels.data(), color);
}

std::string texels_by_libpng(const File& file, Depth depth) {
  struct Reader {
    png_structp png = png_create_read_struct(
        PNG_LIBPNG_VER_STRING, nullptr, [](png_structp, png_const_charp text) { throw std::runtime_error(text); },
        [](png_structp, png_const_charp) {});
    png_infop info = png_create_info_struct(png);
    ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  };
  const Reader reader;
  MemoryInput source(file);
  png_set_read_fn(reader.png, &source, [](png_structp png, png_bytep to, size_t count) {
    static_cast<MemoryInput*>(png_get_io_ptr(png))->read(reinterpret_cast<char*>(to), int(count));
  });
  png_read_info(reader.png, reader.info);
  png_set_expand(reader.png);
  png_set_gray_to_rgb(reader.png);
  png_set_add_alpha(reader.png, 0xffff, PNG_FILLER_AFTER);
  if (depth == Depth::u16) png_set_swap(reader.png);
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  const size_t row_bytes = png_get_rowbytes(reader.png, reader.info);
  std::string texels(row_bytes * png_get_image_height(reader.png, reader.info), '\0');
  std::vector<png_bytep> rows;
  for (size_t at = 0; at < texels.size(); at += row_bytes) rows.push_back(reinterpret_cast<png_bytep>(&texels[at]));
  png_read_image(reader.png, rows.data());
  return texels;
}

}  // namespace gpupost
