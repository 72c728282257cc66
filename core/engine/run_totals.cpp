#include "core/engine/run_totals.h"

#include <algorithm>

namespace gpupost {

namespace {

const std::string& key_of(const Pass& pass) { return pass.name; }
const std::string& key_of(const Guard& guard) { return guard.message; }

// Returns the index of a row with the key, starting at `first` and skipping `skipped` rows with that key; rows.size()
// if there is none.
template <class Row>
size_t find_key(const std::vector<Row>& rows, size_t first, const std::string& key, std::ptrdiff_t skipped) {
  for (size_t index = first; index < rows.size(); ++index)
    if (key_of(rows[index]) == key && skipped-- == 0) return index;
  return rows.size();
}

// The row of the totals for row `index` of a tile. Rows with the same key match in order.
template <class Row>
size_t total_of(const std::vector<Row>& totals, size_t first, const std::vector<Row>& tile, size_t index) {
  const std::string& key = key_of(tile[index]);
  const auto same = [&](const Row& row) { return key_of(row) == key; };
  return find_key(totals, first, key, std::count_if(tile.begin(), tile.begin() + std::ptrdiff_t(index), same));
}

}  // namespace

void RunTotals::begin_stage() {
  first_pass_ = plan_.passes.size();
  plan_.guards.clear();
  guard_counts_.clear();
}

void RunTotals::add_choice(std::string choice) {
  if (std::ranges::find(plan_.choices, choice) == plan_.choices.end()) plan_.choices.push_back(std::move(choice));
}

void RunTotals::add(const Plan& tile, const RunResult& result, bool counts_clamped) {
  times_.compile_ms += result.times.compile_ms;
  times_.upload_ms += result.times.upload_ms;
  times_.download_ms += result.times.download_ms;
  if (counts_clamped) clamped_count_ += gpupost::clamped_count(tile, result.statistics);
  for (const std::string& choice : tile.choices) add_choice(choice);
  for (size_t index = 0; index < tile.passes.size(); ++index) {
    const size_t total = total_of(plan_.passes, first_pass_, tile.passes, index);
    const double milliseconds = result.times.pass_ms[index];
    if (total == plan_.passes.size()) {
      plan_.passes.push_back(tile.passes[index]);
      times_.pass_ms.push_back(milliseconds);
    } else {
      plan_.passes[total].memory.bytes_read += tile.passes[index].memory.bytes_read;
      plan_.passes[total].memory.bytes_written += tile.passes[index].memory.bytes_written;
      times_.pass_ms[total] += milliseconds;
    }
  }
  for (size_t index = 0; index < tile.guards.size(); ++index) {
    const size_t total = total_of(plan_.guards, 0, tile.guards, index);
    if (total == plan_.guards.size()) {
      plan_.guards.push_back(tile.guards[index]);
      guard_counts_.push_back(0);
    }
    guard_counts_[total] += result.statistics[size_t(tile.guards[index].offset)];
  }
}

void RunTotals::check_guards() const {
  for (size_t index = 0; index < guard_counts_.size(); ++index) check_guard(plan_.guards[index], guard_counts_[index]);
}

Plan RunTotals::take_plan() {
  plan_.guards.clear();  // guards are checked after each stage
  return std::move(plan_);
}

}  // namespace gpupost
