// Ops that users have written: what they make, what is wrong with them, and what happens when they hurt the compiler.
#include "tests/program/test_folder.h"
#include "tests/program/tested_program.h"
#include "tests/support/skip.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <filesystem>

using namespace gpupost::test;

namespace {

// A gain, with all the names that gpupost's kernels have for themselves.
const char* const gain_file =
    "//!point gain\n//!alpha premultiplied\n//!param value 1 -4..4 of all three channels\n"
    "const float COLUMNS = 1.0, HALF = 0.5, target = 2.0;\n"
    "float load(ivec2 at) { return COLUMNS; }\n"
    "float straight(float real) { float source = HALF * target; return real * source; }\n"
    "vec4 gain(vec4 c, gain_params p) { return vec4(straight(load(ivec2(0))) * p.value * c.rgb, c.a); }\n";

// What it says of `words`, which must end with this exit code and leave nothing.
std::string refusal(const TestFolder& place, const Words& words, int exit_code) {
  const Finished finished = place.gpupost(with(words, {"in.exr", "-o", "out.exr"}));
  CHECK(finished.exit_code == exit_code);
  CHECK(is_one_error(finished.err));
  CHECK(!place.has("out.exr"));
  return finished.err;
}

void done(const TestFolder& place, const Words& words) {
  const Finished finished = place.gpupost(words);
  CHECK_MESSAGE(finished.exit_code == 0, finished.err);
}

// A function that its calls make 2^30 of.
std::string doubling_file() {
  std::string text = "//!point x\nfloat f0(float v) { return 1.1 * v; }\n";
  for (int level = 1; level <= 30; ++level)
    text += fmt::format("float f{0}(float v) {{ return f{1}(v) + f{1}(2.0 * v); }}\n", level, level - 1);
  return text + "vec4 x(vec4 c, x_params p) { return vec4(f30(c.r)); }\n";
}

}  // namespace

DEVICE_TEST_CASE("an op of one's own makes what the same op of gpupost makes, wherever it is folded") {
  const TestFolder place;
  place.write("gain.glsl", gain_file);
  const std::pair<Words, Words> around[] = {
      {{}, {}}, {{"exposure", "--stops", "0.5"}, {"mips"}}, {{"blur", "--radius", "2"}, {}}, {{}, {"luminance"}}};
  for (const auto& [before, behind] : around) {
    const auto made = [&](Words op, const std::string& output) {
      op.insert(op.begin(), before.begin(), before.end());
      op.insert(op.end(), behind.begin(), behind.end());
      op.insert(op.end(), {"float.exr", "-o", output});
      done(place, op);
    };
    made({"point", "gain.glsl", "--set", "value=1.5"}, "own.exr");
    made({"gain", "--value", "1.5"}, "known.exr");
    CHECK(place.gpupost({"compare", "own.exr", "known.exr"}).exit_code == 0);
  }
}

DEVICE_TEST_CASE("an op of one's own gets CIE Yxy, straight color and its defaults where its header says so") {
  const TestFolder place;
  place.write("half.glsl",
              "//!point half_light\n//!space yxy\n//!param y 0.5 0..1\n"
              "vec4 half_light(vec4 c, half_light_params p) { return vec4(p.y * c.x, c.yzw); }\n");
  place.write("solid.glsl", "//!point solid\nvec4 solid(vec4 c, solid_params p) { return vec4(c.rgb, 1.0); }\n");
  done(place, {"point", "half.glsl", "float.exr", "-o", "own.exr"});
  done(place, {"gain", "--value", "0.5", "float.exr", "-o", "known.exr"});
  CHECK(place.gpupost({"compare", "own.exr", "known.exr", "--tolerance", "0.5"}).exit_code == 0);  // of up to 100,000
  CHECK(place.gpupost({"compare", "own.exr", "float.exr", "--tolerance", "100"}).exit_code == 6);
  done(place, {"point", "solid.glsl", "in.exr", "-o", "solid.exr"});
  const gpupost::Picture straight = decoded(place, "solid.exr");
  CHECK(straight.groups[0].levels[0].texels.as<uint16_t>()[3] == 0x3c00);
}

DEVICE_TEST_CASE("what is wrong with the file is one line that names it and its line") {
  const TestFolder place;
  const auto refused = [&](const std::string& text) {
    place.write("x.glsl", "//!point x\n" + text);
    return refusal(place, {"point", "x.glsl"}, 2);
  };
  CHECK(refused("vec4 x(vec4 c, x_params p) {\n  return nothing(c);\n}\n") ==
        "gpupost: x.glsl:3: 'nothing' : no matching overloaded function found\n");
  CHECK(
      refused("vec4 x(vec4 c, x_params p) { return c; }\nfloat of() { return imageLoad(target[0], ivec2(0)).r; }\n") ==
      "gpupost: x.glsl:3: 'target' : undeclared identifier\n");
  CHECK(refused("float half_of(vec2 v) { return v.x; }\nvec4 x(vec4 c, x_params p) { return c * half_of(c); }\n") ==
        "gpupost: x.glsl:3: 'half_of' : no matching overloaded function found\n");
  CHECK(refused("float of(float v) { return v }\nvec4 x(vec4 c, x_params p) { return c; }\n")
            .starts_with("gpupost: x.glsl:2: "));
  CHECK(refused("vec4 x(vec4 c, x_params p) { return c * statistics[0]; }\n") ==
        "gpupost: x.glsl:2: 'statistics' : undeclared identifier\n");
  CHECK(
      refused("//!param float 0 0..1\nvec4 x(vec4 c, x_params p) { return c; }\n").starts_with("gpupost: x.glsl:2: "));
  CHECK(refused("float of(float v) { return of(v); }\nvec4 x(vec4 c, x_params p) { return c * of(1.0); }\n")
            .starts_with("gpupost: x.glsl: "));
}

