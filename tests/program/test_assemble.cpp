// --assemble: cubes and arrays from several pictures, and from one that shows all faces.
#include "tests/program/test_folder.h"

#include "tests/support/json.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>

using namespace gpupost;
using namespace gpupost::test;

namespace {

const Words face_files{"px.exr", "nx.exr", "py.exr", "ny.exr", "pz.exr", "nz.exr"};
constexpr size_t dds_header_bytes = 148;

// A function of where a texel looks.
float brightness(const Direction& at, size_t component) {
  const double length = std::hypot(at[0], at[1], at[2]);
  return float(0.5 + 0.4 * std::sin(3 * at[component % 3] / length + double(component) + 1));
}

Picture picture_of(Size size, Depth depth, const BitsOf& bits_of, bool has_blue = true) {
  std::array<Channel, 4> channels{{{"R", depth}, {"G", depth}, {}, {}}};
  if (has_blue) channels[2] = {"B", depth};
  return color_picture_of(made_group(channels, depth, size, 1, bits_of));
}

BitsOf face_bits(int face, int side) {
  return [face, side](int x, int y, size_t c, int) {
    return bits_of_float(
        c == 3 ? 1 : brightness(direction_of(face, (2.0 * x + 1) / side - 1, (2.0 * y + 1) / side - 1), c));
  };
}

// The six faces of a cube in files.
void write_faces(const TestFolder& place, int side) {
  for (int face = 0; face < 6; ++face)
    write_picture(place, face_files[size_t(face)], picture_of({side, side}, Depth::f32, face_bits(face, side)));
}

// All six beside each other.
void write_strip(const TestFolder& place, const std::string& name, int side) {
  write_picture(place, name, picture_of({6 * side, side}, Depth::f32, [side](int x, int y, size_t c, int level) {
                  return face_bits(x / side, side)(x % side, y, c, level);
                }));
}

Finished assemble(const TestFolder& place, const std::string& kind, const Words& inputs, const std::string& output,
                  const Words& more = {}) {
  const Finished finished = place.gpupost(with(with(inputs, more), {"--assemble", kind, "-o", output}));
  CHECK_MESSAGE(finished.exit_code == 0, kind, ": ", finished.err);
  return finished;
}

// The floats of a DDS cube of RGBA32F, faces with all their levels.
class FloatCube {
 public:
  FloatCube(const std::string& file, int side, int level_count) : side_(side), level_count_(level_count) {
    numbers_.resize((file.size() - dds_header_bytes) / 4);
    std::memcpy(numbers_.data(), file.data() + dds_header_bytes, 4 * numbers_.size());
    CHECK(numbers_.size() == 6 * face_numbers(level_count));
  }
  float number(int face, int level, int x, int y, size_t component) const {
    const size_t texel = size_t(y) * size_t(side_ >> level) + size_t(x);
    return numbers_[size_t(face) * face_numbers(level_count_) + face_numbers(level) + 4 * texel + component];
  }

 private:
  // Of the levels before `level`.
  size_t face_numbers(int level) const {
    size_t count = 0;
    for (int i = 0; i < level; ++i) count += 4 * size_t(side_ >> i) * size_t(side_ >> i);
    return count;
  }
  int side_, level_count_;
  std::vector<float> numbers_;
};

// The largest difference between texels that meet across an edge of the cube.
double largest_step(const FloatCube& cube, int level, int side) {
  std::map<std::array<long, 3>, std::vector<float>> meetings;
  const auto meet = [&](int face, int x, int y, double u, double v) {
    const Direction at = direction_of(face, u, v);
    meetings[{std::lround(1000 * at[0]), std::lround(1000 * at[1]), std::lround(1000 * at[2])}].push_back(
        cube.number(face, level, x, y, 0));
  };
  for (int face = 0; face < 6; ++face)
    for (int i = 0; i < side; ++i) {
      const double middle = (2.0 * i + 1) / side - 1;
      meet(face, i, 0, middle, -1);
      meet(face, i, side - 1, middle, 1);
      meet(face, 0, i, -1, middle);
      meet(face, side - 1, i, 1, middle);
    }
  CHECK(meetings.size() == size_t(12 * side));
  double largest = 0;
  for (const auto& [point, numbers] : meetings) {
    CHECK(numbers.size() == 2);
    largest = std::max(largest, double(std::abs(numbers.front() - numbers.back())));
  }
  return largest;
}

}  // namespace

