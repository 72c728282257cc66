#include "core/codec/exr/header.h"
#include "tests/codec/make_files.h"
#include "tests/support/error_of.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <doctest/doctest.h>

#include <algorithm>

using namespace gpupost;

namespace {

size_t place_of(const File& file, std::string_view text) { return text_of(file).find(text); }

// Byte of an attribute's value.
size_t value_of(const File& file, std::string_view name, std::string_view type) {
  return place_of(file, std::string(name) + '\0' + std::string(type) + '\0') + name.size() + type.size() + 2 + 4;
}

template <class Number>
File with(File file, size_t at, Number number) {
  std::memcpy(&file[at], &number, sizeof number);
  return file;
}

ExrHeader parse_exr_header(const File& file) { return parse_exr_headers(file, {}).front(); }

// What the structural check says of a file: "" if nothing.
std::string complaint(const File& file, const Limits& limits = {}) {
  const auto check = [&] {
    for (const ExrHeader& part : parse_exr_headers(file, limits)) check_exr_chunks(file, part);
  };
  return error_of(check, Exit::input);
}

}  // namespace

TEST_CASE("the header of a file says what was put into it") {
  const File file =
      make_exr({.width = 5, .height = 40, .min_x = -3, .min_y = 7, .change_header = [](Imf::Header& header) {
                  header.displayWindow() = Imath::Box2i({-10, -20}, {30, 40});
                  header.insert("owner", Imf::StringAttribute("nobody"));
                }});
  const ExrHeader header = parse_exr_header(file);
  CHECK(header.data_window == Window{-3, 7, 1, 46});
  CHECK(header.display_window == Window{-10, -20, 30, 40});
  CHECK(name_of_compression(header.compression) == "zip");
  CHECK(header.channels.size() == 4);
  CHECK(header.chunk_count() == 3);
  CHECK(header.attributes.size() == 4);
  const auto owner = std::ranges::find(header.attributes, "owner", &Attribute::name);
  REQUIRE(owner != header.attributes.end());
  CHECK(std::string(owner->value.begin(), owner->value.end()) == "nobody");
  check_exr_chunks(file, header);
}

TEST_CASE("levels are counted and measured as OpenEXR does") {
  const File down = make_exr({.width = 17, .height = 9, .tile_side = 4, .level_mode = Imf::MIPMAP_LEVELS});
  const ExrHeader header = parse_exr_header(down);
  REQUIRE(header.levels.size() == 5);
  CHECK(header.levels[3].size == Size{2, 1});
  const File up =
      make_exr({.width = 17, .height = 9, .tile_side = 4, .level_mode = Imf::MIPMAP_LEVELS, .rounding = Imf::ROUND_UP});
  REQUIRE(parse_exr_header(up).levels.size() == 6);
  CHECK(parse_exr_header(up).levels[3].size == Size{3, 2});
  const File both = make_exr({.width = 17, .height = 9, .tile_side = 4, .level_mode = Imf::RIPMAP_LEVELS});
  CHECK(parse_exr_header(both).levels.size() == 20);
  for (const File& file : {down, up, both}) CHECK(complaint(file) == "");
}

TEST_CASE("each damaged field of an EXR header is refused, and named") {
  const File file = make_exr({.change_header = [](Imf::Header& header) {
    for (const char* name : {"twin.1", "twin.2"}) header.insert(name, Imf::StringAttribute("same"));
  }});
  const size_t window = value_of(file, "dataWindow", "box2i");
  const size_t channels = value_of(file, "channels", "chlist");
  struct Case {
    const char* said;
    File file;
  };
  const Case cases[] = {
      {"does not start", with(file, 0, uint8_t(0))},
      {"EXR version 3", with(file, 4, uint8_t(3))},
      {"has no attribute type, which every EXR file has", with(file, 5, uint8_t(8))},
      {"has no attribute chunkCount, which every EXR part has", with(file, 5, uint8_t(16))},
      {"are not supported", with(file, 6, uint8_t(1))},
      {"has no attribute tiles", with(file, 5, uint8_t(2))},
      {"must be chlist", with(file, channels - 4 - 7, 'k')},
      {"claims 4294967295 bytes", with(file, channels - 4, uint32_t(-1))},
      {"is of type 3", with(file, channels + 2, 3)},
      {"channel A is sampled 2 x 1; the data window (0, 0) - (16, 40) is not a multiple of it",
       with(file, channels + 10, 2)},
      {"channel A is sampled 0 x 1", with(file, channels + 10, 0)},
      {"channel B comes after C", with(file, channels, 'C')},
      {"its compression is number 77", with(file, value_of(file, "compression", "compression"), uint8_t(77))},
      {"line order is number 3", with(file, value_of(file, "lineOrder", "lineOrder"), uint8_t(3))},
      {"has 100001 x 41 texels; the limit is 32768 per side (raise it with --max-side)",
       with(file, window + 8, 100000)},
      {"has 4294967296 x 41", with(with(file, window, INT32_MIN), window + 8, INT32_MAX)},
      {"has 17 x 0 texels", with(file, window + 12, -1)},
      {"extends more than", with(with(file, window, 9000000), window + 8, 9000016)},
      {"display window", with(file, value_of(file, "displayWindow", "box2i") + 8, -5)},
      {"display window extends more", with(file, value_of(file, "displayWindow", "box2i") + 8, INT_MAX)},
      {"has no attribute lineOrder", with(file, place_of(file, "lineOrder"), 'm')},
      {"has attribute twin.1 twice", with(file, place_of(file, "twin.2") + 5, '1')},
  };
  for (const Case& damaged : cases) {
    CAPTURE(std::string(damaged.said));
    const std::string said = complaint(damaged.file);
    CHECK_MESSAGE(said.find(damaged.said) != std::string::npos, said);
  }
}

