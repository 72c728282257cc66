// Words and values of the command line and the environment that must be refused, and the short help.
#include "tests/program/refusals.h"
#include "tests/support/json.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpupost::test;

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
      {"the name of a positional option",
       {"in.exr", "flip", "x", "--axis", "y"},
       1,
       {"flip: --axis is not typed before its value; expected `flip y`\n"}},
      {"another file than the op reads",
       {"in.exr", "point", "/dev/null"},
       1,
       {"point: file is missing; expected FILE.glsl (/dev/null is taken as an input)"}},
      {"an op's option before the op", {"--levels", "3", "mips", "in.exr"}, 1, {"--levels", "unknown option"}},
      {"an option of another op",
       {"in.exr", "exposure", "--value", "3"},
       1,
       {"unknown option --value; neither exposure nor gpupost has it (it is an option of `gain`, "}},
      {"an option like one of the op and a global", {"in.exr", "mips", "--leve", "3"}, 1, {"did you mean `--levels`"}},
      {"an op behind --",
       {"--", "in.exr", "flip", "x", "-o", "out.exr"},
       1,
       {"nothing to do", "all words after -- are inputs, so put ops and options before it"}},
      {"a space between no ops",
       {"in.exr", "-o", "out.exr", "--space", "yxy"},
       1,
       {"--space yxy has no effect without an op; add one, or leave it out"}},
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
      {"a value that is not a number", {"mips", "in.exr", "--levels=many"}, 1, {"--levels many", "a whole number"}},
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
      {"bleed before mips", {"in.exr", "bleed", "mips", "-o", "out.exr"}, 1, {"mips --bleed"}},
      {"bleed of cube levels",
       {"cross.exr", "mips", "--bleed", "--assemble", "cube-from-cross", "-o", "out.ktx2"},
       1,
       {"--assemble cube-from-cross", "leave out --bleed"}},
      {"bleed of directions", {"in.exr", "mips", "--bleed", "--normal", "-o", "out.exr"}, 1, {"--bleed", "--normal"}},
      {"bleed of levels without visible texels",
       {"in.exr", "mips", "--bleed", "--reduce", "min", "-o", "out.exr"},
       1,
       {"--bleed", "--reduce min"}},
      {"a global twice",
       {"in.exr", "-o", "out.exr", "--output", "out.png"},
       1,
       {"--output", "twice", "out.exr", "out.png"}},
      {"a global's value",
       {"in.exr", "-o", "out.exr", "--compression", "zib"},
       1,
       {"--compression zib", "zips", "did you mean `zip`"}},
      {"another name of a compression",
       {"in.png", "-o", "out.dds", "--compression", "DXT5"},
       1,
       {"--compression DXT5", "did you mean `bc3`"}},
      {"a level that there is not",
       {"in.exr", "-o", "out.exr", "--compression", "zip:10"},
       1,
       {"--compression zip:10: the level is not a whole number in 1..9"}},
      {"a supercompression that there is not",
       {"in.exr", "-o", "out.ktx2", "--supercompression", "basis-lz"},
       1,
       {"--supercompression basis-lz is not one of zstd, zlib"}},
      {"a level of supercompression that there is not",
       {"in.exr", "-o", "out.ktx2", "--supercompression", "zstd:23"},
       1,
       {"--supercompression zstd:23: the level is not a whole number in 1..22; expected one, like zstd:1"}},
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
      {"a storage without an op",
       {"in.exr", "-o", "out.exr", "--storage", "fp16"},
       1,
       {"--storage fp16 has no effect without an op"}},
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
      {"a size of nothing", {"--explain", "mips", "--size", "0x5"}, 1, {"--size 0x5 is", "1..32768"}},
      {"a size without a height", {"--explain", "mips", "--size", "64x"}, 1, {"--size 64x is"}},
      {"the plan of no chain", {"--explain", "in.exr"}, 1, {"--explain", "no op"}},
      {"another name of primaries",
       {"in.exr", "-o", "out.exr", "--output-primaries", "ACEScg"},
       1,
       {"--output-primaries ACEScg are not primaries (did you mean `ap1`?); expected rec709, "}},
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
      {"MAX_DECODED", "1025G", 1, "--max-decoded 1025G"},
      {"DECODE_SECONDS", "0", 1, "--decode-seconds 0"},
      {"DECODE_CPU_SECONDS", "x", 1, "--decode-cpu-seconds x"},
      {"JOBS", "0", 1, "--jobs 0"},
      {"TILE_SIDE", "8", 1, "--tile-side 8"},
      {"MAX_DISPATCH_MS", "-1", 1, "--max-dispatch-ms -1"},
      {"REQUIRE_GPU", "maybe", 1, "GPUPOST_REQUIRE_GPU=maybe is not valid; expected 1, 0, true or false"},
  };
  const TestFolder place;
  for (const auto& [name, value, exit_code, text] : values) {
    const std::string variable = std::string("GPUPOST_") + name;
    check_refused(place, {name, {"in.exr", "-o", "out.exr"}, exit_code, {text, variable}, {{variable, value}}});
  }
  // an option on the command line overrides the variable
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
              {"blur: --order z has no effect with --method shared", "direct or separable"}),
      refused("a curve without a choice", {"--radius", "7", "--zcurve", "--method", "sliding"},
              {"blur: --zcurve has no effect with --method sliding", "direct or separable"}),
      refused("a workgroup without a choice", {"--radius", "7", "--workgroup", "8x8", "--method", "sliding"},
              {"blur: --workgroup 8x8 has no effect with --method sliding", "direct or separable"}),
      refused("sliding sums of a gaussian", {"--sigma", "2", "--method", "sliding"},
              {"--method sliding computes only boxes", "a gaussian"}),
      refused("splines of a box", {"--radius", "3", "--method", "spline"},
              {"--method spline computes only gaussians", "a box"}),
      refused("splines cut off", {"--radius", "9", "--sigma", "7", "--method", "spline"},
              {"--radius 9", "give only --sigma"}),
      refused("splines too narrow", {"--sigma", "4", "--method", "spline"}, {"--sigma 4", "expected more than 4"}),
  });
}

