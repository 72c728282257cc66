// Verbs: their help, their options, and what stands before them.
#include "tests/program/test_folder.h"

#include "core/ops/ocio/worker.h"
#include "tests/support/json.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

using namespace gpupost::test;

namespace {

// The first words of the lines of a section of a help text, up to the next empty line.
Words first_words(const std::string& help, const std::string& section) {
  Words words;
  const size_t at = help.find("\n" + section);
  if (at == help.npos) return words;
  std::istringstream stream(help.substr(at + 1));
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line) && !line.empty())
    if (line.starts_with("  ") && line[2] != ' ') words.push_back(line.substr(2, line.find(' ', 2) - 2));
  return words;
}

// The examples of a help text, without "gpupost".
Words examples_of(const std::string& help) {
  Words lines;
  for (const std::string& line : lines_of(help))
    if (line.starts_with("  gpupost ")) lines.push_back(line.substr(10));
  return lines;
}

std::string completed(const TestFolder& place, const Words& words) {
  return place.gpupost(with({"completion", "words", "--"}, words)).out;
}

}  // namespace

TEST_CASE("help of each verb has its usage and examples, and its options are those that are completed") {
  const TestFolder place;
  const Words verbs = first_words(place.gpupost({"help"}).out, "Verbs");
  CHECK(verbs.size() >= 11);
  for (const std::string& verb : verbs) {
    CAPTURE(verb);
    const Finished finished = place.gpupost({"help", verb});
    CHECK(finished.exit_code == 0);
    CHECK(finished.out.starts_with("gpupost " + verb));
    CHECK(!examples_of(finished.out).empty());
    const size_t examples = finished.out.find("\nExamples\n");  // they come before all other text but the summary
    CHECK(std::ranges::count(finished.out.substr(0, examples), '\n') <= 4);
    CHECK(place.gpupost({verb, "--help"}).out == finished.out);
    for (const std::string& option : first_words(finished.out, "Options"))
      CHECK_MESSAGE(completed(place, {verb, option}).find(option + "\t") != std::string::npos, option);
  }
  CHECK(place.gpupost({"help", "compare"}).out.find("--tolerance T") != std::string::npos);
  CHECK(place.gpupost({"help", "compare"}).out.find("--layer NAME") != std::string::npos);
  CHECK(place.gpupost({"bench", "--help"}).out.find("--fp16 on|off|both") != std::string::npos);
  const Finished near = place.gpupost({"help", "compar"});
  CHECK(near.exit_code == 1);
  CHECK(near.err ==
        "gpupost: help: compar is not an op, a verb or a global option (did you mean `compare`?); `gpupost help` lists "
        "all\n");
  const std::string all = place.gpupost({"--help"}).out;
  for (const char* option : {"--tile-side", "tile-side", "-o"}) {
    const Finished global = place.gpupost({"help", option});
    CHECK(global.out.starts_with(option == std::string("-o") ? "  -o, --output FILE\n" : "  --tile-side TEXELS\n"));
    CHECK(all.find(global.out) != all.npos);
  }
  const std::string codes = place.gpupost({"help", "exit-codes"}).out;
  CHECK(codes.starts_with("Exit codes\n  0    Success"));
  CHECK(all.ends_with("\n\n" + codes));
}

TEST_CASE("examples of verbs that need no device end with 0") {
  const TestFolder place;
  for (const char* frame : {"a.0001.exr", "b.0001.exr"}) place.write(frame, made_files().at("in.exr"));
  for (const char* verb : {"info", "compare", "ops", "completion", "help", "version", "shader"})
    for (const std::string& example : examples_of(place.gpupost({"help", verb}).out)) {
      const Finished finished = place.shell("gpupost " + example);
      CHECK_MESSAGE(finished.exit_code == 0, example, "\n", finished.err);
    }
}

TEST_CASE("every word of the manual page fits into a line of 80 characters, or may be broken") {
  std::string text = TestFolder().gpupost({"man"}).out;
  REQUIRE(text.find("bc6h|\\:bc7") != text.npos);
  for (size_t at = 0; (at = text.find("\\:", at)) != text.npos;) text.replace(at, 2, " ");
  std::istringstream words(text);
  for (std::string word; words >> word;) CHECK_MESSAGE(word.size() <= 72, word);
}

