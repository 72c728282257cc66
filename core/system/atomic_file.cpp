// write_file(): a path has its old bytes or all of the new ones, whatever happens.
#include "core/system/atomic_file.h"

#include "core/system/descriptor.h"
#include "core/system/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <deque>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

namespace gpupost {
namespace {

void write_all(int descriptor, std::span<const std::byte> bytes, const std::string& path) {
  if (const int error = write_whole(descriptor, bytes)) fail_to_write(path, error);
}

enum class State { free, claimed, in_use };
static_assert(std::atomic<State>::is_always_lock_free, "signal handlers read it");

struct Slot {
  std::atomic<State> state = State::free;
  int folder = -1;             // its descriptor
  std::array<char, 256> name;  // NAME_MAX and a zero byte
};

constexpr size_t slot_count = 64;  // files written at one time; more wait
std::array<Slot, slot_count> slots;

// The right to so many slots. All are given at once: several writers that each had some and waited for more would wait forever.
class SlotReservation {
 public:
  explicit SlotReservation(size_t count) : count_(count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return left_ >= count_; });
    left_ -= count_;
  }
  SlotReservation(const SlotReservation&) = delete;
  SlotReservation& operator=(const SlotReservation&) = delete;
  ~SlotReservation() {
    {
      const std::lock_guard lock(mutex_);
      left_ += count_;
    }
    changed_.notify_all();
  }

 private:
  static inline std::mutex mutex_;
  static inline std::condition_variable changed_;
  static inline size_t left_ = slot_count;
  size_t count_;
};

// The name of a temporary file in an open folder. remove_temporary_files() can read it at any moment. There must be a
// reservation for its slot.
class TemporaryName {
 public:
  TemporaryName() {
    slot_ = std::ranges::find_if(slots, [](Slot& slot) {
      State expected = State::free;
      return slot.state.compare_exchange_strong(expected, State::claimed);
    });
  }
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;
  ~TemporaryName() { slot_->state = State::free; }

  // `name` has at most 255 bytes. The folder stays open as long as this lives.
  void set(int folder, const std::string& name) {
    slot_->state = State::claimed;
    slot_->folder = folder;
    std::copy_n(name.c_str(), name.size() + 1, slot_->name.begin());
    slot_->state = State::in_use;
  }
  // Forgets the name, because the file was renamed.
  void forget() { slot_->state = State::claimed; }
  bool is_set() const { return slot_->state == State::in_use; }
  const char* get() const { return slot_->name.data(); }

 private:
  Slot* slot_ = nullptr;
};

std::atomic<int> uninterrupted_count = 0;  // Uninterrupted that live
std::atomic<bool> is_ending = false;       // the process ends
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "signal handlers use them");

// While one of these lives, its thread makes or renames files and no signal comes between: not in this thread, and
// remove_temporary_files() in another one waits.
class Uninterrupted {
 public:
  Uninterrupted() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    ++uninterrupted_count;
    if (!is_ending) return;
    --uninterrupted_count;
    for (;;) pause();  // the thread that removes the temporary files ends the process
  }
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
  ~Uninterrupted() {
    --uninterrupted_count;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_;
};

void sync(int descriptor, const std::string& path) {
  if (retried([&] { return fsync(descriptor); }) == 0) return;
  if (errno != EINVAL && errno != ENOTSUP) fail_to_write(path, errno);  // some file systems cannot, and need not
}

// A name that no other file of this process has, for a file beside `name`. Processes in two containers can have the same
// number, and the random number tells their files apart.
std::string temporary_name(const std::string& name) {
  constexpr size_t longest_name = 200;  // with what is added still under the 255 bytes of a name
  static std::atomic<unsigned> number = 0;
  uint32_t random = 0;
  static_cast<void>(getrandom(&random, sizeof random, 0));  // without it the other numbers must do
  return fmt::format(".{}.gpupost-{}-{}-{:08x}.tmp", name.substr(0, longest_name), getpid(), number++, random);
}

// Makes another name of a file, for the time until it may be lost. "": the file system has no such names.
std::string keep_by_other_name(const FileLocation& place) {
  for (;;) {
    std::string name = temporary_name(place.name);
    if (linkat(place.folder.get(), place.name.c_str(), place.folder.get(), name.c_str(), 0) == 0) return name;
    if (errno != EEXIST) return "";
  }
}