TEST_CASE("verbs with wrong words") {
  check_all({
      {"help of an unknown op", {"help", "mps"}, 1, {"mps", "did you mean `mips`"}},
      {"help of two", {"help", "mips", "mips"}, 1, {"help"}},
      {"info of nothing", {"info"}, 1, {"gpupost info FILE"}},
      {"info of two configurations", {"info", "--ocio", "cg", "studio"}, 1, {"gpupost info FILE"}},
      {"a part of a configuration",
       {"info", "--ocio", "studio", "--part", "1"},
       1,
       {"--part has no effect with --ocio"}},
      {"info with an unknown option", {"info", "in.exr", "--jsno"}, 1, {"--jsno"}},
      {"info with an option of outputs", {"info", "in.exr", "--bits", "8"}, 1, {"info: unknown option --bits"}},
      {"info of a part that is not there",
       {"info", "in.exr", "--part", "1"},
       2,
       {"in.exr: has no part 1; it has the one part 0"}},
      {"compare of a part of a PNG",
       {"compare", "in.png", "in.png", "--part=x"},
       2,
       {"has no part x; a png file has only part 0"}},
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
      {"bench of an op without a reference",
       {"bench", "point"},
       1,
       {"bench: point cannot be measured, because it has no CPU reference"}},
      {"bench with an option of the op",
       {"bench", "blur", "--radius", "3"},
       1,
       {"bench: unknown option --radius (write --chain 'blur --radius 3', with quotes); it has --sizes, "}},
      {"bench of a chain without quotes",
       {"bench", "--chain", "exposure", "--stops", "1"},
       1,
       {"bench: unknown option --stops (write --chain 'exposure --stops 1', with quotes); it has --sizes, "}},
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
      {"two sources of one channel", {"in.exr", "channels", "--list", "A=1,R,G,B"}, 1, {"--list", "A=1,R,G,B"}},
      {"a slope beside a file of slopes",
       {"in.exr", "grade", "--file", "look.cc", "--slope", "2"},
       1,
       {"grade: --slope 2 has no effect with --file; leave one of them out"}},
      {"two ops that encode",
       {"in.exr", "localgamma", "localgamma"},
       1,
       {"`localgamma` needs linear light; leave out one `localgamma`"}},
      {"some levels in a file for one",
       {"in.exr", "mips", "--levels", "2", "-o", "x.jpg"},
       1,
       {"jpg files hold one level, not 2"}},
      {"a negative slope", {"in.exr", "grade", "--slope", "1,-1,1"}, 1, {"grade: --slope -1 is outside 0..65504"}},
      {"an op as an option", {"in.exr", "--flip", "x"}, 1, {"unknown option --flip (did you mean `flip x`?)"}},
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
      {"a range upside down",
       {"in.exr", "clamp", "--min", "2"},
       1,
       {"--min 2 is above --max 1; the defaults are 0 and 1"}},
      {"a range upside down below the default", {"in.exr", "clamp", "--max=-1"}, 1, {"--min 0 is above --max -1"}},
      {"percentiles upside down",
       {"in.exr", "exposure", "--auto", "--percentile", "90,10"},
       1,
       {"expected LOW,HIGH with LOW below HIGH, both in 0..100"}},
      {"an alpha above 1", {"in.exr", "pad", "--size", "64x64", "--color", "1,0,0,2"}, 1, {"A in 0..1"}},
      {"an exposure of nothing", {"in.exr", "exposure"}, 1, {"expected --stops"}},
      {"bench at no size", {"bench", "mips", "--sizes", "64,0x5"}, 1, {"--sizes 0x5 is", "1..32768"}},
      {"bench at a size without a height", {"bench", "mips", "--sizes", "64x"}, 1, {"--sizes 64x is"}},
      {"bench of a list that ends with a comma",
       {"bench", "mips", "--variants", "per-level,"},
       1,
       {"--variants per-level, has a comma"}},
      {"bench of an unknown format",
       {"bench", "mips", "--formats", "rgba8f"},
       1,
       {"rgba8f", "rgba16f", "did you mean"}},
      {"bench at settings of an op without", {"bench", "mips", "--settings", "7"}, 1, {"--settings 7", "mips"}},
      {"bench at a setting that is not a number",
       {"bench", "blur", "--settings", "3,7x"},
       1,
       {"--settings 7x", "whole number"}},
      {"bench at an unknown setting", {"bench", "blur", "--settings", "4"}, 1, {"--settings 4", "--radius 7"}},
      {"bench of an unknown variant", {"bench", "mips", "--variants", "fastest"}, 1, {"fastest", "--list"}},
      {"bench of an unknown variant of a chain",
       {"bench", "--chain", "flip x", "--variants", "a"},
       1,
       {"`gpupost bench --chain 'flip x' --list`"}},
      {"a list of variants with results",
       {"bench", "flip", "--list", "--json", "b"},
       1,
       {"--list", "leave --json out"}},
      {"a list of variants with progress",
       {"bench", "flip", "--list", "--progress", "json"},
       1,
       {"--list", "leave --progress out"}},
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
      {"a page with repeats",
       {"bench", "--page", "in.exr", "--html", "out.html", "--repeats", "30"},
       1,
       {"measures nothing; leave --repeats out"}},
      {"a page of a device",
       {"bench", "--page", "in.exr", "--html", "out.html", "--device", "cpu"},
       1,
       {"measures nothing; leave --device out"}},
      {"a page of no JSON",
       {"bench", "--page", "in.exr", "--html", "out.html"},
       2,
       {"in.exr: is damaged, or is not a report of `gpupost bench --json`; measure again with it\n"}},
      {"a page of a missing file", {"bench", "--page", "missing", "--html", "out.html"}, 2, {"missing"}},
      {"tuning of an unknown op", {"tune", "mipz"}, 1, {"mipz"}},
      {"tuning of an op with settings", {"tune", "blur"}, 1, {"blur", "tuned"}},
      {"tuning at no size", {"tune", "--sizes", "64x"}, 1, {"tune: --sizes"}},
      {"tuning that shows and forgets", {"tune", "--list", "--forget"}, 1, {"--list", "--forget"}},
      {"a report of a plan",
       {"in.exr", "flip", "x", "--explain", "--report", "r.json"},
       1,
       {"--report r.json has no effect with --explain"}},
      {"a plan of a later run", {"in.exr", "flip", "x", "--explain", "--resume"}, 1, {"--resume has no effect"}},
      {"progress of a plan",
       {"in.exr", "flip", "x", "--explain", "--progress", "json"},
       1,
       {"--progress json has no effect"}},
      {"a table of shaders", {"shader", "flip", "x", "--bake", "4"}, 1, {"--bake 4 has no effect with `shader`"}},
      {"shaders of a plan", {"shader", "flip", "x", "--explain"}, 1, {"--explain has no effect with `shader`"}},
      {"a depfile of shaders", {"shader", "flip", "x", "--depfile", "d"}, 1, {"--depfile d has no effect", "`shader`"}},
      {"shader of nothing", {"shader"}, 1, {"no op"}},
      {"shader of an unknown op", {"shader", "mps"}, 1, {"did you mean `mips`"}},
  });
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
  for (const std::string& text : {screen, all})
    for (const std::string part : {"Reads and writes exr, png, ", "; only reads ", "bmp."})
      CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

TEST_CASE("a line break in a name does not break the message's line") {
  const Finished finished = TestFolder().gpupost({"mips", "no\nsuch.exr", "-o", "out.exr"});
  CHECK(finished.exit_code == 2);
  CHECK_MESSAGE(is_one_error(finished.err), finished.err);
}

TEST_CASE("words that belong to another place say where") {
  const TestFolder place;
  place.write("x.exr", "keep");
  const std::pair<Words, std::string> cases[] = {
      {{"in.exr", "gamma", "2.2", "-o", "gg/"},
       "gamma: 2.2 is not an option; expected an option such as `--value 2.2`"},
      {{"in.exr", "rotate", "-45"}, "rotate: -45 is not an option; expected an option such as `--degrees -45`"},
      {{"in.exr", "rotate", "-90"}, "rotate: -90 is not an option; expected `rotate 270`"},
      {{"in.exr", "rotate", "-180"}, "rotate: -180 is not an option; expected `rotate 180`"},
      {{"in.exr", "rotate", "-270"}, "rotate: -270 is not an option; expected `rotate 90`"},
      {{"in.exr", "-rotate", "90"}, "unknown option -rotate (did you mean `rotate 90`?)"},
      {{"in.exr", "--rotate", "-90"}, "unknown option --rotate (did you mean `rotate 270`?)"},
      {{"in.exr", "--rotate", "30"}, "unknown option --rotate (did you mean `rotate --degrees 30`?)"},
      {{"in.exr", "rotate", "--90"},
       "rotate: unknown option --90; neither rotate nor gpupost has it (did you mean `rotate 90`?)"},
      {{"in.exr", "project", "strip"}, "project: strip is not an option; expected an option such as `--to strip`"},
      {{"in.exr", "--divide", "a.exr"}, "unknown option --divide (write `merge --with FILE --mode divide`)"},
      {{"in.exr", "--sub", "a.exr"}, "unknown option --sub (write `merge --with FILE --mode subtract`)"},
      {{"in.exr", "--mask", "a.exr"}, "unknown option --mask (write `merge --with FILE --mode mask`)"},
      {{"in.exr", "rotate", "--angle", "45"},
       "rotate: --angle is not typed before its value; expected `rotate 90`, `rotate 180`, `rotate 270`, or `rotate "
       "--degrees 45`"},
      {{"in.exr", "blur", "1.5"}, "blur: 1.5 is not an option; expected an option such as `--sigma 1.5`"},
      {{"in.exr", "exposure", "+1"}, "exposure: +1 is not an option; expected an option such as `--stops +1`"},
      {{"in.exr", "resize", "12.5%"}, "resize: 12.5% is not an option; expected an option such as `--size 12.5%`"},
      {{"in.exr", "resize", "640x480"},
       "resize: 640x480 is not an option; expected an option such as `--size 640x480`"},
      {{"in.exr", "resize=50%"}, "resize: 50% is not an option; expected an option such as `--size 50%`"},
      {{"in.exr", "resize", "size=50%"}, "resize: size=50% is not an option; expected `--size 50%`"},
      {{"in.exr", "gain", "--value", "2", "3"}, "gain: 3 is not an option; expected an option such as `--red 3`"},
      {{"in.exr", "gain", "--value", "1,2,3"},
       "gain: --value 1,2,3 is not a number; expected one number in -65504..65504, or --red, --green and --blue for "
       "single channels"},
      {{"in.exr", "tonemap", "agx"}, "tonemap: agx is not an option; expected an option such as `--curve agx`"},
      {{"in.exr", "tonemap", "--agx"},
       "tonemap: unknown option --agx; neither tonemap nor gpupost has it (did you mean `--curve agx`?)"},
      {{"in.exr", "flip", "h"},
       "flip: h is not one of x, y, xy, and neither an op nor a file; expected `flip x`, `flip y`, `flip xy`"},
      {{"in.exr", "flip", "resiz"},
       "flip: resiz is not one of x, y, xy, and neither an op nor a file (did you mean `resize`?); expected `flip x`, "
       "`flip y`, `flip xy`"},
      {{"in.exr", "mips", "--variant", "x"},
       "mips: --variant x is unknown; `gpupost bench mips --list` lists the values"},
      {{"in.exr", "stats", "-o", "st.csv"},
       "-o st.csv: unknown extension; expected .json for the statistics, or for the image .exr, .png, .jpg, .ktx2, "
       ".dds, "
       ".tif, .hdr or .tga, or give --format"},
      {{"convert", "in.exr", "out.png"},
       "convert is neither an op nor a file (to convert a file, write `gpupost INPUT -o OUTPUT`); `gpupost ops` lists "
       "the ops"},
      {{"montage", "in.exr"},
       "montage is neither an op nor a file (did you mean `sheet`?); `gpupost ops` lists the ops"},
      {{"in.exr", "-resize", "50%"}, "unknown option -resize (did you mean `resize --size 50%`?)"},
      {{"in.exr", "--info"}, "unknown option --info (did you mean the verb `gpupost info`?)"},
      {{"in.exr", "--strip"}, "unknown option --strip; `gpupost --help` lists all"},
      {{"in.exr", "--depth", "16"}, "unknown option --depth (`--bits` chooses the depth)"},
      {{"in.exr", "--flop"}, "unknown option --flop (write `flip x`)"},
      {{"in.exr", "--trim"}, "unknown option --trim (write `crop --to content`)"},
      {{"in.exr", "contrast", "--value", "2"},
       "contrast: unknown option --value; neither contrast nor gpupost has it (it is an option of `gain`, `gamma`, "
       "`offset`; write it after one of these words); contrast has --factor, --pivot"},
      {{"in.exr", "flip", "--sideways"},
       "flip: unknown option --sideways; neither flip nor gpupost has it; flip has x, y, xy"},
      {{"in.exr", "tonemap", "--operator", "agx"},
       "tonemap: unknown option --operator; neither tonemap nor gpupost has it; `gpupost help tonemap` lists its "
       "options"},
      {{"in.exr", "--bits", "half"}, "--bits half is not one of 8, 16, 16f, 32f (did you mean `16f`?)"},
      {{"--radius", "3", "in.exr", "-o", "y.exr"},
       "unknown option --radius (it is an option of ops such as `bloom`, `blur`, `dilate`, `erode`; write it after its "
       "op)"},
      {{"--radius", "3", "in.exr", "blur"},
       "unknown option --radius (it is an option of `blur`; write it after that word)"},
      {{"in.exr", "crop", "1,2"}, "crop: 1,2 is not an option; `gpupost help crop` lists them"},
      {{"in.exr", "flip", "x", "--report", "-o", "x.exr"},
       "--report needs a value; -o is an option (--report=-o if it is meant as the value)"},
      {{"in.exr", "blur", "--border", "--radius", "3"},
       "--border needs a value; --radius is an option (--border=--radius if it is meant as the value)"},
      {{"bench", "blur", "--json", "--quick"},
       "bench: --json needs a value; --quick is an option (--json=--quick if it is meant as the value)"},
      {{"blur", "--radius", "3", "in.exr", "out.exr"}, "out.exr: does not exist; write -o out.exr if it is the output"},
      {{"blur", "--radius", "3", "-", "out.exr"}, "out.exr: does not exist; write -o out.exr if it is the output"},
      {{"in.exr", "--stops", "1", "exposure"},
       "unknown option --stops (it is an option of `exposure`; write it after that word)"},
      {{"in.exr", "lut", "a.cube", "mips"},
       "lut a.cube: the result is encoded, and `mips` needs linear light; add --linear to lut if its result is linear "
       "light, or --srgb if its table is for sRGB"}};
  place.write("a.cube", "LUT_1D_SIZE 2\n0 0 0\n1 1 1\n");
  const auto before = place.files();
  for (const auto& [words, message] : cases) {
    const Finished finished = place.gpupost(words);
    CHECK_MESSAGE(finished.exit_code == 1, finished.err);
    CHECK(finished.err == "gpupost: " + message + "\n");
  }
  CHECK(place.files() == before);
  for (const auto& [word, meant] : {std::pair("BICUBIC", "catmull-rom"), {"bilinear", "triangle"}})
    CHECK(place.gpupost({"in.exr", "resize", "--size", "50%", "--filter", word})
              .err.ends_with(fmt::format("(did you mean `{}`?)\n", meant)));
  CHECK(place.gpupost({"in.exr", "Tonemap"}).err.find("(did you mean `tonemap`?)") != std::string::npos);
  CHECK(place.gpupost({"convert", "in.exr", "-o", "a.png"}).err.find("did you mean") == std::string::npos);
}
