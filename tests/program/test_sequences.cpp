// Batches: sequences, globs, lists, folders, shards, what is skipped, and exit codes.
#include "tests/program/refusals.h"

#include "tests/support/json.h"
#include "tests/support/skip.h"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// Frames of a sequence, each a small PNG.
void write_frames(const TestFolder& place, const std::string& before, const std::vector<const char*>& frames) {
  for (const char* frame : frames) place.write(before + frame + ".png", made_files().at("bars.png"));
}

// Names of files in a folder, with commas between.
std::string names_in(const TestFolder& place, const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(place.path(folder)))
    names.insert(entry.path().filename().string());
  return fmt::format("{}", fmt::join(names, ","));
}

struct Batch {
  const char* line;  // of a shell, in which "out" is a folder
  int exit_code;
  const char* names;                    // in the folder "out" afterwards
  std::vector<const char*> texts = {};  // each stands in the messages
};

void check(const TestFolder& place, const Batch& batch) {
  std::filesystem::remove_all(place.path("out"));
  std::filesystem::create_directory(place.path("out"));
  const Finished finished = place.shell(batch.line);
  INFO(std::string(batch.line), "\n", finished.err);
  CHECK(finished.exit_code == batch.exit_code);
  CHECK(names_in(place, "out") == batch.names);
  for (const std::string text : batch.texts)
    CHECK_MESSAGE(finished.err.find(text) != std::string::npos, "no \"", text, "\"");
}

}  // namespace

TEST_CASE("sequences go to sequences, and every frame is done or named") {
  const TestFolder place;
  write_frames(place, "s.", {"0001", "0002", "0003", "0004"});
  write_frames(place, "gap.", {"-001", "0001", "0002", "0005"});
  for (const Batch& batch : std::vector<Batch>{
           {"gpupost s.%04d.png -o out/", 0, "s.0001.png,s.0002.png,s.0003.png,s.0004.png"},
           {"gpupost s.#.png --frames 4-1x2 -o 'out/t.##.png'", 0, "t.02.png,t.04.png"},
           {"gpupost s.####.png --frames 2,3 -o out/%d.png", 0, "2.png,3.png"},
           {"gpupost s.####.png --frames 2 -o 'out/a{frame}b.png'", 0, "a0002b.png"},
           {"gpupost gap.####.png -o out/",
            5,
            "gap.-001.png,gap.0001.png,gap.0002.png,gap.0005.png",
            {"gap.####.png: frames 0, 3-4 are missing", "--skip-missing"}},
           {"gpupost gap.####.png --fail-fast -o out/", 5, "", {"are missing", "no input was started"}},
           {"gpupost gap.####.png sheet -o out/x.png", 5, "", {"sheet needs all of its inputs, and some are missing"}},
           {"gpupost gap.####.png --skip-missing -o out/", 0, "gap.-001.png,gap.0001.png,gap.0002.png,gap.0005.png"},
           {"gpupost gap.####.png --frames 7-9 --skip-missing -o out/",
            0,
            "",
            {"gpupost: no input exists: 3 frames are missing (--skip-missing)"}},
           {"gpupost gap.####.png --frames 7 --skip-missing -o out/", 0, "", {"1 frame is missing"}},
           {"test -z \"$(gpupost gap.####.png --frames 7 --skip-missing --quiet -o out/ 2>&1)\"", 0, ""},
           {"gpupost gap.####.png --frames=-1-2 -o out/",
            5,
            "gap.-001.png,gap.0001.png,gap.0002.png",
            {"frame 0 is missing"}},
           {"gpupost gap.####.png --frames 77 -o out/", 5, "", {"frame 77 is missing"}},
           {"gpupost s.####.png --frames 1:3 -o out/", 1, "", {"--frames 1:3", "1-10x2"}},
           {"gpupost s.####.png -o out/one.png", 1, "", {"would both write out/one.png"}},
           {"gpupost in.png -o out/one.##.png", 1, "", {"in.png has no frame number"}},
           {"gpupost in.png -o 'out/{frame}.png'", 1, "", {"in.png has no frame number"}},
           {"gpupost none.####.png -o out/", 2, "", {"none.####.png: no file matches"}},
           {"gpupost s.%04d.%04d.png -o out/", 1, "", {"two patterns"}},
           {"gpupost in.png --frames 1-2 -o out/", 1, "", {"--frames needs a sequence"}}})
    check(place, batch);
}

