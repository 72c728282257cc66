#include "core/system/interrupt.h"

#include "core/system/atomic_file.h"
#include "core/system/sandbox.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <iterator>

namespace gpupost {

namespace {

constexpr unsigned most_seconds = 10;  // to finish files

std::atomic<int> interrupt = 0;                // the first signal that came; 0: none
char line_text[512];                           // text of say_at_interrupt()
std::atomic<const char*> last_line = nullptr;  // line_text, or nullptr if there is nothing to say
std::atomic<size_t> done_count = 0;            // count_for_interrupt()
std::atomic<int> writing_count = 0;            // threads with a living FileWriting
static_assert(std::atomic<int>::is_always_lock_free, "signal handlers use it");

// Ends the process as the signal would without a handler, so that a shell sees the signal and ends its loop.
[[noreturn]] void die_by(int signal_number) {
  remove_temporary_files();
  signal(signal_number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal_number);        // to this thread: another one might take it after the line below
  _exit(128 + signal_number);  // the kernel ignores the default action of process 1 of a container
}

// Says how to go on, unless standard error takes nothing now.
void say_last_line() {
  const char* line = last_line.exchange(nullptr);
  pollfd standard_error = {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (!line || poll(&standard_error, 1, 0) != 1) return;
  char text[sizeof line_text + 20];
  char* end = text;
  for (; *line; ++line)
    if (*line == '#') end = std::to_chars(end, std::end(text), done_count.load()).ptr;
    else *end++ = *line;
  [[maybe_unused]] const ssize_t count = write(STDERR_FILENO, text, size_t(end - text));
}

// Either the handler sees a count above 0, or a FileWriting that begins sees the interrupt.
void on_interrupt(int signal_number) {
  if (signal_number == SIGXCPU && interrupt == SIGXCPU) return;  // the kernel repeats it each second
  const int error = errno;
  if (interrupt == 0) say_last_line();
  int none = 0;
  if (!interrupt.compare_exchange_strong(none, signal_number) || writing_count == 0) die_by(signal_number);
  alarm(most_seconds);
  errno = error;
}

bool ignores_alarms = false;  // of the caller

// An alarm of its own ends the wait for files that are being written; one that the caller has set interrupts.
void on_alarm(int signal_number) {
  if (interrupt != 0) die_by(interrupt);
  if (ignores_alarms) return;
  on_interrupt(signal_number);
}

void leave() {
  if (--writing_count == 0 && interrupt != 0) die_by(interrupt);
}

}  // namespace

void handle_interrupts() {
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2, SIGTERM})
    if (signal(number, on_interrupt) == SIG_IGN) signal(number, SIG_IGN);  // nohup and a shell's & ask for that
  if (signal(SIGALRM, on_alarm) == SIG_IGN) ignores_alarms = true;
  if (is_sanitized()) return;  // sanitizers report crashes
  for (const int number : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV}) signal(number, die_by);
}

void say_at_interrupt(std::string_view line) {
  last_line = nullptr;
  done_count = 0;
  const size_t size = std::min(line.size(), sizeof line_text - 1);
  std::copy_n(line.begin(), size, line_text);
  line_text[size] = 0;
  if (size > 0) last_line = line_text;
}

void count_for_interrupt() { ++done_count; }

static thread_local int depth = 0;  // living FileWritings of this thread

FileWriting::FileWriting() {
  if (depth++ > 0) return;
  ++writing_count;
  if (interrupt == 0) return;
  leave();
  for (;;) pause();  // the last of the others ends the process
}

FileWriting::~FileWriting() {
  if (--depth == 0) leave();
}

}  // namespace gpupost
