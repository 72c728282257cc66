// write_file(): a path has its old bytes or all of the new ones, whatever happens.
#include "core/system/atomic_file.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/system/descriptor.h"
#include "core/system/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <deque>
#include <filesystem>
#include <semaphore>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

namespace gpupost {
namespace {

namespace fs = std::filesystem;

Exit exit_for(int error) { return is_out_of_resources(error) ? Exit::limit : Exit::output; }

[[noreturn]] void fail_to_write(const std::string& path, int error) {
  fail(exit_for(error), "{}: cannot be written: {}", path == "-" ? "standard output" : path,
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
  int folder = -1;             // its descriptor
  std::array<char, 256> name;  // NAME_MAX and a zero byte
};

constexpr size_t slot_count = 64;  // files written at one time; more wait
std::array<Slot, slot_count> slots;
std::counting_semaphore<slot_count> free_slots{slot_count};

// The name of a temporary file in an open folder. remove_temporary_files() can read it at any moment.
class TemporaryName {
 public:
  TemporaryName() {
    free_slots.acquire();
    slot_ = std::ranges::find_if(slots, [](Slot& slot) {
      State expected = State::free;
      return slot.state.compare_exchange_strong(expected, State::claimed);
    });
  }
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;
  ~TemporaryName() {
    slot_->state = State::free;
    free_slots.release();
  }

  // `name` has at most 255 bytes. The folder stays open as long as this lives.
  void set(int folder, const std::string& name) {
    slot_->state = State::claimed;
    slot_->folder = folder;
    std::copy_n(name.c_str(), name.size() + 1, slot_->name.begin());
    slot_->state = State::in_use;
  }
  const char* get() const { return slot_->name.data(); }

 private:
  Slot* slot_ = nullptr;
};

std::atomic<int> renaming_count = 0;         // Renamings that live
std::atomic<bool> is_renaming_over = false;  // the process ends
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "signal handlers use them");

// While one of these lives its thread renames the files of one result, and no signal comes between them: not in this thread,
// and remove_temporary_files() in another one waits.
class Renaming {
 public:
  Renaming() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    ++renaming_count;
    if (!is_renaming_over) return;
    --renaming_count;
    for (;;) pause();  // the thread that removes the temporary files ends the process
  }
  Renaming(const Renaming&) = delete;
  Renaming& operator=(const Renaming&) = delete;
  ~Renaming() {
    --renaming_count;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_;
};

// The number of our own descriptor whose entry under /proc this is. What such an entry's link says is the name of a file
// that has been opened, if it is one; the descriptor has more: where to write on, or a pipe without a name.
std::optional<int> descriptor_at(const fs::path& at) {
  const std::string name = at.filename();
  const std::optional<int> number = number_in<int>(name);
  if (!number) return std::nullopt;
  std::error_code error;
  const fs::path folder = fs::canonical(at.parent_path(), error);
  if (error) return std::nullopt;
  const bool is_ours = std::ranges::any_of(std::array{"/proc/self/fd", "/proc/thread-self/fd"}, [&](const char* own) {
    return folder == fs::canonical(own, error) && !error;
  });
  return is_ours ? number : std::nullopt;
}

// The number of our own descriptor that a path stands for, itself or through links. Nothing is opened here: what the path
// says otherwise is for the system to follow.
std::optional<int> descriptor_of(const std::string& path) {
  if (path == "-") return STDOUT_FILENO;
  constexpr int most_links = 40;  // as Linux has it
  fs::path at = path;
  std::error_code error;
  for (int links = 0; links < most_links; ++links) {
    if (const std::optional<int> descriptor = descriptor_at(at)) return descriptor;
    const fs::path next = fs::read_symlink(at, error);
    if (error) break;  // it is no link
    at = at.parent_path() / next;
  }
  return std::nullopt;
}

void sync(int descriptor, const std::string& path) {
  if (retried([&] { return fsync(descriptor); }) == 0) return;
  if (errno != EINVAL && errno != ENOTSUP) fail_to_write(path, errno);  // some file systems cannot, and need not
}

[[noreturn]] void refuse_to_clobber(const std::string& path) {
  throw AlreadyExists(Exit::output, fmt::format("{}: already exists, and --no-clobber keeps it", path));
}

// A name in an open folder: whatever becomes of the path that led there, it stays the same place.
struct FileLocation {
  Descriptor folder;
  bool can_sync = true;  // a folder may be written to that may not be read
  std::string name;
};

[[noreturn]] void fail_without_folder(const std::string& path, const fs::path& folder) {
  fail(Exit::output, "{}: the folder {} does not exist; create it, or use --mkdir", path, folder.string());
}

FileLocation place_of(const std::string& path, const fs::path& at) {
  const fs::path folder = at.has_parent_path() ? at.parent_path() : fs::path(".");
  constexpr int flags = O_DIRECTORY | O_CLOEXEC;
  FileLocation place{.name = at.filename()};
  place.folder = Descriptor(retried([&] { return open(folder.c_str(), O_RDONLY | flags); }));
  place.can_sync = place.folder.get() >= 0;
  if (!place.can_sync && errno == EACCES)
    place.folder = Descriptor(retried([&] { return open(folder.c_str(), O_PATH | flags); }));
  if (place.folder.get() >= 0) return place;
  if (errno == ENOENT) fail_without_folder(path, folder);
  fail(exit_for(errno), "{}: the folder {} cannot be used: {}", path, folder.string(),
       std::generic_category().message(errno));
}

// Where a path leads, and what is there.
struct Target {
  FileLocation place;
  std::optional<struct stat> old;  // none: nothing is there

