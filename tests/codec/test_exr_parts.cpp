// The other parts of an EXR, which are copied byte for byte.
#include "tests/codec/make_files.h"
#include "tests/codec/reference.h"
#include "tests/support/error_of.h"

#include "core/codec/exr/header.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfDeepFrameBuffer.h>
#include <OpenEXR/ImfDeepScanLineInputPart.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfMultiPartInputFile.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfTimeCodeAttribute.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace gpupost;

namespace {

DeepRecipe deep_recipe(int tile_side) {
  DeepRecipe recipe{.channels = {{"A", Depth::half}, {"R", Depth::half}, {"Z", Depth::f32}}, .tile_side = tile_side};
  recipe.count = [](int x, int y) { return unsigned(x + 2 * y) % 4; };
  recipe.value = [](size_t channel, int x, int y, unsigned i) { return double(channel) + x * 0.5 + y + i; };
  return recipe;
}

// Ten parts: most compressions, lines and tiles, levels, depths, windows, views, deep data.
std::vector<PartRecipe> ten_parts() {
  const std::vector<Channel> wide = {{"Z", Depth::f32}, {"id", Depth::u32}};
  const auto owner = [](Imf::Header& header) { Imf::addOwner(header, "the studio"); };
  std::vector<PartRecipe> parts(10);
  for (size_t i = 0; i < parts.size(); ++i)
    parts[i] = {.name = "part " + std::to_string(i), .view = i % 2 ? "right" : "left"};
  parts[0].flat = {.compression = Imf::ZIP_COMPRESSION, .change_header = owner};
  parts[1].flat = {.min_x = 4, .min_y = -7, .compression = Imf::PIZ_COMPRESSION, .change_header = owner};
  parts[2].flat = {.channels = wide, .compression = Imf::ZIPS_COMPRESSION};
  parts[3].flat = {.width = 40, .height = 50, .compression = Imf::DWAA_COMPRESSION};
  parts[4].flat = {.compression = Imf::B44_COMPRESSION, .tile_side = 16, .level_mode = Imf::MIPMAP_LEVELS};
  parts[5].flat = {.channels = wide, .compression = Imf::NO_COMPRESSION, .line_order = Imf::DECREASING_Y};
  parts[6].flat = {.compression = Imf::PXR24_COMPRESSION, .tile_side = 8};
  parts[7].flat = {.channels = {{"a.very.long.name.of.a.layer.beside.it.Z", Depth::half}},
                   .compression = Imf::RLE_COMPRESSION};
  parts[8].deep = deep_recipe(0);
  parts[9].deep = deep_recipe(4);
  return parts;
}

File encoded_with(const Decoded& decoded, EncodeOptions options = {.keep_depths = true}) {
  const Source source{.picture = &decoded.picture, .others = &decoded.others};
  const Encoded encoded = encode(*format_named("exr"), std::span(&source, 1), Arrangement::single, options);
  CHECK(encoded.warnings.empty());
  CHECK(encoded.has_other_parts);
  const Bytes bytes = encoded.bytes.bytes();
  return {bytes.begin(), bytes.end()};
}

// The texels of level 0 of a flat part, as OpenEXR reads them.
std::string texels_of(Imf::MultiPartInputFile& file, int part) {
  Imf::InputPart input(file, part);
  const Imath::Box2i window = input.header().dataWindow();
  const auto width = size_t(window.max.x - window.min.x + 1), height = size_t(window.max.y - window.min.y + 1);
  std::string all;
  for (auto channel = input.header().channels().begin(); channel != input.header().channels().end(); ++channel) {
    const size_t bytes = channel.channel().type == Imf::HALF ? 2 : 4;
    std::string plane(width * height * bytes, '\0');
    Imf::FrameBuffer buffer;
    const int64_t origin = (int64_t(window.min.y) * int64_t(width) + window.min.x) * int64_t(bytes);
    buffer.insert(channel.name(), Imf::Slice(channel.channel().type, plane.data() - origin, bytes, bytes * width));
    input.setFrameBuffer(buffer);
    input.readPixels(window.min.y, window.max.y);
    all += plane;
  }
  return all;
}

std::vector<unsigned> sample_counts(Imf::MultiPartInputFile& file, int part) {
  Imf::DeepScanLineInputPart input(file, part);
  const Imath::Box2i window = input.header().dataWindow();
  const auto width = size_t(window.max.x + 1), height = size_t(window.max.y + 1);
  std::vector<unsigned> counts(width * height);
  Imf::DeepFrameBuffer buffer;
  buffer.insertSampleCountSlice(Imf::Slice(Imf::UINT, reinterpret_cast<char*>(counts.data()), 4, 4 * width));
  input.setFrameBuffer(buffer);
  input.readPixelSampleCounts(window.min.y, window.max.y);
  return counts;
}

// Whether part `after` of one file has the header and the chunks of part `before` of another, byte for byte.
bool is_same_part(const File& before_file, const File& after_file, size_t part) {
  const ExrHeader before = parse_exr_headers(before_file, {})[part], after = parse_exr_headers(after_file, {})[part];
  if (!std::ranges::equal(before.raw, after.raw) || before.chunk_count() != after.chunk_count()) return false;
  for (size_t chunk = 0; chunk < before.chunk_count(); ++chunk)
    if (!std::ranges::equal(whole_chunk(before_file, before, chunk), whole_chunk(after_file, after, chunk)))
      return false;
  return true;
}

}  // namespace

