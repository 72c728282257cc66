// pack, held against plain copies of channels.
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

using namespace definitions;

namespace {

Image file_of(const char* name, int seed) {
  return made(name, 17, 9, true, [seed](int x, int y) {
    return Position{8 * noise(x, y, 0, seed) - 2, noise(x, y, 1, seed), noise(x, y, 2, seed), noise(x, y, 3, seed)};
  });
}

// The source of a channel of the result: a file, or -1 for the input, and its component.
struct Source {
  int file, component;
};

struct Row {
  const char* line;
  std::array<Source, 4> of;
};

Image packed(const Image& input, const std::vector<Image>& files, const Row& row) {
  Image made = input;
  made.has_alpha = input.has_alpha || row.of[3].file >= 0;
  for (int y = 0; y < input.height; ++y)
    for (int x = 0; x < input.width; ++x)
      for (size_t k = 0; k < 4; ++k)
        if (const auto [file, component] = row.of[k]; file >= 0)
          made.at(x, y)[k] = files[size_t(file)].at(x, y)[size_t(component)];
  return made;
}

}  // namespace

DEVICE_TEST_CASE("pack copies channels of files, and leaves the others as they are") {
  const std::vector<Image> files{file_of("a", 1), file_of("b", 2), file_of("c", 3), file_of("d", 4)};
  for (const Image& image : files) add_image(image.name + ".exr", image);
  const Row rows[] = {
      {"pack --green b.exr", {Source{-1, 0}, {1, 0}, {-1, 2}, {-1, 3}}},
      {"pack --alpha a.exr:G", {Source{-1, 0}, {-1, 1}, {-1, 2}, {0, 1}}},
      {"pack --red a.exr:A --blue b.exr:A --green a.exr:B", {Source{0, 3}, {0, 2}, {1, 3}, {-1, 3}}},
      {"pack --red d.exr:B --green c.exr:G --blue b.exr --alpha a.exr:A", {Source{3, 2}, {2, 1}, {1, 0}, {0, 3}}},
  };
  Image opaque = odd();
  opaque.has_alpha = false;
  for (Position& c : opaque.texels) c[3] = 1;
  for (const Row& row : rows)
    for (const Image& input : {odd(), opaque})
      check_near(run(row.line, {input})[0], packed(input, files, row), row.line, {0, 0});
  check_near(run("pack --green b.exr channels --list G,G,G,A", {odd()})[0],
             run("pack --red b.exr --green b.exr --blue b.exr", {odd()})[0], "the same file thrice", {0, 0});
  check_exit_code("pack", odd(), 1);
  check_exit_code("pack --green b.exr", one(), 1);  // of another size
  check_exit_code("pack --green missing.exr", odd(), 2);
}

DEVICE_TEST_CASE("pack makes the same in tiles") {
  const Image input = large();
  const Image second = made("large", input.width, input.height, false, [](int x, int y) {
    return Position{noise(x, y, 0, 5), noise(x, y, 1, 5), noise(x, y, 2, 5), 1};
  });
  add_image("large.exr", second);
  const Row row{"pack --green large.exr:B --tile-side 64", {Source{-1, 0}, {0, 2}, {-1, 2}, {-1, 3}}};
  check_near(run(row.line, {input})[0], packed(input, {second}, row), "tiles", {0, 0});
}
