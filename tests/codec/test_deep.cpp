// Deep EXR files, flattened: against the definition in "Interpreting OpenEXR Deep Pixels".
#include "tests/codec/make_files.h"

#include "core/base/half.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace gpupost;

namespace {

constexpr size_t value_count = 6;  // A B G R glow.B glow.R

struct Sample {
  double front = 0, back = 0;
  std::array<double, value_count> values = {};
  uint32_t id = 0;

  double alpha() const { return values[0]; }
  bool is_volume() const { return back > front; }
};
using Texel = std::vector<Sample>;

// The part of a volume with `share` of its length.
Sample piece_of(const Sample& sample, double share, double front, double back) {
  Sample piece = sample;
  piece.front = front;
  piece.back = back;
  const double alpha = 1 - std::pow(1 - sample.alpha(), share);
  for (double& value : piece.values) value *= sample.alpha() > 0 ? alpha / sample.alpha() : share;
  return piece;
}

// Splits a volume in which another sample begins or ends. Returns whether it found one.
bool split_one(Texel& texel) {
  for (const Sample& other : texel)
    for (const double depth : {other.front, other.back})
      for (size_t i = 0; i < texel.size(); ++i) {
        const Sample sample = texel[i];
        if (!sample.is_volume() || depth <= sample.front || depth >= sample.back) continue;
        const double share = (depth - sample.front) / (sample.back - sample.front);
        texel[i] = piece_of(sample, share, sample.front, depth);
        texel.push_back(piece_of(sample, 1 - share, depth, sample.back));
        return true;
      }
  return false;
}

Sample merged(const Sample& one, const Sample& other) {
  Sample made = one;
  const auto u = [](double alpha) { return alpha > 0 ? -std::log(1 - alpha) : 0; };
  const auto v = [&](double alpha) { return alpha > 0 ? u(alpha) / alpha : 1; };
  const double a = one.alpha(), b = other.alpha(), alpha = 1 - (1 - a) * (1 - b);
  for (size_t i = 0; i < value_count; ++i) {
    const double c = one.values[i], d = other.values[i];
    if (a == 1 && b == 1) made.values[i] = (c + d) / 2;
    else if (a == 1) made.values[i] = c;
    else if (b == 1) made.values[i] = d;
    else made.values[i] = (u(a) + u(b) != 0 ? alpha / (u(a) + u(b)) : 1) * (c * v(a) + d * v(b));
  }
  return made;
}

bool merge_one(Texel& texel) {
  for (size_t i = 0; i < texel.size(); ++i)
    for (size_t j = i + 1; j < texel.size(); ++j) {
      if (texel[i].front != texel[j].front || texel[i].back != texel[j].back) continue;
      texel[i] = merged(texel[i], texel[j]);
      texel.erase(texel.begin() + ptrdiff_t(j));
      return true;
    }
  return false;
}

bool is_before(const Sample& a, const Sample& b) { return a.front != b.front ? a.front < b.front : a.back < b.back; }

std::array<double, value_count> flattened(Texel texel) {
  while (split_one(texel)) {
  }
  while (merge_one(texel)) {
  }
  std::ranges::sort(texel, is_before);
  std::array<double, value_count> sum = {};
  for (const Sample& sample : texel) {
    const double passed = 1 - sum[0];
    for (size_t i = 0; i < value_count; ++i) sum[i] += passed * sample.values[i];
  }
  return sum;
}

// Depth and id of the first sample that is not transparent.
std::pair<double, uint32_t> nearest(Texel texel) {
  std::ranges::stable_sort(texel, is_before);
  const auto first = std::ranges::find_if(texel, [](const Sample& sample) { return sample.alpha() > 0; });
  return first == texel.end() ? std::pair(0.0, 0u) : std::pair(first->front, first->id);
}

// Samples that coincide, overlap, hide each other or are transparent.
std::vector<Texel> random_texels(size_t count, unsigned seed, bool has_volumes) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return random() % n; };
  std::vector<Texel> texels(count);
  uint32_t id = 0;
  for (Texel& texel : texels)
    for (unsigned sample_count = below(7); texel.size() < sample_count;) {
      Sample& sample = texel.emplace_back();
      sample.front = sample.back = 1 + below(6) * 0.5;
      if (has_volumes && below(2) == 0) sample.back += (1 + below(4)) * 0.5;
      constexpr double alphas[] = {0, 0.125, 0.5, 0.75, 0.9375};
      sample.values[0] = alphas[below(5)];
      if (below(8) == 0) {
        sample.values[0] = 1;
        sample.front += double(texel.size()) / 128;  // opaque samples do not coincide
        sample.back = std::max(sample.back, sample.front);
      }
      for (size_t i = 1; i < value_count; ++i) sample.values[i] = below(256) / 128.0;
      sample.id = ++id;
    }
  return texels;
}

