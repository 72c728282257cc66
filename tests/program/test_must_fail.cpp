// Command lines that must be refused: the exit code, one line that says what is wrong, and nothing changed on the disk.
#include "core/system/sandbox.h"
#include "tests/program/test_folder.h"
#include "tests/support/thorough.h"

#include <doctest/doctest.h>
#include <algorithm>
#include <nlohmann/json.hpp>

#include <filesystem>

using namespace gpupost::test;

namespace {

struct Refusal {
  const char* name;
  Words words;
  int exit_code;
  Words texts;  // each stands in the message
  Environment environment = {};
};

void check_refused(const TestFolder& place, const Refusal& refusal) {
  const auto before = place.files();
  const Finished finished = place.gpupost(refusal.words, refusal.environment);
  INFO(std::string(refusal.name), ": ",
       text_of({.program = "gpupost", .words = refusal.words, .environment = refusal.environment}), "\n", finished.out,
       finished.err);
  CHECK(finished.exit_code == refusal.exit_code);
  CHECK(finished.out == "");
  CHECK(is_one_error(finished.err));
  for (const std::string& text : refusal.texts)
    CHECK_MESSAGE(finished.err.find(text) != text.npos, "no \"", text, "\"");
  CHECK_MESSAGE(place.files() == before, "a file came, went or changed");
}

// In turn in a folder without outputs and in one with old ones, which stay as they are. A sanitized build takes a while to start, and
// the code behind most refusals runs in test_unit too: a sample of them has to do.
void check_all(const std::vector<Refusal>& refusals) {
  const TestFolder fresh, used;
  for (const char* output : {"out.exr", "out.png", "in.mips.exr", "out.0.png"}) used.write(output, "an old output");
  const size_t step = gpupost::is_sanitized() && !is_thorough() ? 5 : 1;
  for (size_t index = 0; index < refusals.size(); index += step)
    check_refused(index / step % 2 == 0 ? fresh : used, refusals[index]);
}

}  // namespace

TEST_CASE("words that are wrong") {
  check_all({
      {"an input alone", {"in.exr"}, 1, {"nothing to do", "gpupost ops"}},
      {"an unknown op", {"mps", "in.exr"}, 1, {"mps", "neither an op nor a file", "did you mean `mips`"}},
      {"an unknown op behind an input", {"in.exr", "mipss", "-o", "out.exr"}, 1, {"mipss", "did you mean `mips`"}},
      {"an unknown word, nothing near", {"xyzzy"}, 1, {"xyzzy", "gpupost ops"}},
      {"an empty word", {"", "mips"}, 1, {"an empty word"}},
      {"help that is asked for wrongly", {"mips", "--hlep"}, 1, {"--hlep", "did you mean `--help`"}},
      {"an unknown option", {"mips", "in.exr", "--fp61"}, 1, {"mips", "--fp61", "did you mean `--fp16`"}},
      {"an op's unknown option", {"mips", "in.exr", "--methd", "auto"}, 1, {"--methd", "did you mean `--method`"}},
      {"an op's option before the op", {"--levels", "3", "mips", "in.exr"}, 1, {"--levels", "unknown option"}},
      {"an unknown letter", {"mips", "in.exr", "-x"}, 1, {"-x"}},
      {"a value over the range",
       {"mips", "in.exr", "--levels", "17", "-o", "out.exr"},
       1,
       {"mips: --levels 17", "0..16"}},
      {"a value under the range",
       {"mips", "in.exr", "--levels", "-1", "-o", "out.exr"},
       1,
       {"mips: --levels -1", "0..16"}},
      {"a value that is not whole", {"mips", "in.exr", "--levels", "2.5"}, 1, {"--levels 2.5", "a whole number"}},
      {"a value that is no number", {"mips", "in.exr", "--levels=many"}, 1, {"--levels many", "a whole number"}},
      {"a value that is no choice",
       {"mips", "in.exr", "--method", "singel-pass"},
       1,
       {"singel-pass", "per-level", "did you mean `single-pass`"}},
      {"an option without its value", {"mips", "in.exr", "--levels"}, 1, {"--levels", "needs a value"}},
      {"an empty value", {"mips", "in.exr", "--levels=", "-o", "out.exr"}, 1, {"--levels= has an empty value"}},
      {"a global's empty value", {"mips", "in.exr", "--level=", "-o", "out.exr"}, 1, {"--level= has an empty value"}},
      {"a flag with a value",
       {"mips", "in.exr", "--fp16=false", "-o", "out.exr"},
       1,
       {"--fp16=false", "takes no value"}},
      {"an op's option twice", {"mips", "--levels", "2", "--levels", "3", "in.exr"}, 1, {"mips", "--levels"}},
      {"an op behind mips", {"in.exr", "mips", "mips", "-o", "out.exr"}, 1, {"mips", "must be the last op"}},
      {"a global twice",
       {"in.exr", "-o", "out.exr", "--output", "out.png"},
       1,
       {"--output", "twice", "out.exr", "out.png"}},
      {"a global's value",
       {"in.exr", "-o", "out.exr", "--compression", "zib"},
       1,
       {"--compression zib", "zips", "did you mean `zip`"}},
      {"a level that there is not",
       {"in.exr", "-o", "out.exr", "--compression", "zip:10"},
       1,
       {"compression zip 10", "1..9"}},
      {"a level of what has none",
       {"in.exr", "-o", "out.exr", "--compression", "piz:3"},
       1,
       {"--compression piz:3", "expected --compression piz"}},
      {"a compression of what has no choice",
       {"in.exr", "-o", "out.png", "--compression", "zip"},
       1,
       {"--compression zip", "png", "remove it"}},
      {"a depth that there is not", {"in.exr", "-o", "out.exr", "--bits", "12"}, 1, {"--bits 12", "16f"}},
      {"a format that there is not", {"in.exr", "-o", "out.exr", "--format", "bmp"}, 1, {"--format bmp", "exr, png"}},
      {"half and float", {"mips", "in.exr", "--fp16", "--storage", "fp32"}, 1, {"--fp16", "--storage fp32"}},
      {"half and float out", {"mips", "in.exr", "--fp16", "--bits", "32f"}, 1, {"--fp16", "--bits 32f"}},
      {"a level that is none", {"in.exr", "-o", "out.exr", "--level", "x"}, 1, {"--level x", "0..31"}},
      {"a level over 31", {"in.exr", "-o", "out.exr", "--level", "32"}, 1, {"--level 32", "0..31"}},
      {"a level below 0", {"in.exr", "-o", "out.exr", "--level", "-1"}, 1, {"--level -1", "0..31"}},
      {"a size of one number", {"--explain", "mips", "--size", "1920"}, 1, {"--size 1920", "WxH"}},
      {"a size in a run",
       {"--size", "20x20", "flip", "x", "in.png", "-o", "out.png"},
       1,
       {"--size 20x20", "--explain"}},
      {"a size of a file",
       {"--explain", "flip", "x", "--size", "3x3", "in.exr"},
       1,
       {"--size 3x3", "in.exr has a size"}},
      {"a size of a file's shader", {"shader", "mips", "in.exr", "--size", "3x3"}, 1, {"--size 3x3"}},
      {"a size of nothing", {"--explain", "mips", "--size", "0x5"}, 1, {"--size 0"}},
      {"the plan of no chain", {"--explain", "in.exr"}, 1, {"--explain", "no op"}},
      {"the environment's flag",
       {"in.exr", "-o", "out.exr"},
       1,
       {"GPUPOST_REQUIRE_GPU=maybe"},
       {{"GPUPOST_REQUIRE_GPU", "maybe"}}},
  });
}

