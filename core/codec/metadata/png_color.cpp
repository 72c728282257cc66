#include "core/codec/metadata/png_color.h"

#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace gpupost {

namespace {

constexpr size_t max_profile_bytes = size_t(4) << 20;

constexpr Chromaticities rec709_chromaticities = {0.64f, 0.33f, 0.30f, 0.60f, 0.15f, 0.06f, 0.3127f, 0.3290f};

struct PrimariesRow {
  int code;
  Chromaticities chromaticities;
};
// ITU-T H.273, table 2.
constexpr PrimariesRow primaries_rows[] = {
    {1, rec709_chromaticities},
    {4, {0.67f, 0.33f, 0.21f, 0.71f, 0.14f, 0.08f, 0.310f, 0.316f}},
    {5, {0.64f, 0.33f, 0.29f, 0.60f, 0.15f, 0.06f, 0.3127f, 0.3290f}},
    {6, {0.630f, 0.340f, 0.310f, 0.595f, 0.155f, 0.070f, 0.3127f, 0.3290f}},
    {7, {0.630f, 0.340f, 0.310f, 0.595f, 0.155f, 0.070f, 0.3127f, 0.3290f}},
    {8, {0.681f, 0.319f, 0.243f, 0.692f, 0.145f, 0.049f, 0.310f, 0.316f}},
    {9, {0.708f, 0.292f, 0.170f, 0.797f, 0.131f, 0.046f, 0.3127f, 0.3290f}},
    {11, {0.680f, 0.320f, 0.265f, 0.690f, 0.150f, 0.060f, 0.314f, 0.351f}},
    {12, {0.680f, 0.320f, 0.265f, 0.690f, 0.150f, 0.060f, 0.3127f, 0.3290f}},
    {22, {0.630f, 0.340f, 0.295f, 0.605f, 0.155f, 0.077f, 0.3127f, 0.3290f}},
};

struct TransferRow {
  int code;
  Transfer transfer;
  double exponent = 1;
};
// ITU-T H.273, table 3. The numbers 1, 6, 14 and 15 are one curve.
constexpr TransferRow transfer_rows[] = {
    {1, Transfer::bt709},  {4, Transfer::power, 2.2}, {5, Transfer::power, 2.8}, {6, Transfer::bt709},
    {8, Transfer::linear}, {13, Transfer::srgb},      {14, Transfer::bt709},     {15, Transfer::bt709},
    {16, Transfer::pq},    {18, Transfer::hlg},
};

// PNG specification, 11.3.2.6: primaries, transfer, matrix, and whether numbers fill their range. Returns why the chunk is
// ignored; "": it is not.
std::string take_code_points(Bytes chunk, Colors& colors) {
  if (chunk.size() != 4) return fmt::format("it has {} bytes and must have 4", chunk.size());
  const int primaries = byte_at(chunk, 0), transfer = byte_at(chunk, 1);
  if (byte_at(chunk, 2) != 0) return fmt::format("its matrix is number {} and must be 0", byte_at(chunk, 2));
  if (byte_at(chunk, 3) != 1) return "narrow-range values are not supported";
  const auto transfer_row = std::ranges::find(transfer_rows, transfer, &TransferRow::code);
  if (transfer_row == std::end(transfer_rows)) return fmt::format("transfer number {} is not supported", transfer);
  const auto primaries_row = std::ranges::find(primaries_rows, primaries, &PrimariesRow::code);
  if (primaries_row == std::end(primaries_rows)) return fmt::format("primaries number {} is not supported", primaries);
  colors.transfer = transfer_row->transfer;
  colors.exponent = transfer_row->exponent;
  if (!is_rec709(primaries_row->chromaticities)) colors.chromaticities = primaries_row->chromaticities;
  return "";
}

// A compressed profile after its name; empty if damaged. PNG specification, 11.3.2.3.
std::vector<std::byte> profile_in(Bytes chunk) {
  const size_t name_bytes = text_of(chunk).find('\0');
  if (name_bytes == std::string_view::npos || name_bytes + 2 > chunk.size()) return {};
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) fail(Exit::limit, "out of memory");
  std::vector<std::byte> profile(max_profile_bytes);
  size_t bytes = 0;
  const Bytes packed = chunk.subspan(name_bytes + 2);
  if (libdeflate_zlib_decompress(decompressor.get(), packed.data(), packed.size(), profile.data(), profile.size(),
                                 &bytes) != LIBDEFLATE_SUCCESS)
    return {};
  profile.resize(bytes);
  return profile;
}