TEST_CASE("the manual page and the help of ops have all that they refer to") {
  const TestFolder place;
  const std::string man = place.gpupost({"man"}).out;
  for (const char* part :
       {"\\fBneutral\\fR", "\\fB//!point NAME HELP\\fR", "An environment variable in brackets sets the same option.",
        ".SS lut FILE.cube\n", "(0.5, 0.5, 1).\n.PP\n\\-\\-coverage is"})
    CHECK_MESSAGE(man.find(part) != man.npos, part);
  for (const auto& [op, usage] : {std::pair("lut", "lut FILE.cube"), {"flip", "flip [x|y|xy]"}, {"gain", "gain"}})
    CHECK(place.gpupost({"help", op})
              .out.starts_with(fmt::format("gpupost [INPUT...] {} [OPTIONS] [-o OUTPUT]\n", usage)));
}

TEST_CASE("version and doctor name every library, with its version or that it is not in this build") {
  const TestFolder place;
  const nlohmann::json libraries = parse_json(place.gpupost({"version", "--json"}).out)["libraries"];
  const std::string text = place.gpupost({"version"}).out, checks = place.gpupost({"doctor"}).out;
  for (const auto& [name, version] : libraries.items()) {
    CHECK_MESSAGE(version != "", name);
    CHECK(text.find(name + " " + version.get<std::string>() + "\n") != text.npos);
  }
  for (const char* name : {"OpenEXR", "libzstd", "zlib", "shaderc", "tinyexr"}) CHECK(libraries.contains(name));
  CHECK(libraries.contains("OpenColorIO") == !gpupost::ocio_version().empty());
  CHECK(text.find("OpenColorIO ") != text.npos);
  CHECK(checks.find("OpenColorIO") != checks.npos);
}

TEST_CASE("options of verbs are completed from the table that parses them") {
  const TestFolder place;
  const auto words = [&](const Words& typed) { return completed(place, typed); };
  CHECK(words({"compare", "--tol"}).starts_with("--tolerance\t"));
  CHECK(words({"compare", "--lay"}).starts_with("--layer\t"));
  CHECK(words({"bench", "mips", "--fp16", "b"}).starts_with("both\t"));
  CHECK(words({"bench", "mips", "--fp16=o"}).starts_with("--fp16=on\t"));
  CHECK(words({"bench", "--json", ""}) == ":files\n");
  CHECK(words({"compare", "in.exr", ""}) == ":files\n");
  CHECK(words({"help", "compar"}).starts_with("compare\t"));
  CHECK(words({"blur", "--apply-to", "a"}).starts_with("all\t"));
}

TEST_CASE("words that a verb does not have are refused with what it has") {
  const TestFolder place;
  const std::pair<Words, const char*> refused[] = {
      {{"compare", "in.exr", "in.exr", "--tolerence", "1"},
       "gpupost: compare: unknown option --tolerence (did you mean `--tolerance`?); it has --tolerance, "},
      {{"compare", "in.exr"},
       "gpupost: compare: takes 2 arguments, but 1 is given; expected: gpupost compare A B [OPTIONS]\n"},
      {{"devices", "--json=1"}, "gpupost: devices: --json=1: --json takes no value; give --json alone\n"},
      {{"ops", "--markdwn"},
       "gpupost: ops: unknown option --markdwn (did you mean `--markdown`?); it has --markdown\n"},
      {{"man", "--json"}, "gpupost: man: unknown option --json; man has no options\n"},
      {{"compare", "in.exr", "in.exr", "--tolerance", "1", "--tolerance", "2"},
       "gpupost: compare: --tolerance is given twice, as 1 and as 2; give it once\n"},
      {{"--timing", "devices"},
       "gpupost: devices is a verb and must be the first word, before --timing: gpupost devices [--json]\n"}};
  for (const auto& [words, text] : refused) {
    const Finished finished = place.gpupost(words);
    CHECK(finished.exit_code == 1);
    CHECK_MESSAGE(finished.err.starts_with(text), finished.err);
    CHECK(is_one_error(finished.err));
  }
  CHECK(place.gpupost({"compare", "in.exr", "in.exr", "--tolerance", "+0.5"}).exit_code == 0);
}