TEST_CASE("the other nine of ten parts are copied byte for byte, and OpenEXR reads all ten") {
  const File file = make_exr_of_parts(ten_parts());
  MemoryInput before_stream(file);
  Imf::MultiPartInputFile before(before_stream);
  for (const int part : {0, 3, 4, 9}) {
    CAPTURE(part);
    const Decoded decoded = decode_bytes(file, {.part = std::to_string(part), .flattens = true, .keeps_parts = true});
    CHECK(decoded.warnings.empty());
    CHECK(decoded.others.name == "part " + std::to_string(part));
    CHECK(decoded.others.names.size() == 9);
    for (const Compression compression : {Compression::zip, Compression::piz}) {
      const File joined = encoded_with(decoded, {.keep_depths = true, .compression = compression});
      MemoryInput after_stream(joined);
      Imf::MultiPartInputFile after(after_stream);
      REQUIRE(after.parts() == 10);
      for (int other = 0; other < 10; ++other) {
        CHECK(after.header(other).name() == "part " + std::to_string(other));
        CHECK(after.header(other).view() == (other % 2 ? "right" : "left"));
        if (other == part) continue;
        CHECK(is_same_part(file, joined, size_t(other)));
        if (other < 8) CHECK(texels_of(before, other) == texels_of(after, other));
        if (other == 8) CHECK(sample_counts(before, other) == sample_counts(after, other));
      }
      CHECK(after.header(part).type() == Imf::SCANLINEIMAGE);
      const bool is_lossless = part == 0;
      if (is_lossless) CHECK(texels_of(before, part) == texels_of(after, part));
      if (part == 0) CHECK(Imf::owner(after.header(0)) == "the studio");
      CHECK(decode_bytes(joined, {.part = std::to_string(part)}).picture.data_window == decoded.picture.data_window);
      // a second time
      const Decoded again = decode_bytes(joined, {.part = std::to_string(part), .keeps_parts = true});
      CHECK(encoded_with(again, {.keep_depths = true, .compression = compression}) == joined);
    }
  }
}

