#include "core/op/op.h"

#include "core/base/threads.h"
#include "core/op/benchmark.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace gpupost {

std::string Param::typed_name() const { return is_positional ? std::string(name) : fmt::format("--{}", name); }

std::string Param::value_text() const {
  if (kind == ParamKind::flag) return "";
  if (kind == ParamKind::text) return std::string(form.syntax);
  if (is_for_measuring) return "VARIANT";
  if (kind == ParamKind::choice) return fmt::format("{}", fmt::join(choices, "|"));
  return fmt::format("{}..{}{}{}", min, max, unit.empty() ? "" : " ", unit);
}

std::string Setting::text() const { return param.empty() ? "" : fmt::format("--{} {}", param, value); }

const Param* Op::param(std::string_view param_name) const {
  for (const Param& candidate : params)
    if (candidate.name == param_name) return &candidate;
  return nullptr;
}

static size_t index_of(const Op& op, std::string_view param_name) {
  const Param* param = op.param(param_name);
  assert(param);
  return size_t(param - op.params.data());
}

double Call::number(std::string_view param_name) const { return values[index_of(*op, param_name)]; }

bool Call::has(std::string_view param_name) const { return !std::isnan(number(param_name)); }

const std::string& Call::word(std::string_view param_name) const { return texts[index_of(*op, param_name)]; }

std::string_view Call::choice(std::string_view param_name) const {
  return op->param(param_name)->choices[size_t(number(param_name))];
}

bool Call::is_default(const Param& param) const {
  const double value = number(param.name);
  return word(param.name).empty() &&
         (param.presence == Presence::optional ? std::isnan(value) : value == param.default_value);
}

std::string Call::text_of(const Param& param) const {
  if (param.kind == ParamKind::flag) return param.typed_name();
  const std::string value = param.kind == ParamKind::choice ? std::string(choice(param.name))
                            : param.kind == ParamKind::text ? word(param.name)
                                                            : fmt::format("{}", number(param.name));
  return param.is_positional ? value : fmt::format("{} {}", param.typed_name(), value);
}

std::string Call::text() const {
  std::string text(op->name);
  for (const Param& param : op->params)
    if (!is_default(param) || (param.is_positional && has(param.name))) text += " " + text_of(param);
  return text;
}

Call Call::with(std::string_view param_name, double value) const {
  Call changed = *this;
  changed.values[index_of(*op, param_name)] = value;
  return changed;
}

Needs needs_nothing(const Call&) { return {}; }
Needs needs_rec709(const Call&) { return {.primaries = rec709}; }

Needs needs_exact_rec709(const Call&) { return {.primaries = rec709, .floats = FloatStorage::of_bytes}; }
Output same_as_input(const Call&, std::span<const Output> inputs) { return inputs.front(); }

Output with_gray(Output image, GrayResult gray_result) {
  image.gray_result = std::max(image.gray_result, gray_result);
  return image;
}

Output by_values(const Call&, std::span<const Output> inputs) {
  return with_gray(inputs.front(), GrayResult::by_values);
}

bool has_passes(const Call& call) {
  const std::optional<Point>& point = call.op->point;
  return !point || (point->has_passes && point->has_passes(call));
}

bool is_exact(const Call& call) {
  return call.op->reference.tolerance == exact_tolerance || footprint_of(call, {1, 1}).kind == Footprint::Kind::moves;
}

bool is_identity(const Call& call) {
  if (call.op->point) return call.op->point->is_identity && call.op->point->is_identity(call);
  return is_exact(call) && footprint_of(call, {1, 1}).kind == Footprint::Kind::texel;
}

Footprint footprint_of(const Call& call, Size size) {
  if (call.op->footprint) return call.op->footprint(call, size);
  return {.kind = call.op->point ? Footprint::Kind::texel : Footprint::Kind::whole};
}

Output output_of(const Call& call, const Output& input) {
  std::vector<Output> inputs{input};
  for (const InputPicture& other : call.inputs) inputs.push_back(other.picture);
  return call.op->output(call, inputs);
}

Output output_of(std::span<const Call> calls, Output input) {
  for (const Call& call : calls) input = output_of(call, input);
  return input;
}

Size result_size(std::span<const Call> calls, Size size) { return output_of(calls, {.size = size}).size; }

int result_level_count(std::span<const Call> calls, Size size) { return output_of(calls, {.size = size}).level_count; }

