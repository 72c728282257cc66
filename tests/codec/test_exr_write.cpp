// What the EXR writer writes is read back with the OpenEXR library, which shares no code with it.
#include "core/base/error.h"
#include "core/codec/codec.h"
#include "tests/codec/make_files.h"
#include "tests/support/error_of.h"
#include "tests/support/synthetic_images.h"

#include <ImfChannelList.h>
#include <ImfCompression.h>
#include <ImfFloatAttribute.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfInputFile.h>
#include <ImfOpaqueAttribute.h>
#include <ImfStringAttribute.h>
#include <ImfTiledInputFile.h>
#include <ImfVecAttribute.h>
#include <doctest/doctest.h>

#include <cmath>
#include <map>

using namespace gpupost;
using namespace std::string_literals;

namespace {

constexpr Size hard_sizes[] = {{1, 1}, {3, 5}, {17, 9}, {257, 129}, {1, 100}, {100, 1}, {64, 64}, {65, 63}};

// OpenEXR's view of a file in memory.
class MemoryFile : public Imf::IStream {
 public:
  explicit MemoryFile(const TexelBuffer& bytes) : Imf::IStream("memory"), bytes_(bytes) {}
  bool read(char* to, int count) override {
    if (at_ + size_t(count) > bytes_.size()) throw std::runtime_error("the file is too short");
    std::memcpy(to, bytes_.data() + at_, size_t(count));
    at_ += size_t(count);
    return at_ < bytes_.size();
  }
  uint64_t tellg() override { return at_; }
  void seekg(uint64_t at) override { at_ = at; }

 private:
  const TexelBuffer& bytes_;
  size_t at_ = 0;
};

using Plane = std::vector<uint32_t>;  // a number's bits each
using Planes = std::map<std::string, Plane>;

// The frame buffer that reads the channels of `header` in `window` to where `planes` say.
Imf::FrameBuffer buffer_for(const Imf::Header& header, Imath::Box2i window, Planes& planes) {
  Imf::FrameBuffer buffer;
  const int width = window.max.x - window.min.x + 1;
  const int height = window.max.y - window.min.y + 1;
  for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel) {
    Plane& plane = planes[channel.name()];
    plane.assign(size_t(width) * size_t(height), 0);
    char* base = reinterpret_cast<char*>(plane.data()) - 4 * (int64_t(window.min.y) * width + window.min.x);
    buffer.insert(channel.name(), Imf::Slice(channel.channel().type, base, 4, 4 * size_t(width)));
  }
  return buffer;
}

Planes read_lines(const TexelBuffer& bytes) {
  MemoryFile stream(bytes);
  Imf::InputFile file(stream);
  Planes planes;
  file.setFrameBuffer(buffer_for(file.header(), file.header().dataWindow(), planes));
  file.readPixels(file.header().dataWindow().min.y, file.header().dataWindow().max.y);
  return planes;
}

std::vector<Planes> read_tiles(const TexelBuffer& bytes) {
  MemoryFile stream(bytes);
  Imf::TiledInputFile file(stream);
  REQUIRE(file.levelMode() == Imf::MIPMAP_LEVELS);
  REQUIRE(file.levelRoundingMode() == Imf::ROUND_DOWN);
  std::vector<Planes> levels;
  for (int level = 0; level < file.numLevels(); ++level) {
    Planes& planes = levels.emplace_back();
    file.setFrameBuffer(buffer_for(file.header(), file.dataWindowForLevel(level), planes));
    file.readTiles(0, file.numXTiles(level) - 1, 0, file.numYTiles(level) - 1, level);
  }
  return levels;
}

template <class Look>
auto look_at(const TexelBuffer& bytes, const Look& look) {
  MemoryFile stream(bytes);
  const Imf::InputFile file(stream);
  return look(file.header());
}

uint32_t number_at(const Group& group, size_t level, size_t texel, size_t component) {
  const TexelBuffer& texels = group.levels[level].texels;
  uint32_t bits = 0;
  std::memcpy(&bits, texels.data() + (4 * texel + component) * bytes_of(group.depth), bytes_of(group.depth));
  return bits;
}

