#include "core/gpu/cache.h"

#include "core/system/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace gpupost {

namespace {

// Header of every file. All members must match.
struct Header {
  char magic[8] = {'g', 'p', 'u', 'p', 'o', 's', 't', '1'};
  uint64_t key = 0;
  uint64_t size = 0;
  uint64_t hash = 0;  // hash of the bytes after the header
};

}  // namespace

uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  return hash;
}

static uint64_t hash_of(std::span<const std::byte> bytes) {
  return hash_of(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// The absolute path in an environment variable; "" if it has none.
static std::string path_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value == '/' ? value : "";
}

std::string cache_folder() {
  if (const std::string cache_home = path_in("XDG_CACHE_HOME"); !cache_home.empty()) return cache_home + "/gpupost";
  const std::string home = path_in("HOME");
  return home.empty() ? "" : home + "/.cache/gpupost";
}

void make_cache_folder() {
  std::error_code error;
  if (path_in("XDG_CACHE_HOME").empty() && !std::filesystem::is_directory(path_in("HOME"), error)) return;
  std::filesystem::create_directories(cache_folder(), error);
}

// Reads a regular file that this user owns, of at most `largest` bytes. Returns nothing for links, pipes, devices and
// folders.
static std::optional<std::vector<std::byte>> read_plain_file(const std::string& path, size_t largest) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY));
  struct stat status;
  if (file.get() < 0 || fstat(file.get(), &status) != 0) return {};
  if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() || size_t(status.st_size) > largest) return {};
  return read_to_end(file.get());
}

std::optional<std::vector<std::byte>> read_cached(const std::string& name, uint64_t key) {
  constexpr size_t largest = 64 << 20;
  const std::string folder = cache_folder();
  if (folder.empty()) return {};
  std::optional<std::vector<std::byte>> bytes = read_plain_file(folder + "/" + name, largest);
  Header header, expected;
  if (!bytes || bytes->size() < sizeof header) return {};
  std::memcpy(&header, bytes->data(), sizeof header);
  bytes->erase(bytes->begin(), bytes->begin() + sizeof header);
  const bool is_ours = std::memcmp(header.magic, expected.magic, sizeof header.magic) == 0 && header.key == key;
  if (!is_ours || header.size != bytes->size() || header.hash != hash_of(std::span<const std::byte>(*bytes))) return {};
  return bytes;
}

void write_cached(const std::string& name, uint64_t key, std::span<const std::byte> bytes) {
  const std::string folder = cache_folder();
  if (folder.empty()) return;
  make_cache_folder();
  const Header header{.key = key, .size = bytes.size(), .hash = hash_of(bytes)};
  std::vector<std::byte> whole(sizeof header + bytes.size());
  std::memcpy(whole.data(), &header, sizeof header);
  std::ranges::copy(bytes, whole.begin() + sizeof header);
  std::string temporary = folder + "/." + name + ".XXXXXX";
  Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return;
  std::error_code error;
  bool is_written = write_whole(file.get(), whole) == 0;
  is_written = close(file.release()) == 0 && is_written;
  if (is_written) std::filesystem::rename(temporary, folder + "/" + name, error);
  if (!is_written || error) std::filesystem::remove(temporary, error);
  trim_cache(most_cached_bytes);
}

// Shaders, and temporary files of killed runs. There are few other files, and new ones replace them.
static bool may_be_trimmed(const std::filesystem::directory_entry& entry) {
  const std::string name = entry.path().filename();
  std::error_code error;
  return entry.symlink_status(error).type() == std::filesystem::file_type::regular &&
         (name.ends_with(shader_extension) || name.starts_with("."));
}

void trim_cache(uint64_t most_bytes) {
  struct File {
    std::filesystem::path path;
    std::filesystem::file_time_type written;
    uint64_t bytes = 0;
  };
  std::error_code error;
  std::vector<File> files;
  uint64_t sum = 0;
  for (std::filesystem::directory_iterator entry(cache_folder(), error), end; !error && entry != end;
       entry.increment(error)) {
    if (!may_be_trimmed(*entry)) continue;
    std::error_code gone;  // another run may remove files at the same time
    const File file{entry->path(), entry->last_write_time(gone), entry->file_size(gone)};
    if (gone) continue;
    sum += file.bytes;
    files.push_back(file);
  }
  if (sum <= most_bytes) return;
  std::ranges::sort(files, {}, &File::written);
  for (const File& file : files) {
    if (sum <= most_bytes) return;
    if (std::filesystem::remove(file.path, error)) sum -= file.bytes;
  }
}

bool remove_cached(const std::string& name) {
  const std::string folder = cache_folder();
  std::error_code error;
  return !folder.empty() && std::filesystem::remove(folder + "/" + name, error);
}

}  // namespace gpupost
