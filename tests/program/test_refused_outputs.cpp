// Outputs that must be refused, and what must never be replaced.
#include "tests/program/refusals.h"
#include "tests/program/tested_program.h"
#include "tests/support/json.h"

#include <doctest/doctest.h>

#include <filesystem>

using namespace gpupost::test;

TEST_CASE("outputs whose names are wrong") {
  check_all({
      {"no extension", {"in.exr", "-o", "out"}, 1, {"-o out", ".exr"}},
      {"the extension of the input in {name}", {"in.exr", "-o", "sub/{name}"}, 1, {"{name}", "expected {stem}.{ext}"}},
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
      {"srgb in an EXR",
       {"in.png", "-o", "out.exr", "--transfer", "srgb"},
       1,
       {"--transfer srgb: exr files are always linear; expected linear\n"}},
      {"levels in a file of one",
       {"mips", "in.exr", "-o", "out.png"},
       1,
       {"-o out.png: png files hold one level, and the result has 6", "{level}"}},
      {"levels in a file of one, in a plan",
       {"mips", "in.exr", "-o", "out.png", "--explain"},
       1,
       {"png files hold one level, and the result has 6"}},
      {"a compression of a plan",
       {"flip", "x", "in.exr", "-o", "out.png", "--compression", "zip", "--explain"},
       1,
       {"--compression zip: png files have no choice"}},
      {"an output's depth in a plan without output",
       {"stats", "in.exr", "--bits", "8", "--explain"},
       1,
       {"--bits 8 has no effect without an output image"}},
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
      {"two inputs of one stem",
       {"mips", "in.exr", "sub/in.exr"},
       1,
       {"would both write", "in.mips.exr", "like 'out/{dir}/{stem}.{ext}' with --mkdir"}},
      {"two inputs of one stem into a folder",
       {"mips", "in.exr", "sub/in.exr", "-o", "made/{stem}.exr"},
       1,
       {"like 'made/{dir}/{stem}.exr' with --mkdir"}},
      {"two inputs of one stem into the working directory",
       {"mips", "in.exr", "sub/in.exr", "-o", "./{stem}.mips.exr"},
       1,
       {"like './out/{dir}/{stem}.mips.exr' with --mkdir"}},
      {"two inputs that differ in the extension",
       {"mips", "in.exr", "in.png", "-o", "made/{stem}.exr"},
       1,
       {"use {name} in -o, like 'made/{name}.exr'"}},
      {"an open brace", {"in.exr", "-o", "sub/{stem.exr"}, 1, {"-o sub/{stem.exr: {stem.exr has no }"}},
      {"a depth of no image",
       {"in.exr", "stats", "--bits", "8"},
       1,
       {"--bits 8 has no effect without an output image"}},
      {"a curve of no image",
       {"in.exr", "stats", "-o", "out.JSON", "--transfer", "srgb"},
       1,
       {"--transfer srgb has no effect without an output image"}},
      {"a file to keep without one",
       {"in.exr", "stats", "--no-clobber", "--mkdir", "--report", "r.json"},
       1,
       {"--no-clobber has no effect without an output file"}},
      {"a folder of no file", {"in.exr", "stats", "--mkdir"}, 1, {"--mkdir has no effect without an output file"}},
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
       {"--dither ordered: the output has 16 bits; expected --bits 8"}},
      {"blocks in a PNG",
       {"in.png", "-o", "out.png", "--compression", "bc7"},
       1,
       {"--compression bc7: png files have no choice of compression; remove it, or write KTX2 or DDS\n"}},
      {"a compression of other formats in a texture",
       {"in.png", "-o", "out.dds", "--compression", "zip"},
       1,
       {"--compression zip: dds files hold none, bc1, bc3, bc4, bc5, bc6h, bc7\n"}},
      {"supercompression of a DDS",
       {"in.png", "-o", "out.dds", "--supercompression", "zstd"},
       1,
       {"--supercompression zstd: dds files have none; remove it, or write KTX2\n"}},
      {"a supercompression that is no compression of the output",
       {"in.png", "-o", "out.ktx2", "--compression", "zstd"},
       1,
       {"--compression zstd: ktx2 files hold none, bc1, bc3, bc4, bc5, bc6h, bc7; expected one of them, or "
        "--supercompression zstd or zlib\n"}},
      {"blocks of other numbers",
       {"in.png", "-o", "out.dds", "--compression", "bc7", "--bits", "16"},
       1,
       {"--bits 16: --compression bc7 holds 8; expected --bits 8, or no --bits\n"}},
      {"blocks of half that are to be 8 bits",
       {"in.png", "-o", "out.ktx2", "--compression", "bc6h", "--bits", "8"},
       1,
       {"--bits 8: --compression bc6h holds 16f; expected --bits 16f, or no --bits\n"}},
      {"a curve of blocks that are linear",
       {"in.png", "-o", "out.ktx2", "--compression", "bc5", "--transfer", "srgb"},
       1,
       {"--transfer srgb: --compression bc5 is always linear; expected linear, or no --transfer\n"}},
      {"dithered blocks of half",
       {"in.png", "-o", "out.ktx2", "--compression", "bc6h", "--dither", "ordered"},
       1,
       {"--dither ordered: the output has 16 bits of a float"}},
      {"a level of a compression",
       {"in.exr", "-o", "out.exr", "--compression", "dwaa:0"},
       1,
       {"expected one, like dwaa:1\n"}},
      {"a difference on standard output",
       {"compare", "in.exr", "other.exr", "-o", "-"},
       1,
       {"compare: -o - is not a file; expected -o FILE with .exr"}},
      {"sixteen bits in a TGA", {"deep.png", "-o", "out.tga"}, 1, {"tga holds 8 bits, not 16; use --bits 8"}},
      {"sixteen bits in a JPEG", {"deep.png", "-o", "out.jpg"}, 1, {"jpg holds 8 bits, not 16; use --bits 8"}},
      {"sixteen bits in a JPEG, in a plan",
       {"deep.png", "flip", "x", "-o", "out.jpg", "--explain"},
       1,
       {"jpg holds 8 bits, not 16; use --bits 8"}},
      {"PQ of primaries without a number, in a plan",
       {"in.exr", "flip", "x", "--input-primaries", "adobe", "--transfer", "pq", "--bits", "16", "-o", "out.png",
        "--explain"},
       1,
       {"png: --transfer pq and hlg need primaries that the cICP chunk has a number for"}},
      {"a cube of faces that are not square, in a plan",
       {"in.exr", "in.exr", "in.exr", "in.exr", "in.exr", "in.exr", "flip", "x", "--assemble", "cube", "-o", "out.dds",
        "--explain"},
       2,
       {"in.exr: --assemble cube: it is written as 37 x 21; a face of a cube is square\n"}},
      {"the curve of sixteen bits in a JPEG",
       {"deep.png", "-o", "out.jpg", "--transfer", "srgb"},
       1,
       {"jpg holds 8 bits, not 16; use --bits 8"}},
      {"floats in a PNG", {"in.exr", "-o", "out.png", "--bits", "16f"}, 1, {"--bits 16f", "8 or 16"}},
  });
}