// Every named channel of `picture` has its bits in `planes`, and there are no others.
void check_planes(const Picture& picture, size_t level, const Planes& planes) {
  size_t channel_count = 0;
  for (const Group& group : picture.groups) {
    for (size_t c = 0; c < 4; ++c) {
      const std::string& name = group.channels[c].name;
      if (name.empty()) continue;
      ++channel_count;
      REQUIRE(planes.contains(name));
      const Plane& plane = planes.at(name);
      REQUIRE(plane.size() == texel_count(group.levels[level].size));
      size_t wrong_count = 0;
      for (size_t i = 0; i < plane.size(); ++i) wrong_count += plane[i] != number_at(group, level, i, c);
      INFO(name, " at level ", level);
      CHECK(wrong_count == 0);
    }
  }
  CHECK(planes.size() == channel_count);
}

// Any bits at all, so NaN, infinities and denormals among them, of an RGBA half group, a float group and a uint one.
Picture mixed_picture(Size size, int level_count) {
  const auto any = [](int x, int y, size_t c, int level) {
    return hash_of(uint32_t(x), uint32_t(y), uint32_t(c), uint32_t(level));
  };
  Picture picture =
      color_picture_of(made_group({{{"R", Depth::half}, {"G", Depth::half}, {"B", Depth::half}, {"A", Depth::half}}},
                                  Depth::half, size, level_count, any));
  picture.groups.push_back(
      made_group({{{"Z", Depth::f32}, {"spec.direct.R", Depth::f32}}}, Depth::f32, size, level_count, any));
  picture.groups.push_back(made_group({{{"id", Depth::u32}, {"a much longer name than the old 31 bytes", Depth::u32}}},
                                      Depth::u32, size, level_count, any));
  return picture;
}

Encoded encode_exr(const Picture& picture, const EncodeOptions& options) {
  return encode(*format_named("exr"), picture, options);
}

// One row of gray.
Picture picture_of_halves(const std::vector<uint16_t>& numbers) {
  Picture picture;
  Group& group = picture.groups.emplace_back();
  group.channels[0] = {.name = "Y", .depth = Depth::half};
  group.depth = Depth::half;
  Level& level =
      group.levels.emplace_back(Level{.size = {int(numbers.size()), 1}, .texels = TexelBuffer(8 * numbers.size())});
  for (size_t i = 0; i < numbers.size(); ++i) level.texels.as<uint16_t>()[4 * i] = numbers[i];
  picture.data_window = picture.display_window = window_of(level.size);
  return picture;
}

Attribute attribute_of(std::string name, std::string type, const void* value, size_t bytes) {
  const auto* begin = static_cast<const uint8_t*>(value);
  return Attribute{.name = std::move(name), .type = std::move(type), .value = {begin, begin + bytes}};
}

}  // namespace

TEST_CASE("OpenEXR reads every bit of what is written, in every size and compression") {
  for (const Size size : hard_sizes) {
    const Picture picture = mixed_picture(size, 1);
    for (const Compression compression :
         {Compression::none, Compression::rle, Compression::zips, Compression::zip, Compression::piz}) {
      CAPTURE(size.width);
      CAPTURE(size.height);
      CAPTURE(int(compression));
      const Encoded encoded = encode_exr(picture, {.compression = compression});
      CHECK(encoded.warnings.empty());
      check_planes(picture, 0, read_lines(encoded.bytes));
    }
  }
}

TEST_CASE("OpenEXR reads runs of every length, wherever they end") {
  for (const Compression compression : {Compression::rle, Compression::zips}) {
    // a run of each length from 1 to 300, with changes of 0 to 3 values between
    std::vector<uint16_t> numbers;
    for (int length = 1; length <= 300; ++length) {
      for (int k = 0; k < length; ++k) numbers.push_back(uint16_t(0x3c00 + length % 7));
      for (int k = 0; k < length % 4; ++k) numbers.push_back(uint16_t(0x3000 + 37 * numbers.size() % 1021));
    }
    const Picture picture = picture_of_halves(numbers);
    check_planes(picture, 0, read_lines(encode_exr(picture, {.compression = compression}).bytes));
  }
}

