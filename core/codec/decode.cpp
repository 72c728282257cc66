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
#include <memory>
#include <optional>
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
    const ssize_t got = read_some(descriptor, part);
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
  if (S_ISDIR(facts.st_mode)) fail(Exit::input, "is a folder; expected a file");
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

// How the memory of texels is mapped. Texels of a worker that has ended are shared. A worker that lives on must not be
// able to change them any more: its memory is sealed against writing, and what this process writes is its own.
enum class Mapping { shared = MAP_SHARED, own = MAP_PRIVATE };

TexelBuffer window_of_memory(int descriptor, uint64_t offset, size_t bytes, Mapping mapping) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, int(mapping), descriptor, off_t(offset));
  if (pages == MAP_FAILED) fail(Exit::limit, "out of memory: cannot allocate {} bytes", bytes);
  madvise(pages, bytes, MADV_HUGEPAGE);
  return TexelBuffer(static_cast<std::byte*>(pages), bytes, [pages, bytes] { munmap(pages, bytes); });
}

// Maps the texels of the groups. Seals keep the size of the memory, so mappings stay valid. Returns false if an offset is
// invalid, or if the worker keeps memory mapped that it must have given back: the seal against writing fails then.
bool attach_texels(Reply& reply, int texels, Mapping mapping) {
  struct stat facts = {};
  const int write_seal = mapping == Mapping::own ? F_SEAL_WRITE : 0;
  const bool is_sealed = fcntl(texels, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | write_seal) == 0;
  if (!is_sealed && errno == EBUSY) return false;
  if (!is_sealed || fstat(texels, &facts) != 0) fail(Exit::limit, "shared memory cannot be sealed: {}", error_text());
  const auto ranges = texel_ranges(reply, uint64_t(facts.st_size), uint64_t(sysconf(_SC_PAGESIZE)));
  if (!ranges) return false;
  std::vector<Group>& groups = reply.decoded.picture.groups;
  for (size_t index = 0; index < ranges->size(); ++index) {
    TexelBuffer& buffer = index < groups.size() ? groups[index].levels[0].texels : reply.decoded.others.bytes;
    buffer = window_of_memory(texels, (*ranges)[index].offset, (*ranges)[index].bytes, mapping);
  }
  return true;
}

uint64_t texel_bytes(const Reply& reply) {
  uint64_t bytes = 0;
  for (const Group& group : reply.decoded.picture.groups)
    bytes += texel_count(group.levels[0].size) * 4 * bytes_of(group.depth);
  return bytes;
}

// The reply, if it is one that a sound worker gives.
std::optional<Reply> reply_of(const WorkerAnswer& answer, const Limits& limits) {
  if (answer.was_too_slow || answer.said_too_much) return std::nullopt;
  try {
    Reply reply = unpack_reply(answer.said);
    const bool has_format = reply.exit != Exit::done || format_named(reply.decoded.picture.format);
    if (has_format && is_sensible(reply, limits)) return reply;
  } catch (const std::out_of_range&) {
  }
  return std::nullopt;
}

bool ran_out_of_time(const WorkerAnswer& answer) {
  return answer.was_too_slow || (WIFSIGNALED(answer.status) && WTERMSIG(answer.status) == SIGXCPU);
}

void check_names(const DecodeOptions& options) {
  if (options.layer.size() > max_name_bytes)
    fail(Exit::input, "has no layer with a name of {} bytes", options.layer.size());
  if (options.part.size() > max_name_bytes)
    fail(Exit::input, "has no part with a name of {} bytes", options.part.size());
}

}  // namespace

struct DecodeWorker::Outcome {
  WorkerAnswer answer;
  std::optional<Reply> reply;  // with texels; empty: the worker failed

  // Whether an earlier file may be the cause. A file that is refused, or that takes too long, is itself the cause.
  bool may_be_of_earlier_file() const { return reply ? reply->exit == Exit::limit : !ran_out_of_time(answer); }
};

