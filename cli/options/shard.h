// Sharding: which inputs of a batch one of several processes takes. The environment is passed in.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gpupost {

struct Shard {
  int index = 1;  // 1..count
  int count = 1;
  // Takes every count-th input; otherwise selects by a hash of the input's folder and name, so that added inputs do not move
  // others, and machines may have other folders above.
  bool is_even = false;
  std::string origin;  // where index and count come from, for messages: "--shard 2/4"

  // Returns whether the shard contains the input of this path at index `position` of all inputs.
  bool takes(const std::string& path, size_t position) const;
};

// Returns the value of an environment variable, if it is set.
using Variable = std::function<std::optional<std::string>(const char* name)>;

// Parses --shard "2/4", "count:2/4" or "auto". `shard_count` is the value of --shards. Throws Error(Exit::usage).
Shard parse_shard(std::string_view word, std::optional<int> shard_count, const Variable& variable);

// A hash that is the same on every machine and in every version.
uint64_t hash_of_name(std::string_view name);

}  // namespace gpupost
