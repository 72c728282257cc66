#include "tests/codec/make_files.h"
#include "tests/support/error_of.h"

#include <ImathBox.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfDeepFrameBuffer.h>
#include <OpenEXR/ImfDeepScanLineOutputFile.h>
#include <OpenEXR/ImfDeepScanLineOutputPart.h>
#include <OpenEXR/ImfDeepTiledOutputFile.h>
#include <OpenEXR/ImfDeepTiledOutputPart.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfMultiPartOutputFile.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfOutputPart.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfRgbaFile.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfTileDescription.h>
#include <OpenEXR/ImfTiledOutputFile.h>
#include <OpenEXR/ImfTiledOutputPart.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <list>

namespace gpupost {

namespace {

class MemoryStream : public Imf::OStream {
 public:
  explicit MemoryStream(File& file) : OStream("memory"), file_(file) {}
  void write(const char bytes[], int count) override {
    file_.resize(std::max(file_.size(), at_ + size_t(count)));
    std::memcpy(file_.data() + at_, bytes, size_t(count));
    at_ += size_t(count);
  }
  uint64_t tellp() override { return at_; }
  void seekp(uint64_t at) override { at_ = at; }

 private:
  File& file_;
  size_t at_ = 0;
};

Imf::PixelType type_of(Depth depth) {
  return depth == Depth::u32 ? Imf::UINT : depth == Depth::half ? Imf::HALF : Imf::FLOAT;
}

std::pair<int, int> sampling_of(const ExrRecipe& recipe, size_t channel) {
  return recipe.samplings.empty() ? std::pair(1, 1) : recipe.samplings.at(channel);
}

// Planes of one level, and the frame buffer over them.
struct Planes {
  std::vector<std::vector<char>> planes;
  Imf::FrameBuffer buffer;
};

Planes planes_of(const ExrRecipe& recipe, int level_x, int level_y, int width, int height) {
  Planes made;
  for (int c = 0; c < int(recipe.channels.size()); ++c) {
    const Channel& channel = recipe.channels[size_t(c)];
    const size_t bytes = bytes_of(channel.depth);
    std::vector<char>& plane = made.planes.emplace_back(bytes * size_t(width) * size_t(height));
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const float value = value_at(c, level_x, level_y, x, y);
        const auto whole = uint32_t(value * 64);
        const half narrow(value);
        const void* number = channel.depth == Depth::u32    ? static_cast<const void*>(&whole)
                             : channel.depth == Depth::half ? static_cast<const void*>(&narrow)
                                                            : static_cast<const void*>(&value);
        std::memcpy(&plane[bytes * (size_t(y) * size_t(width) + size_t(x))], number, bytes);
      }
    char* origin = plane.data() - int64_t(bytes) * (int64_t(recipe.min_y) * width + recipe.min_x);
    const auto [across, down] = sampling_of(recipe, size_t(c));
    made.buffer.insert(channel.name, Imf::Slice(type_of(channel.depth), origin, bytes * size_t(across),
                                                bytes * size_t(width) * size_t(down), across, down));
  }
  return made;
}

Imf::Header header_of(const ExrRecipe& recipe) {
  const Imath::Box2i window({recipe.min_x, recipe.min_y},
                            {recipe.min_x + recipe.width - 1, recipe.min_y + recipe.height - 1});
  Imf::Header header(window, window);
  header.compression() = recipe.compression;
  header.lineOrder() = recipe.line_order;
  for (size_t c = 0; c < recipe.channels.size(); ++c) {
    const auto [across, down] = sampling_of(recipe, c);
    const Channel& channel = recipe.channels[c];
    header.channels().insert(channel.name, Imf::Channel(type_of(channel.depth), across, down));
  }
  recipe.change_header(header);
  return header;
}

// Headers of one file have one display window.
std::vector<Imf::Header> headers_of(const std::vector<std::pair<std::string, ExrRecipe>>& parts) {
  std::vector<Imf::Header> headers;
  for (const auto& [name, recipe] : parts) {
    Imf::Header header = header_of(recipe);
    header.displayWindow() = Imath::Box2i({0, 0}, {63, 63});
    header.setName(name);
    header.setType(Imf::SCANLINEIMAGE);
    headers.push_back(header);
  }
  return headers;
}

void write_part(Imf::MultiPartOutputFile& file, int number, const ExrRecipe& recipe) {
  Imf::OutputPart output(file, number);
  const Planes planes = planes_of(recipe, 0, 0, recipe.width, recipe.height);
  output.setFrameBuffer(planes.buffer);
  output.writePixels(recipe.height);
}

}  // namespace

