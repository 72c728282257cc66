#include "core/engine/run_chain.h"

#include "core/base/error.h"
#include "core/engine/bands.h"
#include "core/engine/run_stage.h"
#include "core/ops/shared/nearest.h"
#include "core/ops/stats/join.h"
#include "core/plan/stage_formats.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <functional>
#include <utility>

namespace gpupost {

namespace {

Level empty_level(Size size, Depth depth) { return {size, TexelBuffer(texel_count(size) * 4 * bytes_of(depth))}; }

// Runs a chain stage by stage in tiles.
class PartsRun {
 public:
  PartsRun(Gpu& gpu, const PlanInput& input, const Bounds& bounds) : gpu_(gpu), input_(input), bounds_(bounds) {}

  // Runs the stages and overwrites the base, which the caller no longer needs.
  ChainRun run_in_bands(std::span<const Stage> stages, Level&& base) {
    levels_.front() = std::move(base);
    replaces_ = true;
    try {
      return run(stages, levels_.front());
    } catch (const DeviceLost& lost) {  // a retry would need the base, which is overwritten
      throw Error(lost.code(), lost.what());
    }
  }

  ChainRun run(std::span<const Stage> stages, const Level& base) {
    const Level* current = &base;
    const std::vector<StageFormats> formats = formats_of(stages, input_, gpu_.info().traits);
    for (size_t index = 0; index < stages.size(); ++index) {
      const Stage& stage = stages[index];
      format_ = formats[index];
      measure(stage, *current);
      if (stage.calls.empty()) continue;
      if (stage.makes_levels) {
        make_levels(stage.calls.front(), *current);
        break;
      }
      if (!try_in_bands(stage)) levels_.front() = made_by(stage, *current);
      current = &levels_.front();
    }
    if (totals_.part_count() > 1)
      totals_.add_choice(
          fmt::format("in {} {}: {}", totals_.part_count(), has_bands_ ? "bands" : "tiles", bounds_.why));
    const bool keeps_base = current == &base && !replaces_;
    if (keeps_base) levels_.erase(levels_.begin());
    Plan plan = totals_.take_plan();
    plan.results = std::move(results_);
    return {.plan = std::move(plan),
            .result = {.levels = {std::move_iterator(levels_.begin()), std::move_iterator(levels_.end())},
                       .statistics = std::move(statistics_),
                       .times = totals_.take_times()},
            .first_level = keeps_base ? 1 : 0,
            .clamped_count = totals_.clamped_count()};
  }

 private:
  Level made_by(const Stage& stage, const Level& base) {
    if (stage.moves) {
      Level moved = pick_nearest_texels(base, input_.storage, stage.calls.front());
      const std::string_view name = stage.calls.front().op->name;
      if (format_.begin == format_.end) return moved;
      return copied(moved, input_.storage, {.name = std::string(name), .ops = {name}, .depth = input_.storage});
    }
    const Depth depth = result_depth(stage.calls, input_.storage);
    // packed images cannot be downloaded, and texels beyond the region that is needed must not be refused
    const bool is_rounded_later = format_.end.is_packed;
    const Depth made_depth = is_rounded_later ? Depth::f32 : depth;
    PlanInput input = input_of_stage();
    if (is_rounded_later) input.ends.storage = ResultStorage::f32;
    Level made = empty_level(stage.size, made_depth);
    StoredAgain last = apply(stage, input, base, made, made_depth);
    input_.storage = last.depth = depth;
    if (is_rounded_later) return copied(made, Depth::f32, last);
    return made;
  }

  // Runs the stage in bands if possible. Returns whether it did.
  bool try_in_bands(const Stage& stage) {
    PlanInput input = input_of_stage();
    input.size = levels_.front().size;
    if (!replaces_ || format_.end.is_packed || !can_run_in_bands(stage, input)) return false;
    totals_.begin_stage();
    const bool ran = run_bands(gpu_, stage, input, levels_.front(), bounds_, totals_);
    has_bands_ |= ran;
    return ran;
  }

  // The input of a stage whose result is not packed.
  PlanInput input_of_stage() const {
    PlanInput input = input_;
    input.ends = {.input = format_.begin.space, .result = format_.end.space};
    return input;
  }

  // Converts an image in `from` to the format of the stage's result. `stored`: the pass that made it, and depth of the result.
  Level copied(const Level& base, Depth from, const StoredAgain& stored) {
    PlanInput input = input_of_stage();
    input.storage = from;
    input.is_r11g11b10_between = format_.end.is_packed;
    Level made = empty_level(base.size, stored.depth);
    apply({.calls = {}, .size = base.size, .copy = stored}, input, base, made, stored.depth);
    return made;
  }