TEST_CASE("a higher level of zip makes a smaller file with the same values") {
  std::vector<uint16_t> numbers;
  for (int i = 0; i < 20000; ++i) numbers.push_back(uint16_t(0x3c00 + i * i / 50 % 64 + i % 24));
  const Picture picture = picture_of_halves(numbers);
  for (const Compression compression : {Compression::zip, Compression::zips}) {
    size_t before = SIZE_MAX;
    for (const int level : {1, 4, 9}) {
      const Encoded encoded = encode_exr(picture, {.compression = compression, .compression_level = level});
      check_planes(picture, 0, read_lines(encoded.bytes));
      CHECK(encoded.bytes.size() < before);
      before = encoded.bytes.size();
    }
  }
}

TEST_CASE("a higher level of dwaa makes a smaller file") {
  const Picture picture = mixed_picture({257, 129}, 1);
  const auto size_at = [&](int level) {
    return encode_exr(picture, {.compression = Compression::dwaa, .compression_level = level}).bytes.size();
  };
  CHECK(size_at(10) > size_at(0));  // 45
  CHECK(size_at(0) > size_at(400));
}

TEST_CASE("OpenEXR reads every level of a mip-mapped file") {
  for (const Size size : hard_sizes) {
    const int level_count = level_count_of(size);
    const Picture picture = mixed_picture(size, level_count);
    for (const Compression compression : {Compression::none, Compression::zip, Compression::piz}) {
      CAPTURE(size.width);
      CAPTURE(size.height);
      const Encoded encoded = encode_exr(picture, {.compression = compression, .mipmapped = true});
      const std::vector<Planes> levels = read_tiles(encoded.bytes);
      REQUIRE(int(levels.size()) == level_count);
      for (size_t level = 0; level < levels.size(); ++level) check_planes(picture, level, levels[level]);
    }
  }
}

TEST_CASE("B44 tiles of an image of few rows have at least four") {
  for (const Compression compression : {Compression::b44, Compression::b44a})
    for (const Size size : {Size{16, 1}, {5, 1}, {5, 3}, {100, 1}, {1, 1}}) {
      CAPTURE(size.width);
      const Picture picture = mixed_picture(size, level_count_of(size));
      const Encoded encoded = encode_exr(picture, {.compression = compression, .mipmapped = true});
      CHECK(read_tiles(encoded.bytes).size() == size_t(level_count_of(size)));
      look_at(encoded.bytes, [&](const Imf::Header& header) { CHECK(header.tileDescription().ySize == 4); });
      const Bytes bytes = encoded.bytes.bytes();
      CHECK(decode_bytes({bytes.begin(), bytes.end()}).picture.size() == size);
    }
}

TEST_CASE("every compression of EXR is written, with windows and attributes, and said a second time where it loses") {
  for (const bool mipmapped : {false, true})
    for (const Compression compression : format_named("exr")->compressions) {
      CAPTURE(int(compression));
      Picture picture = mixed_picture({17, 39}, level_count_of({17, 39}));
      picture.format = "exr";
      picture.compression = compression_names[size_t(compression)];
      picture.data_window = {-5, -7, 11, 31};
      picture.display_window = {2, 3, 40, 50};
      const float aspect = 2;
      picture.attributes = {attribute_of("pixelAspectRatio", "float", &aspect, 4)};
      CHECK(natural_compression(*format_named("exr"), picture) == compression);
      CHECK(natural_compression(*format_named("png"), picture) == Compression::zip);
      const Encoded encoded = encode_exr(picture, {.compression = compression, .mipmapped = mipmapped});
      CHECK(encoded.warnings.size() == (compression >= Compression::pxr24 ? 1 : 0));
      look_at(encoded.bytes, [&](const Imf::Header& header) {
        CHECK(int(header.compression()) == int(compression));
        CHECK(header.dataWindow() == Imath::Box2i({-5, -7}, {11, 31}));
        CHECK(header.displayWindow() == Imath::Box2i({2, 3}, {40, 50}));
        CHECK(header.pixelAspectRatio() == 2);
        CHECK(header.hasTileDescription() == mipmapped);
      });
      const Encoded again = encode_exr(picture, {.compression = compression, .mipmapped = mipmapped});
      CHECK(std::ranges::equal(encoded.bytes.bytes(), again.bytes.bytes()));
    }
}