TEST_CASE("a part with all its levels is written beside the others") {
  std::vector<PartRecipe> recipes{{.name = "texture"}, {.name = "depth"}};
  recipes[0].flat = {.width = 64, .height = 64, .tile_side = 16};
  const File file = make_exr_of_parts(recipes);
  Decoded decoded = decode_bytes(file, {.keeps_parts = true});
  Group& color = decoded.picture.groups[0];
  for (int level = 1; level < 7; ++level) {
    const Size size = level_size({64, 64}, level);
    color.levels.push_back({.size = size, .texels = TexelBuffer(texel_count(size) * 8)});
  }
  const File joined = encoded_with(decoded, {.keep_depths = true, .mipmapped = true});
  MemoryInput stream(joined);
  Imf::MultiPartInputFile after(stream);
  CHECK(after.header(0).type() == Imf::TILEDIMAGE);
  CHECK(after.header(0).tileDescription().mode == Imf::MIPMAP_LEVELS);
  CHECK(texels_of(after, 0).size() == 64u * 64 * 8);
  CHECK(is_same_part(file, joined, 1));
}

TEST_CASE("other parts are dropped with a warning if the parts cannot be in one file") {
  const File file = make_exr_of_parts({{.name = "one"}, {.name = "two"}, {.name = "three"}});
  Decoded decoded = decode_bytes(file, {.part = "two", .keeps_parts = true});
  decoded.picture.display_window = {0, 0, 99, 99};
  const Source source{.picture = &decoded.picture, .others = &decoded.others};
  const Encoded encoded =
      encode(*format_named("exr"), std::span(&source, 1), Arrangement::single, {.keep_depths = true});
  CHECK(encoded.warnings ==
        std::vector<std::string>{"the other parts are dropped, because all parts must have the same displayWindow; "
                                 "dropped parts: one, three (write each to its own file with --part)"});
  CHECK(!encoded.has_other_parts);
  const Bytes bytes = encoded.bytes.bytes();
  CHECK(parse_exr_headers(bytes, {}).size() == 1);
}

TEST_CASE("other parts stay if only part 0 has chromaticities or a time code") {
  const auto change = [](Imf::Header& header) {
    Imf::addChromaticities(header, {{0.68f, 0.32f}, {0.265f, 0.69f}, {0.15f, 0.06f}, {0.314f, 0.351f}});
    header.insert("timecode", Imf::TimeCodeAttribute(Imf::TimeCode(1, 2, 3, 4)));
  };
  // OpenEXR writes both into all parts, so they are renamed in part 1
  const File whole = make_exr_of_parts(
      {{.name = "one", .flat = {.change_header = change}}, {.name = "two", .flat = {.change_header = change}}});
  File file = whole;
  for (const std::string_view name : {"chromaticities", "timecode"}) {
    const size_t at = text_of(whole).rfind(std::string(name) + '\0' + std::string(name) + '\0');
    REQUIRE(at != std::string_view::npos);
    file[at] = std::byte('x');
  }
  for (const char* part : {"0", "1"}) {
    const Decoded decoded = decode_bytes(file, {.part = part, .keeps_parts = true});
    const File joined = encoded_with(decoded);
    MemoryInput stream(joined);
    CHECK(Imf::MultiPartInputFile(stream).parts() == 2);
  }
  Decoded decoded = decode_bytes(whole, {.part = "0", .keeps_parts = true});
  std::erase_if(decoded.picture.attributes,
                [](const Attribute& attribute) { return attribute.name == "chromaticities"; });
  const Source source{.picture = &decoded.picture, .others = &decoded.others};
  const Encoded encoded =
      encode(*format_named("exr"), std::span(&source, 1), Arrangement::single, {.keep_depths = true});
  REQUIRE(encoded.warnings.size() == 1);
  CHECK(encoded.warnings[0].find("must have the same chromaticities; dropped parts: two") != std::string::npos);
}

