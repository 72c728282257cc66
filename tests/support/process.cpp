#include "tests/support/process.h"

#include <fmt/core.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace gpupost::test {

namespace {

int checked(int result, const std::string& what) {
  if (result < 0) throw std::runtime_error(fmt::format("{}: {}", what, std::generic_category().message(errno)));
  return result;
}

// A descriptor with an owner; no child inherits it under its own number.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(descriptor_); }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// Bytes in memory that a program can read or write as a file: no pipe that fills up while nobody reads it.
int memory_file(const std::string& bytes) {
  const int descriptor = checked(memfd_create("stream", MFD_CLOEXEC), "memfd_create");
  for (size_t at = 0; at < bytes.size();)
    at += size_t(
        checked(int(write(descriptor, bytes.data() + at, std::min(bytes.size() - at, size_t(1) << 30))), "write"));
  lseek(descriptor, 0, SEEK_SET);
  return descriptor;
}

int opened(const std::string& path, int flags) {
  return checked(open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, 0666), path);
}

std::string content_of(const File& file) {
  std::string text;
  char part[65536];
  for (ssize_t count; (count = pread(file.get(), part, sizeof part, off_t(text.size()))) > 0;)
    text.append(part, size_t(count));
  return text;
}

[[noreturn]] void become(const Command& command, const std::vector<char*>& arguments, int in, int out, int err) {
  setpgid(0, 0);
  std::signal(SIGPIPE, SIG_DFL);
  const bool is_ready = dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2 &&
                        (command.folder.empty() || chdir(command.folder.c_str()) == 0);
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  if (is_ready) execv(command.program.c_str(), arguments.data());
  _exit(127);
}

// True where the process ended in time.
bool waited(pid_t child, double seconds) {
  const File handle(checked(int(syscall(SYS_pidfd_open, child, 0)), "pidfd_open"));
  pollfd ended{.fd = handle.get(), .events = POLLIN, .revents = 0};
  return poll(&ended, 1, int(seconds * 1000)) == 1;
}

}  // namespace

Finished run(const Command& command) {
  const File in(command.input_file.empty() ? memory_file(command.input) : opened(command.input_file, O_RDONLY));
  const File out(command.output_file.empty() ? memory_file("") : opened(command.output_file, O_RDWR | O_CREAT));
  const File err(memory_file(""));
  std::vector<char*> arguments{const_cast<char*>(command.program.c_str())};
  for (const std::string& word : command.words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  const pid_t child = checked(fork(), "fork");
  if (child == 0) become(command, arguments, in.get(), out.get(), err.get());
  Finished finished;
  finished.is_too_late = !waited(child, command.seconds);
  if (finished.is_too_late) kill(-child, SIGKILL);
  int status = 0;
  checked(waitpid(child, &status, 0), "waitpid");
  if (WIFEXITED(status)) finished.exit_code = WEXITSTATUS(status);
  else finished.signal = WTERMSIG(status);
  if (command.output_file.empty()) finished.out = content_of(out);
  finished.err = content_of(err);
  return finished;
}

int in_child(const std::function<int()>& body) {
  const pid_t child = checked(fork(), "fork");
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string text_of(const Command& command) {
  std::string text;
  for (const auto& [name, value] : command.environment) text += fmt::format("{}={} ", name, value);
  text += command.program.substr(command.program.rfind('/') + 1);
  for (const std::string& word : command.words) {
    const bool is_plain = !word.empty() && word.find_first_of(" '\"{}$*;&|<>\n") == word.npos;
    text += is_plain ? " " + word : " '" + word + "'";
  }
  return text;
}

}  // namespace gpupost::test