TEST_CASE("b44 without half channels gives a warning that nothing is compressed") {
  for (const Depth depth : {Depth::half, Depth::f32})
    for (const Compression compression : {Compression::b44, Compression::b44a, Compression::pxr24}) {
      Picture picture =
          picture_of(made_group({{{"Y", depth}}}, depth, {8, 8}, 1, [](int, int, size_t, int) { return 0u; }));
      for (const char* before : {"zip", "b44"}) {
        picture.compression = before;
        const Encoded encoded = encode_exr(picture, {.compression = compression});
        const bool is_uncompressed = depth == Depth::f32 && compression != Compression::pxr24;
        CHECK((!encoded.warnings.empty() && encoded.warnings.front().find("only half channels") != std::string::npos) ==
              is_uncompressed);
        if (is_uncompressed) CHECK(encoded.warnings.size() == 1);
      }
    }
}

TEST_CASE("a lossy compression gives a warning after another one, and for ids of Cryptomattes") {
  const auto warnings_of = [](Picture& picture, const std::string& before, Compression compression) {
    picture.compression = before;
    return encode_exr(picture, {.keep_depths = true, .compression = compression}).warnings;
  };
  const auto group_of = [](const char* name, Depth depth) {
    return made_group({{{name, depth}}}, depth, {8, 8}, 1, [](int, int, size_t, int) { return 0u; });
  };
  Picture picture = picture_of(group_of("Y", Depth::half));
  CHECK(
      warnings_of(picture, "b44", Compression::dwaa) ==
      std::vector<std::string>{"compression dwaa is lossy, and the input has been compressed with b44, which is lossy "
                               "too (avoid a second loss with --compression zip)"});
  CHECK(warnings_of(picture, "b44", Compression::zip).empty());
  CHECK(warnings_of(picture, "piz", Compression::dwaa).empty());
  picture.groups.push_back(group_of("Ids00.R", Depth::f32));
  CHECK(warnings_of(picture, "zip", Compression::pxr24).empty());
  const std::string name = "Ids";
  picture.attributes.push_back({"cryptomatte/0a1b2c3/name", "string", {name.begin(), name.end()}});
  for (const Compression compression : {Compression::pxr24, Compression::dwaa})
    CHECK(
        warnings_of(picture, "zip", compression) ==
        std::vector{fmt::format("compression {} changes the ids of Cryptomattes, so that they select nothing: Ids00.R "
                                "(keep them with --compression zip)",
                                compression_names[size_t(compression)])});
  for (const Compression compression : {Compression::zip, Compression::b44})
    CHECK(warnings_of(picture, "zip", compression).empty());
}

TEST_CASE("a lossy compression gives a warning after itself if and only if it changes the channel") {
  constexpr Size size{32, 32};
  for (const char* name : {"R", "G", "B", "A", "Y", "RY", "BY", "r", "Z", "layer.R", "layer.A"})
    for (const Depth depth : {Depth::half, Depth::f32, Depth::u32})
      for (int compression = int(Compression::pxr24); compression <= int(Compression::dwab); ++compression) {
        Picture picture = picture_of(made_group({{{name, depth}}}, depth, size, 1, [&](int x, int y, size_t, int) {
          const uint32_t number = hash_of(uint32_t(x), uint32_t(y), 0, 0);
          return depth == Depth::half  ? 0x3800 + number % 0x400
                 : depth == Depth::f32 ? 0x3f000000 + number % 0x800000
                                       : number;
        }));
        picture.compression = compression_names[size_t(compression)];
        const Encoded encoded =
            encode_exr(picture, {.keep_depths = true, .compression = static_cast<Compression>(compression)});
        const Plane plane = read_lines(encoded.bytes).at(name);
        bool is_changed = false;
        for (size_t i = 0; i < plane.size(); ++i) is_changed |= plane[i] != number_at(picture.groups[0], 0, i, 0);
        const bool is_warned = std::ranges::any_of(
            encoded.warnings, [](const std::string& warning) { return warning.find("a second time") != warning.npos; });
        CHECK_MESSAGE(is_warned == is_changed, name, " ", std::string(name_of(depth)), " ", picture.compression);
      }
}

TEST_CASE("compressible pictures are written right and small") {
  const Picture picture = picture_of(made_group({{{"Y", Depth::f32}}}, Depth::f32, {257, 129}, 1,
                                                [](int x, int, size_t, int) { return bits_of_float(float(x / 50)); }));
  for (const Compression compression : {Compression::rle, Compression::zips, Compression::zip}) {
    const Encoded encoded = encode_exr(picture, {.compression = compression});
    CHECK(encoded.bytes.size() < 3 * 257 * 129);
    check_planes(picture, 0, read_lines(encoded.bytes));
  }
}