TEST_CASE("values of the environment that are wrong, each named by its variable") {
  struct Value {
    const char *variable, *value;
    int exit_code;
    const char* text;
  };
  constexpr Value values[] = {
      {"MAX_SIDE", "abc", 1, "--max-side abc is not a whole number in 1..1048576"},
      {"MAX_SIDE", "16", 2, "raise it with --max-side"},
      {"MAX_TEXELS", "0", 1, "--max-texels 0"},
      {"MAX_CHANNELS", "4097", 1, "--max-channels 4097"},
      {"MAX_DECODED", "4X", 1, "--max-decoded 4X"},
      {"DECODE_SECONDS", "0", 1, "--decode-seconds 0"},
      {"DECODE_CPU_SECONDS", "x", 1, "--decode-cpu-seconds x"},
      {"JOBS", "0", 1, "--jobs 0"},
      {"TILE_SIDE", "8", 1, "--tile-side 8"},
      {"MAX_DISPATCH_MS", "-1", 1, "--max-dispatch-ms -1"},
      {"REQUIRE_GPU", "maybe", 1, "GPUPOST_REQUIRE_GPU=maybe"},
  };
  const TestFolder place;
  for (const auto& [name, value, exit_code, text] : values) {
    const std::string variable = std::string("GPUPOST_") + name;
    check_refused(place, {name, {"in.exr", "-o", "out.exr"}, exit_code, {text, variable}, {{variable, value}}});
  }
  // what is typed stands in the place of it
  const Finished typed =
      place.gpupost({"in.exr", "-o", "out.exr", "--jobs=999"}, {{"GPUPOST_JOBS", "1"}, {"GPUPOST_MAX_SIDE", "99"}});
  CHECK(typed.err == "gpupost: --jobs 999 is not a whole number in 1..256\n");
}

