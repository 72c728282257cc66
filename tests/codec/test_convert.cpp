#include "core/base/half.h"
#include "core/image/to_working.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

using namespace gpupost;

namespace {

template <class Number>
Picture picture_of(Size size, Depth depth, const std::vector<Number>& numbers) {
  Picture picture;
  picture.data_window = picture.display_window = window_of(size);
  Group group{.channels = {{{"R", depth}, {"G", depth}, {"B", depth}, {"A", depth}}}, .depth = depth, .is_color = true};
  TexelBuffer texels(numbers.size() * sizeof(Number));
  std::copy(numbers.begin(), numbers.end(), texels.as<Number>().begin());
  group.levels.push_back(Level{size, std::move(texels)});
  picture.groups.push_back(std::move(group));
  return picture;
}

std::vector<float> floats_of(const Picture& picture) {
  const Group& group = picture.groups[0];
  const TexelBuffer& texels = group.levels[0].texels;
  std::vector<float> floats(texels.size() / bytes_of(group.depth));
  if (group.depth == Depth::half) floats_from_halves(texels.as<uint16_t>().data(), floats.data(), floats.size());
  else std::copy_n(texels.as<float>().data(), floats.size(), floats.begin());
  return floats;
}

// What a component of a file means, in double.
double meaning(double share, double alpha, Transfer transfer, Alpha kind) {
  if (transfer == Transfer::linear) return kind == Alpha::straight ? share * alpha : share;
  if (kind == Alpha::straight || alpha <= 0) return srgb_decode(share) * (kind == Alpha::straight ? alpha : 1);
  return srgb_decode(share / alpha) * alpha;
}

// A gray of 8 bits made light, opaque.
float light_of(int number, Transfer transfer, double exponent, Depth depth) {
  const auto gray = uint8_t(number);
  Picture picture = depth == Depth::u8 ? picture_of<uint8_t>({1, 1}, depth, {gray, gray, gray, 255})
                                       : picture_of<float>({1, 1}, depth, {float(number) / 255, 0, 0, 1});
  picture.transfer = transfer;
  picture.exponent = exponent;
  make_working(picture, Depth::f32);
  return floats_of(picture)[0];
}

template <class Integer>
void check_working(Transfer transfer, Alpha kind, Depth depth, Depth storage) {
  constexpr size_t value_count = size_t(1) << 8 * sizeof(Integer);
  constexpr double most = double(value_count - 1);
  const Size size{256, int(value_count / 256) * 2};  // every value opaque, then with an alpha of its own
  std::vector<Integer> numbers;
  for (size_t i = 0; i < 2 * value_count; ++i) {
    const auto alpha = i < value_count ? Integer(-1) : Integer(i * 40503 >> 4);
    for (const size_t number : {i, i * 7, i * 13}) numbers.push_back(Integer(number));
    numbers.push_back(alpha);
  }
  Picture picture = picture_of(size, depth, numbers);
  picture.transfer = transfer;
  picture.alpha = kind;
  make_working(picture, storage);
  CHECK(picture.transfer == Transfer::linear);
  CHECK(picture.alpha == Alpha::premultiplied);
  CHECK(picture.groups[0].depth == storage);
  const std::vector<float> made = floats_of(picture);
  const double greatest = storage == Depth::half ? 65504 : 1e30;
  const double tolerance = storage == Depth::half ? 0x1.01p-11 : 0x1p-20;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double alpha = numbers[i | 3] / most;
    const double share = numbers[i] / most;
    const double expected = (i & 3) == 3 ? share : std::min(meaning(share, alpha, transfer, kind), greatest);
    CAPTURE(i);
    REQUIRE(std::abs(double(made[i]) - expected) <= expected * tolerance + 0x1p-25);
  }
}

template <class Integer>
Integer expected_integer(float share, Transfer transfer) {
  if (!(share > 0)) return 0;
  const double clamped = std::min(double(share), 1.0);
  return Integer(std::round((transfer == Transfer::srgb ? srgb_encode(clamped) : clamped) * double(Integer(-1))));
}