TEST_CASE("a damaged part is not copied, and the message names it") {
  const File file = make_exr_of_parts(ten_parts());
  const std::vector<ExrHeader> parts = parse_exr_headers(file, {});
  const DecodeOptions keeping{.part = "0", .keeps_parts = true};
  for (const size_t part : {2u, 6u, 8u, 9u}) {
    File changed = file;
    const Bytes chunk = whole_chunk(file, parts[part], 0);
    const size_t end = size_t(chunk.data() - file.data()) + chunk.size();
    for (size_t i = 1; i <= chunk.size() / 2 && i <= 40; ++i) changed[end - i] = std::byte(0xff);
    const std::string refusal = refusal_of(changed, keeping);
    CHECK_MESSAGE(refusal.find("part " + std::to_string(part) + " (part " + std::to_string(part) +
                               "): is damaged: chunk 1") != std::string::npos,
                  part, ": ", refusal);
  }
  CHECK(refusal_of(file, keeping) == "");
}

TEST_CASE("damage of parts and levels that are not read is found on request") {
  const File file = make_exr_of_parts(ten_parts());
  const Bytes chunk_of_part = whole_chunk(file, parse_exr_headers(file, {})[6], 0);
  File part = file;
  for (size_t i = 1; i <= 40; ++i)
    part[size_t(chunk_of_part.data() - file.data()) + chunk_of_part.size() - i] = std::byte(0xff);
  CHECK(refusal_of(file, {.checks_all = true}) == "");
  CHECK(refusal_of(part) == "");
  CHECK(refusal_of(part, {.checks_all = true}).starts_with("2 file: part 6 (part 6): is damaged: chunk 1"));
  const File single = make_exr({.width = 64, .height = 64, .tile_side = 64, .level_mode = Imf::MIPMAP_LEVELS});
  const Bytes chunk = whole_chunk(single, parse_exr_headers(single, {}).front(), 1);
  File level = single;
  for (size_t i = 1; i <= 40; ++i) level[size_t(chunk.data() - single.data()) + chunk.size() - i] = std::byte(0xff);
  CHECK(refusal_of(single, {.checks_all = true}) == "");
  CHECK(refusal_of(level) == "");
  CHECK(refusal_of(level, {.checks_all = true}).starts_with("2 file: is damaged: chunk 2"));
}

TEST_CASE("packed parts of a worker that lies do no harm") {
  const File file = make_exr_of_parts(ten_parts());
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    Decoded decoded = decode_bytes(file, {.part = "0", .keeps_parts = true});
    const std::span<uint8_t> bytes = decoded.others.bytes.as<uint8_t>();
    // sizes are at the start of each part, so half of the changes are there
    for (int change = 0; change < 3; ++change)
      bytes[random() % (seed % 2 ? bytes.size() : size_t(400))] = uint8_t(random() % 3 ? random() : 255);
    const Source source{.picture = &decoded.picture, .others = &decoded.others};
    error_of([&] { encode(*format_named("exr"), std::span(&source, 1), Arrangement::single, {.keep_depths = true}); },
             Exit::input);
  }
}

TEST_CASE("a file of ten parts with random changes is refused or copied whole, and nothing crashes") {
  const File file = make_exr_of_parts(ten_parts());
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    File changed = file;
    // half of them in the headers and tables
    const size_t within = seed % 2 ? changed.size() : 5000;
    for (int change = 0; change < 2; ++change) changed[random() % within] = std::byte(random());
    const DecodeOptions options{.part = "0", .keeps_parts = true};
    const std::string refusal = refusal_of(changed, options);
    CHECK_MESSAGE(refusal.find("crashed") == std::string::npos, refusal);
    if (!refusal.empty()) continue;
    const Decoded decoded = decode_bytes(changed, options);
    if (decoded.others.names.size() != 9) continue;
    const Source source{.picture = &decoded.picture, .others = &decoded.others};
    const Encoded encoded =
        encode(*format_named("exr"), std::span(&source, 1), Arrangement::single, {.keep_depths = true});
    if (!encoded.has_other_parts) continue;
    const Bytes bytes = encoded.bytes.bytes();
    const File joined(bytes.begin(), bytes.end());
    for (size_t part = 1; part < 10; ++part) CHECK(is_same_part(changed, joined, part));
  }
}