TEST_CASE("outputs that cannot be written") {
  check_all({
      {"a missing folder", {"in.exr", "-o", "missing/out.exr"}, 3, {"missing/out.exr", "does not exist", "--mkdir"}},
      {"a missing folder with / at its end",
       {"in.exr", "-o", "missing/"},
       3,
       {"missing/in.exr: the folder missing does not exist; create it, or use --mkdir"}},
      {"a journal on standard output",
       {"in.exr", "-o", "out.exr", "--journal", "-"},
       1,
       {"--journal -", "expected a file"}},
      {"a journal in a missing folder",
       {"in.exr", "-o", "out.exr", "--journal", "missing/j"},
       3,
       {"missing/j: the folder missing does not exist; create it, or use --mkdir"}},
      {"lines of progress in a missing folder",
       {"in.exr", "-o", "out.exr", "--progress", "json", "--progress-file", "missing/p"},
       3,
       {"missing/p: the folder missing does not exist; create it, or use --mkdir"}},
      {"a full disk", {"in.exr", "-o", "/dev/full", "--format", "exr"}, 3, {"/dev/full", "No space left"}},
      {"a file in place of a folder", {"in.exr", "-o", "in.png/out.exr"}, 3, {"in.png/out.exr", "Not a directory"}},
      {"a folder in place of a file", {"in.exr", "-o", "folder.exr"}, 3, {"folder.exr", "Is a directory"}},
  });
}

DEVICE_TEST_CASE("a part of the levels does not go into one EXR") {
  check_all({{"three of six",
              {"mips", "in.exr", "--levels", "3", "-o", "out.exr"},
              1,
              {"out.exr", "all 6 levels", "not 3", "{level}"}},
             {"to standard output", {"in.exr", "mips", "--levels", "2", "-o", "-"}, 1, {"not 2", "{level}"}}});
}

DEVICE_TEST_CASE("one level fits into a file of any format") {
  const TestFolder place;
  for (const char* output : {"one.png", "one.exr", "one.ktx2"})
    check_done(place, {"in.png", "mips", "--levels", "1", "-o", output});
  check_done(place, {"in.png", "mips", "--levels", "1"});
  check_same(place, "in.png", "in.mips.png");
}

