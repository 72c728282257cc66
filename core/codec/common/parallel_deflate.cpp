#include "core/codec/common/parallel_deflate.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/base/threads.h"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <array>

namespace gpupost {
namespace {

// Size of a piece of the input, up to a row. Pieces are independent, which costs little here: a run is at most cut in two.
constexpr size_t piece_bytes = 1 << 18;

constexpr std::array zlib_header{std::byte{0x78}, std::byte{0x01}};  // deflate, 32 KiB, fastest (RFC 1950)

// Bytes without a zlib header, reusable.
class RawDeflater {
 public:
  RawDeflater() {
    constexpr int raw_window_bits = -15;
    constexpr int memory_level = 8;  // zlib's own default
    if (deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, raw_window_bits, memory_level, Z_RLE) != Z_OK)
      fail(Exit::limit, "out of memory: zlib cannot start");
  }
  RawDeflater(const RawDeflater&) = delete;
  RawDeflater& operator=(const RawDeflater&) = delete;
  ~RawDeflater() { deflateEnd(&stream_); }

  // Compresses a piece, which ends at a byte boundary; the last one ends the stream. Returns the bytes written.
  size_t compress(std::span<const std::byte> from, std::span<std::byte> to, bool is_last) {
    deflateReset(&stream_);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from.data()));  // zlib only reads it
    stream_.avail_in = uInt(from.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = uInt(to.size());
    const int result = deflate(&stream_, is_last ? Z_FINISH : Z_SYNC_FLUSH);
    if (result != (is_last ? Z_STREAM_END : Z_OK) || stream_.avail_in != 0)
      fail(Exit::bug, "zlib: deflate gives {} with {} bytes left", result, stream_.avail_in);
    return to.size() - stream_.avail_out;
  }

 private:
  z_stream stream_{};
};

uint32_t checksum_of(std::span<const std::byte> bytes) { return libdeflate_adler32(1, bytes.data(), bytes.size()); }

}  // namespace

ZlibStream zlib_compress(size_t row_count, size_t row_bytes, const RowWriter& write_rows) {
  const size_t rows_each = std::max<size_t>(1, piece_bytes / row_bytes);
  const size_t piece_count = std::max<size_t>(1, div_ceil(row_count, rows_each));
  ZlibStream stream;
  stream.pieces.resize(piece_count);
  std::vector<uint32_t> checksums(piece_count);
  const auto bytes_of_piece = [&](size_t index) {
    return (std::min(row_count, (index + 1) * rows_each) - index * rows_each) * row_bytes;
  };
  parallel_ranges(int(piece_count), 1, [&](int begin, int end) {
    RawDeflater deflater;
    std::vector<std::byte> from(std::min(rows_each, row_count) * row_bytes);
    std::vector<std::byte> room(zlib_header.size() + compressBound(uLong(from.size())) + 64);  // 64: a flush
    for (auto index = size_t(begin); index < size_t(end); ++index) {
      const std::span<const std::byte> piece(from.data(), bytes_of_piece(index));
      write_rows(index * rows_each, index * rows_each + piece.size() / row_bytes, from.data());
      const auto head = std::ranges::copy_n(zlib_header.begin(), index == 0 ? zlib_header.size() : 0, room.begin()).out;
      const size_t count = deflater.compress(piece, {head, room.end()}, index + 1 == piece_count);
      stream.pieces[index].assign(room.begin(), head + ptrdiff_t(count));
      checksums[index] = checksum_of(piece);
    }
  });
  uint32_t checksum = checksums[0];
  for (size_t index = 1; index < piece_count; ++index)
    checksum = uint32_t(adler32_combine(checksum, checksums[index], z_off_t(bytes_of_piece(index))));
  for (int bit = 24; bit >= 0; bit -= 8) stream.pieces.back().push_back(std::byte(checksum >> bit));
  return stream;
}

ZlibStream zlib_compress(std::span<const std::byte> bytes) {
  return zlib_compress(bytes.size(), 1, [&](size_t begin, size_t end, std::byte* to) {
    std::ranges::copy(bytes.subspan(begin, end - begin), to);
  });
}

}  // namespace gpupost
