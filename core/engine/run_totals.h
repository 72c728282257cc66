// What the tiles of a chain made and took, in sums. Pure: needs no device; run_chain.cpp adds each tile.
#pragma once

#include "core/gpu/gpu.h"

namespace gpupost {

class RunTotals {
 public:
  // Begins a stage: the passes of its tiles stand behind those of the stages before.
  void begin_stage();
  // Adds a tile of the stage. Tiles may differ in their passes and in where their statistics lie: passes are summed by their
  // names and guards by their messages.
  void add(const Plan& tile, const RunResult& result);
  void add_choice(std::string choice);  // once
  // Throws Error where a guard of the stage has counted something.
  void check_guards() const;

  void count_part() { ++part_count_; }
  int part_count() const { return part_count_; }
  uint64_t clamped_count() const { return clamped_count_; }
  // Once, at the end. The plan has passes and choices alone.
  Plan take_plan();
  RunTimes take_times() { return std::move(times_); }

 private:
  Plan plan_;  // passes and choices of all stages, guards of this one
  RunTimes times_;
  size_t first_pass_ = 0;               // of the stage
  std::vector<uint64_t> guard_counts_;  // one for each of the plan's guards
  uint64_t clamped_count_ = 0;
  int part_count_ = 0;
};

}  // namespace gpupost
