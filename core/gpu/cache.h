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

// The end of the name of a cached shader.
inline constexpr std::string_view shader_extension = ".spv";
// Bytes of all cached shaders together.
inline constexpr uint64_t most_cached_bytes = uint64_t(64) << 20;

// What was stored under `name` with the same `key`; nothing where there is none or it is damaged.
std::optional<std::vector<std::byte>> read_cached(const std::string& name, uint64_t key);
// Removes the oldest shaders where all of them are more than most_cached_bytes then.
void write_cached(const std::string& name, uint64_t key, std::span<const std::byte> bytes);
// Removes the oldest shaders until the rest has at most so many bytes.
void trim_cache(uint64_t most_bytes);
bool remove_cached(const std::string& name);  // was it there?

}  // namespace gpupost
