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

// The smallest tiles of a result, near its borders and in the middle.
static std::vector<Region> smallest_tiles(Size made, std::array<int, 2> alignment) {
  const Size count{div_ceil(made.width, alignment[0]), div_ceil(made.height, alignment[1])};
  const auto places = [](int n) { return std::array{0, 1, n / 2, n - 2, n - 1}; };
  std::vector<Region> tiles;
  for (size_t place = 0; place < 5; ++place) {
    const Position corner{alignment[0] * std::clamp(places(count.width)[place], 0, count.width - 1),
                          alignment[1] * std::clamp(places(count.height)[place], 0, count.height - 1)};
    const Size size{std::min(alignment[0], made.width - corner.x), std::min(alignment[1], made.height - corner.y)};
    if (tiles.empty() || tiles.back() != Region{corner, size}) tiles.push_back({corner, size});
  }
  return tiles;
}

// The call whose margin makes the tiles of a stage large.
static Call& widest_call(Stage& stage, Size from) {
  const auto found = std::ranges::find_if(
      stage.calls, [&](const Call& call) { return footprint_of(call, from).kind == Footprint::Kind::around; });
  return found == stage.calls.end() ? stage.calls.front() : *found;
}

// The option that a call with smaller tiles changes.
static const Param& changed_option(const Call& call, const Call& smaller) {
  return *std::ranges::find_if(call.op->params, [&](const Param& param) {
    return call.number(param.name) != smaller.number(param.name) && !smaller.is_default(param);
  });
}

void refuse_tiles(const Stage& given, Size from, std::array<int, 2> alignment, const std::string& why) {
  Stage stage = given;
  const Call& call = widest_call(stage, from);
  Size least;
  for (const Region& tile : smallest_tiles(stage.size, alignment)) {
    const Size needed = needed_for(tile, from, stage, alignment).size;
    least = {std::max(least.width, needed.width), std::max(least.height, needed.height)};
  }
  const std::vector<Call> smaller = footprint_of(call, from).in_smaller_tiles;
  const bool helps = !smaller.empty() && smaller.front().text() != call.text();
  fail(Exit::limit, "{}; a tile of `{}` needs at least {} x {} texels, which is too large too{}", why, call.text(),
       least.width, least.height,
       helps ? fmt::format("; {} allows smaller tiles", smaller.front().text_of(changed_option(call, smaller.front())))
             : "");
}

static std::array<int, 2> alignment_of(const Stage& stage, const PlanInput& input, const DeviceTraits& traits) {
  return tile_alignment_of(plan_of(stage, input, traits));
}

static bool has_fitting_tiles(const Stage& stage, const PlanInput& input, const DeviceTraits& traits) {
  const std::array<int, 2> alignment = alignment_of(stage, input, traits);
  return std::ranges::all_of(smallest_tiles(stage.size, alignment), [&](const Region& region) {
    return over_limit(tile_for(region, stage, input, alignment, traits).plan, traits).empty();
  });
}

// Makes the tiles of a stage fit. Adds a note if it changes a call.
static void fit_tiles(Stage& stage, const PlanInput& input, const DeviceTraits& traits, const std::string& why,
                      std::vector<std::string>& notes) {
  if (has_fitting_tiles(stage, input, traits)) return;
  const Stage given = stage;
  Call& call = widest_call(stage, input.size);
  const std::vector<Call> smaller = footprint_of(call, input.size).in_smaller_tiles;
  if (!smaller.empty() && smaller.front().text() != call.text()) {
    const Param& option = changed_option(call, smaller.front());
    if (call.is_default(option)) {
      notes.push_back(fmt::format("`{}` gets {}, because its tiles would be too large", call.text(),
                                  smaller.front().text_of(option)));
      call = smaller.front();
      if (has_fitting_tiles(stage, input, traits)) return;
    }
  }
  refuse_tiles(given, input.size, alignment_of(given, input, traits), why);
}