DecodeWorker::DecodeWorker(Life life) : life_(life) {}
DecodeWorker::~DecodeWorker() = default;
void DecodeWorker::end() { worker_.reset(); }

// The sandbox has the limits of its first file, and room for an input of most_kept_bytes.
bool DecodeWorker::can_take(uint64_t input_bytes, const DecodeOptions& options) const {
  return worker_ && input_bytes <= most_kept_bytes && limits_ == options.limits &&
         worker_->cpu_seconds() < options.limits.cpu_seconds && worker_->renew_cpu_limit(options.limits.cpu_seconds);
}

DecodeWorker::Outcome DecodeWorker::try_decode(int input, uint64_t input_bytes, const DecodeOptions& options) {
  // back in its place only if all is well
  std::unique_ptr<Worker> worker = std::move(worker_);
  if (!worker) {
    worker = std::make_unique<Worker>(decode_worker_word);
    limits_ = options.limits;
    ++started_count_;
  }
  const Descriptor texels = shared_memory("gpupost-texels");
  Outcome outcome{
      .answer = worker->ask(pack({.options = options, .input_bytes = input_bytes}), std::array{input, texels.get()},
                            max_reply_bytes, std::chrono::seconds(options.limits.wall_seconds)),
      .reply = {}};
  outcome.reply = reply_of(outcome.answer, options.limits);
  if (!outcome.reply || outcome.reply->exit != Exit::done) return outcome;
  const bool lives_on = life_ == Life::many_files && outcome.reply->can_go_on && input_bytes <= most_kept_bytes &&
                        texel_bytes(*outcome.reply) <= most_kept_bytes;
  if (!lives_on) worker.reset();
  if (attach_texels(*outcome.reply, texels.get(), lives_on ? Mapping::own : Mapping::shared))
    worker_ = std::move(worker);
  else outcome.reply.reset();
  return outcome;
}

Decoded DecodeWorker::decode_unnamed(int descriptor, const DecodeOptions& options) {
  check_names(options);
  const Descriptor input = input_for_worker(descriptor, options.limits);
  struct stat facts = {};
  if (fstat(input.get(), &facts) != 0) fail(Exit::input, "cannot be read: {}", error_text());
  const auto input_bytes = uint64_t(facts.st_size);
  if (!can_take(input_bytes, options)) worker_.reset();
  const bool is_used = worker_ != nullptr;
  Outcome outcome = try_decode(input.get(), input_bytes, options);
  if (is_used && outcome.may_be_of_earlier_file()) outcome = try_decode(input.get(), input_bytes, options);
  if (!outcome.reply) throw_worker_failure(outcome.answer, task_of(options.limits));
  Reply& reply = *outcome.reply;
  if (reply.exit != Exit::done) fail(reply.exit, "{}", printable(reply.message, max_message_bytes));
  for (std::vector<std::string>* warnings : {&reply.decoded.warnings, &reply.decoded.write_warnings})
    for (std::string& warning : *warnings) warning = printable(warning, max_message_bytes);
  return std::move(reply.decoded);
}

Decoded DecodeWorker::decode(int descriptor, const std::string& name, const DecodeOptions& options) {
  try {
    return decode_unnamed(descriptor, options);
  } catch (const Error& error) {
    throw Error(error.code(), name + ": " + error.what());
  }
}

Decoded DecodeWorker::decode_file(const std::string& path, const DecodeOptions& options) {
  if (path == "-") return decode(STDIN_FILENO, "standard input", options);
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0)
    fail(is_out_of_resources(errno) ? Exit::limit : Exit::input, "{}: cannot be opened: {}", path, error_text());
  return decode(file.get(), path, options);
}

Decoded decode(int descriptor, const std::string& name, const DecodeOptions& options) {
  return DecodeWorker(DecodeWorker::Life::one_file).decode(descriptor, name, options);
}

Decoded decode_file(const std::string& path, const DecodeOptions& options) {
  return DecodeWorker(DecodeWorker::Life::one_file).decode_file(path, options);
}

}  // namespace gpupost
