// Files from elsewhere, which are not part of this project: GPUPOST_CORPUS names their folder, with good/ and damaged/ in it.
#include "core/codec/exr/write_header.h"
#include "tests/codec/make_files.h"
#include "tests/codec/reference.h"

#include "tests/support/process.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

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
  return said.starts_with("2 file: ") && said.find('\n') == std::string::npos &&
         said.size() < 1200;  // a name has up to 255 bytes, each up to four characters long
}

// Zeros in all levels below the first.
void add_levels(Group& group) {
  const Size base = group.levels[0].size;
  for (int level = 1; level < level_count_of(base); ++level) {
    const Size size = level_size(base, level);
    group.levels.push_back({.size = size, .texels = TexelBuffer(texel_count(size) * 4 * bytes_of(group.depth))});
  }
}

void check_against_libpng(const fs::path& path, const Group& group) {
  const std::string raw = texels_by_libpng(contents_of(path), group.depth);
  const auto ours = group.levels[0].texels.bytes();
  REQUIRE(raw.size() == ours.size());
  CHECK_MESSAGE(std::memcmp(raw.data(), ours.data(), raw.size()) == 0, path.string());
}

// How far our numbers may be from another reader's.
struct Tolerance {
  std::string_view format;
  float most;         // for nearly all; of 1, of the numbers themselves in an HDR
  float most_of_few;  // for the others
  double few;         // share of all, [0, 1]
  bool is_relative = false;
};
constexpr Tolerance tolerances[] = {{"tga", 0, 0, 0},
                                    {"bmp", 0, 0, 0},
                                    {"hdr", 1e-2f, 1e-2f, 0, true},
                                    // decoders differ in their inverse cosine and in how they widen the chroma
                                    {"jpg", 3 / 255.0f, 12 / 255.0f, 0.02}};

// The first program of that name in PATH; "": there is none.
std::string program_named(const std::string& name) {
  std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
  return "";
}

// The channels of an EXR of floats, by name.
std::map<std::string, std::vector<float>> planes_of(const std::string& path) {
  Imf::InputFile file(path.c_str());
  const Imath::Box2i window = file.header().dataWindow();
  const int width = window.max.x - window.min.x + 1;
  const int height = window.max.y - window.min.y + 1;
  std::map<std::string, std::vector<float>> planes;
  Imf::FrameBuffer buffer;
  for (auto channel = file.header().channels().begin(); channel != file.header().channels().end(); ++channel) {
    std::vector<float>& plane = planes[channel.name()];
    plane.resize(size_t(width) * size_t(height));
    char* origin = reinterpret_cast<char*>(plane.data()) - 4 * (int64_t(window.min.y) * width + window.min.x);
    buffer.insert(channel.name(), Imf::Slice(Imf::FLOAT, origin, 4, 4 * size_t(width)));
  }
  file.setFrameBuffer(buffer);
  file.readPixels(window.min.y, window.max.y);
  return planes;
}

float number_at(const Group& group, size_t at) {
  const TexelBuffer& texels = group.levels[0].texels;
  return group.depth == Depth::u8 ? float(texels.as<uint8_t>()[at]) / 255.0f : texels.as<float>()[at];
}

// How many numbers of each channel differ by more than `nearly` and `most` say.
void check_plane(const Group& group, size_t component, const std::vector<float>& plane, const Tolerance& tolerance) {
  REQUIRE(plane.size() == texel_count(group.levels[0].size));
  size_t few_count = 0, wrong_count = 0;
  for (size_t i = 0; i < plane.size(); ++i) {
    const float theirs = tolerance.is_relative ? plane[i] : std::round(plane[i] * 255) / 255.0f;
    const float scale = tolerance.is_relative ? std::abs(theirs) : 1;
    const float difference = std::abs(number_at(group, 4 * i + component) - theirs);
    constexpr float rounding = 1e-6f;
    few_count += difference > tolerance.most * scale + rounding;
    wrong_count += difference > tolerance.most_of_few * scale + rounding;
  }
  INFO("component ", component, " of ", plane.size(), " texels: ", few_count, " differ, ", wrong_count, " too far");
  CHECK(double(few_count) <= tolerance.few * double(plane.size()));
  CHECK(wrong_count == 0);
}

void check_against_oiiotool(const std::string& oiiotool, const fs::path& path, const Picture& picture) {
  const auto tolerance = std::ranges::find(tolerances, picture.format, &Tolerance::format);
  REQUIRE(tolerance != std::end(tolerances));
  const test::TemporaryFolder folder;
  const test::Finished finished = test::run({.program = oiiotool,
                                             .words = {"--iconfig", "oiio:UnassociatedAlpha", "1", "-i", path.string(),
                                                       "-d", "float", "-o", folder.path("t.exr")}});
  REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
  constexpr std::pair<std::string_view, size_t> components[] = {{"R", 0}, {"Y", 0}, {"G", 1}, {"B", 2}, {"A", 3}};
  size_t found_count = 0;
  const auto planes = planes_of(folder.path("t.exr"));
  for (const auto& [name, component] : components) {
    const auto plane = planes.find(std::string(name));
    if (plane == planes.end()) continue;
    ++found_count;
    check_plane(picture.groups[0], component, plane->second, *tolerance);
  }
  CHECK(found_count == planes.size());
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
        const bool is_chroma = reference.header().channels().findChannel("RY") != nullptr;
        CHECK((is_chroma ? difference_from_whole_chroma(reference, decoded.picture.groups[0])
                         : difference_from_openexr(reference, decoded.picture)) == "");
      }
      if (decoded.picture.format == "png") check_against_libpng(path, decoded.picture.groups[0]);
    } catch (const Error& error) {
      ++refused;
      CHECK(error.code() == Exit::input);
      CHECK_MESSAGE(std::string(error.what()).find("not supported") != std::string::npos, std::string(error.what()));
    }
  }
  if (read > 0) std::printf("corpus: %d good files read, %d refused by name\n", read, refused);
}

TEST_CASE("every good TGA, BMP, HDR and JPEG of the corpus is what oiiotool reads") {
  const std::string oiiotool = program_named("oiiotool");
  if (oiiotool.empty()) {
    test::skip("there is no oiiotool, so no TGA, BMP, HDR or JPEG is compared");
    return;
  }
  for (const fs::path& path : corpus("good")) {
    if (path.extension() == ".exr" || path.extension() == ".png") continue;
    CAPTURE(path.string());
    Picture picture;
    try {
      picture = decode_file(path.string(), {}).picture;
    } catch (const Error&) {
      continue;  // refused by name, as the case above has seen
    }
    check_against_oiiotool(oiiotool, path, picture);
  }
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

TEST_CASE("every damaged file of the corpus is refused in one line, or read") {
  for (const fs::path& path : corpus("damaged")) {
    CAPTURE(path.string());
    const std::string said = refusal_of(contents_of(path));
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
