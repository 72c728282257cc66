// Files kept between runs in $XDG_CACHE_HOME/gpupost. The folder is untrusted: whatever is odd there is ignored and
// replaced, and a cache that cannot be written is no error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// FNV-1a, 64 bits.
uint64_t hash_of(std::string_view text);

// The folder; "" where there is none to be had.
std::string cache_folder();

// What was stored under `name` with the same `key`; nothing where there is none or it is damaged.
std::optional<std::vector<std::byte>> read_cached(const std::string& name, uint64_t key);
void write_cached(const std::string& name, uint64_t key, std::span<const std::byte> bytes);
bool remove_cached(const std::string& name);  // was it there?

}  // namespace gpupost
