// Sums over the tiles of a chain. It needs no device; run_chain.cpp adds each tile.
#pragma once

#include "core/gpu/gpu.h"

namespace gpupost {

class RunTotals {
 public:
  // Begins a stage. Its passes follow those of earlier stages.
  void begin_stage();
  // Adds a tile of the stage. Tiles may have different passes and different offsets of statistics, so passes are
  // matched by name and guards by message. `counts_clamped`: adds the number of clamped values.
  void add(const Plan& tile, const RunResult& result, bool counts_clamped = true);
  void add_choice(std::string choice);  // ignores a repeated choice
  // Throws Error if the count of a guard of the stage is not 0.
  void check_guards() const;

  void count_part() { ++part_count_; }
  int part_count() const { return part_count_; }
  uint64_t clamped_count() const { return clamped_count_; }
  // Call once, at the end. The returned plan has only passes and choices.
  Plan take_plan();
  RunTimes take_times() { return std::move(times_); }

 private:
  Plan plan_;  // passes and choices of all stages, guards of the current stage
  RunTimes times_;
  size_t first_pass_ = 0;               // first pass of the current stage
  std::vector<uint64_t> guard_counts_;  // one for each guard of the plan
  uint64_t clamped_count_ = 0;
  int part_count_ = 0;
};

}  // namespace gpupost
