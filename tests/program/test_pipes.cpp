// gpupost between other programs.
#include "tests/program/test_folder.h"
#include "tests/program/tested_program.h"

#include "core/system/descriptor.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// Has a process become gpupost, and does it have a handler of its own for a signal, or ignore it?
bool has_answer_to(pid_t process, int signal_number) {
  std::error_code error;
  if (!std::filesystem::equivalent(fmt::format("/proc/{}/exe", process), tested_program(), error)) return false;
  std::ifstream status(fmt::format("/proc/{}/status", process));
  uint64_t mask = 0;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigCgt:") || line.starts_with("SigIgn:")) mask |= std::stoull(line.substr(7), nullptr, 16);
  return (mask >> (signal_number - 1)) & 1;
}

// Of gpupost that waits for its input when a signal comes; minus the signal where that ends it. Its input ends without a byte
// then.
int exit_code_after(int signal_number, bool is_ignored, const std::string& output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[0], STDIN_FILENO);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDERR_FILENO);
    std::signal(signal_number, is_ignored ? SIG_IGN : SIG_DFL);
    const rlimit no_core{};  // which SIGQUIT leaves
    setrlimit(RLIMIT_CORE, &no_core);
    execl(tested_program(), tested_program(), "-", "-o", output.c_str(), nullptr);
    _exit(127);
  }
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  for (int waited_ms = 0; waited_ms < 10'000 && !has_answer_to(child, SIGTERM); ++waited_ms)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // it is the last that gets its answer
  kill(child, signal_number);
  write_end.reset();
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// The first child of a process; none: it has none yet.
std::optional<pid_t> child_of(pid_t process) {
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", process));
  pid_t child = 0;
  return children >> child ? std::optional(child) : std::nullopt;
}

}  // namespace

DEVICE_TEST_CASE("a picture comes in by standard input and goes out by standard output") {
  const TestFolder place;
  const Finished finished = place.shell("cat in.exr | gpupost mips --fp16 > out.exr");
  CHECK(finished.exit_code == 0);
  CHECK(finished.err == "");
  CHECK(place.gpupost({"mips", "in.exr", "--fp16"}).exit_code == 0);
  CHECK(place.read("out.exr") == place.read("in.mips.exr"));
  CHECK(decoded(place, "out.exr", 5).size() == Size{1, 1});
}

TEST_CASE("warnings of standard input name it as errors do") {
  const TestFolder place;
  const Finished finished = place.shell("cat depth.exr | gpupost - -o out.png");
  CHECK(finished.exit_code == 0);
  CHECK_MESSAGE(finished.err.starts_with("gpupost: warning: standard input: png holds only color and alpha"),
                finished.err);
}

DEVICE_TEST_CASE("standard input may be a file, standard output may be named") {
  const TestFolder place;
  CHECK(place.shell("gpupost mips < in.exr > a.exr").exit_code == 0);
  CHECK(place.shell("gpupost mips - -o - < in.exr | cat > b.exr").exit_code == 0);
  CHECK(place.shell("gpupost in.exr mips -o - > c.exr").exit_code == 0);
  CHECK(place.shell("cat in.exr | gpupost mips -o d.exr").exit_code == 0);
  const Finished named = place.shell("gpupost /dev/stdin mips < in.exr > e.exr");
  CHECK_MESSAGE((named.exit_code == 0 && named.err.empty()), named.err);
  for (const std::string name : {"a.exr", "b.exr", "c.exr", "e.exr"})
    CHECK_MESSAGE(place.read(name) == place.read("d.exr"), name);
}

TEST_CASE("two gpuposts in a row convert there and back") {
  const TestFolder place;
  const Finished finished = place.shell("gpupost - -o - --format exr < in.png | gpupost - -o out.png --bits 8");
  CHECK_MESSAGE(finished.exit_code == 0, finished.err);
  CHECK(place.gpupost({"compare", "in.png", "out.png"}).exit_code == 0);
}