DeepRecipe recipe_of(const std::vector<Texel>& texels, int width, int height, bool has_volumes) {
  const auto at = [=](int x, int y) -> const Texel& { return texels[size_t(y) * size_t(width) + size_t(x)]; };
  DeepRecipe recipe{.width = width,
                    .height = height,
                    .channels = {{"A", Depth::f32},
                                 {"B", Depth::f32},
                                 {"G", Depth::half},
                                 {"R", Depth::half},
                                 {"Z", Depth::f32},
                                 {"ZBack", Depth::half},
                                 {"glow.B", Depth::half},
                                 {"glow.R", Depth::half},
                                 {"id", Depth::u32}},
                    .count = [=](int x, int y) { return unsigned(at(x, y).size()); },
                    .value = [=](size_t channel, int x, int y, unsigned i) -> double {
                      const Sample& sample = at(x, y)[i];
                      switch (channel) {
                        case 4: return sample.front;
                        case 5: return sample.back;
                        case 6: return sample.values[4];
                        case 7: return sample.values[5];
                        case 8: return sample.id;
                        default: return sample.values[channel];
                      }
                    }};
  if (!has_volumes) {
    recipe.channels.erase(recipe.channels.begin() + 5);
    const auto value = recipe.value;
    recipe.value = [=](size_t channel, int x, int y, unsigned i) { return value(channel + (channel >= 5), x, y, i); };
  }
  return recipe;
}

// The value of a channel at a texel.
double value_in(const Picture& picture, std::string_view name, size_t index) {
  for (const Group& group : picture.groups)
    for (size_t c = 0; c < 4; ++c) {
      if (group.channels[c].name != name) continue;
      const TexelBuffer& texels = group.levels[0].texels;
      if (group.depth == Depth::half) return double(float_from_half(texels.as<uint16_t>()[4 * index + c]));
      if (group.depth == Depth::u32) return texels.as<uint32_t>()[4 * index + c];
      return double(texels.as<float>()[4 * index + c]);
    }
  FAIL("no channel ", name);
  return 0;
}

void check_flat(const Picture& picture, const std::vector<Texel>& texels) {
  REQUIRE(texel_count(picture.size()) == texels.size());
  constexpr const char* names[] = {"A", "B", "G", "R", "glow.B", "glow.R"};
  for (size_t index = 0; index < texels.size(); ++index) {
    const auto expected = flattened(texels[index]);
    CAPTURE(index);
    for (size_t i = 0; i < value_count; ++i) {
      const double tolerance = (i < 2 ? 1e-6 : 1e-3) * std::max(1.0, expected[i]);
      CHECK(std::abs(value_in(picture, names[i], index) - expected[i]) <= tolerance);
    }
    CHECK(value_in(picture, "Z", index) == doctest::Approx(nearest(texels[index]).first));
    CHECK(value_in(picture, "id", index) == nearest(texels[index]).second);
  }
}

constexpr DecodeOptions flattening{.flattens = true};

}  // namespace