float value_at(int channel, int level_x, int level_y, int x, int y) {
  return float((x * 3 + y * 61 + channel * 17 + level_x * 29 + level_y * 31) % 2039) / 64;
}

File make_exr(const ExrRecipe& recipe) {
  Imf::Header header = header_of(recipe);
  File file;
  MemoryStream stream(file);
  if (recipe.tile_side == 0) {
    Imf::OutputFile output(stream, header);
    const Planes planes = planes_of(recipe, 0, 0, recipe.width, recipe.height);
    output.setFrameBuffer(planes.buffer);
    output.writePixels(recipe.height);
    return file;
  }
  const auto side = unsigned(recipe.tile_side);
  header.setTileDescription(Imf::TileDescription(side, side, recipe.level_mode, recipe.rounding));
  Imf::TiledOutputFile output(stream, header);
  for (int level_y = 0; level_y < output.numYLevels(); ++level_y)
    for (int level_x = 0; level_x < output.numXLevels(); ++level_x) {
      if (!output.isValidLevel(level_x, level_y)) continue;
      const Planes planes =
          planes_of(recipe, level_x, level_y, output.levelWidth(level_x), output.levelHeight(level_y));
      output.setFrameBuffer(planes.buffer);
      output.writeTiles(0, output.numXTiles(level_x) - 1, 0, output.numYTiles(level_y) - 1, level_x, level_y);
    }
  return file;
}

File make_exr_parts(const std::vector<std::pair<std::string, ExrRecipe>>& parts) {
  const std::vector<Imf::Header> headers = headers_of(parts);
  File file;
  {
    MemoryStream stream(file);
    Imf::MultiPartOutputFile output(stream, headers.data(), int(headers.size()));
    for (size_t i = 0; i < parts.size(); ++i) write_part(output, int(i), parts[i].second);
  }
  return file;
}

namespace {

void write_tiled_part(Imf::MultiPartOutputFile& file, int number, const ExrRecipe& recipe) {
  Imf::TiledOutputPart output(file, number);
  for (int level = 0; level < output.numLevels(); ++level) {
    const Planes planes = planes_of(recipe, level, level, output.levelWidth(level), output.levelHeight(level));
    output.setFrameBuffer(planes.buffer);
    output.writeTiles(0, output.numXTiles(level) - 1, 0, output.numYTiles(level) - 1, level);
  }
}

// The samples of one level, and the frame buffer over them.
class DeepSamplesOf {
 public:
  DeepSamplesOf(const DeepRecipe& recipe, int width, int height) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) counts_.push_back(recipe.count(x, y));
    const int64_t origin = int64_t(recipe.min_y) * width + recipe.min_x;
    buffer.insertSampleCountSlice(
        Imf::Slice(Imf::UINT, reinterpret_cast<char*>(counts_.data() - origin), 4, 4 * size_t(width)));
    for (size_t c = 0; c < recipe.channels.size(); ++c) {
      const auto& [name, depth] = recipe.channels[c];
      std::vector<char>& bytes = numbers_.emplace_back();
      std::vector<size_t> starts;
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          starts.push_back(bytes.size());
          for (unsigned i = 0; i < recipe.count(x, y); ++i) {
            const double value = recipe.value(c, x, y, i);
            const auto whole = uint32_t(depth == Depth::u32 ? value : 0);
            const half narrow{float(value)};
            const auto wide = float(value);
            const void* number = depth == Depth::u32    ? static_cast<const void*>(&whole)
                                 : depth == Depth::half ? static_cast<const void*>(&narrow)
                                                        : static_cast<const void*>(&wide);
            bytes.insert(bytes.end(), static_cast<const char*>(number),
                         static_cast<const char*>(number) + bytes_of(depth));
          }
        }
      std::vector<char*>& places = places_.emplace_back();
      for (const size_t start : starts) places.push_back(bytes.data() + start);
      buffer.insert(name, Imf::DeepSlice(type_of(depth), reinterpret_cast<char*>(places.data() - origin), sizeof(char*),
                                         sizeof(char*) * size_t(width), bytes_of(depth)));
    }
  }
  Imf::DeepFrameBuffer buffer;

 private:
  std::vector<unsigned> counts_;
  std::list<std::vector<char>> numbers_;
  std::list<std::vector<char*>> places_;
};