  // Makes the measurements of a stage, each after the ones before it, because calls before it may need those.
  void measure(const Stage& stage, const Level& base) {
    input_.measured.clear();
    for (const StatisticsStep& measurement : stage.measurements) {
      std::vector<uint32_t> words = measured(stage, measurement, base);
      if (measurement.is_result) add_results(words);
      else input_.measured.push_back(std::make_shared<const std::vector<uint32_t>>(std::move(words)));
    }
  }

  // Measures each tile, and joins the results.
  std::vector<uint32_t> measured(const Stage& stage, const StatisticsStep& measurement, const Level& base) {
    const auto calls_before = stage.calls.begin() + ptrdiff_t(measurement.calls_before);
    Stage alone{.calls = {stage.calls.begin(), calls_before}, .size = base.size};
    alone.calls.push_back(measurement.call);
    // the image that is measured is the result of the stage, or one between its ops
    const bool is_end = calls_before == stage.calls.end();
    PlanInput input = input_of_stage();
    const StoredFormat measured = is_end ? format_.end : StoredFormat{input.between, input.is_r11g11b10_between};
    input.ends.result = measured.space;
    if (measured.is_packed) input.ends.storage = ResultStorage::packed;
    // an op with passes stores the image that is measured, and refuses what it cannot hold; a point op takes it before that
    input.only_measures = !is_end && !has_passes(*calls_before);
    StatisticsJoin join(measure_of(measurement.call));
    const TakeTile take = [&](const Region& region, Position, const Plan& plan, const RunResult& result) {
      join.add(plan.results.front().of(result.statistics), texel_count(region.size));
    };
    totals_.begin_stage();
    run_stage(gpu_, alone, input, base, base.size, take, bounds_, totals_);
    return join.words();
  }

  // Adds the statistics of a call to those of the run.
  void add_results(const std::vector<uint32_t>& words) {
    results_.push_back({.offset = int(statistics_.size()), .bytes = words.size() * sizeof(uint32_t)});
    statistics_.insert(statistics_.end(), words.begin(), words.end());
  }

  // Returns the name and the ops of the last pass.
  StoredAgain apply(const Stage& stage, const PlanInput& input, const Level& base, Level& made, Depth depth) {
    StoredAgain last;
    const TakeTile take = [&](const Region& region, Position first, const Plan& plan, const RunResult& result) {
      place_part(result.levels.front(), first, region, made, depth);
      if (!plan.passes.empty()) last = {.name = plan.passes.back().name, .ops = ops_of(plan.passes.back())};
    };
    totals_.begin_stage();
    run_stage(gpu_, stage, input, base, made.size, take, bounds_, totals_);
    return last;
  }

  // Makes each level in tiles, until all remaining levels fit at once.
  void make_levels(const Call& call, const Level& base) {
    const int count = result_level_count({&call, 1}, base.size);
    const Footprint footprint = footprint_of(call, base.size);
    for (int level = 1; level < count; ++level) {
      const Level& above = level == 1 ? base : levels_.back();
      if (level > 1 && make_rest(call, above, level - 1)) break;
      Level made = empty_level(level_size(above.size, 1), input_.storage);
      Stage stage{.calls = {call}, .size = made.size, .makes_levels = true};
      stage.reach_as(footprint.of_level(above.size, made.size));
      PlanInput input = input_of_stage();
      input.levels = {.from = level - 1, .part = LevelRange::Part::next};
      apply(stage, input, above, made, input.storage);
      levels_.push_back(std::move(made));
    }
    if (footprint.scales_of) scale_levels(call, base, footprint);
  }

  // Scales all levels but the first by what is counted in all of them.
  void scale_levels(const Call& call, const Level& base, const Footprint& footprint) {
    std::vector<Size> sizes{base.size};
    std::vector<Footprint::Counts> counts{counted(call, base, 0)};
    for (int level = 1; level < int(levels_.size()); ++level) {
      sizes.push_back(levels_[size_t(level)].size);
      counts.push_back(counted(call, levels_[size_t(level)], level));
    }
    const std::vector<float> scales = footprint.scales_of(sizes, counts);
    for (int level = 1; level < int(levels_.size()); ++level) {
      PlanInput input = input_of_stage();
      input.levels = {.from = level, .part = LevelRange::Part::scale};
      const std::vector<uint32_t> scale{std::bit_cast<uint32_t>(scales[size_t(level) - 1])};
      input.measured = {std::make_shared<const std::vector<uint32_t>>(scale)};
      Level made = empty_level(sizes[size_t(level)], input_.storage);
      apply({.calls = {call}, .size = made.size}, input, levels_[size_t(level)], made, input.storage);
      levels_[size_t(level)] = std::move(made);
    }
  }

