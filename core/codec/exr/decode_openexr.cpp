// Decodes with OpenEXR what tinyexr 1.0.1 does not read correctly. It gets a file with one block at a time: some whole
// chunks, or one tile as an image of its own, with a new header. gpupost thus controls the threads, one level can be
// read without the others, and the library never sees the rest of a hostile header.
#include "core/base/math.h"
#include "core/base/threads.h"
#include "core/codec/common/little.h"
#include "core/codec/exr/block_decoder.h"
#include "core/codec/exr/luma_chroma.h"
#include "core/codec/exr/memory_stream.h"
#include "core/codec/exr/write_header.h"
#include "core/image/primaries.h"

#include <OpenEXR/ImfChromaticities.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfRgbaFile.h>
#include <OpenEXR/ImfRgbaYca.h>
#include <OpenEXR/ImfThreading.h>
#include <OpenEXR/ImfTiledInputFile.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace gpupost {

namespace {

constexpr int no_threads = 0;     // threads of the library
constexpr int lines_a_read = 16;  // single lines cost more setup than decoding

// The attribute `chromaticities` of the file, if it is valid. Without it, OpenEXR takes Rec. 709.
const Attribute* chromaticities_attribute(const ExrHeader& header) {
  const auto found = std::ranges::find(header.attributes, "chromaticities", &Attribute::name);
  return found != header.attributes.end() && primaries_in(*found) ? &*found : nullptr;
}

// A file of one part and one level: a header of what decoding needs, and chunks that stand one behind the other.
class SmallExr {
 public:
  SmallExr(const ExrHeader& header, const Window& window, size_t chunk_count) {
    const bool has_long_names =
        std::ranges::any_of(header.channels, [](const Channel& channel) { return channel.name.size() > 31; });
    const Window& same = window;
    put_text(bytes_, "\x76\x2f\x31\x01");
    put(bytes_, 2 | (header.is_tiled ? exr_is_tiled : 0u) | (has_long_names ? exr_has_long_names : 0u));
    put_attribute(bytes_, "channels", "chlist", header.channel_list);
    put_attribute(bytes_, "compression", "compression", uint8_t(header.compression));
    put_attribute(bytes_, "dataWindow", "box2i", window);
    put_attribute(bytes_, "displayWindow", "box2i", same);
    put_attribute(bytes_, "lineOrder", "lineOrder", uint8_t(0));
    put_attribute(bytes_, "pixelAspectRatio", "float", 1.0f);
    put_attribute(bytes_, "screenWindowCenter", "v2f", std::array{0.0f, 0.0f});
    put_attribute(bytes_, "screenWindowWidth", "float", 1.0f);
    if (const Attribute* own = chromaticities_attribute(header))
      put_attribute(bytes_, own->name, own->type, std::as_bytes(std::span(own->value)));
    if (header.is_tiled) tile_attribute(size_of(window));
    put(bytes_, uint8_t(0));
    table_at_ = bytes_.size();
    bytes_.resize(bytes_.size() + 8 * chunk_count);
  }

  void add(std::span<const int> head, Bytes data) {
    const uint64_t at = bytes_.size();
    std::memcpy(&bytes_[table_at_ + 8 * chunk_count_++], &at, 8);
    for (const int coordinate : head) put(bytes_, coordinate);
    put(bytes_, uint32_t(data.size()));
    bytes_.insert(bytes_.end(), data.begin(), data.end());
  }
  Bytes bytes() const { return bytes_; }

 private:
  void tile_attribute(Size size) {
    std::array<std::byte, 9> value = {};
    std::memcpy(value.data(), &size, 8);
    put_attribute(bytes_, "tiles", "tiledesc", value);
  }

