#include "core/plan/tiling.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/base/threads.h"
#include "core/plan/stage_formats.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace gpupost {

namespace {

using Kind = Footprint::Kind;
Kind kind_of(const Call& call) { return footprint_of(call, {1, 1}).kind; }

// Rounds down to a multiple of `step`.
int down_to(int at, int step) {
  const int rest = at % step;
  return at - (rest < 0 ? rest + step : rest);
}

struct Range {
  int begin = 0, end = 0;
};

// Texels needed along an axis on which `from` texels become `to`. `nearest` is of this axis.
Range needed_along(Range made, int from, int to, bool wraps, int margin, int alignment,
                   const std::function<int(int)>& nearest) {
  if (wraps && made.begin == 0 && made.end == to) return {0, from};  // the border repeats, so the whole side is needed
  Range range{nearest(made.begin) - margin, nearest(made.end - 1) + margin + 1};
  if (!wraps) range = {std::max(range.begin, 0), std::min(range.end, from)};
  return {down_to(range.begin, alignment), range.end};
}

size_t texel_bytes(Depth depth) { return 4 * bytes_of(depth); }

// Copies a run of a row. The run may wrap around the border of the image.
void copy_run(const std::byte* row, int side, int begin, int count, size_t bytes, std::byte* to) {
  while (count > 0) {
    const int at = begin - down_to(begin, side), run = std::min(count, side - at);
    std::memcpy(to, row + size_t(at) * bytes, size_t(run) * bytes);
    to += size_t(run) * bytes;
    begin += run;
    count -= run;
  }
}

}  // namespace

void Stage::reach_as(const Footprint& footprint) {
  margin = footprint.margin;
  nearest = footprint.nearest;
  region = footprint.region;
}

const Call* find_untileable(std::span<const Call> calls) {
  const auto found = std::ranges::find(calls, Kind::whole, kind_of);
  return found == calls.end() ? nullptr : &*found;
}

double reads_of(const Plan& plan) {
  double reads = 0;
  for (const Pass& pass : plan.passes)
    reads += pass.access.reads_per_texel * double(texel_count(plan.images[size_t(pass.target.image)].size));
  return reads;
}

// The calls, or for each its Footprint::steps.
static std::vector<Call> steps_of(std::span<const Call> calls, Size size) {
  std::vector<Call> made;
  for (const Call& call : calls) {
    const std::vector<Call> steps = footprint_of(call, size).steps;
    if (steps.empty()) made.push_back(call);
    made.insert(made.end(), steps.begin(), steps.end());
    size = result_size({&call, 1}, size);
  }
  return made;
}

std::vector<Stage> stages_of(std::span<const Call> calls, const PlanInput& input) {
  std::vector<Stage> stages;
  Size size = input.size;
  // every image between ops is stored, and refuses and counts texels that B10G11R11 does not hold
  const bool all_count = input.is_r11g11b10_between && !input.fuses;
  // State of the last stage. Tiles overlap if an op reads neighbors. A guard would count texels of the overlap twice,
  // and so would a measurement.
  bool takes_points = false, looks_around = false, is_guarded = false;
  for (const Call& call : steps_of(calls, size)) {
    const Footprint footprint = footprint_of(call, size);
    const Kind kind = footprint.kind;
    const bool guards = footprint.counts_texels || all_count, measures = bool(footprint.measure);
    const bool joins =
        takes_points && (kind == Kind::texel ? !((guards || measures) && looks_around) && !(measures && is_guarded)
                                             : kind == Kind::around && !looks_around && !is_guarded);
    if (!joins) {
      stages.push_back({.size = size, .makes_levels = kind == Kind::levels, .moves = kind == Kind::moves});
      looks_around = is_guarded = false;
    }
    takes_points = kind == Kind::texel || kind == Kind::around;
    Stage& stage = stages.back();
    const bool is_statistics = call.op->makes == Makes::statistics;
    if (measures) stage.measurements.push_back({stage.calls.size(), footprint.measure(), is_statistics});
    if (is_statistics) continue;
    stage.calls.push_back(call);
    if (kind == Kind::around) stage.reach_as(footprint);
    stage.size = size = result_size({&call, 1}, size);
    looks_around |= kind == Kind::around;
    is_guarded |= guards;
  }
  return stages;
}

// Why a chain cannot be tiled; empty if it can.
static std::string obstacle_to_tiling(std::span<const Call> calls, const PlanInput& input) {
  if (const Call* call = find_untileable(calls)) return fmt::format("`{}` cannot be tiled", call->text());
  const StoredFormat between{input.between, input.is_r11g11b10_between};
  if (between == StoredFormat{}) return "";
  // the passes of one op are not stored like the images between ops
  const auto stepped = std::ranges::find_if(calls, [](const Call& call) {
    return !footprint_of(call, {1, 1}).steps.empty();
  });
  if (stepped != calls.end())
    return fmt::format("`{}` cannot be tiled with {}; expected {}", stepped->text(),
                       between.is_packed ? "--storage r11g11b10" : "--space yxy",
                       between.is_packed ? "--storage fp16 or fp32" : "--space rgb");
  if (input.between == Space::rgb) return "";
  const std::vector<Stage> stages = stages_of(calls, input);
  if (stages.size() == 1) return "";
  if (input.is_r11g11b10_between)
    return "tiles cannot be stored as CIE Yxy in 11:11:10 bits; expected --space rgb or no --storage r11g11b10";
  // stored between the ops, it would be rounded once more than where they are fused
  for (size_t index = 1; index < stages.size(); ++index)
    if (!stages[index - 1].moves && !stages[index - 1].calls.empty() && fuses_across(stages[index], input))
      return fmt::format("`{}` after an op that reads neighbors cannot be tiled with --space yxy; expected --space rgb",
                         stages[index].calls.front().text());
  return "";
}