TEST_CASE("only settings of the machine come from the environment, and the rest is a warning") {
  const TestFolder place;
  const auto warning_of = [&](const std::string& name, const std::string& value) {
    const Finished finished = place.gpupost({"in.exr", "-o", "out.exr"}, {{name, value}});
    CHECK(finished.exit_code == 0);
    return finished.err;
  };
  CHECK(warning_of("GPUPOST_JBOS", "4").find("GPUPOST_JBOS=4 is ignored") != std::string::npos);
  CHECK(warning_of("GPUPOST_JBOS", "4").find("did you mean `GPUPOST_JOBS`?") != std::string::npos);
  CHECK(warning_of("GPUPOST_BITS", "8").find("use --bits") != std::string::npos);
  CHECK(warning_of("GPUPOST_JOBS", "2") == "");
  CHECK(warning_of("GPUPOST_JBOS", "") == "");
  for (const std::string of_tests : {"GPUPOST_CORPUS", "GPUPOST_TEST_REQUIRE_DEVICE", "GPUPOST_FAIL_IN"})
    CHECK_MESSAGE(warning_of(of_tests, "x") == "", of_tests);
  CHECK(place.gpupost({"in.exr", "-o", "o.exr", "--quiet"}, {{"GPUPOST_JBOS", "4"}}).err == "");
  const std::vector<std::string> sorted = lines_of(
      place.gpupost({"in.exr", "-o", "out.exr"}, {{"GPUPOST_B", "1"}, {"GPUPOST_C", "1"}, {"GPUPOST_A", "1"}}).err);
  CHECK(std::ranges::is_sorted(sorted));
  // it redirects nothing
  CHECK(place.gpupost({"in.exr", "-o", "a.png"}, {{"GPUPOST_OUTPUT", "b.png"}}).exit_code == 0);
  CHECK(place.gpupost({"in.exr"}, {{"GPUPOST_OUTPUT", "b.png"}}).exit_code == 1);
  CHECK(!place.has("b.png"));
}

TEST_CASE("variables that the code or its tests read are known to the program") {
  const std::regex reading(R"re((?:getenv|is_asked_for|kept_in)\("(GPUPOST_[A-Z_]+)"\))re");
  std::set<std::string> names;
  for (const char* folder : {"cli", "core", "tests"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".cpp") continue;
      std::ifstream stream(entry.path());
      const std::string text{std::istreambuf_iterator<char>(stream), {}};
      for (auto match = std::sregex_iterator(text.begin(), text.end(), reading); match != std::sregex_iterator();
           ++match)
        names.insert((*match)[1]);
    }
  CHECK(names.size() > 10);
  const TestFolder place;
  for (const std::string& name : names) CHECK_MESSAGE(place.gpupost({"version"}, {{name, "0"}}).err == "", name);
}