TEST_CASE("each damaged field of a file of parts is refused, and named") {
  const File file = make_exr_parts({{"one", {}}, {"two", {.width = 8, .height = 3}}});
  REQUIRE(complaint(file) == "");
  const std::vector<ExrHeader> parts = parse_exr_headers(file, {});
  REQUIRE(parts.size() == 2);
  CHECK(parts[1].name == "two");
  CHECK(parts[1].size() == Size{8, 3});
  const size_t count = value_of(file, "chunkCount", "int"), type = value_of(file, "type", "string");
  CHECK(complaint(with(file, count, 4)) == "part 0 (one) claims 4 chunks; it must have 3");
  CHECK(complaint(with(file, type, 'S')) ==
        "a part of type Scanlineimage is not supported; expected scanlineimage, tiledimage, deepscanline, deeptile");
  const size_t chunk = offset_of_chunk(file, parts[1], 0);
  CHECK(complaint(with(file, chunk, 0)) == "chunk 1 of 1 of part 1 claims to belong to part 0");
  CHECK(complaint(with(file, chunk + 8, -1)).find("chunk 1 of 1 of part 1 has 4294967295 bytes") == 0);
  CHECK(complaint(with(file, parts[1].table_at, uint64_t(parts[1].table_at))).find("inside the header") !=
        std::string::npos);
}

TEST_CASE("attributes that describe parts and tiles must have their types there") {
  const File parts = make_exr_parts({{"one", {}}, {"two", {}}}), tiles = make_exr({.tile_side = 16});
  const auto with_type = [](const File& file, std::string_view name, std::string_view type) {
    return with(file, value_of(file, name, type) - 4 - type.size() - 1, 'x');
  };
  CHECK(complaint(with_type(parts, "chunkCount", "int")) == "attribute chunkCount is of type xnt; it must be int");
  CHECK(complaint(with_type(parts, "name", "string")) == "attribute name is of type xtring; it must be string");
  CHECK(complaint(with_type(tiles, "tiles", "tiledesc")) == "attribute tiles is of type xiledesc; it must be tiledesc");
}

TEST_CASE("attributes named as those of tiles and deep data may have any type in other parts") {
  const auto add = [](Imf::Header& header) {
    for (const char* name : {"maxSamplesPerPixel", "tiles", "version"})
      header.insert(name, Imf::StringAttribute("any"));
  };
  const File file = make_exr_parts({{"one", {}}, {"two", {.change_header = add}}});
  CHECK(complaint(file) == "");
  const std::vector<ExrHeader> parts = parse_exr_headers(file, {});
  CHECK(parts[1].attributes.size() == parts[0].attributes.size() + 3);
  const File deep = make_exr_behind_deep({}),
             tiles = make_exr_of_parts({{.name = "one", .flat = {.tile_side = 16}}, {.name = "two"}});
  const auto with_type = [](const File& changed, std::string_view name, std::string_view type) {
    return with(changed, value_of(changed, name, type) - 4 - type.size() - 1, 'x');
  };
  CHECK(complaint(with_type(deep, "version", "int")) == "attribute version is of type xnt; it must be int");
  CHECK(complaint(with_type(tiles, "tiles", "tiledesc")) == "attribute tiles is of type xiledesc; it must be tiledesc");
}