// A file that is whole and on the disk, but has a temporary name beside its own. Where it does not get that it leaves nothing.
class Replacement {
 public:
  Replacement(const Target& target, const OutputFile& file, bool no_clobber)
      : target_(target), path_(file.path), no_clobber_(no_clobber) {
    Descriptor descriptor(create());
    remover_.emplace(folder(), temporary_);
    if (target_.old) keep_access(descriptor.get(), *target_.old);
    write_all(descriptor.get(), file.bytes, path_);
    sync(descriptor.get(), path_);
    if (close(descriptor.release()) != 0) fail_to_write(path_, errno);
  }

  // With `keeps_old` it can be undone, until forget_old().
  void put_in_place(bool keeps_old) {
    if (keeps_old && target_.old) old_name_ = keep_by_other_name(target_.place);
    const int error = move_into_place();
    if (error == 0) return;
    forget_old();
    if (error == EEXIST && no_clobber_) refuse_to_clobber(path_);
    fail_to_write(path_, error);
  }
  void undo() {
    if (!target_.old) unlinkat(folder(), name(), 0);
    else if (!old_name_.empty()) renameat(folder(), old_name_.c_str(), folder(), name());
  }
  void forget_old() {
    if (!old_name_.empty()) unlinkat(folder(), old_name_.c_str(), 0);
  }

 private:
  struct Remover {
    Remover(int in, const TemporaryName& name) : folder(in), file(name) {}
    Remover(const Remover&) = delete;
    ~Remover() {
      if (file.is_set()) unlinkat(folder, file.get(), 0);
    }
    int folder;
    const TemporaryName& file;
  };

  int folder() const { return target_.place.folder.get(); }
  const char* name() const { return target_.place.name.c_str(); }

