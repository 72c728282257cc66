#include "core/op.h"

#include <fmt/format.h>

#include <cassert>

namespace gpupost {

const Param* Op::param(std::string_view param_name) const {
  for (const Param& candidate : params)
    if (candidate.name == param_name) return &candidate;
  return nullptr;
}

const Op* op_named(std::string_view name) {
  for (const Op* op : all_ops())
    if (op->name == name) return op;
  return nullptr;
}

double Call::number(std::string_view param_name) const {
  const Param* param = op->param(param_name);
  assert(param);
  return values[size_t(param - op->params.data())];
}

std::string_view Call::choice(std::string_view param_name) const {
  return op->param(param_name)->choices[size_t(number(param_name))];
}

std::string Call::text() const {
  std::string text(op->name);
  for (size_t index = 0; index < values.size(); ++index) {
    const Param& param = op->params[index];
    if (values[index] == param.def) continue;
    text += fmt::format(" --{}", param.name);
    if (param.kind == ParamKind::choice) text += fmt::format(" {}", param.choices[size_t(values[index])]);
    else if (param.kind != ParamKind::flag) text += fmt::format(" {}", values[index]);
  }
  return text;
}

int result_level_count(std::span<const Call> calls, Size size) {
  return calls.empty() || !calls.back().op->level_count ? 1 : calls.back().op->level_count(calls.back(), size);
}

Call default_call(const Op& op) {
  Call call{.op = &op};
  for (const Param& param : op.params) call.values.push_back(param.def);
  return call;
}

}  // namespace gpupost