TEST_CASE("globs, lists and folders are batches") {
  const TestFolder place;
  write_frames(place, "tree/a/", {"one", "two"});
  write_frames(place, "tree/b/", {"one"});
  place.write("tree/a/note.txt", "no image");
  place.write("list.txt", "tree/a/one.png\ntree/b/missing.png\ntree/a/two.png\n");
  for (const Batch& batch : std::vector<Batch>{
           {"gpupost 'tree/a/*.png' -o out/", 0, "one.png,two.png"},
           {"gpupost 'tree/x*.png' -o out/", 2, "", {"tree/x*.png: no file matches"}},
           {"mkdir q; cp in.png q/1.png; mkfifo q/2.png q/4.png; cp in.png q/3.png; gpupost 'q/%d.png' -o out/",
            5,
            "1.png,3.png",
            {"q/%d.png: frame 2 is missing"}},
           {"mkdir p; mkfifo p/a.png; ln -s ../in.png p/link.png; gpupost 'p/*.png' -o out/", 0, "link.png"},
           {"mkdir one; cp cut.png one/; gpupost 'one/*.png' -o out/", 5, "", {"one/cut.png"}},
           {"gpupost 'p/a*.png' -o out/", 2, "", {"p/a*.png: no file matches"}},
           {"gpupost --list list.txt -o out/", 5, "one.png,two.png", {"tree/b/missing.png"}},
           {"printf '\\357\\273\\277in.png\\r\\n' > marked.txt; gpupost --list marked.txt -o out/", 0, "in.png"},
           {"find tree/a -name '*.png' -print0 | gpupost --list - -o out/", 0, "one.png,two.png"},
           {"gpupost --list none.txt -o out/", 2, "", {"none.txt"}},
           {"gpupost --list tree -o out/", 2, "", {"--list tree: cannot be read: Is a directory"}},
           {"gpupost --list /dev/zero -o out/", 2, "", {"--list /dev/zero: has more than 268435456 bytes"}},
           {"gpupost tree/a --recursive -o out/", 0, "one.png,two.png"},
           {"gpupost tree --recursive -o out/", 1, "", {"would both write out/one.png", "--mkdir"}},
           {"gpupost tree --recursive -o 'out/{dir}/{stem}.png' --mkdir && mv out/tree/a out/ && rm -r out/tree", 0,
            "a"},
           {"gpupost in.png tree -o out/", 5, "in.png", {"tree: is a folder", "--recursive"}},
           {"gpupost in.png -o out/new/deep/x.png", 3, "", {"out/new/deep"}},
           {"gpupost in.png -o out/new/deep/x.png --mkdir", 0, "new"},
           {"touch out/file; gpupost in.png -o out/file/x.png --mkdir", 3, "file", {"--mkdir cannot create"}}})
    check(place, batch);
}

TEST_CASE("--no-clobber skips what is there and counts it") {
  const TestFolder place;
  write_frames(place, "s.", {"0001", "0002", "0003"});
  check(place, {"echo old > out/s.0002.png; gpupost s.#.png --no-clobber -o out/ && grep -q old out/s.0002.png",
                0,
                "s.0001.png,s.0002.png,s.0003.png",
                {"skipped 1 of 3 outputs: already there"}});
  check(place,
        {"echo old > out/x.png; gpupost in.png --no-clobber -o out/x.png --report r.json && grep -q old out/x.png",
         0,
         "x.png",
         {"skipped 1 of 1 outputs: already there"}});
  // the same command again, as after inputs that failed
  check(place,
        {"echo old > out/r.json; gpupost s.#.png --no-clobber -o out/ --report out/r.json && ! grep -q old out/r.json",
         0, "r.json,s.0001.png,s.0002.png,s.0003.png"});
  check(place, {"echo old > out/x.json; gpupost s.#.png stats --no-clobber -o out/x.json && grep -q old out/x.json",
                0,
                "x.json",
                {"skipped 1 of 1 outputs: already there (--no-clobber)"}});
  check(place, {"echo old > out/x.json; gpupost s.#.png stats --no-clobber -o out/x.json --report r.json --quiet", 0,
                "x.json"});
  CHECK(parse_json(place.read("r.json"))["jobs"].size() == 3);
  check(place, {"cp in.exr out/x.0.exr; gpupost in.exr mips --no-clobber -o 'out/x.{level}.exr'",
                0,
                "x.0.exr",
                {"skipped 1 of 1 outputs: already there (--no-clobber)"}});
  check(place, {"gpupost in.png --no-clobber -o out/x.png", 0, "x.png"});
  check(place,
        {"cd out && cp ../in.exr in.mips.0.exr && cp ../in.exr in.mips.1.exr && gpupost ../in.exr mips --levels 3 "
         "--no-clobber --depfile d && test \"$(head -n 1 d)\" = 'in.mips.0.exr in.mips.1.exr: ../in.exr' && rm d",
         0,
         "in.mips.0.exr,in.mips.1.exr",
         {"skipped 1 of 1 outputs: already there"}});
  check(place,
        {"echo old > out/s.0002.png; gpupost s.####.png --frames 1-4 --fail-fast --no-clobber -o out/ --progress json",
         5,
         "s.0002.png",
         {"skipped 1 of 3 outputs: already there", "\"files\":3"}});
  check(place, {"mkdir out/x.png; gpupost in.png --no-clobber -o out/x.png", 3, "x.png"});
}

