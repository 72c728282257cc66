#include "core/codec/common/parallel_deflate.h"

#include "core/base/error.h"
#include "core/base/threads.h"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace gpupost {
namespace {

// Size of a piece of the input. Pieces are independent, which costs little here: a run is at most cut in two.
constexpr size_t piece_bytes = 1 << 20;

constexpr std::array zlib_header{std::byte{0x78}, std::byte{0x01}};  // deflate, 32 KiB, fastest (RFC 1950)
constexpr size_t checksum_bytes = 4;

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

ZlibStream zlib_compress(std::span<const std::byte> bytes) {
  const size_t piece_count = std::max<size_t>(1, (bytes.size() + piece_bytes - 1) / piece_bytes);
  const size_t room_each = compressBound(piece_bytes) + zlib_header.size() + checksum_bytes + 64;  // 64: a flush
  const auto piece_of = [&](size_t index) {
    return bytes.subspan(index * piece_bytes, std::min(piece_bytes, bytes.size() - index * piece_bytes));
  };
  ZlibStream stream{.room = TexelBuffer(piece_count * room_each), .pieces = {}};
  stream.pieces.resize(piece_count);
  std::vector<uint32_t> checksums(piece_count);
  parallel_ranges(int(piece_count), 1, [&](int begin, int end) {
    RawDeflater deflater;
    for (auto index = size_t(begin); index < size_t(end); ++index) {
      std::byte* const place = stream.room.data() + index * room_each;
      const size_t ahead = index == 0 ? zlib_header.size() : 0;
      std::copy_n(zlib_header.begin(), ahead, place);
      const bool is_last = index + 1 == piece_count;
      const size_t count =
          deflater.compress(piece_of(index), {place + ahead, room_each - ahead - checksum_bytes}, is_last);
      stream.pieces[index] = {place, ahead + count};
      checksums[index] = checksum_of(piece_of(index));
    }
  });
  uint32_t checksum = checksums[0];
  for (size_t index = 1; index < piece_count; ++index)
    checksum = uint32_t(adler32_combine(checksum, checksums[index], z_off_t(piece_of(index).size())));
  std::span<const std::byte>& last = stream.pieces.back();
  std::byte* const end = stream.room.data() + (piece_count - 1) * room_each + last.size();
  for (size_t i = 0; i < checksum_bytes; ++i) end[i] = std::byte(checksum >> (24 - 8 * i));
  last = {last.data(), last.size() + checksum_bytes};
  return stream;
}

unsigned char* zlib_compress_for_stb(const unsigned char* bytes, int count, int* compressed_count) noexcept try {
  const ZlibStream stream = zlib_compress({reinterpret_cast<const std::byte*>(bytes), size_t(count)});
  size_t total = 0;
  for (const auto piece : stream.pieces) total += piece.size();
  auto* const whole = static_cast<unsigned char*>(std::malloc(total));
  if (!whole) return nullptr;
  unsigned char* at = whole;
  for (const auto piece : stream.pieces) {
    std::memcpy(at, piece.data(), piece.size());
    at += piece.size();
  }
  *compressed_count = int(total);
  return whole;
} catch (...) {  // stb does not support exceptions; nullptr means that memory ran out
  return nullptr;
}

}  // namespace gpupost