TEST_CASE("blurs that mean nothing") {
  const auto refused = [](const char* name, Words words, Words texts) {
    words.insert(words.begin(), {"blur", "in.exr", "-o", "out.exr"});
    texts.insert(texts.begin(), "blur: ");
    return Refusal{name, words, 1, texts};
  };
  check_all({
      refused("no size", {}, {"neither --radius nor --sigma", "--radius 0..1024 or --sigma 0..341"}),
      refused("no size of a box", {"--kernel", "box", "--zcurve"}, {"neither --radius nor --sigma"}),
      refused("a box with sigma", {"--kernel", "box", "--sigma", "2"}, {"--sigma 2", "expected --radius"}),
      refused("a radius too large", {"--radius", "1025"}, {"--radius 1025", "0..1024"}),
      refused("a radius below 0", {"--radius", "-1"}, {"--radius -1", "0..1024"}),
      refused("a radius that is not whole", {"--radius", "1.5"}, {"--radius 1.5", "a whole number"}),
      refused("a sigma too large", {"--sigma", "342"}, {"--sigma 342", "0..341"}),
      refused("a sigma below 0", {"--sigma", "-0.5"}, {"--sigma -0.5", "0..341"}),
      refused("no passes", {"--radius", "2", "--passes", "0"}, {"--passes 0", "1..16"}),
      refused("two orders", {"--radius", "7", "--zcurve", "--order", "rows"}, {"--zcurve", "--order rows"}),
      refused("a border that there is not", {"--radius", "7", "--border", "wrap"}, {"--border wrap", "repeat"}),
      refused("an order without a choice", {"--radius", "7", "--order", "z", "--method", "shared"},
              {"order z has no effect with --method shared", "direct or separable"}),
      refused("a curve without a choice", {"--radius", "7", "--zcurve", "--method", "sliding"},
              {"order z has no effect with --method sliding", "direct or separable"}),
      refused("a workgroup without a choice", {"--radius", "7", "--workgroup", "8x8", "--method", "sliding"},
              {"workgroup 8x8 has no effect with --method sliding", "direct or separable"}),
      refused("sliding sums of a gaussian", {"--sigma", "2", "--method", "sliding"},
              {"--method sliding computes only boxes", "a gaussian"}),
      refused("splines of a box", {"--radius", "3", "--method", "spline"},
              {"--method spline computes only gaussians", "a box"}),
      refused("splines cut off", {"--radius", "9", "--sigma", "7", "--method", "spline"},
              {"--radius 9", "give only --sigma"}),
      refused("splines too narrow", {"--sigma", "4.9", "--method", "spline"}, {"--sigma 4.9", "expected at least 5"}),
  });
}

TEST_CASE("outputs whose names are wrong") {
  check_all({
      {"no extension", {"in.exr", "-o", "out"}, 1, {"-o out", ".exr"}},
      {"an unknown extension", {"in.exr", "-o", "out.xyz"}, 1, {"-o out.xyz", ".exr, .png, "}},
      {"a place for an extension behind none", {"in.exr", "-o", "out_{ext}"}, 1, {"-o out_{ext}", ".exr"}},
      {"a format that is only read", {"in.exr", "-o", "out.bmp"}, 1, {"-o out.bmp", "not written"}},
      {"a quality of nothing", {"in.exr", "-o", "out.jpg", "--quality", "0"}, 1, {"--quality 0", "1..100"}},
      {"PQ of 8 bits", {"in.exr", "-o", "out.png", "--transfer", "pq"}, 1, {"--transfer pq", "--bits 16"}},
      {"primaries that are none",
       {"in.exr", "-o", "out.png", "--output-primaries", "rec708"},
       1,
       {"--output-primaries rec708", "p3-d65"}},
      {"srgb floats",
       {"in.exr", "-o", "out.ktx2", "--transfer", "srgb"},
       1,
       {"--transfer srgb", "ktx2", "16f", "--bits 8"}},
      {"srgb floats that were asked for",
       {"in.png", "-o", "out.dds", "--transfer", "srgb", "--bits", "32f"},
       1,
       {"--transfer srgb", "dds", "32f"}},
      {"sixteen bits of srgb in a container",
       {"in.png", "-o", "out.dds", "--transfer", "srgb", "--bits", "16"},
       1,
       {"--transfer srgb", "dds", "16"}},
      {"srgb in an EXR", {"in.png", "-o", "out.exr", "--transfer", "srgb"}, 1, {"--transfer srgb", "exr", "linear"}},
      {"levels in a file of one", {"mips", "in.exr", "-o", "out.png"}, 1, {"-o out.png", "{level}"}},
      {"levels without levels", {"in.exr", "-o", "out.{level}.png"}, 1, {"{level}", "mips"}},
      {"a folder without / at its end", {"in.exr", "-o", "sub"}, 1, {"-o sub: is a folder; write sub/"}},
      {"a number as printf has it",
       {"in.exr", "-o", "shot.%04d.exr"},
       1,
       {"-o shot.%04d.exr: has a pattern for a frame number", "{stem} {name} {ext} {dir} {level}"}},
      {"a number as oiiotool has it",
       {"in.exr", "-o", "sub/shot.####.exr"},
       1,
       {"has a pattern for a frame number", "in.exr has no frame number"}},
      {"an unknown place", {"in.exr", "-o", "{steam}.png"}, 1, {"{steam}", "{stem}"}},
      {"an empty name", {"in.exr", "-o", ""}, 1, {"-o has an empty value"}},
      {"two inputs, one output",
       {"mips", "in.exr", "in.png", "-o", "out.exr"},
       1,
       {"would both write", "out.exr", "{stem}"}},
      {"two inputs of one stem", {"mips", "in.exr", "sub/in.exr"}, 1, {"would both write", "in.mips.exr"}},
      {"two names of one output", {"mips", "in.exr", "./in.exr", "-o", "{dir}/out.exr"}, 1, {"would both write"}},
      {"a report over an input", {"mips", "in.exr", "-o", "out.exr", "--report", "./in.exr"}, 1, {"--report ./in.exr"}},
      {"a report over the result", {"mips", "in.exr", "-o", "out.exr", "--report", "out.exr"}, 1, {"--report out.exr"}},
      {"a report into no folder", {"mips", "in.exr", "-o", "out.exr", "--report", "no/r.json"}, 3, {"no/r.json"}},
      {"a picture and a report", {"mips", "in.exr", "-o", "-", "--report", "-"}, 1, {"--report -"}},
      {"nothing to verify", {"in.exr", "-o", "out.exr", "--verify"}, 1, {"--verify"}},
      {"two inputs on standard output", {"mips", "in.exr", "in.png", "-o", "-"}, 1, {"would both write"}},
      {"integers in an EXR", {"in.exr", "-o", "out.exr", "--bits", "8"}, 1, {"--bits 8", "16f or 32f"}},
      {"dithered floats", {"in.exr", "-o", "out.exr", "--dither", "ordered"}, 1, {"--dither ordered", "exr", "none"}},
      {"dithered numbers of 16 bits",
       {"in.exr", "-o", "out.png", "--bits", "16", "--dither", "ordered"},
       1,
       {"--dither ordered", "16", "--bits 8"}},
      {"dithered numbers of 16 bits that came so",
       {"deep.png", "-o", "out.png", "--dither", "ordered"},
       1,
       {"--dither ordered", "16", "--bits 8"}},
      {"floats in a PNG", {"in.exr", "-o", "out.png", "--bits", "16f"}, 1, {"--bits 16f", "8 or 16"}},
  });
}

