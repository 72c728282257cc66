// Journals and --resume: what a second run skips, and going on after an end.
#include "tests/program/test_folder.h"
#include "tests/program/tested_program.h"
#include "tests/support/json.h"
#include "tests/support/ocio.h"
#include "tests/support/thorough.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <random>

using namespace gpupost::test;
using json = nlohmann::json;

TEST_CASE("what --resume and progress files cannot do is refused") {
  const TestFolder place;
  std::filesystem::create_directory(place.path("out"));
  for (const Words& words : {Words{"--resume", "-o", "out/a.exr"},  // standard input
                             {"in.png", "--resume", "-o", "-", "--format", "exr"},
                             {"in.png", "stats", "--resume"},
                             {"in.png", "-o", "in.png", "--resume"},  // another run would begin with the result
                             {"in.png", "-o", "in.png", "--journal", "j"},
                             {"in.png", "stats", "--resume", "-o", "out/a.exr"},
                             {"in.png", "-o", "out/a.exr", "--journal", "in.png"},
                             {"in.png", "-o", "out/a.exr", "--progress", "json", "--progress-file", "out/a.exr"},
                             {"in.png", "-o", "out/a.exr", "--progress-file", "p"}})
    CHECK_MESSAGE(place.gpupost(words).exit_code == 1, text_of({.program = "gpupost", .words = words}));
  CHECK(!place.has("out/a.exr"));
}

TEST_CASE("a second run with --resume does nothing, and says so") {
  const TestFolder place;
  std::filesystem::create_directory(place.path("out"));
  const Words words = {"in.png", "deep.png", "bars.png", "-o", "out/{name}.exr", "--resume", "--report", "r.json"};
  CHECK(place.gpupost(words).exit_code == 0);
  CHECK(place.has("out/gpupost.journal"));
  const Finished second = place.gpupost(words);
  CHECK(second.exit_code == 0);
  CHECK(second.err.find("skipped 3 of 3 outputs: done by an earlier run") != std::string::npos);
  const json report = parse_json(place.read("r.json"));
  for (const json& job : report["jobs"]) CHECK(job["is_skipped"] == true);
  const Finished other = place.gpupost(with(words, {"--compression", "none"}));
  CHECK(other.err.find("earlier run") == std::string::npos);
  const Finished elsewhere = place.gpupost(with(words, {"--compression", "none", "--jobs", "1", "--depfile", "d"}));
  CHECK(elsewhere.err.find("3 of 3 outputs") != std::string::npos);  // --jobs and --depfile change no result
}

TEST_CASE("a new first input in another folder does not move the journal") {
  const TestFolder place;
  const std::string more = " sub/in.exr -o 'out/{dir}/{stem}.exr' --mkdir --resume";
  CHECK(place.shell("gpupost" + more).exit_code == 0);
  CHECK(place.has("out/gpupost.journal"));
  const Finished second = place.shell("gpupost in.exr" + more);
  CHECK_MESSAGE(second.err.find("skipped 1 of 2 outputs: done by an earlier run") != second.err.npos, second.err);
}

