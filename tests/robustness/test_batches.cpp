// R10: many files in one run. R11: what is made twice is the same, and two that write one output do not mix.
#include "core/base/error.h"
#include "core/op/op.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "tests/program/test_folder.h"
#include "tests/robustness/trial.h"
#include "tests/support/skip.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

using namespace gpupost;
using namespace gpupost::test;
namespace fs = std::filesystem;

namespace {

struct Sample {
  size_t outputs = 0, resident_kib = 0, descriptors = 0;
};

size_t entry_count(const std::string& folder) {
  std::error_code error;
  return size_t(std::distance(fs::directory_iterator(folder, error), fs::directory_iterator()));
}

size_t resident_kib(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string word; status >> word;)
    if (size_t kib = 0; word == "VmRSS:" && status >> kib) return kib;
  return 0;
}

// What a run was like every few milliseconds, and how it ended.
struct Watched {
  std::vector<Sample> samples;
  int exit_code = -1;
  std::string err;
};

Watched watched_run(const TemporaryFolder& folder, const Words& words) {
  std::vector<char*> arguments{const_cast<char*>(GPUPOST_PROGRAM)};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    setenv("XDG_CACHE_HOME", folder.path("cache").c_str(), 1);
    const bool is_ready = chdir(folder.path().c_str()) == 0 && freopen("err", "w", stderr);
    if (is_ready) execv(GPUPOST_PROGRAM, arguments.data());
    _exit(127);
  }
  Watched watched;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    watched.samples.push_back({.outputs = entry_count(folder.path("out")),
                               .resident_kib = resident_kib(child),
                               .descriptors = entry_count(fmt::format("/proc/{}/fd", child))});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  watched.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  watched.err = folder.read("err");
  return watched;
}

// The medians of what was seen while so many outputs were there. Maxima would tell how many images happened to be in work at
// once, which depends on how busy the machine is; what is never given back raises the median as much.
Sample median(const std::vector<Sample>& samples, size_t from, size_t to) {
  std::vector<size_t> resident_kib, descriptors;
  for (const Sample& sample : samples) {
    if (sample.outputs < from || sample.outputs >= to || sample.resident_kib == 0) continue;
    resident_kib.push_back(sample.resident_kib);
    descriptors.push_back(sample.descriptors);
  }
  const auto middle = [](std::vector<size_t>& numbers) {
    REQUIRE_FALSE(numbers.empty());
    std::ranges::nth_element(numbers, numbers.begin() + ptrdiff_t(numbers.size() / 2));
    return numbers[numbers.size() / 2];
  };
  return {.resident_kib = middle(resident_kib), .descriptors = middle(descriptors)};
}

Words words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace

DEVICE_TEST_CASE("R10: a run of many files, one in ten of them damaged, writes all others and holds on to nothing") {
  const TemporaryFolder folder;
  const size_t file_count = is_thorough() ? 1000 : 60;
  const char* sound[] = {"in.exr", "in.png", "depth.exr", "deep.png", "float.exr"};
  const char* damaged[] = {"cut.exr", "text.exr", "cut.png", "empty.exr"};
  Words words{"mips"};
  size_t good_count = 0;
  for (size_t index = 0; index < file_count; ++index) {
    const bool is_good = index % 10 != 7;
    good_count += is_good;
    words.push_back(fmt::format("f{:04}", index));
    folder.write(words.back(),
                 made_files().at(is_good ? sound[index % std::size(sound)] : damaged[index / 10 % std::size(damaged)]));
  }
  words.insert(words.end(), {"--quiet", "--format", "exr", "-o", "out/{stem}.exr"});
  fs::create_directory(folder.path("out"));
  const Watched watched = watched_run(folder, words);
  REQUIRE_MESSAGE(watched.exit_code == 5, watched.err.substr(0, 1000));
  {
    Criterion bar("R10 outputs", "good files were written, and no others");
    for (size_t index = 0; index < file_count; ++index) {
      const std::string name = fmt::format("f{:04}", index);
      const bool is_good = index % 10 != 7, is_written = folder.has("out/" + name + ".exr");
      const bool is_listed = watched.err.find("gpupost: " + name + ": ") != watched.err.npos;
      bar.count(is_good == is_written && is_good != is_listed ? "" : is_good ? "not written" : "not told of", name);
    }
  }
  CHECK(size_t(std::ranges::count(watched.err, '\n')) == file_count - good_count);
  if (!is_thorough()) return;
  const Sample early = median(watched.samples, good_count / 10, good_count / 5);
  const Sample late = median(watched.samples, good_count * 9 / 10, good_count + 1);
  Criterion bar("R10 soak", "of memory (at most 5 % more at the end) and descriptors (constant) hold");
  bar.count(late.resident_kib * 100 <= early.resident_kib * 105 ? "" : "more",
            fmt::format("{} KiB, then {} KiB", early.resident_kib, late.resident_kib));
  constexpr size_t of_decoding_ahead = 16;  // they come and go
  bar.count(late.descriptors <= early.descriptors + of_decoding_ahead ? "" : "more",
            fmt::format("{} descriptors, then {}", early.descriptors, late.descriptors));
  MESSAGE("memory ", early.resident_kib, " KiB, then ", late.resident_kib, " KiB; descriptors ", early.descriptors,
          ", then ", late.descriptors);
}