  // Counts at the places between four texels of a level; a side of one texel has one.
  Footprint::Counts counted(const Call& call, const Level& base, int level) {
    const Size size = base.size, places{std::max(size.width - 1, 1), std::max(size.height - 1, 1)};
    Stage stage{.calls = {call}, .size = places, .makes_levels = true};
    stage.region = [size](const Region& made) {
      const auto [corner, count] = made;
      return Region{.corner = corner,
                    .size = {std::min(count.width + 1, size.width - corner.x),
                             std::min(count.height + 1, size.height - corner.y)}};
    };
    PlanInput input = input_of_stage();
    input.levels = {.from = level, .part = LevelRange::Part::count};
    Footprint::Counts sum;
    const TakeTile take = [&](const Region&, Position, const Plan& plan, const RunResult& result) {
      const std::span<const uint32_t> words = plan.results.front().of(result.statistics);
      sum.resize(words.size());
      std::ranges::transform(sum, words, sum.begin(), std::plus());
    };
    totals_.begin_stage();
    run_stage(gpu_, stage, input, base, places, take, bounds_, totals_);
    return sum;
  }

  // Makes all levels below level `from` at once, if the device can hold them.
  bool make_rest(const Call& call, const Level& above, int from) {
    PlanInput input = input_of_stage();
    input.size = above.size;
    input.levels = {.from = from};
    const Plan rest = plan_of_any_size({&call, 1}, input, gpu_.info().traits);
    if (!over_limit(rest, gpu_.info().traits).empty() || bytes_of(rest) > bounds_.most_bytes) return false;
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
  StageFormats format_;  // of the current stage
  Bounds bounds_;
  RunTotals totals_;
  bool replaces_ = false;                // level 0 of levels_ is the base from the start, and stages may replace it
  bool has_bands_ = false;               // a stage ran in bands
  std::deque<Level> levels_{1};          // references to levels stay valid while others are added
  std::vector<StatisticsPart> results_;  // of the calls of `stats`, in order
  std::vector<uint32_t> statistics_;     // of all results
};

}  // namespace

static ChainRun run_chain(Gpu& gpu, std::span<const Call> calls, const PlanInput& input, const Level& base,
                          Level* given, const ChainOptions& options) {
  PlanInput input_of_whole = input;
  input_of_whole.gives_input = given != nullptr;
  TilingDecision decision = decide_tiling(calls, input_of_whole, gpu.info().traits, options);
  Bounds bounds{.most_ms = options.most_ms, .why = decision.limit};
  const bool in_bands = given && !decision.bands.empty();
  if (decision.limit.empty() && !decision.is_watched && !in_bands) {
    try {
      const int first_level = decision.whole.keeps_level_0 ? 1 : 0;
      RunResult result =
          given ? gpu.run(decision.whole, std::move(*given), first_level) : gpu.run(decision.whole, base, first_level);
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
  // tiles are in the memory of the process, beside the whole image
  if (gpu.info().traits.type == DeviceType::cpu || in_bands)
    bounds.most_bytes = std::min(bounds.most_bytes, options.most_tile_bytes);
  if (in_bands) bounds.why = decision.bands;
  if (bounds.why.empty()) bounds.why = fmt::format("a submission may take at most {} ms", options.most_ms);
  if (decision.stages.empty()) decision.stages = stages_of(calls, input);
  PartsRun parts(gpu, input, bounds);
  return in_bands ? parts.run_in_bands(decision.stages, std::move(*given)) : parts.run(decision.stages, base);
}

ChainRun run_chain(Gpu& gpu, std::span<const Call> calls, const PlanInput& input, const Level& base,
                   const ChainOptions& options) {
  return run_chain(gpu, calls, input, base, nullptr, options);
}

ChainRun run_chain(Gpu& gpu, std::span<const Call> calls, const PlanInput& input, Level&& base,
                   const ChainOptions& options) {
  return run_chain(gpu, calls, input, base, &base, options);
}

}  // namespace gpupost
