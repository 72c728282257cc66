// The decode worker: the process that parses the file.
#include "core/codec/worker/worker.h"

#include "core/base/math.h"
#include "core/base/threads.h"
#include "core/codec/common/reader.h"
#include "core/codec/formats.h"
#include "core/codec/worker/protocol.h"
#include "core/system/child.h"
#include "core/system/sandbox.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <new>
#include <stdexcept>
#include <system_error>

namespace gpupost {

Decoded read_picture(Bytes file, const DecodeOptions& options, const TexelAllocator& lend) {
  if (file.empty()) fail(Exit::input, "is empty");
  return readable_format(file).read(file, options, lend);
}

namespace {

constexpr size_t huge_page_bytes = size_t(2) << 20;

Bytes mapped_input() {
  struct stat facts = {};
  if (fstat(worker_input, &facts) != 0 || facts.st_size <= 0) return {};
  void* pages = mmap(nullptr, size_t(facts.st_size), PROT_READ, MAP_PRIVATE, worker_input, 0);
  if (pages == MAP_FAILED) fail(Exit::limit, "out of memory: cannot allocate {} bytes", facts.st_size);
  return {static_cast<const std::byte*>(pages), size_t(facts.st_size)};
}

// Shared memory for texels, with one mapping per group.
class SharedTexels {
 public:
  TexelBuffer lend(size_t bytes) {
    const size_t at = round_up(end_, huge_page_bytes);
    void* pages = ftruncate(worker_texels, off_t(at + bytes)) != 0
                      ? MAP_FAILED
                      : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, worker_texels, off_t(at));
    if (pages == MAP_FAILED) fail(Exit::limit, "out of memory: cannot allocate {} bytes", bytes);
    madvise(pages, bytes, MADV_HUGEPAGE);  // saves half of the decode time of a large file; failure is harmless
    end_ = at + bytes;
    offsets_[pages] = at;
    return TexelBuffer(static_cast<std::byte*>(pages), bytes, nullptr);
  }
  uint64_t offset_of(const TexelBuffer& memory) const { return offsets_.at(memory.data()); }

 private:
  size_t end_ = 0;
  std::map<const void*, uint64_t> offsets_;
};

Reply error_reply(Exit exit, const std::string& message) {
  Reply reply;
  reply.exit = exit;
  reply.message = message;
  return reply;
}

Reply reply_to(const DecodeOptions& options) {
  const Bytes input = mapped_input();
  limit_threads(options.thread_count);
  const bool is_filtered =
      enter_sandbox({.memory_bytes = (uint64_t(1) << 30) + input.size() + 3 * options.limits.decoded_bytes +
                                     // One stack and one arena per thread.
                                     uint64_t(core_count()) * (uint64_t(160) << 20),
                     .file_bytes = 2 * options.limits.decoded_bytes,
                     .cpu_seconds = options.limits.cpu_seconds});
  if (!is_filtered && options.requires_sandbox)
    fail(Exit::limit,
         "the decoder's system calls cannot be filtered here (no seccomp), and --require-sandbox is given");
  SharedTexels texels;
  Reply reply;
  reply.decoded = read_picture(input, options, [&](size_t bytes) { return texels.lend(bytes); });
  for (const Group& group : reply.decoded.picture.groups)
    reply.offsets.push_back(texels.offset_of(group.levels[0].texels));
  const OtherParts& others = reply.decoded.others;
  if (others.are_kept()) reply.offsets.push_back(texels.offset_of(others.bytes));
  reply.others_bytes = others.bytes.size();
  if (!is_filtered && !is_sanitized())  // sanitizer builds never have a filter
    reply.decoded.warnings.push_back("was decoded without a system call filter (no seccomp; see `gpupost doctor`)");
  return reply;
}

// Catches all exceptions. Exceptions in threads of a library end the process, and the parent reports it.
Reply reply_or_error(const DecodeOptions& options) {
  try {
    return reply_to(options);
  } catch (const Error& error) {
    return error_reply(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return error_reply(Exit::limit, "out of memory");
  } catch (const std::length_error&) {
    return error_reply(Exit::limit, "out of memory");
  } catch (const std::system_error& error) {  // only thread creation throws it
    return error_reply(Exit::limit, std::string("the decoder cannot start a thread: ") + error.what());
  } catch (const std::exception& error) {
    return error_reply(Exit::input, std::string("is damaged: ") + error.what());
  }
}

}  // namespace

bool is_decode_worker(int argc, char** argv) { return is_worker(argc, argv, decode_worker_word); }

int decode_worker_main() {
  // Decoders allocate and free the same few megabytes for each chunk, so malloc keeps them.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  try {
    const DecodeOptions options = unpack_options(read_to_end(worker_talk));
    if (write_whole(worker_talk, pack(reply_or_error(options))) != 0) _exit(EXIT_FAILURE);
  } catch (const std::bad_alloc&) {
    _exit(int(Exit::limit));  // for the reply
  } catch (const std::exception&) {
    _exit(EXIT_FAILURE);  // the program was started by hand
  }
  _exit(EXIT_SUCCESS);  // skips destructors, because the process ends anyway
}

}  // namespace gpupost
