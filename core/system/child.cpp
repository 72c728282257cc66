#include "core/system/child.h"

#include "core/base/error.h"
#include "core/system/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>

extern char** environ;  // of this process

namespace gpupost {

namespace {

using namespace std::chrono_literals;

std::string worker_program;

[[noreturn]] void fail_start(int error) {
  fail(Exit::limit, "a worker cannot be started: {}{}", std::generic_category().message(error),
       error == ENOENT ? fmt::format(" (it needs {} and /dev/null)", worker_program) : "");
}

// What the worker finds: its socket, no terminal, no other descriptors.
class FileActions {
 public:
  FileActions() {
    if (const int error = posix_spawn_file_actions_init(&actions_)) fail_start(error);
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  void silence(int number) { check(posix_spawn_file_actions_addopen(&actions_, number, "/dev/null", O_RDWR, 0)); }
  void place(int descriptor, int number) { check(posix_spawn_file_actions_adddup2(&actions_, descriptor, number)); }
  void close_from(int number) { check(posix_spawn_file_actions_addclosefrom_np(&actions_, number)); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  static void check(int error) {
    if (error != 0) fail_start(error);
  }
  posix_spawn_file_actions_t actions_;
};

// Signals as a fresh program has them, and a process group of its own: an interrupt from the terminal is the parent's to
// answer, and its end is the worker's.
class Attributes {
 public:
  Attributes() {
    if (const int error = posix_spawnattr_init(&attributes_)) fail_start(error);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// What of this process' environment a worker gets: what the loader, sanitizers and our own tests need. The rest may be secret.
std::vector<char*> worker_environment() {
  std::vector<char*> kept;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable, name = text.substr(0, text.find('='));
    if (name.starts_with("LD_") || name.starts_with("GPUPOST_") || name.ends_with("SAN_OPTIONS"))
      kept.push_back(*variable);
  }
  kept.push_back(nullptr);
  return kept;
}

double seconds_of(const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) * 1e-6; }

// Whether a worker ended at a limit of this process, which is lower than that of its task. At the soft limit the kernel sends
// SIGXCPU, at the hard limit SIGKILL.
bool has_reached_own_cpu_limit(const WorkerAnswer& answer, int signal, int task_seconds) {
  rlimit own = {};
  if (getrlimit(RLIMIT_CPU, &own) != 0) return false;
  if (signal == SIGXCPU) return own.rlim_cur < rlim_t(task_seconds);
  return signal == SIGKILL && own.rlim_max != RLIM_INFINITY && answer.cpu_seconds >= double(own.rlim_max);
}

}  // namespace

void use_worker_program(std::string path) { worker_program = std::move(path); }

bool is_worker(int argc, char** argv, std::string_view word) { return argc == 2 && argv[1] == word; }

void run_worker(const std::function<std::vector<std::byte>(const Message&)>& answer) {
  try {
    while (const std::optional<Message> message = receive_message(worker_talk))
      if (write_message(worker_talk, answer(*message)) != 0) _exit(EXIT_FAILURE);
  } catch (const std::bad_alloc&) {
    _exit(int(Exit::limit));  // the reply could not be allocated
  } catch (const std::exception&) {
    _exit(EXIT_FAILURE);  // the program was started by hand
  }
  _exit(EXIT_SUCCESS);
}

Worker::Worker(std::string_view word) {
  if (worker_program.empty()) fail(Exit::bug, "no program for workers was handed in (use_worker_program)");
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail_start(errno);
  talk_ = Descriptor(ends[0]);
  const Descriptor far_end(ends[1]);
  // dup2() to its own number would leave it to be closed by exec()
  const Descriptor above(fcntl(far_end.get(), F_DUPFD_CLOEXEC, worker_talk + 1));
  if (above.get() < 0) fail_start(errno);
  FileActions actions;
  actions.silence(STDIN_FILENO);
  actions.silence(STDOUT_FILENO);
  if (!is_sanitized()) actions.silence(STDERR_FILENO);  // the C library's last words are no line of ours
  actions.place(above.get(), worker_talk);
  actions.close_from(worker_talk + 1);
  const Attributes attributes;
  std::string name = "gpupost", own_word(word);
  char* const arguments[] = {name.data(), own_word.data(), nullptr};
  const int error = posix_spawn(&process_, worker_program.c_str(), actions.get(), attributes.get(), arguments,
                                worker_environment().data());
  if (error != 0) fail_start(error);
}

Worker::~Worker() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

WorkerAnswer Worker::ask(std::span<const std::byte> request, std::span<const int> descriptors, size_t max_answer_bytes,
                         std::chrono::seconds at_most) {
  Clock::time_point deadline = Clock::now() + at_most;
  const int error = send_message(talk_.get(), request, descriptors);
  const bool is_dead = error == EPIPE || error == ECONNRESET;  // how it ended tells more
  if (error != 0 && !is_dead)
    fail(Exit::limit, "a worker cannot be sent its request: {}", std::generic_category().message(error));
  WorkerAnswer answer;
  if (!listen(answer, max_answer_bytes, deadline)) {
    answer.said.clear();
    wait(answer, deadline);
  }
  return answer;
}

// Returns whether a whole reply came.
bool Worker::listen(WorkerAnswer& answer, size_t max_answer_bytes, Clock::time_point& deadline) {
  constexpr std::chrono::milliseconds most_at_once = 1s;
  std::vector<std::byte> part(64 << 10);
  MessageSize size = 0;
  size_t end = sizeof size;  // of what is known of the message
  while (answer.said.size() < end) {
    const Clock::time_point start = Clock::now();
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - start);
    pollfd waiting = {.fd = talk_.get(), .events = POLLIN, .revents = 0};
    const auto at_most = std::clamp(left + 1ms, 0ms, most_at_once);
    const int ready = poll(&waiting, 1, int(at_most.count()));
    // a process that was stopped and continued does not count that time
    if (const auto stopped = Clock::now() - start - at_most; stopped > most_at_once) deadline += stopped;
    answer.was_too_slow = ready == 0 && Clock::now() >= deadline;
    if (answer.was_too_slow) return false;
    if (ready <= 0) continue;
    const ssize_t got = recv(talk_.get(), part.data(), std::min(part.size(), end - answer.said.size()), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    answer.said.insert(answer.said.end(), part.begin(), part.begin() + got);
    if (end != sizeof size || answer.said.size() < end) continue;
    std::memcpy(&size, answer.said.data(), sizeof size);
    answer.said_too_much = size > max_answer_bytes;
    if (answer.said_too_much) return false;
    end += size;
  }
  answer.said.erase(answer.said.begin(), answer.said.begin() + sizeof size);
  return true;
}

// A worker that has closed its socket is about to end; one that does not is made to.
void Worker::wait(WorkerAnswer& answer, Clock::time_point deadline) {
  if (answer.was_too_slow || answer.said_too_much) kill(process_, SIGKILL);
  auto pause = 50us;
  while (true) {
    rusage used = {};
    const pid_t ended = wait4(process_, &answer.status, WNOHANG, &used);
    answer.has_no_status = ended < 0 && errno != EINTR;
    answer.cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    if (ended == process_ || answer.has_no_status) break;
    if (Clock::now() >= deadline && !answer.was_too_slow) {
      answer.was_too_slow = true;
      kill(process_, SIGKILL);
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, 5000us);
  }
  process_ = -1;
}

double Worker::cpu_seconds() const {
  clockid_t clock = {};
  timespec time = {};
  if (clock_getcpuclockid(process_, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

bool Worker::renew_cpu_limit(int seconds) const {
  rlimit own = {}, limits = {};
  if (getrlimit(RLIMIT_CPU, &own) != 0 || prlimit(process_, RLIMIT_CPU, nullptr, &limits) != 0) return false;
  const rlim_t more = std::min(own.rlim_cur, rlim_t(seconds));  // a lower limit of this program holds for workers too
  limits.rlim_cur = std::min(rlim_t(std::ceil(cpu_seconds())) + more, limits.rlim_max);
  return prlimit(process_, RLIMIT_CPU, &limits, nullptr) == 0;
}

void throw_worker_failure(const WorkerAnswer& answer, const Task& task) {
  const int signal = WIFSIGNALED(answer.status) ? WTERMSIG(answer.status) : 0;
  if (answer.was_too_slow)
    fail(Exit::input, "took over {} s to {}{}", task.wall_seconds, task.action, task.wall_option);
  if (answer.has_no_status)
    fail(Exit::limit, "the {} ended without a status, because SIGCHLD is ignored; start gpupost without that",
         task.worker);
  if (has_reached_own_cpu_limit(answer, signal, task.cpu_seconds))
    fail(Exit::limit, "the {} needs more processor time than this process may use; raise the limit (ulimit -t)",
         task.worker);
  if (signal == SIGXCPU)
    fail(Exit::input, "took over {} s of processor time to {}{}", task.cpu_seconds, task.action, task.cpu_option);
  if (signal == SIGXFSZ)
    fail(Exit::limit, "the {} needs more shared memory than the limit on file sizes allows (ulimit -f)", task.worker);
  if (signal == SIGKILL && !answer.said_too_much)
    fail(Exit::limit, "the {} was killed; the system may be out of memory", task.worker);
  if (signal == SIGBUS && !answer.said_too_much)
    fail(Exit::input, "the {} could not read the whole file: it became shorter, its disk fails, or it is hostile",
         task.worker);
  if (signal != 0 && !answer.said_too_much)
    fail(Exit::input, "the {} crashed on this file (signal {}); the file is damaged or hostile", task.worker, signal);
  if (WIFEXITED(answer.status) && WEXITSTATUS(answer.status) == int(Exit::limit))
    fail(Exit::limit, "the {} is out of memory", task.worker);
  constexpr int loader_failure = 127;  // of the loader and of posix_spawn
  if (WIFEXITED(answer.status) && WEXITSTATUS(answer.status) == loader_failure)
    fail(Exit::limit, "the {} could not be started", task.worker);
  if (WIFEXITED(answer.status) && WEXITSTATUS(answer.status) != 0)
    fail(Exit::input, "the {} failed on this file (exit code {}); the file is damaged or hostile", task.worker,
         WEXITSTATUS(answer.status));
  fail(Exit::input, "the {} gave an invalid answer; the file may be hostile", task.worker);
}

}  // namespace gpupost