  bool is_device() const { return old && !S_ISREG(old->st_mode); }  // or a named pipe: what takes bytes and stays
};

// What has a name, its own link or the file; none: nothing has it.
std::optional<struct stat> facts_of(const FileLocation& place, const std::string& path) {
  struct stat facts = {};
  if (fstatat(place.folder.get(), place.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0) return facts;
  if (errno != ENOENT) fail_to_write(path, errno);
  return std::nullopt;
}

// The system follows a link, by its rules for links of other users (fs.protected_symlinks), and says where it has led.
Target linked_target(FileLocation link, const std::string& path) {
  const Descriptor file(retried([&] { return openat(link.folder.get(), link.name.c_str(), O_PATH | O_CLOEXEC); }));
  if (file.get() < 0 && errno == ENOENT)
    fail(Exit::output, "{}: is a symbolic link to nothing; create its target first, or remove the link", path);
  struct stat facts = {};
  if (file.get() < 0 || fstat(file.get(), &facts) != 0) fail_to_write(path, errno);
  if (!S_ISREG(facts.st_mode)) return {.place = std::move(link), .old = facts};
  std::error_code error;
  const fs::path there = fs::read_symlink(fmt::format("/proc/self/fd/{}", file.get()), error);
  if (error) fail_to_write(path, error.value());
  Target target{.place = place_of(path, there), .old = facts};
  const auto found = facts_of(target.place, path);
  if (!found || found->st_dev != facts.st_dev || found->st_ino != facts.st_ino) fail_to_write(path, ESTALE);
  return target;
}

// Is something mounted on this name? It cannot be replaced then.
bool is_mount_point(const FileLocation& place) {
  struct statx facts = {};
  constexpr int no_masks = 0;
  if (statx(place.folder.get(), place.name.c_str(), AT_SYMLINK_NOFOLLOW, no_masks, &facts) != 0) return false;
  return (facts.stx_attributes & facts.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
}

// Looks at a target, and refuses it where it can be seen that it cannot be written.
Target target_of(const std::string& path, bool no_clobber) {
  if (path.empty()) fail(Exit::output, "the output has an empty name");
  if (!fs::path(path).has_filename()) fail_to_write(path, EISDIR);
  FileLocation place = place_of(path, path);
  const auto found = facts_of(place, path);
  const bool is_link = found && S_ISLNK(found->st_mode);
  if (is_link && no_clobber) {
    struct stat facts = {};
    if (fstatat(place.folder.get(), place.name.c_str(), &facts, 0) != 0 || S_ISREG(facts.st_mode))
      refuse_to_clobber(path);
  }
  Target target = is_link ? linked_target(std::move(place), path) : Target{.place = std::move(place), .old = found};
  if (!target.old || target.is_device()) {
    if (target.old && S_ISDIR(target.old->st_mode)) fail_to_write(path, EISDIR);
    return target;
  }
  if (no_clobber) refuse_to_clobber(path);
  if (is_mount_point(target.place))
    fail(Exit::output, "{}: is a mount point, which cannot be replaced; write another file and copy it there", path);
  if (faccessat(target.place.folder.get(), target.place.name.c_str(), W_OK, AT_EACCESS) != 0)
    fail_to_write(path, errno);
  return target;
}

// A name that no other file of this process has, for a file beside `name`.
std::string temporary_name(const std::string& name) {
  constexpr size_t longest_name = 200;  // with what is added still under the 255 bytes of a name
  static std::atomic<unsigned> number = 0;
  return fmt::format(".{}.gpupost-{}-{}.tmp", name.substr(0, longest_name), getpid(), number++);
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
    if (target_.old && fchmod(descriptor.get(), target_.old->st_mode & 0777) != 0) fail_to_write(path_, errno);
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
    ~Remover() { unlinkat(folder, file.get(), 0); }  // after a rename there is nothing of that name
    int folder;
    const TemporaryName& file;
  };

  int folder() const { return target_.place.folder.get(); }
  const char* name() const { return target_.place.name.c_str(); }

  int create() {
    for (;;) {
      temporary_.set(folder(), temporary_name(target_.place.name));
      const int created = retried([&] {
        return openat(folder(), temporary_.get(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      });
      if (created >= 0) return created;
      if (errno != EEXIST) fail_to_write(path_, errno);
    }
  }

  // 0 or the error. With no_clobber_ only where nothing has that name.
  int move_into_place() {
    if (!no_clobber_) return renameat(folder(), temporary_.get(), folder(), name()) == 0 ? 0 : errno;
    if (renameat2(folder(), temporary_.get(), folder(), name(), RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
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
  Writing(const OutputFile& file, bool no_clobber) : file_(file), own_descriptor_(descriptor_of(file.path)) {
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
  const Renaming renaming;
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
  is_renaming_over = true;
  constexpr timespec moment{.tv_sec = 0, .tv_nsec = 1'000'000};
  constexpr int most_moments = 10'000;
  for (int moments = 0; renaming_count > 0 && moments < most_moments; ++moments) nanosleep(&moment, nullptr);
  for (const Slot& slot : slots)
    if (slot.state == State::in_use) unlinkat(slot.folder, slot.name.data(), 0);
}

std::optional<int> own_descriptor(const std::string& path) { return descriptor_of(path); }

void check_can_be_written(const std::string& path, bool no_clobber) {
  if (const std::optional<int> descriptor = descriptor_of(path)) {
    const int flags = fcntl(*descriptor, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) fail_to_write(path, EBADF);
    return;
  }
  const Target target = target_of(path, no_clobber);
  const bool needs_folder = !target.is_device();
  if (needs_folder && faccessat(target.place.folder.get(), ".", W_OK | X_OK, AT_EACCESS) != 0)
    fail_to_write(path, errno);
}

void refuse_missing_folder(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty() && !fs::exists(folder, error) && !error) fail_without_folder(path, folder);
}

void make_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty() || own_descriptor(path)) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(Exit::output, "{}: --mkdir cannot create the folder {}: {}", path, folder.string(), error.message());
}

void write_files(std::span<const OutputFile> files, bool no_clobber) {
  std::optional<FileWriting> guard;  // not of a stream: a reader that has stopped must not hold up an interrupt
  if (!own_descriptor(files.front().path)) guard.emplace();
  std::deque<Writing> writings;
  for (const OutputFile& file : files) writings.emplace_back(file, no_clobber);
  std::vector<Writing*> replaced;
  for (Writing& writing : writings)
    if (writing.is_replaced()) replaced.push_back(&writing);
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