// Makes the tiles of all stages fit. Levels are left out: their run makes as many at once as fit.
static void fit_tiles(std::span<Stage> stages, PlanInput input, const DeviceTraits& traits, const std::string& why,
                      std::vector<std::string>& notes) {
  const std::vector<StageFormats> formats = formats_of(stages, input, traits);
  for (size_t index = 0; index < stages.size() && !stages[index].makes_levels; ++index) {
    Stage& stage = stages[index];
    if (!stage.calls.empty() && !stage.moves) {
      input.ends = {.input = formats[index].begin.space, .result = formats[index].end.space};
      if (formats[index].end.is_packed) input.ends.storage = ResultStorage::f32;
      fit_tiles(stage, input, traits, why, notes);
      input.storage = result_depth(stage.calls, input.storage);
    }
    input.size = stage.size;
  }
}

bool can_run_in_bands(const Stage& stage, const PlanInput& input) {
  return !stage.makes_levels && !stage.moves && !stage.copy && !stage.region && !stage.nearest && !stage.margin.wraps &&
         stage.size == input.size && result_depth(stage.calls, input.storage) == input.storage;
}

// Why a chain runs in bands; empty if it does not. `limit`: for which it cannot run whole; empty if it can.
static std::string reason_for_bands(const TilingDecision& decision, std::span<const Call> calls, const PlanInput& input,
                                    const DeviceTraits& traits, const ChainOptions& options) {
  if (options.most_bytes_at_once == 0 || input.is_r11g11b10_between || input.size.width > traits.max_image_side)
    return "";
  size_t bytes = 0;
  for (const PlanImage& image : decision.whole.images) bytes += bytes_of(image);
  const size_t input_bytes = bytes_of(decision.whole.images.front());
  // where strips keep the other images small, bands would save nothing
  const bool saves_memory = bytes > options.most_bytes_at_once && bytes >= input_bytes + input_bytes / 2;
  if (decision.limit.empty() && !saves_memory) return "";
  const std::vector<Stage> stages = decision.limit.empty() ? stages_of(calls, input) : decision.stages;
  if (!std::ranges::all_of(stages, [&](const Stage& stage) { return can_run_in_bands(stage, input); })) return "";
  return decision.limit.empty() ? fmt::format("the images of the chain need {} MiB at once, more than {} MiB",
                                              mebibytes(bytes), mebibytes(options.most_bytes_at_once))
                                : decision.limit;
}

TilingDecision decide_tiling(std::span<const Call> calls, const PlanInput& input, DeviceTraits traits,
                             const ChainOptions& options) {
  TilingDecision decision{.obstacle = obstacle_to_tiling(calls, input)};
  const bool can_be_cut = decision.obstacle.empty();
  if (!can_be_cut) traits.memory.total_bytes = 0;  // free memory is unknown, so try and fail on allocation
  decision.whole = plan_of_any_size(calls, input, traits);
  decision.limit = over_limit(decision.whole, traits);
  if (!decision.limit.empty() && !can_be_cut) fail(Exit::limit, "{}; {}", decision.limit, decision.obstacle);
  if (!decision.limit.empty()) {
    decision.stages = stages_of(calls, input);
    fit_tiles(decision.stages, input, traits, decision.limit, decision.whole.choices);
  }
  if (can_be_cut) decision.bands = reason_for_bands(decision, calls, input, traits, options);
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

// A stage with `nearest` or `region` may place texels elsewhere, also if its result is as large as its input.
bool makes_regions(const Stage& stage, Size from) { return stage.size != from || stage.region || stage.nearest; }

Plan plan_of(const Stage& stage, const PlanInput& input, const DeviceTraits& traits) {
  return stage.copy ? plan_of_copy(*stage.copy, input, traits) : plan_of_any_size(stage.calls, input, traits);
}

Tile tile_for(const Region& region, const Stage& stage, const PlanInput& input, std::array<int, 2> alignment,
              const DeviceTraits& traits) {
  const Region needed = needed_for(region, input.size, stage, alignment);
  PlanInput of_tile = input;
  of_tile.size = needed.size;
  of_tile.whole = input.size;
  of_tile.corner = needed.corner;
  if (makes_regions(stage, input.size)) of_tile.made = region;
  return {region, needed, plan_of(stage, of_tile, traits)};
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