DEVICE_TEST_CASE("the levels of a cube have no seams, and its base is the input") {
  const TestFolder place;
  const int side = 16;
  write_faces(place, side);
  assemble(place, "cube", face_files, "cube.dds", {"mips", "--verify"});
  assemble(place, "array", face_files, "array.dds", {"mips"});  // the same without the averaging
  const FloatCube cube(place.read("cube.dds"), side, 5), array(place.read("array.dds"), side, 5);
  for (int level = 1; level < 5; ++level) {
    CHECK(largest_step(cube, level, side >> level) == 0);
    CHECK(largest_step(array, level, side >> level) > 0.001);
  }
  for (int face = 0; face < 6; ++face)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const uint32_t expected = face_bits(face, side)(x, y, 0, 0);
        CHECK(bits_of_float(cube.number(face, 0, x, y, 0)) == expected);
        if (x > 1 && y > 1 && x < 6 && y < 6)  // away from the edges
          CHECK(cube.number(face, 1, x, y, 0) == array.number(face, 1, x, y, 0));
      }
}

DEVICE_TEST_CASE("an op that measures each face of a cube alone says so") {
  const TestFolder place;
  write_faces(place, 8);
  const auto said = [&](const std::string& how, const std::vector<std::string>& op) {
    std::vector<std::string> words = with(face_files, op);
    const Finished finished = place.gpupost(with(words, {"--assemble", how, "-o", "out.dds"}));
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    return finished.err.find("exposure measures each face of the cube separately") != std::string::npos;
  };
  CHECK(said("cube", {"exposure", "--auto"}));
  CHECK_FALSE(said("cube", {"exposure", "--stops", "1"}));
  CHECK_FALSE(said("array", {"exposure", "--auto"}));
}

TEST_CASE("six files and a strip of them make the same cube, in both containers and without a device") {
  const TestFolder place;
  write_faces(place, 8);
  write_strip(place, "strip.exr", 8);
  for (const std::string extension : {"ktx2", "dds"}) {
    assemble(place, "cube", face_files, "cube." + extension);
    assemble(place, "cube-from-strip", {"strip.exr"}, "strip." + extension);
    CHECK((place.read("cube." + extension) == place.read("strip." + extension)));
  }
}

TEST_CASE("a cross of eight bits keeps its bytes") {
  const TestFolder place;
  Picture cross = picture_of({16, 12}, Depth::u8, [](int x, int y, size_t c, int) -> uint32_t {
    return c == 3 ? 255 : hash_of(uint32_t(x), uint32_t(y), uint32_t(c), 0);
  });
  cross.transfer = Transfer::srgb;
  cross.alpha = Alpha::straight;
  write_picture(place, "cross.png", cross);
  assemble(place, "cube-from-cross", {"cross.png"}, "cross.dds");
  const std::string file = place.read("cross.dds");
  REQUIRE(file.size() == dds_header_bytes + 6 * 4 * 16);
  const std::pair<int, int> corners[] = {{8, 4}, {0, 4}, {4, 0}, {4, 8}, {4, 4}, {12, 4}};
  for (size_t face = 0; face < 6; ++face)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x) {
        const auto [left, top] = corners[face];
        const size_t from = 4 * size_t((top + y) * 16 + left + x);
        const size_t to = dds_header_bytes + face * 64 + 4 * size_t(4 * y + x);
        const std::byte* texel = cross.groups[0].levels[0].texels.data() + from;
        CHECK((file.substr(to, 4) == std::string(reinterpret_cast<const char*>(texel), 4)));
      }
}

DEVICE_TEST_CASE("a chain has to leave faces square") {
  const TestFolder place;
  write_faces(place, 8);
  const Finished finished =
      place.gpupost(with(face_files, {"crop", "--window", "8x4+0+0", "mips", "--assemble", "cube", "-o", "out.dds"}));
  CHECK(finished.exit_code == 2);
  CHECK_MESSAGE(finished.err.find("px.exr: --assemble cube: it is written as 8 x 4; a face of a cube is square") !=
                    std::string::npos,
                finished.err);
}

