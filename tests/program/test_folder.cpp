#include "tests/program/test_folder.h"
#include "tests/program/tested_program.h"

#include "core/base/half.h"
#include "core/codec/codec.h"
#include "tests/support/json.h"
#include "tests/support/skip.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace gpupost::test {

namespace {

float number_of(int x, int y, size_t component) {
  return float(hash_of(uint32_t(x), uint32_t(y), uint32_t(component), 0) >> 8) * 0x1p-24f;
}

Picture picture_of(Size size, std::vector<Group> groups) {
  return {.data_window = window_of(size), .display_window = window_of(size), .groups = std::move(groups)};
}

// A color group of numbers in 0..1, times `scale`, with the alpha last and largest of all: what is premultiplied.
Group color(Size size, Depth depth, bool has_alpha, float scale = 1, const std::string& prefix = "") {
  std::array<Channel, 4> channels{{{prefix + "R", depth}, {prefix + "G", depth}, {prefix + "B", depth}, {}}};
  if (has_alpha) channels[3] = {prefix + "A", depth};
  Group group = made_group(channels, depth, size, 1, [&](int x, int y, size_t component, int) {
    const float alpha = has_alpha ? 0.25f + 0.75f * number_of(x, y, 3) : 1.0f;
    const float value = component == 3 ? alpha : scale * alpha * number_of(x, y, component);
    return depth == Depth::half ? bits_of_half(value) : bits_of_float(value);
  });
  group.is_color = prefix.empty();
  return group;
}

Group single(const std::string& name, Depth depth, Size size, const BitsOf& bits_of) {
  return made_group({{{name, depth}, {}, {}, {}}}, depth, size, 1, [&](int x, int y, size_t component, int level) {
    return component == 0 ? bits_of(x, y, component, level) : 0;
  });
}

// Of red, green, blue and white, x and y of each.
Attribute chromaticities(const std::array<float, 8>& numbers) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(numbers.data());
  return {.name = "chromaticities", .type = "chromaticities", .value = {bytes, bytes + sizeof numbers}};
}

std::string bytes_of_file(const Encoded& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

std::string png_of(const Picture& picture, Depth depth) {
  return bytes_of_file(encode(*format_named("png"), picture, {.depth = depth}));
}

template <class... Groups>
Picture made(Size size, Groups... groups) {
  std::vector<Group> list;
  (list.push_back(std::move(groups)), ...);
  return picture_of(size, std::move(list));
}

// Columns of black and white, a texel each, as they stand in the file.
Picture bars() {
  const Size size{64, 16};
  Group group = made_group({{{"Y", Depth::u8}, {}, {}, {}}}, Depth::u8, size, 1,
                           [](int x, int, size_t component, int) { return component == 3 || x % 2 ? 255u : 0u; });
  group.is_luminance = true;
  Picture picture = color_picture_of(std::move(group));
  picture.transfer = Transfer::srgb;
  picture.alpha = Alpha::straight;
  return picture;
}

// `file` with `bytes` in the place of what stands `skip` behind the first `mark`.
std::string patched(std::string file, const std::string& mark, size_t skip, const std::string& bytes) {
  const size_t at = file.find(mark);
  if (at == file.npos) throw std::runtime_error("no " + mark + " in a file that the tests made");
  return file.replace(at + mark.size() + skip, bytes.size(), bytes);
}

std::string little(int number) { return {char(number), char(number >> 8), char(number >> 16), char(number >> 24)}; }
std::string big(uint32_t number) { return {char(number >> 24), char(number >> 16), char(number >> 8), char(number)}; }

std::string huge_exr(const std::string& sound) {
  return patched(sound, std::string("dataWindow\0box2i\0", 17), 4,
                 little(0) + little(0) + little(99999) + little(99999));
}

std::string huge_png(const std::string& sound) {
  const std::string header = "IHDR" + big(100000) + big(100000) + sound.substr(24, 5);
  const uLong sum = crc32(0, reinterpret_cast<const Bytef*>(header.data()), uInt(header.size()));
  return patched(sound, "IHDR", 0, header.substr(4) + big(uint32_t(sum)));
}

// An EXR whose list of channels is empty.
std::string without_channels(const std::string& sound) {
  const std::string mark("channels\0chlist\0", 16);
  const size_t at = sound.find(mark) + mark.size();
  const size_t length =
      size_t(static_cast<unsigned char>(sound[at])) + 256 * size_t(static_cast<unsigned char>(sound[at + 1]));
  return sound.substr(0, at) + little(1) + std::string(1, '\0') + sound.substr(at + 4 + length);
}

std::map<std::string, std::string> make_files() {
  const Size size{37, 21};
  std::map<std::string, std::string> files;
  files["in.exr"] = exr_of(made(size, color(size, Depth::half, true)));
  files["sub/in.exr"] = files["in.exr"];
  Picture other = made(size, color(size, Depth::half, true));
  other.groups[0].levels[0].texels.as<uint16_t>()[4 * (3 * 37 + 5) + 1] ^= 1;
  files["other.exr"] = exr_of(other);
  Picture rec2020 = made(size, color(size, Depth::half, true));
  rec2020.attributes = {chromaticities({0.708f, 0.292f, 0.17f, 0.797f, 0.131f, 0.046f, 0.3127f, 0.329f})};
  files["rec2020.exr"] = exr_of(rec2020);
  files["wide.exr"] = exr_of(made({38, 21}, color({38, 21}, Depth::half, true)));
  files["long.exr"] = exr_of(made({20000, 1}, color({20000, 1}, Depth::half, false)));
  files["float.exr"] = exr_of(made(size, color(size, Depth::f32, false, 100000)));
  files["depth.exr"] = exr_of(
      made(size, color(size, Depth::half, false),
           single("Z", Depth::f32, size, [](int x, int y, size_t, int) { return bits_of_float(float(x * y) + 0.1f); }),
           single("id", Depth::u32, size,
                  [](int x, int y, size_t, int) { return uint32_t(4000000000u + unsigned(x / 4 + y)); })));
  files["layers.exr"] =
      exr_of(made(size, color(size, Depth::half, false), color(size, Depth::half, false, 0.5f, "diffuse.")));
  files["in.png"] = png_of(made(size, color(size, Depth::half, true)), Depth::u8);
  files["deep.png"] = png_of(made(size, color(size, Depth::f32, false)), Depth::u16);
  files["bars.png"] = png_of(bars(), Depth::u8);
  files["empty.exr"] = "";
  files["text.exr"] = "This is a line of text and no image at all.\n";
  files["cut.exr"] = files["in.exr"].substr(0, files["in.exr"].size() * 2 / 3);
  files["cut.png"] = files["in.png"].substr(0, files["in.png"].size() * 2 / 3);
  files["huge.exr"] = huge_exr(files["in.exr"]);
  files["huge.png"] = huge_png(files["in.png"]);
  files["no_channels.exr"] = without_channels(files["in.exr"]);
  return files;
}

// What `gpupost devices --json` prints; an empty list where there is no device.
const nlohmann::json& devices() {
  static const nlohmann::json list = [] {
    const Finished finished = run({.program = tested_program(), .words = {"devices", "--json"}});
    return finished.exit_code == 0 ? parse_json(finished.out) : nlohmann::json::array();
  }();
  return list;
}

}  // namespace

