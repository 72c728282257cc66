// Several files that are written as one: all of them get their names, or none does.
#include "core/base/error.h"
#include "core/codec/codec.h"
#include "core/system/atomic_file.h"
#include "tests/support/error_of.h"
#include "tests/support/process.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <thread>

using namespace gpupost;
namespace fs = std::filesystem;

namespace {

std::span<const std::byte> bytes_of_text(std::string_view text) { return std::as_bytes(std::span(text)); }

// A folder with files of these names, all old.
struct OldFiles : test::TemporaryFolder {
  explicit OldFiles(std::vector<std::string> files) : names(std::move(files)) {
    for (const std::string& name : names) write(name, "old");
  }
  // Writes the same text to all of them, as one.
  void write_all(std::string_view text) const {
    std::vector<OutputFile> outputs;
    for (const std::string& name : names) outputs.push_back({.path = path(name), .bytes = bytes_of_text(text)});
    write_files(outputs, false);
  }
  std::map<std::string, std::string> all(const std::string& text) const {
    std::map<std::string, std::string> expected;
    for (const std::string& name : names) expected[name] = text;
    return expected;
  }

  std::vector<std::string> names;
};

bool is_written_in_child(const std::function<void()>& call) {
  return test::in_child([&] { return int(!coded_error_of(call).empty()); }) == 0;
}

}  // namespace

TEST_CASE("a link to a full device among several files leaves them all as they were") {
  const OldFiles folder({"a", "b", "c"});
  std::vector<OutputFile> files;
  fs::create_symlink("/dev/full", folder.path("full"));
  for (const char* name : {"a", "b", "full", "c"})
    files.push_back({.path = folder.path(name), .bytes = bytes_of_text("new")});
  CHECK(output_error_of([&] { write_files(files, false); }).ends_with("No space left on device"));
  fs::remove(folder.path("full"));
  CHECK(folder.files() == folder.all("old"));
}

TEST_CASE("where a rename fails behind others, those are undone") {
  const OldFiles folder({"a", "b"});
  REQUIRE(mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  std::vector<OutputFile> files;
  const std::string text(200'000, 'n');  // more than a pipe holds: it is written as it is read
  for (const char* name : {"late", "a", "new", "b", "pipe"})
    files.push_back({.path = folder.path(name), .bytes = bytes_of_text(text)});
  {
    // the pipe is written when all has been looked at, and before the renames
    const std::jthread reader([&] {
      std::ifstream pipe(folder.path("pipe"));
      fs::create_directory(folder.path("late"));
      pipe.ignore(std::numeric_limits<std::streamsize>::max());
    });
    CHECK(output_error_of([&] { write_files(files, false); }).ends_with("late: cannot be written: Is a directory"));
  }
  fs::remove(folder.path("pipe"));
  fs::remove(folder.path("late"));
  CHECK(folder.files() == folder.all("old"));
}

TEST_CASE("a signal leaves all of several files old, or all of them new, whichever thread takes it") {
  std::vector<std::string> names;
  for (int index = 0; index < 40; ++index) names.push_back(std::to_string(index));
  const OldFiles folder(names);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGTERM, [](int) {
        remove_temporary_files();
        _exit(143);
      });
      const std::jthread other([] {
        for (;;) pause();
      });
      for (int turn = 0;; ++turn) folder.write_all(std::to_string(turn));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(3000 + 337 * round));
    kill(child, SIGTERM);
    waitpid(child, nullptr, 0);
    CHECK(folder.files() == folder.all(folder.read("0")));
  }
}