TEST_CASE("verbs with wrong words") {
  check_all({
      {"help of an unknown op", {"help", "mps"}, 1, {"mps", "did you mean `mips`"}},
      {"help of two", {"help", "mips", "mips"}, 1, {"help"}},
      {"info of nothing", {"info"}, 1, {"gpupost info FILE"}},
      {"info of two", {"info", "in.exr", "in.png"}, 1, {"gpupost info FILE"}},
      {"info with an unknown option", {"info", "in.exr", "--jsno"}, 1, {"--jsno"}},
      {"info with an option of outputs", {"info", "in.exr", "--bits", "8"}, 1, {"info: unknown option --bits"}},
      {"info of a part that is not there",
       {"info", "in.exr", "--part", "1"},
       2,
       {"in.exr: has no part 1; it has the one part 0"}},
      {"compare of a part of a PNG",
       {"compare", "in.png", "in.png", "--part=x"},
       2,
       {"has no part x; a png file has none"}},
      {"compare with a tolerance left out", {"compare", "in.exr", "in.exr", "--tolerance"}, 1, {"needs a value"}},
      {"compare of one", {"compare", "in.exr"}, 1, {"1 is given", "gpupost compare A B"}},
      {"compare of three", {"compare", "in.exr", "in.exr", "in.exr"}, 1, {"3 are given"}},
      {"compare with a tolerance below 0",
       {"compare", "in.exr", "in.exr", "--tolerance", "-1"},
       1,
       {"--tolerance -1", "at least 0"}},
      {"compare with a tolerance of no number",
       {"compare", "in.exr", "in.exr", "--tolerance", "x"},
       1,
       {"--tolerance x", "at least 0"}},
      {"devices with a word", {"devices", "all"}, 1, {"gpupost devices"}},
      {"devices with an unknown option", {"devices", "--jso"}, 1, {"--jso"}},
      {"doctor with a word", {"doctor", "who"}, 1, {"gpupost doctor"}},
      {"ops with a word", {"ops", "mips"}, 1, {"gpupost ops"}},
      {"version with a word", {"version", "1"}, 1, {"gpupost version"}},
      {"completion of no shell", {"completion"}, 1, {"gpupost completion SHELL"}},
      {"completion of an unknown shell", {"completion", "csh"}, 1, {"csh is not one of bash, zsh, fish"}},
      {"bench of nothing", {"bench"}, 1, {"0 ops", "mips"}},
      {"bench of an unknown op", {"bench", "mps"}, 1, {"mps", "did you mean `mips`"}},
      {"bench of two ops", {"bench", "mips", "mips"}, 1, {"2 ops"}},
      {"bench of a chain and an op", {"bench", "mips", "--chain", "clamp"}, 1, {"--chain", "instead of an op"}},
      {"bench of a chain with an open quote",
       {"bench", "--chain", "lut 'look.cube"},
       1,
       {"--chain lut 'look.cube", "opens a quote (')"}},
      {"bench of a chain that is none",
       {"bench", "--chain", "clamp in.exr"},
       1,
       {"--chain clamp in.exr", "may hold only ops"}},
      {"a matrix of eight numbers", {"in.exr", "matrix", "--rows", "1,0,0,0,1,0,0,0"}, 1, {"--rows", "RR,RG,RB"}},
      {"a matrix of a number that is none as a float",
       {"in.exr", "matrix", "--rows", "1e39,0,0,0,1,0,0,0,1"},
       1,
       {"--rows", "1e39", "RR,RG,RB"}},
      {"a channel of a number that is none as a float",
       {"in.exr", "channels", "--list", "R,G,-1e39"},
       1,
       {"--list", "-1e39"}},
      {"channels that the picture has not",
       {"depth.exr", "channels", "--list", "Z,Q,Z", "-o", "out.exr"},
       1,
       {"channels: the image has no channel Q; it has R, G, B, Z, id"}},
      {"channels beside the color behind an op",
       {"depth.exr", "flip", "x", "channels", "--list", "Z,Z,Z"},
       1,
       {"channels --list Z,Z,Z", "to be the first", "`flip` comes before it"}},
      {"a matrix given twice",
       {"in.exr", "matrix", "--rows", "1,0,0,0,1,0,0,0,1", "--named", "rec709-to-xyz"},
       1,
       {"both given"}},
      {"a range upside down", {"in.exr", "clamp", "--min", "2"}, 1, {"--min 2 is above --max 1"}},
      {"an exposure of nothing", {"in.exr", "exposure"}, 1, {"expected --stops"}},
      {"bench at no size", {"bench", "mips", "--sizes", "64,0x5"}, 1, {"--sizes 0", "1..32768"}},
      {"bench of an unknown format",
       {"bench", "mips", "--formats", "rgba8f"},
       1,
       {"rgba8f", "rgba16f", "did you mean"}},
      {"bench at settings of an op without", {"bench", "mips", "--settings", "7"}, 1, {"--settings 7", "mips"}},
      {"bench at a setting that is no number",
       {"bench", "blur", "--settings", "3,7x"},
       1,
       {"--settings 7x", "whole number"}},
      {"bench at an unknown setting", {"bench", "blur", "--settings", "4"}, 1, {"--settings 4", "--radius 7"}},
      {"bench of an unknown variant", {"bench", "mips", "--variants", "fastest"}, 1, {"fastest", "--list"}},
      {"bench with few repeats", {"bench", "mips", "--repeats", "3"}, 1, {"--repeats 3", "20..10000"}},
      {"bench with half halves", {"bench", "mips", "--fp16", "perhaps"}, 1, {"--fp16 perhaps", "on, off, both"}},
      {"bench with an unknown option", {"bench", "mips", "--size", "64"}, 1, {"--size"}},
      {"documents and variants",
       {"bench", "mips", "--documents", "--variants", "per-level"},
       1,
       {"--documents", "--variants"}},
      {"goals of an op", {"bench", "mips", "--goals"}, 1, {"--goals", "mips"}},
      {"goals at a size", {"bench", "--goals", "--sizes", "64"}, 1, {"--goals", "--sizes"}},
      {"a page without a name", {"bench", "--page", "in.exr"}, 1, {"--html"}},
      {"a page of no JSON", {"bench", "--page", "in.exr", "--html", "out.html"}, 2, {"in.exr", "gpupost bench --json"}},
      {"a page of a missing file", {"bench", "--page", "missing", "--html", "out.html"}, 2, {"missing"}},
      {"tuning of an unknown op", {"tune", "mipz"}, 1, {"mipz"}},
      {"tuning of an op with settings", {"tune", "blur"}, 1, {"blur", "tuned"}},
      {"tuning at no size", {"tune", "--sizes", "64x"}, 1, {"tune: --sizes"}},
      {"tuning that shows and forgets", {"tune", "--list", "--forget"}, 1, {"--list", "--forget"}},
      {"shader of nothing", {"shader"}, 1, {"no op"}},
      {"shader of an unknown op", {"shader", "mps"}, 1, {"did you mean `mips`"}},
  });
}

