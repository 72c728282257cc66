// R16: names that are hard: nothing is overwritten that was not named, and no result is lost in silence.
#include "tests/program/test_folder.h"
#include "tests/robustness/trial.h"
#include "tests/support/skip.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <set>
#include <thread>

using namespace gpupost::test;

namespace {

using Names = std::set<std::string>;

// A command in a folder with in.exr, 37 x 21 texels and so 6 levels, and an empty folder out/.
struct Named {
  std::string what;
  std::string before;   // a shell line that makes files
  std::string command;  // likewise, with gpupost
  int exit_code = 0;
  Names written;  // what is new or changed behind it
};

Names levels(const std::string& before, const std::string& behind = ".exr") {
  Names names;
  for (int level = 0; level < 6; ++level) names.insert(before + std::to_string(level) + behind);
  return names;
}

Names both(Names a, const Names& b) {
  a.insert(b.begin(), b.end());
  return a;
}

const std::string long_stem(240, 'n');

const std::vector<Named>& all_named() {
  static const std::vector<Named> list = {
      {"level 10 of one may be level 0 of another",
       "cp in.exr a.exr; cp in.exr a1.exr",
       "mips a.exr a1.exr -o 'out/{stem}{level}.exr'",
       1,
       {}},
      {"the same with a dot between", "cp in.exr a.exr; cp in.exr a1.exr",
       "mips a.exr a1.exr -o 'out/{stem}.{level}.exr'", 0, both(levels("out/a."), levels("out/a1."))},
      {"fewer levels, which cannot be another's", "cp in.exr a.exr; cp in.exr a1.exr",
       "mips --levels 6 a.exr a1.exr -o 'out/{stem}{level}.exr'", 0, both(levels("out/a"), levels("out/a1"))},
      {"a level of one is the input of another",
       "cp in.exr a.exr; cp in.exr a3.exr",
       "mips a.exr a3.exr -o '{stem}{level}.exr'",
       1,
       {}},
      {"the byte 0x1f",
       "cp in.exr $'x\\x1f.exr'; echo precious > out/x0.exr",
       "$'x\\x1f.exr' -o 'out/{stem}.exr'",
       0,
       {"out/x\x1f.exr"}},
      {"the byte 0x1f in names of levels", "cp in.exr $'x\\x1f.exr'; echo precious > out/x00.exr",
       "mips $'x\\x1f.exr' -o 'out/{stem}{level}.exr'", 0, levels("out/x\x1f")},
      {"a name that looks like a pattern",
       "cp in.exr 'b{level}{stem}.exr'",
       "'b{level}{stem}.exr' -o 'out/{stem}.exr'",
       0,
       {"out/b{level}{stem}.exr"}},
      {"a newline and a tab",
       "cp in.exr $'a\\n\\tb.exr'",
       "$'a\\n\\tb.exr' -o out/ --compression none",
       0,
       {"out/a\n\tb.exr"}},
      {"no UTF-8",
       "cp in.exr $'\\xff\\xfe.exr'",
       "$'\\xff\\xfe.exr' -o out/ --compression none",
       0,
       {"out/\xff\xfe.exr"}},
      {"as long as a name may be",
       fmt::format("cp in.exr {}.exr", long_stem),
       fmt::format("{}.exr -o 'out/{{stem}}-of-fifteen.exr'", long_stem),
       0,
       {"out/" + long_stem + "-of-fifteen.exr"}},
      {"a byte longer, of a second input",
       fmt::format("cp in.exr {}.exr", long_stem),
       fmt::format("in.exr {}.exr -o 'out/{{stem}}-of-sixteen-.exr'", long_stem),
       3,
       {}},
      {"the folder of a second output is not there",
       "mkdir -p sub/out; mkdir other; cp in.exr other/in.exr",
       "sub/in.exr other/in.exr -o '{dir}/out/{stem}.exr'",
       3,
       {}},
      {"two folders that are one by a link", "ln -s sub other", "sub/in.exr other/in.exr -o '{dir}/out.exr'", 1, {}},
      {"a level is a link to a full device",
       "for l in 0 1 2 4 5; do echo old > out/$l.exr; done; ln -s /dev/full out/3.exr",
       "mips in.exr -o 'out/{level}.exr'",
       3,
       {}},
      {"a level is a link to nothing",
       "echo old > out/0.exr; ln -s nothing out/3.exr",
       "mips in.exr -o 'out/{level}.exr'",
       3,
       {}},
      {"a level is a link to a file", "echo old > real.exr; ln -s ../real.exr out/3.exr",
       "mips in.exr -o 'out/{level}.exr'", 0, both(levels("out/"), {"real.exr"})},
      {"a level is a folder", "echo old > out/0.exr; mkdir out/4.exr", "mips in.exr -o 'out/{level}.exr'", 3, {}},
      {"a level is there, and nothing may be replaced",
       "echo old > out/4.exr",
       "mips in.exr -o 'out/{level}.exr' --no-clobber",
       3,
       {}},
      {"the report is a level", "echo old > out/4.exr", "mips in.exr -o 'out/{level}.exr' --report out/4.exr", 1, {}},
      {"the default name is another input", "cp in.exr in.flip.exr", "flip x in.exr in.flip.exr", 1, {}},
  };
  return list;
}

Named mounted(Named named, const std::string& from, const std::string& to) {
  named.command = fmt::format("mount --bind {} {} && gpupost {}", from, to, named.command);
  return named;
}

// Every plain file with its bytes, through links too. Devices have no end.
std::map<std::string, std::string> plain_files(const TestFolder& place) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place.path())) {
    const std::string name = entry.path().lexically_relative(place.path()).string();
    if (entry.is_regular_file()) files[name] = place.read(name);
  }
  return files;
}