TEST_CASE("deep samples are composited front to back, volumes too, in lines and tiles of every compression") {
  constexpr int width = 21, height = 19;
  for (const Imf::Compression compression : {Imf::NO_COMPRESSION, Imf::RLE_COMPRESSION, Imf::ZIPS_COMPRESSION})
    for (const int tile_side : {0, 8})
      for (const bool has_volumes : {false, true}) {
        CAPTURE(int(compression));
        CAPTURE(tile_side);
        CAPTURE(has_volumes);
        const auto texels = random_texels(width * height, unsigned(tile_side) + has_volumes, has_volumes);
        DeepRecipe recipe = recipe_of(texels, width, height, has_volumes);
        recipe.min_x = -5;
        recipe.min_y = 11;
        recipe.compression = compression;
        recipe.tile_side = tile_side;
        const Decoded decoded = decode_bytes(make_deep_exr(recipe), flattening);
        CHECK(decoded.picture.data_window == Window{-5, 11, width - 6, height + 10});
        CHECK(decoded.warnings.empty());
        check_flat(decoded.picture, texels);
      }
}

TEST_CASE("a texel of many samples that do not compress is flattened") {
  std::mt19937 random(7);
  Texel texel(20000);
  for (size_t i = 0; i < texel.size(); ++i)
    texel[i] = {.front = double(i), .back = double(i), .values = {1e-4, double(random() % 1000) * 1e-7}, .id = 1};
  std::ranges::shuffle(texel, random);
  for (const Imf::Compression compression : {Imf::NO_COMPRESSION, Imf::RLE_COMPRESSION, Imf::ZIPS_COMPRESSION}) {
    DeepRecipe recipe = recipe_of({{}, texel, {}}, 3, 1, false);
    recipe.compression = compression;
    const Decoded decoded = decode_bytes(make_deep_exr(recipe), flattening);
    CHECK(value_in(decoded.picture, "A", 1) == doctest::Approx(1 - std::pow(1 - 1e-4, 20000)).epsilon(1e-5));
    CHECK(value_in(decoded.picture, "A", 0) == 0);
    CHECK(value_in(decoded.picture, "A", 2) == 0);
  }
}

TEST_CASE("every level of deep tiles is flattened") {
  const auto texels = random_texels(16 * 16, 3, true);
  DeepRecipe recipe = recipe_of(texels, 16, 16, true);
  recipe.tile_side = 8;
  recipe.level_mode = Imf::MIPMAP_LEVELS;
  const File file = make_deep_exr(recipe);
  DecodeOptions options = flattening;
  options.level = 1;
  std::vector<Texel> half_size;
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) half_size.push_back(texels[size_t(y * 16 + x)]);
  check_flat(decode_bytes(file, options).picture, half_size);
}

TEST_CASE("samples without alpha are opaque, and depths and alpha that are no numbers do no harm") {
  const double nan = std::nan(""), infinity = INFINITY;
  const auto value_of = [&](std::vector<std::array<double, 3>> samples, const char* name) {
    DeepRecipe recipe{.width = 1, .height = 1, .channels = {{"A", Depth::f32}, {"R", Depth::f32}, {"Z", Depth::f32}}};
    recipe.count = [=](int, int) { return unsigned(samples.size()); };
    recipe.value = [=](size_t channel, int, int, unsigned i) { return samples[i][channel]; };
    return value_in(decode_bytes(make_deep_exr(recipe), flattening).picture, name, 0);
  };
  CHECK(value_of({{0.5, 1, nan}, {0.5, 2, 3}, {0.5, 4, infinity}}, "R") ==
        doctest::Approx(3.875));                             // 2 + 0.375 * (4 + 1)
  CHECK(value_of({{1, infinity, 9}, {1, 2, 3}}, "R") == 2);  // hidden
  CHECK(value_of({{2, 1, 1}, {1, 2, 3}}, "R") == 1);
  CHECK(value_of({{0, 1, 1}, {1, 2, 3}}, "Z") == 3);
  CHECK(std::isnan(value_of({{nan, 1, 1}, {1, 2, 3}}, "A")));
  CHECK(value_of({{nan, 1, 1}, {1, 2, 3}}, "R") == 3);
  DeepRecipe recipe{.width = 1, .height = 1, .channels = {{"R", Depth::f32}, {"Z", Depth::f32}}};
  recipe.count = [](int, int) { return 3u; };
  recipe.value = [](size_t channel, int, int, unsigned i) { return channel == 0 ? i + 1.0 : 5.0 - i; };
  CHECK(value_in(decode_bytes(make_deep_exr(recipe), flattening).picture, "R", 0) == 3);
}

