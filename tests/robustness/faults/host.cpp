// Loaded before a program: its memory ends, or its calls of the system fail, when and where the tests ask for it. Only what our
// own code asks for, by itself or through libraries that do work for it: Mesa and LLVM end the process without memory.
//   GPUPOST_FAIL_IN=program|worker     the process in which it happens; without it nothing does
//   GPUPOST_ALLOCATIONS=file           where memory is asked for: a line for each place in the code, a number that is its own
//   GPUPOST_FAIL_ALLOCATION=place      there is none the first time that this place asks
//   GPUPOST_CALLS=file                 the calls of the system, a line each: its name and what it is about
//   GPUPOST_FAIL_CALL=n:error          the n-th of them fails with this errno
//   GPUPOST_SHORT_WRITES=1             no write takes more than 100 bytes
//   GPUPOST_SLOW_WRITES=n              each write of our own code takes so many milliseconds
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

namespace {

enum class Owner { program, helper, c_library, other };

struct Range {
  uintptr_t begin = 0, end = 0;
  Owner owner = Owner::other;
};

struct State {
  Range ranges[256] = {};
  size_t range_count = 0;
  uintptr_t program_base = 0;
  bool is_on = false;
  bool writes_are_short = false;
  int write_milliseconds = 0;
  uint64_t failing_place = 0;
  int failing_call = 0, error = 0;
  int allocations = -1, calls = -1;  // descriptors
};
constinit State state;  // before any constructor runs

thread_local bool is_inside = false;  // nothing that this library does itself is looked at
std::atomic<int> call_count = 0;
std::atomic<uint64_t> seen_places[1 << 14];

constexpr std::string_view helpers[] = {"/libstdc++.so",  "/libfmt.so",    "/libgcc_s.so", "/libm.so",
                                        "/libdeflate.so", "/libz.so",      "/libOpenEXR",  "/libImath",
                                        "/libIex",        "/libIlmThread", "_faults.so"};

int keep_range(dl_phdr_info* info, size_t, void*) {
  const std::string_view name = info->dlpi_name;
  const bool is_program = name.empty() && state.range_count == 0;  // it comes first
  const bool is_helper =
      std::ranges::any_of(helpers, [&](std::string_view helper) { return name.find(helper) != name.npos; });
  const Owner owner = is_program                           ? Owner::program
                      : is_helper                          ? Owner::helper
                      : name.find("/libc.so") != name.npos ? Owner::c_library
                                                           : Owner::other;
  if (is_program) state.program_base = info->dlpi_addr;
  for (int index = 0; index < info->dlpi_phnum; ++index) {
    const ElfW(Phdr)& header = info->dlpi_phdr[index];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_X) || state.range_count == std::size(state.ranges)) continue;
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    state.ranges[state.range_count++] = {begin, begin + header.p_memsz, owner};
  }
  return 0;
}

// Libraries that were loaded later, as drivers are, are others.
Owner owner_of(uintptr_t address) {
  for (size_t index = 0; index < state.range_count; ++index)
    if (address >= state.ranges[index].begin && address < state.ranges[index].end) return state.ranges[index].owner;
  return Owner::other;
}

struct Walk {
  uint64_t place = 0;
  int program_frames = 0;
  bool is_ours = true;
};

// Up from the call to the first few functions of the program. Not ours where another library is among them: LLVM calls what
// the program has of std::string.
_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  constexpr int named_frames = 3, most_frames = 6;
  Walk& walk = *static_cast<Walk*>(data);
  const uintptr_t address = _Unwind_GetIP(context);
  const Owner owner = owner_of(address);
  if (owner == Owner::helper || owner == Owner::c_library) return _URC_NO_REASON;
  walk.is_ours = owner == Owner::program;
  if (!walk.is_ours) return _URC_END_OF_STACK;
  if (walk.program_frames < named_frames) walk.place = (walk.place ^ (address - state.program_base)) * 0x100000001b3;
  return ++walk.program_frames == most_frames ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// A number for where in the program we were called from; 0: not on its behalf, or by the C library for itself, which ends the
// process where it cannot keep what a thread is to destroy.
uint64_t place_of_caller(const void* caller) {
  const Owner owner = owner_of(uintptr_t(caller));
  if (owner == Owner::other || owner == Owner::c_library) return 0;
  Walk walk;
  _Unwind_Backtrace(step, &walk);
  return walk.is_ours && walk.program_frames > 0 ? std::max<uint64_t>(walk.place, 1) : 0;
}

bool is_first_time(uint64_t place) {
  for (size_t at = place % std::size(seen_places);; at = (at + 1) % std::size(seen_places)) {
    uint64_t found = 0;
    if (seen_places[at].compare_exchange_strong(found, place)) return true;
    if (found == place) return false;
  }
}

// Is there to be no memory?
bool memory_ends(const void* caller) {
  if (!state.is_on || is_inside || (state.allocations < 0 && state.failing_place == 0)) return false;
  is_inside = true;
  const uint64_t place = place_of_caller(caller);
  const bool is_new = place != 0 && is_first_time(place);
  if (is_new && state.allocations >= 0) dprintf(state.allocations, "%llu\n", static_cast<unsigned long long>(place));
  is_inside = false;
  if (!is_new || place != state.failing_place) return false;
  errno = ENOMEM;
  return true;
}