Imf::Header header_of(const DeepRecipe& recipe) {
  const Imath::Box2i window({recipe.min_x, recipe.min_y},
                            {recipe.min_x + recipe.width - 1, recipe.min_y + recipe.height - 1});
  Imf::Header header(window, window);
  header.compression() = recipe.compression;
  for (const Channel& channel : recipe.channels)
    header.channels().insert(channel.name, Imf::Channel(type_of(channel.depth)));
  const auto side = unsigned(recipe.tile_side);
  if (side > 0) header.setTileDescription(Imf::TileDescription(side, side, recipe.level_mode));
  header.setType(side > 0 ? Imf::DEEPTILE : Imf::DEEPSCANLINE);
  return header;
}

template <class Output>
void write_deep_tiles(Output& output, const DeepRecipe& recipe) {
  for (int level = 0; level < output.numLevels(); ++level) {
    const DeepSamplesOf samples(recipe, output.levelWidth(level), output.levelHeight(level));
    output.setFrameBuffer(samples.buffer);
    output.writeTiles(0, output.numXTiles(level) - 1, 0, output.numYTiles(level) - 1, level);
  }
}

template <class Output>
void write_deep_lines(Output& output, const DeepRecipe& recipe) {
  const DeepSamplesOf samples(recipe, recipe.width, recipe.height);
  output.setFrameBuffer(samples.buffer);
  output.writePixels(recipe.height);
}

void write_deep_part(Imf::MultiPartOutputFile& file, int number, const DeepRecipe& recipe) {
  if (recipe.tile_side > 0) {
    Imf::DeepTiledOutputPart output(file, number);
    return write_deep_tiles(output, recipe);
  }
  Imf::DeepScanLineOutputPart output(file, number);
  write_deep_lines(output, recipe);
}

}  // namespace

File make_deep_exr(const DeepRecipe& recipe) {
  File file;
  MemoryStream stream(file);
  const Imf::Header header = header_of(recipe);
  if (recipe.tile_side > 0) {
    Imf::DeepTiledOutputFile output(stream, header);
    write_deep_tiles(output, recipe);
  } else {
    Imf::DeepScanLineOutputFile output(stream, header);
    write_deep_lines(output, recipe);
  }
  return file;
}

File make_exr_of_parts(const std::vector<PartRecipe>& parts) {
  std::vector<Imf::Header> headers;
  for (const auto& [name, view, flat, deep] : parts) {
    Imf::Header header = deep ? header_of(*deep) : header_of(flat);
    const auto side = unsigned(flat.tile_side);
    if (!deep && side > 0) header.setTileDescription(Imf::TileDescription(side, side, flat.level_mode));
    if (!deep) header.setType(side > 0 ? Imf::TILEDIMAGE : Imf::SCANLINEIMAGE);
    header.displayWindow() = Imath::Box2i({0, 0}, {63, 63});
    header.setName(name);
    if (!view.empty()) header.setView(view);
    headers.push_back(header);
  }
  File file;
  {
    MemoryStream stream(file);
    Imf::MultiPartOutputFile output(stream, headers.data(), int(headers.size()));
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].deep) write_deep_part(output, int(i), *parts[i].deep);
      else if (parts[i].flat.tile_side > 0) write_tiled_part(output, int(i), parts[i].flat);
      else write_part(output, int(i), parts[i].flat);
    }
  }
  return file;
}

File make_exr_behind_deep(const ExrRecipe& flat) {
  std::vector<Imf::Header> headers = headers_of({{"deep", flat}, {"flat", flat}});
  headers[0].setType(Imf::DEEPSCANLINE);
  headers[0].compression() = Imf::ZIPS_COMPRESSION;
  std::vector<unsigned> counts(size_t(flat.width) * size_t(flat.height), 1);
  std::vector<half> numbers(counts.size(), half(0.5f));
  std::vector<half*> samples;
  for (half& number : numbers) samples.push_back(&number);
  Imf::DeepFrameBuffer buffer;
  buffer.insertSampleCountSlice(
      Imf::Slice(Imf::UINT, reinterpret_cast<char*>(counts.data()), 4, 4 * size_t(flat.width)));
  for (const Channel& channel : flat.channels)
    buffer.insert(channel.name, Imf::DeepSlice(Imf::HALF, reinterpret_cast<char*>(samples.data()), sizeof(half*),
                                               sizeof(half*) * size_t(flat.width), sizeof(half)));
  File file;
  {
    MemoryStream stream(file);
    Imf::MultiPartOutputFile output(stream, headers.data(), 2);
    Imf::DeepScanLineOutputPart deep(output, 0);
    deep.setFrameBuffer(buffer);
    deep.writePixels(flat.height);
    write_part(output, 1, flat);
  }
  return file;
}

