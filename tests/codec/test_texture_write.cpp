// KTX2 and DDS files are read back with ktx-parse and parse-dds, and DDS, of which no program at hand reads all kinds,
// also field by field as Microsoft's documents name them.
#include "core/base/error.h"
#include "core/codec/codec.h"
#include "core/codec/common/bytes.h"
#include "core/image/primaries.h"
#include "tests/support/error_of.h"
#include "tests/support/json.h"
#include "tests/support/process.h"
#include "tests/support/skip.h"
#include "tests/support/synthetic_images.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <numeric>

using namespace gpupost;
using json = nlohmann::json;

namespace {

constexpr Size size{17, 9};
constexpr int level_count = 5;  // all of them

Picture picture_of(std::string_view names, Depth depth, Transfer transfer, uint32_t seed = 0, Size base = size) {
  return noise_of_channels(names, depth, transfer, base, seed);
}

// What a level's bytes have to be: `component_count` of each texel as they stand in the picture.
std::string level_bytes(const Picture& picture, int level, size_t component_count) {
  const Group& group = picture.groups[0];
  const size_t bytes = bytes_of(group.depth);
  const std::string_view all = text_of(group.levels[size_t(level)].texels.bytes());
  std::string chosen;
  for (size_t at = 0; at < all.size(); at += 4 * bytes) chosen += all.substr(at, component_count * bytes);
  return chosen;
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// What another program sees in a file; null, and the running test counted as skipped, where that is not installed.
json read_back(const std::string& name, Bytes file) {
  const std::string installed = std::string(GPUPOST_READERS) + "/node_modules";
  if (!std::filesystem::exists(installed)) {
    test::skip("ktx-parse and parse-dds are not installed (./setup.sh test does, from npm)");
    return {};
  }
  const test::TemporaryFolder folder;
  folder.write(name, std::string(text_of(file)));
  const test::Finished finished = test::run(
      {.program = "/usr/bin/env", .words = {"node", "tests/readers/read.cjs", GPUPOST_READERS, folder.path(name)}});
  REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
  return gpupost::test::parse_json(finished.out);
}

struct Kind {
  std::string_view names;
  Depth depth;
  Transfer transfer;
  size_t component_count;
  uint32_t vulkan, dxgi;  // VkFormat and DXGI_FORMAT; of the latter 0: there is none
};

const Kind kinds[] = {
    {"RGBA", Depth::u8, Transfer::srgb, 4, 43, 29},    {"RGBA", Depth::u8, Transfer::linear, 4, 37, 28},
    {"RGB", Depth::u8, Transfer::srgb, 4, 43, 29},     {"YA", Depth::u8, Transfer::srgb, 4, 43, 29},
    {"Y", Depth::u8, Transfer::srgb, 1, 15, 0},        {"Y", Depth::u8, Transfer::linear, 1, 9, 61},
    {"RG", Depth::u8, Transfer::srgb, 2, 22, 0},       {"RG", Depth::u8, Transfer::linear, 2, 16, 49},
    {"RGBA", Depth::u16, Transfer::linear, 4, 91, 11}, {"Y", Depth::u16, Transfer::linear, 1, 70, 56},
    {"RG", Depth::u16, Transfer::linear, 2, 77, 35},   {"RGBA", Depth::half, Transfer::linear, 4, 97, 10},
    {"RGB", Depth::half, Transfer::linear, 4, 97, 10}, {"R", Depth::half, Transfer::linear, 1, 76, 54},
    {"RG", Depth::half, Transfer::linear, 2, 83, 34},  {"RGBA", Depth::f32, Transfer::linear, 4, 109, 2},
    {"Y", Depth::f32, Transfer::linear, 1, 100, 41},   {"RG", Depth::f32, Transfer::linear, 2, 103, 16},
};

EncodeOptions options_of(const Kind& kind) {
  return {.depth = kind.depth, .mipmapped = true, .transfer = kind.transfer};
}

bool has_alpha(const Kind& kind) { return kind.names.find('A') != kind.names.npos; }

// One component in the data format descriptor.
json sample_of(const Kind& kind, size_t component) {
  const auto bits = 8 * bytes_of(kind.depth);
  const bool is_of_floats = is_float(kind.depth);
  int channel = component == 3 ? 15 : int(component);
  if (is_of_floats) channel |= 0x80 | 0x40;                                // float, signed
  if (component == 3 && kind.transfer == Transfer::srgb) channel |= 0x10;  // linear
  return {{"bitOffset", bits * component},
          {"bitLength", bits - 1},
          {"channelType", channel},
          {"samplePosition", {0, 0, 0, 0}},
          {"sampleLower", is_of_floats ? std::bit_cast<int32_t>(-1.0f) : 0},
          {"sampleUpper", is_of_floats              ? std::bit_cast<int32_t>(1.0f)
                          : kind.depth == Depth::u8 ? 255
                                                    : 65535}};
}

json descriptor_of(const Kind& kind) {
  json samples = json::array();
  for (size_t component = 0; component < kind.component_count; ++component)
    samples.push_back(sample_of(kind, component));
  return {{"vendorId", 0},
          {"descriptorType", 0},
          {"versionNumber", 2},
          {"colorModel", 1},      // RGBSDA
          {"colorPrimaries", 1},  // Rec. 709
          {"transferFunction", kind.transfer == Transfer::srgb ? 2 : 1},
          {"flags", is_float(kind.depth) && has_alpha(kind) ? 1 : 0},  // premultiplied
          {"texelBlockDimension", {0, 0, 0, 0}},
          {"bytesPlane", {kind.component_count * bytes_of(kind.depth), 0, 0, 0, 0, 0, 0, 0}},
          {"samples", samples}};
}

// A DDS header, 32 bits each, by their names.
std::map<std::string, uint32_t> dds_fields(Bytes file) {
  const char* names[] = {"magic",     "size",      "flags", "height",    "width",      "pitch",     "depth",
                         "mipCount",  "r0",        "r1",    "r2",        "r3",         "r4",        "r5",
                         "r6",        "r7",        "r8",    "r9",        "r10",        "pf.size",   "pf.flags",
                         "pf.fourCC", "pf.bits",   "pf.r",  "pf.g",      "pf.b",       "pf.a",      "caps",
                         "caps2",     "caps3",     "caps4", "reserved2", "dxgiFormat", "dimension", "miscFlag",
                         "arraySize", "miscFlags2"};
  std::map<std::string, uint32_t> fields;
  for (size_t i = 0; i < std::size(names); ++i) fields[names[i]] = little_at<uint32_t>(file, 4 * i);
  return fields;
}
constexpr size_t dds_header_bytes = 4 + 124 + 20;

constexpr uint32_t dds_flags =
    0x1 | 0x2 | 0x4 | 0x8 | 0x1000 | 0x20000;  // CAPS HEIGHT WIDTH PITCH PIXELFORMAT MIPMAPCOUNT

// Six pictures of floats for one file.
struct Six {
  std::vector<Picture> pictures;
  explicit Six(Size base) {
    for (uint32_t i = 0; i < 6; ++i)
      pictures.push_back(picture_of("RGBA", Depth::f32, Transfer::linear, 100 * i, base));
  }
  Encoded encoded(const char* format, Arrangement arrangement) const {
    std::vector<Source> sources;
    for (const Picture& picture : pictures) sources.push_back({.picture = &picture});
    return encode(*format_named(format), sources, arrangement, {.depth = Depth::f32, .mipmapped = true});
  }
};

}  // namespace

TEST_CASE("ktx-parse reads every field and every level of a KTX2 file, and would write the same bytes") {
  for (const Kind& kind : kinds) {
    CAPTURE(kind.vulkan);
    const Picture picture = picture_of(kind.names, kind.depth, kind.transfer);
    const Encoded encoded = encode(*format_named("ktx2"), picture, options_of(kind));
    CHECK(encoded.warnings.empty());
    const json file = read_back("made.ktx2", encoded.bytes.bytes());
    if (file.is_null()) return;
    CHECK(file["vkFormat"] == kind.vulkan);
    CHECK(file["typeSize"] == bytes_of(kind.depth));
    CHECK(file["pixelWidth"] == size.width);
    CHECK(file["pixelHeight"] == size.height);
    CHECK(file["pixelDepth"] == 0);
    CHECK(file["layerCount"] == 0);
    CHECK(file["faceCount"] == 1);
    CHECK(file["levelCount"] == level_count);
    CHECK(file["supercompressionScheme"] == 0);
    CHECK(file["globalData"].is_null());
    CHECK(file["dataFormatDescriptor"] == json::array({descriptor_of(kind)}));
    json pairs{{"KTXorientation", "rd"}, {"KTXwriter", "gpupost " GPUPOST_VERSION}};
    if (kind.component_count == 4 && !has_alpha(kind)) pairs["KTXswizzle"] = "rgb1";
    CHECK(file["keyValue"] == pairs);
    CHECK(file["is_rewritten_alike"] == true);
    size_t end = encoded.bytes.size();
    for (int level = 0; level < level_count; ++level) {
      const json& there = file["levels"][size_t(level)];
      const std::string expected = level_bytes(picture, level, kind.component_count);
      CHECK(there["data"] == hex(expected));
      CHECK(there["uncompressedByteLength"] == expected.size());
      CHECK(there["offset"].get<size_t>() % std::lcm(size_t(4), kind.component_count * bytes_of(kind.depth)) == 0);
      CHECK(there["offset"].get<size_t>() + expected.size() <= end);  // the base stands last
      end = there["offset"].get<size_t>();
    }
  }
}

TEST_CASE("ktx-parse reads the descriptor of each kind of blocks, and would write the same bytes") {
  const auto sample = [](int offset, int bits, int channel, uint32_t upper) -> json {
    return {{"bitOffset", offset}, {"bitLength", bits - 1}, {"channelType", channel}, {"samplePosition", {0, 0, 0, 0}},
            {"sampleLower", 0},    {"sampleUpper", upper}};
  };
  constexpr uint32_t all = UINT32_MAX, one = 0x3f800000;
  struct Blocks {
    Compression compression;
    std::string_view names;
    Transfer transfer;
    int model, bytes;
    std::vector<json> samples;
  };
  const Blocks rows[] = {
      {Compression::bc1, "RGB", Transfer::srgb, 128, 8, {sample(0, 64, 0, all)}},
      {Compression::bc3, "RGBA", Transfer::srgb, 130, 16, {sample(0, 64, 15 | 0x10, all), sample(64, 64, 0, all)}},
      {Compression::bc3, "RGBA", Transfer::linear, 130, 16, {sample(0, 64, 15, all), sample(64, 64, 0, all)}},
      {Compression::bc4, "Y", Transfer::linear, 131, 8, {sample(0, 64, 0, all)}},
      {Compression::bc5, "RG", Transfer::linear, 132, 16, {sample(0, 64, 0, all), sample(64, 64, 1, all)}},
      {Compression::bc6h, "RGB", Transfer::linear, 133, 16, {sample(0, 128, 0x80, one)}},
      {Compression::bc7, "RGBA", Transfer::srgb, 134, 16, {sample(0, 128, 0, all)}},
  };
  for (const Blocks& row : rows) {
    const Depth depth = *block_depth_of(row.compression);
    CAPTURE(row.model);
    const Encoded encoded =
        encode(*format_named("ktx2"), picture_of(row.names, depth, row.transfer),
               {.depth = depth, .compression = row.compression, .mipmapped = true, .transfer = row.transfer});
    const json file = read_back("made.ktx2", encoded.bytes.bytes());
    if (file.is_null()) return;
    CHECK(file["typeSize"] == 1);
    CHECK(file["is_rewritten_alike"] == true);
    const json& descriptor = file["dataFormatDescriptor"][0];
    CHECK(descriptor["colorModel"] == row.model);
    CHECK(descriptor["transferFunction"] == (row.transfer == Transfer::srgb ? 2 : 1));
    CHECK(descriptor["texelBlockDimension"] == json{3, 3, 0, 0});
    CHECK(descriptor["bytesPlane"] == json{row.bytes, 0, 0, 0, 0, 0, 0, 0});
    CHECK(descriptor["samples"] == json(row.samples));
    for (int level = 0; level < level_count; ++level) {
      const Size of_level = level_size(size, level);
      const int blocks = (of_level.width + 3) / 4 * ((of_level.height + 3) / 4);
      CHECK(file["levels"][size_t(level)]["uncompressedByteLength"] == blocks * row.bytes);
      CHECK(file["levels"][size_t(level)]["offset"].get<int>() % row.bytes == 0);
    }
  }
}

TEST_CASE("a DDS file has the fields that its documents ask for, and every level") {
  for (const Kind& kind : kinds) {
    if (kind.dxgi == 0) continue;
    CAPTURE(kind.dxgi);
    const Picture picture = picture_of(kind.names, kind.depth, kind.transfer);
    const Encoded encoded = encode(*format_named("dds"), picture, options_of(kind));
    CHECK(encoded.warnings.empty());
    auto fields = dds_fields(encoded.bytes.bytes());
    const std::map<std::string, uint32_t> expected{
        {"magic", 0x20534444},  // "DDS "
        {"size", 124},
        {"flags", dds_flags},
        {"height", 9},
        {"width", 17},
        {"pitch", uint32_t(17 * kind.component_count * bytes_of(kind.depth))},
        {"depth", 1},
        {"mipCount", level_count},
        {"pf.size", 32},
        {"pf.flags", 4},            // FOURCC
        {"pf.fourCC", 0x30315844},  // "DX10"
        {"caps", 0x1000 | 0x400000 | 0x8},
        {"dxgiFormat", kind.dxgi},
        {"dimension", 3},  // TEXTURE2D
        {"arraySize", 1},
        {"miscFlags2", !has_alpha(kind)       ? 3u
                       : is_float(kind.depth) ? 2u
                                              : 1u}};
    for (const auto& [name, value] : fields)
      CHECK_MESSAGE(value == (expected.contains(name) ? expected.at(name) : 0), name);
    std::string levels;
    for (int level = 0; level < level_count; ++level) levels += level_bytes(picture, level, kind.component_count);
    CHECK((text_of(encoded.bytes.bytes()).substr(dds_header_bytes) == levels));
  }
}

TEST_CASE("a cube has six faces in both containers, an array its layers") {
  const Six six({8, 8});
  for (const Arrangement arrangement : {Arrangement::cube, Arrangement::array}) {
    const bool is_cube = arrangement == Arrangement::cube;
    const Encoded dds = six.encoded("dds", arrangement), ktx2 = six.encoded("ktx2", arrangement);
    std::string images;
    for (const Picture& picture : six.pictures)
      for (int level = 0; level < 4; ++level) images += level_bytes(picture, level, 4);
    CHECK((text_of(dds.bytes.bytes()).substr(dds_header_bytes) == images));
    auto fields = dds_fields(dds.bytes.bytes());
    CHECK(fields["caps"] == 0x401008);
    CHECK(fields["caps2"] == (is_cube ? 0xfe00 : 0));
    CHECK(fields["miscFlag"] == (is_cube ? 4 : 0));
    CHECK(fields["arraySize"] == (is_cube ? 1 : 6));

    const json file = read_back("made.ktx2", ktx2.bytes.bytes());
    if (file.is_null()) return;
    CHECK(file["faceCount"] == (is_cube ? 6 : 1));
    CHECK(file["layerCount"] == (is_cube ? 0 : 6));
    CHECK(file["is_rewritten_alike"] == true);
    for (int level = 0; level < 4; ++level) {
      std::string expected;
      for (const Picture& picture : six.pictures) expected += level_bytes(picture, level, 4);
      CHECK(file["levels"][size_t(level)]["data"] == hex(expected));
    }
  }
}

TEST_CASE("layers of different sizes are refused, never scrambled") {
  Six six({4, 4});
  six.pictures[1] = picture_of("RGBA", Depth::f32, Transfer::linear, 0, {2, 8});
  for (const char* format : {"ktx2", "dds"})
    CHECK(error_of([&] { six.encoded(format, Arrangement::array); }, Exit::bug) ==
          fmt::format("{}: level 0 of image 1 has 2 x 8 texels", format));
}

TEST_CASE("parse-dds finds each face of a cube of floats, and each level, where they are") {
  const Six six({8, 8});
  const json file = read_back("made.dds", six.encoded("dds", Arrangement::cube).bytes.bytes());
  if (file.is_null()) return;
  CHECK(file["cubemap"] == true);
  CHECK(file["format"] == "rgba32f");
  CHECK(file["shape"] == json{8, 8});
  REQUIRE(file["images"].size() == 6 * 4);
  for (size_t image = 0; image < 6 * 4; ++image)
    CHECK(file["images"][image]["data"] == hex(level_bytes(six.pictures[image / 4], int(image % 4), 4)));
}

TEST_CASE("a level alone is a file of one level") {
  const Picture picture = picture_of("RGBA", Depth::half, Transfer::linear);
  for (const char* format : {"ktx2", "dds"}) {
    const Encoded encoded = encode(*format_named(format), picture, {.depth = Depth::half, .level = 2});
    const std::string level = level_bytes(picture, 2, 4);
    CHECK((text_of(encoded.bytes.bytes()).ends_with(level)));
    CHECK(encoded.bytes.size() < level.size() + 400);
  }
}

TEST_CASE("level 0 is written as it was read, the others as their linear numbers are encoded") {
  const BaseLevel base{picture_of("RGBA", Depth::u8, Transfer::srgb)};
  Picture working = picture_of("RGBA", Depth::f32, Transfer::linear);
  for (Level& level : working.groups[0].levels)
    for (size_t i = 0; i < 4 * texel_count(level.size); ++i) level.texels.as<float>()[i] = i % 4 == 3 ? 0.5f : 0.25f;
  const Source source{.picture = &working, .base = &base};
  const Encoded encoded = encode(*format_named("dds"), std::span(&source, 1), Arrangement::single,
                                 {.depth = Depth::u8, .mipmapped = true, .transfer = Transfer::srgb});
  const std::string_view texels = text_of(encoded.bytes.bytes()).substr(dds_header_bytes);
  const size_t base_bytes = 4 * texel_count(size);
  CHECK((texels.substr(0, base_bytes) == level_bytes(base.picture, 0, 4)));
  for (size_t at = base_bytes; at < texels.size(); at += 4)  // 0.25 under an alpha of 0.5 is 0.5, which is 188 in sRGB
    CHECK(hex(texels.substr(at, 4)) == "bcbcbc80");
}

TEST_CASE("what is clipped is said once for all levels, and what is dropped") {
  Picture picture = picture_of("RGBA", Depth::f32, Transfer::linear);
  for (Level& level : picture.groups[0].levels) level.texels.as<float>()[3] = 2;
  picture.groups.push_back(made_group({{{"Z", Depth::f32}, {}, {}, {}}}, Depth::f32, size, level_count,
                                      [](int, int, size_t, int) { return 0u; }));
  const Encoded encoded =
      encode(*format_named("ktx2"), picture, {.depth = Depth::u8, .mipmapped = true, .transfer = Transfer::linear});
  REQUIRE(encoded.warnings.size() >= 2);
  CHECK_MESSAGE(encoded.warnings[0].find("% of the values are above 1 and were clamped") != std::string::npos,
                encoded.warnings[0]);
  CHECK(encoded.warnings.back() == "ktx2 holds only color and alpha; dropped channels: Z");
}

TEST_CASE("eight bits of sRGB with fewer than four components are widened for DDS, which says so") {
  for (const auto& [names, component_count] : {std::pair{"Y", "one"}, {"RG", "two"}}) {
    const Picture picture = picture_of(names, Depth::u8, Transfer::srgb);
    const Encoded encoded =
        encode(*format_named("dds"), picture, {.depth = Depth::u8, .mipmapped = true, .transfer = Transfer::srgb});
    REQUIRE(encoded.warnings.size() == 1);
    CHECK_MESSAGE(
        encoded.warnings[0].find(fmt::format("no sRGB format for {} component", component_count)) != std::string::npos,
        encoded.warnings[0]);
    CHECK(dds_fields(encoded.bytes.bytes())["dxgiFormat"] == 29);
    const std::string_view texels = text_of(encoded.bytes.bytes()).substr(dds_header_bytes);
    CHECK((texels.substr(0, 4 * size.width * size.height) == level_bytes(picture, 0, 4)));
  }
}

TEST_CASE("a KTX2 file does not say that other primaries are those of Rec. 709") {
  const auto primaries_in = [](const Picture& picture) {
    const Encoded encoded = encode(*format_named("ktx2"), picture, {.depth = Depth::u8, .transfer = Transfer::srgb});
    const Bytes file = encoded.bytes.bytes();
    return int(file[little_at<uint32_t>(file, 48) + 13]);
  };
  Picture picture = picture_of("RGB", Depth::u8, Transfer::srgb, 0);
  CHECK(primaries_in(picture) == 1);
  set_primaries(picture, p3_d65);
  CHECK(primaries_in(picture) == 0);  // unspecified
}
