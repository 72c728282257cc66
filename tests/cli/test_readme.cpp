// The README: its commands run, and its reference is the program's own.
#include "tests/cli/place.h"

#include "core/codec/codec.h"
#include "tests/support/made.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace gpupost::test;

namespace {

std::string file(const char* path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The lines of the ```sh blocks that run gpupost; a line that ends in \ goes on in the next.
Words commands_of(const std::string& markdown) {
  Words commands;
  bool is_shell = false;
  std::istringstream stream(markdown);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("```")) {
      is_shell = line == "```sh";
      continue;
    }
    if (!is_shell) continue;
    for (std::string more; line.ends_with('\\') && std::getline(stream, more);)
      line = line.substr(0, line.size() - 1) + more;
    if (line.starts_with("gpupost ") || line.find("| gpupost ") != line.npos) commands.push_back(line);
  }
  return commands;
}

// The pictures of cubes that the README speaks of.
void write_faces(const Place& place) {
  const auto write = [&](const std::string& name, gpupost::Size size) {
    const gpupost::Depth depth = gpupost::Depth::half;
    gpupost::Picture picture{.data_window = gpupost::window_of(size), .display_window = gpupost::window_of(size)};
    picture.groups.push_back(gpupost::made_group({{{"R", depth}, {"G", depth}, {"B", depth}, {}}}, depth, size, 1,
                                                 [](int, int, size_t, int) { return gpupost::bits_of_half(0.5f); }));
    picture.groups[0].is_colour = true;
    const gpupost::Encoded encoded = gpupost::encode(*gpupost::format_named("exr"), picture, {.depth = depth});
    place.write(name, {reinterpret_cast<const char*>(encoded.bytes.data()), encoded.bytes.size()});
  };
  for (const char* face : {"px", "nx", "py", "ny", "pz", "nz"}) write(std::string(face) + ".exr", {8, 8});
  write("cross.exr", {32, 24});
}

}  // namespace

TEST_CASE("every command of the README does what it says, or at least ends with 0") {
  const std::string readme = file("README.md");
  if (readme.empty()) FAIL("there is no README.md");
  if (!has_device()) return;
  const Words commands = commands_of(readme);
  CHECK(commands.size() > 3);
  const Place place;
  if (const std::string scene = file("testdata/scene.exr"); !scene.empty()) place.write("in.exr", scene);
  write_faces(place);
  place.write("docs/vibrance.glsl", file("docs/vibrance.glsl"));
  for (const std::string& command : commands) {
    const Finished finished = place.shell(command);
    CHECK_MESSAGE(finished.exit_code == 0, command, "\n", finished.err);
  }
}

TEST_CASE("the README's reference is what `gpupost ops --markdown` prints") {
  const std::string readme = file("README.md");
  if (readme.empty()) FAIL("there is no README.md");
  const std::string begin = "<!-- ops -->\n", end = "<!-- /ops -->";
  const size_t from = readme.find(begin), to = readme.find(end);
  REQUIRE(from != readme.npos);
  REQUIRE(to != readme.npos);
  CHECK(readme.substr(from + begin.size(), to - from - begin.size()) == Place().gpupost({"ops", "--markdown"}).out);
}

TEST_CASE("the README's table of formats has the program's, and their depths") {
  const std::string readme = file("README.md");
  if (readme.empty()) FAIL("there is no README.md");
  size_t count = 0;
  for (const gpupost::Format& format : gpupost::all_formats()) {
    if (!format.can_write()) continue;
    std::string row = "\n| `." + std::string(format.extensions.front()) + "` |";
    for (const gpupost::Depth depth : format.written_depths)
      row += (depth == format.written_depths.front() ? " " : ", ") + std::string(name_of(depth));
    CHECK_MESSAGE(readme.find(row) != readme.npos, row);
    ++count;
  }
  size_t row_count = 0;
  for (size_t at = 0; (at = readme.find("\n| `.", at)) != readme.npos; ++at) ++row_count;
  CHECK(row_count == count);
}

TEST_CASE("the README's lines that run gpupost are found") {
  CHECK(commands_of("gpupost a\n```sh\n# no\ngpupost b\nls\ngpupost c \\\n  d\ncat x | gpupost e\n```\ngpupost "
                    "f\n```\ngpupost g\n```\n") == Words{"gpupost b", "gpupost c   d", "cat x | gpupost e"});
}
