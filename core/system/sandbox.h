// The sandbox of workers.
#pragma once

#include <cstdint>

namespace gpupost {

struct SandboxLimits {
  uint64_t memory_bytes = 0;  // limit of address space
  uint64_t file_bytes = 0;    // limit of written files, which are shared memory
  int cpu_seconds = 0;
  // CPU time of the process over all its files, which the parent may extend `cpu_seconds` up to; 0: `cpu_seconds` + 1
  int total_cpu_seconds = 0;
  bool reads_files = false;  // allows opening files for reading
};

// Restricts the calling process permanently. It dies with its parent, has the limits above, leaves no core dump, gains
// no rights, and can use only system calls for memory, threads and open descriptors, and receive requests with descriptors. New memory cannot be executable,
// and signals reach only this process. No thread may have been started. Returns whether system calls are filtered;
// without seccomp, the other restrictions still apply.
bool enter_sandbox(const SandboxLimits& limits);

// Returns whether the system supports seccomp filters.
bool has_seccomp();
// Tests filters in a child process. The filter of a container can forbid filters even if the system supports them.
bool sandbox_holds();

// Returns whether this is a sanitizer build, which needs system calls and address space beyond the limits.
constexpr bool is_sanitized() {
#ifdef GPUPOST_IS_SANITIZED
  return true;
#else
  return false;
#endif
}

}  // namespace gpupost
