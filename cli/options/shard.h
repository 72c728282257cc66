// Which inputs of a batch one process of several takes. Pure: the environment is handed in.
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
  bool is_even = false;  // takes every count-th input; else by a hash of the name, which adding inputs does not change
  std::string origin;    // where index and count come from, for messages: "--shard 2/4"

  // Does it take the input of this name, which is number `position` of all inputs?
  bool takes(std::string_view name, size_t position) const;
};

// The value of an environment variable; none where it is not set.
using Variable = std::function<std::optional<std::string>(const char* name)>;

// What --shard and --shards say: "2/4", "count:2/4", "auto". `shard_count` is that of --shards. Throws Error(Exit::usage).
Shard parse_shard(std::string_view word, std::optional<int> shard_count, const Variable& variable);

// A hash that is the same on every machine and in every version.
uint64_t hash_of_name(std::string_view name);

}  // namespace gpupost