TEST_CASE("data and display windows are written as they are") {
  for (const bool mipmapped : {false, true}) {
    for (const Compression compression : {Compression::none, Compression::zips, Compression::zip}) {
      Picture picture = mixed_picture({17, 39}, level_count_of({17, 39}));
      picture.data_window = {-5, -7, 11, 31};
      picture.display_window = {2, 3, 40, 50};
      const Encoded encoded = encode_exr(picture, {.compression = compression, .mipmapped = mipmapped});
      look_at(encoded.bytes, [](const Imf::Header& header) {
        CHECK(header.dataWindow() == Imath::Box2i({-5, -7}, {11, 31}));
        CHECK(header.displayWindow() == Imath::Box2i({2, 3}, {40, 50}));
      });
      check_planes(picture, 0, mipmapped ? read_tiles(encoded.bytes)[0] : read_lines(encoded.bytes));
    }
  }
}

TEST_CASE("one level of a chain is written with its windows scaled") {
  Picture picture = mixed_picture({17, 9}, 5);
  picture.data_window = {-5, 7, 11, 15};
  picture.display_window = {0, 0, 19, 29};
  const Encoded encoded = encode_exr(picture, {.level = 1});
  look_at(encoded.bytes, [](const Imf::Header& header) {
    CHECK(header.dataWindow() == Imath::Box2i({-3, 3}, {4, 6}));
    CHECK(header.displayWindow() == Imath::Box2i({0, 0}, {9, 14}));
  });
  check_planes(picture, 1, read_lines(encoded.bytes));
}

TEST_CASE("a level has the same windows from a mip-mapped file and from a file of its own") {
  const Window pairs[][2] = {{{-5, 7, 11, 15}, {0, 0, 19, 29}},
                             {{3, -9, 19, -1}, {-7, -11, 40, 50}},
                             {{1, 1, 17, 9}, {1, 1, 17, 9}},
                             {{100, 50, 116, 58}, {0, 0, 1, 2000}}};
  for (const auto& [data, display] : pairs) {
    Picture picture = mixed_picture({17, 9}, 5);
    picture.data_window = data;
    picture.display_window = display;
    const auto read = [](const Encoded& encoded, int level) {
      const File file(encoded.bytes.bytes().begin(), encoded.bytes.bytes().end());
      return decode_bytes(file, {.layer = "", .level = level, .limits = {}}).picture;
    };
    const Encoded chain = encode_exr(picture, {.mipmapped = true});
    for (int level = 0; level < 5; ++level) {
      CAPTURE(data.min_x);
      CAPTURE(level);
      const Picture of_chain = read(chain, level);
      const Picture alone = read(encode_exr(picture, {.level = level}), 0);
      CHECK(of_chain.data_window == alone.data_window);
      CHECK(of_chain.display_window == alone.display_window);
      CHECK(of_chain.display_window.min_y == int(std::floor(display.min_y / std::exp2(level))));
    }
  }
}