TEST_CASE("the display windows decide whether images fit into one file") {
  const TestFolder place;
  write_faces(place, 8);
  Picture cut = picture_of({8, 8}, Depth::f32, face_bits(0, 8));
  cut.display_window = window_of({4, 4});
  write_picture(place, "cut.exr", cut);
  for (const bool is_first : {false, true}) {
    const Words inputs = is_first ? Words{"cut.exr", "px.exr"} : Words{"px.exr", "cut.exr"};
    const Finished finished = place.gpupost(with(inputs, {"--assemble", "array", "-o", "out.dds"}));
    CHECK(finished.exit_code == 2);
    const char* text = is_first ? "px.exr: --assemble array: it is written as 8 x 8, but cut.exr is written as 4 x 4\n"
                                : "cut.exr: --assemble array: it is written as 4 x 4, but px.exr is written as 8 x 8\n";
    CHECK_MESSAGE(finished.err.ends_with(text), finished.err);
    CHECK(!place.has("out.dds"));
  }
  Picture part = picture_of({4, 4}, Depth::f32, face_bits(0, 4));
  part.data_window = {2, 2, 5, 5};
  part.display_window = window_of({8, 8});
  write_picture(place, "part.exr", part);
  assemble(place, "array", {"px.exr", "part.exr"}, "out.dds");
  const std::string file = place.read("out.dds");
  REQUIRE(file.size() == dds_header_bytes + size_t(2 * 8 * 8 * 16));
  float number = 0;
  std::memcpy(&number, file.data() + dds_header_bytes + size_t(16 * (64 + 2 * 8 + 2)), sizeof number);
  CHECK(bits_of_float(number) == face_bits(0, 4)(0, 0, 0, 0));
}

TEST_CASE("a cross is cut from its display window") {
  const TestFolder place;
  Picture part = picture_of({7, 6}, Depth::f32, face_bits(0, 8));
  part.display_window = window_of({8, 6});
  write_picture(place, "cross.exr", part);
  const Finished finished =
      place.gpupost({"cross.exr", "--assemble", "cube-from-cross", "-o", "out.dds", "--report", "r.json"});
  CHECK(finished.exit_code == 0);
  const auto job = parse_json(place.read("r.json"))["jobs"][0];
  CHECK(job["width"] == 7);  // of the file, not of a face
  CHECK(job["height"] == 6);
  CHECK(finished.err ==
        "gpupost: note: cross.exr: --assemble cube-from-cross: the faces are cut from the display window of 8 x 6 "
        "texels\n");
}

TEST_CASE("the plan of a cross is that of its faces") {
  const TestFolder place;
  write_strip(place, "strip.exr", 8);
  const Finished finished =
      place.gpupost({"--explain", "mips", "strip.exr", "--assemble", "cube-from-strip", "-o", "out.dds"}, no_driver);
  CHECK(finished.exit_code == 0);
  CHECK_MESSAGE(finished.out.find("8 x 8, 4 levels") != std::string::npos, finished.out);
}

DEVICE_TEST_CASE("a cube that is cut of level 0 of several says so, unless it makes new ones") {
  const TestFolder place;
  write_strip(place, "strip.exr", 32);
  REQUIRE(place.gpupost({"strip.exr", "mips", "-o", "levels.ktx2"}).exit_code == 0);
  const auto told_of_levels = [&](const Words& chain, const std::string& kind) {
    const Finished finished = place.gpupost(with(with({"levels.ktx2"}, chain), {"--assemble", kind, "-o", "out.dds"}));
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    return finished.err.find("only level 0 of its 8 levels is read, and the output has one") != finished.err.npos;
  };
  CHECK(told_of_levels({}, "cube-from-strip"));
  CHECK(told_of_levels({"project", "--from", "strip", "--to", "cross"}, "cube-from-cross"));
  CHECK(!told_of_levels({"mips"}, "cube-from-strip"));
  CHECK(!told_of_levels({"prefilter"}, "cube-from-strip"));
  CHECK(!told_of_levels({"--level", "0"}, "cube-from-strip"));
}

TEST_CASE("warnings of a cube come once, under the name of all of its files") {
  const TestFolder place;
  for (const std::string& name : face_files) place.write(name, made_files().at("float.exr"));
  const Finished finished = place.gpupost(with(face_files, {"--assemble", "array", "-o", "out.dds", "--bits", "8"}));
  CHECK(finished.exit_code == 0);
  CHECK(finished.err == "gpupost: warning: px.exr and 5 more: 100.0 % of the values are above 1 and were clamped\n");
}

