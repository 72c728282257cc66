#include "core/gpu/cache.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace gpupost {

namespace {

// In front of every file; all of it must agree.
struct Header {
  char magic[8] = {'g', 'p', 'u', 'p', 'o', 's', 't', '1'};
  uint64_t key = 0;
  uint64_t size = 0;
  uint64_t hash = 0;  // of the bytes behind the header
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

std::string cache_folder() {
  const char* cache_home = std::getenv("XDG_CACHE_HOME");
  if (cache_home && *cache_home == '/') return std::string(cache_home) + "/gpupost";
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.cache/gpupost" : "";
}

std::optional<std::vector<std::byte>> read_cached(const std::string& name, uint64_t key) {
  constexpr uint64_t largest = 64 << 20;
  std::ifstream file(cache_folder() + "/" + name, std::ios::binary);
  Header header, expected;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
  if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 || header.key != key || header.size > largest)
    return {};
  std::vector<std::byte> bytes(header.size);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(bytes.size()))) return {};
  if (hash_of(bytes) != header.hash || file.peek() != std::ifstream::traits_type::eof()) return {};
  return bytes;
}

void write_cached(const std::string& name, uint64_t key, std::span<const std::byte> bytes) {
  const std::string folder = cache_folder();
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::string temporary = folder + "/." + name + "." + std::to_string(getpid());
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  const Header header{.key = key, .size = bytes.size(), .hash = hash_of(bytes)};
  file.write(reinterpret_cast<const char*>(&header), sizeof header);
  file.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
  file.close();
  if (file) std::filesystem::rename(temporary, folder + "/" + name, error);
  if (!file || error) std::filesystem::remove(temporary, error);
}

}  // namespace gpupost