TEST_CASE("attributes are kept, also those that every file must have") {
  Picture picture = mixed_picture({3, 5}, 3);
  const float aspect = 2;
  const float center[2] = {0.5f, -0.25f};
  const float width = 3;
  const float primaries[8] = {0.64f, 0.33f, 0.3f, 0.6f, 0.15f, 0.06f, 0.3127f, 0.329f};
  picture.attributes = {attribute_of("pixelAspectRatio", "float", &aspect, sizeof aspect),
                        attribute_of("screenWindowCenter", "v2f", center, sizeof center),
                        attribute_of("screenWindowWidth", "float", &width, sizeof width),
                        attribute_of("chromaticities", "chromaticities", primaries, sizeof primaries),
                        attribute_of("owner", "string", "somebody", 8),
                        attribute_of("name", "string", "shot", 4),
                        attribute_of("compression", "compression", "\4", 1),  // of the old file's storage
                        attribute_of("empty", "string", "", 0),
                        attribute_of("an odd one", "a type that nobody knows and that is long", "\1\2\3", 3)};
  for (int i = 0; i < 200; ++i)
    picture.attributes.push_back(attribute_of("number " + std::to_string(i), "int", &i, sizeof i));
  const Encoded encoded = encode_exr(picture, {});
  CHECK(encoded.warnings.empty());
  look_at(encoded.bytes, [&](const Imf::Header& header) {
    CHECK(header.pixelAspectRatio() == aspect);
    CHECK(header.screenWindowCenter() == Imath::V2f(0.5f, -0.25f));
    CHECK(header.screenWindowWidth() == width);
    CHECK(header.compression() == Imf::ZIP_COMPRESSION);
    CHECK(header.typedAttribute<Imf::StringAttribute>("owner").value() == "somebody");
    CHECK(header.typedAttribute<Imf::StringAttribute>("empty").value().empty());
    CHECK(header.typedAttribute<Imf::OpaqueAttribute>("an odd one").typeName() == picture.attributes[8].type);
    CHECK(header.find("chromaticities") != header.end());
    CHECK(header.find("number 199") != header.end());
    CHECK(header.find("textureformat") == header.end());
    CHECK(header.name() == "shot");
  });
  const auto bytes = encoded.bytes.bytes();
  const Picture read = decode_bytes({bytes.begin(), bytes.end()}).picture;
  CHECK(std::ranges::count(read.attributes, "name", &Attribute::name) == 1);
}

TEST_CASE("what a texture system has noted of other texels is not written") {
  Picture picture = mixed_picture({3, 5}, 3);
  for (const char* name : {"oiio:SHA-1", "oiio:AverageColor", "oiio:ConstantColor", "oiio:ColorSpace"})
    picture.attributes.push_back(attribute_of(name, "string", "1,2,3", 5));
  look_at(encode_exr(picture, {}).bytes, [&](const Imf::Header& header) {
    CHECK(header.find("oiio:SHA-1") == header.end());
    CHECK(header.find("oiio:AverageColor") == header.end());
    CHECK(header.find("oiio:ConstantColor") == header.end());
    CHECK(header.find("oiio:ColorSpace") != header.end());
  });
}

TEST_CASE("attributes with names for other kinds of files are kept, except tiles in a file of tiles") {
  Picture picture = mixed_picture({17, 39}, level_count_of({17, 39}));
  for (const char* name : {"chunkCount", "maxSamplesPerPixel", "tiles", "version"})
    picture.attributes.push_back(attribute_of(name, "string", "v003", 4));
  picture.attributes.push_back(attribute_of("name", "int", "\1\0\0\0", 4));
  for (const bool mipmapped : {false, true})
    for (const Compression compression : {Compression::zip, Compression::piz}) {
      const Encoded encoded = encode_exr(picture, {.compression = compression, .mipmapped = mipmapped});
      REQUIRE(encoded.warnings.size() == (mipmapped ? 1 : 0));
      if (mipmapped)
        CHECK(encoded.warnings[0].starts_with("the attribute `tiles` is dropped, because the output has tiles"));
      check_planes(picture, 0, mipmapped ? read_tiles(encoded.bytes)[0] : read_lines(encoded.bytes));
      look_at(encoded.bytes, [&](const Imf::Header& header) {
        for (const char* name : {"chunkCount", "maxSamplesPerPixel", "version"})
          CHECK(header.findTypedAttribute<Imf::StringAttribute>(name) != nullptr);
        CHECK((header.findTypedAttribute<Imf::StringAttribute>("tiles") != nullptr) == !mipmapped);
      });
      const Bytes bytes = encoded.bytes.bytes();
      CHECK(decode_bytes({bytes.begin(), bytes.end()}).picture.attributes.size() >= (mipmapped ? 4u : 5u));
    }
}

TEST_CASE("ints with the names of numbers of deep data are kept, since a flat file has no such numbers") {
  Picture picture = mixed_picture({17, 39}, level_count_of({17, 39}));
  for (const char* name : {"maxSamplesPerPixel", "version"})
    picture.attributes.push_back(attribute_of(name, "int", "\1\0\0\0", 4));
  for (const bool mipmapped : {false, true}) {
    const Encoded encoded = encode_exr(picture, {.mipmapped = mipmapped});
    CHECK(encoded.warnings.empty());
    check_planes(picture, 0, mipmapped ? read_tiles(encoded.bytes)[0] : read_lines(encoded.bytes));
    const Bytes bytes = encoded.bytes.bytes();
    const Picture read = decode_bytes({bytes.begin(), bytes.end()}).picture;
    for (const char* name : {"maxSamplesPerPixel", "version"})
      CHECK(std::ranges::count(read.attributes, name, &Attribute::name) == 1);
  }
}