TEST_CASE("what cannot be assembled is refused, and the file that is at fault is named") {
  const TestFolder place;
  write_faces(place, 8);
  const BitsOf zeros = [](int, int, size_t, int) { return 0u; };
  write_picture(place, "small.exr", picture_of({4, 4}, Depth::f32, zeros));
  write_picture(place, "half.exr", picture_of({8, 8}, Depth::half, zeros));
  write_picture(place, "two.exr", picture_of({8, 8}, Depth::f32, zeros, false));
  REQUIRE(place.gpupost({"in.png", "--input-alpha", "data", "-o", "data.dds"}).exit_code == 0);
  const auto ending_in = [](const std::string& last) {
    Words words = face_files;
    words.back() = last;
    return words;
  };
  struct Refused {
    Words inputs;
    std::string kind, output;
    int exit_code;
    Words texts;
  };
  const Words five(face_files.begin(), face_files.end() - 1);
  const Refused refusals[] = {
      {five, "cube", "out.dds", 1, {"--assemble cube", "number of inputs is 5", "expected 6"}},
      {face_files,
       "cube-from-cross",
       "out.dds",
       1,
       {"--assemble cube-from-cross", "number of inputs is 6", "expected 1"}},
      {face_files, "cube", "out.exr", 1, {"--assemble cube", "exr", ".ktx2 or .dds"}},
      {face_files, "array", "out.png", 1, {"--assemble array", "png", ".ktx2 or .dds"}},
      {face_files, "cubes", "out.dds", 1, {"--assemble cubes", "did you mean `cube`"}},
      {ending_in("small.exr"), "cube", "out.dds", 2, {"small.exr", "4 x 4", "px.exr is written as 8 x 8"}},
      {ending_in("half.exr"), "array", "out.dds", 2, {"half.exr", "16f", "px.exr is of depth 32f"}},
      {ending_in("two.exr"), "cube", "out.dds", 2, {"two.exr", "of R G", "px.exr is of R G B"}},
      {ending_in("in.png"), "array", "out.dds", 2, {"in.png", "of R G B A", "px.exr is of R G B"}},
      {{"in.png", "data.dds"},
       "array",
       "out.dds",
       2,
       {"data.dds: --assemble array: it is of alpha that is data, but in.png is of alpha that is opacity"}},
      {{"in.exr", "in.exr", "in.exr", "in.exr", "in.exr", "in.exr"}, "cube", "out.dds", 2, {"in.exr", "square"}},
      {{"in.exr"}, "cube-from-cross", "out.dds", 2, {"in.exr", "37 x 21", "4 x 3 or 3 x 4"}},
      {{"in.exr"}, "cube-from-strip", "out.dds", 2, {"in.exr", "37 x 21", "6 x 1 or 1 x 6"}},
      {face_files, "cube", "nz.exr", 1, {"exr"}},
  };
  for (const Refused& refused : refusals) {
    const Words words = with(refused.inputs, {"--assemble", refused.kind, "-o", refused.output});
    const Finished finished = place.gpupost(words);
    INFO(text_of({.program = "gpupost", .words = words}), "\n", finished.err);
    CHECK(finished.exit_code == refused.exit_code);
    CHECK(is_one_error(finished.err));
    for (const std::string& text : refused.texts) CHECK_MESSAGE(finished.err.find(text) != std::string::npos, text);
    CHECK(!place.has("out.dds"));
  }
}