TEST_CASE("the report and the lines of progress list inputs whose outputs --no-clobber keeps") {
  const TestFolder place;
  write_frames(place, "s.", {"0001", "0002", "0003", "0004"});
  place.write("s.0002.tif", "old");
  place.write("s.0004.tif", "old");
  place.write("s.0003.png", "no image");
  const Words words{"s.#.png",  "-o",     "s.#.tif",    "--no-clobber", "--quiet",
                    "--report", "r.json", "--progress", "json",         "--progress-file",
                    "p",        "--jobs", "1"};
  for (const bool fails_fast : {false, true}) {
    std::filesystem::remove(place.path("s.0001.tif"));
    Words all = words;
    if (fails_fast) all.push_back("--fail-fast");
    CHECK(place.gpupost(all).exit_code == 5);
    const nlohmann::json jobs = parse_json(place.read("r.json"))["jobs"];
    REQUIRE(jobs.size() == 4);
    for (size_t index = 0; index < 4; ++index) {
      const bool is_kept = index == 1 || index == 3;
      CHECK(jobs[index]["input"] == fmt::format("s.000{}.png", index + 1));
      CHECK(jobs[index]["is_skipped"] == is_kept);
      CHECK((jobs[index]["error"] != "") == (index == 2));
      if (is_kept) CHECK(jobs[index]["outputs"] == nlohmann::json{fmt::format("s.000{}.tif", index + 1)});
    }
    std::set<std::string> skipped, done;
    for (const std::string& text : lines_of(place.read("p"))) {
      const nlohmann::json line = parse_json(text);
      if (line["event"] == "start") CHECK(line["files"] == 4);
      if (line["event"] == "file") (line["is_skipped"] ? skipped : done).insert(line["input"].get<std::string>());
      if (line["event"] == "end") CHECK(line["done"] == 4);
      if (line["event"] == "end") CHECK(line["skipped"] == 2);
    }
    CHECK(skipped == std::set<std::string>{"s.0002.png", "s.0004.png"});
    CHECK(done == std::set<std::string>{"s.0001.png", "s.0003.png"});
  }
  // also if nothing is left to do
  CHECK(place.gpupost({"in.png", "-o", "s.0002.tif", "--no-clobber", "--quiet", "--report", "r.json"}).exit_code == 0);
  CHECK(parse_json(place.read("r.json"))["jobs"][0]["is_skipped"] == true);
}

