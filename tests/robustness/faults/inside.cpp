// Loaded before a program and its workers, to look at a sandbox from inside.
//   GPUPOST_INSIDE=file      a decode worker tries every system call once its sandbox holds, and writes here what got through:
//                            a line each; "done" is the last one. Then it goes on with its work.
//   GPUPOST_NO_SECCOMP=1     the program and its workers cannot filter system calls, as in a container that forbids it
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

extern char** environ;

namespace {

int report = -1;  // a descriptor, opened before the sandbox
long parent = 0;  // likewise
bool is_tried = false;

// What a decoder needs. exit, exit_group and rt_sigreturn would end it here.
constexpr long allowed[] = {SYS_brk,
                            SYS_mmap,
                            SYS_munmap,
                            SYS_mprotect,
                            SYS_mremap,
                            SYS_madvise,
                            SYS_read,
                            SYS_pread64,
                            SYS_write,
                            SYS_lseek,
                            SYS_close,
                            SYS_fstat,
                            SYS_ftruncate,
                            SYS_futex,
                            SYS_set_robust_list,
                            SYS_rseq,
                            SYS_gettid,
                            SYS_sched_yield,
                            SYS_set_tid_address,
                            SYS_sched_getaffinity,
                            SYS_getpid,
                            SYS_tgkill,
                            SYS_exit,
                            SYS_rt_sigaction,
                            SYS_rt_sigprocmask,
                            SYS_rt_sigreturn,
                            SYS_clone,
                            SYS_sigaltstack,
                            SYS_clock_gettime,
                            SYS_clock_nanosleep,
                            SYS_nanosleep,
                            SYS_getrandom,
                            SYS_restart_syscall,
                            SYS_exit_group};

// Refused by the filter, whatever the arguments are.
void expect_refused(const char* name, long result) {
  const int error = errno;
  if (result == -1 && (error == EPERM || error == ENOSYS)) return;
  dprintf(report, "%s: %ld, errno %d\n", name, result, result == -1 ? error : 0);
}

void expect_allowed(const char* name, bool is_done) {
  if (!is_done) dprintf(report, "%s: refused\n", name);
}

// A call that gets through ends in an error of its arguments.
void try_all_calls() {
  constexpr long last_call = 460;
  for (long call = 0; call <= last_call; ++call) {
    const bool is_of_probes =
        call == 335 || call == 336;  // of the kernel's own trampolines; elsewhere SIGILL, filter or not
    if (is_of_probes || std::ranges::find(allowed, call) != std::end(allowed)) continue;
    char name[32];
    std::snprintf(name, sizeof name, "system call %ld", call);
    const long result = syscall(call, -1L, -1L, -1L, -1L, -1L, -1L);
    const bool is_a_new_process = result == 0 && (call == SYS_fork || call == SYS_vfork);
    if (is_a_new_process) _exit(0);
    expect_refused(name, result);
  }
}

void try_signals() {
  const long own = getpid();
  expect_refused("tgkill of the parent", syscall(SYS_tgkill, parent, parent, 0L));
  expect_refused("tgkill of process 1", syscall(SYS_tgkill, 1L, 1L, 0L));
  expect_refused("tgkill of every process", syscall(SYS_tgkill, -1L, parent, 0L));
  expect_allowed("tgkill of itself", syscall(SYS_tgkill, own, syscall(SYS_gettid), 0L) == 0);
}

void try_memory() {
  constexpr size_t bytes = 4096;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  const auto map = [&](int protection) { return syscall(SYS_mmap, nullptr, bytes, protection, flags, -1, 0L); };
  expect_refused("mmap of writable and executable memory", map(PROT_READ | PROT_WRITE | PROT_EXEC));
  expect_refused("mmap of executable memory", map(PROT_READ | PROT_EXEC));
  const long plain = map(PROT_READ | PROT_WRITE);
  expect_allowed("mmap of plain memory", plain != -1);
  expect_refused("mprotect to executable memory", syscall(SYS_mprotect, plain, bytes, PROT_READ | PROT_EXEC));
  expect_allowed("mprotect to memory that is read", syscall(SYS_mprotect, plain, bytes, PROT_READ) == 0);
}

void try_processes() {
  expect_refused("a new process", syscall(SYS_clone, long(SIGCHLD), 0L, 0L, 0L, 0L));
  expect_refused("a new process by clone3", syscall(SYS_clone3, nullptr, 0L));
}

// The loader and the tests have variables of their own.
void look_at_environment() {
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("LD_") && !text.starts_with("GPUPOST_") && !text.starts_with("ASAN_OPTIONS="))
      dprintf(report, "environment: %s\n", *variable);
  }
}

void filter_seccomp_out() {
  const sock_filter instructions[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(instructions), .filter = const_cast<sock_filter*>(instructions)};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(125);
}

__attribute__((constructor)) void begin(int argc, char** argv, char**) {
  const bool is_decoder = argc == 2 && std::string_view(argv[1]) == "decode-worker";
  const char* path = std::getenv("GPUPOST_INSIDE");
  parent = getppid();
  if (path && is_decoder) report = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  // the workers inherit the filter
  if (std::getenv("GPUPOST_NO_SECCOMP") && !is_decoder) filter_seccomp_out();
}

}  // namespace

// The decoder's first call of it comes once its sandbox holds, and before it looks at the file.
extern "C" int ftruncate(int descriptor, off_t size) {
  if (report >= 0 && !is_tried) {
    is_tried = true;
    try_all_calls();
    try_signals();
    try_memory();
    try_processes();
    look_at_environment();
    dprintf(report, "done\n");
  }
  return int(syscall(SYS_ftruncate, descriptor, size));
}