TEST_CASE("inputs that are bad, to a conversion, an op, a plan and to info") {
  const Refusal bad[] = {
      {"missing", {"missing.exr"}, 2, {"missing.exr", "No such file"}},
      {"empty", {"empty.exr"}, 2, {"empty.exr", "empty"}},
      {"no image", {"text.exr"}, 2, {"text.exr"}},
      {"cut off", {"cut.exr"}, 2, {"cut.exr"}},
      {"a cut off PNG", {"cut.png"}, 2, {"cut.png"}},
      {"a folder", {"folder.exr"}, 2, {"folder.exr", "folder"}},
      {"100,000 x 100,000 texels", {"huge.exr"}, 2, {"huge.exr", "100000 x 100000"}},
      {"100,000 x 100,000 texels of PNG", {"huge.png"}, 2, {"huge.png", "100000 x 100000"}},
      {"no channels", {"no_channels.exr"}, 2, {"no_channels.exr", "channel"}},
  };
  std::vector<Refusal> refusals;
  for (const Refusal& refusal : bad) {
    const std::string& file = refusal.words[0];
    for (const Words& words : std::vector<Words>{
             {file, "-o", "out.exr"}, {"mips", file, "-o", "out.exr"}, {"mips", file, "--fp16"}, {"info", file}})
      refusals.push_back({refusal.name, words, 2, refusal.texts});
  }
  check_all(refusals);
}