// Floats of every size, and those at which the encoded integer changes with their neighbors.
std::vector<float> hard_shares(int most) {
  std::vector<float> shares{0,
                            -0.0f,
                            1,
                            2,
                            -1,
                            1e-30f,
                            65504,
                            std::nextafter(1.0f, 0.0f),
                            0.0031308f,
                            0x1p-21f,
                            std::numeric_limits<float>::infinity(),
                            std::nanf("")};
  for (int integer = 1; integer <= most; ++integer) {
    for (const double share : {(integer - 0.5) / most, srgb_decode((integer - 0.5) / most)}) {
      const auto threshold = float(share);
      for (const float near : {std::nextafter(threshold, 0.0f), threshold, std::nextafter(threshold, 1.0f)})
        shares.push_back(near);
    }
  }
  while (shares.size() % 3) shares.push_back(0.5f);
  return shares;
}

template <class Integer>
void check_integers(Depth depth, Transfer transfer) {
  const std::vector<float> shares = hard_shares(Integer(-1));
  std::vector<float> texels;
  for (size_t i = 0; i < shares.size(); ++i) {
    texels.push_back(shares[i]);
    if (i % 3 == 2) texels.push_back(1);
  }
  const Picture picture = picture_of(Size{int(texels.size() / 4), 1}, Depth::f32, texels);
  TexelBuffer made;
  make_integers(picture.groups[0], picture.groups[0].levels[0], depth, transfer, made);
  for (size_t i = 0; i < texels.size(); ++i) {
    CAPTURE(texels[i]);
    const Transfer own = (i & 3) == 3 ? Transfer::linear : transfer;
    REQUIRE(made.as<Integer>()[i] == expected_integer<Integer>(texels[i], own));
  }
}

}  // namespace

TEST_CASE("sRGB is decoded and encoded as the standard says") {
  CHECK(srgb_decode(0.5) == doctest::Approx(0.21404114048223255));
  CHECK(srgb_decode(0.04) == doctest::Approx(0.04 / 12.92));
  CHECK(srgb_encode(0.18) == doctest::Approx(0.46135612950044164));
  for (int i = 0; i <= 1000; ++i)
    CHECK(srgb_encode(srgb_decode(i / 1000.0)) == doctest::Approx(i / 1000.0).epsilon(1e-6));
}

TEST_CASE("integers of a file become linear premultiplied numbers") {
  for (const Transfer transfer : {Transfer::srgb, Transfer::linear}) {
    for (const Depth storage : {Depth::half, Depth::f32}) {
      for (const Alpha alpha : {Alpha::straight, Alpha::premultiplied}) {
        check_working<uint8_t>(transfer, alpha, Depth::u8, storage);
        check_working<uint16_t>(transfer, alpha, Depth::u16, storage);
      }
    }
  }
}

TEST_CASE("premultiplied color that is alpha stays alpha, in every curve") {
  for (const Transfer transfer : {Transfer::linear, Transfer::srgb}) {
    std::vector<uint16_t> numbers;
    for (size_t i = 0; i < 65536; ++i) numbers.insert(numbers.end(), 4, uint16_t(i));
    Picture picture = picture_of(Size{256, 256}, Depth::u16, numbers);
    picture.transfer = transfer;
    picture.alpha = Alpha::premultiplied;
    make_working(picture, Depth::f32);
    const std::vector<float> made = floats_of(picture);
    size_t unlike = 0;
    for (size_t i = 0; i < made.size(); ++i) unlike += made[i] != made[i | 3];
    CHECK(unlike == 0);
  }
}