TEST_CASE("two inputs of one output are named, and what tells them apart fits what was typed") {
  const TestFolder place;
  const std::pair<Words, const char*> refused[] = {
      {{"in.exr", "sub/in.exr", "-o", "folder.exr/"},
       "gpupost: inputs in.exr and sub/in.exr would both write folder.exr/in.exr; each input needs an output of its "
       "own; use {dir} in -o, like 'folder.exr/{dir}/{stem}.{ext}' with --mkdir, or one run with another -o for "
       "each\n"},
      {{"in.exr", "in.png", "-o", "out.exr"},
       "gpupost: inputs in.exr and in.png would both write out.exr; each input needs an output of its own; use {stem} "
       "in -o, or a folder ending in /\n"},
      {{"in.exr", "./in.exr", "-o", "{stem}.out.exr"},
       "gpupost: inputs in.exr and ./in.exr would both write in.out.exr; each input needs an output of its own; name "
       "the input once\n"},
      {{"in.exr", "in.png", "mips", "-o", "o.{level}.png"},
       "gpupost: inputs in.exr and in.png would both write o.0.png; each input needs an output of its own; use {stem} "
       "in -o\n"},
      {{"in.exr", "sub/in.exr", "mips", "-o", "{stem}.{level}.png"},
       "gpupost: inputs in.exr and sub/in.exr would both write in.0.png; each input needs an output of its own; use "
       "{dir} in -o, like 'out/{dir}/{stem}.{level}.png' with --mkdir, or one run with another -o for each\n"},
      {{"in.exr", "sub/../sub/in.exr", "-o", "./{stem}.exr"},  // ./{dir}/{stem}.exr is in.exr
       "gpupost: inputs in.exr and sub/../sub/in.exr would both write ./in.exr; each input needs an output of its own; "
       "use "
       "{dir} in -o, like './out/{dir}/{stem}.exr' with --mkdir, or one run with another -o for each\n"},
      {{"in.exr", "in1.exr", "mips", "-o", "{stem}{level}.png"},
       "gpupost: inputs in.exr and in1.exr would both write in10.png; each input needs an output of its own; put a "
       "character other than a digit before {level}\n"}};
  place.write("in1.exr", made_files().at("in.exr"));
  for (const auto& [words, text] : refused) {
    const Finished finished = place.gpupost(words);
    CHECK(finished.exit_code == 1);
    CHECK(finished.err == text);
  }
  // the advice of the message works, and replaces no input
  const std::string before = place.read("in.exr");
  CHECK(place.gpupost({"in.exr", "sub/in.exr", "-o", "out/{dir}/{stem}.exr", "--bits", "32f", "--mkdir"}).exit_code ==
        0);
  CHECK(place.gpupost({"in.exr", "in.png", "-o", "out/{name}.exr", "--bits", "32f"}).exit_code == 0);
  for (const char* name : {"out/in.exr", "out/sub/in.exr", "out/in.exr.exr", "out/in.png.exr"}) CHECK(place.has(name));
  CHECK(place.read("in.exr") == before);
}

DEVICE_TEST_CASE("bench measures no variant that the device cannot do right, on images of 8 bits too") {
  const TestFolder place;
  const Finished finished = place.gpupost({"bench", "mips", "--sizes", "64", "--formats", "rgba8", "--variants",
                                           "amd-2x2+shared-packed+linear,per-level", "--repeats", "20"});
  CHECK_MESSAGE(finished.exit_code == 0, finished.out);
  CHECK_MESSAGE(finished.out.find("failed: ") == std::string::npos, finished.out);
}

DEVICE_TEST_CASE("with a cold cache the stages of the report are the time of the run, compiling among them") {
  const TestFolder place;
  const Finished finished = place.gpupost(
      {"blur", "--radius", "9", "saturation", "--factor", "0.5", "in.exr", "-o", "out.exr", "--report", "r.json"},
      {{"XDG_CACHE_HOME", place.path("folder.exr")}});
  REQUIRE(finished.exit_code == 0);
  const nlohmann::json stages = parse_json(place.read("r.json"))["jobs"][0]["stages_ms"];
  double sum = 0;
  for (const auto& [name, milliseconds] : stages.items()) sum += name == "total" ? 0 : milliseconds.get<double>();
  CHECK(stages["compile"] > 10);
  CHECK(sum >= 0.8 * stages["total"].get<double>());
}

TEST_CASE("--explain shows conversions of primaries as a run makes them") {
  const TestFolder place;
  const Finished converted = place.gpupost({"rec2020.exr", "exposure", "--stops", "1", "-o", "x.ktx2", "--explain"});
  CHECK_MESSAGE(converted.out.find("exposure, matrix") != converted.out.npos, converted.out);
  const Finished measured = place.gpupost({"rec2020.exr", "stats", "--explain"});
  CHECK(measured.out.find("matrix") != measured.out.npos);
  const Finished kept = place.gpupost({"in.exr", "exposure", "--stops", "1", "-o", "x.ktx2", "--explain"});
  CHECK(kept.out.find("matrix") == kept.out.npos);
}