TEST_CASE("inputs that lack what is asked of them") {
  check_all({
      {"an unknown layer",
       {"layers.exr", "-o", "out.exr", "--layer", "specular"},
       2,
       {"layers.exr", "specular", "diffuse"}},
      {"a level of a picture that has one", {"in.exr", "-o", "out.exr", "--level", "3"}, 2, {"in.exr", "level"}},
      {"nothing on standard input", {"mips"}, 2, {"standard input"}},
      {"nothing on standard input, named", {"mips", "-", "-o", "out.exr"}, 2, {"standard input"}},
      {"a file in place of a folder", {"in.exr/x.exr", "-o", "out.exr"}, 2, {"in.exr/x.exr"}},
      {"the plan of a missing file", {"--explain", "mips", "missing.exr"}, 2, {"missing.exr"}},
      {"a chain on a part that is not there",
       {"mips", "in.exr", "--part", "matte"},
       2,
       {"has no part matte; it has the one part 0"}},
      {"the difference from a missing file", {"compare", "in.exr", "missing.exr"}, 2, {"missing.exr"}},
      {"a missing file behind --", {"mips", "-o", "out.exr", "--", "--fp16"}, 2, {"--fp16", "No such file"}},
  });
}

TEST_CASE("outputs that cannot be written") {
  check_all({
      {"a missing folder", {"in.exr", "-o", "missing/out.exr"}, 3, {"missing/out.exr", "does not exist", "--mkdir"}},
      {"a missing folder with / at its end",
       {"in.exr", "-o", "missing/"},
       3,
       {"missing/in.exr: the folder missing does not exist; create it, or use --mkdir"}},
      {"a full disk", {"in.exr", "-o", "/dev/full", "--format", "exr"}, 3, {"/dev/full", "No space left"}},
      {"a file in place of a folder", {"in.exr", "-o", "in.png/out.exr"}, 3, {"in.png/out.exr", "Not a directory"}},
      {"a folder in place of a file", {"in.exr", "-o", "folder.exr"}, 3, {"folder.exr", "Is a directory"}},
  });
}

TEST_CASE("a part of the levels does not go into one EXR") {
  if (!has_device()) return;
  check_all({{"three of six",
              {"mips", "in.exr", "--levels", "3", "-o", "out.exr"},
              1,
              {"out.exr", "all 6 levels", "not 3", "{level}"}},
             {"to standard output", {"in.exr", "mips", "--levels", "2", "-o", "-"}, 1, {"not 2", "{level}"}}});
}

TEST_CASE("of the files of levels all are written or none, and the report lists what was") {
  if (!has_device()) return;
  const TestFolder place;
  place.write("out.2.exr", "an old output");
  std::filesystem::create_directory(place.path("in.mips.1.exr"));
  const Words into_old{"mips", "in.exr", "-o", "out.{level}.exr", "--no-clobber"};
  check_refused(place, {"no clobber", into_old, 3, {"out.2.exr", "exists", "--no-clobber"}});
  check_refused(place, {"a folder", {"mips", "in.exr", "--levels", "3"}, 3, {"in.mips.1.exr", "Is a directory"}});
  CHECK(place.gpupost({"mips", "in.exr", "-o", "out.{level}.exr", "--no-clobber", "--report", "r.json"}).exit_code ==
        3);
  const auto job = nlohmann::json::parse(place.read("r.json"))["jobs"][0];
  CHECK(job["outputs"].empty());
  CHECK(job["error"].get<std::string>().find("out.2.exr") != std::string::npos);
}

TEST_CASE("a disk that fills up while a result is written leaves the old output and no temporary file") {
  const TestFolder place;
  place.write("out.exr", "an old output");
  const auto before = place.files();
  // in.png is 3 KiB of texels, the result 12 KiB, and a file may have 8
  const Finished finished = place.shell("ulimit -f 8; exec gpupost in.png -o out.exr --bits 32f --compression none");
  CHECK(finished.exit_code == 3);
  CHECK_MESSAGE(is_one_error(finished.err), finished.err);
  CHECK_MESSAGE(finished.err.find("out.exr") != std::string::npos, finished.err);
  CHECK(place.files() == before);
}

TEST_CASE("no device") {
  check_all({
      {"no driver", {"mips", "in.exr", "-o", "out.exr"}, 4, {"gpupost doctor"}, no_driver},
      {"no driver for devices", {"devices"}, 4, {"gpupost doctor"}, no_driver},
  });
}