Windows result_windows(std::span<const Call> calls, const Windows& windows) {
  return output_of(calls, {.size = size_of(windows.data), .windows = windows}).windows;
}

void set_windows(std::span<Call> calls, Windows windows) {
  for (Call& call : calls) {
    call.windows = windows;
    windows = result_windows({&call, 1}, windows);
  }
}

Windows windows_before(const Call& call, Size size) {
  const bool is_known = size_of(call.windows.data) == size;
  return is_known ? call.windows : Windows{.data = window_of(size), .display = window_of(size)};
}

Windows windows_before(const Call& call, const Output& input) {
  return size_of(input.windows.data) == input.size ? input.windows : windows_before(call, input.size);
}

bool keeps_base(std::span<const Call> calls) {
  return std::ranges::all_of(calls, [](const Call& call) {
    const bool keeps_level_0 = call.op->makes == Makes::levels && !output_of(call, Output{}).colors_transparent;
    return keeps_level_0 || call.op->makes == Makes::statistics;
  });
}

bool makes_levels(std::span<const Call> calls) { return !calls.empty() && calls.back().op->makes == Makes::levels; }

bool makes_content(std::span<const Call> calls, Content content) {
  return output_of(calls, Output{}).content == content;
}

bool makes_luminance(std::span<const Call> calls) {
  return std::ranges::any_of(calls, [](const Call& call) { return makes_content({&call, 1}, Content::luminance); });
}

bool has_alpha_behind(std::span<const Call> calls, bool has_alpha) {
  return output_of(calls, {.has_alpha = has_alpha}).has_alpha;
}

Depth result_depth(std::span<const Call> calls, Depth depth) { return output_of(calls, {.depth = depth}).depth; }

std::vector<Call> calls_for_other_channels(std::span<const Call> calls) {
  std::vector<Call> kept;
  for (const Call& call : calls)
    if (call.op->channels == Channels::all) kept.push_back(call);
  for (Call& call : kept) {
    call.is_beside_color = true;
    for (size_t index = 0; index < call.values.size(); ++index)
      if (const Param& param = call.op->params[index]; param.is_for_color) call.values[index] = param.default_value;
  }
  return kept;
}

Planes absolute(Planes planes) {
  for (Plane& plane : planes)
    for (double& value : plane.values) value = std::abs(value);
  return planes;
}

// Adds `more` to `sums`, number by number.
static void add(std::vector<Planes>& sums, const std::vector<Planes>& more) {
  for (size_t level = 0; level < sums.size(); ++level)
    for (size_t component = 0; component < 4; ++component)
      std::ranges::transform(sums[level][component].values, more[level][component].values,
                             sums[level][component].values.begin(), std::plus());
}

static bool is_zero(const Planes& planes) {
  return std::ranges::all_of(planes, [](const Plane& plane) {
    return std::ranges::all_of(plane.values, [](double value) { return value == 0; });
  });
}

std::vector<Planes> tolerance_of_means(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  std::vector<Planes> tolerance = call.op->reference.levels(call, absolute(base));
  for (size_t level = 0; level < tolerance.size(); ++level)
    for (Plane& plane : tolerance[level])
      for (double& value : plane.values)
        value = (call.op->makes == Makes::levels ? double(level) : 1) * rounding(value, depth);
  if (!is_zero(error)) add(tolerance, call.op->reference.levels(call, error));
  return tolerance;
}

std::vector<Planes> exact_tolerance(const Call& call, const Planes&, const Planes& error, Depth) {
  return call.op->reference.levels(call, error);
}

std::vector<Planes> by_component(Planes base, const std::function<std::vector<Plane>(Plane)>& reference) {
  std::array<std::vector<Plane>, 4> made;
  parallel_ranges(4, 1, [&](int begin, int end) {
    for (auto component = size_t(begin); component < size_t(end); ++component)
      made[component] = reference(std::move(base[component]));
  });
  std::vector<Planes> levels(made[0].size());
  for (size_t level = 0; level < levels.size(); ++level)
    for (size_t component = 0; component < 4; ++component) levels[level][component] = std::move(made[component][level]);
  return levels;
}

Call default_call(const Op& op) {
  Call call{.op = &op};
  for (const Param& param : op.params)
    call.values.push_back(param.presence == Presence::optional ? std::numeric_limits<double>::quiet_NaN()
                                                               : param.default_value);
  call.texts.resize(op.params.size());
  return call;
}

}  // namespace gpupost
