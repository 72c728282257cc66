// A picture warped by an ST map, a second picture that says where each texel comes from: row, definition and pass.
#include "core/base/half.h"
#include "core/base/math.h"
#include "core/base/threads.h"
#include "core/image/attributes.h"
#include "core/op/benchmark.h"
#include "core/op/op.h"
#include "core/ops/shared/sampling.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <memory>

namespace gpupost {

namespace {

// In the order of the choices of --origin.
enum class Origin { bottom, top };

// The map; before it is read one of the same size stands for it, so that the plan can be shown.
InputPicture map_of(const Call& call, Size size) {
  return call.inputs.empty() ? InputPicture{.picture = {.size = size, .depth = Depth::f32}} : call.inputs[0];
}

// The frame of the input, from the center of the first texel.
struct Frame {
  float width = 0, height = 0, x = 0, y = 0;
};

Frame frame_of(const Call& call, Size size) {
  const auto [data, display] = windows_before(call, size);
  return {.width = float(double(display.max_x) - display.min_x + 1),
          .height = float(double(display.max_y) - display.min_y + 1),
          .x = float(double(display.min_x) - data.min_x - 0.5),
          .y = float(double(display.min_y) - data.min_y - 0.5)};
}

// --- the definition -------------------------------------------------------------------------------------------------

// One axis, in floats like the map: a position is rounded where the device rounds it.
void place(float share, float side, float offset, Border border, int& texel, int& part) {
  if (border == Border::repeat) share -= std::floor(share);
  if (border == Border::mirror) {
    share -= 2 * std::floor(share / 2);
    share = std::min(share, 2 - share);
  }
  const float scaled = share * side;
  const float at = std::clamp(scaled + offset, -1e5F, 1e5F), whole = std::floor(at);
  const int steps = int(std::floor((at - whole) * float(position_steps) + 0.5F));
  texel = int(whole) + (steps >> position_bits);
  part = steps & (position_steps - 1);
}

float number_of(const InputPicture& map, size_t index) {
  return map.picture.depth == Depth::half ? float_from_half(map.texels->texels.as<uint16_t>()[index])
                                          : map.texels->texels.as<float>()[index];
}

// Finds the position of each texel of the result in a picture of this size.
SampleAt positions_of(const Call& call, Size size) {
  const InputPicture map = call.inputs[0];
  const Frame frame = frame_of(call, size);
  const Border border = sampling_of(call).border;
  const bool is_from_bottom = Origin(call.integer("origin")) == Origin::bottom;
  return [=](Position at) -> std::optional<SamplePosition> {
    const size_t index = 4 * (size_t(at.y) * size_t(map.picture.size.width) + size_t(at.x));
    const float s = number_of(map, index), t = number_of(map, index + 1);
    if (!std::isfinite(s) || !std::isfinite(t)) return {};
    SamplePosition made;
    place(s, frame.width, frame.x, border, made.x, made.part_x);
    place(is_from_bottom ? 1 - t : t, frame.height, frame.y, border, made.y, made.part_y);
    return made;
  };
}

std::vector<Planes> reference(const Call& call, Planes base) {
  return {sampled(base, call.inputs[0].picture.size, sampling_of(call), positions_of(call, size_of(base)))};
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  return {sampled_tolerance(base, error, call.inputs[0].picture.size, sampling_of(call),
                            positions_of(call, size_of(base)), depth)};
}

// --- the pass -------------------------------------------------------------------------------------------------------

// Tiles begin at multiples of so many texels, so that a map that tears neighbors apart is refused before tiles get tiny.
constexpr int tile_step = 16;

void plan_warp(const Call& call, PlanBuilder& builder) {
  const PlanImage image = builder.image(builder.current_image());
  const Size whole = builder.whole_size();
  const InputPicture map = map_of(call, whole);
  const Frame frame = frame_of(call, whole);
  const Region made = builder.made_of(map.picture.size);
  PassSpec pass =
      sampling_pass(builder, "warp", "warp/warp.glsl", sampling_of(call), whole, builder.input().corner, made.size);
  pass.access.tile_alignment = {tile_step, tile_step};
  pass.defines.push_back({"ORIGIN", call.integer("origin"), call.op->param("origin")->choices});
  for (const PushConstant& value : {PushConstant{"frame_width", frame.width},
                                    {"frame_height", frame.height},
                                    {"offset_x", frame.x},
                                    {"offset_y", frame.y}})
    pass.values.push_back(value);
  pass.more_sources = {builder.add_region(map, made)};
  pass.memory.bytes_read = bytes_of_level(image, 0) + bytes_of_level(builder.image(pass.more_sources.front()), 0);
  builder.add_result(std::move(pass), {.size = made.size, .depth = image.depth});
}

Output output(const Call&, std::span<const Output> inputs) {
  Output made = inputs.front();
  made.may_be_transparent = true;  // where s or t is not finite, with any border
  if (inputs.size() < 2) return made;
  made.size = inputs[1].size;
  made.windows = inputs[1].windows;
  if (size_of(made.windows.data) != made.size)
    made.windows = {.data = window_of(made.size), .display = window_of(made.size)};
  return made;
}

Needs needs(const Call& call) { return {.pictures = {{.path = call.word("st"), .is_data = true}}}; }

// The smallest and the largest texel of several positions along an axis, which may be outside.
struct Bounds {
  int low = INT_MAX, high = INT_MIN;

