// R17: limits of processes, descriptors and memory, and systems that lack something. A run ends with exit 0 and its whole result,
// or with exit 7; no good file is called damaged.
#include "tests/program/test_folder.h"
#include "tests/robustness/trial.h"
#include "tests/support/skip.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>

using namespace gpupost::test;
namespace fs = std::filesystem;

namespace {

// A user that has no other processes: their number is a user's.
constexpr int lone_user = 54321;

std::string words_of(const Trial& trial) {
  std::string line = GPUPOST_PROGRAM;
  for (const std::string& word : trial.words()) line += " " + word;
  return line;
}

Finished in_shell(const Trial& trial, const std::string& before) {
  return trial.run({.program = "/bin/bash", .words = {"-c", before + " exec " + words_of(trial)}, .seconds = 30});
}

// Counts what becomes of the trial under each limit that `before` sets, a shell's text with {} in it.
void under_limits(Criterion& bar, const Trial& trial, const std::string& before, const std::vector<int>& limits) {
  for (const int limit : limits) {
    const std::string line = fmt::format(fmt::runtime(before), limit);
    bar.count(trial.wrong(in_shell(trial, line), {7}), line);
  }
}

std::vector<int> numbers(int first, int last, int step) {
  std::vector<int> list;
  for (int number = first; number <= last; number += step) list.push_back(number);
  return list;
}

// Small steps where all is to be tried, else some.
std::vector<int> limits(int first, int last, int step) {
  return numbers(first, last, is_thorough() ? step : std::max(step, (last - first) / 5));
}

bool is_root() {
  if (geteuid() == 0) return true;
  skip("only root may set up what this looks at");
  return false;
}

// A group of processes of its own with a limit; the folder is gone with it.
class ControlGroup {
 public:
  // Of the first or the second version of control groups, whichever this system has.
  ControlGroup(const std::string& controller, const std::string& first_file, const std::string& second_file) {
    const fs::path root = "/sys/fs/cgroup", own = fmt::format("gpupost-test-{}", getpid());
    for (const auto& [parent, file] : {std::pair(root / controller, first_file), std::pair(root, second_file)}) {
      std::error_code error;
      folder_ = parent / own;
      limit_ = folder_ / file;
      if (fs::create_directory(folder_, error) && fs::exists(limit_, error)) return;
      fs::remove(folder_, error);
    }
    folder_.clear();
  }
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;
  ~ControlGroup() {
    std::error_code error;
    if (exists()) fs::remove(folder_, error);
  }
  bool exists() const { return !folder_.empty(); }
  // Shell text that puts the shell into the group.
  std::string enter(const std::string& limit) const {
    return fmt::format("echo {} > {} && echo $$ > {}/cgroup.procs || exit 99;", limit, limit_.string(),
                       folder_.string());
  }

 private:
  fs::path folder_, limit_;
};

// Everyone may write into the trial's folder.
void open_to_all(const Trial& trial) {
  fs::permissions(trial.path(), fs::perms::all);
  fs::permissions(trial.path() + "/out.exr", fs::perms::all);
}

}  // namespace

