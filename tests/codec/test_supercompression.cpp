// KTX2 files whose levels are compressed: written here and decompressed by other programs, the other way round, and damaged.
#include "core/base/threads.h"
#include "tests/codec/make_files.h"
#include "tests/support/json.h"
#include "tests/support/process.h"
#include "tests/support/skip.h"
#include "tests/support/synthetic_images.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>

using namespace gpupost;
using json = nlohmann::json;

namespace {

constexpr Supercompression schemes[] = {Supercompression::zstd, Supercompression::zlib};
constexpr size_t header_bytes = 80, entry_bytes = 24;

std::string_view name_of_scheme(Supercompression scheme) { return supercompression_names[size_t(scheme)]; }

File encoded_file(std::span<const Picture> pictures, Arrangement arrangement, const EncodeOptions& options) {
  std::vector<Source> sources;
  for (const Picture& picture : pictures) sources.push_back({.picture = &picture});
  const Encoded encoded = encode(*format_named("ktx2"), sources, arrangement, options);
  CHECK(encoded.warnings.empty());
  return {encoded.bytes.bytes().begin(), encoded.bytes.bytes().end()};
}

EncodeOptions options_of(Depth depth, Supercompression scheme, int level = 0) {
  return {.depth = depth,
          .compression = Compression::none,
          .supercompression = scheme,
          .supercompression_level = level,
          .mipmapped = true,
          .transfer = Transfer::linear};
}

Picture noise(Size size, uint32_t seed = 0, Depth depth = Depth::u8) {
  return noise_of_channels("RGBA", depth, Transfer::linear, size, seed);
}

File noise_file(Size size, Supercompression scheme) {
  const Picture picture = noise(size);
  return encoded_file({&picture, 1}, Arrangement::single, options_of(Depth::u8, scheme));
}

std::string texels_of(const File& file, const DecodeOptions& options) {
  const Decoded decoded = decode_bytes(file, options);
  return std::string(text_of(decoded.picture.groups[0].levels[0].texels.bytes()));
}

struct LevelEntry {
  uint64_t offset = 0, bytes = 0, uncompressed = 0;
};
LevelEntry level_of(const File& file, size_t level) {
  const size_t at = header_bytes + entry_bytes * level;
  return {little_at<uint64_t>(file, at), little_at<uint64_t>(file, at + 8), little_at<uint64_t>(file, at + 16)};
}
std::string data_of(const File& file, size_t level) {
  const LevelEntry entry = level_of(file, level);
  return std::string(text_of(part_of(file, entry.offset, entry.bytes)));
}

template <class Number>
void patch(File& file, size_t at, Number number) {
  std::memcpy(&file[at], &number, sizeof number);
}
void patch_level(File& file, size_t level, const LevelEntry& entry) {
  const size_t at = header_bytes + entry_bytes * level;
  patch(file, at, entry.offset);
  patch(file, at + 8, entry.bytes);
  patch(file, at + 16, entry.uncompressed);
}

using Pack = std::function<std::string(const std::string& level)>;

// The file, which has no supercompression, with its levels compressed by `pack`. As older writers do, it has 0 as the bytes of a
// texel in its data format descriptor.
File packed_file(const File& plain, Supercompression scheme, const Pack& pack) {
  const size_t level_count = little_at<uint32_t>(plain, 40);
  const size_t end = little_at<uint32_t>(plain, 56) + little_at<uint32_t>(plain, 60);
  File file(plain.begin(), plain.begin() + ptrdiff_t(end));
  patch(file, 44, uint32_t(scheme));
  file[little_at<uint32_t>(plain, 48) + 20] = std::byte(0);
  for (size_t level = level_count; level-- > 0;) {
    const std::string packed = pack(data_of(plain, level));
    patch_level(file, level, {file.size(), packed.size(), level_of(plain, level).bytes});
    const File more = file_of(packed);
    file.insert(file.end(), more.begin(), more.end());
  }
  return file;
}

std::string zlib_unpacked(const std::string& packed, size_t bytes) {
  std::string to(bytes, '\0');
  uLongf count = bytes;
  CHECK(uncompress(reinterpret_cast<Bytef*>(to.data()), &count, reinterpret_cast<const Bytef*>(packed.data()),
                   packed.size()) == Z_OK);
  CHECK(count == bytes);
  return to;
}

bool has_zstd() {
  if (std::filesystem::exists("/usr/bin/zstd")) return true;
  test::skip("zstd is not installed (./setup.sh test does)");
  return false;
}

// The output of the program zstd for a file of these bytes.
std::string zstd_of(const std::vector<std::string>& words, const std::string& bytes) {
  const test::TemporaryFolder folder;
  folder.write("in", bytes);
  std::vector<std::string> all{"-c", "-q"};
  all.insert(all.end(), words.begin(), words.end());
  all.push_back(folder.path("in"));
  const test::Finished finished = test::run({.program = "/usr/bin/zstd", .words = all});
  REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
  return finished.out;
}

}  // namespace