DEVICE_TEST_CASE("a panorama becomes a cube in one chain, as in two runs") {
  const TestFolder place;
  write_picture(place, "sky.exr", picture_of({64, 32}, Depth::f32, [](int x, int y, size_t c, int) {
                  return bits_of_float(c == 3 ? 1 : float(0.1 + std::sin(0.2 * x + double(c)) * std::sin(0.1 * y)));
                }));
  const auto run = [&](const Words& words) {
    const Finished finished = place.gpupost(words);
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    return finished.err;
  };
  run({"sky.exr", "exposure", "--stops", "1", "project", "-o", "strip.exr"});
  run({"sky.exr", "exposure", "--stops", "1", "project", "--to", "cross", "-o", "cross.exr"});
  run({"sky.exr", "project", "--size", "8", "-o", "small.exr"});
  const auto check = [&](const Words& whole, const std::string& kind, const Words& rest) {
    run(with(whole, {"--verify", "--assemble", kind, "-o", "one.dds"}));
    run(with(rest, {"--assemble", kind, "-o", "two.dds"}));
    CHECK(place.read("one.dds") == place.read("two.dds"));
  };
  const Words exposed{"sky.exr", "exposure", "--stops", "1"};
  check(with(exposed, {"project", "mips"}), "cube-from-strip", {"strip.exr", "mips"});
  check(with(exposed, {"project", "--to", "cross", "gain", "--red", "2", "mips"}), "cube-from-cross",
        {"cross.exr", "gain", "--red", "2", "mips"});
  check({"sky.exr", "project", "--size", "8"}, "cube-from-strip", {"small.exr"});
  check({"sky.exr", "project", "mips", "--bits", "8"}, "cube-from-strip",
        {"strip.exr", "exposure", "--stops", "-1", "mips", "--bits", "8"});
  check({"strip.exr", "project", "--from", "strip", "--to", "cross", "mips"}, "cube-from-cross", {"cross.exr", "mips"});
  // the cells of a cross that are cut off are not transparent texels of a face
  run({"sky.exr", "--input-alpha", "data", "channels", "--list", "R,G,B,1", "project", "--to", "cross", "offset",
       "--value", "0.1", "--assemble", "cube-from-cross", "-o", "data.dds"});
  // the whole panorama is measured, and not each face
  CHECK(run({"sky.exr", "exposure", "--auto", "project", "mips", "--assemble", "cube-from-strip", "-o", "a.dds"}) ==
        "");
  // an image for each level of a face
  run({"sky.exr", "project", "mips", "--assemble", "cube-from-strip", "-o", "level{level}.dds"});
  CHECK(place.has("level4.dds"));
  CHECK(!place.has("level5.dds"));
  const Finished shown =
      place.gpupost({"--explain", "sky.exr", "project", "mips", "--assemble", "cube-from-strip", "-o", "a.dds"});
  CHECK_MESSAGE(shown.exit_code == 0, shown.err);
  CHECK(("\n" + shown.out).find("\nfaces    the calls after `project` run on each face") != std::string::npos);
  CHECK(shown.out.find("\nimage 0  16 x 16, 5 levels") != std::string::npos);
  const Finished wrong = place.gpupost(
      {"--explain", "sky.exr", "project", "--to", "cross", "--assemble", "cube-from-strip", "-o", "a.dds"});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err.find("sky.exr: `project --to cross`: --assemble cube-from-strip: it is 64 x 48") != wrong.err.npos);
  const Finished planned =
      place.gpupost({"--explain", "project", "mips", "--assemble", "cube-from-strip", "--size", "32x16"});
  CHECK(planned.out.find("\nimage 0  8 x 8, 4 levels") != std::string::npos);
  // also the calls before the cut are named
  const std::string stats = place
                                .gpupost({"sky.exr", "exposure", "--stops", "1", "project", "flip", "x", "stats",
                                          "mips", "--assemble", "cube-from-strip", "-o", "a.dds"})
                                .out;
  CHECK(parse_json(stats.substr(0, stats.find('\n')))["before"] ==
        nlohmann::json{"exposure --stops 1", "project", "flip x"});
}

DEVICE_TEST_CASE("the primaries of a panorama are converted in one chain with --assemble as in two runs") {
  const TestFolder place;
  write_picture(place, "sky.exr", picture_of({64, 32}, Depth::f32, [](int x, int y, size_t c, int) {
                  return bits_of_float(c == 3 ? 1 : float(0.6 + 0.4 * std::sin(0.2 * x + double(c) + 0.1 * y)));
                }));
  const auto run = [&](const Words& words) {
    const Finished finished = place.gpupost(words);
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    return finished.err;
  };
  run({"sky.exr", "--input-primaries", "rec2020", "-o", "rec2020.exr"});
  run({"sky.exr", "--output-primaries", "p3-d65", "--bits", "8", "-o", "p3.png"});
  for (const std::string input : {"rec2020.exr", "p3.png"})
    for (const Words& asked : {Words{}, Words{"--output-primaries", "rec709"}}) {
      const Words rest = with(with({"mips", "--assemble", "cube-from-strip", "--bits", "16"}, asked), {"-o"});
      const Words chain = with({input, "project", "--storage", "fp32"}, rest);
      const std::string warning = run(with(chain, {"one.ktx2"}));
      CHECK_MESSAGE((warning.find("converted to Rec. 709 primaries") != std::string::npos) == asked.empty(), warning);
      run({input, "project", "--storage", "fp32", "--bits", "32f", "-o", "strip.exr"});
      run(with(with({"strip.exr", "--storage", "fp32"}, rest), {"two.ktx2"}));
      CHECK_MESSAGE(place.read("one.ktx2") == place.read("two.ktx2"), input);
    }
}

