// Files from elsewhere, which are not part of this project: GPUPOST_CORPUS names their folder, with good/ and damaged/ in it.
#include "core/codec/exr_patch.h"
#include "tests/codec/make_files.h"
#include "tests/codec/reference.h"

#include "tests/support/skip.h"

#include <doctest/doctest.h>
#include <png.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

using namespace gpupost;
namespace fs = std::filesystem;

namespace {

// Sorted; empty, with a line that says so, where there is no corpus.
std::vector<fs::path> corpus(const char* folder) {
  const char* root = std::getenv("GPUPOST_CORPUS");
  if (!root) {
    test::skip(fmt::format("GPUPOST_CORPUS is not set, so no file of {}/ is read", folder).c_str());
    return {};
  }
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(root) / folder)) files.insert(entry.path());
  return {files.begin(), files.end()};
}

File contents_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return file_of(std::string(std::istreambuf_iterator<char>(stream), {}));
}

bool is_one_line_of_refusal(const std::string& said) {
  return said.starts_with("2 file: ") && said.find('\n') == std::string::npos && said.size() < 400;
}

// Zeros in all levels below the first.
void add_levels(Group& group) {
  const Size base = group.levels[0].size;
  for (int level = 1; level < level_count_of(base); ++level) {
    const Size size = level_size(base, level);
    group.levels.push_back({.size = size, .texels = Memory(texel_count(size) * 4 * bytes_of(group.depth))});
  }
}

void check_against_libpng(const fs::path& path, const Group& group) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_file(&image, path.c_str()));
  png_image_free(&image);
  if (group.depth != Depth::u8) return;  // its simple interface changes the encoding of 16 bits
  image = {.opaque = nullptr,
           .version = PNG_IMAGE_VERSION,
           .width = 0,
           .height = 0,
           .format = 0,
           .flags = 0,
           .colormap_entries = 0,
           .warning_or_error = 0,
           .message = {}};
  REQUIRE(png_image_begin_read_from_file(&image, path.c_str()));
  image.format = PNG_FORMAT_RGBA;
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  std::vector<png_byte> texels(PNG_IMAGE_SIZE(image));
  REQUIRE(png_image_finish_read(&image, nullptr, texels.data(), 0, nullptr));
  CHECK_MESSAGE(std::memcmp(texels.data(), group.levels[0].texels.data(), texels.size()) == 0, path.string());
}

}  // namespace

TEST_CASE("every good file of the corpus is read right, or refused by name") {
  int read = 0, refused = 0;
  for (const fs::path& path : corpus("good")) {
    CAPTURE(path.string());
    try {
      const Decoded decoded = decode_file(path.string(), {});
      ++read;
      if (decoded.picture.format == "exr") {
        Imf::InputFile reference(path.c_str());
        CHECK(difference_from_openexr(reference, decoded.picture) == "");
      }
      const bool has_gamma = !decoded.warnings.empty() && decoded.warnings[0].find("gAMA") != std::string::npos;
      if (decoded.picture.format == "png" && !has_gamma) check_against_libpng(path, decoded.picture.groups[0]);
    } catch (const Error& error) {
      ++refused;
      CHECK(error.code() == Exit::input);
      CHECK_MESSAGE(std::string(error.what()).find("not supported") != std::string::npos, error.what());
    }
  }
  if (read > 0) std::printf("corpus: %d good files read, %d refused by name\n", read, refused);
}

TEST_CASE("every good EXR of the corpus that is read is written as OpenEXR reads it, plain and with levels") {
  for (const fs::path& path : corpus("good")) {
    CAPTURE(path.string());
    Picture picture;
    try {
      picture = decode_file(path.string(), {}).picture;
    } catch (const Error&) {
      continue;  // refused by name, as the case above has seen
    }
    if (picture.format != "exr") continue;
    for (const bool mipmapped : {false, true}) {
      CAPTURE(mipmapped);
      if (mipmapped)
        for (Group& group : picture.groups) add_levels(group);
      const Encoded encoded = encode(*format_named("exr"), picture, {.keep_depths = true, .mipmapped = mipmapped});
      const File file(encoded.bytes.bytes().begin(), encoded.bytes.bytes().end());
      MemoryInput stream(file);
      Imf::InputFile reference(stream);
      CHECK(reference.isComplete());
      CHECK(difference_from_openexr(reference, picture) == "");
      for (const Attribute& attribute : picture.attributes) {
        if (is_storage_attribute(attribute.name)) continue;
        CHECK_MESSAGE(reference.header().find(attribute.name) != reference.header().end(), attribute.name);
      }
    }
  }
}

TEST_CASE("every damaged file of the corpus is refused in one line, or read, within ten seconds") {
  for (const fs::path& path : corpus("damaged")) {
    CAPTURE(path.string());
    const auto start = std::chrono::steady_clock::now();
    const std::string said = refusal_of(contents_of(path));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
    CHECK_MESSAGE((said.empty() || is_one_line_of_refusal(said)), said);
    if (said.empty()) std::printf("corpus: read though it is damaged: %s\n", path.filename().c_str());
    if (said.find("crashed") != std::string::npos)
      std::printf("corpus: %s: %s\n", path.filename().c_str(), said.c_str());
  }
}

TEST_CASE("every good file of the corpus that is cut is refused") {
  for (const fs::path& path : corpus("good")) {
    const File file = contents_of(path);
    for (const size_t percent : {10, 50, 90, 99}) {
      CAPTURE(path.string());
      CAPTURE(percent);
      const std::string said = refusal_of(File(file.begin(), file.begin() + long(file.size() * percent / 100)));
      CHECK_MESSAGE(is_one_line_of_refusal(said), said);
    }
  }
}