  int create() {
    const Uninterrupted until_it_exists;  // or nothing would remove it
    for (;;) {
      temporary_.set(folder(), temporary_name(target_.place.name));
      const int created = retried([&] {
        const mode_t mode = target_.old ? 0600 : 0666;  // the old file may be private
        return openat(folder(), temporary_.get(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
      });
      if (created >= 0) return created;
      if (errno != EEXIST) fail_to_write(path_, errno);
    }
  }

  // Copies the access control list of the old file. Returns false if it has one and the system does not allow that.
  bool keep_list(int descriptor) const {
    constexpr const char* name = "system.posix_acl_access";
    std::array<std::byte, 65536> list{};  // the most that Linux allows
    const ssize_t size = getxattr(path_.c_str(), name, list.data(), list.size());
    return size <= 0 || fsetxattr(descriptor, name, list.data(), size_t(size), 0) == 0;
  }

  // Gives the file the group, the access control list, the mode and the owner of the old one, as far as the system allows. If it
  // does not allow the first two, the group gets the access of all others.
  void keep_access(int descriptor, const struct stat& old) const {
    constexpr uid_t same_owner = uid_t(-1);
    constexpr gid_t same_group = gid_t(-1);
    static_cast<void>(!fchown(descriptor, same_owner, old.st_gid));
    struct stat now = {};
    if (fstat(descriptor, &now) != 0) fail_to_write(path_, errno);
    const bool keeps_group = now.st_gid == old.st_gid && keep_list(descriptor);
    const mode_t of_group = keeps_group ? old.st_mode & 070 : (old.st_mode & 07) << 3;
    if (fchmod(descriptor, (old.st_mode & 0707) | of_group) != 0) fail_to_write(path_, errno);
    static_cast<void>(!fchown(descriptor, old.st_uid, same_group));
  }

  // 0 or the error. With no_clobber_ only where nothing has that name.
  int move_into_place() {
    const int result = no_clobber_ ? renameat2(folder(), temporary_.get(), folder(), name(), RENAME_NOREPLACE)
                                   : renameat(folder(), temporary_.get(), folder(), name());
    if (result == 0) temporary_.forget();
    if (result == 0 || !no_clobber_ || (errno != EINVAL && errno != ENOSYS)) return result == 0 ? 0 : errno;
    return linkat(folder(), temporary_.get(), folder(), name(), 0) == 0 ? 0 : errno;  // the other name is removed later
  }

  const Target& target_;
  std::string path_;
  bool no_clobber_;
  TemporaryName temporary_;
  std::optional<Remover> remover_;
  std::string old_name_;  // what has been replaced has this name too; "": nothing has
};

// The way of a file's bytes from where they are to where the path leads. What takes bytes and stays what it is, like a device
// or one of our own descriptors, gets them when all that gets a name is on the disk.
class Writing {
 public:
  Writing(const OutputFile& file, bool no_clobber) : file_(file), own_descriptor_(own_descriptor(file.path)) {
    if (!own_descriptor_) target_ = target_of(file.path, no_clobber);
  }

  bool is_replaced() const { return !own_descriptor_ && !target_.is_device(); }
  const FileLocation& place() const { return target_.place; }
  const std::string& path() const { return file_.path; }
  Replacement& replacement() { return *replacement_; }

  void write_beside(bool no_clobber) { replacement_.emplace(target_, file_, no_clobber); }
  void write_on() const {
    if (own_descriptor_) return write_all(*own_descriptor_, file_.bytes, file_.path);
    const int folder = target_.place.folder.get();
    const Descriptor device(
        retried([&] { return openat(folder, target_.place.name.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC); }));
    if (device.get() < 0) fail_to_write(file_.path, errno);
    write_all(device.get(), file_.bytes, file_.path);
  }

 private:
  OutputFile file_;
  std::optional<int> own_descriptor_;
  Target target_;
  std::optional<Replacement> replacement_;
};

// Gives all files their names, or none: if a file cannot be renamed, earlier renames are undone. The first file is renamed
// last, so that its name shows that all are there, even after a kill or a power failure between renames.
void put_in_place(std::span<Writing* const> writings) {
  const Uninterrupted until_all_have_names;
  size_t left = writings.size();
  try {
    for (; left > 0; --left) writings[left - 1]->replacement().put_in_place(writings.size() > 1);
  } catch (...) {
    for (; left < writings.size(); ++left) writings[left]->replacement().undo();
    throw;
  }
  for (Writing* writing : writings) writing->replacement().forget_old();
}

// Of those that stand in one folder the first, if the folder can be synced. Looked up before the renames: behind them no memory
// may be missing.
std::vector<const Writing*> one_a_folder(std::span<Writing* const> writings) {
  std::set<std::pair<dev_t, ino_t>> seen;
  std::vector<const Writing*> firsts;
  for (const Writing* writing : writings) {
    const FileLocation& place = writing->place();
    struct stat facts = {};
    if (!place.can_sync || fstat(place.folder.get(), &facts) != 0) continue;
    if (seen.emplace(facts.st_dev, facts.st_ino).second) firsts.push_back(writing);
  }
  return firsts;
}

}  // namespace

void remove_temporary_files() noexcept {
  is_ending = true;
  constexpr timespec moment{.tv_sec = 0, .tv_nsec = 1'000'000};
  constexpr int most_moments = 10'000;
  for (int moments = 0; uninterrupted_count > 0 && moments < most_moments; ++moments) nanosleep(&moment, nullptr);
  for (const Slot& slot : slots)
    if (slot.state == State::in_use) unlinkat(slot.folder, slot.name.data(), 0);
}

void write_files(std::span<const OutputFile> files, bool no_clobber) {
  std::optional<FileWriting> guard;  // not of a stream: a reader that has stopped must not hold up an interrupt
  if (!is_stream(files.front().path)) guard.emplace();
  std::optional<SlotReservation> reserved;  // ends after the writings
  std::deque<Writing> writings;
  for (const OutputFile& file : files) writings.emplace_back(file, no_clobber);
  std::vector<Writing*> replaced;
  for (Writing& writing : writings)
    if (writing.is_replaced()) replaced.push_back(&writing);
  reserved.emplace(replaced.size());
  for (Writing* writing : replaced) writing->write_beside(no_clobber);
  for (const Writing& writing : writings)
    if (!writing.is_replaced()) writing.write_on();
  const std::vector<const Writing*> folders = one_a_folder(replaced);
  put_in_place(replaced);
  for (const Writing* writing : folders) sync(writing->place().folder.get(), writing->path());
}

void write_file(const std::string& path, std::span<const std::byte> bytes, bool no_clobber) {
  const OutputFile file{.path = path, .bytes = bytes};
  write_files({&file, 1}, no_clobber);
}

}  // namespace gpupost
