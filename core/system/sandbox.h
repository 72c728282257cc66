// What a worker takes from itself before it looks at a file.
#pragma once

#include <cstdint>

namespace gpupost {

struct SandboxLimits {
  uint64_t memory_bytes = 0;  // of address space
  uint64_t file_bytes = 0;    // of the shared memory that is written
  int cpu_seconds = 0;
  bool reads_files = false;  // may open files for reading
};

// Limits the calling process for good: it dies with its parent, has the limits above, leaves no core, gains no rights, and
// can make no system call but those for memory, threads and open descriptors. New memory cannot be executable, and
// signals reach this process alone. Threads must not have been started. Returns whether system calls are filtered: where the
// system has no seccomp, the rest still holds.
bool enter_sandbox(const SandboxLimits& limits);

// Can system calls be limited here?
bool has_seccomp();
// Are they, in a process of its own that tries? Where a container's own filter forbids filters, the system still has them.
bool sandbox_holds();

// Do sanitizers watch this build? They need system calls and address space beyond any limit.
constexpr bool is_sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

}  // namespace gpupost