TEST_CASE("shards together do every input once") {
  const TestFolder place;
  std::vector<std::string> names;
  for (int frame = 1; frame <= 12; ++frame) {
    names.push_back(fmt::format("s.{:04}.png", frame));
    place.write(names.back(), made_files().at("bars.png"));
  }
  const std::string all = fmt::format("{}", fmt::join(names, ","));
  for (const char* kind : {"", "count:"}) {
    const std::string line = fmt::format(
        "for k in 1 2 3; do gpupost s.#.png --shard {}$k/3 --no-clobber -o out/ 2>&1 || exit 1; done | grep already; "
        "true",
        kind);
    check(place, {line.c_str(), 0, all.c_str()});
    CHECK(place.shell(line).out.find("already there") != std::string::npos);  // now that all of them are there
  }
  check(place, {"gpupost s.#.png --shard count:1/6 -o out/",
                0,
                "s.0001.png,s.0007.png",
                {"shard 1 of 6 (--shard count:1/6): 2 of 12 inputs"}});
  check(place, {"gpupost s.#.png --frames 1 --shard count:2/2 -o out/", 0, "", {"0 of 1 input"}});
  check(
      place,
      {"gpupost s.#.png --frames 11-15 --skip-missing --shard count:1/2 -o out/", 0, "s.0011.png", {"1 of 2 inputs"}});
  check(
      place,
      {"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=12 CI_NODE_INDEX=1 gpupost s.#.png --shard "
       "count:auto -o out/",
       0,
       "s.0003.png",
       {"SLURM_ARRAY_TASK_ID=3"}});
  check(place, {"JOB_COMPLETION_INDEX=1 gpupost s.#.png --shard count:auto --shards 12 -o out/", 0, "s.0002.png"});
  check(place, {"gpupost s.#.png --shard auto -o out/", 1, "", {"--shard auto", "SLURM_ARRAY_TASK_ID"}});
  check(place, {"gpupost '*/s.#.png' -o out/", 1, "", {"*/s.#.png: the folder of a sequence cannot be a glob"}});
  check(place, {"gpupost s.#.png --shards 3 -o out/", 1, "", {"--shards 3 needs --shard auto"}});
  check(place, {"gpupost s.#.png --frames 1-6 --shard 1/2 --assemble cube -o out/x.ktx2", 1, "", {"--assemble cube"}});
}

TEST_CASE("no shard loses an input or an output of another shard") {
  const TestFolder place;
  place.write("a_in.png", made_files().at("bars.png"));
  place.write("sub/in.png", made_files().at("bars.png"));
  for (const char* shard : {"count:1/2", "count:2/2", "count:3/3"}) {
    CAPTURE(shard);
    const Words two{"in.png", "sub/in.png", "-o", "out/", "--mkdir", "--quiet", "--shard", shard};
    check_refused(place, {"one output of two shards", two, 1, {"would both write out/in.png"}});
    const Words input{"in.png", "a_in.png", "-o", "a_{stem}.png", "--quiet", "--shard", shard};
    check_refused(place, {"an output that another shard reads", input, 1, {"would overwrite the input a_in.png"}});
  }
  CHECK_FALSE(place.shell("gpupost in.png a_in.png -o - --quiet --shard count:1/2 | cat").out.empty());
}

TEST_CASE("exit codes are those that --exit-map wants") {
  const TestFolder place;
  check(place, {"gpupost in.png cut.png --exit-map 5=34 -o out/", 34, "in.png"});
  check(place, {"gpupost in.png none.png --exit-map 2=99 -o out/", 5, "in.png"});
  check(place, {"gpupost none.png --exit-map=2=99 -o out/", 99, ""});
  check(place, {"gpupost in.png --exit-map 5=0 -o out/", 1, "", {"--exit-map 5=0"}});
}

DEVICE_TEST_CASE("the Makefile and the ninja rules of docs/farm make what is out of date, and no more") {
  struct Tool {
    const char *name, *file, *is_done, *shows_deps;
  };
  for (const Tool& tool :
       {Tool{"make", "Makefile", "make -q", "grep -x 'shown/a.1001.png: shots/a.1001.exr' shown/a.1001.png.d"},
        Tool{"ninja", "build.ninja", "ninja -n | grep -q 'no work to do'",
             "ninja -t deps shown/a.1001.png | grep shots/a.1001.exr"}}) {
    const TestFolder place;
    std::filesystem::copy(std::string("docs/farm/") + tool.file, place.path());
    for (const char* frame : {"1001", "1002"})
      place.write(fmt::format("shots/a.{}.exr", frame), made_files().at("in.exr"));
    if (place.shell(fmt::format("command -v {}", tool.name)).exit_code != 0) {
      skip("make or ninja is missing");
      continue;
    }
    const Finished finished =
        place.shell(fmt::format("set -e; {0}; {1}; {2}; touch -d '+1 hour' shots/a.1002.exr; ! {{ {1}; }}", tool.name,
                                tool.is_done, tool.shows_deps));
    CHECK_MESSAGE(finished.exit_code == 0, std::string(tool.name), "\n", finished.out, finished.err);
    CHECK(place.has("shown/a.1001.png"));
    CHECK(place.has("shown/a.1002.png"));
  }
}

