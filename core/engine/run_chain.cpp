#include "core/engine/run_chain.h"

#include "core/base/error.h"
#include "core/engine/run_totals.h"
#include "core/ops/shared/nearest.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace gpupost {

namespace {

constexpr double probed_taps = 0x1p26;    // reads of the first tile, which measures the speed of the device
constexpr double worth_cutting = 0.75;    // a tile is split only if half of it takes less than this share of the time
constexpr double reserve = 0.7;           // share of the time limit to use, because tiles differ
constexpr int least_side = 64;            // splitting smaller tiles saves no time
constexpr size_t least_bytes = 16 << 20;  // below this many bytes, running out of memory is an error

// Limits of a tile, in addition to those of the device.
struct Bounds {
  double most_ms = 0;                                      // 0: no limit
  size_t most_bytes = std::numeric_limits<size_t>::max();  // a larger allocation has failed before
  std::string why;                                         // the image is tiled
};

// Runs one stage, or one level, tile by tile.
class StageRun {
 public:
  // `made` is the level to write; it already has its size.
  StageRun(Gpu& gpu, const Stage& stage, const PlanInput& input, const Level& base, Level& made, Bounds& bounds,
           RunTotals& totals, std::string name)
      : gpu_(gpu),
        stage_(stage),
        input_(input),
        base_(base),
        made_(made),
        bounds_(bounds),
        totals_(totals),
        name_(std::move(name)) {
    input_.size = base.size;
    input_.whole = {};
    period_ = tile_alignment_of(plan_of_any_size(stage_.calls, input_, gpu_.info().traits));
  }

  void run() {
    run_region(whole_region(made_.size));
    totals_.check_guards();
  }

 private:
  struct Part {
    Region region, needed;
    Plan plan;
  };

  Part part_for(const Region& region) const {
    const Region needed =
        stage_.makes_levels ? needed_for_level(region, base_.size) : needed_for(region, base_.size, stage_, period_);
    PlanInput input = input_;
    input.size = needed.size;
    input.whole = base_.size;
    input.corner = needed.corner;
    if (changes_size()) input.made = region;
    Plan plan = plan_of_any_size(stage_.calls, input, gpu_.info().traits);
    if (!name_.empty()) plan.passes.back().name = name_;
    return {region, needed, std::move(plan)};
  }

  void run_region(const Region& region) {
    const Part part = part_for(region);
    const bool is_over = !over_limit(part.plan, gpu_.info().traits).empty();
    const auto both = halves(region, period_);
    const bool is_cut =
        is_over || bytes_of(part.plan) > bounds_.most_bytes || (both && saves_time(part, both->front()));
    if (both && is_cut) return run_both(*both);
    if (is_over) refuse(part);
    try {
      run_part(part);
    } catch (const OutOfDeviceMemory&) {
      if (!both || bytes_of(part.plan) < least_bytes) throw;
      bounds_.most_bytes = bytes_of(part.plan) / 2;
      run_both(*both);
    }
  }

  bool changes_size() const { return stage_.size != base_.size; }

  void run_both(const std::array<Region, 2>& both) {
    for (const Region& region : both) run_region(region);
  }

  // Returns whether the tile takes too long and half of it takes much less. If ops read far beyond a tile, halves cost
  // as much as the whole.
  bool saves_time(const Part& part, const Region& half) const {
    if (bounds_.most_ms == 0 || std::max(part.region.size.width, part.region.size.height) <= least_side) return false;
    const double reads = reads_of(part.plan);
    const bool takes_long = ms_per_read_ == 0 ? reads > probed_taps : reads * ms_per_read_ > reserve * bounds_.most_ms;
    return takes_long && reads_of(part_for(half).plan) < worth_cutting * reads;
  }

  // Reports the call whose margin makes tiles large, and the option that helps.
  [[noreturn]] void refuse(const Part& part) const {
    const auto found = std::ranges::find_if(
        stage_.calls, [&](const Call& call) { return footprint_of(call, base_.size).kind == Footprint::Kind::around; });
    const Call& call = found == stage_.calls.end() ? stage_.calls.front() : *found;
    const std::string text = call.text();
    const std::string_view smaller = footprint_of(call, base_.size).smaller_tiles;
    const bool has_way_out = !smaller.empty() && text.find(smaller) == text.npos;
    fail(Exit::limit, "{}; a tile of `{}` needs at least {} x {} texels, which is too large too{}", bounds_.why, text,
         part.needed.size.width, part.needed.size.height,
         has_way_out ? fmt::format("; {} allows smaller tiles", smaller) : "");
  }

  void run_part(const Part& part) {
    const auto& [region, needed, plan] = part;
    const auto start = std::chrono::steady_clock::now();
    const bool is_whole = needed == whole_region(base_.size);
    const Level texels = is_whole ? Level() : part_of(base_, needed, input_.storage);
    const RunResult result = gpu_.run(plan, is_whole ? base_ : texels, stage_.makes_levels ? 1 : 0);
    // if the op changes the size, the result is exactly the region; otherwise it includes the margin
    const bool is_alone = stage_.makes_levels || changes_size();
    const Position first =
        is_alone ? Position{} : Position{region.corner.x - needed.corner.x, region.corner.y - needed.corner.y};
    place_part(result.levels.front(), first, region, made_, input_.storage);
    totals_.count_part();
    totals_.add(plan, result);
    double milliseconds = 0;
    for (const double pass : result.times.pass_ms) milliseconds += pass;
    if (!gpu_.info().has_timestamps)
      milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    ms_per_read_ = milliseconds / std::max(reads_of(plan), 1.0);
  }