TEST_CASE("deep data without --flatten, or that cannot be flattened, is refused with what to do") {
  CHECK(refusal_of(make_exr_of_deep_tiles(9, 9)) == "2 file: holds deep data; give --flatten to composite its samples");
  const auto refused = [](std::vector<Channel> channels) {
    DeepRecipe recipe{.width = 2, .height = 2, .channels = std::move(channels)};
    recipe.count = [](int, int) { return 1u; };
    recipe.value = [](size_t, int, int, unsigned) { return 1.0; };
    return refusal_of(make_deep_exr(recipe), flattening);
  };
  CHECK(refused({{"A", Depth::half}, {"R", Depth::half}}) ==
        "2 file: its deep data has no channel Z, so its samples have no order and cannot be flattened");
  CHECK(refused({{"R", Depth::half}, {"Z", Depth::u32}}) ==
        "2 file: its deep data has channel Z of type uint; expected half or float");
  CHECK(refused({{"AR", Depth::half}, {"R", Depth::half}, {"Z", Depth::half}}) ==
        "2 file: its deep data has alpha for each color (channel AR), which is not supported");
}

TEST_CASE("damaged sample counts of deep data are refused") {
  DeepRecipe recipe = recipe_of(random_texels(12, 5, false), 4, 3, false);
  recipe.compression = Imf::NO_COMPRESSION;
  const File file = make_deep_exr(recipe);
  size_t table_at = 8;  // the chunk table, behind the header
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  table_at = text.find("screenWindowWidth");
  for (const auto& attribute : {"screenWindowWidth", "type", "version"})
    table_at = std::max(table_at, text.find(std::string(attribute) + '\0'));
  while (std::to_integer<int>(file[table_at]) != 0) {  // names and types of the last attributes
    table_at = text.find('\0', table_at) + 1;
    table_at = text.find('\0', table_at) + 1;
    uint32_t bytes = 0;
    std::memcpy(&bytes, &file[table_at], 4);
    table_at += 4 + bytes;
  }
  ++table_at;
  uint64_t chunk = 0;
  std::memcpy(&chunk, &file[table_at], 8);
  const auto with = [&](size_t at, auto number) {
    File changed = file;
    std::memcpy(&changed[at], &number, sizeof number);
    return refusal_of(changed, flattening);
  };
  REQUIRE(refusal_of(file, flattening) == "");
  const std::string damaged = "2 file: is damaged: chunk 1 and the chunks after it cannot be decoded";
  CHECK(with(size_t(chunk) + 28, uint32_t(0x7fffffff)) == damaged);       // the first count
  CHECK(with(size_t(chunk) + 28 + 12, uint32_t(0xffffffff)) == damaged);  // the last sum of the line
  CHECK(with(size_t(chunk) + 20, uint64_t(1) << 62) == damaged);          // the unpacked size
  CHECK(with(size_t(chunk) + 4, uint64_t(12)) == damaged);                // the size of the counts
  CHECK(with(size_t(chunk) + 12, uint64_t(1) << 40).find("cut off") != std::string::npos);
}

TEST_CASE("a deep file with random changes is refused or flattened, and nothing crashes") {
  for (const Imf::Compression compression : {Imf::NO_COMPRESSION, Imf::RLE_COMPRESSION, Imf::ZIPS_COMPRESSION})
    for (const int tile_side : {0, 4}) {
      DeepRecipe recipe = recipe_of(random_texels(81, 5, true), 9, 9, true);
      recipe.compression = compression;
      recipe.tile_side = tile_side;
      const File file = make_deep_exr(recipe);
      for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        File changed = file;
        for (int change = 0; change < 3; ++change) changed[random() % changed.size()] = std::byte(random());
        const std::string refusal = refusal_of(changed, flattening);
        CHECK_MESSAGE(refusal.find("crashed") == std::string::npos, refusal);
        CHECK_MESSAGE((refusal.empty() || refusal.starts_with("2 ")), refusal);
      }
    }
}