TEST_CASE("a run without any frame writes its report and depfile") {
  const TestFolder place;
  write_frames(place, "s.", {"0001"});
  for (const auto& [frames, options, missing] :
       {std::tuple("2-3", "", 1), {"1-2", " --fail-fast", 1}, {"2-3", " --skip-missing", 0}}) {
    const Finished finished = place.shell(
        fmt::format("rm -f r.json d; gpupost s.####.png --frames {}{} -o {{stem}}.new.png --report r.json --depfile d",
                    frames, options));
    INFO(finished.err);
    CHECK(finished.exit_code == (missing == 0 ? 0 : 5));
    const nlohmann::json report = parse_json(place.read("r.json"));
    CHECK(report["missing"].size() == size_t(missing));
    CHECK(report["not_started"] == (std::string_view(options) == " --fail-fast" ? 1 : 0));
    CHECK(place.read("d").empty());
    CHECK(!place.has("s.0001.new.png"));
  }
}

TEST_CASE("a depfile lists every file that an output is made from") {
  const TestFolder place;
  CHECK(place.gpupost({"in.png", "cut.png", "-o", "{stem}.new.png", "--depfile", "d"}).exit_code == 5);
  CHECK(place.read("d") == "in.new.png: in.png\nin.png:\n");
  CHECK(place.gpupost({"in.png", "-o", "x.png", "--depfile", "in.png"}).exit_code == 1);
  CHECK(place.gpupost({"in.png", "-o", "x.png", "--depfile", "x.png"}).exit_code == 1);
  const Finished refused = place.gpupost({"in.png", "-o", "two\nlines.png", "--depfile", "d"});
  CHECK(refused.exit_code == 1);
  CHECK_MESSAGE((is_one_error(refused.err) && refused.err.find("two\\x0alines.png") != std::string::npos), refused.err);
  CHECK(!place.has("two\nlines.png"));
  if (!has_device()) return;
  CHECK(place.gpupost({"in.png", "point", "p.glsl", "-o", "x.png", "--depfile", "d"}).exit_code == 2);
  std::filesystem::copy("docs/vibrance.glsl", place.path("p.glsl"));
  const Finished finished = place.gpupost({"in.png", "point", "p.glsl", "-o", "x.png", "--depfile", "d"});
  CHECK_MESSAGE(finished.exit_code == 0, finished.err);
  CHECK(place.read("d") == "x.png: in.png p.glsl\nin.png:\np.glsl:\n");
}

TEST_CASE("the list of inputs is in the depfile if one output is made of all of them") {
  const TestFolder place;
  place.write("list", "in.png\nin.png\n");
  const Words array{"--assemble", "array", "-o", "x.dds", "--depfile", "d", "--list"};
  REQUIRE(place.gpupost(with(array, {"list"})).exit_code == 0);
  CHECK(place.read("d") == "x.dds: in.png list\nin.png:\nlist:\n");
  REQUIRE(place.shell("cat list | gpupost --assemble array -o x.dds --depfile d --list -").exit_code == 0);
  CHECK(place.read("d") == "x.dds: in.png\nin.png:\n");
  place.write("list", "in.png\nbars.png\n");
  REQUIRE(place.gpupost({"-o", "{stem}.tif", "--depfile", "d", "--list", "list"}).exit_code == 0);
  CHECK(place.read("d").find("list") == std::string::npos);
  if (!has_device()) return;
  REQUIRE(place.gpupost({"stats", "-o", "s.json", "--depfile", "d", "--list", "list"}).exit_code == 0);
  CHECK(place.read("d").starts_with("s.json: in.png list bars.png\n"));
}

