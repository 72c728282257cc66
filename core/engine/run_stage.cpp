#include "core/engine/run_stage.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/base/stopwatch.h"

#include <algorithm>
#include <utility>

namespace gpupost {

namespace {

constexpr double probed_taps = 0x1p26;  // reads of the first tile, which measures the speed of the device
constexpr double worth_cutting = 0.75;  // a tile is split only if half of it costs less than this share of its cost
constexpr double reserve = 0.7;         // share of the time limit to use, because tiles differ
constexpr int least_side = 64;          // splitting smaller tiles saves no time

class StageRun {
 public:
  StageRun(Gpu& gpu, const Stage& stage, const PlanInput& input, const Level& base, Size made, TakeTile take,
           Bounds& bounds, RunTotals& totals)
      : gpu_(gpu),
        stage_(stage),
        input_(input),
        base_(base),
        made_(made),
        take_(std::move(take)),
        bounds_(bounds),
        totals_(totals) {
    input_.size = base.size;
    input_.whole = {};
    period_ = tile_alignment_of(plan_of(stage_, input_, gpu_.info().traits));
  }

  void run() {
    run_region(whole_region(made_));
    totals_.check_guards();
  }

 private:
  Tile part_for(const Region& region) const { return tile_for(region, stage_, input_, period_, gpu_.info().traits); }

  void run_region(const Region& region) {
    const Tile part = part_for(region);
    const bool is_over = !over_limit(part.plan, gpu_.info().traits).empty();
    const auto both = halves(region, period_);
    const bool is_cut = is_over || (both && (saves_memory(part, both->front()) || saves_time(part, both->front())));
    if (both && is_cut) return run_both(*both);
    if (is_over) refuse_tiles(stage_, base_.size, period_, bounds_.why);
    try {
      run_part(part);
    } catch (const OutOfDeviceMemory&) {
      if (!both || bytes_of(part.plan) < least_bytes) throw;
      bounds_.most_bytes = bytes_of(part.plan) / 2;
      run_both(*both);
    }
  }

  void run_both(const std::array<Region, 2>& both) {
    for (const Region& region : both) run_region(region);
  }

  // Returns whether the tile needs too much memory and half of it needs much less. If ops read far beyond a tile, halves
  // need as much as the whole.
  bool saves_memory(const Tile& part, const Region& half) const {
    const size_t bytes = bytes_of(part.plan);
    return bytes > bounds_.most_bytes && double(bytes_of(part_for(half).plan)) < worth_cutting * double(bytes);
  }

  // The same for the time of a tile.
  bool saves_time(const Tile& part, const Region& half) const {
    if (bounds_.most_ms == 0 || std::max(part.region.size.width, part.region.size.height) <= least_side) return false;
    const double reads = reads_of(part.plan);
    const bool takes_long = ms_per_read_ == 0 ? reads > probed_taps : reads * ms_per_read_ > reserve * bounds_.most_ms;
    return takes_long && reads_of(part_for(half).plan) < worth_cutting * reads;
  }

  void run_part(const Tile& part) {
    const auto& [region, needed, plan] = part;
    const Stopwatch watch;
    const bool is_whole = needed == whole_region(base_.size);
    const Level texels = is_whole ? Level() : part_of(base_, needed, input_.storage);
    const bool is_measured = !stage_.calls.empty() && stage_.calls.back().op->makes == Makes::statistics;
    const int first_level = is_measured || (stage_.makes_levels && plan.keeps_level_0) ? 1 : 0;
    const RunResult result = gpu_.run(plan, is_whole ? base_ : texels, first_level);
    const Position first = makes_regions(stage_, base_.size)
                               ? Position{}
                               : Position{region.corner.x - needed.corner.x, region.corner.y - needed.corner.y};
    take_(region, first, plan, result);
    totals_.count_part();
    totals_.add(plan, result, !is_measured);
    double milliseconds = 0;
    for (const double pass : result.times.pass_ms) milliseconds += pass;
    if (!gpu_.info().has_timestamps) milliseconds = watch.milliseconds();
    ms_per_read_ = milliseconds / std::max(reads_of(plan), 1.0);
  }

  Gpu& gpu_;
  const Stage& stage_;
  PlanInput input_;
  const Level& base_;
  Size made_;
  TakeTile take_;
  Bounds& bounds_;
  RunTotals& totals_;
  std::array<int, 2> period_{};
  double ms_per_read_ = 0;  // measured on the last tile; 0: no tile has run yet
};

}  // namespace

void run_stage(Gpu& gpu, const Stage& stage, const PlanInput& input, const Level& base, Size made, const TakeTile& take,
               Bounds& bounds, RunTotals& totals) {
  StageRun(gpu, stage, input, base, made, take, bounds, totals).run();
}

}  // namespace gpupost