TEST_CASE("no device of that name") {
  if (!has_device()) return;
  std::vector<Refusal> refusals = {
      {"by name", {"mips", "in.exr", "-o", "out.exr", "--device", "nonsense"}, 4, {"--device nonsense"}},
      {"by index", {"mips", "in.exr", "-o", "out.exr", "--device", "99"}, 4, {"--device 99"}},
      {"by environment",
       {"mips", "in.exr", "-o", "out.exr"},
       4,
       {"nonsense", "from GPUPOST_DEVICE"},
       {{"GPUPOST_DEVICE", "nonsense"}}},
      {"the plan for it", {"--explain", "mips", "--device", "nonsense"}, 4, {"nonsense"}},
  };
  if (!has_gpu()) {
    refusals.push_back({"a GPU", {"mips", "in.exr", "-o", "out.exr", "--device", "gpu"}, 4, {"gpu"}});
    refusals.push_back({"a GPU required", {"mips", "in.exr", "-o", "out.exr", "--require-gpu"}, 4, {"--require-gpu"}});
    refusals.push_back({"a GPU required of a CPU",
                        {"mips", "in.exr", "-o", "out.exr", "--require-gpu", "--device", "cpu"},
                        4,
                        {"--require-gpu"}});
  }
  check_all(refusals);
}

TEST_CASE("pictures over a limit") {
  check_all({{"the plan of a large one",
              {"--explain", "mips", "--filter", "kaiser", "--size", "32768x1"},
              7,
              {"32768 x 1", "4096", "`mips --filter kaiser` cannot be tiled"},
              no_driver},
             {"parts that are too small to be any",
              {"mips", "in.exr", "-o", "out.exr", "--tile-side", "15"},
              1,
              {"--tile-side 15", "16..32768"}}});
  if (!has_device() || has_gpu()) return;
  check_all({{"a large one",
              {"mips", "--filter", "kaiser", "long.exr", "-o", "out.exr"},
              7,
              {"20000 x 1", "per side", "`mips --filter kaiser`"}},
             {"parts as asked for",
              {"luminance", "--size", "1", "long.exr", "--tile-side", "64", "-o", "out.exr"},
              7,
              {"20000 x 1", "64 per side", "a tile of `luminance --size 1` needs at least 20000 x 1 texels"}}});
  // what the message of a part that is too large expects is the way out
  const TestFolder place;
  const Words large = {"blur", "--radius", "20", "long.exr", "--tile-side", "256", "-o", "blurred.exr", "--verify"};
  check_refused(place, {"parts of sliding sums",
                        large,
                        7,
                        {"a tile of `blur --radius 20` needs at least", "--method separable allows smaller tiles"}});
  Words smaller = large;
  smaller.insert(smaller.begin() + 1, {"--method", "separable"});
  CHECK(place.gpupost(smaller).exit_code == 0);
  // a plan says what the run would
  for (Words words : {Words{"blur", "--radius", "2", "saturation", "blur", "--radius", "2", "--space", "yxy"},
                      Words{"blur", "--radius", "2", "blur", "--radius", "1", "--storage", "r11g11b10"},
                      Words{"mips", "--filter", "kaiser"}}) {
    words.insert(words.end(), {"in.exr", "--tile-side", "16", "-o", "out.exr"});
    const Finished run = place.gpupost(words);
    words.push_back("--explain");
    const Finished plan = place.gpupost(words);
    CHECK(plan.exit_code == 7);
    CHECK(is_one_error(plan.err));
    CHECK(plan.err == run.err);
  }
}

TEST_CASE("a file whose name begins with a dash is no option, and the message says how it is given") {
  const TestFolder place;
  place.write("-dash.png", made_files().at("in.png"));
  const Finished finished = place.gpupost({"-dash.png", "-o", "out.exr"});
  CHECK(finished.exit_code == 1);
  CHECK(finished.err == "gpupost: -dash.png is taken as an option; write ./-dash.png if you mean a file\n");
  CHECK(place.gpupost({"./-dash.png", "-o", "out.exr"}).exit_code == 0);
  CHECK(place.gpupost({"-o", "out.exr", "--", "-dash.png"}).exit_code == 0);
}

TEST_CASE("a terminal is neither read as a picture nor written to as one") {
  const int terminal = posix_openpt(2 /* O_RDWR */);
  REQUIRE(terminal >= 0);
  REQUIRE(grantpt(terminal) == 0);
  REQUIRE(unlockpt(terminal) == 0);
  const std::string name = ptsname(terminal);
  const TestFolder place;
  const Finished input =
      place.run({.program = GPUPOST_PROGRAM, .words = {"mips", "-o", "out.exr"}, .input_file = name});
  CHECK(input.exit_code == 1);
  CHECK_MESSAGE(is_one_error(input.err), input.err);
  for (const Words& words : std::vector<Words>{{"mips"}, {"in.exr", "-o", "-", "--format", "exr"}}) {
    const Finished output = place.run(
        {.program = GPUPOST_PROGRAM, .words = words, .input = made_files().at("in.exr"), .output_file = name});
    CHECK(output.exit_code == 1);
    CHECK_MESSAGE(output.err.find("terminal") != std::string::npos, output.err);
    CHECK_MESSAGE(is_one_error(output.err), output.err);
  }
  CHECK(!place.has("out.exr"));
}

