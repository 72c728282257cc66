// What SIGHUP, SIGINT, SIGQUIT and SIGTERM do. The first one starts no new output file, lets the files that are being written
// finish for at most 10 s, removes the temporary files of the rest, and ends the process by that same signal. The second one
// ends the process at once. main() installs the handlers; write_files() marks its work.
#pragma once

namespace gpupost {

// Installs the handlers. A signal that the parent process ignores stays ignored.
void handle_interrupts();

// Writes this line to standard error when the first interrupt comes. It must outlive the process's work; nullptr: nothing.
void say_at_interrupt(const char* line);

// While one of these lives, a first interrupt waits. Its constructor does not return after an interrupt; the destructor of the
// last one ends the process where an interrupt came. Any thread may have one; they must not be nested.
class FileWriting {
 public:
  FileWriting();
  FileWriting(const FileWriting&) = delete;
  FileWriting& operator=(const FileWriting&) = delete;
  ~FileWriting();
};

}  // namespace gpupost
