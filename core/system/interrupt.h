// Handling of SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGUSR1 and SIGUSR2. After the first signal, no new output is
// started; files that are being encoded or written may finish for at most 10 s; other temporary files are removed; then
// the process ends by that signal. The second signal ends it immediately, except a repeated SIGXCPU. main() installs
// the handlers; write_files() and run_jobs() mark their work. A crash, of a driver for example, removes all temporary files, and
// the process ends by that signal.
#pragma once

#include <string_view>

namespace gpupost {

// Installs the handlers. A signal that the parent process ignores stays ignored.
void handle_interrupts();

// Sets a line for standard error at the first signal. It is copied. "": none. # in it stands for the number of calls of
// count_for_interrupt() since.
void say_at_interrupt(std::string_view line);
void count_for_interrupt();

// While an object exists, the first signal is delayed. After a signal, the constructor does not return, and the destructor of
// the last object ends the process. Any thread may create objects, also several at once.
class FileWriting {
 public:
  FileWriting();
  FileWriting(const FileWriting&) = delete;
  FileWriting& operator=(const FileWriting&) = delete;
  ~FileWriting();
};

}  // namespace gpupost
