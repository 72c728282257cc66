// KTX2 and DDS files as they are read: those that gpupost writes, whose bytes test_texture_write.cpp holds against other readers,
// and small ones made here field by field.
#include "core/base/half.h"
#include "tests/codec/make_files.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cstring>
#include <numeric>

using namespace gpupost;

namespace {

constexpr Size stored_size{13, 6};

Picture noise_picture(const std::string& names, Depth depth, Transfer transfer, uint32_t seed = 0,
                      Size size = stored_size) {
  return noise_of_channels(names, depth, transfer, size, seed);
}

File encoded_file(const char* format, std::span<const Picture> pictures, Arrangement arrangement, Transfer transfer) {
  std::vector<Source> sources;
  for (const Picture& picture : pictures) sources.push_back({.picture = &picture});
  const Encoded encoded = encode(*format_named(format), sources, arrangement,
                                 {.depth = pictures.front().groups[0].depth, .mipmapped = true, .transfer = transfer});
  return {encoded.bytes.bytes().begin(), encoded.bytes.bytes().end()};
}

File encoded_file(const char* format, const Picture& picture) {
  return encoded_file(format, {&picture, 1}, Arrangement::single, picture.transfer);
}

std::string channel_names(const Picture& picture) {
  std::string names;
  for (const Channel& channel : picture.groups[0].channels) names += channel.name;
  return names;
}

bool is_same_level(const Picture& seen, const Picture& expected, int level) {
  const TexelBuffer& a = seen.groups[0].levels[0].texels;
  const TexelBuffer& b = expected.groups[0].levels[size_t(level)].texels;
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

struct Texels {
  const char* names;
  Depth depth;
  Transfer transfer;
  const char* in_ktx2;  // channels as read; "" where the format has no such texels
  const char* in_dds;
};

const Texels all_texels[] = {
    {"RGBA", Depth::u8, Transfer::srgb, "RGBA", "RGBA"},
    {"RGBA", Depth::u8, Transfer::linear, "RGBA", "RGBA"},
    {"RGB", Depth::u8, Transfer::srgb, "RGB", "RGB"},
    {"Y", Depth::u8, Transfer::srgb, "Y", ""},
    {"Y", Depth::u8, Transfer::linear, "Y", "Y"},
    {"RG", Depth::u8, Transfer::linear, "RG", "RG"},
    {"RGBA", Depth::u16, Transfer::linear, "RGBA", "RGBA"},
    {"Y", Depth::u16, Transfer::linear, "Y", "Y"},
    {"RGBA", Depth::half, Transfer::linear, "RGBA", "RGBA"},
    {"RGB", Depth::half, Transfer::linear, "RGB", "RGB"},
    {"RG", Depth::half, Transfer::linear, "RG", "RG"},
    {"RGBA", Depth::f32, Transfer::linear, "RGBA", "RGBA"},
    {"Y", Depth::f32, Transfer::linear, "Y", "Y"},
};

void patch(File& file, size_t at, uint32_t number) { std::memcpy(&file[at], &number, sizeof number); }

// A DDS file without the DX10 header: `format` are the fields of its pixel format behind the size.
File old_dds(const std::array<uint32_t, 7>& format, const std::string& texels, Size of = {2, 1}) {
  File file(128);
  std::memcpy(file.data(), "DDS ", 4);
  patch(file, 4, 124);
  patch(file, 12, uint32_t(of.height));
  patch(file, 16, uint32_t(of.width));
  patch(file, 76, 32);
  for (size_t i = 0; i < format.size(); ++i) patch(file, 80 + 4 * i, format[i]);
  const File more = file_of(texels);
  file.insert(file.end(), more.begin(), more.end());
  return file;
}

std::vector<int> bytes_of_texels(const Decoded& decoded) {
  const auto bytes = decoded.picture.groups[0].levels[0].texels.as<uint8_t>();
  return {bytes.begin(), bytes.end()};
}

constexpr uint32_t rgb = 0x40, rgba = 0x41, luminance = 0x20000, luminance_alpha = 0x20001, four_cc = 4;

}  // namespace

TEST_CASE("KTX2 and DDS files are read as they were written: texels of every level, channels, curve and alpha") {
  for (const Texels& kind : all_texels)
    for (const char* format : {"ktx2", "dds"}) {
      const std::string names = std::string(format) == "dds" ? kind.in_dds : kind.in_ktx2;
      if (names.empty()) continue;
      CAPTURE(format);
      CAPTURE(kind.names);
      CAPTURE(int(kind.depth));
      const Picture picture = noise_picture(kind.names, kind.depth, kind.transfer);
      const File file = encoded_file(format, picture);
      const int level_count = level_count_of(stored_size);
      for (int level = 0; level < level_count; ++level) {
        const Decoded decoded = decode_bytes(file, {.level = level});
        CHECK(decoded.warnings.empty());
        CHECK(decoded.parts.size() == 1);
        CHECK(decoded.picture.format == format);
        CHECK(decoded.picture.size() == level_size(stored_size, level));
        CHECK(decoded.picture.file_level_count == level_count);
        CHECK(decoded.picture.transfer == kind.transfer);
        CHECK(decoded.picture.groups[0].depth == kind.depth);
        CHECK(decoded.picture.groups[0].is_luminance == names.starts_with("Y"));
        CHECK(channel_names(decoded.picture) == names);
        CHECK(is_same_level(decoded.picture, picture, level));
        if (std::string_view(kind.names).ends_with('A')) CHECK(decoded.picture.alpha == picture.alpha);
      }
      CHECK(refusal_of(file, {.level = level_count}) ==
            fmt::format("2 file: has no level {}; expected --level 0 to {}", level_count, level_count - 1));
      for (const size_t bytes : {size_t(40), size_t(127), size_t(140), file.size() - 1})
        CHECK(refusal_of(File(file.begin(), file.begin() + ptrdiff_t(bytes))).starts_with("2 file: is cut off: "));
    }
}

TEST_CASE("layers and faces of a texture are parts") {
  std::vector<Picture> six;
  for (uint32_t i = 0; i < 6; ++i) six.push_back(noise_picture("RGBA", Depth::half, Transfer::linear, 50 * i, {8, 8}));
  const char* faces[] = {"+X", "-X", "+Y", "-Y", "+Z", "-Z"};
  for (const char* format : {"ktx2", "dds"})
    for (const Arrangement arrangement : {Arrangement::cube, Arrangement::array}) {
      const File file = encoded_file(format, six, arrangement, Transfer::linear);
      const Decoded first = decode_bytes(file);
      REQUIRE(first.parts.size() == 6);
      CHECK(first.warnings == std::vector<std::string>{"has 6 parts; only part 0 was read (--part reads another)"});
      CHECK(is_same_level(first.picture, six[0], 0));
      const bool is_cube = arrangement == Arrangement::cube;
      for (size_t part = 0; part < 6; ++part) {
        CHECK(first.parts[part].name == (is_cube ? faces[part] : ""));
        const Decoded by_number = decode_bytes(file, {.part = std::to_string(part), .level = 2});
        CHECK(by_number.warnings.empty());
        CHECK(is_same_level(by_number.picture, six[part], 2));
        if (is_cube) CHECK(is_same_level(decode_bytes(file, {.part = faces[part]}).picture, six[part], 0));
      }
      CHECK(refusal_of(file, {.part = "6"}) ==
            fmt::format("2 file: has no part 6; it has the parts 0 to 5{}", is_cube ? ", or +X to -Z" : ""));
    }
  std::vector<Picture> many;
  for (uint32_t i = 0; i < 1030; ++i) many.push_back(noise_picture("Y", Depth::u8, Transfer::linear, i, {1, 1}));
  const File layers = encoded_file("dds", many, Arrangement::array, Transfer::linear);
  CHECK(decode_bytes(layers).parts.size() == 1030);
  CHECK(is_same_level(decode_bytes(layers, {.part = "1029"}).picture, many[1029], 0));
  // a cube of two levels whose header lacks the flag for their number
  std::vector<Picture> small;
  for (uint32_t i = 0; i < 6; ++i) small.push_back(noise_picture("RGBA", Depth::u8, Transfer::linear, i, {2, 2}));
  File unflagged = encoded_file("dds", small, Arrangement::cube, Transfer::linear);
  patch(unflagged, 8, little_at<uint32_t>(unflagged, 8) & ~0x20000u);
  CHECK(is_same_level(decode_bytes(unflagged, {.part = "1"}).picture, small[1], 0));
  CHECK(is_same_level(decode_bytes(unflagged, {.part = "5", .level = 1}).picture, small[5], 1));

  const Picture one = noise_picture("RGB", Depth::u8, Transfer::srgb);
  CHECK(refusal_of(encoded_file("dds", one), {.part = "1"}) == "2 file: has no part 1; it has part 0");
}

TEST_CASE("KTX2: orders of components, primaries, curve, orientation and swizzle come from the file") {
  const Picture picture = noise_picture("RGBA", Depth::u8, Transfer::linear);
  const File file = encoded_file("ktx2", picture);
  const auto descriptor = little_at<uint32_t>(file, 48);
  const auto byte_set = [&](size_t at, int value) {
    File changed = file;
    changed[at] = std::byte(value);
    return changed;
  };
  File bgra = file;
  patch(bgra, 12, 44);  // B8G8R8A8_UNORM
  const std::vector<int> straight = bytes_of_texels(decode_bytes(file)), turned = bytes_of_texels(decode_bytes(bgra));
  for (size_t at = 0; at < straight.size(); at += 4)
    CHECK((turned[at] == straight[at + 2] && turned[at + 1] == straight[at + 1] && turned[at + 2] == straight[at] &&
           turned[at + 3] == straight[at + 3]));

  const Decoded wide = decode_bytes(byte_set(descriptor + 13, 4));  // Rec. 2020
  REQUIRE(wide.picture.attributes.size() == 1);
  float red_x = 0;
  std::memcpy(&red_x, wide.picture.attributes[0].value.data(), sizeof red_x);
  CHECK(red_x == 0.708f);
  CHECK(decode_bytes(file).picture.attributes.empty());
  CHECK(decode_bytes(byte_set(descriptor + 13, 9)).warnings ==
        std::vector<std::string>{"its primaries (number 9 of the data format descriptor) are not supported; without "
                                 "--input-primaries, they are taken as Rec. 709"});
  CHECK(decode_bytes(byte_set(descriptor + 14, 2)).picture.transfer == Transfer::srgb);
  CHECK(decode_bytes(byte_set(descriptor + 14, 3)).picture.transfer == Transfer::bt709);
  CHECK(decode_bytes(byte_set(descriptor + 14, 8)).warnings ==
        std::vector<std::string>{
            "its transfer function (number 8 of the data format descriptor) is not supported; without "
            "--input-transfer, it is taken as linear"});
  CHECK(decode_bytes(byte_set(descriptor + 15, 1)).picture.alpha == Alpha::premultiplied);
  File multiplied = byte_set(descriptor + 15, 1);
  multiplied[descriptor + 14] = std::byte{2};  // sRGB
  CHECK(decode_bytes(multiplied).picture.alpha == Alpha::premultiplied_light);
  multiplied[descriptor + 15] = std::byte{0};
  CHECK(decode_bytes(multiplied).picture.alpha == Alpha::straight);
  const DecodeOptions premultiplied{.alpha = AlphaUse::premultiplied};
  CHECK(decode_bytes(multiplied, premultiplied).picture.alpha == Alpha::premultiplied_light);
  CHECK(decode_bytes(file, premultiplied).picture.alpha == Alpha::premultiplied);

  const auto orientation = std::string_view(text_of(file)).find("rd");
  const std::vector<int> upside_down = bytes_of_texels(decode_bytes(byte_set(orientation + 1, 'u')));
  const size_t row = 4 * size_t(stored_size.width);
  CHECK(std::equal(straight.begin(), straight.begin() + ptrdiff_t(row), upside_down.end() - ptrdiff_t(row)));
  CHECK(bytes_of_texels(decode_bytes(byte_set(orientation + 1, 'u'), {.keeps_orientation = true})) == straight);

  // KTXwriter and its value make room for another pair
  const auto with_swizzle = [&](const File& of, const std::string& swizzle) {
    File changed = of;
    const size_t key = std::string_view(text_of(of)).find("KTXwriter");
    const std::string pair = std::string("KTXswizzle\0", 11) + swizzle + '\0';
    std::memcpy(&changed[key], pair.data(), pair.size());
    patch(changed, key - 4, uint32_t(pair.size()));
    patch(changed, 60, uint32_t(key + pair.size() - little_at<uint32_t>(of, 56)));
    return changed;
  };
  CHECK(channel_names(decode_bytes(with_swizzle(file, "rgb1")).picture) == "RGB");
  CHECK(channel_names(decode_bytes(with_swizzle(file, "rgba")).picture) == "RGBA");
  CHECK(decode_bytes(with_swizzle(file, "bgra")).warnings ==
        std::vector<std::string>{"its KTXswizzle, which exchanges components, is ignored"});
  const File two = encoded_file("ktx2", noise_picture("RG", Depth::u8, Transfer::linear));
  for (const char* usual : {"rg01", "rgba", "rgb1"}) CHECK(decode_bytes(with_swizzle(two, usual)).warnings.empty());
  const Decoded gray = decode_bytes(with_swizzle(two, "rrrg"));
  CHECK(channel_names(gray.picture) == "YA");
  const std::vector<int> pairs = bytes_of_texels(decode_bytes(two)), gray_texels = bytes_of_texels(gray);
  CHECK((gray_texels[0] == pairs[0] && gray_texels[2] == pairs[0] && gray_texels[3] == pairs[1]));
}

TEST_CASE("DDS files without the DX10 header: masks, gray, gray with alpha, and numbers in the place of a name") {
  const auto seen = [](const std::array<uint32_t, 7>& format, const std::string& texels) {
    return decode_bytes(old_dds(format, texels));
  };
  using V = std::vector<int>;
  const Decoded bgra = seen({rgba, 0, 32, 0xff0000, 0xff00, 0xff, 0xff000000}, "\1\2\3\4\5\6\7\10");
  CHECK(bytes_of_texels(bgra) == V{3, 2, 1, 4, 7, 6, 5, 8});
  CHECK(bgra.picture.transfer == Transfer::srgb);
  CHECK(channel_names(bgra.picture) == "RGBA");
  CHECK(bytes_of_texels(seen({rgba, 0, 32, 0xff, 0xff00, 0xff0000, 0xff000000}, "\1\2\3\4\5\6\7\10")) ==
        V{1, 2, 3, 4, 5, 6, 7, 8});
  const Decoded bgrx = seen({rgb, 0, 32, 0xff0000, 0xff00, 0xff, 0}, "\1\2\3\4\5\6\7\10");
  CHECK(bytes_of_texels(bgrx) == V{3, 2, 1, 255, 7, 6, 5, 255});
  CHECK(channel_names(bgrx.picture) == "RGB");
  CHECK(bytes_of_texels(seen({rgb, 0, 24, 0xff0000, 0xff00, 0xff, 0}, "\1\2\3\4\5\6")) ==
        V{3, 2, 1, 255, 6, 5, 4, 255});
  CHECK(bytes_of_texels(seen({luminance, 0, 8, 0xff, 0, 0, 0}, "\1\2")) == V{1, 1, 1, 255, 2, 2, 2, 255});
  const Decoded gray = seen({luminance_alpha, 0, 16, 0xff, 0, 0, 0xff00}, "\1\2\3\4");
  CHECK(bytes_of_texels(gray) == V{1, 1, 1, 2, 3, 3, 3, 4});
  CHECK(channel_names(gray.picture) == "YA");
  const Decoded floats = seen({four_cc, 114, 0, 0, 0, 0, 0}, std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  CHECK(floats.picture.groups[0].levels[0].texels.as<float>()[4] == 2);
  CHECK(channel_names(floats.picture) == "Y");

  const Decoded two = seen({rgb, 0, 32, 0xffff, 0xffff0000, 0, 0}, "\1\2\3\4\5\6\7\10");  // G16R16
  CHECK(channel_names(two.picture) == "RG");
  CHECK(two.picture.transfer == Transfer::linear);
  CHECK(two.picture.groups[0].levels[0].texels.as<uint16_t>()[5] == 0x807);
  CHECK(bytes_of_texels(seen({rgb, 0, 8, 0xff, 0, 0, 0}, "\1\2")) == V{1, 1, 1, 255, 2, 2, 2, 255});

  const char* expected =
      "; expected RGB (flag 0x40) of 8 bits each, with or without alpha, R and G of 16, or gray (flag 0x20000) of 8 or "
      "16";
  CHECK(refusal_of(old_dds({rgb, 0, 16, 0xf800, 0x7e0, 0x1f, 0}, "abcd")) ==
        fmt::format("2 file: has a pixel format of 16 bits with flags 0x40 and masks 0xf800, 0x7e0, 0x1f and, for "
                    "alpha, 0x0{}",
                    expected));
  CHECK(
      refusal_of(old_dds({2, 0, 8, 0, 0, 0, 0xff}, "ab")) ==
      fmt::format("2 file: has a pixel format of 8 bits with flags 0x2 and masks 0x0, 0x0, 0x0 and, for alpha, 0xff{}",
                  expected));
  CHECK(refusal_of(old_dds({four_cc, 0x35545858, 0, 0, 0, 0, 0}, "abcd"))
            .starts_with("2 file: has the format \"XXT5\"; "));
  CHECK(refusal_of(old_dds({four_cc, 117, 0, 0, 0, 0, 0}, "abcd")).starts_with("2 file: has D3DFORMAT 117; "));
  File cube = old_dds({luminance, 0, 8, 0xff, 0, 0, 0}, "abcdef", {1, 1});
  patch(cube, 112, 0xfe00);
  CHECK(decode_bytes(cube).parts.size() == 6);
  CHECK(bytes_of_texels(decode_bytes(cube, {.part = "-Z"}))[0] == 'f');
  patch(cube, 112, 0x200000);
  CHECK(refusal_of(cube) == "2 file: is a volume; expected an image of two dimensions");
}

TEST_CASE("the alpha mode of a DDS says that alpha is data, unless the options say otherwise") {
  File file = encoded_file("dds", noise_picture("RGBA", Depth::u8, Transfer::srgb));
  const auto is_data = [&](AlphaUse use) { return decode_bytes(file, {.alpha = use}).picture.groups[0].is_data; };
  CHECK(!is_data(AlphaUse::as_recorded));
  CHECK(is_data(AlphaUse::data));
  patch(file, 144, 4);  // DDS_ALPHA_MODE_CUSTOM
  CHECK(is_data(AlphaUse::as_recorded));
  CHECK(is_data(AlphaUse::data));
  CHECK(!is_data(AlphaUse::straight));
  CHECK(!is_data(AlphaUse::premultiplied));
}

TEST_CASE("a texture with a curve and premultiplied color is decoded as GPUs do it: first, and never divided") {
  File file = encoded_file("dds", noise_picture("RGBA", Depth::u8, Transfer::srgb));
  patch(file, 144, 2);  // DDS_ALPHA_MODE_PREMULTIPLIED
  for (const AlphaUse use : {AlphaUse::as_recorded, AlphaUse::premultiplied}) {
    Picture picture = decode_bytes(file, {.alpha = use}).picture;
    const std::vector<uint8_t> bytes = [&] {
      const auto texels = picture.groups[0].levels[0].texels.as<uint8_t>();
      return std::vector<uint8_t>(texels.begin(), texels.end());
    }();
    make_working(picture, Depth::f32);
    const auto light = picture.groups[0].levels[0].texels.as<float>();
    for (size_t at = 0; at < bytes.size(); ++at) {
      const double share = bytes[at] / 255.0;
      const double decoded = share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
      CHECK(light[at] == doctest::Approx(at % 4 == 3 ? share : decoded).epsilon(1e-6));
    }
  }
}

TEST_CASE("levels of a KTX2 lie behind everything else and do not overlap") {
  const File file = encoded_file("ktx2", noise_picture("RGBA", Depth::u8, Transfer::srgb));
  constexpr size_t index_at = 80, entry_bytes = 24;
  const auto descriptor = little_at<uint32_t>(file, 48), pairs = little_at<uint32_t>(file, 56);
  const uint32_t end = pairs + little_at<uint32_t>(file, 60);
  for (const uint32_t offset : {0u, 80u, descriptor, pairs, end - 1}) {
    File changed = file;
    patch(changed, index_at + entry_bytes, offset);
    CHECK(
        refusal_of(changed) ==
        fmt::format("2 file: its level 1 begins at byte {}, inside of the header, which ends at byte {}", offset, end));
  }
  const auto level_0 = little_at<uint32_t>(file, index_at);
  for (const uint32_t beyond : {0u, 100u, 311u}) {
    File changed = file;
    patch(changed, index_at + 2 * entry_bytes, level_0 + beyond);
    CHECK(refusal_of(changed).starts_with("2 file: its levels "));
    CHECK(refusal_of(changed).ends_with(fmt::format(" overlap at byte {}", level_0 + beyond)));
  }
}

TEST_CASE("damaged and unusual textures are refused by name") {
  const File ktx2 = encoded_file("ktx2", noise_picture("RGBA", Depth::u8, Transfer::srgb));
  const File dds = encoded_file("dds", noise_picture("RGBA", Depth::u8, Transfer::srgb));
  struct Row {
    const File& file;
    size_t at;
    uint32_t number;
    const char* message;
  };
  const Row rows[] = {
      {ktx2, 12, 147, "has Vulkan format 147; expected R, RG, RGB or RGBA"},
      {ktx2, 20, 0, "has 0 x 6 texels"},
      {ktx2, 20, 40000, "has 40000 x 6 texels; the limit is 32768 per side"},
      {ktx2, 28, 2, "is a volume of 2 slices"},
      {ktx2, 32, 20000, "claims 20000 images; expected 1 to 16384"},
      {ktx2, 36, 5, "has 5 faces; expected 1 or 6"},
      {ktx2, 40, 5, "claims 5 levels; an image of 13 x 6 texels has 1 to 4"},
      {ktx2, 44, 2, "the Zstandard data of its level 0 is damaged"},
      {ktx2, 44, 9, "is compressed with scheme 9"},
      {ktx2, 48, 100000, "is cut off"},
      {ktx2, 48, 0, "its data format descriptor has 92 bytes from byte 0 on; expected at least 28"},
      {ktx2, 52, 20, "its data format descriptor has 20 bytes"},
      {ktx2, 56, 100000, "is cut off"},
      {ktx2, 60, 3, "its keys and values end at byte"},
      {ktx2, 84, 0xffffffff, "is cut off: level 0 needs"},
      {ktx2, 88, 7, "its level 0 has 7 bytes; expected 312"},
      {dds, 16, 0, "has 0 x 6 texels"},
      {dds, 28, 5, "claims 5 levels"},
      {dds, 128, 100, "has DXGI_FORMAT 100"},
      {dds, 132, 4, "is not an image of two dimensions"},
      {dds, 140, 0, "claims 0 images"},
      {dds, 140, 0xffffffff, "claims 4294967295 images"},
      {dds, 140, 100, "is cut off: level 0 of part 1 needs"},
  };
  for (const Row& row : rows) {
    File changed = row.file;
    patch(changed, row.at, row.number);
    const std::string refusal = refusal_of(changed);
    CHECK_MESSAGE(refusal.starts_with(std::string("2 file: ") + row.message), row.message, "\n", refusal);
  }
  CHECK(refusal_of(ktx2, {.layer = "a"}) == "2 file: has no layer a; a ktx2 file has none");
}
