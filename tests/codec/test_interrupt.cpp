#include "core/system/interrupt.h"

#include "core/system/descriptor.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace gpupost;

namespace {

constexpr int handled[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGUSR1, SIGUSR2};

// A process with the program's handlers that does `work`, which may tell how far it came with one byte each time.
class Process {
 public:
  explicit Process(const std::function<void(int tell)>& work) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ == 0) {
      const rlimit no_core{};  // which SIGQUIT leaves
      setrlimit(RLIMIT_CORE, &no_core);
      for (const int number : handled) signal(number, SIG_DFL);
      handle_interrupts();
      work(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    told_ = Descriptor(ends[0]);
  }
  Process(const Process&) = delete;
  ~Process() { kill(process_, SIGKILL); }

  void send(int number) const { kill(process_, number); }
  // What it tells next; '\0' where it has ended or says nothing for so long.
  char next() const {
    constexpr int milliseconds = 60'000;
    pollfd waiting{.fd = told_.get(), .events = POLLIN, .revents = 0};
    char told = '\0';
    return poll(&waiting, 1, milliseconds) == 1 && read(told_.get(), &told, 1) == 1 ? told : '\0';
  }
  // The signal that ended it; 0 where it ended otherwise.
  int ending() const {
    int status = 0;
    waitpid(process_, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

 private:
  pid_t process_ = -1;
  Descriptor told_;
};

void tell(int descriptor, char what) { static_cast<void>(!write(descriptor, &what, 1)); }

void sleep_ms(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

}  // namespace

TEST_CASE("an interrupt ends a process that writes no file by the same signal") {
  std::vector<int> numbers(std::begin(handled), std::end(handled));
  numbers.push_back(SIGALRM);  // which a caller may have set
  for (const int number : numbers) {
    CAPTURE(number);
    const Process process([](int to) {
      { const FileWriting before; }
      tell(to, 'r');
      sleep_ms(20'000);
    });
    REQUIRE(process.next() == 'r');
    process.send(number);
    CHECK(process.ending() == number);
  }
}

TEST_CASE("a signal that the caller ignores does not end the process") {
  for (const int number : {SIGALRM}) {
    signal(number, SIG_IGN);
    const Process process([](int to) {
      tell(to, 'r');
      sleep_ms(300);
      tell(to, 'e');
      sleep_ms(20'000);
    });
    signal(number, SIG_DFL);
    REQUIRE(process.next() == 'r');
    process.send(number);
    CHECK(process.next() == 'e');
    process.send(SIGTERM);
    CHECK(process.ending() == SIGTERM);
  }
}

TEST_CASE("an interrupt that any thread takes ends the process by the same signal") {
  for (int round = 0; round < 40; ++round)
    for (const int number : {SIGINT, SIGQUIT}) {
      CAPTURE(number);
      const Process process([number](int) {
        std::jthread other([number] { raise(number); });
        sleep_ms(20'000);
      });
      REQUIRE(process.ending() == number);
    }
}

// In the next cases the process interrupts itself, at the moment that the case is about.
TEST_CASE("an interrupt lets a file that is being written finish, and nothing behind it begins") {
  const Process process([](int to) {
    {
      const FileWriting writing;
      raise(SIGINT);
      tell(to, 'e');
    }
    tell(to, 'n');
  });
  CHECK(process.next() == 'e');
  CHECK(process.next() == '\0');
  CHECK(process.ending() == SIGINT);
}

TEST_CASE("of two threads that write, the one that has not begun at the interrupt does not begin") {
  const Process process([](int to) {
    std::atomic<bool> is_interrupted = false;
    std::jthread other([&] {
      const FileWriting writing;
      raise(SIGTERM);
      is_interrupted = true;
      is_interrupted.notify_one();
      sleep_ms(200);  // in which the other one would begin
      tell(to, 'e');
    });
    is_interrupted.wait(false);
    const FileWriting too_late;
    tell(to, 'n');
  });
  CHECK(process.next() == 'e');
  CHECK(process.next() == '\0');
  CHECK(process.ending() == SIGTERM);
}

TEST_CASE("a file that is written within other work finishes with that work") {
  const Process process([](int to) {
    {
      const FileWriting encoding;
      raise(SIGINT);
      { const FileWriting writing; }
      tell(to, 'e');
    }
    tell(to, 'n');
  });
  CHECK(process.next() == 'e');
  CHECK(process.next() == '\0');
  CHECK(process.ending() == SIGINT);
}

TEST_CASE("a second interrupt ends the process at once") {
  const Process process([](int to) {
    const FileWriting writing;
    raise(SIGINT);
    tell(to, 'g');
    raise(SIGINT);
    tell(to, 'e');
  });
  CHECK(process.next() == 'g');
  CHECK(process.next() == '\0');
  CHECK(process.ending() == SIGINT);
}