TEST_CASE("chunks of deep parts are looked for too") {
  const File file = make_exr_behind_deep({});
  REQUIRE(complaint(file) == "");
  const ExrHeader deep = parse_exr_header(file);
  REQUIRE(deep.is_deep);
  const size_t first = offset_of_chunk(file, deep, 0);
  CHECK(complaint(with(file, first + 8, uint64_t(-1))).find("is cut off: chunk 1 of 41 of part 0 ends at") == 0);
  CHECK(complaint(with(file, first + 16, uint64_t(1) << 40)).find("is cut off: chunk 1 of 41 of part 0 ends at") == 0);
  CHECK(complaint(with(file, first + 4, 7)) == "chunk 1 of 41 of part 0 claims to be line 7; it must be 0");
}

TEST_CASE("each damaged chunk is refused, and numbered") {
  const File file = make_exr({});
  const ExrHeader header = parse_exr_header(file);
  const size_t second = offset_of_chunk(file, header, 1);
  const auto damaged = [&](const File& changed) { return complaint(changed); };
  CHECK(damaged(with(file, header.table_at + 8, uint64_t(0))) ==
        "is incomplete: its offset table has no entry for chunk 2 of 3, so its writer did not close the file");
  CHECK(damaged(with(file, header.table_at + 8, uint64_t(9))).find("chunk 2 of 3 would start at byte 9") == 0);
  CHECK(damaged(with(file, header.table_at + 8, uint64_t(-9))).find("is cut off: chunk 2 of 3 starts at byte") == 0);
  CHECK(damaged(with(file, header.table_at + 8, uint64_t(offset_of_chunk(file, header, 0)))) ==
        "chunk 2 of 3 claims to be line 0; it must be 16");
  CHECK(damaged(with(file, second, 17)) == "chunk 2 of 3 claims to be line 17; it must be 16");
  CHECK(damaged(with(file, second + 4, 0)).find("chunk 2 of 3 has 0 bytes") == 0);
  CHECK(damaged(with(file, second + 4, -1)).find("chunk 2 of 3 has 4294967295 bytes") == 0);
}

TEST_CASE("a file cut anywhere is refused") {
  for (const ExrRecipe& recipe :
       {ExrRecipe{}, ExrRecipe{.compression = Imf::NO_COMPRESSION},
        ExrRecipe{.compression = Imf::PIZ_COMPRESSION, .tile_side = 8, .level_mode = Imf::MIPMAP_LEVELS},
        ExrRecipe{.width = 16,
        .height = 24,
        .compression = Imf::B44_COMPRESSION,
        .samplings = {{1, 1}, {2, 2}, {1, 1}, {4, 1}}}}) {
    const File file = make_exr(recipe);
    for (size_t bytes = 0; bytes < file.size(); bytes += 1 + bytes / 50) {
      CAPTURE(bytes);
      CHECK(complaint(File(file.begin(), file.begin() + long(bytes))) != "");
    }
    CHECK(complaint(File(file.begin(), file.end() - 1)) != "");
    CHECK(complaint(file) == "");
  }
}

TEST_CASE("a file of parts cut anywhere is refused") {
  const File file = make_exr_behind_deep({.compression = Imf::DWAA_COMPRESSION});
  for (size_t bytes = 0; bytes < file.size(); bytes += 1 + bytes / 50) {
    CAPTURE(bytes);
    CHECK(complaint(File(file.begin(), file.begin() + long(bytes))) != "");
  }
  CHECK(complaint(File(file.begin(), file.end() - 1)) != "");
  CHECK(complaint(file) == "");
}

TEST_CASE("limits on a file are held") {
  const File file = make_exr({});
  CHECK(complaint(file, {.side = 40}) == "has 17 x 41 texels; the limit is 40 per side (raise it with --max-side)");
  CHECK(complaint(file, {.texel_count = 696}) ==
        "has 17 x 41 texels; the limit is 696 in total (raise it with --max-texels)");
  CHECK(complaint(file, {.channel_count = 3}) == "has more than 3 channels (raise the limit with --max-channels)");
  CHECK(refusal_of(file, {.limits = {.decoded_bytes = 5575}}) ==
        "2 file: needs 5576 bytes when decoded; the limit is 5575 (raise it with --max-decoded)");
}

TEST_CASE("no byte of a header that is changed harms the check") {
  const File file = make_exr({.tile_side = 16, .level_mode = Imf::MIPMAP_LEVELS});
  const size_t header_bytes = parse_exr_header(file).table_at;
  for (size_t at = 0; at < header_bytes; ++at)
    for (const int value : {0, 1, 127, 128, 255}) complaint(with(file, at, uint8_t(value)));
}