  std::vector<std::byte> bytes_;
  size_t table_at_ = 0;
  size_t chunk_count_ = 0;
};

// Calls `read`. Exceptions of the library mean damaged data, except out of memory.
template <class Read>
void guarded(size_t chunk, const Read& read) {
  try {
    Imf::setGlobalThreadCount(no_threads);
    read();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    rethrow_bad_alloc(error);
    refuse_chunk(chunk);
  }
}

Imf::PixelType type_of(Depth depth) {
  return depth == Depth::u32 ? Imf::UINT : depth == Depth::half ? Imf::HALF : Imf::FLOAT;
}

// One plane per channel, starting at the corner of `window`. Values of subsampled channels are placed at their
// positions.
class DecodedPlanes {
 public:
  DecodedPlanes(const ExrHeader& header, const Window& window) : header_(header), size_(size_of(window)) {
    for (size_t i = 0; i < header.channels.size(); ++i) {
      const Channel& channel = header.channels[i];
      const auto [across, down] = header.samplings[i];
      const size_t bytes = bytes_of(channel.depth), row_bytes = bytes * size_t(size_.width);
      unsigned char* plane = numbers_.emplace_back(row_bytes * size_t(size_.height)).data();
      starts_.push_back(plane);
      char* origin = reinterpret_cast<char*>(plane) -
                     (int64_t(window.min_y) * int64_t(row_bytes) + int64_t(window.min_x) * int64_t(bytes));
      buffer.insert(channel.name, Imf::Slice(type_of(channel.depth), origin, bytes * size_t(across),
                                             row_bytes * size_t(down), across, down));
    }
  }
  void repeat_samples() {
    for (size_t i = 0; i < numbers_.size(); ++i) {
      if (header_.samplings[i] == Size{1, 1}) continue;
      if (bytes_of(header_.channels[i].depth) == 2) repeat<uint16_t>(i);
      else repeat<uint32_t>(i);
    }
  }
  std::span<unsigned char* const> starts() const { return starts_; }

  Imf::FrameBuffer buffer;

 private:
  template <class Word>
  void repeat(size_t channel) {
    const auto [across, down] = header_.samplings[channel];
    Word* numbers = reinterpret_cast<Word*>(starts_[channel]);
    const auto width = size_t(size_.width);
    for (int y = 0; y < size_.height; ++y) {
      const Word* from = numbers + size_t(y - y % down) * width;
      for (int x = 0; x < size_.width; ++x) numbers[size_t(y) * width + size_t(x)] = from[x - x % across];
    }
  }

  const ExrHeader& header_;
  Size size_;
  std::vector<std::vector<unsigned char>> numbers_;
  std::vector<unsigned char*> starts_;
};

// The chunks of lines from `row` of them on.
SmallExr lines_of(Bytes file, const ExrHeader& header, int row, int chunk_count, const Window& window) {
  SmallExr small(header, window, size_t(chunk_count));
  for (int index = row; index < row + chunk_count; ++index) {
    const int head[] = {header.data_window.min_y + index * header.chunk_size.height};
    small.add(head, data_of_chunk(file, header, size_t(index)));
  }
  return small;
}

class OpenExrBlocks : public BlockDecoder {
 public:
  OpenExrBlocks(Bytes file, const ExrHeader& header, const ExrLevel& level)
      : file_(file), header_(header), level_(level) {
    if (!header.is_tiled) chunks_a_piece_ = std::max(1, lines_a_read / header.chunk_size.height);
    if (header.is_subsampled()) chunks_a_piece_ = level.rows;  // chunks need not begin at a sample
    rows_ = div_ceil(level.rows, chunks_a_piece_);
  }
  int count() const override { return level_.columns * rows_; }
  void decode(int index, const BlockSink& use) const override {
    if (header_.is_tiled) decode_tile(index % level_.columns, index / level_.columns, use);
    else decode_lines(index, use);
  }

 private:
  void decode_lines(int row, const BlockSink& use) const {
    const int first = row * chunks_a_piece_;
    const int lines = chunks_a_piece_ * header_.chunk_size.height;
    const int y = row * lines;
    const ExrPlace place = {.x = 0, .y = y, .size = {level_.size.width, std::min(lines, level_.size.height - y)}};
    const Window& whole = header_.data_window;
    const Window window = {whole.min_x, whole.min_y + y, whole.max_x, whole.min_y + y + place.size.height - 1};
    const SmallExr small = lines_of(file_, header_, first, std::min(chunks_a_piece_, level_.rows - first), window);
    DecodedPlanes planes(header_, window);
    guarded(size_t(first), [&] {
      MemoryStream stream(small.bytes());
      Imf::InputFile input(stream, no_threads);
      input.setFrameBuffer(planes.buffer);
      input.readPixels(window.min_y, window.max_y);
    });
    planes.repeat_samples();
    use({.place = place, .planes = planes.starts()});
  }