TEST_CASE("floats of a file become linear premultiplied numbers") {
  const std::vector<float> numbers{0.5f, 0.04f, 2, 1, 0.25f, 0.1f, 0.5f, 0.5f, 0.3f, 0.2f, 0.1f, 0};
  for (const Transfer transfer : {Transfer::srgb, Transfer::linear}) {
    for (const Alpha alpha : {Alpha::straight, Alpha::premultiplied}) {
      Picture picture = picture_of(Size{3, 1}, Depth::f32, numbers);
      picture.transfer = transfer;
      picture.alpha = alpha;
      make_working(picture, Depth::f32);
      const std::vector<float> made = floats_of(picture);
      for (size_t i = 0; i < numbers.size(); ++i) {
        const double expected = i % 4 == 3 ? double(numbers[i]) : meaning(numbers[i], numbers[i | 3], transfer, alpha);
        CHECK(made[i] == doctest::Approx(expected).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("a power curve goes on below 0 as a mirror image") {
  Picture picture = picture_of<float>({1, 1}, Depth::f32, {-0.5f, 0.5f, 0, 1});
  picture.transfer = Transfer::power;
  picture.exponent = 2;
  make_working(picture, Depth::f32);
  CHECK(floats_of(picture) == std::vector{-0.25f, 0.25f, 0.0f, 1.0f});
}

TEST_CASE("linear halves stay bit for bit and uint groups are left alone") {
  std::vector<uint16_t> halves(65536);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = uint16_t(i);
  Picture picture = picture_of(Size{128, 128}, Depth::half, halves);
  Group ids{.channels = {{{"id", Depth::u32}}}, .depth = Depth::u32};
  ids.levels.push_back(Level{Size{1, 1}, TexelBuffer(16)});
  ids.levels[0].texels.as<uint32_t>()[0] = 0xdeadbeef;
  picture.groups.push_back(std::move(ids));
  CHECK(make_working(picture, Depth::half) == 0);
  CHECK(std::equal(halves.begin(), halves.end(), picture.groups[0].levels[0].texels.as<uint16_t>().begin()));
  CHECK(picture.groups[1].depth == Depth::u32);
  CHECK(picture.groups[1].levels[0].texels.as<uint32_t>()[0] == 0xdeadbeef);
}

TEST_CASE("numbers beyond half's range are counted on their way to half") {
  Picture picture = picture_of(Size{1, 1}, Depth::f32, std::vector<float>{70000, -1e6f, 65504, 1});
  CHECK(make_working(picture, Depth::half) == 2);
  CHECK(floats_of(picture) == std::vector<float>{65504, -65504, 65504, 1});
}

TEST_CASE("the depth of every level changes") {
  Picture picture = picture_of(Size{1, 1}, Depth::f32, std::vector<float>{1, 2, 0.5f, 1e9f});
  Group& group = picture.groups[0];
  group.levels.push_back(Level{Size{1, 1}, TexelBuffer(16)});
  CHECK(change_depth(group, Depth::half) == 1);
  CHECK(group.levels[1].texels.size() == 8);
  CHECK(change_depth(group, Depth::f32) == 0);
  CHECK(floats_of(picture) == std::vector<float>{1, 2, 0.5f, 65504});
}

TEST_CASE("floats become integers correctly rounded") {
  for (const Transfer transfer : {Transfer::srgb, Transfer::linear}) {
    check_integers<uint8_t>(Depth::u8, transfer);
    check_integers<uint16_t>(Depth::u16, transfer);
  }
}

TEST_CASE("every half becomes the right integer, opaque or not") {
  for (const uint16_t alpha : {uint16_t(0x3c00), uint16_t(0x3800)}) {
    std::vector<uint16_t> texels;
    for (int bits = 0; bits < 65536; ++bits) {
      texels.insert(texels.end(), 3, uint16_t(bits));
      texels.push_back(alpha);
    }
    const Picture picture = picture_of(Size{256, 256}, Depth::half, texels);
    TexelBuffer bytes;
    TexelBuffer words;
    make_integers(picture.groups[0], picture.groups[0].levels[0], Depth::u8, Transfer::srgb, bytes);
    make_integers(picture.groups[0], picture.groups[0].levels[0], Depth::u16, Transfer::srgb, words);
    for (size_t bits = 0; bits < 65536; ++bits) {
      const float straight = float_from_half(uint16_t(bits)) / float_from_half(alpha);
      CAPTURE(bits);
      REQUIRE(bytes.as<uint8_t>()[4 * bits] == expected_integer<uint8_t>(straight, Transfer::srgb));
      REQUIRE(words.as<uint16_t>()[4 * bits + 1] == expected_integer<uint16_t>(straight, Transfer::srgb));
      REQUIRE(bytes.as<uint8_t>()[4 * bits + 3] == (alpha == 0x3c00 ? 255 : 128));
    }
  }
}

TEST_CASE("what is clipped is counted, in the file's own channels") {
  const float nan = std::nanf("");
  const std::vector<float> texels{2, -1, nan, 1, 0.3f, 0.1f, 0.2f, 0.25f, 4, 1, 0.5f, 0};
  for (const Depth depth : {Depth::f32, Depth::half}) {
    Picture picture = picture_of(Size{3, 1}, Depth::f32, texels);
    change_depth(picture.groups[0], depth);
    TexelBuffer made;
    const Clipped clipped =
        make_integers(picture.groups[0], picture.groups[0].levels[0], Depth::u8, Transfer::linear, made);
    CHECK(clipped.above == 3);  // 2; 0.3 over its alpha of 0.25; 4 where alpha is 0
    CHECK(clipped.below == 1);
    CHECK(clipped.nan == 1);
    CHECK(clipped.total == 12);
    CHECK(made.as<uint8_t>()[2] == 0);
  }
  Picture gray = picture_of(Size{1, 1}, Depth::f32, std::vector<float>{2, 2, 2, 1});
  gray.groups[0].is_luminance = true;
  gray.groups[0].channels = {{{"Y", Depth::f32}}};
  TexelBuffer made;
  const Clipped clipped = make_integers(gray.groups[0], gray.groups[0].levels[0], Depth::u8, Transfer::srgb, made);
  CHECK(clipped.above == 1);
  CHECK(clipped.total == 1);
}

TEST_CASE("light where alpha is 0 is counted if an integer holds it") {
  const auto count = [](std::vector<float> texels, Depth depth, Transfer transfer, Dither dither = Dither::none) {
    Picture picture = picture_of(Size{int(texels.size() / 4), 1}, Depth::f32, texels);
    change_depth(picture.groups[0], Depth::half);
    TexelBuffer made;
    const Clipped clipped =
        make_integers(picture.groups[0], picture.groups[0].levels[0], depth, transfer, made, dither);
    CHECK(clipped.texel_count == texels.size() / 4);
    size_t expected = 0;  // from the definition: alpha 0, and an integer of color that is not 0
    for (size_t i = 0; i < texels.size() && dither == Dither::none; i += 4)
      for (size_t c = 0; c < 3; ++c) {
        const bool is_lit = depth == Depth::u8 ? made.as<uint8_t>()[i + c] != 0 : made.as<uint16_t>()[i + c] != 0;
        if (texels[i + 3] != 0 || !is_lit) continue;
        ++expected;
        break;
      }
    if (dither == Dither::none) CHECK(clipped.unseen == expected);
    return clipped.unseen;
  };
  const std::vector<float> texels{
      0,     0, 1,  0, 0, 0.001f, 0, 0, 0, 0,  0, 0, 0.5f, 0.5f,  0.5f,          1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0,
      1e-4f, 0, -1, 0, 0, 0,      1, 0, 0, -1, 1, 0, 0,    0.01f, std::nanf(""), 0, 0, 0};
  CHECK(count(texels, Depth::u8, Transfer::srgb) == 3);
  CHECK(count(texels, Depth::u8, Transfer::srgb, Dither::ordered) == 3);
  CHECK(count(texels, Depth::u8, Transfer::linear) == 2);  // 0.001 of 255 is 0
  CHECK(count(texels, Depth::u16, Transfer::srgb) == 4);
  CHECK(count(texels, Depth::u16, Transfer::linear) == 4);
  CHECK(count(texels, Depth::u16, Transfer::pq) > 2);
  CHECK(count(texels, Depth::u16, Transfer::hlg) > 2);
  CHECK(count({1, 1, 1, 1, 0.5f, 0, 0, 1}, Depth::u8, Transfer::srgb) == 0);
}

TEST_CASE("straight alpha that is 0 everywhere hides all color") {
  const auto is_hidden = [](const std::vector<float>& texels, Alpha alpha) {
    Picture picture = picture_of(Size{int(texels.size() / 4), 1}, Depth::f32, texels);
    picture.alpha = alpha;
    return is_all_hidden(picture);
  };
  CHECK(is_hidden({0, 0, 0, 0, 0, 1, 0, 0}, Alpha::straight));
  CHECK_FALSE(is_hidden({0, 0, 0, 0, 0, 1, 0, 0}, Alpha::premultiplied));
  CHECK_FALSE(is_hidden({0, 0, 0, 0, 0, 1, 0, 0.1f}, Alpha::straight));
  CHECK_FALSE(is_hidden({0, 0, 0, 0, 0, 0, 0, 0}, Alpha::straight));
}

TEST_CASE("a texel without alpha keeps its color undivided") {
  const Picture picture = picture_of(Size{1, 1}, Depth::f32, std::vector<float>{0.5f, 0.25f, 1, 0});
  TexelBuffer made;
  make_integers(picture.groups[0], picture.groups[0].levels[0], Depth::u8, Transfer::linear, made);
  CHECK(made.as<uint8_t>()[0] == 128);
  CHECK(made.as<uint8_t>()[1] == 64);
  CHECK(made.as<uint8_t>()[2] == 255);
  CHECK(made.as<uint8_t>()[3] == 0);
}

TEST_CASE("a picture without alpha is not divided by what stands in its place") {
  for (const Depth depth : {Depth::f32, Depth::half}) {
    Picture picture = picture_of(Size{1, 1}, Depth::f32, std::vector<float>{0.5f, 0.25f, 1, 0.25f});
    change_depth(picture.groups[0], depth);
    picture.groups[0].channels[3].name.clear();
    TexelBuffer made;
    make_integers(picture.groups[0], picture.groups[0].levels[0], Depth::u8, Transfer::linear, made);
    CHECK(made.as<uint8_t>()[0] == 128);
    CHECK(made.as<uint8_t>()[1] == 64);
  }
}

TEST_CASE("8 bit pictures come back as they went") {
  for (const Depth storage : {Depth::half, Depth::f32}) {
    std::vector<uint8_t> numbers;
    for (int i = 0; i < 256; ++i)
      for (const int number : {i, 255 - i, i * 7 & 255, 255}) numbers.push_back(uint8_t(number));
    Picture picture = picture_of(Size{16, 16}, Depth::u8, numbers);
    picture.transfer = Transfer::srgb;
    picture.alpha = Alpha::straight;
    make_working(picture, storage);
    TexelBuffer made;
    make_integers(picture.groups[0], picture.groups[0].levels[0], Depth::u8, Transfer::srgb, made);
    CHECK(std::equal(numbers.begin(), numbers.end(), made.as<uint8_t>().begin()));
  }
}

TEST_CASE("ordered dither adds each of 64 numbers between 0 and 1 once to every 8 x 8 texels") {
  for (const int first : {0, 5}) {
    std::set<double> thresholds;
    for (int y = first; y < first + 8; ++y)
      for (int x = first; x < first + 8; ++x) thresholds.insert(ordered_threshold(x, y));
    REQUIRE(thresholds.size() == 64);
    int rank = 0;
    for (const double threshold : thresholds) CHECK(threshold == (rank++ + 0.5) / 64);
  }
}

TEST_CASE("dithered, a flat gray of 16 bits keeps its mean over 8 x 8 texels, and stays gray") {
  for (const Transfer transfer : {Transfer::srgb, Transfer::linear})
    for (int gray = 0; gray < 65536; gray += 13) {
      const double number = gray / 257.0;  // of 255
      const auto share = float(transfer == Transfer::srgb ? srgb_decode(gray / 65535.0) : gray / 65535.0);
      std::vector<float> texels;
      for (int i = 0; i < 64; ++i) texels.insert(texels.end(), {share, share, share, 0.301f});
      Picture picture = picture_of(Size{8, 8}, Depth::f32, texels);
      picture.groups[0].is_data = true;  // its alpha is no part of it
      TexelBuffer made;
      make_integers(picture.groups[0], picture.groups[0].levels[0], Depth::u8, transfer, made, Dither::ordered);
      const std::span<const uint8_t> bytes = made.as<uint8_t>();
      double sum = 0;
      CAPTURE(gray);
      for (size_t i = 0; i < 64; ++i) {
        sum += bytes[4 * i];
        REQUIRE(std::abs(bytes[4 * i] - number) < 1);
        REQUIRE((bytes[4 * i + 1] == bytes[4 * i] && bytes[4 * i + 2] == bytes[4 * i]));
        REQUIRE(bytes[4 * i + 3] == 77);
      }
      REQUIRE(std::abs(sum / 64 - number) < 1.0 / 128 + 1e-4);
    }
}

TEST_CASE("dithered, a flat gray of halves keeps its mean as far as a half can tell it") {
  for (const bool has_alpha : {false, true})
    for (int bits = 0; bits <= 0x3c00; bits += 7) {
      const double share = double(float_from_half(uint16_t(bits))), number = 255 * srgb_encode(share);
      std::vector<uint16_t> texels;
      for (int i = 0; i < 64; ++i) texels.insert(texels.end(), {uint16_t(bits), 0, 0, uint16_t(i ? 0x3c00 : 0)});
      Picture picture = picture_of(Size{8, 8}, Depth::half, texels);
      if (!has_alpha) picture.groups[0].channels[3].name.clear();
      TexelBuffer made;
      make_integers(picture.groups[0], picture.groups[0].levels[0], Depth::u8, Transfer::srgb, made, Dither::ordered);
      double sum = 0;
      for (size_t i = 0; i < 64; ++i) sum += made.as<uint8_t>()[4 * i];
      const double doubt = number - 255 * srgb_encode(share * (1 - 0x1p-10));
      CAPTURE(bits);
      REQUIRE(std::abs(sum / 64 - number) < 1.0 / 128 + doubt + 1e-6);
    }
}

TEST_CASE("dithered, what 8 bits hold already comes back as it went, whatever it was stored as") {
  for (const Depth storage : {Depth::half, Depth::f32})
    for (const Transfer transfer : {Transfer::srgb, Transfer::linear})
      for (const uint8_t alpha : {255, 128, 77}) {
        std::vector<uint8_t> numbers;
        for (int i = 0; i < 64 * 256; ++i)
          numbers.insert(numbers.end(), {uint8_t(i / 64), uint8_t(255 - i / 64), uint8_t(i), alpha});
        Picture picture = picture_of(Size{128, 128}, Depth::u8, numbers);
        picture.transfer = transfer;
        picture.alpha = Alpha::straight;
        make_working(picture, storage);
        TexelBuffer made;
        make_integers(picture.groups[0], picture.groups[0].levels[0], Depth::u8, transfer, made, Dither::ordered);
        CHECK(std::equal(numbers.begin(), numbers.end(), made.as<uint8_t>().begin()));
      }
}

TEST_CASE("what is clipped is counted and clipped where it is dithered too, and 16 bits are not") {
  const std::vector<float> texels{2, -1, std::nanf(""), 1, 0.3f, 0.1f, 0.2f, 0.25f};
  const Picture picture = picture_of(Size{2, 1}, Depth::f32, texels);
  TexelBuffer made, words, dithered_words;
  const Clipped clipped =
      make_integers(picture.groups[0], picture.groups[0].levels[0], Depth::u8, Transfer::linear, made, Dither::ordered);
  CHECK(clipped.above == 2);
  CHECK(clipped.below == 1);
  CHECK(clipped.nan == 1);
  CHECK(made.as<uint8_t>()[0] == 255);
  CHECK(made.as<uint8_t>()[1] == 0);
  CHECK(made.as<uint8_t>()[2] == 0);
  for (const auto& [memory, dither] : {std::pair(&words, Dither::none), std::pair(&dithered_words, Dither::ordered)})
    make_integers(picture.groups[0], picture.groups[0].levels[0], Depth::u16, Transfer::srgb, *memory, dither);
  CHECK(words.as<uint64_t>()[0] == dithered_words.as<uint64_t>()[0]);
}

TEST_CASE("curves that files have and that are not written: a power, and that of Rec. 709") {
  for (const Depth depth : {Depth::u8, Depth::f32})
    for (int number = 0; number < 256; ++number) {
      const double share = number / 255.0;
      CHECK(light_of(number, Transfer::power, 2.5, depth) == doctest::Approx(std::pow(share, 2.5)).epsilon(1e-6));
      const double light = share < 0.081 ? share / 4.5 : std::pow((share + 0.099) / 1.099, 1 / 0.45);
      CHECK(light_of(number, Transfer::bt709, 1, depth) == doctest::Approx(light).epsilon(1e-6));
    }
  CHECK(bt709_decode(0.5) == doctest::Approx(0.2596).epsilon(1e-3));  // by hand
}

TEST_CASE("alpha is 1 in opaque images of integers, whatever light the curve gives the largest one") {
  for (const Transfer transfer : {Transfer::linear, Transfer::srgb, Transfer::bt709, Transfer::pq, Transfer::hlg})
    for (const Depth storage : {Depth::half, Depth::f32}) {
      Picture eight = picture_of<uint8_t>({2, 1}, Depth::u8, {148, 0, 255, 255, 20, 30, 40, 255});
      Picture sixteen = picture_of<uint16_t>({2, 1}, Depth::u16, {38036, 0, 65535, 65535, 5140, 7710, 10280, 65535});
      for (Picture* picture : {&eight, &sixteen}) {
        picture->transfer = transfer;
        picture->alpha = Alpha::straight;
        make_working(*picture, storage);
        const std::vector<float> numbers = floats_of(*picture);
        CHECK(numbers[3] == 1);
        CHECK(numbers[7] == 1);
        CHECK(numbers[2] == doctest::Approx(largest_light(transfer)).epsilon(1e-3));
      }
    }
}

TEST_CASE("PQ and HLG keep NaN, and PQ is infinite from its pole on") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const auto decode : {pq_decode, hlg_decode}) {
    CHECK(std::isnan(decode(nan)));
    CHECK(decode(infinity) == infinity);
    CHECK(decode(-infinity) == 0);
    CHECK(decode(-1) == 0);
  }
  CHECK(std::isfinite(pq_decode(1.98)));
  for (const double beyond : {2.0, 10.0, 1e300}) CHECK(pq_decode(beyond) == infinity);
  Picture clear = noise_of_channels("RGBA", Depth::f32, Transfer::pq, {1, 1});
  clear.alpha = Alpha::straight;
  const std::span<float> texel = clear.groups[0].levels[0].texels.as<float>();
  std::ranges::copy(std::array{2.0f, 2.0f, 2.0f, 0.0f}, texel.begin());
  make_working(clear, Depth::f32);
  for (const float number : clear.groups[0].levels[0].texels.as<float>()) CHECK(number == 0);
}
