#include "core/codec/png/rows.h"

#include <algorithm>
#include <cstdlib>

namespace gpupost {

namespace {

// PNG specification, 9.
enum class Filter : uint8_t { none, sub, up, average, paeth };

uint8_t paeth(int left, int above, int corner) {
  const int to_left = std::abs(above - corner), to_above = std::abs(left - corner),
            to_corner = std::abs(left + above - 2 * corner);
  return uint8_t(to_left <= to_above && to_left <= to_corner ? left : to_above <= to_corner ? above : corner);
}

// Undoes a filter that needs the bytes to the left. N: bytes of a texel, at least 1; kept in registers.
template <size_t N>
void undo_in_row(Filter filter, uint8_t* row, const uint8_t* above, size_t bytes) {
  std::array<uint8_t, N> left{}, corner{};
  const auto each = [&](const auto& predicted) {
    for (size_t i = 0; i < bytes; i += N)
      for (size_t c = 0; c < N; ++c) {
        row[i + c] = left[c] = uint8_t(row[i + c] + predicted(left[c], above[i + c], corner[c]));
        corner[c] = above[i + c];
      }
  };
  if (filter == Filter::sub) each([](int l, int, int) { return l; });
  else if (filter == Filter::average) each([](int l, int a, int) { return (l + a) / 2; });
  else each(paeth);
}

void undo(uint8_t filter, uint8_t* row, const uint8_t* above, size_t bytes, size_t texel_bytes) {
  if (filter > uint8_t(Filter::paeth)) fail(Exit::input, "has a row with filter {}; PNG has 0 to 4", filter);
  if (Filter(filter) == Filter::none) return;
  if (Filter(filter) == Filter::up) {
    for (size_t i = 0; i < bytes; ++i) row[i] = uint8_t(row[i] + above[i]);
    return;
  }
  const auto undo_with = [&](auto function) { function(Filter(filter), row, above, bytes); };
  switch (texel_bytes) {
    case 1: return undo_with(undo_in_row<1>);
    case 2: return undo_with(undo_in_row<2>);
    case 3: return undo_with(undo_in_row<3>);
    case 4: return undo_with(undo_in_row<4>);
    case 6: return undo_with(undo_in_row<6>);
    default: return undo_with(undo_in_row<8>);
  }
}

template <class Number>
Number number_at(const uint8_t* samples, size_t index) {
  if constexpr (sizeof(Number) == 1) return samples[index];
  else return Number(samples[2 * index] << 8 | samples[2 * index + 1]);
}

// Makes RGBA of samples. `scale` is for samples of less than 8 bits.
template <class Number, size_t Channels>
void spread(const uint8_t* samples, size_t count, Number* to, size_t step, Number scale,
            const std::optional<std::array<uint16_t, 3>>& transparent) {
  constexpr bool is_gray = Channels <= 2, has_alpha = Channels % 2 == 0;
  for (size_t i = 0; i < count; ++i, to += 4 * step) {
    std::array<Number, Channels> number;
    for (size_t c = 0; c < Channels; ++c) number[c] = number_at<Number>(samples, i * Channels + c);
    for (size_t c = 0; c < 3; ++c) to[c] = Number(number[is_gray ? 0 : c] * scale);
    to[3] = has_alpha ? number[Channels - 1] : Number(-1);
    if constexpr (!has_alpha)
      if (transparent && std::equal(number.begin(), number.end(), transparent->begin())) to[3] = 0;
  }
}

template <class Number>
void spread(int channels, const uint8_t* samples, size_t count, std::byte* to, size_t step, Number scale,
            const std::optional<std::array<uint16_t, 3>>& transparent) {
  constexpr auto functions = std::array{spread<Number, 1>, spread<Number, 2>, spread<Number, 3>, spread<Number, 4>};
  functions[size_t(channels) - 1](samples, count, reinterpret_cast<Number*>(to), step, scale, transparent);
}

}  // namespace

std::span<const PngPass> passes_of(const PngHeader& header) {
  static constexpr PngPass passes[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                       {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
  static constexpr PngPass whole[] = {{0, 0, 1, 1}};
  return header.is_interlaced ? std::span<const PngPass>(passes) : whole;
}

PngRows::PngRows(const PngHeader& header, std::optional<Bytes> palette, std::optional<Bytes> transparency)
    : header_(header) {
  if (header.has_palette()) {
    palette_.assign(palette->size() / 3, {0, 0, 0, 255});
    for (size_t i = 0; i < palette->size(); ++i) palette_[i / 3][i % 3] = byte_at(*palette, i);
  }
  const bool can_have_alpha = header.color < 4 && transparency && !transparency->empty();
  has_alpha_ = header.color >= 4 || can_have_alpha;
  if (!can_have_alpha) return;
  if (header.has_palette()) {
    for (size_t i = 0; i < transparency->size(); ++i) palette_[i][3] = byte_at(*transparency, i);
    return;
  }
  transparent_.emplace();
  for (size_t c = 0; c < size_t(header.channels()); ++c)
    (*transparent_)[c] = uint16_t(big_u16_at(*transparency, 2 * c) & ((1 << header.bits) - 1));
}

int PngRows::channel_count() const { return (header_.color & 2 ? 3 : 1) + int(has_alpha_); }

void PngRows::read(std::span<std::byte> filtered, std::byte* texels) {
  const size_t rgba_bytes = header_.bits == 16 ? 8 : 4;
  auto* row = reinterpret_cast<uint8_t*>(filtered.data());
  for (const PngPass& pass : passes_of(header_)) {
    const auto count = size_t(pass.columns(header_));
    const size_t row_bytes = header_.row_bytes(count);
    const std::vector<uint8_t> zeros(row_bytes);
    const uint8_t* above = zeros.data();
    for (int y = 0; count > 0 && y < pass.rows(header_); ++y, row += row_bytes) {
      undo(row[0], row + 1, above, row_bytes - 1, header_.texel_bytes());
      above = row + 1;
      const size_t first = size_t(pass.y + y * pass.step_y) * size_t(header_.width) + size_t(pass.x);
      write_row(row + 1, count, texels + first * rgba_bytes, size_t(pass.step_x));
    }
  }
}

void PngRows::write_row(const uint8_t* samples, size_t count, std::byte* to, size_t step) {
  if (header_.bits == 16) return spread<uint16_t>(header_.channels(), samples, count, to, step, 1, transparent_);
  if (header_.bits < 8) {
    indices_.resize(count);
    const int bits = header_.bits, most = (1 << bits) - 1;
    for (size_t i = 0; i < count; ++i) {
      const size_t bit = i * size_t(bits);
      indices_[i] = uint8_t(samples[bit / 8] >> (8 - bits - int(bit % 8)) & most);
    }
    samples = indices_.data();
  }
  if (!header_.has_palette()) {
    const auto scale = uint8_t(255 / ((1 << header_.bits) - 1));
    return spread<uint8_t>(header_.channels(), samples, count, to, step, scale, transparent_);
  }
  if (const uint8_t most = *std::max_element(samples, samples + count); most >= palette_.size())
    fail(Exit::input, "uses color {} of its palette, which has {} colors", most, palette_.size());
  for (size_t i = 0; i < count; ++i) std::memcpy(to + 4 * i * step, palette_[samples[i]].data(), 4);
}

}  // namespace gpupost