// The encoding exponent times 100,000. 1/2.2 means sRGB, as its specification says for simple readers, and as writers
// use it.
void take_gamma(Bytes chunk, Colors& colors) {
  const uint32_t gamma = chunk.size() == 4 ? big_u32_at(chunk, 0) : 0;
  constexpr uint32_t least = 1000, most = 10'000'000;
  if (gamma < least || gamma > most) {
    colors.warnings.push_back(
        "chunk gAMA is invalid and ignored; without --input-transfer, the curve is taken as sRGB");
  } else if (gamma == 100'000) {
    colors.transfer = Transfer::linear;
  } else if (gamma < 45000 || gamma > 46000) {
    colors.transfer = Transfer::power;
    colors.exponent = 1e5 / double(gamma);
  }
}

// White, red, green and blue, 100,000 times. PNG specification, 11.3.2.1.
void take_chromaticities(Bytes chunk, Colors& colors) {
  if (chunk.size() != 32) {
    colors.warnings.push_back(
        "chunk cHRM is ignored: it must have 32 bytes; without --input-primaries, the primaries are taken as sRGB");
    return;
  }
  Chromaticities numbers;
  for (size_t i = 0; i < numbers.size(); ++i) numbers[(i + 6) % 8] = float(big_u32_at(chunk, 4 * i)) / 1e5f;
  if (!is_rec709(numbers)) colors.chromaticities = numbers;
}

}  // namespace

bool is_rec709(const Chromaticities& numbers) {
  return std::ranges::equal(numbers, rec709_chromaticities, [](float a, float b) { return std::abs(a - b) < 0.001f; });
}

Chromaticities chromaticities_of(const Primaries& primaries) {
  const auto& [red, green, blue, white, to_xyz] = primaries;
  return {float(red.x),  float(red.y),  float(green.x), float(green.y),
          float(blue.x), float(blue.y), float(white.x), float(white.y)};
}

std::optional<int> code_of(const Primaries& primaries) {
  for (const auto& [code, numbers] : primaries_rows) {
    const auto& [rx, ry, gx, gy, bx, by, wx, wy] = numbers;
    if (are_same(
            primaries,
            {{double(rx), double(ry)}, {double(gx), double(gy)}, {double(bx), double(by)}, {double(wx), double(wy)}}))
      return code;
  }
  return std::nullopt;
}

Colors colors_of(const ColorChunks& chunks) {
  Colors colors;
  if (chunks.code_points) {
    const std::string obstacle = take_code_points(*chunks.code_points, colors);
    if (obstacle.empty()) return colors;
    const bool has_others = chunks.profile || chunks.srgb || chunks.gamma || chunks.chromaticities;
    colors.warnings = {fmt::format("chunk cICP is ignored: {}; {}", obstacle,
                                   has_others ? "the other color chunks are taken" : taken_as_srgb)};
  }
  if (chunks.profile) {
    colors.profile = profile_in(*chunks.profile);
    const bool has_others = chunks.srgb || chunks.gamma || chunks.chromaticities;
    if (!colors.profile.empty()) {
      if (has_others)
        colors.without_profile = std::make_shared<const Colors>(
            colors_of({.gamma = chunks.gamma, .chromaticities = chunks.chromaticities, .srgb = chunks.srgb}));
      return colors;
    }
    colors.warnings.push_back(fmt::format("chunk iCCP is damaged and ignored; {}",
                                          has_others ? "the other color chunks are taken" : taken_as_srgb));
  }
  if (chunks.srgb) return colors;
  if (chunks.gamma) take_gamma(*chunks.gamma, colors);
  if (chunks.chromaticities) take_chromaticities(*chunks.chromaticities, colors);
  return colors;
}

}  // namespace gpupost
