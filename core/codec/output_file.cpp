// write_file(): a path has its old bytes or all of the new ones, whatever happens.
#include "core/codec/output_file.h"

#include "core/child/descriptor.h"
#include "core/codec/codec.h"
#include "core/codec/interrupt.h"
#include "core/error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <semaphore>
#include <system_error>
#include <utility>

namespace gpupost {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_write(const std::string& path, int error) {
  fail(Exit::output, "{}: cannot be written: {}", path == "-" ? "standard output" : path,
       std::generic_category().message(error));
}

template <class Call>
auto retried(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

void write_all(int descriptor, std::span<const std::byte> bytes, const std::string& path) {
  if (const int error = write_whole(descriptor, bytes)) fail_to_write(path, error);
}

enum class State { free, claimed, in_use };
static_assert(std::atomic<State>::is_always_lock_free, "signal handlers read it");

struct Slot {
  std::atomic<State> state = State::free;
  std::array<char, 4096> path;  // PATH_MAX
};

constexpr size_t slot_count = 64;  // files written at one time; more wait
std::array<Slot, slot_count> slots;
std::counting_semaphore<slot_count> free_slots{slot_count};

// A path that remove_temporary_files() can read at any moment.
class TemporaryPath {
 public:
  TemporaryPath() {
    free_slots.acquire();
    slot_ = std::ranges::find_if(slots, [](Slot& slot) {
      State expected = State::free;
      return slot.state.compare_exchange_strong(expected, State::claimed);
    });
  }
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  ~TemporaryPath() {
    slot_->state = State::free;
    free_slots.release();
  }

  // False: the path is too long for any file.
  bool set(const std::string& path) {
    slot_->state = State::claimed;
    if (path.size() >= slot_->path.size()) return false;
    std::copy_n(path.c_str(), path.size() + 1, slot_->path.begin());
    slot_->state = State::in_use;
    return true;
  }
  const char* get() const { return slot_->path.data(); }

 private:
  Slot* slot_ = nullptr;
};

// Where a path leads when its links are followed, also where the last leads nowhere; or one of our own descriptors.
struct Target {
  fs::path path;
  std::optional<int> descriptor;
};

// The number of our own descriptor whose entry under /proc this is. What such an entry's link says is the name of a file
// that has been opened, if it is one; the descriptor has more: where to write on, or a pipe without a name.
std::optional<int> descriptor_at(const fs::path& at) {
  const std::string name = at.filename();
  int number = 0;
  const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (wrong != std::errc() || end != name.data() + name.size()) return std::nullopt;
  std::error_code error;
  const fs::path folder = fs::canonical(at.parent_path(), error);
  if (error) return std::nullopt;
  const bool is_ours = std::ranges::any_of(std::array{"/proc/self/fd", "/proc/thread-self/fd"}, [&](const char* own) {
    return folder == fs::canonical(own, error) && !error;
  });
  return is_ours ? std::optional(number) : std::nullopt;
}

// Links in a circle are left for who opens them to find.
Target followed(const std::string& path) {
  if (path == "-") return {.path = path, .descriptor = STDOUT_FILENO};
  constexpr int most_links = 40;  // as Linux has it
  Target target{.path = path, .descriptor = descriptor_at(path)};
  std::error_code error;
  for (int links = 0; links < most_links && !target.descriptor; ++links) {
    const fs::path next = fs::read_symlink(target.path, error);
    if (error) break;  // it is no link
    target.path = target.path.parent_path() / next;
    target.descriptor = descriptor_at(target.path);
  }
  return target;
}

// Creates a file of a name that nothing has, and keeps it in `place`.
int create_beside(const fs::path& target, TemporaryPath& place, const std::string& path) {
  constexpr size_t longest_name = 200;  // with what is added still under the 255 bytes of a name
  static std::atomic<unsigned> number = 0;
  const std::string name = target.filename().string().substr(0, longest_name);
  for (;;) {
    const std::string beside = fmt::format(".{}.gpupost-{}-{}.tmp", name, getpid(), number++);
    if (!place.set((target.parent_path() / beside).string())) fail_to_write(path, ENAMETOOLONG);
    const int created = retried([&] { return open(place.get(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
    if (created >= 0) return created;
    if (errno != EEXIST) fail_to_write(path, errno);
  }
}

// Moves the whole file to its name; 0 or the error. With `no_clobber` only where nothing has that name.
int move_into_place(const char* from, const char* to, bool no_clobber) {
  if (!no_clobber) return rename(from, to) == 0 ? 0 : errno;
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  return link(from, to) == 0 ? 0 : errno;  // a file system that cannot rename so; the other name is removed later
}

void sync(int descriptor, const std::string& path) {
  if (retried([&] { return fsync(descriptor); }) == 0) return;
  if (errno != EINVAL && errno != ENOTSUP) fail_to_write(path, errno);  // some file systems cannot, and need not
}

[[noreturn]] void refuse_to_clobber(const std::string& path) {
  fail(Exit::output, "{}: exists already, and --no-clobber forbids to replace it", path);
}

// A file that is whole and on the disk, but has a temporary name beside its own. Where it does not get that it leaves nothing.
class Replacement {
 public:
  Replacement(fs::path target, const struct stat* old, const OutputFile& file, bool no_clobber)
      : target_(std::move(target)), path_(file.path), no_clobber_(no_clobber) {
    const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
    folder_ = Descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder_.get() < 0 && errno != EACCES)  // a folder may be written to that may not be read
      fail(Exit::output, "{}: its folder {} cannot be used: {}", path_, folder.string(),
           std::generic_category().message(errno));
    Descriptor descriptor(create_beside(target_, temporary_, path_));
    remover_.emplace(temporary_);
    if (old && fchmod(descriptor.get(), old->st_mode & 0777) != 0) fail_to_write(path_, errno);
    write_all(descriptor.get(), file.bytes, path_);
    sync(descriptor.get(), path_);
    if (close(descriptor.release()) != 0) fail_to_write(path_, errno);
  }

  void put_in_place() {
    const int error = move_into_place(temporary_.get(), target_.c_str(), no_clobber_);
    if (error == EEXIST && no_clobber_) refuse_to_clobber(path_);
    if (error != 0) fail_to_write(path_, error);
    if (folder_.get() >= 0) sync(folder_.get(), path_);
  }

 private:
  struct Remover {
    explicit Remover(const TemporaryPath& path) : file(path) {}
    Remover(const Remover&) = delete;
    ~Remover() { unlink(file.get()); }  // after a rename there is nothing of that name
    const TemporaryPath& file;
  };

  fs::path target_;
  std::string path_;
  bool no_clobber_;
  Descriptor folder_;
  TemporaryPath temporary_;
  std::optional<Remover> remover_;
};

// The way of a file's bytes from where they are to where the path leads, in two steps: all that can fail on a disk, then the
// name. What takes bytes and stays what it is, like a device, gets them in the second.
class Writing {
 public:
  Writing(const OutputFile& file, bool no_clobber) : file_(file) {
    const std::string& path = file.path;
    if (path.empty()) fail(Exit::output, "the output has an empty name");
    auto [target, own_descriptor] = followed(path);
    own_descriptor_ = own_descriptor;
    if (own_descriptor_) return;
    struct stat old;
    const bool exists = stat(target.c_str(), &old) == 0;
    if (!exists && errno != ENOENT) fail_to_write(path, errno);
    if (exists && S_ISDIR(old.st_mode)) fail_to_write(path, EISDIR);
    device_ = exists && !S_ISREG(old.st_mode) ? target : fs::path();
    if (!device_.empty()) return;
    if (no_clobber && (exists || fs::is_symlink(fs::path(path)))) refuse_to_clobber(path);
    if (exists && faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) fail_to_write(path, errno);
    if (!target.has_filename()) fail_to_write(path, EISDIR);
    replacement_.emplace(std::move(target), exists ? &old : nullptr, file, no_clobber);
  }

  void finish() {
    if (replacement_) return replacement_->put_in_place();
    if (own_descriptor_) return write_all(*own_descriptor_, file_.bytes, file_.path);
    const Descriptor device(retried([&] { return open(device_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC); }));
    if (device.get() < 0) fail_to_write(file_.path, errno);
    write_all(device.get(), file_.bytes, file_.path);
  }

 private:
  OutputFile file_;
  std::optional<int> own_descriptor_;
  fs::path device_;  // or a named pipe
  std::optional<Replacement> replacement_;
};

}  // namespace

void remove_temporary_files() noexcept {
  for (const Slot& slot : slots)
    if (slot.state == State::in_use) unlink(slot.path.data());
}

std::optional<int> own_descriptor(const std::string& path) { return followed(path).descriptor; }

void check_can_be_written(int descriptor, const std::string& path) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) fail_to_write(path, EBADF);
}

void write_files(std::span<const OutputFile> files, bool no_clobber) {
  std::optional<FileWriting> writing;  // not of a stream: a reader that has stopped must not hold up an interrupt
  if (!own_descriptor(files.front().path)) writing.emplace();
  std::deque<Writing> writings;
  for (const OutputFile& file : files) writings.emplace_back(file, no_clobber);
  for (Writing& writing : writings) writing.finish();
}

void write_file(const std::string& path, std::span<const std::byte> bytes, bool no_clobber) {
  const OutputFile file{.path = path, .bytes = bytes};
  write_files({&file, 1}, no_clobber);
}

}  // namespace gpupost
