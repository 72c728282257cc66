// Several files through one decode worker: same texels as alone, a fresh process after any failure, limits for each file.
#include "core/codec/worker/worker.h"
#include "tests/codec/make_files.h"
#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace gpupost;

namespace {

void write_file(const std::string& path, const File& file) {
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(file.data()), std::streamsize(file.size()));
}

bool are_same_channels(const Channel& a, const Channel& b) { return a.name == b.name && a.depth == b.depth; }

bool are_same(const Decoded& one, const Decoded& other) {
  const auto same_group = [](const Group& a, const Group& b) {
    return a.depth == b.depth && std::ranges::equal(a.channels, b.channels, are_same_channels) &&
           std::ranges::equal(a.levels[0].texels.bytes(), b.levels[0].texels.bytes());
  };
  return one.picture.data_window == other.picture.data_window && one.warnings == other.warnings &&
         std::ranges::equal(one.picture.groups, other.picture.groups, same_group);
}

std::string refusal_by(DecodeWorker& worker, const std::string& path, const DecodeOptions& options = {}) {
  return error_of([&] { worker.decode_file(path, options); }, Exit::input);
}

// The process that waits for the next file.
pid_t only_child() {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    if (pid_t child = 0; std::ifstream(task.path() / "children") >> child) return child;
  return -1;
}

// A picture of nothing, which packs well.
File black_png(int width, int height) {
  const std::string rows(size_t(height) * (size_t(width) + 1), '\0');
  return make_png({{"IHDR", png_header(width, height, 8, 0)}, {"IDAT", zlib_packed(rows)}, {"IEND", ""}});
}

}  // namespace

TEST_CASE("several files through one worker have the texels that each has alone") {
  DecodeWorker worker;
  for (int round = 0; round < 3; ++round)
    for (const char* name : {"scene.exr", "bars.png", "uint_ids.exr", "gray16.png", "noise_257x129.exr", "alpha.png",
                             "window.exr", "ramp_17x9.exr"}) {
      const std::string path = std::string("testdata/") + name;
      CHECK_MESSAGE(are_same(worker.decode_file(path, {}), decode_file(path, {})), path);
    }
  CHECK(worker.started_count() == 1);
}

TEST_CASE("a file of a batch is read with its own options") {
  DecodeWorker worker;
  const test::TemporaryFolder folder;
  write_file(folder.path("f.exr"), make_exr({.width = 8, .height = 8}));
  for (const int threads : {0, 1, 2})
    CHECK(are_same(worker.decode_file(folder.path("f.exr"), {.limits = {}, .thread_count = threads}),
                   decode_file(folder.path("f.exr"), {})));
  CHECK(worker.started_count() == 1);
  CHECK(refusal_by(worker, folder.path("f.exr"), {.layer = "none", .limits = {}}).find("none") != std::string::npos);
  const DecodeOptions strict{.limits = {.side = 4}};
  CHECK(refusal_by(worker, folder.path("f.exr"), strict).find("the limit is 4") != std::string::npos);
}

TEST_CASE("after a file that is refused a fresh process reads the next ones") {
  const test::TemporaryFolder folder;
  write_file(folder.path("bad.exr"), file_of("no image at all, though long enough for one"));
  File cut = make_exr({.width = 64, .height = 64});
  cut.resize(cut.size() / 2);
  write_file(folder.path("cut.exr"), cut);
  DecodeWorker worker;
  const Decoded alone = decode_file("testdata/scene.exr", {});
  int started = 1;
  for (const char* bad : {"bad.exr", "cut.exr", "absent.exr"}) {
    CHECK(are_same(worker.decode_file("testdata/scene.exr", {}), alone));
    CHECK(worker.started_count() == started);
    const std::string said = refusal_by(worker, folder.path(bad)), said_alone = [&] {
      DecodeWorker fresh(DecodeWorker::Life::one_file);
      return refusal_by(fresh, folder.path(bad));
    }();
    CHECK(said == said_alone);
    CHECK(said.starts_with(folder.path(bad) + ": "));
    CHECK(std::ranges::count(said, '\n') == 0);
    started += bad != std::string("absent.exr");  // no process has seen it
    CHECK(are_same(worker.decode_file("testdata/scene.exr", {}), alone));
    CHECK(worker.started_count() == started);
  }
}

TEST_CASE("a file whose worker was killed between two files is read by a fresh one") {
  DecodeWorker worker;
  const Decoded alone = decode_file("testdata/scene.exr", {});
  for (int started = 1; started <= 3; ++started) {
    CHECK(are_same(worker.decode_file("testdata/scene.exr", {}), alone));
    CHECK(worker.started_count() == started);
    const pid_t process = only_child();
    REQUIRE(process > 0);
    kill(process, SIGKILL);
  }
}

TEST_CASE("texels that were given out are not those of the next file, and can be written") {
  DecodeWorker worker;
  Decoded first = worker.decode_file("testdata/scene.exr", {});
  const Decoded alone = decode_file("testdata/scene.exr", {});
  std::ranges::fill(first.picture.groups[0].levels[0].texels.as<uint16_t>(), uint16_t(77));
  const Decoded second = worker.decode_file("testdata/scene.exr", {});
  CHECK(are_same(second, alone));
  CHECK(first.picture.groups[0].levels[0].texels.as<uint16_t>()[5] == 77);
  CHECK(worker.started_count() == 1);
}

TEST_CASE("limits of time are those of each file") {
  const test::TemporaryFolder folder;
  write_file(folder.path("slow.png"), black_png(4096, 4096));
  DecodeWorker worker;
  const DecodeOptions options{.limits = {.cpu_seconds = 1}};
  const int most_files = 2000;  // of some milliseconds each; most of them together take longer than a file may
  int files = 0;
  while (worker.started_count() < 2 && files < most_files) {
    REQUIRE(worker.decode_file(folder.path("slow.png"), options).picture.size() == Size{4096, 4096});
    ++files;
  }
  CHECK(files > 1);
  CHECK(files < most_files);  // a process that used the time of one file is not used again
  CHECK(refusal_by(worker, folder.path("slow.png"), {.limits = {.wall_seconds = 0}}) ==
        folder.path("slow.png") + ": took over 0 s to decode (--decode-seconds)");
}

TEST_CASE("a process that has read a large file is not kept") {
  const test::TemporaryFolder folder;
  const int side = 8192;  // of 4 bytes a texel
  static_assert(uint64_t(side) * side * 4 > most_kept_bytes);
  write_file(folder.path("large.png"), black_png(side, side));
  DecodeWorker worker;
  for (int round = 1; round <= 2; ++round) {
    worker.decode_file(folder.path("large.png"), {});
    CHECK(worker.started_count() == round);
    CHECK(waitpid(-1, nullptr, WNOHANG) == -1);  // no process is left that could hold memory
  }
}

TEST_CASE("a worker ends with its object, and leaves no descriptor behind") {
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const auto before = count();
  {
    DecodeWorker worker;
    for (int round = 0; round < 5; ++round) worker.decode_file("testdata/scene.exr", {});
    CHECK(count() == before + 1);  // its socket
  }
  CHECK(count() == before);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
}