std::string wrong(const TestFolder& place, const Named& named, const std::string& line) {
  const auto before = plain_files(place);
  const Finished finished = place.shell(line);
  if (finished.exit_code != named.exit_code) return fmt::format("exit {}: {}", finished.exit_code, finished.err);
  const auto after = plain_files(place);
  Names changed;
  for (const auto& [name, bytes] : after)
    if (const auto old = before.find(name); old == before.end() || old->second != bytes) changed.insert(name);
  for (const auto& [name, bytes] : before)
    if (!after.contains(name)) return "it removed " + name;
  if (changed == named.written) return "";
  std::string names;
  for (const std::string& name : changed) names += " " + name;
  return "it wrote" + names;
}

void try_name(Criterion& bar, const Named& named, const std::string& line) {
  const TestFolder place;
  std::filesystem::create_directory(place.path("out"));
  REQUIRE(place.shell(named.before).exit_code == 0);
  bar.count(wrong(place, named, line), named.what);
}

// Levels that all had an old file, behind a signal at some moment: "" where all are old or all are new.
std::string wrong_behind_signal(const TestFolder& place, int delay) {
  for (const std::string& name : levels("out/")) place.write(name, "old");
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGTERM, SIG_DFL);
    if (chdir(place.path().c_str()) == 0)
      execl(GPUPOST_PROGRAM, GPUPOST_PROGRAM, "mips", "in.exr", "-o", "out/{level}.exr", nullptr);
    _exit(127);
  }
  std::this_thread::sleep_for(std::chrono::microseconds(delay));
  kill(child, SIGTERM);
  waitpid(child, nullptr, 0);
  size_t old_count = 0, file_count = 0;
  for (const auto& [name, bytes] : place.files())
    if (name.starts_with("out/")) {
      ++file_count;
      old_count += bytes == "old";
    }
  if (file_count != 6) return fmt::format("{} files", file_count);
  return old_count == 0 || old_count == 6 ? "" : fmt::format("{} of 6 levels are old", old_count);
}

}  // namespace

DEVICE_TEST_CASE("R16: whatever the names, nothing is lost and nothing is overwritten that was not named") {
  Criterion bar("R16 names", "commands wrote what they named, or nothing");
  const size_t step = is_thorough() ? 1 : 4;
  for (size_t index = 0; index < all_named().size(); index += step)
    try_name(bar, all_named()[index], "gpupost " + all_named()[index].command);
}

DEVICE_TEST_CASE("R16: what is mounted on a folder or a file is seen") {
  if (TestFolder().shell("unshare --mount mount --bind sub sub").exit_code != 0)
    return skip("nothing can be mounted here");
  Criterion bar("R16 mounts", "commands wrote what they named, or nothing");
  const Named folders{
      "two folders that are one by a mount", "mkdir other", "sub/in.exr other/in.exr -o '{dir}/out.exr'", 1, {}};
  const Named file{"a level that something is mounted on",
                   "for l in 0 1 2 3 4 5; do echo old > out/$l.exr; done; echo old > x",
                   "mips in.exr -o 'out/{level}.exr'",
                   3,
                   {}};
  for (const Named& named : {mounted(folders, "sub", "other"), mounted(file, "x", "out/4.exr")})
    try_name(bar, named, fmt::format("unshare --mount bash -c \"{}\"", named.command));
}

DEVICE_TEST_CASE("R16: a signal at any moment leaves all levels old or all new") {
  const TestFolder place;
  std::filesystem::create_directory(place.path("out"));
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(place.gpupost({"mips", "in.exr", "-o", "out/{level}.exr"}).exit_code == 0);
  const auto time = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
  Criterion bar("R16 signals", "times all levels were old or all new");
  std::mt19937 random(16);
  std::uniform_int_distribution<int> delay(int(time.count() / 4), int(time.count()));
  for (int round = 0; round < (is_thorough() ? 200 : 5); ++round)
    bar.count(wrong_behind_signal(place, delay(random)), fmt::format("round {}", round));
}