TEST_CASE("OpenEXR reads a file whatever its attributes are, and wherever they stand") {
  const std::string manifest = "\x05\0\0\0\0\0\0\0packed"s;
  const Attribute id = attribute_of("idManifest", "idmanifest", manifest.data(), manifest.size());
  const Attribute unknown = attribute_of("zz", "a type that nobody knows", "\1\2\3", 3);
  const Attribute empty = attribute_of("AA", "string", "", 0);
  const Attribute key = attribute_of("key", "int", "\1\0\0\0", 4);
  const std::vector<Attribute> lists[] = {{id},         {id, empty},         {empty, id}, {id, key},
                                          {empty, key}, {empty, unknown},    {unknown},   {id, unknown},
                                          {key, id},    {unknown, id, empty}};
  for (size_t i = 0; i < std::size(lists); ++i) {
    for (const bool mipmapped : {false, true}) {
      CAPTURE(i);
      CAPTURE(mipmapped);
      Picture picture = mixed_picture({17, 39}, level_count_of({17, 39}));
      picture.data_window = {-5, -7, 11, 31};
      picture.attributes = lists[i];
      const Encoded encoded = encode_exr(picture, {.mipmapped = mipmapped});
      check_planes(picture, 0, mipmapped ? read_tiles(encoded.bytes)[0] : read_lines(encoded.bytes));
      look_at(encoded.bytes, [&](const Imf::Header& header) {
        CHECK(header.dataWindow() == Imath::Box2i({-5, -7}, {11, 31}));
        CHECK(header.lineOrder() == Imf::INCREASING_Y);
        for (const Attribute& attribute : lists[i]) CHECK(header.find(attribute.name) != header.end());
      });
    }
  }
}

TEST_CASE("a mip-mapped file says that it is a texture, in its own words where it has some") {
  Picture picture = mixed_picture({3, 5}, 3);
  picture.attributes = {attribute_of("wrapmodes", "string", "periodic", 8)};
  look_at(encode_exr(picture, {.mipmapped = true}).bytes, [](const Imf::Header& header) {
    CHECK(header.typedAttribute<Imf::StringAttribute>("textureformat").value() == "Plain Texture");
    CHECK(header.typedAttribute<Imf::StringAttribute>("wrapmodes").value() == "periodic");
  });
}

TEST_CASE("the color takes the depth asked for; other channels keep theirs") {
  const auto value = [](int x, int y, size_t c, int) { return bits_of_float(float(x * 30000) + float(y) + float(c)); };
  Picture picture = color_picture_of(
      made_group({{{"R", Depth::f32}, {"G", Depth::half}, {"B", Depth::f32}}}, Depth::f32, {3, 5}, 1, value));
  picture.groups.push_back(made_group({{{"Z", Depth::f32}, {"m", Depth::half}}}, Depth::f32, {3, 5}, 1, value));

  const auto types_of = [](const TexelBuffer& bytes) {
    return look_at(bytes, [](const Imf::Header& header) {
      std::map<std::string, Imf::PixelType> types;
      for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel)
        types[channel.name()] = channel.channel().type;
      return types;
    });
  };
  using Types = std::map<std::string, Imf::PixelType>;
  const Imf::PixelType whole = Imf::FLOAT;
  const Imf::PixelType small = Imf::HALF;
  CHECK(types_of(encode_exr(picture, {.depth = Depth::half}).bytes) ==
        Types{{"R", small}, {"G", small}, {"B", small}, {"Z", whole}, {"m", small}});
  CHECK(types_of(encode_exr(picture, {.depth = Depth::f32}).bytes) ==
        Types{{"R", whole}, {"G", whole}, {"B", whole}, {"Z", whole}, {"m", small}});
  const Encoded kept = encode_exr(picture, {.keep_depths = true});
  CHECK(types_of(kept.bytes) == Types{{"R", whole}, {"G", small}, {"B", whole}, {"Z", whole}, {"m", small}});
  CHECK(kept.warnings.empty());
  const Planes planes = read_lines(kept.bytes);
  for (size_t i = 0; i < 15; ++i) {
    CHECK(planes.at("R")[i] == number_at(picture.groups[0], 0, i, 0));
    CHECK(planes.at("G")[i] == half_from_float(std::bit_cast<float>(number_at(picture.groups[0], 0, i, 1))));
  }
}

