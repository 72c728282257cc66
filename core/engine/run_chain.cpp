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

constexpr double probed_taps = 0x1p26;    // of a part by which is found how fast the device is
constexpr double worth_cutting = 0.75;    // of the time that a part takes is at most what its half takes
constexpr double reserve = 0.7;           // of the time, since parts differ
constexpr int least_side = 64;            // smaller parts save no time
constexpr size_t least_bytes = 16 << 20;  // a device that has not so many has none

// What bounds a part beside the limits of the device.
struct Bounds {
  double most_ms = 0;                                      // 0: nothing
  size_t most_bytes = std::numeric_limits<size_t>::max();  // more has once been refused
  std::string why;                                         // the picture goes through in parts
};

// One stage, or one level, made part by part.
class StageRun {
 public:
  // `made` is the level, of its size, that the parts come to.
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
    period_ = period_of(plan_of_any_size(stage_.calls, input_, gpu_.info().traits));
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

  // Does the part take too long, and a half of it much less? Where calls reach far beyond parts they cost as much.
  bool saves_time(const Part& part, const Region& half) const {
    if (bounds_.most_ms == 0 || std::max(part.region.size.width, part.region.size.height) <= least_side) return false;
    const double taps = taps_of(part.plan);
    const bool takes_long = ms_per_tap_ == 0 ? taps > probed_taps : taps * ms_per_tap_ > reserve * bounds_.most_ms;
    return takes_long && taps_of(part_for(half).plan) < worth_cutting * taps;
  }

  // Names the call that makes parts what they are, where there is one, and the way out.
  [[noreturn]] void refuse(const Part& part) const {
    const auto found = std::ranges::find_if(
        stage_.calls, [&](const Call& call) { return footprint_of(call, base_.size).kind == Footprint::Kind::around; });
    const Call& call = found == stage_.calls.end() ? stage_.calls.front() : *found;
    const std::string text = call.text();
    const std::string_view smaller = footprint_of(call, base_.size).smaller_tiles;
    const bool has_way_out = !smaller.empty() && text.find(smaller) == text.npos;
    fail(Exit::limit, "{}; of `{}` a part has at least {} x {} texels, which is too large too{}", bounds_.why, text,
         part.needed.size.width, part.needed.size.height,
         has_way_out ? fmt::format("; with {} parts may be smaller", smaller) : "");
  }

  void run_part(const Part& part) {
    const auto& [region, needed, plan] = part;
    const auto start = std::chrono::steady_clock::now();
    const bool is_whole = needed == whole_region(base_.size);
    const Level texels = is_whole ? Level() : part_of(base_, needed, input_.storage);
    const RunResult result = gpu_.run(plan, is_whole ? base_ : texels, stage_.makes_levels ? 1 : 0);
    // a part of another size is all that was asked for, others have around it what they have read
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
    ms_per_tap_ = milliseconds / std::max(taps_of(plan), 1.0);
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
  double ms_per_tap_ = 0;  // of the last part; 0: none has been run
};

Level empty_level(Size size, Depth depth) { return {size, TexelBuffer(texel_count(size) * 4 * bytes_of(depth))}; }

// A chain whose stages go through in parts, one after the other.
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
    if (totals_.part_count() > 1) totals_.add_choice(fmt::format("in {} parts: {}", totals_.part_count(), bounds_.why));
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

  // `name`: of the stage's only pass, where it is not the one that a tile gives it.
  void run_stage(const Stage& stage, const Level& base, Level& made, const std::string& name = "") {
    totals_.begin_stage();
    StageRun(gpu_, stage, input_, base, made, bounds_, totals_, name).run();
  }

  // Each level of the one above it: in parts, till all that are left fit at once.
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

  // All levels below this one, the first of which is `level`, where the device holds them.
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
  TilingDecision passage = passage_of(calls, input, gpu.info().traits, options);
  Bounds bounds{.most_ms = options.most_ms, .why = passage.limit};
  if (passage.limit.empty() && !passage.is_watched) {
    try {
      const int first_level = passage.whole.keeps_level_0 ? 1 : 0;
      RunResult result = gpu.run(passage.whole, base, first_level);
      const uint64_t clamped = clamped_count(passage.whole, result.statistics);
      return {.plan = std::move(passage.whole),
              .result = std::move(result),
              .first_level = first_level,
              .clamped_count = clamped};
    } catch (const OutOfDeviceMemory& error) {
      if (!passage.obstacle.empty() || bytes_of(passage.whole) < least_bytes) throw;
      bounds.why = error.what();
      bounds.most_bytes = bytes_of(passage.whole) / 2;
    }
  }
  if (bounds.why.empty()) bounds.why = fmt::format("the device is to work for at most {} ms at once", options.most_ms);
  return PartsRun(gpu, input, bounds).run(stages_of(calls, input.size), base);
}

}  // namespace gpupost