  void decode_tile(int column, int row, const BlockSink& use) const {
    const ExrPlace place = place_of_chunk(header_, level_, column, row);
    const size_t number = level_.first_chunk + size_t(row) * size_t(level_.columns) + size_t(column);
    const Window window = window_of(place.size);
    SmallExr small(header_, window, 1);
    constexpr int head[] = {0, 0, 0, 0};
    small.add(head, data_of_chunk(file_, header_, number));
    DecodedPlanes planes(header_, window);
    guarded(number, [&] {
      MemoryStream stream(small.bytes());
      Imf::TiledInputFile input(stream, no_threads);
      input.setFrameBuffer(planes.buffer);
      input.readTile(0, 0);
    });
    use({.place = place, .planes = planes.starts()});
  }

  Bytes file_;
  const ExrHeader& header_;
  const ExrLevel& level_;
  int chunks_a_piece_ = 1;
  int rows_ = 1;
};

// The chromaticities of the file, or Rec. 709.
Imf::Chromaticities chromaticities_of(const ExrHeader& header) {
  const Attribute* own = chromaticities_attribute(header);
  if (!own) return {};
  std::array<float, 8> n;
  std::memcpy(n.data(), own->value.data(), sizeof n);
  return {{n[0], n[1]}, {n[2], n[3]}, {n[4], n[5]}, {n[6], n[7]}};
}

// Same as RgbaYca of OpenEXR for half.
void make_colors_of_floats(const Imath::V3f& weights, float* texels, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    float* texel = texels + 4 * i;
    const float luminance = texel[1];
    const bool is_gray = texel[0] == 0 && texel[2] == 0;
    const float red = is_gray ? luminance : (texel[0] + 1) * luminance;
    const float blue = is_gray ? luminance : (texel[2] + 1) * luminance;
    texel[0] = red;
    texel[1] = is_gray ? luminance : (luminance - red * weights.x - blue * weights.z) / weights.y;
    texel[2] = blue;
  }
}

}  // namespace

std::unique_ptr<BlockDecoder> pieces_by_openexr(Bytes file, const ExrHeader& header, const ExrLevel& level) {
  return std::make_unique<OpenExrBlocks>(file, header, level);
}

void read_halved_chroma(Bytes file, const ExrHeader& header, const ExrLevel& level, const std::string& layer,
                        Group& to) {
  static_assert(sizeof(Imf::Rgba) == 4 * sizeof(uint16_t), "its texels are ours");
  const Window& window = header.data_window;
  const SmallExr small = lines_of(file, header, 0, level.rows, window);
  auto* texels = reinterpret_cast<Imf::Rgba*>(to.levels[0].texels.data());
  guarded(0, [&] {
    MemoryStream stream(small.bytes());
    Imf::RgbaInputFile input(stream, layer, no_threads);
    input.setFrameBuffer(texels - (int64_t(window.min_y) * level.size.width + window.min_x), 1,
                         size_t(level.size.width));
    input.readPixels(window.min_y, window.max_y);
  });
}

void make_colors(const ExrHeader& header, Group& group) {
  Imath::V3f weights;
  guarded(0, [&] { weights = Imf::RgbaYca::computeYw(chromaticities_of(header)); });
  Level& level = group.levels[0];
  parallel_ranges(level.size.height, 16, [&](int begin, int end) {
    const size_t first = size_t(begin) * size_t(level.size.width);
    const size_t count = size_t(end - begin) * size_t(level.size.width);
    if (group.depth == Depth::f32)
      return make_colors_of_floats(weights, level.texels.as<float>().data() + 4 * first, count);
    auto* texels = reinterpret_cast<Imf::Rgba*>(level.texels.data()) + first;
    Imf::RgbaYca::YCAtoRGBA(weights, int(count), texels, texels);
  });
}

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
