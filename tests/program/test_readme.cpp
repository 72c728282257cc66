// The README and the docs: their commands run, and their tables are the program's own.
#include "tests/program/test_folder.h"

#include "core/codec/codec.h"
#include "tests/support/json.h"
#include "tests/support/skip.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
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
void write_faces(const TestFolder& place) {
  const auto write = [&](const std::string& name, gpupost::Size size) {
    const gpupost::Depth depth = gpupost::Depth::half;
    const auto gray = [](int, int, size_t, int) { return gpupost::bits_of_half(0.5f); };
    write_picture(place, name,
                  gpupost::color_picture_of(
                      gpupost::made_group({{{"R", depth}, {"G", depth}, {"B", depth}, {}}}, depth, size, 1, gray)));
  };
  for (const char* face : {"px", "nx", "py", "ny", "pz", "nz"}) write(std::string(face) + ".exr", {8, 8});
  write("cross.exr", {32, 24});
  write("sky.exr", {64, 32});
}

}  // namespace

// README.md and the pages of docs/.
std::vector<std::string> pages() {
  std::vector<std::string> paths{"README.md"};
  for (const auto& entry : std::filesystem::directory_iterator("docs"))
    if (entry.path().extension() == ".md") paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

DEVICE_TEST_CASE("every command of the README and of the docs ends with 0") {
  const TestFolder place;
  place.write("in.exr", file("testdata/scene.exr"));
  place.write("in.png", file("testdata/alpha.png"));
  write_faces(place);
  for (const char* frame : {"1001", "1002", "1003", "1004"})
    place.write(std::string("shots/a.") + frame + ".exr", file("testdata/scene.exr"));
  for (const char* folder : {"docs", "pictures"}) std::filesystem::create_directory(place.path(folder));
  place.write("docs/vibrance.glsl", file("docs/vibrance.glsl"));
  place.write("look.cube", file("testdata/look.cube"));
  place.write("noise.exr", file("testdata/noise_257x129.exr"));
  size_t count = 0;
  for (const std::string& page : pages())
    for (const std::string& command : commands_of(file(page.c_str()))) {
      const Finished finished = place.shell(command);
      CHECK_MESSAGE(finished.exit_code == 0, page, ": ", command, "\n", finished.err);
      ++count;
    }
  CHECK(count > 30);
}

TEST_CASE("docs/pictures.md makes and shows a picture of each op but those whose result cannot be seen") {
  const std::string page = file("docs/pictures.md");
  size_t count = 0;
  for (const std::string& line : lines_of(TestFolder().gpupost({"ops"}).out)) {
    if (!line.starts_with("  ")) continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    if (name == "nan" || name == "stats") continue;
    const std::string picture = "pictures/" + name + ".jpg";
    CHECK_MESSAGE(page.find("](" + picture + ")") != page.npos, name);
    CHECK_MESSAGE(page.find("-o " + picture) != page.npos, name);
    ++count;
  }
  CHECK(count > 40);
  uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator("docs/pictures")) bytes += entry.file_size();
  CHECK(bytes < 600'000);
}

TEST_CASE("the README has at most 200 lines") { CHECK(std::ranges::count(file("README.md"), '\n') <= 200); }

TEST_CASE("every file that the README and the docs link to is there") {
  const std::regex link(R"(\]\(([^)#: ]+)\))");
  for (const std::string& page : pages()) {
    const std::string text = file(page.c_str());
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      const std::filesystem::path target = std::filesystem::path(page).parent_path() / (*at)[1].str();
      CHECK_MESSAGE(std::filesystem::exists(target), page, " links to ", target.string());
    }
  }
}

TEST_CASE("docs/ops.md is what `gpupost ops --markdown` prints") {
  CHECK(file("docs/ops.md") == TestFolder().gpupost({"ops", "--markdown"}).out);
}

DEVICE_TEST_CASE("docs/report.md explains every key of the JSON of verbs") {
  const std::string page = file("docs/report.md");
  const TestFolder place;
  const auto add_keys = [&](const auto& self, const nlohmann::json& json) -> void {
    if (!json.is_structured()) return;
    for (const auto& [key, value] : json.items()) {
      if (json.is_object() && std::isalpha(key.front())) CHECK_MESSAGE(page.find("`" + key + "`") != page.npos, key);
      self(self, value);
    }
  };
  for (const Words& words : {Words{"stats", "depth.exr"},
                             {"compare", "in.exr", "in.exr", "--flip", "0", "--json"},
                             {"info", "depth.exr", "--json"},
                             {"devices", "--json"},
                             {"version", "--json"}}) {
    nlohmann::json json = parse_json(place.gpupost(words).out);
    if (words.front() == "version") json["libraries"].clear();  // its keys are names of libraries
    add_keys(add_keys, json);
  }
}

TEST_CASE("the table of formats in docs/formats.md has the program's formats and their depths") {
  const std::string page = file("docs/formats.md");
  size_t count = 0;
  for (const gpupost::Format& format : gpupost::all_formats()) {
    if (!format.can_write()) continue;
    std::string row = "\n| `." + std::string(format.extensions.front()) + "` |";
    for (const gpupost::Depth depth : format.written_depths)
      row += (depth == format.written_depths.front() ? " " : ", ") + std::string(name_of(depth));
    CHECK_MESSAGE(page.find(row) != page.npos, row);
    ++count;
  }
  size_t row_count = 0;
  for (size_t at = 0; (at = page.find("\n| `.", at)) != page.npos; ++at) ++row_count;
  CHECK(row_count == count);
}

TEST_CASE("lines that run gpupost are found") {
  CHECK(commands_of("gpupost a\n```sh\n# no\ngpupost b\nls\ngpupost c \\\n  d\ncat x | gpupost e\n```\ngpupost "
                    "f\n```\ngpupost g\n```\n") == Words{"gpupost b", "gpupost c   d", "cat x | gpupost e"});
}
