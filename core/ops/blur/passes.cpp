#include "core/ops/blur/passes.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/ops/blur/lines.h"
#include "core/ops/blur/reference.h"
#include "core/ops/blur/spline.h"
#include "core/ops/blur/spline_passes.h"
#include "core/ops/blur/strips.h"
#include "core/plan/kernel_choices.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace gpupost {

namespace {

// --- the order of a workgroup's threads -----------------------------------------------------------------------------

struct Grouping {
  ThreadOrder order = along_z;
  std::array<int, 2> size{16, 16};
};

std::string_view order_of(const Call& call) { return call.flag("zcurve") ? "z" : call.choice("order"); }

// The given options of an order: "--order z, --workgroup 8x8"; "" if there are none.
std::string asked_order(const Call& call) {
  std::vector<std::string> words;
  if (call.flag("zcurve")) words.emplace_back("--zcurve");
  else if (call.choice("order") != "auto") words.push_back(fmt::format("--order {}", call.choice("order")));
  if (call.choice("workgroup") != "auto") words.push_back(fmt::format("--workgroup {}", call.choice("workgroup")));
  return fmt::format("{}", fmt::join(words, ", "));
}

Grouping grouping_of(const Call& call, const DeviceTraits& traits) {
  const std::string_view order = order_of(call), workgroup = call.choice("workgroup");
  const bool is_small = workgroup == "8x8" || (workgroup == "auto" && traits.max_group_invocations < 256);
  const Grouping grouping{.order = order == "rows"  ? in_rows
                                   : order == "amd" ? as_amd
                                                    : along_z,
                          .size = is_small              ? std::array{8, 8}
                                  : workgroup == "32x8" ? std::array{32, 8}
                                                        : std::array{16, 16}};
  if (grouping.size[0] * grouping.size[1] > traits.max_group_invocations)
    fail(Exit::usage, "blur: --workgroup {} cannot run on {}: it allows at most {} threads per workgroup; expected 8x8",
         workgroup, traits.name, traits.max_group_invocations);
  return grouping;
}

// --- direct and separable -------------------------------------------------------------------------------------------

// A pass in which a thread makes one texel.
PassSpec pass_of(const Blur& blur, const Grouping& grouping, Size size) {
  return {.defines = {{"BORDER", int(blur.border), border_names},
                      {"ORDER", grouping.order, order_names},
                      {"GROUP_X", grouping.size[0]},
                      {"GROUP_Y", grouping.size[1]}},
          .values = {{"width", size.width},
                     {"height", size.height},
                     {"radius_x", blur.radius_x},
                     {"radius_y", blur.radius_y}},
          .table = weight_table(blur),
          .grid = {.group = {grouping.size[0] * grouping.size[1], 1},
                   .count = {div_ceil(size.width, grouping.size[0]), div_ceil(size.height, grouping.size[1])}},
          .access = {.is_bounded = true}};
}

void plan_direct(PlanBuilder& builder, const Blur& blur, const Grouping& grouping) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  PassSpec pass = pass_of(blur, grouping, image.size);
  pass.name = "blur direct";
  pass.kernel = "blur/direct.glsl";
  pass.defines.push_back({"HAS_COMMON_WEIGHT", blur.kernel == BlurKernel::box && image.depth != Depth::f32});
  if (builder.traits().type != DeviceType::cpu)
    pass.defines.insert(pass.defines.end(), {{"RADIUS_X", blur.radius_x}, {"RADIUS_Y", blur.radius_y}});
  pass.access.reads_per_texel = (2.0 * blur.radius_x + 1) * (2.0 * blur.radius_y + 1);
  pass.source.image = source;
  builder.add_result(std::move(pass), {.size = image.size, .depth = image.depth});
}

PassSpec line_pass(PlanBuilder& builder, const Blur& blur, const Grouping& grouping, Axis axis, int source) {
  const PlanImage& image = builder.image(source);
  const bool is_first = axis == along_x || blur.radius_x == 0, is_last = axis == along_y || blur.radius_y == 0;
  PassSpec pass = pass_of(blur, grouping, image.size);
  pass.name = axis == along_x ? "blur rows" : "blur columns";
  pass.kernel = "blur/taps.glsl";
  pass.defines.insert(pass.defines.end(), {{"AXIS", axis, axis_names}, {"IS_FIRST", is_first}, {"IS_LAST", is_last}});
  pass.access.reads_per_texel = 2.0 * (axis == along_x ? blur.radius_x : blur.radius_y) + 1;
  pass.source.image = source;
  return pass;
}