namespace {

// Standard error of a run with --resume.
std::string resumed(const TestFolder& place, const std::string& line, const Environment& environment = {}) {
  const Finished finished = place.shell("gpupost " + line + " --mkdir --resume", environment);
  CHECK_MESSAGE(finished.exit_code == 0, line, "\n", finished.err);
  return finished.err;
}

bool says_done(const std::string& text, const std::string& count) {
  return text.find("skipped " + count + " outputs: done by an earlier run") != std::string::npos;
}

// A configuration with the space `lin`, and a view that applies t.cube and then a power.
std::string configuration(const std::string& power) {
  return R"(ocio_profile_version: 2
search_path: .
roles: {default: lin}
displays:
  d:
    - !<View> {name: v, colorspace: shown}
colorspaces:
  - !<ColorSpace> {name: lin, encoding: scene-linear}
  - !<ColorSpace> {name: shown, encoding: sdr-video, from_scene_reference: !<GroupTransform> {children: [!<FileTransform> {src: t.cube, interpolation: linear}, !<ExponentTransform> {value: [)" +
         power + ", " + power + ", " + power + R"(, 1]}]}}
)";
}

}  // namespace

DEVICE_TEST_CASE("a changed file that an op reads makes --resume run the input again") {
  const TestFolder place;
  place.write("t.cube", "LUT_1D_SIZE 2\n0 0 0\n1 1 1\n");
  const std::string lut = "in.exr lut t.cube --srgb -o lut/";
  CHECK(!says_done(resumed(place, lut), "1 of 1"));
  CHECK(says_done(resumed(place, lut), "1 of 1"));
  place.write("t.cube", "LUT_1D_SIZE 2\n0 0 0\n0.5 1 1\n");
  CHECK(!says_done(resumed(place, lut), "1 of 1"));
  // a second picture for each frame
  for (const char* name : {"a.0001.exr", "a.0002.exr", "b.0001.exr", "b.0002.exr"})
    place.write(name, made_files().at("in.exr"));
  const std::string merge = "'a.####.exr' merge --with 'b.{frame}.exr' --mode add -o merged/";
  resumed(place, merge);
  CHECK(says_done(resumed(place, merge), "2 of 2"));
  place.write("b.0002.exr", made_files().at("other.exr"));
  CHECK(says_done(resumed(place, merge), "1 of 2"));
  CHECK(says_done(resumed(place, merge), "2 of 2"));
  const std::string sheet = "'a.####.exr' merge --with 'b.{frame}.exr' --mode add sheet -o sheet.exr --journal j";
  CHECK(!says_done(resumed(place, sheet), "1 of 1"));
  CHECK(says_done(resumed(place, sheet), "1 of 1"));
  place.write("b.0002.exr", made_files().at("in.exr"));
  CHECK(!says_done(resumed(place, sheet), "1 of 1"));
}

DEVICE_TEST_CASE("labels of a sheet, and another name under one of them, make --resume run it again") {
  const TestFolder place;
  const auto sheet = [&](const std::string& input, const std::string& option) {
    return resumed(place, "in.exr " + input + " sheet" + option + " -o sheet.exr --journal j");
  };
  CHECK(!says_done(sheet("other.exr", ""), "1 of 1"));
  CHECK(!says_done(sheet("other.exr", " --labels"), "1 of 1"));
  CHECK(says_done(sheet("other.exr", " --labels"), "1 of 1"));
  const std::string labeled = place.read("sheet.exr");
  std::filesystem::copy_file(place.path("other.exr"), place.path("copy.exr"));
  CHECK(!says_done(sheet("copy.exr", " --labels"), "1 of 1"));
  CHECK(place.read("sheet.exr") != labeled);
}

TEST_CASE("a changed configuration, or a table of it, makes --resume run the input again") {
  if (!has_device() || !has_ocio()) return;
  const TestFolder place;
  place.write("t.cube", "LUT_1D_SIZE 2\n0 0 0\n1 1 1\n");
  place.write("c.ocio", configuration("2"));
  for (const std::string config : {"", " --config c.ocio"}) {
    const Environment environment{{"OCIO", config.empty() ? "c.ocio" : "none.ocio"}};
    const std::string line = "in.exr ocio --from lin --display d --view v" + config + " -o out/p.exr";
    resumed(place, line, environment);
    CHECK(says_done(resumed(place, line, environment), "1 of 1"));
    place.write("c.ocio", configuration("3"));
    CHECK(!says_done(resumed(place, line, environment), "1 of 1"));
    CHECK(says_done(resumed(place, line, environment), "1 of 1"));
    place.write("t.cube", "LUT_1D_SIZE 2\n0 0 0\n0.5 1 1\n");
    CHECK(!says_done(resumed(place, line, environment), "1 of 1"));
    place.write("other.ocio", configuration("4"));
    if (config.empty()) CHECK(!says_done(resumed(place, line, {{"OCIO", "other.ocio"}}), "1 of 1"));
    place.write("t.cube", "LUT_1D_SIZE 2\n0 0 0\n1 1 1\n");
    place.write("c.ocio", configuration("2"));
  }
}

TEST_CASE("a wrong configuration of the environment is an error that names the variable OCIO") {
  if (!has_ocio()) return;
  const TestFolder place;
  const Environment environment{{"OCIO", "none.ocio"}};
  const Finished finished = place.shell("gpupost in.exr ocio --to ACEScg -o x.exr", environment);
  CHECK(finished.exit_code == 2);
  CHECK_MESSAGE(finished.err.starts_with("gpupost: ocio: none.ocio (the environment variable OCIO): cannot be read"),
                finished.err);
  const Finished given = place.shell("gpupost in.exr ocio --config other.ocio --to ACEScg -o x.exr", environment);
  CHECK_MESSAGE(given.err.starts_with("gpupost: ocio: other.ocio: cannot be read"), given.err);
}

TEST_CASE("a file that is no journal is not taken as one") {
  const TestFolder place;
  for (const char* text : {"my notes\n", "{\"a\": 1}\n", "my notes", "{\n \"job\": 1\n}\n", "{\"job\":\"mine\"}\n",
                           "{\"job\":\n \"mine\"}\n", "{\"job\":1,\n \"of\": 2}"}) {
    place.write("notes", text);
    for (const char* option : {"", " --resume"}) {
      const Finished finished = place.shell("gpupost in.png -o out.exr --journal notes" + std::string(option));
      CHECK(finished.exit_code == 3);
      CHECK(finished.err ==
            "gpupost: the journal notes holds other text; name a new file, or a journal, with --journal\n");
      CHECK(place.read("notes") == text);
      CHECK(!place.has("out.exr"));
    }
  }
  for (const char* text : {"", "{\"jo", "{\"job\":\"1\", \"inp", "{\"job\":\"1\", \"inp\n{\"jo"}) {
    place.write("notes", text);
    CHECK(place.shell("gpupost in.png -o out.exr --journal notes && rm out.exr").exit_code == 0);
    CHECK(place.shell("gpupost in.png -o out.exr --journal notes && rm out.exr").exit_code == 0);
  }
}

TEST_CASE("outputs of an earlier run are done also if the run stops before them") {
  const TestFolder place;
  const Words words{"-o", "out/{stem}.exr", "--mkdir", "--resume"};
  REQUIRE(place.gpupost(with({"in.png", "float.exr"}, words)).exit_code == 0);
  const Finished finished = place.gpupost(
      with({"cut.png", "in.png", "bars.png", "float.exr", "--fail-fast", "--depfile", "d", "--report", "r"}, words));
  CAPTURE(finished.err);
  CHECK(finished.exit_code == 5);
  CHECK(finished.err.find("skipped 2 of 4 outputs: done by an earlier run") != finished.err.npos);
  CHECK(finished.err.ends_with("1 of 4 inputs was not started, because one failed (--fail-fast)\n"));
  CHECK(place.read("d") == "out/in.exr: in.png\nout/float.exr: float.exr\nin.png:\nfloat.exr:\n");
  const json report = parse_json(place.read("r"));
  CHECK(report["not_started"] == 1);
  REQUIRE(report["jobs"].size() == 3);
  CHECK(report["jobs"][1]["input"] == "in.png");
  CHECK(report["jobs"][1]["is_skipped"] == true);
}

TEST_CASE("outputs of an earlier run are done also if --fail-fast starts nothing because frames are missing") {
  const TestFolder place;
  for (const char* name : {"s.1.png", "s.2.png", "s.4.png"}) place.write(name, made_files().at("in.png"));
  const Words words{"-o", "out/{stem}.exr", "--mkdir", "--resume"};
  REQUIRE(place.gpupost(with({"s.%d.png", "--frames", "1-2"}, words)).exit_code == 0);
  const Words all = with({"s.%d.png", "--frames", "1-4", "--fail-fast", "--depfile", "d", "--report", "r"}, words);
  const Finished finished = place.gpupost(all);
  CAPTURE(finished.err);
  CHECK(finished.exit_code == 5);
  CHECK(finished.err.find("skipped 2 of 3 outputs: done by an earlier run") != finished.err.npos);
  CHECK(place.read("d") == "out/s.1.exr: s.1.png\nout/s.2.exr: s.2.png\ns.1.png:\ns.2.png:\n");
  const json report = parse_json(place.read("r"));
  CHECK(report["not_started"] == 1);
  CHECK(report["jobs"].size() == 2);
  for (const json& job : report["jobs"]) CHECK(job["is_skipped"] == true);
  CHECK(!place.has("out/s.4.exr"));
}

DEVICE_TEST_CASE("outputs of an earlier run are done also if the device cannot be opened") {
  const TestFolder place;
  const Words words{"flip", "x", "-o", "out/{stem}.exr", "--mkdir", "--resume"};
  REQUIRE(place.gpupost(with({"in.png", "float.exr"}, words)).exit_code == 0);
  const Finished finished = place.gpupost(
      with({"deep.png", "in.png", "bars.png", "float.exr", "--depfile", "d", "--report", "r"}, words), no_driver);
  CAPTURE(finished.err);
  CHECK(finished.exit_code == 4);
  CHECK(finished.err.find("skipped 2 of 4 outputs: done by an earlier run") != finished.err.npos);
  CHECK(finished.err.ends_with("1 of 4 inputs was not started, because the device could not be opened\n"));
  CHECK(place.read("d") == "out/in.exr: in.png\nout/float.exr: float.exr\nin.png:\nfloat.exr:\n");
  CHECK(parse_json(place.read("r"))["not_started"] == 1);
}

DEVICE_TEST_CASE("--verify does not check outputs of an earlier run, and a note says so") {
  const TestFolder place;
  const std::string run = "gpupost in.png flip x -o out.exr --verify";
  CHECK(place.shell(run + " --journal j").exit_code == 0);
  CHECK(place.shell(run + " --journal j --resume").err ==
        "gpupost: skipped 1 of 1 outputs: done by an earlier run and not changed (--resume); --verify does not check "
        "them\n");
  CHECK(place.shell(run + " --no-clobber").err ==
        "gpupost: skipped 1 of 1 outputs: already there (--no-clobber); --verify does not check them\n");
}

TEST_CASE("a depfile lists configurations, and the tables that they name") {
  if (!has_device() || !has_ocio()) return;
  const TestFolder place;
  place.write("t.cube", "LUT_1D_SIZE 2\n0 0 0\n1 1 1\n");
  place.write("c.ocio", configuration("2"));
  const auto depends = [&](const std::string& words, const Environment& environment = {}) {
    const Finished finished =
        place.shell("gpupost in.exr ocio " + words + " -o x.exr --depfile d && rm x.exr", environment);
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    return place.read("d");
  };
  CHECK(depends("--file t.cube") == "x.exr: in.exr t.cube\nin.exr:\nt.cube:\n");
  CHECK(depends("--to ACEScg") == "x.exr: in.exr\nin.exr:\n");
  const std::string view = "--from lin --display d --view v";
  for (const std::string& text : {depends(view + " --config c.ocio"), depends(view, {{"OCIO", "c.ocio"}})}) {
    CAPTURE(text);
    CHECK(text.starts_with("x.exr: in.exr c.ocio "));
    CHECK(text.ends_with("t.cube:\n"));
  }
}

namespace {

// Ends runs at random moments and resumes them: the outputs must be those of a run that was left alone.
void end_and_resume(int count) {
  const TestFolder place;
  Words words;
  for (int index = 0; index < 8; ++index) {
    const std::string name = "p" + std::to_string(index) + ".png";
    place.write(name, place.read(index % 2 == 0 ? "in.png" : "deep.png"));
    words.push_back(name);
  }
  words = with(words, {"-o", "out/{stem}.exr", "--resume", "--quiet"});
  std::filesystem::create_directory(place.path("out"));
  REQUIRE(place.gpupost(words).exit_code == 0);
  const auto whole = outputs_of(place);
  REQUIRE(whole.size() == 8);
  std::vector<char*> arguments{const_cast<char*>(tested_program())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::mt19937 random(21);
  int interrupted = 0;
  for (int round = 0; round < count; ++round) {
    std::filesystem::remove_all(place.path("out"));
    std::filesystem::create_directory(place.path("out"));
    const int signal_number = round % 2 == 0 ? SIGKILL : SIGINT;
    const size_t wanted = std::uniform_int_distribution<size_t>(0, 7)(random);  // lines of the journal by then
    const int microseconds = std::uniform_int_distribution<int>(0, 20'000)(random);
    // a signal may reach the child before it runs the program: not the handler of this test program
    struct sigaction handler = {};
    REQUIRE(sigaction(SIGINT, nullptr, &handler) == 0);
    signal(SIGINT, SIG_DFL);
    const pid_t child = fork();
    if (child != 0) sigaction(SIGINT, &handler, nullptr);
    if (child == 0) {
      const int nothing = open("/dev/null", O_RDWR);
      dup2(nothing, STDERR_FILENO);
      if (chdir(place.path().c_str()) == 0) execv(tested_program(), arguments.data());
      _exit(127);
    }
    int status = 0;
    bool has_ended = false;
    while (!has_ended && lines_of(place.read("out/gpupost.journal")).size() < wanted) {
      poll(nullptr, 0, 1);
      has_ended = waitpid(child, &status, WNOHANG) == child;
    }
    usleep(unsigned(microseconds));
    if (!has_ended) kill(child, signal_number);
    if (!has_ended) waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) ++interrupted;
    const Finished resumed = place.gpupost(words);
    CAPTURE(resumed.err);
    CHECK(resumed.exit_code == 0);
    CHECK_MESSAGE(outputs_of(place) == whole, "ended by signal ", signal_number, " after ", wanted, " files and ",
                  microseconds, " us");
  }
  MESSAGE(interrupted, " of ", count, " runs were ended before their end");
  if (is_thorough()) CHECK(interrupted > 0);
}

}  // namespace

TEST_CASE("a run that is ended at any point and resumed makes the same bytes") {
  end_and_resume(is_thorough() ? 50 : 10);
}

TEST_CASE("an interrupted run says how to go on") {
  const TestFolder place;
  std::filesystem::create_directory(place.path("out"));
  REQUIRE(mkfifo(place.path("pipe.png").c_str(), 0600) == 0);  // never gives a picture
  const Finished finished = place.shell(
      "mkdir many; for i in $(seq 400); do ln -s ../in.png many/$i.png; done; gpupost 'many/*.png' -o 'out/{stem}.exr' "
      "--journal j & until [ -s j ]; do sleep 0.01; done; kill -TERM $!; wait $!");
  CHECK(finished.err.find(" of 400 files are done; to continue, run the same command with --resume") !=
        std::string::npos);
  CHECK(place.has("out/1.exr"));
  const Finished plain = place.shell(
      "rm out/*; gpupost in.png pipe.png -o 'out/{stem}.exr' & until [ -s out/in.exr ]; do sleep 0.01; done; "
      "sleep 0.2; kill -TERM $!; wait $!");
  CHECK(plain.err ==
        "gpupost: interrupted; at least 1 of 2 files are done; to continue, run the same command with "
        "--no-clobber\n");
  const Finished over_old_ones = place.shell(
      "rm out/in.exr; touch out/pipe.exr; gpupost in.png pipe.png -o 'out/{stem}.exr' & until [ -s out/in.exr ]; do "
      "sleep 0.01; done; sleep 0.2; kill -TERM $!; wait $!");
  CHECK(over_old_ones.err == "gpupost: interrupted; at least 1 of 2 files are done; run the same command again\n");
  const Finished one = place.shell("gpupost pipe.png -o out/one.exr & sleep 0.3; kill -TERM $!; wait $!");
  CHECK(one.err == "gpupost: interrupted; at least 0 of 1 file is done; run the same command again\n");
}

TEST_CASE("a signal that a run is started to ignore, as by nohup, does not end it") {
  const TestFolder place;
  const Finished finished = place.shell(
      "mkfifo pipe.png; (trap '' HUP; exec gpupost pipe.png -o out.exr) & exec 3> pipe.png; kill -HUP $!; cat in.png "
      ">&3; exec 3>&-; wait $!");
  CHECK_MESSAGE(finished.exit_code == 0, finished.err);
  CHECK(place.has("out.exr"));
}