TEST_CASE("standard output has the format of standard input, also if that comes in pieces") {
  const TestFolder place;
  for (const std::string line :
       {"cat in.png | gpupost - -o - > out", "gpupost - -o - < in.png > out",
        "cat in.png | gpupost - -o /dev/stdout | cat > out", "cat in.png | gpupost /dev/stdin -o - > out",
        "{ head -c 5 in.png; sleep 0.05; tail -c +6 in.png; } | gpupost - -o - > out"}) {
    const Finished finished = place.shell(line);
    CHECK_MESSAGE(finished.exit_code == 0, line, ": ", finished.err);
    CHECK_MESSAGE(place.read("out").substr(1, 3) == "PNG", line);
  }
  REQUIRE(place.shell("cat in.png | gpupost - -o below/ --mkdir").exit_code == 0);
  CHECK(place.has("below/stdin.png"));
  REQUIRE(place.shell("cat in.png | gpupost /dev/fd/0 -o below/{stem}.2.{ext}").exit_code == 0);
  CHECK(place.has("below/stdin.2.png"));
  REQUIRE(place.shell("cat in.exr | gpupost - -o - > out").exit_code == 0);
  CHECK(decoded(place, "out").format == "exr");
  CHECK(place.shell("printf abc | gpupost - -o - > out").exit_code == 2);
  // a file that another program has read the beginning of
  CHECK(place.shell("(echo 1234567; cat in.png) > both; (dd bs=8 count=1 of=/dev/null; gpupost - -o rest.png) < both")
            .exit_code == 0);
  CHECK(place.has("rest.png"));
}

TEST_CASE("the first bytes of a socket are waited for, and left there") {
  for (const bool is_blocking : {true, false}) {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (is_blocking ? 0 : SOCK_NONBLOCK), 0, ends) == 0);
    const Descriptor near(ends[0]);
    Descriptor far(ends[1]);
    std::jthread writer([&] {
      for (const std::string_view part : {"abc", "def"}) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        write_whole(far.get(), std::as_bytes(std::span(part)));
      }
      far.reset();
    });
    CHECK(first_bytes(near.get(), 5).size() == 5);
    writer.join();
    CHECK(first_bytes(near.get(), 100).size() == 6);
  }
}

TEST_CASE("text waits for a reader of a pipe that does not block") {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  REQUIRE(fcntl(write_end.get(), F_SETPIPE_SZ, 4096) > 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(write_end.get(), STDOUT_FILENO);
    execl(tested_program(), tested_program(), "man", nullptr);
    _exit(127);
  }
  write_end.reset();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const std::vector<std::byte> text = read_to_end(read_end.get());
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(text.size() == TestFolder().gpupost({"man"}).out.size());
}

TEST_CASE("a caller that ignores SIGCHLD gets the same exit codes") {
  const TestFolder place;
  for (const std::string line : {"gpupost cut.exr -o out.exr", "ulimit -f 1; gpupost in.exr -o out.exr"}) {
    const Finished usual = place.shell(line), ignoring = place.shell("trap '' CHLD; " + line);
    CHECK(ignoring.exit_code == usual.exit_code);
    CHECK(ignoring.err == usual.err);
  }
}

TEST_CASE("a pipe that two images, an image and --list, or a later run would read is refused before any work") {
  const TestFolder place;
  const std::string refusal = " can be read only once, and it is needed more than once; write it to a file first\n";
  const std::pair<std::string, std::string> lines[] = {
      {"cat in.png | gpupost merge --with - -o out.png", "standard input" + refusal},
      {"cat in.png | gpupost - merge --with /dev/stdin -o out.png", "standard input" + refusal},
      {"cat in.png | gpupost in.exr wide.exr merge --with - -o made/ --mkdir", "standard input" + refusal},
      {"echo in.exr | gpupost --list - - -o made/ --mkdir", "standard input" + refusal},
      {"echo in.exr | gpupost --list - merge --with - -o out.png", "standard input" + refusal},
      {"echo in.exr | gpupost --list /dev/stdin merge --with - -o out.png", "standard input" + refusal},
      {"mkfifo pipe; gpupost in.exr wide.exr guided --guide pipe -o made/ --mkdir", "pipe" + refusal},
      {"cat in.png | gpupost in.exr merge --with - -o out.png --journal j",
       "--journal: standard input cannot be read again; expected files\n"},
      {"cat in.png | gpupost - -o out.png --journal j",
       "--journal: standard input cannot be read again; expected files\n"},
      {"mkfifo pipe; gpupost pipe flip x -o out.png --resume", "--resume: pipe cannot be read again; expected files\n"},
      {"mkfifo pipe; gpupost pipe flip x -o out.png --journal j",
       "--journal: pipe cannot be read again; expected files\n"},
      {"cat in.exr | gpupost compare - -",
       "compare: both images are standard input, which can be read only once; write one to a file\n"}};
  for (const auto& [line, said] : lines) {
    const Finished finished = place.shell("rm -f pipe; " + line);
    CHECK_MESSAGE(finished.exit_code == 1, line);
    CHECK_MESSAGE(finished.err == "gpupost: " + said, line);
    CHECK_MESSAGE(!place.has("out.png"), line);
  }
}