TilingDecision decide_tiling(std::span<const Call> calls, const PlanInput& input, DeviceTraits traits,
                             const ChainOptions& options) {
  TilingDecision decision{.obstacle = obstacle_to_tiling(calls, input)};
  const bool can_be_cut = decision.obstacle.empty();
  if (!can_be_cut) traits.memory.total_bytes = 0;  // free memory is unknown, so try and fail on allocation
  decision.whole = plan_of_any_size(calls, input, traits);
  decision.limit = over_limit(decision.whole, traits);
  if (!decision.limit.empty() && !can_be_cut) fail(Exit::limit, "{}; {}", decision.limit, decision.obstacle);
  decision.is_watched = options.most_ms > 0 && reads_of(decision.whole) > options.unwatched_reads && can_be_cut;
  return decision;
}

std::array<int, 2> tile_alignment_of(const Plan& plan) {
  std::array<int, 2> tile_alignment{1, 1};
  for (const Pass& pass : plan.passes)
    for (size_t axis = 0; axis < 2; ++axis)
      tile_alignment[axis] = std::lcm(tile_alignment[axis], pass.access.tile_alignment[axis]);
  return tile_alignment;
}

bool makes_regions(const Stage& stage, Size from) { return stage.size != from || stage.region; }

Plan plan_of(const Stage& stage, const PlanInput& input, const DeviceTraits& traits) {
  return stage.copy ? plan_of_copy(stage.copy->first, input, stage.copy->second, traits)
                    : plan_of_any_size(stage.calls, input, traits);
}

Region needed_for(const Region& made, Size from, const Stage& stage, std::array<int, 2> alignment) {
  if (stage.region) return stage.region(made);
  const auto [corner, size] = made;
  const auto nearest = [&](Position at) { return stage.nearest ? stage.nearest(at) : at; };
  const Range x = needed_along({corner.x, corner.x + size.width}, from.width, stage.size.width, stage.margin.wraps,
                               stage.margin.x, alignment[0], [&](int at) {
                                 return nearest({at, 0}).x;
                               });
  const Range y = needed_along({corner.y, corner.y + size.height}, from.height, stage.size.height, stage.margin.wraps,
                               stage.margin.y, alignment[1], [&](int at) {
                                 return nearest({0, at}).y;
                               });
  return {.corner = {x.begin, y.begin}, .size = {x.end - x.begin, y.end - y.begin}};
}

std::optional<std::array<Region, 2>> halves(const Region& region, std::array<int, 2> alignment) {
  const auto cut = [&](int count, int step) { return round_up(count / 2, step); };
  const auto [x, y] = region.corner;
  const auto [width, height] = region.size;
  const int left = cut(width, alignment[0]), upper = cut(height, alignment[1]);
  const bool can_cut_x = left > 0 && left<width, can_cut_y = upper> 0 && upper < height;
  if (!can_cut_x && !can_cut_y) return {};
  if (can_cut_x && (width > height || !can_cut_y))
    return std::array{Region{{x, y}, {left, height}}, Region{{x + left, y}, {width - left, height}}};
  return std::array{Region{{x, y}, {width, upper}}, Region{{x, y + upper}, {width, height - upper}}};
}

Level part_of(const Level& whole, const Region& region, Depth depth) {
  const size_t bytes = texel_bytes(depth), row_bytes = size_t(region.size.width) * bytes;
  Level part{region.size, TexelBuffer(texel_count(region.size) * bytes)};
  parallel_ranges(region.size.height, 64, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      const int row = region.corner.y + y - down_to(region.corner.y + y, whole.size.height);
      copy_run(whole.texels.data() + size_t(row) * size_t(whole.size.width) * bytes, whole.size.width, region.corner.x,
               region.size.width, bytes, part.texels.data() + size_t(y) * row_bytes);
    }
  });
  return part;
}

void place_part(const Level& part, Position first, const Region& region, Level& whole, Depth depth) {
  const size_t bytes = texel_bytes(depth);
  parallel_ranges(region.size.height, 64, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      const size_t from = size_t(first.y + y) * size_t(part.size.width) + size_t(first.x);
      const size_t to = size_t(region.corner.y + y) * size_t(whole.size.width) + size_t(region.corner.x);
      std::memcpy(whole.texels.data() + to * bytes, part.texels.data() + from * bytes,
                  size_t(region.size.width) * bytes);
    }
  });
}

}  // namespace gpupost