  Gpu& gpu_;
  const Stage& stage_;
  PlanInput input_;
  const Level& base_;
  Level& made_;
  Bounds& bounds_;
  RunTotals& totals_;
  std::string name_;  // of its only pass; "": as planned
  std::array<int, 2> period_{};
  double ms_per_read_ = 0;  // measured on the last tile; 0: no tile has run yet
};

Level empty_level(Size size, Depth depth) { return {size, TexelBuffer(texel_count(size) * 4 * bytes_of(depth))}; }

// Runs a chain stage by stage in tiles.
class PartsRun {
 public:
  PartsRun(Gpu& gpu, const PlanInput& input, const Bounds& bounds) : gpu_(gpu), input_(input), bounds_(bounds) {}

  ChainRun run(std::span<const Stage> stages, const Level& base) {
    const Level* current = &base;
    for (const Stage& stage : stages) {
      if (stage.makes_levels) {
        make_levels(stage.calls.front(), *current);
        break;
      }
      levels_.front() = made_by(stage, *current);
      current = &levels_.front();
    }
    if (totals_.part_count() > 1) totals_.add_choice(fmt::format("in {} tiles: {}", totals_.part_count(), bounds_.why));
    const bool keeps_base = current == &base;
    if (keeps_base) levels_.erase(levels_.begin());
    return {.plan = totals_.take_plan(),
            .result = {.levels = std::move(levels_), .statistics = {}, .times = totals_.take_times()},
            .first_level = keeps_base ? 1 : 0,
            .clamped_count = totals_.clamped_count()};
  }

 private:
  Level made_by(const Stage& stage, const Level& base) {
    if (stage.moves) return pick_nearest_texels(base, input_.storage, stage.calls.front());
    Level made = empty_level(stage.size, input_.storage);
    run_stage(stage, base, made);
    return made;
  }

  // `name`: name of the stage's only pass; empty keeps the name from the tile's plan.
  void run_stage(const Stage& stage, const Level& base, Level& made, const std::string& name = "") {
    totals_.begin_stage();
    StageRun(gpu_, stage, input_, base, made, bounds_, totals_, name).run();
  }

  // Makes each level from the level above, in tiles until all remaining levels fit at once.
  void make_levels(const Call& call, const Level& base) {
    const int count = result_level_count({&call, 1}, base.size);
    const auto by_level = footprint_of(call, base.size).by_level;
    for (int level = 1; level < count; ++level) {
      const Level& above = level == 1 ? base : levels_.back();
      if (level > 1 && make_rest(by_level(count - level + 1), above, level)) return;
      Level made = empty_level(level_size(above.size, 1), input_.storage);
      const Stage stage{.calls = {by_level(2)}, .size = above.size, .makes_levels = true};
      run_stage(stage, above, made, fmt::format("mips level {}", level));
      levels_.push_back(std::move(made));
    }
  }

  // Makes all levels from `level` on at once, if the device can hold them.
  bool make_rest(const Call& call, const Level& above, int level) {
    PlanInput input = input_;
    input.size = above.size;
    Plan rest = plan_of_any_size({&call, 1}, input, gpu_.info().traits);
    if (!over_limit(rest, gpu_.info().traits).empty() || bytes_of(rest) > bounds_.most_bytes) return false;
    for (size_t index = 0; index < rest.passes.size(); ++index)
      rest.passes[index].name = fmt::format("mips level {}", level + int(index));
    try {
      RunResult result = gpu_.run(rest, above, 1);
      totals_.begin_stage();
      totals_.add(rest, result);
      std::ranges::move(result.levels, std::back_inserter(levels_));
    } catch (const OutOfDeviceMemory&) {
      bounds_.most_bytes = bytes_of(rest) / 2;
      return false;
    }
    return true;
  }

  Gpu& gpu_;
  PlanInput input_;
  Bounds bounds_;
  RunTotals totals_;
  std::vector<Level> levels_{1};
};

}  // namespace

ChainRun run_chain(Gpu& gpu, std::span<const Call> calls, const PlanInput& input, const Level& base,
                   const ChainOptions& options) {
  TilingDecision decision = decide_tiling(calls, input, gpu.info().traits, options);
  Bounds bounds{.most_ms = options.most_ms, .why = decision.limit};
  if (decision.limit.empty() && !decision.is_watched) {
    try {
      const int first_level = decision.whole.keeps_level_0 ? 1 : 0;
      RunResult result = gpu.run(decision.whole, base, first_level);
      const uint64_t clamped = clamped_count(decision.whole, result.statistics);
      return {.plan = std::move(decision.whole),
              .result = std::move(result),
              .first_level = first_level,
              .clamped_count = clamped};
    } catch (const OutOfDeviceMemory& error) {
      if (!decision.obstacle.empty() || bytes_of(decision.whole) < least_bytes) throw;
      bounds.why = error.what();
      bounds.most_bytes = bytes_of(decision.whole) / 2;
    }
  }
  if (bounds.why.empty()) bounds.why = fmt::format("a submission may take at most {} ms", options.most_ms);
  return PartsRun(gpu, input, bounds).run(stages_of(calls, input.size), base);
}

}  // namespace gpupost