DEVICE_TEST_CASE("normals before the cut of --assemble are data") {
  const TestFolder place;
  write_strip(place, "strip.exr", 8);
  for (const Words& words :
       {Words{"strip.exr", "--bits", "8", "-o", "strip.png"},
        Words{"strip.png", "project", "--from", "strip", "--to", "cross", "mips", "--normal", "--assemble",
              "cube-from-cross", "-o", "one.dds"},
        Words{"strip.png", "mips", "--normal", "--assemble", "cube-from-strip", "-o", "two.dds"}}) {
    const Finished finished = place.gpupost(words);
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    CHECK(finished.err == "");
  }
  CHECK(place.read("one.dds") == place.read("two.dds"));
  REQUIRE(place.gpupost({"strip.png", "channels", "--list", "R,G,B,0.5", "-o", "alpha.png"}).exit_code == 0);
  for (const Words& op : {Words{"invert"}, {"merge", "--with", "alpha.png"}}) {
    const Words to_cross = with(op, {"project", "--from", "strip", "--to", "cross", "mips", "--normal"});
    const Words input{op.size() == 1 ? "alpha.png" : "strip.png"};
    const Finished refused =
        place.gpupost(with(with(input, to_cross), {"--assemble", "cube-from-cross", "-o", "none.dds"}));
    CHECK(refused.exit_code == 1);
    CHECK_MESSAGE(refused.err.find("alpha") != std::string::npos, refused.err);
  }
}

DEVICE_TEST_CASE("a cube map of OpenEXR has other orientations, which project converts") {
  const TestFolder place;
  constexpr int side = 8;
  write_strip(place, "strip.exr", side);
  // ImfEnvmap.cpp, with an x that goes the other way
  const auto direction_in_openexr = [](int face, double u, double v) -> Direction {
    switch (face) {
      case 0: return {-1, -v, u};
      case 1: return {1, -v, -u};
      case 2: return {-u, 1, -v};
      case 3: return {-u, -1, v};
      case 4: return {u, -v, 1};
      default: return {-u, -v, -1};
    }
  };
  Picture cube = picture_of({side, 6 * side}, Depth::f32, [&](int x, int y, size_t c, int) {
    const Direction at = direction_in_openexr(y / side, (2.0 * x + 1) / side - 1, (2.0 * (y % side) + 1) / side - 1);
    return bits_of_float(c == 3 ? 1 : brightness(at, c));
  });
  cube.attributes = {{.name = "envmap", .type = "envmap", .value = {1}}};
  write_picture(place, "cube.exr", cube);
  const Words to_cross{"project", "--from", "strip", "--to", "cross"},
      to_latlong{"project", "--from", "strip", "--to", "latlong"};
  for (const auto& [words, format] : {std::pair{to_cross, "exr"},
                                      {to_latlong, "exr"},
                                      {with(to_cross, {"mips", "--assemble", "cube-from-cross"}), "dds"}}) {
    std::string results[2];
    for (const bool is_openexr : {false, true}) {
      const std::string output = fmt::format("out{}.{}", int(is_openexr), format);
      const Finished finished =
          place.gpupost(with(with({is_openexr ? "cube.exr" : "strip.exr"}, words), {"-o", output}));
      CHECK_MESSAGE(finished.exit_code == 0, finished.err);
      results[is_openexr] = place.read(output);
    }
    CHECK(results[0] == results[1]);
  }
  // behind an op that makes the attribute wrong, one chain makes what two runs do
  for (const Words& before : {Words{"flip", "x"}, {"crop", "--window", "4x24+0+0"}}) {
    check_done(place, with(with({"cube.exr"}, before), {"-o", "other.exr"}));
    check_done(place, with(with({"other.exr"}, to_cross), {"-o", "two.exr"}));
    check_done(place, with(with(with({"cube.exr"}, before), to_cross), {"-o", "one.exr"}));
    CHECK(place.gpupost({"compare", "one.exr", "two.exr"}).exit_code == 0);
  }
  const Finished panorama = place.gpupost({"cube.exr", "project", "-o", "out.exr"});
  CHECK(panorama.exit_code == 2);
  CHECK(panorama.err ==
        "gpupost: cube.exr: project: --from latlong: the file is a cube map by its attribute envmap; give --from "
        "strip\n");
  // filters of cubes need the faces in a row
  const Words to_row = with(to_cross, {"project", "--from", "cross", "--to", "strip"});
  for (const char* filter : {"prefilter", "irradiance"}) {
    const Finished refused = place.gpupost({"cube.exr", filter, "-o", "cube.dds"});
    CHECK(refused.exit_code == 2);
    CHECK_MESSAGE(
        refused.err.find("put `" + fmt::format("{}", fmt::join(to_row, " ")) + "` before it") != std::string::npos,
        refused.err);
    check_done(place, with(with({"cube.exr"}, to_row), {filter, "-o", "row.dds"}));
    check_done(place, {"strip.exr", filter, "-o", "expected.dds"});
    CHECK(place.read("row.dds") == place.read("expected.dds"));
  }
  const std::string warning = "it is a cube map by its attribute envmap, and OpenEXR has other orientations of faces";
  const Finished cut = assemble(place, "cube-from-strip", {"cube.exr", "mips"}, "cut.dds");
  CHECK_MESSAGE(cut.err.find(warning) != std::string::npos, cut.err);
  CHECK(assemble(place, "cube-from-strip", {"strip.exr", "mips"}, "cut.dds").err == "");
}