TEST_CASE("levels that are compressed have the texels of levels that are not, in files of every size") {
  for (const Size size : {Size{1, 1}, Size{1, 37}, Size{37, 1}, Size{17, 9}, Size{257, 129}})
    for (const Supercompression scheme : schemes)
      for (const Compression blocks : {Compression::none, Compression::bc7}) {
        CAPTURE(size.width);
        CAPTURE(name_of_scheme(scheme));
        const Picture picture = noise(size);
        EncodeOptions options = options_of(Depth::u8, Supercompression::none);
        options.compression = blocks;
        const File plain = encoded_file({&picture, 1}, Arrangement::single, options);
        options.supercompression = scheme;
        const File file = encoded_file({&picture, 1}, Arrangement::single, options);
        for (int level = 0; level < level_count_of(size); ++level)
          CHECK((texels_of(file, {.level = level}) == texels_of(plain, {.level = level})));
        const Decoded decoded = decode_bytes(file);
        CHECK(decoded.picture.compression ==
              fmt::format("{}{}", blocks == Compression::bc7 ? "bc7+" : "", name_of_scheme(scheme)));
        CHECK(decoded.picture.file_level_count == level_count_of(size));
      }
}

TEST_CASE("layers and faces of compressed levels are parts") {
  std::vector<Picture> six;
  for (uint32_t i = 0; i < 6; ++i) six.push_back(noise({8, 8}, 50 * i, Depth::half));
  for (const Supercompression scheme : schemes)
    for (const Arrangement arrangement : {Arrangement::cube, Arrangement::array}) {
      const File file = encoded_file(six, arrangement, options_of(Depth::half, scheme));
      for (size_t part = 0; part < 6; ++part)
        for (int level = 0; level < 4; ++level)
          CHECK((texels_of(file, {.part = std::to_string(part), .level = level}) ==
                 text_of(six[part].groups[0].levels[size_t(level)].texels.bytes())));
    }
}