void plan_separable(PlanBuilder& builder, const Blur& blur, const Grouping& grouping) {
  int current = builder.current_image();
  const PlanImage image = builder.image(current);
  const auto add = [&](Axis axis, Depth depth) {
    PassSpec pass = line_pass(builder, blur, grouping, axis, current);
    current = pass.target.image = builder.add_image({.size = image.size, .depth = depth});
    builder.add(std::move(pass));
  };
  if (blur.radius_x > 0) add(along_x, blur.radius_y > 0 ? Depth::f32 : image.depth);
  if (blur.radius_y > 0 || blur.radius_x == 0) add(along_y, image.depth);
  builder.set_current_image(current);
}

bool can_stream(const Blur& blur, Stream stream, const PlanInput& input, const DeviceTraits& traits) {
  return stream_obstacle(blur, stream, input, traits).empty();
}

// In one dispatch through shared memory, which is nothing to a CPU; else in lines.
void plan_sliding(PlanBuilder& builder, const Blur& blur, const Grouping&) {
  const DeviceTraits& traits = builder.traits();
  if (traits.type != DeviceType::cpu && can_stream(blur, Stream::sums, input_of_blur(builder), traits))
    plan_stream(builder, blur, Stream::sums);
  else plan_sliding_lines(builder, blur);
}

// --- the choice -----------------------------------------------------------------------------------------------------

// A way to apply the kernel once.
struct Method {
  std::string_view name;           // the choice of --method
  bool has_order = false;          // may the order of a workgroup's threads be chosen?
  std::optional<BlurKernel> only;  // the kernel that it makes; none: every one
  void (*plan)(PlanBuilder& builder, const Blur& blur, const Grouping& grouping) = nullptr;
  // Why a device cannot run it; "" where it can. Where there is none every device can.
  std::string (*obstacle)(const Blur& blur, const PlanInput& input, const DeviceTraits& traits) = nullptr;
};

const Method methods[] = {
    {.name = "direct", .has_order = true, .plan = plan_direct},
    {.name = "separable", .has_order = true, .plan = plan_separable},
    {.name = "shared",
     .plan = [](PlanBuilder& builder, const Blur& blur, const Grouping&) { plan_stream(builder, blur, Stream::taps); },
     .obstacle = [](const Blur& blur, const PlanInput& input,
                    const DeviceTraits& traits) { return stream_obstacle(blur, Stream::taps, input, traits); }},
    {.name = "sliding", .only = BlurKernel::box, .plan = plan_sliding},
    {.name = "lines",
     .plan = [](PlanBuilder& builder, const Blur& blur, const Grouping&) { plan_taps_lines(builder, blur); }},
    {.name = "spline",
     .only = BlurKernel::gaussian,
     .plan = [](PlanBuilder& builder, const Blur& blur, const Grouping&) { plan_splines(builder, blur); }},
};

const Method& method_named(std::string_view name) { return *std::ranges::find(methods, name, &Method::name); }

struct Choice {
  const Method& method;
  std::string why;
};

// What `auto` takes of the methods in which an order means something.
Choice choose_ordered(const Blur& blur, const DeviceTraits& traits) {
  if (traits.type != DeviceType::cpu && std::max(blur.radius_x, blur.radius_y) <= 1)
    return {method_named("direct"), "one pass of few texels is faster than two"};
  const bool is_line = blur.radius_x == 0 || blur.radius_y == 0;
  return {method_named("separable"),
          is_line ? "one axis takes one pass" : "two passes along lines read fewer texels than one pass over squares"};
}

