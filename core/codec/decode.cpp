// Decodes a file. Only a worker parses the file; its reply is not trusted.
#include "core/base/printable.h"
#include "core/codec/codec.h"
#include "core/codec/common/size_limits.h"
#include "core/codec/worker/reply_check.h"
#include "core/codec/worker/worker.h"
#include "core/system/child.h"
#include "core/system/descriptor.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <system_error>

namespace gpupost {

namespace {

constexpr size_t max_reply_bytes = size_t(80) << 20;  // mostly attributes, which exr/header.cpp limits to 64 MiB
constexpr size_t max_message_bytes = 1000;            // limit for messages of a worker

std::string error_text() { return std::generic_category().message(errno); }

Descriptor shared_memory(const char* name) {
  Descriptor memory(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory.get() < 0) fail(Exit::limit, "cannot allocate shared memory: {}", error_text());
  return memory;
}

// Reads a pipe into memory. Stops early if the data does not begin like an image, because the pipe may be endless.
Descriptor whole_of(int descriptor, const Limits& limits) {
  Descriptor copy = shared_memory("gpupost-input");
  std::vector<std::byte> part(1 << 20);
  std::vector<std::byte> start;
  uint64_t total = 0;
  while (true) {
    const ssize_t got = read(descriptor, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(Exit::input, "cannot be read: {}", error_text());
    if (got == 0) break;
    total += uint64_t(got);
    if (start.size() < magic_bytes) {
      start.insert(start.end(), part.begin(), part.begin() + std::min<ptrdiff_t>(got, magic_bytes));
      if (start.size() >= magic_bytes) readable_format(start);
    }
    if (total > limits.decoded_bytes)
      fail(Exit::input, "has more than {} bytes (raise the limit with --max-decoded)", limits.decoded_bytes);
    if (const int error = write_whole(copy.get(), Bytes(part).first(size_t(got))))
      fail(Exit::limit, "out of memory: {}", std::generic_category().message(error));
  }
  if (total == 0) fail(Exit::input, "is empty");
  fcntl(copy.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
  return copy;
}

// The descriptor for the worker: the file itself if it is read-only and at its start; otherwise a copy.
Descriptor input_for_worker(int descriptor, const Limits& limits) {
  struct stat facts = {};
  if (fstat(descriptor, &facts) != 0) fail(Exit::input, "cannot be read: {}", error_text());
  if (S_ISDIR(facts.st_mode)) fail(Exit::input, "is a folder; expected a file, or --recursive for the images in it");
  const bool is_plain = S_ISREG(facts.st_mode) && (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY &&
                        lseek(descriptor, 0, SEEK_CUR) == 0;
  // Files in /proc have size 0 but contain data.
  if (!is_plain || facts.st_size == 0) return whole_of(descriptor, limits);
  Descriptor same(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (same.get() < 0) fail(Exit::limit, "cannot be opened: {}", error_text());
  return same;
}

Task task_of(const Limits& limits) {
  return {.action = "decode",
          .worker = "decoder",
          .cpu_seconds = limits.cpu_seconds,
          .wall_seconds = limits.wall_seconds,
          .cpu_option = " (--decode-cpu-seconds)",
          .wall_option = " (--decode-seconds)"};
}

TexelBuffer window_of_memory(int descriptor, uint64_t offset, size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(offset));
  if (pages == MAP_FAILED) fail(Exit::limit, "out of memory: cannot allocate {} bytes", bytes);
  madvise(pages, bytes, MADV_HUGEPAGE);
  return TexelBuffer(static_cast<std::byte*>(pages), bytes, [pages, bytes] { munmap(pages, bytes); });
}

// Maps the texels of the groups. The worker has ended, and seals keep the size of the memory, so mappings stay valid.
// Returns false if an offset is invalid.
bool attach_texels(Reply& reply, int texels) {
  struct stat facts = {};
  if (fcntl(texels, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 || fstat(texels, &facts) != 0)
    fail(Exit::limit, "shared memory cannot be sealed: {}", error_text());
  const auto ranges = texel_ranges(reply, uint64_t(facts.st_size), uint64_t(sysconf(_SC_PAGESIZE)));
  if (!ranges) return false;
  std::vector<Group>& groups = reply.decoded.picture.groups;
  for (size_t index = 0; index < ranges->size(); ++index) {
    TexelBuffer& buffer = index < groups.size() ? groups[index].levels[0].texels : reply.decoded.others.bytes;
    buffer = window_of_memory(texels, (*ranges)[index].offset, (*ranges)[index].bytes);
  }
  return true;
}

Reply reply_of(const WorkerEnd& end, const Limits& limits) {
  if (end.was_too_slow || end.said_too_much) throw_worker_failure(end, task_of(limits));
  try {
    Reply reply = unpack_reply(end.said);
    const bool has_format = reply.exit != Exit::done || format_named(reply.decoded.picture.format);
    if (has_format && is_sensible(reply, limits)) return reply;
  } catch (const std::out_of_range&) {
  }
  throw_worker_failure(end, task_of(limits));
}

Decoded decode_unnamed(int descriptor, const DecodeOptions& options) {
  if (options.layer.size() > max_name_bytes)
    fail(Exit::input, "has no layer with a name of {} bytes", options.layer.size());
  if (options.part.size() > max_name_bytes)
    fail(Exit::input, "has no part with a name of {} bytes", options.part.size());
  const Descriptor input = input_for_worker(descriptor, options.limits);
  const Descriptor texels = shared_memory("gpupost-texels");
  Worker worker(decode_worker_word, std::array{input.get(), texels.get()});
  const WorkerEnd end = worker.run(pack(options), max_reply_bytes, std::chrono::seconds(options.limits.wall_seconds));
  Reply reply = reply_of(end, options.limits);
  if (reply.exit != Exit::done) fail(reply.exit, "{}", printable(reply.message, max_message_bytes));
  if (!attach_texels(reply, texels.get())) throw_worker_failure(end, task_of(options.limits));
  for (std::string& warning : reply.decoded.warnings) warning = printable(warning, max_message_bytes);
  return std::move(reply.decoded);
}

}  // namespace

Decoded decode(int descriptor, const std::string& name, const DecodeOptions& options) {
  try {
    return decode_unnamed(descriptor, options);
  } catch (const Error& error) {
    throw Error(error.code(), name + ": " + error.what());
  }
}

Decoded decode_file(const std::string& path, const DecodeOptions& options) {
  if (path == "-") return decode(STDIN_FILENO, "standard input", options);
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0)
    fail(is_out_of_resources(errno) ? Exit::limit : Exit::input, "{}: cannot be opened: {}", path, error_text());
  return decode(file.get(), path, options);
}

}  // namespace gpupost
