// The letters of labels, their place in the strip, and how long names are shortened.
#include "core/image/label.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace gpupost;

namespace {

// The strip of a label, a line for each row of texels.
std::vector<std::string> drawn(std::string_view path, Size picture) {
  std::vector<std::string> lines;
  const Label label(path, picture);
  for (int y = 0; y < label_height(picture); ++y) {
    std::string line;
    for (int x = 0; x < picture.width; ++x) line += label.covers({x, y}) ? '#' : '.';
    lines.push_back(line);
  }
  return lines;
}

bool is_empty(const std::string& line) { return line.find('#') == line.npos; }

std::string ellipsis_between(const std::string& head, const std::string& tail) { return head + label_ellipsis + tail; }

}  // namespace

TEST_CASE("a label is the name of the file, centered in its strip") {
  const std::vector<std::string> expected{
      "..............",  //
      "..............",  //
      "....#..#......",  //
      ".......#......",  //
      "...##..#..#...",  //
      "....#..#.#....",  //
      "....#..##.....",  //
      "....#..#.#....",  //
      "....#..#..#...",  //
      ".#..#.........",  //
      "..##..........",  //
      "..............",  //
  };
  CHECK(drawn("shots/v1/jk", {14, 9}) == expected);
  for (const auto& [name, width, left] : {std::tuple{"H", 25, 10}, {"HH", 31, 10}, {"HH", 32, 10}, {"H", 5, 0}}) {
    const std::vector<std::string> lines = drawn(name, {width, 9});
    CHECK(int(lines[2].find('#')) == left);
    CHECK(width - int(lines[2].rfind('#')) - 1 - left <= 1);
  }
}

TEST_CASE("letters grow with the picture, by whole dots") {
  for (const Size size : {Size{1, 1}, {16, 16}, {199, 4000}, {399, 250}, {4000, 120}}) CHECK(label_height(size) == 12);
  CHECK(label_height({400, 200}) == 24);
  CHECK(label_height({1920, 1080}) == 108);
  const std::vector<std::string> small = drawn("Ag1", {201, 100}), large = drawn("Ag1", {402, 200});
  for (size_t y = 0; y < large.size(); ++y)
    for (size_t x = 0; x < 402; ++x) CHECK(large[y][x] == small[y / 2][x / 2]);
}

TEST_CASE("every printable character has a picture of its own, and none touches the next") {
  std::set<std::vector<std::string>> pictures;
  for (char letter = '!'; letter <= '~'; ++letter) {
    if (letter == '/') continue;
    const std::vector<std::string> picture = drawn(std::string(1, letter), {5, 9});
    CHECK(!std::ranges::all_of(picture, is_empty));
    CHECK_MESSAGE(pictures.insert(picture).second, letter);
    const std::vector<std::string> twice = drawn(std::string(2, letter), {11, 9});
    for (size_t y = 0; y < twice.size(); ++y) CHECK(twice[y] == picture[y] + "." + picture[y]);
  }
  CHECK(std::ranges::all_of(drawn(" ", {5, 9}), is_empty));
}

TEST_CASE("a name that is too long loses its extension, then its middle") {
  CHECK(label_text("a/b/beauty.0101.exr", 15) == "beauty.0101.exr");
  CHECK(label_text("beauty.0101.exr", 14) == "beauty.0101");
  CHECK(label_text("beauty.0101.exr", 10) == ellipsis_between("beau", "0101"));
  CHECK(label_text("beauty.0101.exr", 8) == ellipsis_between("bea", "0101"));
  CHECK(label_text("beauty.0101.exr", 2) == ellipsis_between("", "1"));
  CHECK(label_text("beauty.0101.exr", 1) == ellipsis_between("", ""));
  CHECK(label_text("beauty.0101.exr", 0).empty());
  CHECK(label_text("beauty.0101", 9) == ellipsis_between("beau", "0101"));  // a number is not an extension
  CHECK(label_text("ab.0101.exr", 7) == "ab.0101");
  CHECK(label_text("ab.cdefgh", 8) == ellipsis_between("ab", "efgh"));
  CHECK(label_text(".exr", 3) == ellipsis_between("", "r"));
  CHECK(label_text("name.", 4) == ellipsis_between("n", "e."));
  for (int most = 0; most < 30; ++most) CHECK(int(label_text("a_name_of.letters.0001.tiff", most).size()) <= most);
  CHECK(label_text("-", 5) == "-");
}

TEST_CASE("a character other than printable ASCII is one question mark") {
  CHECK(label_text("gr\u00f6\u00dfe_\u4e2d\u6587\U0001f600.exr", 99) == "gr??e_???.exr");
  CHECK(label_text("a\tb\x7f\x1b", 99) == "a?b??");
  CHECK(label_text("a\xf6z\xff", 99) == "a?z?");
}