TEST_CASE("no words at all print two examples on standard error, in at most six lines") {
  const Finished finished = TestFolder().gpupost({});
  CHECK(finished.exit_code == 1);
  CHECK(finished.out == "");
  CHECK(finished.err.find("gpupost mips in.exr") != std::string::npos);
  CHECK(std::ranges::count(finished.err, '\n') <= 6);
}

TEST_CASE("-h is one screen, and --help names every global option") {
  const std::string screen = TestFolder().gpupost({"-h"}).out;
  CHECK(std::ranges::count(screen, '\n') <= 40);
  for (const std::string part : {"Usage", "Examples", "blur", "compare", "--output", "--help"})
    CHECK_MESSAGE(screen.find(part) != std::string::npos, part);
  const std::string all = TestFolder().gpupost({"--help"}).out;
  for (const std::string part : {"--max-decoded", "--no-clobber", "Exit codes"})
    CHECK_MESSAGE(all.find(part) != std::string::npos, part);
}

TEST_CASE("a line break in a name does not break the message's line") {
  const Finished finished = TestFolder().gpupost({"mips", "no\nsuch.exr", "-o", "out.exr"});
  CHECK(finished.exit_code == 2);
  CHECK_MESSAGE(is_one_error(finished.err), finished.err);
}

TEST_CASE("a result never replaces the input of another job") {
  const TestFolder place;
  CHECK(place.shell("cp wide.exr in.mips.exr && gpupost mips in.exr in.mips.exr").exit_code == 1);
  CHECK(place.shell("cmp wide.exr in.mips.exr").exit_code == 0);
}

TEST_CASE("a result never replaces what the run reads: the file of a level, the depth, a point op's source") {
  const TestFolder place;
  place.write("in.mips.0.exr", made_files().at("wide.exr"));
  place.write("in.dof.exr", made_files().at("in.exr"));
  place.write("plain.glsl", "//!point plain\nvec4 plain(vec4 c, plain_params p) { return c; }\n");
  std::filesystem::create_directory(place.path("made"));
  place.write("made/wide.exr", made_files().at("wide.exr"));
  place.write("made/other.exr", made_files().at("in.exr"));
  const auto refused = [&](const Words& words, const std::string& lost) {
    check_refused(place, {"lost", words, 1, {"would overwrite the " + lost, "name another file with -o"}});
  };
  refused({"mips", "in.exr", "in.mips.0.exr", "--levels", "4"}, "input in.mips.0.exr");
  refused({"mips", "in.mips.0.exr", "in.exr", "--levels", "4"}, "input in.mips.0.exr");
  refused({"in.exr", "dof", "--focus", "1", "--depth-file", "in.dof.exr", "--depth", "R"}, "depth file in.dof.exr");
  refused({"in.exr", "dof", "--focus", "1", "--depth-file", "in.dof.exr", "--depth", "R", "-o", "./in.dof.exr"},
          "depth file in.dof.exr");
  refused({"wide.exr", "in.exr", "dof", "--depth-file", "made/wide.exr", "--depth", "R", "-o", "made/"},
          "depth file made/wide.exr");
  refused({"in.exr", "-o", "./"}, "input in.exr");
  refused({"sub/in.exr", "wide.exr", "-o", "made/", "--format", "exr", "made/other.exr"}, "input made/other.exr");
  refused({"in.exr", "point", "./plain.glsl", "-o", "plain.glsl", "--format", "exr"}, "source ./plain.glsl");
  check_refused(place, {"a report",
                        {"in.exr", "dof", "--depth-file", "depth.exr", "-o", "o.exr", "--report", "depth.exr"},
                        1,
                        {"--report depth.exr", "depth file"}});
}

TEST_CASE("a name that holds {level} is a name") {
  if (!has_device()) return;
  const TestFolder place;
  CHECK(place.shell("cp in.exr 'a{level}.exr' && gpupost mips --quiet 'a{level}.exr'").exit_code == 0);
  CHECK(place.has("a{level}.mips.exr"));
}

TEST_CASE("no input is read where a GPU is required and there is none, and the exit is 4") {
  if (!has_device() || has_gpu()) return;
  check_all(
      {{"of two inputs, one of them bad",
        {"mips", "in.exr", "text.exr", "-o", "sub/", "--require-gpu"},
        4,
        {"--require-gpu: "}},
       {"without a driver", {"mips", "in.exr", "text.exr", "-o", "sub/", "--require-gpu"}, 4, {"driver"}, no_driver}});
}

TEST_CASE("a device that does not open is the same error for every input and every report") {
  const TestFolder place;
  CHECK(place.gpupost({"mips", "in.exr", "other.exr", "-o", "sub/"}, no_driver).exit_code == 5);
  CHECK(place.gpupost({"mips", "in.exr", "-o", "out.exr", "--timing", "--report", "r.json"}, no_driver).exit_code == 4);
  CHECK(place.has("r.json"));
  CHECK(place.gpupost({"mips", "text.exr", "-o", "out.exr", "--report", "s.json"}, no_driver).exit_code == 2);
}
