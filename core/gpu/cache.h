// The cache in $XDG_CACHE_HOME/gpupost. The folder is untrusted: invalid files are ignored and replaced. A cache that
// cannot be written is no error.
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

// The cache folder; "" if there is none.
std::string cache_folder();

// Creates the cache folder and the folders above it. If it is in $HOME, only if $HOME exists.
void make_cache_folder();

// Suffix of the file name of a cached shader.
inline constexpr std::string_view shader_extension = ".spv";
// Limit for all cached shaders, in bytes.
inline constexpr uint64_t most_cached_bytes = uint64_t(64) << 20;

// Returns the data stored under `name` with the same `key`; nothing if it is missing or damaged.
std::optional<std::vector<std::byte>> read_cached(const std::string& name, uint64_t key);
// Stores data, then removes the oldest shaders if all of them exceed most_cached_bytes.
void write_cached(const std::string& name, uint64_t key, std::span<const std::byte> bytes);
// Removes the oldest shaders until the rest has at most this many bytes.
void trim_cache(uint64_t most_bytes);
bool remove_cached(const std::string& name);  // returns whether it existed

}  // namespace gpupost