TEST_CASE("R17: with few processes, descriptors or little memory a good file is read, or exit is 7") {
  Criterion bar("R17 limits", "runs under limits ended rightly");
  const Trial convert({"--compression", "zip"});
  under_limits(bar, convert, "ulimit -n {};", limits(5, 40, 1));
  // with less the system cannot load the program's libraries
  under_limits(bar, convert, "ulimit -v {};", limits(60'000, 400'000, 10'000));
  if (has_device()) under_limits(bar, Trial({"mips"}), "ulimit -n {};", limits(5, 40, 1));
}

TEST_CASE("R17: a user with few processes") {
  if (!is_root()) return;
  Criterion bar("R17 processes", "runs of a user with few processes ended rightly");
  const std::string as_user =
      fmt::format("exec setpriv --reuid {} --clear-groups bash -c 'ulimit -u {{}}; exec \"$@\"' -", lone_user);
  const Trial convert({}, "in.png");
  open_to_all(convert);
  const auto count = [&](const Trial& trial, int limit) {
    const std::string line = fmt::format(fmt::runtime(as_user), limit) + " " + words_of(trial);
    bar.count(trial.wrong(trial.run({.program = "/bin/bash", .words = {"-c", line}, .seconds = 30}), {7}),
              fmt::format("ulimit -u {}", limit));
  };
  for (const int limit : limits(1, 12, 1)) count(convert, limit);
  if (!has_device()) return;
  const Trial mips({"mips"});
  open_to_all(mips);
  for (const int limit : is_thorough() ? numbers(1, 40, 1) : std::vector{2, 4, 6, 12}) count(mips, limit);
}

TEST_CASE("R17: a batch of a user with few processes ends, since decoders take no thread that the device needs") {
  if (!is_root() || !has_device()) return;
  Criterion bar("R17 processes of a batch", "batches of a user with few processes ended rightly");
  const TemporaryFolder folder;
  for (int index = 0; index < 6; ++index)
    fs::copy_file("testdata/alpha.png", folder.path(fmt::format("{}.png", index)));
  fs::permissions(folder.path(), fs::perms::all);
  for (const int limit : is_thorough() ? numbers(4, 20, 1) : std::vector{8, 10, 11}) {
    const std::string line = fmt::format(
        "cd {} && rm -rf out && exec setpriv --reuid {} --clear-groups bash -c 'ulimit -u {}; exec {} "
        "\"*.png\" flip x -o out/ --mkdir'",
        folder.path(), lone_user, limit, GPUPOST_PROGRAM);
    const Finished finished = run({.program = "/bin/bash", .words = {"-c", line}, .seconds = 30});
    size_t outputs = 0;
    for (int index = 0; index < 6; ++index) outputs += folder.has(fmt::format("out/{}.png", index)) ? 1 : 0;
    std::string wrong;
    if (finished.is_too_late) wrong = "it hangs";
    else if (finished.exit_code != 7 && (finished.exit_code != 0 || outputs != 6))
      wrong = fmt::format("exit {} with {} outputs: {}", finished.exit_code, outputs, finished.err);
    bar.count(wrong, fmt::format("ulimit -u {}", limit));
  }
}

TEST_CASE("R17: control groups of few processes or little memory") {
  if (!is_root()) return;
  const ControlGroup few("pids", "pids.max", "pids.max"), little("memory", "memory.limit_in_bytes", "memory.max");
  if (!few.exists() || !little.exists()) return skip("no control groups can be made here");
  Criterion bar("R17 control groups", "runs in control groups ended rightly");
  const Trial convert({});
  for (const int limit : limits(1, 16, 1))
    bar.count(convert.wrong(in_shell(convert, few.enter(std::to_string(limit))), {7}), fmt::format("{} tasks", limit));
  const Trial large({"--max-side", "40000", "--bits", "32f"}, "long.exr");
  for (const int mebibytes : limits(2, 40, 2)) {
    const Finished finished = in_shell(large, little.enter(fmt::format("{}M", mebibytes)));
    // the system may end the program in the place of the decoder
    const bool is_killed = finished.signal == SIGKILL;
    bar.count(is_killed ? large.wrong_output(false) : large.wrong(finished, {7}), fmt::format("{} MiB", mebibytes));
  }
}

TEST_CASE("R17: folders that too few descriptors are left for are exit 7") {
  Criterion bar("R17 folders", "folders were read, or refused with exit 7");
  const TestFolder place;
  fs::create_directories(place.path("a/b/c/d"));
  place.write("a/b/c/d/in.exr", made_files().at("in.exr"));
  place.write("list", "in.exr\n");
  for (const std::string words :
       {"a --recursive -o out/ --mkdir", "'a/*/*/*/in.exr' -o out/ --mkdir", "--list list -o out/ --mkdir"})
    for (int descriptors = 3; descriptors < 12; ++descriptors) {
      const std::string line = fmt::format("(ulimit -n {}; gpupost {})", descriptors, words);
      const Finished finished = place.shell(line);
      // 5: the worker of the only input cannot be started; 127: the loader cannot open libraries
      constexpr int codes[] = {0, 5, 7, 127};
      const bool is_right = std::ranges::find(codes, finished.exit_code) != std::end(codes);
      bar.count(is_right ? "" : fmt::format("exit {}: {}", finished.exit_code, finished.err), line);
    }
}

TEST_CASE("R17: without /proc, without HOME, with a full disk for the cache") {
  Criterion bar("R17 bare systems", "runs in bare systems ended rightly");
  const Trial convert({});
  bar.count(convert.wrong(in_shell(convert, "unset HOME XDG_CACHE_HOME;"), {}), "no HOME");
  if (has_device()) {
    const Trial blur({"blur", "--sigma", "1.3"});
    bar.count(blur.wrong(in_shell(blur, "unset HOME XDG_CACHE_HOME;"), {}), "no HOME, and shaders");
  }
  if (!is_root()) return;
  const Finished finished =
      convert.run({.program = "/usr/bin/unshare",
                   .words = {"--mount", "bash", "-c", "umount -l /proc; exec " + words_of(convert)}});
  if (finished.err.find("unshare") != finished.err.npos) return skip("nothing can be unmounted here");
  bar.count(finished.exit_code == 7 ? convert.wrong(finished, {7}) : fmt::format("exit {}", finished.exit_code),
            "no /proc");
  if (!has_device()) return;
  const TemporaryFolder full;
  const std::string mount = fmt::format(
      "mount -t tmpfs -o size=64k tmpfs {0} && cat /dev/zero > {0}/fill 2> /dev/null; export XDG_CACHE_HOME={0};",
      full.path());
  const Trial blur({"blur", "--sigma", "1.3"});
  bar.count(blur.wrong(blur.run({.program = "/usr/bin/unshare",
                                 .words = {"--mount", "bash", "-c", mount + " exec " + words_of(blur)}}),
                       {}),
            "a full disk for the cache");
}

TEST_CASE("R17: more inputs at once than descriptors are all read") {
  const int count = is_thorough() ? 700 : 60, jobs = is_thorough() ? 192 : 50, descriptors = is_thorough() ? 1024 : 80;
  Criterion bar("R17 inputs at once",
                fmt::format("inputs of a run with --jobs {} and ulimit -n {} were written", jobs, descriptors));
  const TemporaryFolder folder;
  for (int number = 0; number < count; ++number)
    folder.write(fmt::format("in/{}.exr", number), made_files().at("in.exr"));
  fs::create_directory(folder.path("out"));
  const Finished finished = run({.program = "/bin/bash",
                                 .words = {"-c", fmt::format("ulimit -n {}; exec {} in/*.exr -o out/ --jobs {}",
                                                             descriptors, GPUPOST_PROGRAM, jobs)},
                                 .folder = folder.path(),
                                 .seconds = 300});
  CHECK_MESSAGE(finished.exit_code == 0, finished.err);
  for (int number = 0; number < count; ++number)
    bar.count(fs::exists(folder.path(fmt::format("out/{}.exr", number))) ? "" : "is missing",
              fmt::format("input {}", number));
}