  bool is_empty() const { return low > high; }
  void add(const Bounds& other) { low = std::min(low, other.low), high = std::max(high, other.high); }
};

// Along an axis whose texels repeat after `period` texels. Positions on both sides of the seam are far from each other, but near if
// those of the second half precede the first.
struct AxisBounds {
  Bounds plain, across_seam;

  void add(int texel, int period) {
    plain.add({texel, texel});
    const int after = texel < period / 2 ? texel : texel - period;
    across_seam.add({after, after});
  }
  void add(const AxisBounds& other) { plain.add(other.plain), across_seam.add(other.across_seam); }
  Bounds closest(Border border) const {
    const bool has_seam = border == Border::repeat && !plain.is_empty();
    return has_seam && across_seam.high - across_seam.low < plain.high - plain.low ? across_seam : plain;
  }
};

struct TileBounds {
  AxisBounds x, y;
};

// Bounds of the positions in each square of tile_step texels of the result, row by row.
std::vector<TileBounds> bounds_of(const SampleAt& at, Size made, Size from) {
  const int columns = div_ceil(made.width, tile_step), rows = div_ceil(made.height, tile_step);
  std::vector<TileBounds> bounds(size_t(columns) * size_t(rows));
  parallel_ranges(rows, 1, [&](int begin, int end) {
    for (int y = begin * tile_step; y < std::min(end * tile_step, made.height); ++y)
      for (int x = 0; x < made.width; ++x)
        if (const std::optional<SamplePosition> position = at({x, y})) {
          TileBounds& tile = bounds[size_t(y / tile_step) * size_t(columns) + size_t(x / tile_step)];
          tile.x.add(position->x, from.width);
          tile.y.add(position->y, from.height);
        }
  });
  return bounds;
}

// Returns the function of Footprint::region. It reads the map when it is first called.
std::function<Region(const Region&)> regions_under(const Call& call, Size from) {
  const auto bounds = std::make_shared<std::vector<TileBounds>>();
  return [=, made = call.inputs[0].picture.size, at = positions_of(call, from),
          sampling = sampling_of(call)](const Region& region) {
    if (bounds->empty()) *bounds = bounds_of(at, made, from);
    const int columns = div_ceil(made.width, tile_step);
    TileBounds all;
    for (int y = region.corner.y / tile_step; y * tile_step < region.corner.y + region.size.height; ++y)
      for (int x = region.corner.x / tile_step; x * tile_step < region.corner.x + region.size.width; ++x) {
        const TileBounds& tile = (*bounds)[size_t(y) * size_t(columns) + size_t(x)];
        all.x.add(tile.x);
        all.y.add(tile.y);
      }
    const Bounds x = all.x.closest(sampling.border), y = all.y.closest(sampling.border);
    if (x.is_empty()) return Region{.size = {1, 1}};  // the map has no position there
    return region_of_samples({x.low, y.low}, {x.high, y.high}, from, sampling);
  };
}

Footprint footprint(const Call& call, Size size) {
  Footprint made{.kind = Footprint::Kind::around,
                 .region = [size](const Region&) { return whole_region(size); },
                 .copied =
                     [](Position) {
                       return Position{-1, -1};
                     }};
  if (call.inputs.empty() || !call.inputs[0].texels) return made;
  made.region = regions_under(call, size);
  made.copied = [at = positions_of(call, size), size, border = sampling_of(call).border](Position position) {
    return nearest_to(at(position), size, border);
  };
  return made;
}

}  // namespace

// The map of a lens with a slight barrel distortion.
static Level lens_map(Size size) {
  Level map{size, TexelBuffer(texel_count(size) * 4 * sizeof(float))};
  float* value = map.texels.as<float>().data();
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x, value += 4) {
      const float s = (float(x) + 0.5F) / float(size.width) - 0.5F, t = 0.5F - (float(y) + 0.5F) / float(size.height);
      const float scale = 0.9F + 0.2F * (s * s + t * t);
      value[0] = 0.5F + scale * s;
      value[1] = 0.5F + scale * t;
    }
  return map;
}