DEVICE_TEST_CASE("of the files of levels all are written or none, and the report lists what was") {
  const TestFolder place;
  place.write("out.2.exr", "an old output");
  std::filesystem::create_directory(place.path("in.mips.1.exr"));
  const Words into_old{"mips", "in.exr", "-o", "out.{level}.exr", "--no-clobber"};
  check_refused(place,
                {"no clobber",
                 into_old,
                 3,
                 {"out.0.exr is missing, but out.2.exr exists; delete the other levels, or leave --no-clobber out"}});
  check_refused(place, {"a folder", {"mips", "in.exr", "--levels", "3"}, 3, {"in.mips.1.exr", "Is a directory"}});
  CHECK(place.gpupost({"mips", "in.exr", "-o", "out.{level}.exr", "--no-clobber", "--report", "r.json"}).exit_code ==
        3);
  const auto job = parse_json(place.read("r.json"))["jobs"][0];
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

DEVICE_TEST_CASE("a driver that lacks address space is no missing driver") {
  if (is_tested_sanitized()) return;  // the sanitizers need more
  const TestFolder place;
  const Finished finished = place.shell("ulimit -v 200000; exec gpupost in.exr flip x -o out.exr");
  CHECK(finished.exit_code == 7);
  CHECK_MESSAGE(finished.err.ends_with("195 MiB of address space; raise `ulimit -v`\n"), finished.err);
}

TEST_CASE("a missing driver is one, however much address space there is") {
  if (is_tested_sanitized()) return;  // the sanitizers need more
  const TestFolder place;
  const Finished finished = place.shell(
      "ulimit -v 20000000; export VK_ICD_FILENAMES=/none VK_DRIVER_FILES=/none; exec gpupost in.exr gain --value 2 -o "
      "out.exr");
  CHECK(finished.exit_code == 4);
  CHECK_MESSAGE(finished.err.find("doctor") != std::string::npos, finished.err);
}

TEST_CASE("a terminal is neither read as a picture nor written to as one") {
  const int terminal = posix_openpt(2 /* O_RDWR */);
  REQUIRE(terminal >= 0);
  REQUIRE(grantpt(terminal) == 0);
  REQUIRE(unlockpt(terminal) == 0);
  const std::string name = ptsname(terminal);
  const TestFolder place;
  const Finished input =
      place.run({.program = tested_program(), .words = {"mips", "-o", "out.exr"}, .input_file = name});
  CHECK(input.exit_code == 1);
  CHECK_MESSAGE(is_one_error(input.err), input.err);
  for (const Words& words : std::vector<Words>{{"mips"}, {"in.exr", "-o", "-", "--format", "exr"}}) {
    const Finished output = place.run(
        {.program = tested_program(), .words = words, .input = made_files().at("in.exr"), .output_file = name});
    CHECK(output.exit_code == 1);
    CHECK_MESSAGE(output.err.find("terminal") != std::string::npos, output.err);
    CHECK_MESSAGE(is_one_error(output.err), output.err);
  }
  CHECK(!place.has("out.exr"));
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
  place.write("a.1.png", made_files().at("in.png"));
  place.write("a.11.png", made_files().at("in.png"));
  place.write("b11.png", made_files().at("in.png"));
  refused({"a.%d.png", "--frames", "1,11", "merge", "--with", "b{frame}.png", "-o", "b1%d.png"},
          "second image b11.png");
  refused({"in.exr", "point", "./plain.glsl", "-o", "plain.glsl", "--format", "exr"}, "source ./plain.glsl");
  place.write("list.png", "in.exr\n");
  refused({"--list", "list.png", "-o", "./list.png"}, "list list.png");
  for (const char* option : {"--report", "--depfile", "--progress-file"})
    check_refused(place, {"a list",
                          {"--list", "list.png", "-o", "o.exr", "--progress", "json", option, "list.png"},
                          1,
                          {std::string(option) + " list.png: that is the list list.png"}});
  check_refused(place, {"a report",
                        {"in.exr", "dof", "--depth-file", "depth.exr", "-o", "o.exr", "--report", "depth.exr"},
                        1,
                        {"--report depth.exr", "depth file"}});
}

DEVICE_TEST_CASE("a name that holds {level} is a name") {
  const TestFolder place;
  CHECK(place.shell("cp in.exr 'a{level}.exr' && gpupost mips --quiet 'a{level}.exr'").exit_code == 0);
  CHECK(place.has("a{level}.mips.exr"));
}
