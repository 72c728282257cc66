#include "core/system/output_target.h"

#include "core/base/text.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

namespace gpupost {

namespace fs = std::filesystem;

namespace {

Exit exit_for(int error) { return is_out_of_resources(error) ? Exit::limit : Exit::output; }

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

// Facts of what has this name: a link itself, or a file. Empty if nothing has it.
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

}  // namespace

[[noreturn]] void fail_to_write(const std::string& path, int error) {
  fail(exit_for(error), "{}: cannot be written: {}", path == "-" ? "standard output" : path,
       std::generic_category().message(error));
}

[[noreturn]] void refuse_to_clobber(const std::string& path) {
  throw AlreadyExists(Exit::output, fmt::format("{}: already exists, and --no-clobber keeps it", path));
}

// Nothing is opened here: what the path says otherwise is for the system to follow.
std::optional<int> own_descriptor(const std::string& path) {
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

bool is_stream(const std::string& path) {
  std::error_code error;
  return own_descriptor(path) || fs::is_other(path, error);
}

bool is_standard_input(const std::string& path) { return path == "-" || own_descriptor(path) == STDIN_FILENO; }

Target target_of(const std::string& path, bool no_clobber) {
  if (path.empty()) fail(Exit::output, "the output has an empty name");
  if (!fs::path(path).has_filename()) fail_to_write(path, EISDIR);
  FileLocation place = place_of(path, path);
  const auto found = facts_of(place, path);
  const bool is_link = found && S_ISLNK(found->st_mode);
  if (is_link && no_clobber) {
    struct stat facts = {};
    if (fstatat(place.folder.get(), place.name.c_str(), &facts, 0) == 0 && S_ISREG(facts.st_mode))
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

void check_can_be_written(const std::string& path, bool no_clobber) {
  if (const std::optional<int> descriptor = own_descriptor(path)) {
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

}  // namespace gpupost