TEST_CASE("ktx-parse, zlib and zstd read compressed levels") {
  const Picture picture = noise({17, 9});
  const File plain = encoded_file({&picture, 1}, Arrangement::single, options_of(Depth::u8, Supercompression::none));
  for (const Supercompression scheme : schemes) {
    CAPTURE(name_of_scheme(scheme));
    const File file = noise_file({17, 9}, scheme);
    CHECK(little_at<uint32_t>(file, 44) == (scheme == Supercompression::zstd ? 2 : 3));
    CHECK(byte_at(file, little_at<uint32_t>(file, 48) + 20) == 4);  // bytes of a decompressed texel
    uint64_t end = file.size();
    for (size_t level = 0; level < 5; ++level) {
      const LevelEntry entry = level_of(file, level);
      CHECK(entry.uncompressed == level_of(plain, level).bytes);
      CHECK(entry.offset + entry.bytes == end);  // without padding
      end = entry.offset;
      if (scheme == Supercompression::zlib)
        CHECK((zlib_unpacked(data_of(file, level), entry.uncompressed) == data_of(plain, level)));
      else if (has_zstd()) CHECK((zstd_of({"-d"}, data_of(file, level)) == data_of(plain, level)));
    }
    CHECK(end == little_at<uint32_t>(file, 56) + little_at<uint32_t>(file, 60));
    if (!std::filesystem::exists(std::string(GPUPOST_READERS) + "/node_modules")) {
      test::skip("ktx-parse is not installed (./setup.sh test does, from npm)");
      continue;
    }
    const test::TemporaryFolder folder;
    folder.write("made.ktx2", std::string(text_of(file)));
    const test::Finished finished =
        test::run({.program = "/usr/bin/env",
                   .words = {"node", "tests/readers/read.cjs", GPUPOST_READERS, folder.path("made.ktx2")}});
    REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
    const json seen = test::parse_json(finished.out);
    CHECK(seen["supercompressionScheme"] == uint32_t(scheme));
    CHECK(seen["globalData"].is_null());
    CHECK(seen["is_rewritten_alike"] == true);
    for (size_t level = 0; level < 5; ++level)
      CHECK(seen["levels"][level]["uncompressedByteLength"] == level_of(plain, level).bytes);
  }
}

TEST_CASE("levels that zlib and zstd have compressed are read") {
  const Picture picture = noise({17, 9});
  const File plain = encoded_file({&picture, 1}, Arrangement::single, options_of(Depth::u8, Supercompression::none));
  const auto check = [&](Supercompression scheme, const Pack& pack) {
    const File file = packed_file(plain, scheme, pack);
    for (int level = 0; level < 5; ++level)
      CHECK((texels_of(file, {.level = level}) == texels_of(plain, {.level = level})));
  };
  check(Supercompression::zlib, zlib_packed);
  if (!has_zstd()) return;
  check(Supercompression::zstd, [](const std::string& level) { return zstd_of({"-3"}, level); });
  check(Supercompression::zstd, [](const std::string& level) { return zstd_of({"--ultra", "-22"}, level); });
  check(Supercompression::zstd, [](const std::string& level) {
    return zstd_of({"--no-check", "--no-content-size"}, level);
  });
  check(Supercompression::zstd, [](const std::string& level) {
    return zstd_of({}, level.substr(0, level.size() / 2)) + zstd_of({}, level.substr(level.size() / 2));
  });
}

TEST_CASE("the bytes of a file do not depend on the number of threads, and higher levels make it smaller") {
  const auto file_of_size = [&](Size size, Supercompression scheme, int level) {
    Picture picture = noise({1, 1});
    picture.groups[0].levels = made_group({}, Depth::u8, size, 1, [](int x, int y, size_t component, int) {
                                 return uint32_t((x ^ y) + x * y / 97) >> component;
                               }).levels;
    return encoded_file({&picture, 1}, Arrangement::single, options_of(Depth::u8, scheme, level));
  };
  for (const Supercompression scheme : schemes) {
    const auto [least, most] = levels_of(scheme);
    constexpr Size large{2048, 1024};  // so large that libzstd divides it between threads
    limit_threads(1);
    const File one = file_of_size(large, scheme, least);
    limit_threads(5);
    CHECK((file_of_size(large, scheme, least) == one));
    limit_threads(0);
    CHECK(file_of_size({512, 128}, scheme, most).size() < file_of_size({512, 128}, scheme, least).size());
  }
}

