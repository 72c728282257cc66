// Words as shells complete them.
#include "tests/program/test_folder.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpupost::test;

namespace {

std::string quoted(const std::string& word) { return "'" + word + "'"; }

// What bash makes of the last of these words, sorted. It has already taken them apart as it does.
Words completed(const TestFolder& place, const Words& words) {
  std::string line = "source <(gpupost completion bash); COMP_WORDS=(gpupost";
  for (const std::string& word : words) line += " " + quoted(word);
  line += "); COMP_CWORD=" + std::to_string(words.size()) + "; _gpupost; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const Finished finished = place.shell(line);
  INFO(finished.err);
  CHECK(finished.exit_code == 0);
  CHECK(finished.err == "");
  Words made;
  for (const std::string& word : lines_of(finished.out))
    if (!word.empty()) made.push_back(word);
  std::ranges::sort(made);
  return made;
}

bool has(const Words& words, const std::string& word) { return std::ranges::find(words, word) != words.end(); }

bool has_shell(const TestFolder& place, const std::string& shell) {
  return place.shell("command -v " + shell).exit_code == 0;
}

}  // namespace

TEST_CASE("bash completes ops, verbs, options, their values and names of files") {
  const TestFolder place;
  CHECK(completed(place, {"mi"}) == Words{"mips"});
  CHECK(completed(place, {"vers"}) == Words{"version"});
  CHECK(completed(place, {"in."}) == Words{"in.exr", "in.png"});
  const Words first = completed(place, {""});
  for (const std::string word : {"mips", "tonemap", "info", "completion", "in.exr"})
    CHECK_MESSAGE(has(first, word), word);
  CHECK(completed(place, {"mips", "--meth"}) == Words{"--method"});
  CHECK(completed(place, {"mips", "--method", "s"}) == Words{"single-pass"});
  CHECK(completed(place, {"mips", "--method", "="}) == Words{"auto", "per-level", "single-pass"});
  CHECK(completed(place, {"mips", "--method", "=", "p"}) == Words{"per-level"});
  CHECK(completed(place, {"mips", "--method", "=", "auto", "--redu"}) == Words{"--reduce"});
  CHECK(completed(place, {"in.exr", "--bits", "16"}) == Words{"16", "16f"});
  CHECK(completed(place, {"blur", "--radius", "7", "in.exr", "-o", "bars"}) == Words{"bars.png"});
  CHECK(completed(place, {"blur", "--radius", ""}).empty());
  CHECK(completed(place, {"flip", "x"}) == Words{"x", "xy"});
  CHECK(completed(place, {"flip", "x", "x"}).empty());
  CHECK(completed(place, {"mips", "--", "--"}).empty());
  CHECK(completed(place, {"mips", "--help", "--norm"}) == Words{"--normal", "--normal-length"});
}

TEST_CASE("an option that is completed is one of the op before it, or of all") {
  const TestFolder place;
  const Words of_blur = completed(place, {"mips", "blur", "--"});
  CHECK(has(of_blur, "--sigma"));
  CHECK(has(of_blur, "--fp16"));
  CHECK(!has(of_blur, "--levels"));
  CHECK(completed(place, {"--lev"}) == Words{"--level"});
  CHECK(completed(place, {"blur", "--kernel", "mips", "--axi"}) == Words{"--axis"});
}

TEST_CASE("what a verb takes is completed behind it") {
  const TestFolder place;
  CHECK(completed(place, {"help", "mi"}) == Words{"mips"});
  CHECK(completed(place, {"info", "deep"}) == Words{"deep.png"});
  CHECK(completed(place, {"info", "--j"}) == Words{"--json"});
  CHECK(completed(place, {"completion", ""}) == Words{"bash", "fish", "zsh"});
  CHECK(completed(place, {"shader", "mips", "--fp"}) == Words{"--fp16"});
  CHECK(completed(place, {"tune", "mi"}) == Words{"mips"});
  CHECK(completed(place, {"tune", "bl"}).empty());
  CHECK(has(completed(place, {"bench", "bl"}), "blur"));
  CHECK(completed(place, {"version", ""}).empty());
}

TEST_CASE("a word is completed where it stands, with its option before it, for shells that leave it whole") {
  const TestFolder place;
  CHECK(place.gpupost({"completion", "words", "--", "mips", "--method=s"}).out.starts_with("--method=single-pass\t"));
  CHECK(place.gpupost({"completion", "words", "--", "mips", "--report="}).out == ":files\n");
}

TEST_CASE("the scripts are such to their shells") {
  const TestFolder place;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    CHECK(place.gpupost({"completion", shell}).exit_code == 0);
    if (!has_shell(place, shell)) continue;
    const Finished finished = place.shell("gpupost completion " + shell + " > script && " + shell + " -n script");
    CHECK_MESSAGE(finished.exit_code == 0, shell, ": ", finished.err);
  }
  if (!has_shell(place, "fish")) return;
  const Finished asked = place.shell("HOME=$PWD fish -c 'source script; complete -C \"gpupost mips --method s\"'");
  CHECK(asked.out.starts_with("single-pass\t"));
}
