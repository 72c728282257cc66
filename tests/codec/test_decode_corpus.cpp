// Files from elsewhere, which are not part of this project: GPUPOST_CORPUS names their folder, with good/ and damaged/ in it.
#include "core/half.h"
#include "tests/codec/make_files.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfInputFile.h>
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
    std::printf("skipped: GPUPOST_CORPUS is not set, so no file of %s/ is read\n", folder);
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

// Texels of a channel that OpenEXR reads otherwise; -1: it has no such channel.
long differing_texels(Imf::InputFile& file, const Group& group, size_t component) {
  const Channel& channel = group.channels[component];
  const Imf::Channel* there = file.header().channels().findChannel(channel.name);
  if (!there) return -1;
  const Imath::Box2i window = file.header().dataWindow();
  const Size size = group.levels[0].size;
  const size_t bytes = bytes_of(channel.depth);
  std::vector<char> plane(bytes * texel_count(size));
  char* origin = plane.data() - int64_t(bytes) * (int64_t(window.min.y) * size.width + window.min.x);
  Imf::FrameBuffer buffer;
  buffer.insert(channel.name, Imf::Slice(there->type, origin, bytes, bytes * size_t(size.width)));
  file.setFrameBuffer(buffer);
  file.readPixels(window.min.y, window.max.y);
  long differing = 0;
  for (size_t texel = 0; texel < texel_count(size); ++texel) {
    const std::byte* ours = group.levels[0].texels.data() + bytes_of(group.depth) * (4 * texel + component);
    if (bytes == bytes_of(group.depth)) {
      differing += std::memcmp(ours, &plane[bytes * texel], bytes) != 0;
      continue;
    }
    half narrow;
    std::memcpy(&narrow, &plane[bytes * texel], bytes);
    float wide;
    std::memcpy(&wide, ours, sizeof wide);
    differing += wide != float(narrow) && !(wide != wide && narrow.isNan());
  }
  return differing;
}

void check_against_openexr(const fs::path& path, const Picture& picture) {
  Imf::InputFile file(path.c_str());
  const Imath::Box2i data = file.header().dataWindow(), display = file.header().displayWindow();
  CHECK(picture.data_window == Window{data.min.x, data.min.y, data.max.x, data.max.y});
  CHECK(picture.display_window == Window{display.min.x, display.min.y, display.max.x, display.max.y});
  size_t channels_there = 0, channels_ours = 0;
  for (auto channel = file.header().channels().begin(); channel != file.header().channels().end(); ++channel) ++channels_there;
  for (const Group& group : picture.groups)
    for (size_t component = 0; component < 4; ++component)
      if (!group.channels[component].name.empty()) {
        ++channels_ours;
        CHECK_MESSAGE(differing_texels(file, group, component) == 0, path.string(), " ", group.channels[component].name);
      }
  CHECK(channels_ours == channels_there);
}

void check_against_libpng(const fs::path& path, const Group& group) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_file(&image, path.c_str()));
  png_image_free(&image);
  if (group.depth != Depth::u8) return;  // its simple interface changes the encoding of 16 bits
  image = {.opaque = nullptr, .version = PNG_IMAGE_VERSION, .width = 0, .height = 0, .format = 0, .flags = 0,
           .colormap_entries = 0, .warning_or_error = 0, .message = {}};
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
      if (decoded.picture.format == "exr") check_against_openexr(path, decoded.picture);
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

TEST_CASE("every damaged file of the corpus is refused in one line, or read, within ten seconds") {
  for (const fs::path& path : corpus("damaged")) {
    CAPTURE(path.string());
    const auto start = std::chrono::steady_clock::now();
    const std::string said = refusal_of(contents_of(path));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
    CHECK_MESSAGE((said.empty() || is_one_line_of_refusal(said)), said);
    if (said.empty()) std::printf("corpus: read though it is damaged: %s\n", path.filename().c_str());
    if (said.find("crashed") != std::string::npos) std::printf("corpus: %s: %s\n", path.filename().c_str(), said.c_str());
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
