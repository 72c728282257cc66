#include "core/base/error.h"
#include "core/codec/codec.h"
#include "core/system/atomic_file.h"
#include "tests/support/error_of.h"
#include "tests/support/process.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <tuple>

using namespace gpupost;
namespace fs = std::filesystem;

namespace {

// A folder of its own for each test, removed with all that is in it.
struct Folder : test::TemporaryFolder {
  std::string operator/(const std::string& name) const { return path(name); }
  size_t file_count() const { return size_t(std::distance(fs::directory_iterator(path()), fs::directory_iterator())); }
};

std::span<const std::byte> bytes_of_text(std::string_view text) { return std::as_bytes(std::span(text)); }

void write_text(const std::string& path, std::string_view text, bool no_clobber = false) {
  write_file(path, bytes_of_text(text), no_clobber);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int code_of(const std::function<void()>& call, const std::string& expected_text) {
  try {
    call();
  } catch (const Error& error) {
    return std::string_view(error.what()).ends_with(expected_text) ? int(error.code()) : 99;
  }
  return 0;
}

mode_t mode_of(const std::string& path) {
  struct stat status;
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("a new file is written whole, with the mode of the umask") {
  const Folder folder;
  const mode_t old_mask = umask(027);
  write_text(folder / "new", "some bytes");
  umask(old_mask);
  CHECK(text_of(folder / "new") == "some bytes");
  CHECK(mode_of(folder / "new") == 0640);
  CHECK(folder.file_count() == 1);
}

TEST_CASE("an old file is replaced and keeps its mode") {
  const Folder folder;
  write_text(folder / "old", "old bytes that are longer");
  chmod((folder / "old").c_str(), 0715);
  write_text(folder / "old", "new");
  CHECK(text_of(folder / "old") == "new");
  CHECK(mode_of(folder / "old") == 0715);
  CHECK(folder.file_count() == 1);
}

TEST_CASE("a file without bytes and a file of a bare name can be written") {
  const Folder folder;
  write_text(folder / "empty", "");
  CHECK(fs::file_size(folder / "empty") == 0);
  const fs::path before = fs::current_path();
  fs::current_path(folder / "");
  write_text("bare", "bytes");
  fs::current_path(before);
  CHECK(text_of(folder / "bare") == "bytes");
}

TEST_CASE("the longest name that a file may have can be written") {
  const Folder folder;
  const std::string name(255, 'n');
  write_text(folder / name, "bytes");
  CHECK(text_of(folder / name) == "bytes");
  const std::string longer(256, 'n');
  CHECK(output_error_of([&] { write_text(folder / longer, "bytes"); }).ends_with("File name too long"));
  CHECK(folder.file_count() == 1);
}

TEST_CASE("a symbolic link keeps its place and its target is replaced") {
  const Folder folder;
  fs::create_directory(folder / "in");
  write_text(folder / "in/target", "old");
  fs::create_symlink("in/target", folder / "link");
  fs::create_symlink("link", folder / "link to link");
  write_text(folder / "link to link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(fs::is_symlink(folder / "link to link"));
  CHECK(text_of(folder / "in/target") == "new");
  CHECK_FALSE(fs::is_symlink(folder / "in/target"));
}

TEST_CASE("a symbolic link to nothing is refused") {
  const Folder folder;
  fs::create_symlink("target", folder / "link");
  for (const bool no_clobber : {false, true})
    CHECK(output_error_of([&] { write_text(folder / "link", "new", no_clobber); }) ==
          (folder / "link") + ": is a symbolic link to nothing; create its target first, or remove the link");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(folder.file_count() == 1);
}

TEST_CASE("links in a circle are an error") {
  const Folder folder;
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  CHECK(output_error_of([&] { write_text(folder / "a", "new"); }) ==
        (folder / "a") + ": cannot be written: Too many levels of symbolic links");
}

TEST_CASE("no_clobber refuses what exists and leaves it alone") {
  const Folder folder;
  write_text(folder / "file", "old", true);
  CHECK(output_error_of([&] { write_text(folder / "file", "new", true); }) ==
        (folder / "file") + ": already exists, and --no-clobber keeps it");
  CHECK(text_of(folder / "file") == "old");
  CHECK(folder.file_count() == 1);
}

TEST_CASE("of many that write one new name with no_clobber, one does") {
  const Folder folder;
  std::atomic<int> written_count = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i)
      threads.emplace_back([&, i] {
        try {
          write_text(folder / "file", std::string(10'000, char('a' + i)), true);
          ++written_count;
        } catch (const Error&) {
        }
      });
  }
  CHECK(written_count == 1);
  CHECK(text_of(folder / "file").find_first_not_of(text_of(folder / "file")[0]) == std::string::npos);
  CHECK(folder.file_count() == 1);
}

TEST_CASE("of many that write one name, each writes it whole") {
  const Folder folder;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 100; ++i)  // more than there are places for temporary files
      threads.emplace_back([&, i] { write_text(folder / "file", std::string(10'000, char('A' + i % 26))); });
  }
  const std::string text = text_of(folder / "file");
  CHECK(text.size() == 10'000);
  CHECK(text.find_first_not_of(text[0]) == std::string::npos);
  CHECK(folder.file_count() == 1);
}

TEST_CASE("a missing folder, a folder for a file and a file for a folder are named") {
  const Folder folder;
  write_text(folder / "file", "old");
  CHECK(output_error_of([&] { write_text(folder / "none/file", "new"); }) ==
        (folder / "none/file") + ": the folder " + (folder / "none") + " does not exist; create it, or use --mkdir");
  CHECK(output_error_of([&] { write_text(folder / "", "new"); }).ends_with(": cannot be written: Is a directory"));
  CHECK(output_error_of([&] { write_text(folder / "new/", "new"); }).ends_with(": cannot be written: Is a directory"));
  CHECK(output_error_of([&] { write_text(folder / "file/file", "new"); }) ==
        (folder / "file/file") + ": the folder " + (folder / "file") + " cannot be used: Not a directory");
  CHECK(output_error_of([&] { write_text("", "new"); }) == "the output has an empty name");
  CHECK(folder.file_count() == 1);
}

TEST_CASE("devices are written to, not replaced") {
  write_text("/dev/null", "bytes");
  write_text("/dev/null", "bytes", true);
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(output_error_of([&] { write_text("/dev/full", "bytes"); }) ==
        "/dev/full: cannot be written: No space left on device");
}

TEST_CASE("a named pipe gets the bytes and stays a pipe") {
  const Folder folder;
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const std::string text(300'000, 'x');
  std::string got;
  {
    const std::jthread reader([&] { got = text_of(folder / "pipe"); });
    write_text(folder / "pipe", text);
  }
  CHECK(got == text);
  CHECK(fs::is_fifo(folder / "pipe"));
}

TEST_CASE("a limit on the size of files is an error that leaves the old file and nothing else") {
  const Folder folder;
  write_text(folder / "file", "old");
  const int code = test::in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);  // as main does
    const rlimit limit{.rlim_cur = 1000, .rlim_max = 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    return code_of([&] { write_text(folder / "file", std::string(5000, 'x')); },
                   "file: cannot be written: File too large");
  });
  CHECK(code == int(Exit::output));
  CHECK(text_of(folder / "file") == "old");
  CHECK(folder.file_count() == 1);
}

TEST_CASE("a file or a folder that may not be written is left alone") {
  const Folder folder;
  write_text(folder / "file", "old");
  chmod((folder / "file").c_str(), 0444);
  const auto as_nobody = [&](const std::string& path) {
    return test::in_child([&] {
      if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 98;
      return code_of([&] { write_text(path, "new"); }, "cannot be written: Permission denied");
    });
  };
  chmod((folder / "").c_str(), 0777);
  CHECK(as_nobody(folder / "file") == int(Exit::output));
  chmod((folder / "").c_str(), 0555);
  CHECK(as_nobody(folder / "new") == int(Exit::output));
  chmod((folder / "").c_str(), 0755);
  CHECK(text_of(folder / "file") == "old");
  CHECK(folder.file_count() == 1);
}

TEST_CASE(
    "a new file keeps the owner and group of the old one if the writer may set them; else its group is as others") {
  if (geteuid() != 0) return test::skip("only root may change the user");
  constexpr uid_t user = 12345, other_user = 12346;
  constexpr gid_t own_group = 20001, other_group = 20002;
  const Folder folder;
  chmod((folder / "").c_str(), 0777);
  const auto rewritten = [&](uid_t old_user, uid_t writer, std::vector<gid_t> groups) {
    write_text(folder / "file", "old");
    REQUIRE(chown((folder / "file").c_str(), old_user, other_group) == 0);
    chmod((folder / "file").c_str(), 0664);
    const int code = test::in_child([&] {
      const bool is_user = writer == 0 || (setgroups(groups.size(), groups.data()) == 0 && setgid(own_group) == 0 &&
                                           setuid(writer) == 0);
      return is_user ? code_of([&] { write_text(folder / "file", "new"); }, "") : 98;
    });
    CHECK(code == 0);
    struct stat facts = {};
    REQUIRE(stat((folder / "file").c_str(), &facts) == 0);
    fs::remove(folder / "file");
    return std::tuple(facts.st_uid, facts.st_gid, facts.st_mode & 0777u);
  };
  CHECK(rewritten(user, user, {other_group}) == std::tuple(user, other_group, 0664u));
  CHECK(rewritten(user, user, {}) == std::tuple(user, own_group, 0644u));
  CHECK(rewritten(other_user, user, {other_group}) == std::tuple(user, other_group, 0664u));
  CHECK(rewritten(user, 0, {}) == std::tuple(user, other_group, 0664u));
}

TEST_CASE("of several files all get their names, or none does") {
  const Folder folder;
  write_text(folder / "b", "old");
  const std::vector<OutputFile> files{{.path = folder / "a", .bytes = bytes_of_text("one")},
                                      {.path = folder / "b", .bytes = bytes_of_text("two")},
                                      {.path = folder / "c", .bytes = bytes_of_text("three")}};
  CHECK(output_error_of([&] { write_files(files, true); }).find("b: already exists") != std::string::npos);
  CHECK(folder.file_count() == 1);
  fs::create_directory(folder / "c");
  CHECK(output_error_of([&] { write_files(files, false); }).ends_with("c: cannot be written: Is a directory"));
  CHECK(text_of(folder / "b") == "old");
  CHECK(folder.file_count() == 2);
  fs::remove(folder / "c");
  write_files(files, false);
  CHECK(text_of(folder / "a") + text_of(folder / "b") + text_of(folder / "c") == "onetwothree");
  CHECK(folder.file_count() == 3);
}

TEST_CASE("a closed pipe on standard output is an error, an open one gets everything") {
  for (const bool is_closed : {true, false}) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const std::string text(200'000, 'y');
    if (is_closed) close(ends[0]);
    std::string got;
    std::jthread reader([&] {
      char buffer[4096];
      for (ssize_t count; !is_closed && (count = read(ends[0], buffer, sizeof buffer)) > 0;)
        got.append(buffer, size_t(count));
    });
    const int code = test::in_child([&] {
      std::signal(SIGPIPE, SIG_IGN);  // as main does
      dup2(ends[1], STDOUT_FILENO);
      fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);  // as some parents leave it
      return code_of([&] { write_text("-", text); }, "standard output: cannot be written: Broken pipe");
    });
    close(ends[1]);
    reader.join();
    CHECK(code == (is_closed ? int(Exit::output) : 0));
    if (is_closed) continue;
    CHECK(got == text);
    close(ends[0]);
  }
}

TEST_CASE("an interrupted process leaves the old file or the new one, and no temporary file") {
  const Folder folder;
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    write_text(folder / "file", "old");
    const auto old_handler = std::signal(SIGTERM, [](int) {
      remove_temporary_files();
      _exit(143);
    });
    const pid_t child = fork();
    while (child == 0) write_text(folder / "file", std::string(1'000'000, 'n'));
    std::signal(SIGTERM, old_handler);
    std::this_thread::sleep_for(std::chrono::microseconds(500 * round));
    kill(child, SIGTERM);
    waitpid(child, nullptr, 0);
    const std::string text = text_of(folder / "file");
    CHECK((text == "old" || text == std::string(1'000'000, 'n')));
    CHECK(folder.file_count() == 1);
  }
}