File make_exr_of_deep_tiles(int width, int height) {
  Imf::Header header(width, height);
  header.compression() = Imf::ZIPS_COMPRESSION;
  header.channels().insert("Z", Imf::Channel(Imf::HALF));
  header.setTileDescription(Imf::TileDescription(8, 8));
  header.setType(Imf::DEEPTILE);
  std::vector<unsigned> counts(size_t(width) * size_t(height), 1);
  half number(0.5f);
  std::vector<half*> samples(counts.size(), &number);
  Imf::DeepFrameBuffer buffer;
  buffer.insertSampleCountSlice(Imf::Slice(Imf::UINT, reinterpret_cast<char*>(counts.data()), 4, 4 * size_t(width)));
  buffer.insert("Z", Imf::DeepSlice(Imf::HALF, reinterpret_cast<char*>(samples.data()), sizeof(half*),
                                    sizeof(half*) * size_t(width), sizeof(half)));
  File file;
  {
    MemoryStream stream(file);
    Imf::DeepTiledOutputFile output(stream, header);
    output.setFrameBuffer(buffer);
    output.writeTiles(0, output.numXTiles() - 1, 0, output.numYTiles() - 1);
  }
  return file;
}

File make_exr_of_chroma(int width, int height, const std::function<void(Imf::Header&)>& change_header) {
  Imf::Header header(width, height);
  header.compression() = Imf::PIZ_COMPRESSION;
  change_header(header);
  std::vector<Imf::Rgba> texels(size_t(width) * size_t(height));
  for (size_t i = 0; i < texels.size(); ++i) {
    const float x = float(i % size_t(width)), y = float(i / size_t(width));
    texels[i] = {1 + std::sin(x / 3), 0.8f + 0.7f * std::cos(y / 5), 0.1f + x / 50, 0.5f};
  }
  File file;
  {
    MemoryStream stream(file);
    Imf::RgbaOutputFile output(stream, header, Imf::WRITE_YCA);
    const Imath::V2i corner = header.dataWindow().min;
    output.setFrameBuffer(texels.data() - (corner.y * width + corner.x), 1, size_t(width));
    output.writePixels(height);
  }
  return file;
}

std::string little(uint32_t number, size_t byte_count) {
  std::string text;
  for (size_t i = 0; i < byte_count; ++i, number >>= 8) text += char(number);
  return text;
}

std::string big_u32(uint32_t number) {
  return {char(number >> 24), char(number >> 16), char(number >> 8), char(number)};
}

File file_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

File make_png(const std::vector<PngChunk>& chunks) {
  std::string text("\x89PNG\r\n\x1a\n", 8);
  for (const PngChunk& chunk : chunks) {
    const std::string checked = chunk.type + chunk.data;
    const auto* bytes = reinterpret_cast<const Bytef*>(checked.data());
    text += big_u32(uint32_t(chunk.data.size())) + checked + big_u32(uint32_t(crc32(0, bytes, uInt(checked.size()))));
  }
  return file_of(text);
}

std::string png_header(int width, int height, int bits, int color, bool is_interlaced) {
  return big_u32(uint32_t(width)) + big_u32(uint32_t(height)) + char(bits) + char(color) + std::string(2, '\0') +
         char(is_interlaced);
}

std::string zlib_packed(const std::string& data) {
  uLong bytes = compressBound(data.size());
  std::string packed(bytes, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &bytes, reinterpret_cast<const Bytef*>(data.data()), data.size());
  packed.resize(bytes);
  return packed;
}

Decoded decode_bytes(const File& file, const DecodeOptions& options) {
  const int descriptor = memfd_create("test", MFD_CLOEXEC);
  const ssize_t put = write(descriptor, file.data(), file.size());
  lseek(descriptor, 0, SEEK_SET);
  struct Closer {
    int descriptor;
    ~Closer() { close(descriptor); }
  } const closer{descriptor};
  if (put != ssize_t(file.size())) fail(Exit::limit, "no memory for the test's file");
  return decode(descriptor, "file", options);
}

std::string refusal_of(const File& file, const DecodeOptions& options) {
  return coded_error_of([&] { decode_bytes(file, options); });
}

}  // namespace gpupost