// More files than can be written at one time: no writer may wait for another one that waits for it.
TEST_CASE("many threads that each write many files all finish") {
  const test::TemporaryFolder folder;
  constexpr int thread_count = 16, file_count = 21;
  const int code = test::in_child([&] {
    alarm(60);
    std::vector<std::jthread> threads;
    for (int number = 0; number < thread_count; ++number)
      threads.emplace_back([&, number] {
        std::vector<OutputFile> outputs;
        for (int file = 0; file < file_count; ++file)
          outputs.push_back({.path = folder.path(fmt::format("{}.{}", number, file)), .bytes = bytes_of_text("new")});
        write_files(outputs, false);
      });
    threads.clear();
    return 0;
  });
  CHECK(code == 0);
  CHECK(std::distance(fs::directory_iterator(folder.path("")), {}) == thread_count * file_count);
}

TEST_CASE("the first of several files gets its name last, so that after a kill it is there only if all are") {
  const OldFiles folder({"0", "1", "2", "3"});
  for (const std::string& name : folder.names) fs::remove(folder.path(name));
  const int watch = inotify_init1(IN_NONBLOCK);
  REQUIRE(inotify_add_watch(watch, fs::path(folder.path("0")).parent_path().c_str(), IN_MOVED_TO) >= 0);
  folder.write_all("new");
  alignas(inotify_event) std::array<char, 4096> events;
  const ssize_t count = read(watch, events.data(), events.size());
  close(watch);
  std::vector<std::string> moved;
  for (ssize_t at = 0; at < count;) {
    const auto* event = reinterpret_cast<const inotify_event*>(&events[size_t(at)]);
    moved.push_back(event->name);
    at += ssize_t(sizeof *event + event->len);
  }
  REQUIRE(moved.size() == 4);
  CHECK(moved.back() == "0");
}

TEST_CASE("a file that something is mounted on is refused before others are replaced") {
  const OldFiles folder({"a", "mounted", "other"});
  const auto mount_other = [&] {
    return unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount(folder.path("other").c_str(), folder.path("mounted").c_str(), nullptr, MS_BIND, nullptr) == 0;
  };
  if (test::in_child([&] { return mount_other() ? 0 : 1; }) != 0) return test::skip("nothing can be mounted here");
  CHECK(!is_written_in_child([&] {
    if (mount_other()) folder.write_all("new");
  }));
  CHECK(folder.files() == folder.all("old"));
}

TEST_CASE("a link of another user in a folder that all may write to is followed as the system has it, or not at all") {
  std::ifstream setting("/proc/sys/fs/protected_symlinks");
  if (char is_on = '0'; geteuid() != 0 || !(setting >> is_on) || is_on != '1')
    return test::skip("no other user's link can be made, or the system follows it");
  const OldFiles folder({"target"});
  fs::create_directory(folder.path("shared"));
  REQUIRE(chmod(folder.path("shared").c_str(), 01777) == 0);
  fs::create_symlink(folder.path("target"), folder.path("shared/link"));
  REQUIRE(lchown(folder.path("shared/link").c_str(), 65534, 65534) == 0);
  const std::string text = "new";
  CHECK(output_error_of([&] {
          write_file(folder.path("shared/link"), bytes_of_text(text), false);
        }).ends_with("Permission denied"));
  CHECK(folder.read("target") == "old");
}

TEST_CASE("what cannot be written is seen beforehand") {
  const OldFiles folder({"a"});
  fs::create_directory(folder.path("folder"));
  fs::create_symlink("nothing", folder.path("link"));
  for (const char* name : {"folder", "link", "missing/a", "a/b", ""})
    CHECK_FALSE(output_error_of([&] { check_can_be_written(*name ? folder.path(name) : "", false); }).empty());
  CHECK_FALSE(output_error_of([&] { check_can_be_written(folder.path(std::string(256, 'n')), false); }).empty());
  CHECK_FALSE(output_error_of([&] { check_can_be_written(folder.path("a"), true); }).empty());
  CHECK(output_error_of([&] { check_can_be_written(folder.path("a"), false); }).empty());
  CHECK(output_error_of([&] { check_can_be_written(folder.path("new"), true); }).empty());
  CHECK(output_error_of([&] { check_can_be_written("/dev/null", true); }).empty());
  CHECK(!folder.has("new"));
}