// Returns the method that `auto` chooses. A box uses sliding sums if they take less work than adding up its taps, or if the texels of all
// taps do not fit into shared memory. `whole`: the size of the whole image; the input may be a tile of it.
Choice choose(const Blur& blur, const PlanInput& input, Size whole, const DeviceTraits& traits) {
  const bool is_box = blur.kernel == BlurKernel::box;
  const double taps = (2.0 * std::max(blur.radius_x, blur.radius_y) + 1) * whole.width * whole.height;  // of one axis
  constexpr double few_taps = 1 << 18;  // on a CPU they take no longer than the driver needs for the longer kernels
  if (traits.type == DeviceType::cpu && taps <= few_taps)
    return {method_named("separable"), "its short kernels are ready first, and few texels take no time"};
  if (traits.type == DeviceType::cpu && is_box)
    return {method_named("sliding"), "running sums are the fastest on a CPU, at any radius"};
  if (traits.type == DeviceType::cpu)
    return {method_named("lines"), "on a CPU it is the fastest: each texel is read once for several sums"};
  const int few = input.storage == Depth::f32 ? 6 : 2;  // as measured on an H200
  const bool is_large = std::max(blur.radius_x, blur.radius_y) > few;
  const bool sums_fit = is_box && can_stream(blur, Stream::sums, input, traits);
  const bool taps_fit = can_stream(blur, Stream::taps, input, traits);
  if (sums_fit || taps_fit)
    return {method_named(sums_fit && (is_large || !taps_fit) ? "sliding" : "shared"), "one pass through shared memory"};
  if (is_box && is_large) return {method_named("sliding"), "running sums cost the same at any radius"};
  return {method_named("lines"), "too many reads for one pass; each texel is read once for several sums"};
}

Choice choice_of(const Call& call, const Blur& blur, const PlanInput& input, Size whole, const DeviceTraits& traits) {
  if (call.choice("method") != "auto") return {method_named(call.choice("method")), "asked for"};
  if (blur.has_splines) return {method_named("spline"), "its cost does not grow with sigma"};
  const std::string order = asked_order(call);
  if (order.empty()) return choose(blur, input, whole, traits);
  Choice choice = choose_ordered(blur, traits);
  choice.why = fmt::format("{} needs direct or separable: {}", order, choice.why);
  return choice;
}

}  // namespace

void check_blur(const Call& call) {
  blur_of(call);
  if (call.flag("zcurve") && call.choice("order") != "auto" && call.choice("order") != "z")
    fail(Exit::usage, "blur: --zcurve means --order z and contradicts --order {}; leave one out", call.choice("order"));
  if (call.choice("method") == "auto") return;
  const Method& method = method_named(call.choice("method"));
  if (method.only && *method.only != kernel_of(call))
    fail(Exit::usage, "blur: --method {} computes only {}, and the kernel is {}; expected auto or another method",
         method.name, *method.only == BlurKernel::box ? "boxes" : "gaussians",
         kernel_of(call) == BlurKernel::box ? "a box" : "a gaussian");
  if (method.name == "spline" && call.has("radius"))
    fail(Exit::usage, "blur: --method spline cannot cut off the gaussian at --radius {}; give only --sigma",
         call.integer("radius"));
  if (method.name == "spline" && call.number("sigma") <= splines_above_sigma)
    fail(Exit::usage, "blur: --method spline is too coarse for --sigma {:.4g}; expected more than {}, or --method auto",
         call.number("sigma"), splines_above_sigma);
  if (const std::string order = asked_order(call); !method.has_order && !order.empty())
    fail(Exit::usage, "blur: {} has no effect with --method {}; expected auto, direct or separable", order,
         method.name);
}

Call separable(const Call& call) {
  const std::vector<std::string_view>& choices = call.op->param("method")->choices;
  return call.with("method", double(std::ranges::find(choices, "separable") - choices.begin()));
}

void plan_blur(const Call& call, PlanBuilder& builder) {
  const Blur blur = blur_of(call);
  const DeviceTraits& traits = builder.traits();
  const PlanInput input = input_of_blur(builder);
  const Choice choice = choice_of(call, blur, input, builder.whole_size(), traits);
  const Method& method = choice.method;
  if (const std::string obstacle = method.obstacle ? method.obstacle(blur, input, traits) : ""; !obstacle.empty())
    fail(Exit::usage, "blur: --method {} cannot run on {}: {}", method.name, traits.name, obstacle);
  builder.note(fmt::format("blur: {}, {}", method.name, choice.why));
  if (blur.has_splines)
    builder.note(
        "blur: the error is at most 1e-3 of the kernel's middle weight and 2e-4 of a step edge (--method lines is "
        "exact up to 3 sigma)");
  for (int pass = 0; pass < blur.passes; ++pass) method.plan(builder, blur, grouping_of(call, traits));
}

}  // namespace gpupost