DEVICE_TEST_CASE("project warns if its samples skip texels") {
  const TestFolder place;
  write_picture(place, "sky.exr",
                picture_of({64, 32}, Depth::half, [](int, int, size_t, int) { return bits_of_half(1); }));
  const Finished coarse = place.gpupost({"sky.exr", "project", "--size", "1", "-o", "out.exr"});
  CHECK(coarse.exit_code == 0);
  CHECK(coarse.err ==
        "gpupost: warning: sky.exr: `project --size 1`: the input is sampled too coarsely, so small lights may be "
        "lost; use a larger --size, then `mips` or `resize`\n");
  CHECK(place.gpupost({"sky.exr", "project", "--size", "2", "-o", "out.exr"}).err == "");
}

DEVICE_TEST_CASE("an image that is no cube of the given form, or has two windows, is refused by project") {
  const TestFolder place;
  write_strip(place, "strip.exr", 4);
  Picture part = picture_of({8, 4}, Depth::half, [](int, int, size_t, int) { return bits_of_half(1); });
  part.display_window = window_of({16, 8});
  write_picture(place, "part.exr", part);
  const auto check = [&](const Words& words, int exit_code, const std::string& message) {
    const Finished finished = place.gpupost(with(words, {"-o", "out.exr"}));
    CHECK(finished.exit_code == exit_code);
    CHECK_MESSAGE(finished.err.find(message) != std::string::npos, finished.err);
  };
  check({"strip.exr", "project", "--from", "cross", "--to", "latlong"}, 2,
        "strip.exr: project: --from cross: the image is 24 x 4; expected 4 x 3 or 3 x 4 squares");
  check({"strip.exr", "crop", "--window", "23x4+0+0", "project", "--from", "strip", "--to", "latlong"}, 2,
        "strip.exr: project: --from strip: the image is 23 x 4; expected 6 x 1 or 1 x 6 squares");
  check({"part.exr", "project"}, 2, "part.exr: project: the data window is not the display window");
  check({"strip.exr", "project", "--to", "latlong"}, 1,
        "project: --from and --to are both latlong; expected two of latlong, strip and cross");
  const Finished other =
      place.gpupost({"strip.exr", "project", "--size", "2", "--assemble", "cube-from-cross", "-o", "out.dds"});
  CHECK(other.exit_code == 2);
  CHECK(other.err ==
        "gpupost: strip.exr: `project --size 2`: --assemble cube-from-cross: it is 12 x 2; expected 4 x 3 or 3 x 4 "
        "squares\n");
  check({"strip.exr", "project", "--size", "8000"}, 1, "project: the result would be 48000 x 8000 texels");
}

DEVICE_TEST_CASE("prefilter and irradiance write their whole cube with --assemble, without averaging at its edges") {
  const TestFolder place;
  write_picture(place, "sky.exr", picture_of({64, 32}, Depth::f32, [](int x, int y, size_t c, int) {
                  return bits_of_float(c == 3 ? 1 : float(1.1 + std::sin(0.2 * x + double(c)) * std::sin(0.1 * y)));
                }));
  const auto run = [&](const Words& words) {
    const Finished finished = place.gpupost(words);
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
  };
  const Words assembled{"--assemble", "cube-from-strip", "-o"};
  run({"sky.exr", "project", "-o", "strip.exr"});
  run(with({"sky.exr", "project", "prefilter"}, with(assembled, {"one.dds"})));
  run(with({"strip.exr", "prefilter"}, with(assembled, {"two.dds"})));
  CHECK(place.read("one.dds") == place.read("two.dds"));
  run({"strip.exr", "prefilter", "-o", "level{level}.exr"});
  CHECK(place.has("level1.exr"));
  CHECK(!place.has("level2.exr"));
  for (const int face : {0, 3, 5}) {
    const std::string window = fmt::format("8x8+{}+0", 8 * face);
    run({"one.dds", "--part", std::to_string(face), "--level", "1", "-o", "face.exr"});
    run({"level1.exr", "crop", "--window", window, "gain", "-o", "expected.exr"});
    run({"compare", "face.exr", "expected.exr"});
  }
  run(with({"strip.exr", "irradiance", "--size", "4", "--bits", "16f"}, with(assembled, {"diffuse.ktx2"})));
  CHECK(place.gpupost({"info", "diffuse.ktx2"}).out.find("part 5  width 4  height 4  -Z") != std::string::npos);
  const Finished shown =
      place.gpupost(with({"--explain", "sky.exr", "project", "prefilter"}, with(assembled, {"a.dds"})));
  CHECK(shown.out.find("\nimage 1  96 x 16, 2 levels") != std::string::npos);
}

