// R8: what ends the program, and disks that are full, at any moment of writing.
#include "core/system/sandbox.h"
#include "tests/program/test_folder.h"
#include "tests/robustness/trial.h"
#include "tests/support/skip.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string_view>
#include <thread>

using namespace gpupost;
using namespace gpupost::test;
using std::chrono::microseconds;

namespace {

using Clock = std::chrono::steady_clock;

// Tells when names appear in a folder.
class Watch {
 public:
  explicit Watch(const std::string& folder) : queue_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (queue_ < 0 || inotify_add_watch(queue_, folder.c_str(), IN_CREATE | IN_MOVED_TO) < 0)
      throw std::runtime_error("the folder " + folder + " cannot be watched");
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() { close(queue_); }

  // False where there was none for ten seconds.
  bool wait_for_one() const {
    pollfd waiting{.fd = queue_, .events = POLLIN, .revents = 0};
    char events[4096];
    return poll(&waiting, 1, 10'000) == 1 && read(queue_, events, sizeof events) > 0;
  }

 private:
  int queue_;
};

pid_t started(const Trial& trial, const char* milliseconds_a_write = "0") {
  const Words words = trial.words();
  std::vector<char*> arguments{const_cast<char*>(GPUPOST_PROGRAM)};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  signal(SIGINT, SIG_DFL);  // what a shell runs behind itself has it ignored
  setenv("LD_PRELOAD", GPUPOST_FAULTS "/libhost_faults.so", 1);
  setenv("GPUPOST_FAIL_IN", "program", 1);
  setenv("GPUPOST_SHORT_WRITES", "1", 1);  // so that there are many moments of writing
  setenv("GPUPOST_SLOW_WRITES", milliseconds_a_write, 1);
  if (chdir(trial.path().c_str()) == 0) execv(GPUPOST_PROGRAM, arguments.data());
  _exit(127);
}

// From the temporary file's first moment to the moment when it has its name.
microseconds writing_time(const Trial& trial) {
  const Watch watch(trial.path());
  const pid_t child = started(trial);
  REQUIRE(watch.wait_for_one());
  const Clock::time_point begin = Clock::now();
  REQUIRE(watch.wait_for_one());
  const auto time = std::chrono::duration_cast<microseconds>(Clock::now() - begin);
  waitpid(child, nullptr, 0);
  return time;
}

std::string name_of_signal(int number) { return fmt::format("SIG{}", sigabbrev_np(number)); }

// "" where the old output or the whole new one is there, and nothing else behind a signal that can be answered.
std::string wrong_behind(int signal_number, int status, const Trial& trial) {
  if (WIFSIGNALED(status) && WTERMSIG(status) != signal_number)
    return fmt::format("ended by signal {}", WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) return fmt::format("exit {}", WEXITSTATUS(status));
  return trial.wrong_output(signal_number != SIGKILL);
}

void end_at_moments(Criterion& bar, const Trial& trial, int signal_number, int count) {
  const microseconds longest = writing_time(trial) * 5 / 4;
  std::mt19937 random(unsigned(signal_number) * 1000u);
  for (int round = 0; round < count; ++round) {
    trial.put_old_output();
    const Watch watch(trial.path());
    const pid_t child = started(trial);
    REQUIRE(watch.wait_for_one());
    const microseconds delay(std::uniform_int_distribution<long>(0, longest.count())(random));
    std::this_thread::sleep_for(delay);
    kill(child, signal_number);
    int status = 0;
    waitpid(child, &status, 0);
    bar.count(wrong_behind(signal_number, status, trial),
              fmt::format("{} {} us behind the first moment, of {}", name_of_signal(signal_number), delay.count(),
                          longest.count()));
  }
}

}  // namespace

TEST_CASE("R8: what ends the program while it writes leaves the old output or the whole new one") {
  const Trial trial({"--compression", "none"}, "long.exr");
  const int count = is_thorough() ? 200 : 20;
  for (const int signal_number : {SIGKILL, SIGTERM, SIGINT, SIGABRT, SIGSEGV}) {
    if (is_sanitized() && (signal_number == SIGABRT || signal_number == SIGSEGV)) continue;
    Criterion bar("R8 " + name_of_signal(signal_number), "times the output was the old one or the whole new one");
    end_at_moments(bar, trial, signal_number, count);
  }
}

// The disk takes 1 KiB a second, and the file has over 100.
TEST_CASE("R8: a file that takes over 10 s is removed, and a second signal does not wait that long") {
  Criterion bar("R8 slow disks", "interrupted writes to a slow disk ended in time");
  const Trial trial({"--compression", "none"}, "long.exr");
  for (const bool is_repeated : {true, false}) {
    if (!is_repeated && !is_thorough()) continue;
    trial.put_old_output();
    const Watch watch(trial.path());
    const pid_t child = started(trial, "100");
    REQUIRE(watch.wait_for_one());
    const Clock::time_point begin = Clock::now();
    kill(child, SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const bool has_waited = waitpid(child, nullptr, WNOHANG) == 0;
    if (is_repeated) kill(child, SIGTERM);
    int status = 0;
    if (has_waited) waitpid(child, &status, 0);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const int expected = is_repeated ? SIGTERM : SIGINT;
    std::string wrong = trial.wrong_output(true);
    if (wrong.empty() && !trial.has_old_output()) wrong = "the file was finished";
    if (!has_waited) wrong = "it did not try to finish the file";
    if (!WIFSIGNALED(status) || WTERMSIG(status) != expected) wrong = fmt::format("status {}", status);
    if (is_repeated ? seconds > 2 : seconds < 9 || seconds > 12) wrong = fmt::format("it took {} s", seconds);
    bar.count(wrong, is_repeated ? "two signals" : "one signal");
  }
}

TEST_CASE("R8: a disk that is full, a limit on files and a closed pipe are exit 3, and the old output stays") {
  Criterion bar("R8 full disks", "ways of running out of room ended rightly");
  const Trial trial({"--compression", "none", "--bits", "32f"}, "long.exr");  // larger than what it is made of
  const auto shell = [&](const std::string& line) {
    return trial.run({.program = "/bin/bash", .words = {"-c", line}, .environment = {{"GPUPOST", GPUPOST_PROGRAM}}});
  };
  const std::string convert = "$GPUPOST in.exr --compression none --bits 32f --format exr -o ";
  bar.count(trial.wrong(shell("ulimit -f 200; " + convert + "out.exr"), {3}), "ulimit -f");
  bar.count(trial.wrong(shell(convert + "/dev/full"), {3}), "/dev/full");
  bar.count(trial.wrong(shell(convert + "- > /dev/full"), {3}), "standard output to /dev/full");
  bar.count(trial.wrong(shell("{ sleep 0.1; " + convert + "-; } | true; exit ${PIPESTATUS[0]}"), {3}), "a closed pipe");
  // in a place of its own among the mounts, where that may be made
  const std::string mounted = "unshare --mount bash -c 'mkdir /tmp/gpupost-full && mount -t tmpfs -o size=64k none ";
  if (shell(mounted + "/tmp/gpupost-full'; code=$?; rmdir /tmp/gpupost-full; exit $code").exit_code != 0)
    return skip("no file system can be mounted here");
  const std::string in_mounted = "/tmp/gpupost-full && echo old > /tmp/gpupost-full/out.exr && " + convert +
                                 "/tmp/gpupost-full/out.exr; code=$?; [ \"$(ls -A /tmp/gpupost-full)\" = out.exr ] && "
                                 "[ \"$(cat /tmp/gpupost-full/out.exr)\" = old ] || code=99; exit $code'; code=$?; "
                                 "rmdir /tmp/gpupost-full; exit $code";
  bar.count(trial.wrong(shell(mounted + in_mounted), {3}), "a file system of 64 KiB");
}