TEST_CASE("values that half cannot hold are clamped, with a warning") {
  const Picture picture =
      color_picture_of(made_group({{{"Y", Depth::f32}}}, Depth::f32, {17, 9}, 1,
                                  [](int x, int, size_t, int) { return bits_of_float(x == 3 ? 1e6f : 1.0f); }));
  const Encoded encoded = encode_exr(picture, {});
  CHECK(encoded.warnings ==
        std::vector<std::string>{
            "number of values above 65504 that were clamped in half channels: 9; keep them with --bits 32f"});
  CHECK(read_lines(encoded.bytes).at("Y")[3] == 0x7bff);
}

TEST_CASE("a picture as it came from a PNG is written linear and premultiplied") {
  Picture picture =
      color_picture_of(made_group({{{"R", Depth::u8}, {"G", Depth::u8}, {"B", Depth::u8}, {"A", Depth::u8}}}, Depth::u8,
                                  {3, 5}, 1, [](int, int, size_t c, int) { return c < 3 ? 255u : 51u; }));
  picture.transfer = Transfer::srgb;
  picture.alpha = Alpha::straight;
  const Planes planes = read_lines(encode_exr(picture, {.depth = Depth::f32}).bytes);
  CHECK(std::bit_cast<float>(planes.at("G")[7]) == doctest::Approx(0.2));
  CHECK(std::bit_cast<float>(planes.at("A")[7]) == doctest::Approx(0.2));
}

TEST_CASE("a gray picture is written as its one channel") {
  Picture picture =
      color_picture_of(made_group({{{"Y", Depth::half}, {}, {}, {"A", Depth::half}}}, Depth::half, {17, 9}, 1,
                                  [](int x, int y, size_t, int) { return bits_of_half(float(x) + float(y)); }));
  picture.groups[0].is_luminance = true;
  check_planes(picture, 0, read_lines(encode_exr(picture, {}).bytes));
}

TEST_CASE("channels that lack the levels asked for are dropped, and a file without any is refused") {
  Picture picture = mixed_picture({17, 9}, 5);
  picture.groups[1].levels.resize(1);
  const Encoded encoded = encode_exr(picture, {.mipmapped = true});
  CHECK(encoded.warnings == std::vector<std::string>{"channels without all 5 levels are dropped: Z spec.direct.R"});
  CHECK(read_tiles(encoded.bytes)[0].size() == 6);
  CHECK(encoding_error_of([&] { encode_exr(picture, {.level = 5}); }) == "exr: no channel has level 5");
}

TEST_CASE("what the format cannot hold is refused") {
  Picture picture = mixed_picture({3, 5}, 1);
  CHECK(encoding_error_of([&] { encode_exr(picture, {.depth = Depth::u8}); }) ==
        "exr holds 16f and 32f, not 8; use --bits 16f");
  picture.groups[2].channels[0].name = "Z";
  CHECK(encoding_error_of([&] { encode_exr(picture, {}); }) == "exr: two channels have the name Z");
  picture.groups[2].channels[0].name = std::string(256, 'n');
  CHECK(encoding_error_of([&] { encode_exr(picture, {}); }) == "exr: a channel name has 256 bytes; the limit is 255");
  picture.groups.clear();
  CHECK(encoding_error_of([&] { encode_exr(picture, {}); }) == "exr: no channel has level 0");
}

TEST_CASE("a format that can only be read is refused by name") {
  const Picture picture = mixed_picture({3, 5}, 1);
  CHECK(encoding_error_of([&] { encode(*format_named("bmp"), picture, {}); }) ==
        "bmp files can be read here but not written; expected " + writable_extensions());
}

TEST_CASE("the same picture gives the same bytes") {
  const Picture picture = mixed_picture({257, 129}, level_count_of({257, 129}));
  const Encoded first = encode_exr(picture, {.mipmapped = true});
  const Encoded second = encode_exr(picture, {.mipmapped = true});
  CHECK(std::ranges::equal(first.bytes.bytes(), second.bytes.bytes()));
}
