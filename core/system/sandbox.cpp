#include "core/system/sandbox.h"

#include "core/system/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <initializer_list>
#include <memory>

namespace gpupost {

namespace {

// TexelBuffer, threads, clocks, descriptors that are open, and the ways out. allow_calls() adds those that depend on arguments.
constexpr int allowed_calls[] = {
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(read),
    SCMP_SYS(pread64),
    SCMP_SYS(write),
    SCMP_SYS(lseek),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(ftruncate),
    SCMP_SYS(futex),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(set_tid_address),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(gettid),
    SCMP_SYS(getpid),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(nanosleep),
    SCMP_SYS(getrandom),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
};

constexpr int calls_of_reading[] = {SCMP_SYS(newfstatat), SCMP_SYS(stat),  SCMP_SYS(lstat), SCMP_SYS(access),
                                    SCMP_SYS(readlink),   SCMP_SYS(readv), SCMP_SYS(getcwd)};

// A lower limit that holds already stays.
void limit(__rlimit_resource what, uint64_t soft, uint64_t hard) {
  rlimit limits = {};
  getrlimit(what, &limits);
  limits.rlim_max = std::min<rlim_t>(limits.rlim_max, hard);
  limits.rlim_cur = std::min<rlim_t>({limits.rlim_cur, limits.rlim_max, soft});
  setrlimit(what, &limits);
}

// Could all of them be added?
bool allow_calls(scmp_filter_ctx filter, bool reads_files) {
  const auto add = [filter](uint32_t action, int call, std::initializer_list<scmp_arg_cmp> arguments) {
    return seccomp_rule_add_array(filter, action, call, unsigned(arguments.size()), arguments.begin()) == 0;
  };
  constexpr uint32_t allow = SCMP_ACT_ALLOW;
  const auto not_executable = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
  const auto for_reading = [](unsigned argument) {
    return scmp_arg_cmp{argument, SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY};
  };
  const bool may_read =
      !reads_files || (add(allow, SCMP_SYS(openat), {for_reading(2)}) &&
                       std::ranges::all_of(calls_of_reading, [&](int call) { return add(allow, call, {}); }));
  return may_read && std::ranges::all_of(allowed_calls, [&](int call) { return add(allow, call, {}); }) &&
         add(allow, SCMP_SYS(mmap), {not_executable}) && add(allow, SCMP_SYS(mprotect), {not_executable}) &&
         // requests come with descriptors
         add(allow, SCMP_SYS(recvmsg), {SCMP_A0(SCMP_CMP_EQ, worker_talk)}) &&
         // abort() sends itself a signal; no other process may get one
         add(allow, SCMP_SYS(tgkill), {SCMP_A0(SCMP_CMP_EQ, scmp_datum_t(getpid()))}) &&
         // threads yes, processes no; clone3 hides its flags in memory, and without it the C library falls back to clone
         add(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), {}) &&
         add(allow, SCMP_SYS(clone), {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)});
}

bool limit_calls(bool reads_files) {
  const std::unique_ptr<void, void (*)(void*)> filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)), seccomp_release);
  return filter && allow_calls(filter.get(), reads_files) && seccomp_load(filter.get()) == 0;
}

}  // namespace

bool enter_sandbox(const SandboxLimits& limits) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_CPU, uint64_t(limits.cpu_seconds), uint64_t(std::max(limits.total_cpu_seconds, limits.cpu_seconds + 1)));
  limit(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes);
  if (!is_sanitized()) limit(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes);
  return !is_sanitized() && limit_calls(limits.reads_files);
}

bool sandbox_holds() {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    const bool is_limited = enter_sandbox({.memory_bytes = uint64_t(1) << 40, .file_bytes = 1, .cpu_seconds = 5});
    const bool is_refused = open("/dev/null", O_RDONLY) < 0 && errno == EPERM;
    _exit(is_limited && is_refused ? 0 : 1);
  }
  int status = 0;
  pid_t ended = -1;
  do ended = waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool has_seccomp() {
  const uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

}  // namespace gpupost
