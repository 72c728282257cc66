#include "core/op/op.h"

#include "core/base/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace gpupost {

std::string Param::typed_name() const { return is_positional ? std::string(name) : fmt::format("--{}", name); }

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
  return word(param.name).empty() && (param.is_optional ? std::isnan(value) : value == param.default_value);
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
    if (!is_default(param) || param.is_positional) text += " " + text_of(param);
  return text;
}

Call Call::with(std::string_view param_name, double value) const {
  Call changed = *this;
  changed.values[index_of(*op, param_name)] = value;
  return changed;
}

Size result_size(std::span<const Call> calls, Size size) {
  for (const Call& call : calls)
    if (call.op->result_size) size = call.op->result_size(call, size);
  return size;
}

int result_level_count(std::span<const Call> calls, Size size) {
  if (calls.empty() || !calls.back().op->level_count) return 1;
  return calls.back().op->level_count(calls.back(), result_size(calls, size));
}

Windows result_windows(std::span<const Call> calls, Windows windows) {
  for (const Call& call : calls)
    if (call.op->result_windows) windows = call.op->result_windows(call, windows);
  return windows;
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

bool keeps_base(std::span<const Call> calls) {
  return std::ranges::all_of(calls, [](const Call& call) { return call.op->makes_levels || call.op->passes_through; });
}

bool takes_data(std::span<const Call> calls) {
  return std::ranges::any_of(calls, [](const Call& call) { return call.op->takes_data && call.op->takes_data(call); });
}

bool takes_rec709(const Call& call) {
  const Op& op = *call.op;
  return op.takes_rec709_in ? op.takes_rec709_in(call)
                            : op.takes_rec709 || (op.point && op.point->space == PointSpace::yxy);
}

bool has_alpha_behind(std::span<const Call> calls, bool has_alpha) {
  for (const Call& call : calls) {
    if (call.op->adds_alpha && call.op->adds_alpha(call)) has_alpha = true;
    if (call.op->drops_alpha && call.op->drops_alpha(call)) has_alpha = false;
  }
  return has_alpha;
}

bool makes_luminance(std::span<const Call> calls) {
  return std::ranges::any_of(calls, [](const Call& call) { return call.op->makes_luminance; });
}

Depth result_depth(std::span<const Call> calls, Depth depth) { return makes_luminance(calls) ? Depth::f32 : depth; }

std::vector<Call> calls_for_other_channels(std::span<const Call> calls) {
  std::vector<Call> kept;
  for (const Call& call : calls)
    if (call.op->every_channel) kept.push_back(call);
  for (Call& call : kept)
    for (size_t index = 0; index < call.values.size(); ++index)
      if (const Param& param = call.op->params[index]; param.is_for_color) call.values[index] = param.default_value;
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
  if (call.op->is_exact) return call.op->reference(call, error);
  std::vector<Planes> tolerance = call.op->reference(call, absolute(base));
  for (size_t level = 0; level < tolerance.size(); ++level)
    for (Plane& plane : tolerance[level])
      for (double& value : plane.values) value = (call.op->makes_levels ? double(level) : 1) * rounding(value, depth);
  if (!is_zero(error)) add(tolerance, call.op->reference(call, error));
  return tolerance;
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
    call.values.push_back(param.is_optional ? std::numeric_limits<double>::quiet_NaN() : param.default_value);
  call.texts.resize(op.params.size());
  return call;
}

}  // namespace gpupost