DEVICE_TEST_CASE("each input of one file takes the second image of its own frame") {
  const TestFolder place;
  for (const char* name : {"s.0001.exr", "s.0002.exr", "b.0001.exr"}) place.write(name, made_files().at("in.exr"));
  REQUIRE(place.gpupost({"in.exr", "gain", "--value", "2", "-o", "b.0002.exr"}).exit_code == 0);
  const Words merged{"s.####.exr", "merge", "--with", "b.{frame}.exr", "--mode", "add"};
  REQUIRE(place.gpupost(with(merged, {"-o", "m.####.exr"})).exit_code == 0);
  REQUIRE(place.gpupost({"m.####.exr", "sheet", "-o", "two.exr"}).exit_code == 0);
  const Words sheet = with(merged, {"stats", "sheet", "-o", "one.exr"});
  const Finished finished = place.gpupost(with(sheet, {"--depfile", "d"}));
  REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
  check_same(place, "one.exr", "two.exr");
  const std::vector<std::string> lines = lines_of(finished.out);
  REQUIRE(lines.size() == 2);
  for (size_t index : {size_t(0), size_t(1)}) CHECK(parse_json(lines[index])["frame"] == index + 1);
  CHECK(place.read("d").starts_with("one.exr: s.0001.exr s.0002.exr b.0001.exr b.0002.exr\n"));
  const Finished lost = place.gpupost(with(merged, {"sheet", "-o", "b.0002.exr"}));
  CHECK(lost.exit_code == 1);
  CHECK(lost.err.find("would overwrite the second image b.0002.exr") != lost.err.npos);
  const Words with_other = with({"s.####.exr", "in.exr"}, {merged.begin() + 1, merged.end()});
  const Finished no_frame = place.gpupost(with(with_other, {"sheet", "-o", "none.exr"}));
  CHECK(no_frame.exit_code == 1);
  CHECK(no_frame.err.find("b.{frame}.exr: {frame} needs inputs of a sequence") != no_frame.err.npos);
}

TEST_CASE("--no-clobber keeps an output that another program writes meanwhile") {
  const TestFolder place;
  const Finished finished = place.shell(
      "mkfifo pipe.png; gpupost pipe.png in.png -o kept/ --mkdir --format exr --no-clobber --depfile d & "
      "exec 3> "
      "pipe.png; "
      "echo old > kept/pipe.exr; cat in.png >&3; exec 3>&-; wait $!");
  CHECK_MESSAGE(finished.exit_code == 0, finished.err);
  CHECK(finished.err.find("pipe.png: another program has written the output meanwhile; it stays as it is "
                          "(--no-clobber)\n") != finished.err.npos);
  CHECK(place.read("kept/pipe.exr") == "old\n");
  CHECK(place.has("kept/in.exr"));
  CHECK(place.read("d") == "kept/pipe.exr: pipe.png\nkept/in.exr: in.png\npipe.png:\nin.png:\n");
  if (!has_device()) return;
  const Finished statistics = place.shell(
      "gpupost pipe.png stats -o st.json --no-clobber --depfile d & exec 3> pipe.png; echo old > st.json; cat in.png "
      ">&3; exec 3>&-; wait $!");
  CHECK_MESSAGE(statistics.exit_code == 0, statistics.err);
  CHECK(statistics.err ==
        "gpupost: st.json: another program has written the output meanwhile; it stays as it is (--no-clobber)\n");
  CHECK(place.read("st.json") == "old\n");
  CHECK(place.read("d") == "st.json: pipe.png\npipe.png:\n");
}

DEVICE_TEST_CASE("--no-clobber keeps files of levels that another program writes meanwhile") {
  const TestFolder place;
  for (const bool is_whole : {true, false}) {  // level 0 is written last
    const Finished finished = place.shell(fmt::format(
        "mkfifo pipe.png; gpupost pipe.png mips -o 'l.{{level}}.png' --no-clobber --depfile d & exec 3> pipe.png; "
        "for k in {}; do echo old > l.$k.png; done; cat in.png >&3; exec 3>&-; wait $!",
        is_whole ? "1 0" : "1"));
    CHECK_MESSAGE(finished.exit_code == (is_whole ? 0 : 3), finished.err);
    CHECK((finished.err.find("pipe.png: another program has written the output meanwhile") != finished.err.npos) ==
          is_whole);
    CHECK(place.read("d") == (is_whole ? "l.0.png l.1.png: pipe.png\npipe.png:\n" : ""));
    CHECK(place.shell("rm pipe.png d && cat l.*.png && rm l.*.png").out == (is_whole ? "old\nold\n" : "old\n"));
  }
}

