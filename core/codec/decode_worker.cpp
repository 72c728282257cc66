// The decode worker: the process that parses the file.
#include "core/codec/worker/worker.h"

#include "core/base/math.h"
#include "core/base/threads.h"
#include "core/codec/common/reader.h"
#include "core/codec/formats.h"
#include "core/codec/worker/protocol.h"
#include "core/system/sandbox.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdint>
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

// The input in memory. Owns the mapping.
class MappedInput {
 public:
  MappedInput(int descriptor, size_t bytes) {
    if (bytes == 0) return;
    void* pages = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (pages == MAP_FAILED) fail(Exit::limit, "out of memory: cannot allocate {} bytes", bytes);
    bytes_ = {static_cast<const std::byte*>(pages), bytes};
  }
  MappedInput(const MappedInput&) = delete;
  MappedInput& operator=(const MappedInput&) = delete;
  ~MappedInput() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  Bytes bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

// Shared memory for texels, with one mapping per group. Owns the mappings: the parent takes no texels of a worker that
// could still write them.
class SharedTexels {
 public:
  explicit SharedTexels(int descriptor) : descriptor_(descriptor) {}
  SharedTexels(const SharedTexels&) = delete;
  SharedTexels& operator=(const SharedTexels&) = delete;
  ~SharedTexels() {
    for (const auto& [pages, place] : places_) munmap(pages, place.bytes);
  }
  TexelBuffer lend(size_t bytes) {
    const size_t at = round_up(end_, huge_page_bytes);
    void* pages = ftruncate(descriptor_, off_t(at + bytes)) != 0
                      ? MAP_FAILED
                      : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, off_t(at));
    if (pages == MAP_FAILED) fail(Exit::limit, "out of memory: cannot allocate {} bytes", bytes);
    madvise(pages, bytes, MADV_HUGEPAGE);  // saves half of the decode time of a large file; failure is harmless
    end_ = at + bytes;
    places_[pages] = {.offset = at, .bytes = bytes};
    return TexelBuffer(static_cast<std::byte*>(pages), bytes, nullptr);
  }
  uint64_t offset_of(TexelBuffer& memory) const { return places_.at(memory.data()).offset; }

 private:
  struct Place {
    uint64_t offset = 0;
    size_t bytes = 0;
  };
  const int descriptor_;
  size_t end_ = 0;
  std::map<void*, Place> places_;
};

Reply error_reply(Exit exit, const std::string& message) {
  Reply reply;
  reply.exit = exit;
  reply.message = message;
  return reply;
}

// Enters the sandbox before the first file. Returns whether system calls are filtered.
bool is_in_filter(size_t input_bytes, const DecodeOptions& options) {
  static const bool is_filtered = [&] {
    limit_threads(0);
    const uint64_t most_groups = uint64_t(options.limits.channel_count) + 1;  // and one buffer for the other parts
    return enter_sandbox(
        {.memory_bytes = (uint64_t(1) << 30) + std::max<uint64_t>(input_bytes, most_kept_bytes) +
                         3 * options.limits.decoded_bytes +
                         // One stack and one arena per thread.
                         uint64_t(core_count()) * (uint64_t(160) << 20),
         .file_bytes = 2 * options.limits.decoded_bytes + most_groups * huge_page_bytes,
         .cpu_seconds = options.limits.cpu_seconds,
         .total_cpu_seconds = int(std::min(2 * int64_t(options.limits.cpu_seconds) + 1, int64_t(INT_MAX)))});
  }();
  return is_filtered;
}

bool holds_little_memory() { return mallinfo2().arena <= most_kept_bytes; }

Reply reply_to(const DecodeRequest& request, const std::vector<Descriptor>& descriptors) {
  const DecodeOptions& options = request.options;
  if (descriptors.size() != decode_descriptor_count)
    fail(Exit::limit, "the decoder cannot get its input: {}", std::generic_category().message(EMFILE));
  const MappedInput input(descriptors[input_descriptor].get(), request.input_bytes);
  const bool is_filtered = is_in_filter(input.bytes().size(), options);
  if (!is_filtered && options.requires_sandbox)
    fail(Exit::limit,
         "the decoder's system calls cannot be filtered here (no seccomp), and --require-sandbox is given");
  limit_threads(options.thread_count);
  SharedTexels texels(descriptors[texels_descriptor].get());
  Reply reply;
  reply.decoded = read_picture(input.bytes(), options, [&](size_t bytes) { return texels.lend(bytes); });
  for (Group& group : reply.decoded.picture.groups) reply.offsets.push_back(texels.offset_of(group.levels[0].texels));
  OtherParts& others = reply.decoded.others;
  if (others.are_kept()) reply.offsets.push_back(texels.offset_of(others.bytes));
  reply.others_bytes = others.bytes.size();
  if (!is_filtered && !is_sanitized())  // sanitizer builds never have a filter
    reply.decoded.warnings.push_back("was decoded without a system call filter (no seccomp; see `gpupost doctor`)");
  reply.can_go_on = (is_filtered || is_sanitized()) && holds_little_memory();
  return reply;
}

// Catches all exceptions. Exceptions in threads of a library end the process, and the parent reports it.
Reply reply_or_error(const Message& message) {
  const DecodeRequest request = unpack_request(message.bytes);
  try {
    return reply_to(request, message.descriptors);
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
  run_worker([](const Message& message) { return pack(reply_or_error(message)); });
}

}  // namespace gpupost