DEVICE_TEST_CASE("a text is compiled once and then kept, and another text is another one") {
  const TestFolder place;
  const Environment environment{{"XDG_CACHE_HOME", place.path("cache")}};
  const auto kept_count = [&](const std::string& value) {
    place.write("x.glsl", "//!point x\nvec4 x(vec4 c, x_params p) { return c * " + value + "; }\n");
    CHECK(place.gpupost({"point", "x.glsl", "in.exr", "-o", "out.exr"}, environment).exit_code == 0);
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(place.path("cache/gpupost")))
      count += entry.path().extension() == ".spv";
    return count;
  };
  const size_t once = kept_count("0.5");
  CHECK(once > 0);
  CHECK(kept_count("0.5") == once);
  CHECK(kept_count("0.25") == 2 * once);
  CHECK(place.gpupost({"compare", "out.exr", "in.exr", "--tolerance", "0.01"}).exit_code == 6);
}

DEVICE_TEST_CASE("an op of one's own is planned, timed and left by itself as any other") {
  const TestFolder place;
  place.write("gain.glsl", gain_file);
  const Words chain{"exposure", "--stops", "1", "point", "gain.glsl", "--set", "value=2", "in.exr", "-o", "out.exr"};
  const auto with = [&](const char* option) {
    Words words = chain;
    words.push_back(option);
    return place.gpupost(words);
  };
  const Finished explained = with("--explain");
  CHECK(explained.out.find("point gain.glsl --set value=2\n") != std::string::npos);
  CHECK(explained.out.find("stores through exposure, gain\n") != std::string::npos);
  CHECK(with("--timing").err.find("  exposure, gain  ") != std::string::npos);
  const std::string apart = place
                                .gpupost({"exposure", "--stops", "1", "point", "gain.glsl", "in.exr", "-o", "apart.exr",
                                          "--no-fuse", "--timing"})
                                .err;
  CHECK(apart.find("\n  exposure  ") != std::string::npos);
  CHECK(apart.find("\n  gain  ") != std::string::npos);
}

TEST_CASE("words that are wrong with an op of one's own") {
  const TestFolder place;
  place.write("gain.glsl", gain_file);
  place.write("long.glsl", std::string(70000, ' '));
  std::filesystem::create_directory(place.path("folder.glsl"));
  CHECK(refusal(place, {"point"}, 1) ==
        "gpupost: point: file is missing; expected FILE.glsl (in.exr is taken as an input)\n");
  CHECK(refusal(place, {"point", "none.glsl"}, 2) ==
        "gpupost: none.glsl: cannot be opened: No such file or directory\n");
  CHECK(refusal(place, {"point", "folder.glsl"}, 2) == "gpupost: folder.glsl: is not a regular file\n");
  CHECK(refusal(place, {"point", "long.glsl"}, 2) == "gpupost: long.glsl: has 70000 bytes; the limit is 65536\n");
  CHECK(refusal(place, {"point", "gain.glsl", "--set", "value=5"}, 1) ==
        "gpupost: point: --set value=5 is outside -4..4\n");
  CHECK(refusal(place, {"point", "gain.glsl", "--set", "valve=1"}, 1) ==
        "gpupost: point: --set valve=1: gain.glsl declares no valve, but value (did you mean `value`?)\n");
  for (const Words& words : {Words{"point", "gain.glsl", "--verify"}, {"point", "gain.glsl", "--verify", "--explain"}})
    CHECK(refusal(place, words, 1) ==
          "gpupost: --verify: point has no reference to compare with; leave --verify out\n");
  const Finished bench = place.gpupost({"bench", "--chain", "point gain.glsl"});
  CHECK(bench.exit_code == 1);
  CHECK(bench.err ==
        "gpupost: bench: --chain point gain.glsl: point has no CPU reference to check the result with; leave it out\n");
  const Finished quoted = place.gpupost({"bench", "--chain", "clamp point 'my gain.glsl'"});
  CHECK(quoted.exit_code == 2);
  CHECK(quoted.err == "gpupost: my gain.glsl: cannot be opened: No such file or directory\n");
}

TEST_CASE("a file that the compiler crashes on, or does not come to an end with, is an error and no more") {
  if (is_tested_sanitized()) return skip("sanitizers tell of a crash in lines of their own");
  const TestFolder place;
  std::string sum = "c";
  for (int term = 0; term < 32000; ++term) sum += "+c";
  place.write("deep.glsl", "//!point x\nvec4 x(vec4 c, x_params p) { return " + sum + "; }\n");
  CHECK(refusal(place, {"point", "deep.glsl"}, 2).starts_with("gpupost: deep.glsl: the compiler crashed on this file"));
  place.write("doubling.glsl", doubling_file());
  const Finished finished =  // the worker's own limit is higher
      place.shell("ulimit -S -t 1; ulimit -H -t 3; gpupost point doubling.glsl in.exr -o out.exr");
  CHECK(finished.exit_code == 7);
  CHECK(finished.err ==
        "gpupost: doubling.glsl: the compiler needs more processor time than this process may use; raise the limit "
        "(ulimit -t)\n");
}
