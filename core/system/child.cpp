#include "core/system/child.h"

#include "core/base/error.h"
#include "core/system/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
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

// What the worker finds: its descriptors in their places, no terminal, no others.
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

// A copy whose number none of the worker's places has, so that putting them in place overwrites none.
Descriptor out_of_the_way(int descriptor, int place_end) {
  Descriptor copy(fcntl(descriptor, F_DUPFD_CLOEXEC, place_end));
  if (copy.get() < 0) fail_start(errno);
  return copy;
}

}  // namespace

void use_worker_program(std::string path) { worker_program = std::move(path); }

bool is_worker(int argc, char** argv, std::string_view word) { return argc == 2 && argv[1] == word; }

Worker::Worker(std::string_view word, std::span<const int> descriptors) {
  if (worker_program.empty()) fail(Exit::bug, "no program for workers was handed in (use_worker_program)");
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail_start(errno);
  talk_ = Descriptor(ends[0]);
  const Descriptor far_end(ends[1]);
  const int place_end = worker_descriptors + int(descriptors.size());
  std::vector<Descriptor> copies;
  copies.push_back(out_of_the_way(far_end.get(), place_end));
  for (const int descriptor : descriptors) copies.push_back(out_of_the_way(descriptor, place_end));
  FileActions actions;
  actions.silence(STDIN_FILENO);
  actions.silence(STDOUT_FILENO);
  if (!is_sanitized()) actions.silence(STDERR_FILENO);  // the C library's last words are no line of ours
  for (size_t index = 0; index < copies.size(); ++index) actions.place(copies[index].get(), worker_talk + int(index));
  actions.close_from(place_end);
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

WorkerEnd Worker::run(std::span<const std::byte> request, size_t max_answer_bytes, std::chrono::seconds at_most) {
  const Clock::time_point deadline = Clock::now() + at_most;
  while (!request.empty()) {
    const ssize_t put = send(talk_.get(), request.data(), request.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) break;  // it is dead already, and its end tells more
    request = request.subspan(size_t(put));
  }
  shutdown(talk_.get(), SHUT_WR);
  WorkerEnd end;
  listen(end, max_answer_bytes, deadline);
  wait(end, deadline);
  return end;
}

void Worker::listen(WorkerEnd& end, size_t max_answer_bytes, Clock::time_point deadline) {
  std::vector<std::byte> part(64 << 10);
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd waiting = {.fd = talk_.get(), .events = POLLIN, .revents = 0};
    const int ready = left > 0ms ? poll(&waiting, 1, int(std::min<int64_t>(left.count() + 1, 1'000'000))) : 0;
    end.was_too_slow = ready == 0 && Clock::now() >= deadline;
    if (end.was_too_slow) return;
    if (ready <= 0) continue;
    const ssize_t got = recv(talk_.get(), part.data(), part.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    end.said.insert(end.said.end(), part.begin(), part.begin() + got);
    end.said_too_much = end.said.size() > max_answer_bytes;
    if (end.said_too_much) return;
  }
}

// A worker that has closed its socket is about to end; one that does not is made to.
void Worker::wait(WorkerEnd& end, Clock::time_point deadline) {
  if (end.was_too_slow || end.said_too_much) kill(process_, SIGKILL);
  auto pause = 50us;
  while (true) {
    const pid_t ended = waitpid(process_, &end.status, WNOHANG);
    if (ended == process_ || (ended < 0 && errno != EINTR)) break;
    if (Clock::now() >= deadline && !end.was_too_slow) {
      end.was_too_slow = true;
      kill(process_, SIGKILL);
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, 5000us);
  }
  process_ = -1;
}

void throw_worker_failure(const WorkerEnd& end, const Task& task) {
  const int signal = WIFSIGNALED(end.status) ? WTERMSIG(end.status) : 0;
  if (end.was_too_slow) fail(Exit::input, "took over {} s to {}{}", task.wall_seconds, task.action, task.wall_option);
  if (signal == SIGXCPU)
    fail(Exit::input, "took over {} s of processor time to {}{}", task.cpu_seconds, task.action, task.cpu_option);
  if (signal == SIGXFSZ)
    fail(Exit::limit, "the {} needs more shared memory than the limit on file sizes allows (ulimit -f)", task.worker);
  if (signal == SIGKILL && !end.said_too_much)
    fail(Exit::limit, "the {} was killed; the system may be out of memory", task.worker);
  if (signal != 0 && !end.said_too_much)
    fail(Exit::input, "the {} crashed on this file (signal {}); the file is damaged or hostile", task.worker, signal);
  if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == int(Exit::limit))
    fail(Exit::limit, "the {} is out of memory", task.worker);
  constexpr int loader_failure = 127;  // of the loader and of posix_spawn
  if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == loader_failure)
    fail(Exit::limit, "the {} could not be started", task.worker);
  if (WIFEXITED(end.status) && WEXITSTATUS(end.status) != 0)
    fail(Exit::input, "the {} failed on this file (exit code {}); the file is damaged or hostile", task.worker,
         WEXITSTATUS(end.status));
  fail(Exit::input, "the {} gave an invalid answer; the file may be hostile", task.worker);
}

}  // namespace gpupost