TEST_CASE("--fail-fast ends the run at once, also if a pipe that comes later in the list has no writer") {
  const TestFolder place;
  const Finished finished = place.shell(
      "mkfifo pipe; timeout 60 gpupost in.png cut.png pipe -o out/ --mkdir --format exr --fail-fast --jobs 4");
  CHECK_MESSAGE(finished.exit_code == 5, finished.err);
  CHECK(finished.err.find("1 of 3 inputs ") != std::string::npos);
}

DEVICE_TEST_CASE("a second image comes by a pipe") {
  const TestFolder place;
  REQUIRE(
      place.gpupost({"in.png", "merge", "--with", "in.png", "--mode", "add", "-o", "whole.png", "--quiet"}).exit_code ==
      0);
  for (const std::string line : {"cat in.png | gpupost in.png merge --with - --mode add -o out.png --quiet",
                                 "gpupost in.png merge --with <(cat in.png) --mode add -o out.png --quiet"}) {
    CHECK_MESSAGE(place.shell(line).exit_code == 0, line);
    CHECK_MESSAGE(place.read("out.png") == place.read("whole.png"), line);
  }
}

TEST_CASE("a closed pipe under text is no error") {
  const TestFolder place;
  for (const std::string line :
       {"gpupost help | true", "gpupost ops --markdown | true", "gpupost shader mips | head -n 1",
        "for i in 1 2 3; do gpupost help; done | head -c 100"}) {
    const Finished finished = place.shell(std::string("set -o pipefail; ") + line, no_driver);
    CHECK_MESSAGE(finished.exit_code == 0, line);
    CHECK_MESSAGE(finished.err == "", line, ": ", finished.err);
  }
}

TEST_CASE("a closed pipe under a picture is an output that cannot be written") {
  const TestFolder place;
  const Finished finished = place.shell("{ sleep 0.1; gpupost wide.exr -o - --format exr; echo code $? >&2; } | true");
  CHECK_MESSAGE(finished.err.find("code 3") != std::string::npos, finished.err);
  CHECK_MESSAGE(finished.err.starts_with("gpupost: standard output: cannot be written"), finished.err);
}

TEST_CASE("names of open descriptors are written on to: pipes, and files that hold something") {
  const TestFolder place;
  REQUIRE(place.shell("gpupost in.exr -o - --format exr > straight.exr").exit_code == 0);
  const std::string file = place.read("straight.exr");
  for (const std::string line :
       {"gpupost in.exr -o /dev/stdout --format exr | cat > out.exr",
        "gpupost in.exr -o >(cat > out.exr) --format exr; wait $!",
        "gpupost in.exr -o /dev/fd/3 --format exr 3> out.exr", "gpupost in.exr -o /dev/stdout | cat > out.exr",
        "gpupost in.exr -o /dev/fd/3 3> out.exr", "gpupost in.exr -o link --format exr > out.exr"}) {
    const Finished finished = place.shell(fmt::format("rm -f out.exr; ln -sf /dev/stdout link; {}", line));
    CHECK_MESSAGE(finished.exit_code == 0, line, ": ", finished.err);
    CHECK_MESSAGE(place.read("out.exr") == file, line);
  }
  place.write("log", "what stood there\n");
  REQUIRE(place.shell("gpupost in.exr -o /proc/self/fd/1 --format exr >> log").exit_code == 0);
  CHECK(place.read("log") == "what stood there\n" + file);
  place.write("log", "what stood there\n");
  REQUIRE(place.shell("gpupost in.exr -o out.exr --report /dev/stderr 2>> log").exit_code == 0);
  CHECK(place.read("log").starts_with("what stood there\n{"));
}

TEST_CASE("a descriptor that is not open, or is for reading, is refused before any work") {
  const TestFolder place;
  for (const std::string line :
       {"gpupost missing.exr -o /dev/fd/9 --format exr", "gpupost missing.exr -o /dev/stdin --format exr < in.exr",
        "gpupost missing.exr -o - --format exr >&-"}) {
    const Finished finished = place.shell(line);
    CHECK_MESSAGE(finished.exit_code == 3, line, ": ", finished.err);
    CHECK_MESSAGE(is_one_error(finished.err), finished.err);
  }
  const Finished both = place.shell("gpupost in.exr -o /dev/stdout --format exr --report - | cat > both");
  CHECK_MESSAGE(
      both.err.find("--report -: the output of in.exr goes there too; name another file") != std::string::npos,
      both.err);
}

TEST_CASE("a full disk under standard output is an error, under a picture and under text") {
  const TestFolder place;
  const Finished picture = place.run(
      {.program = tested_program(), .words = {"in.exr", "-o", "-", "--format", "exr"}, .output_file = "/dev/full"});
  CHECK(picture.exit_code == 3);
  CHECK_MESSAGE(is_one_error(picture.err), picture.err);
  const Finished text =
      place.run({.program = tested_program(), .words = {"info", "in.exr", "--json"}, .output_file = "/dev/full"});
  CHECK(text.exit_code == 3);
  CHECK_MESSAGE(is_one_error(text.err), text.err);
}