TEST_CASE("damaged and cut levels are refused, or have their texels") {
  for (const Supercompression scheme : schemes) {
    const File file = noise_file({5, 3}, scheme);
    const std::string texels = texels_of(file, {});
    const LevelEntry level_0 = level_of(file, 0);
    size_t refused_count = 0;
    for (size_t at = level_0.offset; at < file.size(); ++at) {
      File changed = file;
      changed[at] ^= std::byte(1 << at % 8);
      const std::string refusal = refusal_of(changed);
      if (refusal.empty()) CHECK(texels_of(changed, {}) == texels);
      else CHECK_MESSAGE(refusal.starts_with("2 file: "), refusal);
      refused_count += !refusal.empty();
    }
    CHECK(refused_count + 3 > level_0.bytes);
    for (size_t bytes = header_bytes; bytes < file.size(); ++bytes)
      CHECK(refusal_of(File(file.begin(), file.begin() + ptrdiff_t(bytes))).starts_with("2 file: is cut off: "));
    for (uint64_t bytes = 0; bytes < level_0.bytes; ++bytes) {
      File changed = file;
      patch_level(changed, 0, {level_0.offset, bytes, level_0.uncompressed});
      const std::string refusal = refusal_of(changed);
      CHECK_MESSAGE(refusal.starts_with("2 file: "), refusal);
      CHECK_MESSAGE(refusal.find(" its level 0 ") != refusal.npos, refusal);
    }
  }
}

TEST_CASE("levels that decompress to another number of bytes than they have to are refused") {
  for (const Supercompression scheme : schemes) {
    const File file = noise_file({17, 9}, scheme);
    const LevelEntry level_0 = level_of(file, 0);
    const auto refusal_with = [&](int height, uint64_t claimed) {
      File changed = file;
      patch(changed, 24, uint32_t(height));
      patch_level(changed, 0, {level_0.offset, level_0.bytes, claimed});
      return refusal_of(changed);
    };
    CHECK(refusal_with(9, 611) == "2 file: its level 0 has 611 bytes; expected 612");
    CHECK(refusal_with(9, UINT64_MAX) == "2 file: its level 0 has 18446744073709551615 bytes; expected 612");
    CHECK(refusal_with(8, 544) == "2 file: its level 0 decompresses to more than the 544 bytes it must have");
  }
  const Picture picture = noise({17, 9});
  const File plain = encoded_file({&picture, 1}, Arrangement::single, options_of(Depth::u8, Supercompression::none));
  const File less =
      packed_file(plain, Supercompression::zlib, [](const std::string& level) { return zlib_packed(level.substr(1)); });
  CHECK(refusal_of(less) == "2 file: its level 0 decompresses to 611 bytes; expected 612");
  const File longer =
      packed_file(plain, Supercompression::zlib, [](const std::string& level) { return zlib_packed(level) + "x"; });
  const uint64_t bytes = level_of(longer, 0).bytes;
  CHECK(refusal_of(longer) ==
        fmt::format("2 file: the ZLIB data of its level 0 ends after {} of {} bytes", bytes - 1, bytes));
}

TEST_CASE("all layers of a compressed level have to fit into --max-decoded") {
  std::vector<Picture> layers;
  for (uint32_t i = 0; i < 20; ++i) {
    layers.push_back(noise({8, 8}));
    for (Level& level : layers.back().groups[0].levels) std::memset(level.texels.data(), int(i), level.texels.size());
  }
  const File file = encoded_file(layers, Arrangement::array, options_of(Depth::u8, Supercompression::zstd));
  DecodeOptions options{.part = "19"};
  options.limits.decoded_bytes = 5120;
  CHECK(texels_of(file, options) == std::string(256, 19));
  options.limits.decoded_bytes = 5119;
  CHECK(refusal_of(file, options) ==
        "2 file: needs 5120 bytes when decoded; the limit is 5119 (raise it with --max-decoded)");
}

TEST_CASE("schemes and blocks of Basis Universal are refused by name") {
  File file = noise_file({5, 3}, Supercompression::zstd);
  patch(file, 12, 0u);
  CHECK(refusal_of(file).starts_with("2 file: has Vulkan format 0; "));
  file[little_at<uint32_t>(file, 48) + 12] = std::byte(166);
  CHECK(refusal_of(file).starts_with("2 file: has UASTC blocks of Basis Universal; "));
  patch(file, 44, 1u);
  CHECK(refusal_of(file) ==
        "2 file: is compressed with BasisLZ of Basis Universal; expected no supercompression, Zstandard or ZLIB");
  patch(file, 44, 4u);
  CHECK(refusal_of(file).starts_with("2 file: is compressed with scheme 4; "));
}