static const Benchmark bench = {.sizes = {{1920, 1080}, {3840, 2160}},
                                .cpu_sizes = {{512, 512}},
                                .depths = {Depth::half, Depth::f32},
                                .arguments = "--st map.exr",
                                .picture = lens_map};

extern const Op warp_op;
const Op warp_op{
    .name = "warp",
    .doc = {.group = OpGroup::size,
            .summary = "Warp the image by an ST map",
            .description =
                "--st names an image whose R and G say from which position of the input each texel comes: R is s, from "
                "0 at the left to 1 at the right, and G is t, from 0 at the bottom to 1 at the top. For maps whose t "
                "begins at the top, give --origin top. s and t span the display window of the input. Values beyond 0 "
                "to 1 are wrapped by --border repeat and mirrored by --border mirror. {frame} in the name is replaced "
                "by the frame number of the input. The result has the size and the windows of the "
                "map.\nThe map is read as data, in 32-bit float. A half float map is exact to about a texel only up to "
                "2048 texels per side. Where s or t is NaN or infinite, the result is transparent black, or black "
                "without alpha. Positions are rounded to 1/32768 texel.\nWhere the map shrinks the image, the result "
                "has aliasing. To reduce it, enlarge the map with `resize`, warp with it, and make the result smaller "
                "with `resize`. catmull-rom and lanczos3 limit rings around highlights as `resize --ringing limit` "
                "does. Channels other than "
                "color take the nearest texel. An image that is too large for the device is tiled if the map keeps "
                "neighbors together.",
            .citation = "Nuke STMap; oiiotool --st_warp (whose t begins at the top)",
            .examples = {"--st st.exr", "--st st.exr --filter bilinear --border clamp",
                         "--st st.exr --filter nearest --border repeat --origin top",
                         "--st st.exr --filter lanczos3 --border mirror"}},
    .params = {{.name = "st",
                .help = "Image with the map: s in R, t in G",
                .kind = ParamKind::text,
                .form = {.syntax = "FILE", .matches = [](std::string_view text) { return !text.empty(); }},
                .presence = Presence::required},
               sampler_param(),
               sample_border_param(),
               {.name = "origin", .help = "Where t is 0", .kind = ParamKind::choice, .choices = {"bottom", "top"}}},
    .channels = Channels::all,
    .needs = needs,
    .output = output,
    .footprint = footprint,
    .change_attributes = [](const Call&, std::vector<Attribute>& attributes) { remove_camera(attributes); },
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_warp,
    .bench = &bench,
};

}  // namespace gpupost