const std::map<std::string, std::string>& made_files() {
  static const std::map<std::string, std::string> files = make_files();
  return files;
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TestFolder::TestFolder() {
  for (const auto& [name, bytes] : made_files()) write(name, bytes);
  std::filesystem::create_directory(path("folder.exr"));
}

Finished TestFolder::run(Command command) const {
  static const TemporaryFolder cache;  // nothing of the user's own cache is read or changed
  command.folder = path();
  command.environment.insert(command.environment.begin(),
                             {{"XDG_CACHE_HOME", cache.path()}, {"ASAN_OPTIONS", "detect_leaks=0"}});
  const Finished finished = gpupost::test::run(command);
  INFO(text_of(command), "\n", finished.err);
  CHECK(!finished.is_too_late);
  CHECK(finished.signal == 0);
  CHECK(finished.exit_code != 70);
  return finished;
}

Finished TestFolder::gpupost(const Words& words, const Environment& environment) const {
  return run({.program = tested_program(), .words = words, .environment = environment});
}

Finished TestFolder::shell(const std::string& line, const Environment& environment) const {
  Environment all = environment;
  const char* path = std::getenv("PATH");
  const std::string folder = std::filesystem::path(tested_program()).parent_path();
  all.emplace_back("PATH", folder + ":" + (path ? path : "/usr/bin:/bin"));
  return run({.program = "/bin/bash", .words = {"-c", line}, .environment = all});
}

bool has_device() {
  if (!devices().empty()) return true;
  const char* required = std::getenv("GPUPOST_TEST_REQUIRE_DEVICE");
  if (required && std::string_view(required) == "1") FAIL("gpupost devices lists none");
  skip("there is no Vulkan device");
  return false;
}

bool has_gpu() {
  return std::any_of(devices().begin(), devices().end(),
                     [](const nlohmann::json& device) { return device["type"] != "cpu"; });
}

bool is_one_error(const std::string& text) {
  return text.starts_with("gpupost: ") && !text.starts_with("gpupost: warning: ") && text.find('\n') == text.size() - 1;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::map<std::string, std::string> outputs_of(const TestFolder& place) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(place.path("out")))
    if (entry.path().extension() == ".exr")
      files[entry.path().filename()] = place.read("out/" + entry.path().filename().string());
  return files;
}

void check_done(const TestFolder& place, const Words& words) {
  const Finished finished = place.gpupost(words);
  CHECK_MESSAGE(finished.exit_code == 0, text_of({.program = "gpupost", .words = words}), ": ", finished.err);
}

void check_same(const TestFolder& place, const std::string& a, const std::string& b, const Words& options) {
  const Finished finished = place.gpupost(with({"compare", a, b}, options));
  CHECK_MESSAGE(finished.exit_code == 0, a, " and ", b, ": ", finished.out, finished.err);
}

Picture decoded(const TestFolder& place, const std::string& name, int level) {
  return decode_file(place.path(name), {.layer = "", .level = level, .limits = {}}).picture;
}

std::string exr_of(const Picture& picture) {
  return bytes_of_file(encode(*format_named("exr"), picture, {.keep_depths = true}));
}

void write_picture(const TestFolder& place, const std::string& name, const Picture& picture) {
  place.write(name, name.ends_with(".png") ? png_of(picture, Depth::u8) : exr_of(picture));
}

double number_at(const Group& group, size_t index) {
  const TexelBuffer& texels = group.levels[0].texels;
  switch (group.depth) {
    case Depth::u8: return texels.as<uint8_t>()[index];
    case Depth::u16: return texels.as<uint16_t>()[index];
    case Depth::u32: return texels.as<uint32_t>()[index];
    case Depth::half: return double(float_from_half(texels.as<uint16_t>()[index]));
    case Depth::f32: return double(texels.as<float>()[index]);
  }
  return NAN;
}

}  // namespace gpupost::test