DEVICE_TEST_CASE("R11: an op makes the same of the same, in one run and in the next") {
  Criterion bar("R11 repeats", "examples of ops made the same bytes each time");
  const size_t copy_count = is_thorough() ? 50 : 3;
  constexpr Size depth_size{37, 21};  // of depth.exr
  size_t number = 0;
  for (const Op* op : all_ops()) {
    if (op->prepare) continue;  // its examples name files
    for (const std::string_view example : op->doc.examples) {
      if (++number % 32 != 0 && !is_thorough()) continue;
      Call call = parse_call(*op, example);
      call.windows = {.data = window_of(depth_size), .display = window_of(depth_size)};
      if (!op->needs(call).wrong_windows.empty()) continue;
      const TemporaryFolder folder;
      fs::create_directory_symlink(fs::current_path() / "testdata",
                                   folder.path("testdata"));  // examples name files there
      for (const NeededPicture& picture : op->needs(call).pictures)
        if (!folder.has(picture.path)) folder.write(picture.path, made_files().at("depth.exr"));
      Words words = words_of(fmt::format("{} {}", op->name, example));
      for (size_t index = 0; index < copy_count; ++index) {
        words.push_back(fmt::format("f{}.exr", index));
        folder.write(words.back(), made_files().at("depth.exr"));
      }
      const char* format = example.find("--levels") == example.npos ? "exr" : "ktx2";  // holds some of all levels
      words.insert(words.end(), {"--quiet", "--format", format, "-o", "out/{stem}.{ext}"});
      std::string first;
      std::string wrong;
      for (int run_number = 0; run_number < 2 && wrong.empty(); ++run_number) {
        fs::create_directories(folder.path("out"));
        const Finished finished = run({.program = GPUPOST_PROGRAM,
                                       .words = words,
                                       .environment = {{"XDG_CACHE_HOME", folder.path("cache")}},
                                       .folder = folder.path(),
                                       .seconds = 300});
        if (finished.exit_code != 0) wrong = finished.err.substr(0, 300);
        for (const auto& entry : fs::directory_iterator(folder.path("out"))) {
          const std::string bytes = folder.read("out/" + entry.path().filename().string());
          if (first.empty()) first = bytes;
          if (bytes != first) wrong = entry.path().filename().string() + " differs";
        }
        fs::remove_all(folder.path("out"));
      }
      bar.count(!first.empty() || !wrong.empty() ? wrong : "nothing was written",
                fmt::format("{} {}", op->name, example));
    }
  }
}

TEST_CASE("R11: of two programs that write one output, one has written all of it") {
  Criterion bar("R11 two writers", "times the output was one whole file");
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) folder.write(std::string(name) + ".exr", made_files().at("long.exr"));
  folder.write("b.exr", made_files().at("wide.exr"));
  const auto shell = [&](const std::string& line) {
    return run({.program = "/bin/bash",
                .words = {"-c", line},
                .environment = {{"GPUPOST", GPUPOST_PROGRAM}},
                .folder = folder.path()});
  };
  REQUIRE(shell("$GPUPOST a.exr -o whole_a.exr && $GPUPOST b.exr -o whole_b.exr").exit_code == 0);
  const std::string a = folder.read("whole_a.exr"), b = folder.read("whole_b.exr");
  REQUIRE(a != b);
  const size_t entries = entry_count(folder.path()) + 1;
  for (int round = 0; round < (is_thorough() ? 100 : 10); ++round) {
    const Finished finished = shell("$GPUPOST a.exr -o out.exr & first=$!; $GPUPOST b.exr -o out.exr && wait $first");
    const std::string out = folder.read("out.exr");
    const bool is_whole = finished.exit_code == 0 && (out == a || out == b) && entry_count(folder.path()) == entries;
    bar.count(is_whole ? "" : "it is neither's", fmt::format("round {}: {}", round, finished.err));
  }
}

TEST_CASE("R11: programs in several containers, which have the same number, write one output") {
  Criterion bar("R11 containers", "programs with the same number wrote their output");
  const TemporaryFolder folder;
  folder.write("in.exr", made_files().at("in.exr"));
  const auto shell = [&](const std::string& line) {
    return run({.program = "/bin/bash",
                .words = {"-c", line},
                .environment = {{"GPUPOST", GPUPOST_PROGRAM}},
                .folder = folder.path()});
  };
  if (shell("unshare --pid --fork true").exit_code != 0) return skip("no namespace of processes can be made here");
  const std::string loop = fmt::format("for i in $(seq {}); do unshare --pid --fork $GPUPOST in.exr -o out.exr; done",
                                       is_thorough() ? 200 : 30);
  const Finished finished = shell(fmt::format("{0} & {0} & {0} & wait", loop));
  bar.count(finished.err, "three loops");
  bar.count(entry_count(folder.path()) == 2 ? "" : "files are left", "the folder");
}
