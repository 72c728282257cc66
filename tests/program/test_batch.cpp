// Several files in one run: one that fails, and progress for people and for programs.
#include "tests/program/test_folder.h"
#include "tests/program/tested_program.h"
#include "tests/support/json.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

using namespace gpupost;
using namespace gpupost::test;
using json = nlohmann::json;

namespace {

// Five inputs, the second of which is no image, as conversions, which need no device.
const Words five = {"in.png", "text.exr", "deep.png", "bars.png", "in.exr", "-o", "out/{name}.exr"};

// What the program writes to a terminal of 100 columns that is its standard error.
std::string on_terminal(const TestFolder& place, const Words& words, int& status) {
  winsize size{.ws_row = 24, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  std::vector<char*> arguments{const_cast<char*>(tested_program())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    if (chdir(place.path().c_str()) == 0) execv(tested_program(), arguments.data());
    _exit(127);
  }
  std::string text;
  char part[4096];
  for (ssize_t got = 0; (got = read(terminal, part, sizeof part)) > 0;) text.append(part, size_t(got));
  close(terminal);
  waitpid(child, &status, 0);
  return text;
}

}  // namespace

TEST_CASE("one bad file of five: the others are done, in the order of the inputs") {
  const TestFolder place;
  std::filesystem::create_directory(place.path("out"));
  for (const char* jobs : {"1", "4"}) {
    const Finished finished = place.gpupost(with(five, {"--jobs", jobs}));
    CHECK(finished.exit_code == 5);
    CHECK(finished.err.find("text.exr") != std::string::npos);
    CHECK(outputs_of(place).size() == 4);
    for (const auto& [name, bytes] : outputs_of(place)) std::filesystem::remove(place.path("out/" + name));
  }
  const Finished finished = place.gpupost(with(five, {"--fail-fast", "--report", "r.json"}));
  CHECK(finished.exit_code == 5);
  const json report = parse_json(place.read("r.json"));
  CHECK(report["jobs"].size() == 2);
  CHECK(report["not_started"] == 3);
  CHECK(finished.err.find("3 of 5 inputs were not started") != std::string::npos);
  CHECK(outputs_of(place).size() == 1);
  CHECK(std::ranges::count(place.gpupost(with(five, {"--fail-fast", "--quiet"})).err, '\n') == 1);
  CHECK(place.gpupost(with(five, {"--fail-fast", "--keep-going"})).exit_code == 1);
}

TEST_CASE("--fail-fast starts no input after a failed output, also if outputs of later inputs are done before it") {
  const TestFolder place;
  std::filesystem::create_directory(place.path("out"));
  std::filesystem::create_symlink("/dev/full", place.path("out/large.exr"));
  const Size size{2000, 2000};
  write_picture(place, "large.png",
                color_picture_of(made_group({{{"R", Depth::u8}, {"G", Depth::u8}, {"B", Depth::u8}, {}}}, Depth::u8,
                                            size, 1, [](int x, int y, size_t c, int level) {
                                              return hash_of(uint32_t(x), uint32_t(y), uint32_t(c), uint32_t(level));
                                            })));
  Words words{"large.png"};
  for (int index = 0; index < 40; ++index) {
    words.push_back("p" + std::to_string(index) + ".png");
    place.write(words.back(), place.read("bars.png"));
  }
  const Finished finished = place.gpupost(with(words, {"-o", "out/{stem}.exr", "--jobs", "8", "--fail-fast"}));
  CHECK(finished.exit_code == 5);
  CHECK(finished.err.find("inputs were not started") != std::string::npos);
  std::filesystem::remove(place.path("out/large.exr"));
  CHECK(outputs_of(place).size() <= 8);
}

TEST_CASE("errors of a batch name their input, whichever part of the run they come from") {
  const TestFolder place;
  const auto errors = [&](const Words& words, int exit_code) {
    const Finished finished = place.gpupost(
        with(words, {"in.exr", "cut.exr", "depth.exr", "-o", "out/{stem}.exr", "--mkdir", "--quiet"}), no_driver);
    CHECK(finished.exit_code == exit_code);
    return finished.err;
  };
  const std::string of_channels = errors({"channels", "--list", "Z,Z,Z"}, 4);  // depth.exr needs the device
  CHECK(of_channels.starts_with("gpupost: in.exr: channels: the image has no channel Z"));
  CHECK(of_channels.find("\ngpupost: cut.exr: ") != of_channels.npos);
  CHECK(of_channels.find("cut.exr: cut.exr") == of_channels.npos);
  const std::string of_layers = errors({"blur", "--radius", "1", "--apply-to", "N"}, 5);
  CHECK(of_layers.starts_with("gpupost: in.exr: --apply-to N: the image has no channel or layer of this name"));
  CHECK(of_layers.find("\ngpupost: depth.exr: --apply-to N: ") != of_layers.npos);
}

TEST_CASE("a batch whose device cannot be opened tries one input, and has the exit code of the device") {
  const TestFolder place;
  const Finished finished =
      place.gpupost({"in.exr", "in.png", "bars.png", "flip", "x", "-o", "out/{name}.exr", "--mkdir"}, no_driver);
  CHECK_MESSAGE(finished.exit_code == 4, finished.err);
  CHECK(lines_of(finished.err).size() == 2);
  CHECK(finished.err.starts_with("gpupost: in.exr: "));
  CHECK(finished.err.ends_with("2 of 3 inputs were not started, because the device could not be opened\n"));
  // bad inputs and missing frames change nothing: another machine can do the rest
  place.write("s.0001.png", place.read("in.png"));
  place.write("s.0003.png", place.read("in.png"));
  const Words flip{"flip", "x", "-o", "out/{name}.exr", "--mkdir"};
  for (const Words& inputs : {Words{"cut.exr", "in.png", "bars.png"},
                              {"cut.exr", "in.png"},
                              {"s.####.png"},
                              {"s.####.png", "--frames", "1-2"}}) {
    const Finished mixed = place.gpupost(with(inputs, flip), no_driver);
    CHECK_MESSAGE(mixed.exit_code == 4, mixed.err);
  }
  // an error of an input is no error of the device
  CHECK(place.gpupost(with({"cut.exr", "text.exr"}, flip), no_driver).exit_code == 5);
}

TEST_CASE("a folder in a folder that cannot be read is an error, and stops no other image") {
  const TestFolder place;
  // root can read all folders
  const std::string as_user = geteuid() == 0 ? "setpriv --reuid 65534 --clear-groups " : "";
  const Finished finished =
      place.shell("mkdir -p all/closed out; cp in.png all; chmod 0 all/closed; chmod 777 . out; " + as_user +
                  "gpupost all/ --recursive -o out/");
  place.shell("chmod 700 all/closed");
  CHECK(finished.exit_code == 5);
  CHECK(finished.err ==
        "gpupost: all/closed: the folder cannot be read: Permission denied; make it readable, or name other inputs\n");
  CHECK(place.has("out/in.png"));
}

TEST_CASE("progress as JSON is a line for each file, and nothing else is in its file") {
  const TestFolder place;
  std::filesystem::create_directory(place.path("out"));
  const Finished finished = place.gpupost(with(five, {"--progress", "json", "--progress-file", "p.json"}));
  CHECK(finished.exit_code == 5);
  CHECK(finished.err.find('{') == std::string::npos);
  std::vector<json> lines;
  for (const std::string& line : lines_of(place.read("p.json"))) lines.push_back(parse_json(line));
  REQUIRE(lines.size() == 7);
  CHECK(lines[0]["event"] == "start");
  CHECK(lines[0]["files"] == 5);
  double percent = 0;
  for (size_t index = 1; index <= 5; ++index) {
    const json& line = lines[index];
    CHECK(line["event"] == "file");
    CHECK(line["input"] == five[index - 1]);
    CHECK(line["done"] == index);
    CHECK(line["exit"] == (index == 2 ? 2 : 0));
    CHECK(line["error"].get<std::string>().empty() == (index != 2));
    CHECK(line["percent"].get<double>() > percent);
    percent = line["percent"];
  }
  CHECK(percent == 100);
  CHECK(lines[6]["event"] == "end");
  CHECK(lines[6]["failed"] == 1);
  CHECK(lines[6]["exit"] == 5);
}

TEST_CASE("progress for Open Job Description") {
  const TestFolder place;
  std::filesystem::create_directory(place.path("out"));
  const std::vector<std::string> lines = lines_of(place.gpupost(with(five, {"--progress", "openjd", "--quiet"})).err);
  const auto has = [&](const std::string& line) { return std::ranges::find(lines, line) != lines.end(); };
  CHECK(has("openjd_progress: 20.0"));
  CHECK(has("openjd_progress: 100.0"));
  CHECK(has("openjd_status: 3 of 5 files: deep.png"));
  CHECK(has("openjd_fail: 1 of 5 files failed"));
}

TEST_CASE("each run with an error has one line of failure for Open Job Description") {
  const TestFolder place;
  for (const char* frame : {"0001", "0002"})
    place.write(std::string("s.") + frame + ".png", made_files().at("bars.png"));
  struct Case {
    const char* words;
    int exit_code;
    const char* line;  // "": none
  };
  for (const auto& [words, exit_code, line] : std::vector<Case>{
           {"s.####.png --frames 1-2 -o out/", 0, ""},
           {"s.####.png --frames 1-4 -o out/", 5, "s.####.png: frames 3-4 are missing"},
           {"s.####.png --frames 3-4 -o out/", 5, "s.####.png: frames 3-4 are missing"},
           {"s.####.png text.exr --frames 1-3 -o out/", 5, "1 of 3 files failed; s.####.png: frame 3 is missing"},
           {"'none*.png' -o out/", 2, "none*.png: "},
           {"cut.png -o out/", 2, "1 of 1 files failed"},
           {"in.png -o out/a.exr --report text.exr/r.json", 3, ""},
           {"in.png --wrong", 1, "--wrong"}}) {
    const Finished finished =
        place.shell(std::string("gpupost ") + words + " --mkdir --quiet --progress openjd --progress-file p");
    INFO(std::string(words), "\n", finished.err);
    CHECK(finished.exit_code == exit_code);
    std::string failures;
    for (const std::string& said : lines_of(place.has("p") ? place.read("p") : ""))
      if (said.starts_with("openjd_fail: ")) failures += said + "\n";
    CAPTURE(failures);
    CHECK(std::ranges::count(failures, '\n') == (exit_code == 0 ? 0 : 1));
    CHECK(failures.find(line) != std::string::npos);
    std::filesystem::remove(place.path("p"));
  }
  const std::string before = place.read("text.exr");
  for (const char* words : {"in.png --wrong", "text.exr -o x.exr"}) {
    const Finished finished =
        place.shell(std::string("gpupost ") + words + " --progress openjd --progress-file text.exr");
    CHECK(finished.exit_code == 1);
    CHECK(place.read("text.exr") == before);  // may be an input
    CHECK(finished.err.find("openjd_fail: ") != std::string::npos);
  }
  // the lines of an earlier run do not stay
  for (const auto& [kind, begin] :
       {std::pair("openjd", "openjd_fail: "), std::pair("json", R"({"event":"end","error":")")}) {
    const std::string options = fmt::format(" --progress {} --progress-file again", kind);
    CHECK(place.shell("gpupost in.png -o x.exr" + options).exit_code == 0);
    CHECK(lines_of(place.read("again")).size() > 1);
    CHECK(place.shell("gpupost none.png -o none/x.exr" + options).exit_code == 3);
    REQUIRE(lines_of(place.read("again")).size() == 1);
    CHECK(lines_of(place.read("again")).front().starts_with(begin));
    // and an empty file gets its line
    CHECK(place.shell(": > again; gpupost none.png -o none/x.exr" + options).exit_code == 3);
    REQUIRE(lines_of(place.read("again")).size() == 1);
    CHECK(lines_of(place.read("again")).front().starts_with(begin));
    std::filesystem::remove(place.path("again"));
  }
  // a hard link is another name of a file
  Finished linked = place.shell(
      "gpupost in.png -o x.exr --journal j.jsonl; ln j.jsonl jh; gpupost in.png -o x.exr --journal j.jsonl "
      "--progress json --progress-file jh");
  CHECK(linked.exit_code == 1);
  CHECK(linked.err == "gpupost: --progress-file jh: that is another name of --journal j.jsonl; name another file\n");
  linked = place.shell("ln in.png link.png; gpupost in.png -o x.exr --progress json --progress-file link.png");
  CHECK(linked.exit_code == 1);
  CHECK(linked.err ==
        "gpupost: --progress-file link.png: that is another name of the input in.png; name another file\n");
  const Finished piped = place.shell(
      "mkfifo lines; cat lines > got & timeout 60 gpupost in.png -o x.exr --progress openjd --progress-file lines "
      "--report /dev/full; echo $? > code; wait");
  CHECK(place.read("code") == "3\n");
  CHECK(lines_of(place.read("got")).back().starts_with("openjd_fail: /dev/full: "));
  const Finished lacks = place.shell(
      "gpupost s.####.png --frames 1-3 -o out/ --mkdir --report r.json --progress json --progress-file p.json");
  CHECK(lacks.exit_code == 5);
  const json missing{"s.####.png: frame 3 is missing; render it again, or skip it with --skip-missing"};
  CHECK(parse_json(place.read("r.json"))["missing"] == missing);
  CHECK(parse_json(lines_of(place.read("p.json")).back())["missing"] == missing);
}

TEST_CASE("a bar stands on a terminal, leaves with the last file, and is nowhere else") {
  const TestFolder place;
  std::filesystem::create_directory(place.path("out"));
  int status = 0;
  const std::string text = on_terminal(place, five, status);
  CAPTURE(text);
  CHECK(WEXITSTATUS(status) == 5);
  CHECK(text.find("] 0/5") != std::string::npos);
  CHECK(text.find("\x1b]9;4;1;0\x07") != std::string::npos);
  const size_t error = text.find("gpupost: text.exr");
  REQUIRE(error != std::string::npos);
  CHECK(text.substr(0, error).ends_with("\x1b]9;4;0;0\x07"));  // the bar is gone where a message begins
  CHECK(text.rfind("\x1b]9;4;0;0\x07") > text.rfind("\x1b]9;4;2;"));
  CHECK(text.substr(text.rfind("\x1b]9;4;0;0\x07")).find('#') == std::string::npos);
  CHECK(on_terminal(place, with(five, {"--progress", "none"}), status).find('\x1b') == std::string::npos);
  CHECK(on_terminal(place, with(five, {"--quiet"}), status).find('\x1b') == std::string::npos);
  CHECK(on_terminal(place, {"in.png", "-o", "out/one.exr"}, status).find('\x1b') == std::string::npos);
  CHECK(place.gpupost(five).err.find('\x1b') == std::string::npos);
}

DEVICE_TEST_CASE("bench has a bar on a terminal, which leaves before each table") {
  const TestFolder place;
  int status = 0;
  const std::string text =
      on_terminal(place, {"bench", "mips", "--quick", "--sizes", "37x21,5x3", "--formats", "rgba16f"}, status);
  CAPTURE(text);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(text.find("] 0/2") != std::string::npos);
  CHECK(text.find("] 1/2") != std::string::npos);
  CHECK(text.find("cases/s") != std::string::npos);
  CHECK(text.rfind("\x1b]9;4;0;0\x07") > text.rfind("\x1b]9;4;1;"));
  CHECK(text.find("mips 5 x 3 RGBA16F") != std::string::npos);
}

TEST_CASE("lines of progress that cannot be written are exit code 3, after all outputs are written") {
  const TestFolder place;
  const Finished finished =
      place.gpupost({"in.png", "-o", "out.exr", "--progress", "json", "--progress-file", "/dev/full"});
  CHECK(finished.exit_code == 3);
  CHECK(finished.err == "gpupost: --progress-file /dev/full: lines are missing: No space left on device\n");
  CHECK(place.has("out.exr"));
}

DEVICE_TEST_CASE("a message of several levels of one image is not counted as one of more inputs") {
  const TestFolder place;
  const Finished one = place.gpupost({"exposure", "--stops", "4", "mips", "in.exr", "-o", "a{level}.png"});
  CHECK(one.exit_code == 0);
  CHECK_MESSAGE(lines_of(one.err).size() == 1, one.err);
  const Finished two =
      place.gpupost({"exposure", "--stops", "4", "mips", "in.exr", "float.exr", "-o", "{stem}{level}.l.png"});
  CHECK_MESSAGE(two.err.find("1 more input") != two.err.npos, two.err);
}