TEST_CASE("a standard error that is full, closed or read no more changes no result and no exit code") {
  const TestFolder place;
  const std::string batch = "gpupost depth.exr layers.exr in.exr text.exr other.exr -o '{stem}.png' --report r.json ";
  for (const std::string way : {"2> /dev/full", "2>&-", "2> >(true)"}) {
    INFO(way);
    const Finished finished = place.shell(fmt::format("rm -f r.json *.png; {}{}", batch, way), no_driver);
    CHECK(finished.exit_code == 5);
    for (const std::string name : {"depth.png", "layers.png", "in.png", "other.png", "r.json"})
      CHECK_MESSAGE(place.has(name), name);
    CHECK(place.shell("gpupost missing.exr -o out.png " + way).exit_code == 2);
    CHECK(place.shell("gpupost in.exr -o out.png --timing " + way).exit_code == 0);
    CHECK(place.shell("gpupost " + way).exit_code == 1);
  }
}

TEST_CASE("what is closed of the standard descriptors is no place for files that are opened") {
  const TestFolder place;
  for (const std::string line : {"gpupost - -o out.exr <&-", "gpupost - -o out.exr <&- >&- 2>&-"})
    CHECK_MESSAGE(place.shell(line).exit_code == 2, line);
  CHECK(place.shell("gpupost in.exr -o out.exr <&- >&- 2>&-").exit_code == 0);
  CHECK(place.gpupost({"compare", "in.exr", "out.exr"}).exit_code == 0);
  CHECK(place.shell("gpupost info in.exr >&-").exit_code == 3);
}

TEST_CASE("a picture that is cut off in the pipe is refused, and standard output stays empty") {
  const TestFolder place;
  const Finished finished = place.shell("head -c 500 in.exr | gpupost mips");
  CHECK(finished.exit_code == 2);
  CHECK(finished.out == "");
  CHECK_MESSAGE(is_one_error(finished.err), finished.err);
}

TEST_CASE("a signal leaves no temporary file and ends the program by itself, unless it is to be ignored") {
  const TestFolder place;
  place.write("out.exr", "an old output");
  const auto before = place.files();
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGUSR1, SIGUSR2})
    for (const bool is_ignored : {false, true}) {
      CAPTURE(number);
      CAPTURE(is_ignored);
      CHECK(exit_code_after(number, is_ignored, place.path("out.exr")) == (is_ignored ? 2 : -number));
      CHECK(place.files() == before);
    }
}

TEST_CASE("an interrupt from the terminal ends the shell loop that gpupost runs in") {
  const TestFolder place;
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  const Descriptor read_end(ends[0]), write_end(ends[1]);  // no picture comes: gpupost waits
  const std::string line = fmt::format("for i in 1; do '{}' - -o '{}' 2>/dev/null; done; touch '{}'", tested_program(),
                                       place.path("out.exr"), place.path("after"));
  const pid_t shell = fork();
  if (shell == 0) {
    setpgid(0, 0);  // Ctrl-C goes to all of the terminal's group
    std::signal(SIGINT, SIG_DFL);
    dup2(ends[0], STDIN_FILENO);
    execl("/bin/bash", "bash", "-c", line.c_str(), nullptr);
    _exit(127);
  }
  std::optional<pid_t> child;
  for (int waited_ms = 0; waited_ms < 20'000; ++waited_ms) {
    child = child_of(shell);
    if (child && has_answer_to(*child, SIGTERM)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(child);
  kill(-shell, SIGINT);
  int status = 0;
  waitpid(shell, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
  CHECK(!std::filesystem::exists(place.path("after")));
}

TEST_CASE("an output to a named pipe without a reader does not hold up an interrupt") {
  const TestFolder place;
  const Finished finished = place.shell(
      "mkfifo pipe; gpupost in.png -o pipe --format png & sleep 0.5; kill -TERM $!; SECONDS=0; wait $!; "
      "echo $? $((SECONDS < 5))");
  CHECK(finished.out == "143 1\n");
}

TEST_CASE("a second PNG in a pipe is told") {
  const TestFolder place;
  const Finished finished = place.shell("cat in.png in.png | gpupost - -o one.png");
  CHECK(finished.exit_code == 0);
  CHECK(finished.err.find("is followed by another image; only the first is read") != finished.err.npos);
  check_same(place, "one.png", "in.png");
}