DEVICE_TEST_CASE("prefilter keeps integers of level 0 in a cube, also color where alpha is 0") {
  const TestFolder place;
  REQUIRE(place.shell("oiiotool --pattern fill:left=0.2,0.4,0.6,0:right=0.4,0.2,0.1,1 48x8 4 -d float -o in.exr")
              .exit_code == 0);
  check_done(place, {"in.exr", "--input-alpha", "data", "--bits", "8", "-o", "strip.png"});
  const Words assembled{"--assemble", "cube-from-strip", "-o"};
  check_done(place, with({"strip.png"}, with(assembled, {"plain.dds"})));
  check_done(place, with({"strip.png", "prefilter", "--levels", "1", "--quiet"}, with(assembled, {"filtered.dds"})));
  CHECK(place.read("filtered.dds") == place.read("plain.dds"));
  check_done(place, {"strip.png", "transpose", "-o", "column.png"});
  check_done(place, {"strip.png", "--input-alpha", "data", "pad", "--size", "50x9", "-o", "padded.png"});
  for (const Words& moved : {Words{"column.png", "transpose"}, {"padded.png", "crop", "--window", "48x8+1+0"}}) {
    CAPTURE(moved.front());
    check_done(place, with(with(moved, {"prefilter", "--levels", "1", "--quiet"}), with(assembled, {"moved.dds"})));
    CHECK(place.read("moved.dds") == place.read("plain.dds"));
  }
}

DEVICE_TEST_CASE("prefilter says which images it takes") {
  const TestFolder place;
  const auto write = [&](int width, int height) {
    write_picture(place, "in.exr",
                  picture_of({width, height}, Depth::half, [](int, int, size_t, int) { return bits_of_half(1); }));
  };
  const auto check_refused = [&](const Words& words, int exit_code, const std::string& message) {
    const Finished finished = place.gpupost(with({"in.exr"}, words));
    CHECK(finished.exit_code == exit_code);
    CHECK(finished.err == "gpupost: " + message + "\n");
  };
  for (const auto& [width, height, chain] :
       {std::tuple{72, 12, "project --from strip --to cross --size 256 project --from cross --to strip"},
        {8, 48, "project --from strip --to cross project --from cross --to strip"},
        {32, 24, "project --from cross --to strip"},
        {24, 32, "project --from cross --to strip"},
        {36, 27, "project --from cross --to strip --size 256"}}) {
    write(width, height);
    check_refused({"prefilter", "-o", "{level}.exr"}, 2,
                  fmt::format("in.exr: prefilter: the image is {} x {}; expected a row of six faces whose side is a "
                              "power of two, such as 1536 x 256; put `{}` before it",
                              width, height, chain));
    const Finished made =
        place.shell(fmt::format("gpupost in.exr {} prefilter --samples 16 -o '{{level}}.exr'", chain));
    CHECK_MESSAGE(made.exit_code == 0, made.err);
  }
  for (const auto& [width, height, hint] :
       {std::tuple{16, 16,
                   "write each face to a file (--part), and put them in a row with `sheet --columns 6 --gap 0`"},
        {64, 32, "make one of a panorama with `project --size 256`"}}) {
    write(width, height);
    check_refused({"irradiance", "-o", "out.exr"}, 2,
                  fmt::format("in.exr: irradiance: the image is {} x {}; expected a row of six faces whose side is a "
                              "power of two, such as 1536 x 256; {}",
                              width, height, hint));
  }
  write(96, 16);
  check_refused({"prefilter", "--levels", "6", "-o", "{level}.exr"}, 2,
                "in.exr: prefilter: --levels is 6; faces of 16 x 16 have at most 5 levels (use --levels 5 or less)");
  check_done(place, {"in.exr", "prefilter", "--levels", "5", "-o", "{level}.exr"});
  check_refused({"prefilter", "-o", "out.exr"}, 1,
                "out.exr: exr files hold one level of a cube, not 2; use {level} in -o for one file per level");
}