TEST_CASE("the message of a folder that cannot be read names that one of the folders below an input") {
  const TestFolder place;
  const Finished finished = place.shell(
      "f=tree; for k in $(seq 40); do f=$f/d; done; mkdir -p $f; ulimit -n 24; gpupost tree --recursive -o out/");
  CHECK(finished.exit_code == 7);
  CHECK_MESSAGE(finished.err.find("/d/d: the folder cannot be read: ") != finished.err.npos, finished.err);
}

TEST_CASE("a depfile also lists outputs that --no-clobber keeps") {
  const TestFolder place;
  CHECK(place.gpupost({"in.png", "-o", "old.tif"}).exit_code == 0);
  CHECK(place.gpupost({"in.png", "-o", "old.tif", "--no-clobber", "--depfile", "d"}).exit_code == 0);
  CHECK(place.read("d") == "old.tif: in.png\nin.png:\n");
  CHECK(place.shell("gpupost in.png bars.png -o 'old{stem}.tif' && rm oldin.tif").exit_code == 0);
  CHECK(place.gpupost({"in.png", "bars.png", "-o", "old{stem}.tif", "--no-clobber", "--depfile", "d"}).exit_code == 0);
  CHECK(place.read("d") == "oldbars.tif: bars.png\noldin.tif: in.png\nbars.png:\nin.png:\n");
  if (!has_device()) return;
  CHECK(place.gpupost({"in.png", "mips", "--levels", "3", "-o", "l{level}.png"}).exit_code == 0);
  CHECK(place.gpupost({"in.png", "mips", "--levels", "3", "-o", "l{level}.png", "--no-clobber", "--depfile", "d"})
            .exit_code == 0);
  CHECK(place.read("d") == "l0.png l1.png l2.png: in.png\nin.png:\n");
}

TEST_CASE("a folder of outputs inside a folder of inputs is no input") {
  const TestFolder place;
  const std::string run = "gpupost tree --recursive -o tree/small/ --format png --mkdir";
  CHECK(place.shell("mkdir -p tree/a && cp in.png tree/a/one.png && cp in.png tree/two.png && " + run).exit_code == 0);
  for (const char* more : {"", " --no-clobber"}) {
    const Finished again = place.shell(run + more);
    CHECK(again.exit_code == 0);
    CHECK(again.err.find("gpupost: tree: tree/small is left out, because the outputs go there\n") != again.err.npos);
    CHECK(place.shell("ls tree/small").out == "one.png\ntwo.png\n");
  }
  CHECK(place.shell(run + " --resume").exit_code == 0);
  const Finished resumed = place.shell(run + " --resume");
  CHECK(resumed.exit_code == 0);
  CHECK(resumed.err.find("skipped 2 of 2 outputs: done by an earlier run") != resumed.err.npos);
  // a pattern, another name of the folder, and outputs in the folder of the inputs itself
  CHECK(place.shell("gpupost tree --recursive -o './tree/a/../small/new.{name}' --format png").exit_code == 0);
  CHECK(place.shell("ls tree/small").out == "gpupost.journal\nnew.one.png\nnew.two.png\none.png\ntwo.png\n");
  CHECK(place.shell("rm -r tree/small && gpupost tree --recursive -o 'tree/{stem}.new.png' --explain flip x")
            .out.find("tree: a folder, 2 images") != std::string::npos);
}

TEST_CASE("--explain says how inputs were understood") {
  const TestFolder place;
  write_frames(place, "s.", {"0001", "0002", "0004"});
  const Words two{"--explain", "in.png", "bars.png", "flip", "x", "-o", "x.png"};
  check_refused(place, {"one output of two inputs", two, 1, {"would both write x.png"}});
  const Finished finished = place.gpupost({"--explain", "s.#.png", "in.*", "flip", "x", "--shard", "count:1/2"});
  CHECK_MESSAGE(finished.exit_code == 0, finished.err);
  for (const char* text : {"inputs   s.#.png: a sequence, frame numbers of at least 4 digits, frames 1-4\n",
                           "inputs   in.*: a glob, 2 files\n", "shard 1 of 2 (--shard count:1/2): 2 of 5 inputs\n"})
    CHECK_MESSAGE(finished.out.find(text) != std::string::npos, finished.out);
}