// Is this call of the system to fail?
bool call_fails(const void* caller, const char* name, const char* about) {
  if (!state.is_on || is_inside || (state.calls < 0 && state.failing_call == 0)) return false;
  is_inside = true;
  const bool is_ours = place_of_caller(caller) != 0;
  const int number = is_ours ? ++call_count : 0;
  if (is_ours && state.calls >= 0) dprintf(state.calls, "%s %s\n", name, about);
  is_inside = false;
  if (!is_ours || number != state.failing_call) return false;
  errno = state.error;
  return true;
}

bool call_fails(const void* caller, const char* name, int descriptor) {
  char link[64], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const int old_error = errno;
  const ssize_t length = readlink(link, path, sizeof path - 1);
  path[std::max<ssize_t>(length, 0)] = '\0';
  errno = old_error;
  return call_fails(caller, name, path);
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int kept_in(const char* variable) {
  const char* path = std::getenv(variable);
  return path ? int(next<int(const char*, int, ...)>("open")(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666))
              : -1;
}

__attribute__((constructor)) void begin(int argc, char** argv, char**) {
  const char* where = std::getenv("GPUPOST_FAIL_IN");
  const bool is_worker = argc == 2 && std::string_view(argv[1]).ends_with("-worker");
  if (!where || std::string_view(where) != (is_worker ? "worker" : "program")) return;
  dl_iterate_phdr(keep_range, nullptr);
  if (const char* place = std::getenv("GPUPOST_FAIL_ALLOCATION"))
    state.failing_place = std::strtoull(place, nullptr, 10);
  if (const char* call = std::getenv("GPUPOST_FAIL_CALL"))
    std::sscanf(call, "%d:%d", &state.failing_call, &state.error);
  state.writes_are_short = std::getenv("GPUPOST_SHORT_WRITES") != nullptr;
  if (const char* milliseconds = std::getenv("GPUPOST_SLOW_WRITES")) state.write_milliseconds = std::atoi(milliseconds);
  state.allocations = kept_in("GPUPOST_ALLOCATIONS");
  state.calls = kept_in("GPUPOST_CALLS");
  state.is_on = true;
}

}  // namespace

extern "C" {

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);

#define CALLER __builtin_return_address(0)

void* malloc(size_t bytes) { return memory_ends(CALLER) ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return memory_ends(CALLER) ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) { return memory_ends(CALLER) ? nullptr : __libc_realloc(old, bytes); }

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  static auto* const real = next<decltype(mmap)>("mmap");
  return memory_ends(CALLER) ? MAP_FAILED : real(address, bytes, protection, flags, file, offset);
}

int open(const char* path, int flags, ...) {
  static auto* const real = next<decltype(open)>("open");
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return call_fails(CALLER, "open", path) ? -1 : real(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  static auto* const real = next<decltype(openat)>("openat");
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return call_fails(CALLER, "openat", path) ? -1 : real(folder, path, flags, mode);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static auto* const real = next<decltype(write)>("write");
  if (call_fails(CALLER, "write", descriptor)) return -1;
  if (state.write_milliseconds > 0) std::this_thread::sleep_for(std::chrono::milliseconds(state.write_milliseconds));
  return real(descriptor, bytes, state.writes_are_short ? std::min<size_t>(count, 100) : count);
}

int fsync(int descriptor) {
  static auto* const real = next<decltype(fsync)>("fsync");
  return call_fails(CALLER, "fsync", descriptor) ? -1 : real(descriptor);
}

int fdatasync(int descriptor) {
  static auto* const real = next<decltype(fdatasync)>("fdatasync");
  return call_fails(CALLER, "fdatasync", descriptor) ? -1 : real(descriptor);
}

int fchmod(int descriptor, mode_t mode) {
  static auto* const real = next<decltype(fchmod)>("fchmod");
  return call_fails(CALLER, "fchmod", descriptor) ? -1 : real(descriptor, mode);
}

int ftruncate(int descriptor, off_t size) {
  static auto* const real = next<decltype(ftruncate)>("ftruncate");
  return call_fails(CALLER, "ftruncate", descriptor) ? -1 : real(descriptor, size);
}

// What is closed is so, whatever it says of the bytes that it held back.
int close(int descriptor) {
  static auto* const real = next<decltype(close)>("close");
  const bool fails = call_fails(CALLER, "close", descriptor);
  const int error = errno;
  const int result = real(descriptor);
  if (!fails) return result;
  errno = error;
  return -1;
}

int rename(const char* from, const char* to) {
  static auto* const real = next<decltype(rename)>("rename");
  return call_fails(CALLER, "rename", to) ? -1 : real(from, to);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  static auto* const real = next<decltype(renameat)>("renameat");
  return call_fails(CALLER, "renameat", to) ? -1 : real(from_folder, from, to_folder, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  static auto* const real = next<decltype(linkat)>("linkat");
  return call_fails(CALLER, "linkat", from) ? -1 : real(from_folder, from, to_folder, to, flags);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  static auto* const real = next<decltype(renameat2)>("renameat2");
  return call_fails(CALLER, "renameat2", to) ? -1 : real(from_folder, from, to_folder, to, flags);
}

int memfd_create(const char* name, unsigned flags) {
  static auto* const real = next<decltype(memfd_create)>("memfd_create");
  return call_fails(CALLER, "memfd_create", name) ? -1 : real(name, flags);
}

}  // extern "C"
