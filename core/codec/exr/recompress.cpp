#include "core/codec/exr/recompress.h"

#include "core/base/threads.h"
#include "core/codec/exr/memory_stream.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfCompression.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfTiledInputFile.h>
#include <OpenEXR/ImfTiledOutputFile.h>

#include <memory>
#include <new>

namespace gpupost {

namespace {

using File = std::vector<std::byte>;

class GrowingStream : public Imf::OStream {
 public:
  explicit GrowingStream(File& file) : OStream("memory"), file_(file) {}
  void write(const char from[], int count) override {
    if (at_ + size_t(count) > file_.size()) file_.resize(at_ + size_t(count));
    std::memcpy(&file_[at_], from, size_t(count));
    at_ += size_t(count);
  }
  uint64_t tellp() override { return at_; }
  void seekp(uint64_t at) override { at_ = at; }

 private:
  File& file_;
  uint64_t at_ = 0;
};

// Planes of all channels over a window.
class WindowPlanes {
 public:
  WindowPlanes(const Imf::ChannelList& channels, const Imath::Box2i& window) {
    const auto width = int64_t(window.max.x) - window.min.x + 1, height = int64_t(window.max.y) - window.min.y + 1;
    for (auto channel = channels.begin(); channel != channels.end(); ++channel) {
      const int64_t bytes = channel.channel().type == Imf::HALF ? 2 : 4;
      std::vector<char>& plane = numbers_.emplace_back(size_t(width * height * bytes));
      char* origin = plane.data() - (window.min.y * width + window.min.x) * bytes;
      buffer.insert(channel.name(), Imf::Slice(channel.channel().type, origin, size_t(bytes), size_t(width * bytes)));
    }
  }
  Imf::FrameBuffer buffer;

 private:
  std::vector<std::vector<char>> numbers_;
};

struct Packing {
  Imf::Compression compression;
  std::optional<float> level;

  void put_into(Imf::Header& header) const {
    header.compression() = compression;
    if (level) header.dwaCompressionLevel() = *level;
  }
};

void copy_lines(Imf::IStream& from, Imf::OStream& to, const Packing& packing) {
  Imf::InputFile input(from, core_count());
  Imf::Header header = input.header();
  packing.put_into(header);
  const Imath::Box2i window = header.dataWindow();
  WindowPlanes planes(header.channels(), window);
  input.setFrameBuffer(planes.buffer);
  input.readPixels(window.min.y, window.max.y);
  Imf::OutputFile output(to, header, core_count());
  output.setFrameBuffer(planes.buffer);
  output.writePixels(window.max.y - window.min.y + 1);
}

void copy_tiles(Imf::IStream& from, Imf::OStream& to, const Packing& packing) {
  Imf::TiledInputFile input(from, core_count());
  Imf::Header header = input.header();
  packing.put_into(header);
  Imf::TiledOutputFile output(to, header, core_count());
  for (int level = 0; level < input.numLevels(); ++level) {
    WindowPlanes planes(header.channels(), input.dataWindowForLevel(level));
    const int last_x = input.numXTiles(level) - 1, last_y = input.numYTiles(level) - 1;
    input.setFrameBuffer(planes.buffer);
    input.readTiles(0, last_x, 0, last_y, level);
    output.setFrameBuffer(planes.buffer);
    output.writeTiles(0, last_x, 0, last_y, level);
  }
}

}  // namespace

TexelBuffer recompressed(Bytes file, Compression compression, std::optional<float> level) {
  const auto made = std::make_shared<File>();
  try {
    MemoryStream from(file);
    GrowingStream to(*made);
    constexpr uint32_t is_tiled = 0x200;
    const auto copy = little_at<uint32_t>(file, 4) & is_tiled ? copy_tiles : copy_lines;
    copy(from, to, {Imf::Compression(compression), level});
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    fail(Exit::output, "exr: OpenEXR cannot encode the image: {}", error.what());
  }
  return TexelBuffer(made->data(), made->size(), [made] {});
}

}  // namespace gpupost
