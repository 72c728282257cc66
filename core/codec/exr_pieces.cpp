// tinyexr is shown a file of one piece at a time: a window of whole chunks, or one tile as if it were an image of its
// own. So its buffers stay in the cache, threads are ours, and a level can be read without the others.
#include "core/codec/exr_pieces.h"

#include "core/codec/libraries/tinyexr_settings.h"

#include <algorithm>
#include <string>

namespace gpupost {

namespace {

constexpr int lines_a_piece = 16;  // as ZIP has them; single lines cost more to set up than to decode

// Frees what tinyexr has made, on every way out.
class TinyImage {
 public:
  TinyImage() { InitEXRImage(&image); }
  ~TinyImage() { FreeEXRImage(&image); }
  TinyImage(const TinyImage&) = delete;
  TinyImage& operator=(const TinyImage&) = delete;
  EXRImage image;
};

struct TinyHeader {
  std::vector<EXRChannelInfo> channels;
  std::vector<int> types;
  std::vector<int> wanted_types;
  EXRHeader header;
};

TinyHeader tiny_header(std::span<const EXRChannelInfo> channels, int compression) {
  TinyHeader tiny{.channels = {channels.begin(), channels.end()}, .types = {}, .wanted_types = {}, .header = {}};
  for (const EXRChannelInfo& channel : channels) tiny.types.push_back(channel.pixel_type);
  tiny.wanted_types = tiny.types;
  InitEXRHeader(&tiny.header);
  tiny.header.channels = tiny.channels.data();
  tiny.header.pixel_types = tiny.types.data();
  tiny.header.requested_pixel_types = tiny.wanted_types.data();
  tiny.header.num_channels = int(channels.size());
  tiny.header.compression_type = compression;
  tiny.header.line_order = 0;  // tinyexr 1.0.1 turns other orders upside down; see test_decode_exr
  return tiny;
}

// `table_at`: where in `file` the offsets of the chunks in the header's data window stand.
void load(TinyImage& to, TinyHeader& tiny, Bytes file, size_t table_at, std::string_view what, int number) {
  tiny.header.header_len = unsigned(table_at - 8);  // it adds the 8 bytes of the magic number itself
  tinyexr_thread_count = 1;
  tinyexr_met_damage = false;
  const char* message = nullptr;
  const int code = LoadEXRImageFromMemory(&to.image, &tiny.header, unsigned_bytes(file), file.size(), &message);
  if (message) FreeEXRErrorMessage(message);
  tinyexr_thread_count = 0;
  if (code != TINYEXR_SUCCESS) to.image = {};  // it has freed the image, and left the pointers
  if (code != TINYEXR_SUCCESS || tinyexr_met_damage)
    fail(Exit::input, "its data are damaged: {} {} cannot be decoded", what, number);
}

int tiny_type(Depth depth) {
  return depth == Depth::u32    ? TINYEXR_PIXELTYPE_UINT
         : depth == Depth::half ? TINYEXR_PIXELTYPE_HALF
                                : TINYEXR_PIXELTYPE_FLOAT;
}

}  // namespace

ExrPieces::ExrPieces(Bytes file, const ExrHeader& header, const ExrLevel& level)
    : file_(file), header_(header), level_(level) {
  for (const Channel& channel : header.channels) {
    EXRChannelInfo info = {};
    info.pixel_type = tiny_type(channel.depth);
    info.x_sampling = info.y_sampling = 1;
    channels_.push_back(info);
  }
  if (!header.is_tiled) chunks_a_piece_ = std::max(1, lines_a_piece / header.chunk_size.height);
  columns_ = level.columns;
  rows_ = (level.rows + chunks_a_piece_ - 1) / chunks_a_piece_;
}

void ExrPieces::decode(int index, const std::function<void(const ExrPiece&)>& use) const {
  if (header_.is_tiled)
    decode_tile(index % columns_, index / columns_, use);
  else
    decode_lines(index, use);
}

void ExrPieces::decode_lines(int row, const std::function<void(const ExrPiece&)>& use) const {
  const int lines = chunks_a_piece_ * header_.chunk_size.height;
  const int y = row * lines;
  const Size size = {level_.size.width, std::min(lines, level_.size.height - y)};
  const Window& window = header_.data_window;
  TinyHeader tiny = tiny_header(channels_, header_.compression);
  tiny.header.data_window = {window.min_x, window.min_y + y, window.max_x, window.min_y + y + size.height - 1};
  TinyImage tiny_image;
  load(tiny_image, tiny, file_, header_.table_at + 8 * size_t(row) * size_t(chunks_a_piece_), "the block from line", window.min_y + y);
  use({.place = {.x = 0, .y = y, .size = size}, .planes = {tiny_image.image.images, channels_.size()}});
}

void ExrPieces::decode_tile(int column, int row, const std::function<void(const ExrPiece&)>& use) const {
  const ExrPlace place = place_of_chunk(header_, level_, column, row);
  const size_t number = level_.first_chunk + size_t(row) * size_t(level_.columns) + size_t(column);
  const size_t at = offset_of_chunk(file_, header_, number);
  const Bytes data = part_of(file_, at + 20, little_at<uint32_t>(file_, at + 16));
  // A file of this tile alone: 16 bytes for the header's place, the offset of the tile, its coordinates, its data.
  constexpr size_t table_at = 16, chunk_at = 24;
  std::vector<std::byte> alone(chunk_at + 20 + data.size());
  std::memcpy(&alone[table_at], &chunk_at, 8);
  std::memcpy(&alone[chunk_at + 16], part_of(file_, at + 16, 4).data(), 4);
  std::memcpy(&alone[chunk_at + 20], data.data(), data.size());
  TinyHeader tiny = tiny_header(channels_, header_.compression);
  tiny.header.data_window = {0, 0, place.size.width - 1, place.size.height - 1};
  tiny.header.tiled = 1;
  tiny.header.tile_size_x = place.size.width;
  tiny.header.tile_size_y = place.size.height;
  tiny.header.tile_level_mode = TINYEXR_TILE_ONE_LEVEL;
  TinyImage tiny_image;
  load(tiny_image, tiny, alone, table_at, "tile", int(number));
  use({.place = place, .planes = {tiny_image.image.tiles[0].images, channels_.size()}});
}

}  // namespace gpupost
