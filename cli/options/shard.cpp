#include "cli/options/shard.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <filesystem>
#include <system_error>

namespace gpupost {

namespace fs = std::filesystem;

namespace {

constexpr int max_count = 1'000'000;

std::optional<int64_t> whole_number(std::string_view word) { return number_in<int64_t>(without_plus(word)); }

// Variables that a scheduler sets.
class Scheduler {
 public:
  Scheduler(std::optional<int> shard_count, const Variable& variable)
      : shard_count_(shard_count), variable_(variable) {}

  // An empty variable counts as not set.
  bool sets(const char* name) const { return !variable_(name).value_or("").empty(); }

  int64_t number(const char* name) const {
    const std::optional<std::string> text = variable_(name);
    if (!sets(name)) fail(Exit::usage, "--shard auto: {} is not set; expected --shard K/N", name);
    const std::optional<int64_t> value = whole_number(*text);
    if (!value || *value < -max_count || *value > (int64_t(1) << 40))
      fail(Exit::usage, "--shard auto: {}={} is not a whole number; expected --shard K/N", name, *text);
    return *value;
  }

  int64_t number(const char* name, int64_t otherwise) const { return sets(name) ? number(name) : otherwise; }

  // Shard `index` of `count`, from 1.
  Shard shard(const char* name, int64_t index, int64_t count) const {
    const std::string origin = fmt::format("{}={}", name, *variable_(name));
    if (shard_count_ && *shard_count_ != count)
      fail(Exit::usage, "--shards {}: the scheduler has {} tasks ({}); leave --shards out", *shard_count_, count,
           origin);
    if (count < 1 || count > max_count || index < 1 || index > count)
      fail(Exit::usage, "--shard auto: {} is not one of {} shards; expected --shard K/N", origin, count);
    return {.index = int(index), .count = int(count), .origin = origin};
  }

  Shard shard_of_given_count(const char* name, int64_t index) const {
    if (!shard_count_)
      fail(Exit::usage, "--shard auto: {} is set, but no variable has the number of tasks; expected --shards N too",
           name);
    return shard(name, index, *shard_count_);
  }

 private:
  std::optional<int> shard_count_;
  const Variable& variable_;
};

// docs/farm.md has the same order.
Shard shard_of_scheduler(std::optional<int> shard_count, const Variable& variable) {
  const Scheduler scheduler(shard_count, variable);
  if (const char* id = "SLURM_ARRAY_TASK_ID"; scheduler.sets(id)) {
    const int64_t step = scheduler.number("SLURM_ARRAY_TASK_STEP", 1),
                  offset = scheduler.number(id) - scheduler.number("SLURM_ARRAY_TASK_MIN");
    const int64_t count = scheduler.number("SLURM_ARRAY_TASK_COUNT");
    if (step < 1 || offset < 0 || offset % step != 0 || offset / step >= count)
      fail(Exit::usage,
           "--shard auto: the ids of the Slurm array are not evenly spaced (id {}, least id {}, step {}, {} tasks); "
           "expected --shard K/N",
           scheduler.number(id), scheduler.number("SLURM_ARRAY_TASK_MIN"), step, count);
    return scheduler.shard(id, offset / step + 1, count);
  }
  if (const char* index = "AWS_BATCH_JOB_ARRAY_INDEX"; scheduler.sets(index))
    return scheduler.shard(index, scheduler.number(index) + 1, scheduler.number("AWS_BATCH_JOB_ARRAY_SIZE"));
  if (const char* index = "CI_NODE_INDEX"; scheduler.sets(index))
    return scheduler.shard(index, scheduler.number(index), scheduler.number("CI_NODE_TOTAL"));
  if (const char* index = "JOB_COMPLETION_INDEX"; scheduler.sets(index))
    return scheduler.shard_of_given_count(index, scheduler.number(index) + 1);
  if (const char* id = "HQ_TASK_ID"; scheduler.sets(id))
    return scheduler.shard_of_given_count(id, scheduler.number(id));
  fail(Exit::usage,
       "--shard auto: none of SLURM_ARRAY_TASK_ID, AWS_BATCH_JOB_ARRAY_INDEX, CI_NODE_INDEX, JOB_COMPLETION_INDEX and "
       "HQ_TASK_ID is set; expected --shard K/N");
}

}  // namespace

// FNV-1a, then the final step of SplitMix64: low bits of FNV-1a alone distribute names badly that differ in one digit.
uint64_t hash_of_name(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111eb;
  return hash ^ hash >> 31;
}

// The folder and the name of a file, as "props/a.exr". They do not depend on the working directory, on links to folders or on how the
// path is written.
static std::string end_of_path(const fs::path& path) {
  std::error_code error;
  const fs::path parent = path.has_parent_path() ? path.parent_path() : ".",
                 folder = fs::weakly_canonical(fs::absolute(parent, error), error);
  return ((error ? parent : folder).filename() / path.filename()).string();
}

bool Shard::takes(const std::string& path, size_t position) const {
  const uint64_t key = is_even ? position : hash_of_name(path == "-" ? path : end_of_path(path));
  return key % uint64_t(count) == uint64_t(index - 1);
}

Shard parse_shard(std::string_view word, std::optional<int> shard_count, const Variable& variable) {
  constexpr std::string_view even = "count:";
  const bool is_even = word.starts_with(even);
  const std::string_view which = is_even ? word.substr(even.size()) : word;
  Shard shard;
  if (which == "auto") shard = shard_of_scheduler(shard_count, variable);
  else {
    if (shard_count)
      fail(Exit::usage, "--shards {} has no effect with --shard {}; expected --shard auto", *shard_count, word);
    const size_t slash = which.find('/');
    const std::optional<int64_t> index = whole_number(which.substr(0, slash));
    const std::optional<int64_t> count = slash == which.npos ? std::nullopt : whole_number(which.substr(slash + 1));
    if (!index || !count) fail(Exit::usage, "--shard {} is not K/N, count:K/N or auto; expected for example 1/4", word);
    if (*count < 1 || *count > max_count || *index < 1 || *index > *count)
      fail(Exit::usage, "--shard {}: expected K in 1..N and N in 1..{}", word, max_count);
    shard = {.index = int(*index), .count = int(*count), .origin = fmt::format("--shard {}", word)};
  }
  shard.is_even = is_even;
  return shard;
}

}  // namespace gpupost
