// Options that mean nothing beside the others are refused, and those that are taken do something.
#include "core/base/error.h"
#include "core/glsl/shader_text.h"
#include "core/op/parse.h"
#include "core/op/point.h"
#include "core/ops/registry.h"
#include "core/plan/plan.h"
#include "tests/support/error_of.h"
#include "tests/support/rich_gpu.h"
#include "tests/support/tested_ops.h"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// All that a device is told to do by a call, on a device where every method has room.
std::string orders_of(Call call) {
  const Size size{384, 256};
  if (call.op->needs(call).depth)
    call.depth = std::make_shared<Plane>(Plane{.size = size, .values = std::vector(texel_count(size), 3.5)});
  const Plan made = plan({&call, 1}, {.size = size, .storage = Depth::f32}, rich_gpu());
  std::string text;
  for (const PlanImage& image : made.images)
    text += fmt::format("{} x {}, {} levels\n", image.size.width, image.size.height, image.level_count);
  for (const Pass& pass : made.passes)
    text += fmt::format("{}{} {} {} {} {}\n", glsl_of(pass), pushed_words(pass), pass.table, pass.grid.count,
                        pass.source.image, pass.target.image);
  for (const StatisticsPart& part : made.results) text += fmt::format("{} {}\n", part.offset, part.bytes);
  for (const Guard& guard : made.guards) text += guard.message;
  return text;
}

// "" where it is refused.
std::string orders_of(const Op& op, const std::string& line) {
  try {
    return orders_of(parse_call(op, line));
  } catch (const Error& error) {
    CHECK_MESSAGE(error.code() == Exit::usage, op.name, " ", line, ": ", std::string(error.what()));
    return "";
  }
}

// Some values of an option, as they are typed.
std::vector<std::string> values_of(const Param& param) {
  std::vector<std::string> values;
  switch (param.kind) {
    case ParamKind::flag: return {""};
    case ParamKind::choice: return {param.choices.begin(), param.choices.end()};
    case ParamKind::text: return {};  // what it means is known to the op alone
    case ParamKind::integer:
      for (double value = param.min; value <= param.max; value = 2 * value + 3)
        values.push_back(fmt::format("{}", value));
      return values;
    case ParamKind::number:
      for (const double share : {0.0, 0.001, 0.03, 0.2, 0.5, 1.0})
        values.push_back(fmt::format("{}", param.min + share * (param.max - param.min)));
      return values;
  }
  return values;
}

// Is it left out: because the host alone sees what it does, or because it is short for another?
bool is_left_out(const Op& op, const Param& param) {
  return (op.name == "stats" && param.name == "table") || (op.name == "blur" && param.name == "zcurve") ||
         (op.name == "sheet" && param.name == "columns") || (op.name == "crop" && param.name == "keep-display") ||
         (op.name == "resize" && param.name == "enlarge");  // of smaller images
}

// Is there a value of it that is refused beside this example, or one that changes something? A choice that says what is done
// anyway is neither, but others of it are.
bool is_heeded(const Op& op, std::string_view example, const std::string& orders, const Param& param) {
  bool is_taken = false;
  for (const std::string& value : values_of(param)) {
    const std::string line = fmt::format("{} {} {}", example, param.typed_name(), value);
    const std::string changed = orders_of(op, line);
    const bool is_refused = changed.empty();
    if (is_refused ? param.kind == ParamKind::choice : changed != orders) return true;
    is_taken = is_taken || (!is_refused && !parse_call(op, line).is_default(param));
  }
  return !is_taken;
}

}  // namespace

TEST_CASE("no option is taken that has no effect whatever its value, beside those of any example") {
  for (const Op* op : tested_ops()) {
    if (op->prepare) continue;  // it reads files
    for (const std::string_view example : op->doc.examples) {
      if (example == "--levels 1") continue;  // there is nothing to be done
      const Call base = parse_call(*op, example);
      const std::string orders = orders_of(base);
      for (const Param& param : op->params)
        if (base.is_default(param) && param.kind != ParamKind::text && !param.is_positional && !is_left_out(*op, param))
          CHECK_MESSAGE(is_heeded(*op, example, orders, param), op->name, " ", example, " ", param.typed_name());
    }
  }
}

TEST_CASE("an option that means nothing is refused with what it needs, and taken beside that") {
  struct Case {
    std::string_view op, without, option, needs, with;
  };
  constexpr Case cases[] = {
      {"dof", "", "--rotation 30", "--blades", "--blades 5"},
      {"dof", "", "--roundness 0.5", "--blades", "--blades 5"},
      {"dof", "", "--depth-part 1", "--depth-file", "--depth-file z.exr"},
      {"exposure", "--stops 1", "--key 0.2", "--auto or --auto-from", "--auto"},
      {"exposure", "--stops 1", "--percentile 10,90", "--auto or --auto-from", "--auto"},
      {"exposure", "--stops 1", "--smooth 9", "--auto or --auto-from", "--auto"},
      {"brightpass", "", "--limit 5", "--form mapped", "--form mapped"},
      {"mips", "", "--normal-length alpha", "--normal", "--normal"},
      {"mips", "", "--border mirror", "a --filter other than box", "--filter kaiser"},
      {"luminance", "--measure count", "--weights document", "--measure mean, minimum or maximum", ""},
      {"gain", "--red 1 --green 2 --blue 3", "--value 2", "a channel without its own value", "--red 1"},
      {"tonemap", "--curve hable", "--look golden", "one of the agx curves", "--curve agx"},
      {"tonemap", "--chroma keep", "--saturation 0.5", "--chroma saturate and a --curve of luminance", ""},
      {"tonemap", "--curve agx", "--chroma keep", "a --curve that works on luminance", ""},
  };
  for (const Case& one : cases) {
    const Op& op = *op_named(one.op);
    const std::string message =
        error_of([&] { parse_call(op, fmt::format("{} {}", one.without, one.option)); }, Exit::usage);
    CHECK(message == fmt::format("{}: {} has no effect without {}", one.op, one.option, one.needs));
    CHECK_NOTHROW(parse_call(op, fmt::format("{} {}", one.option, one.with)));
  }
}

TEST_CASE("brightpass makes a NaN black") {
  const Call call = default_call(*op_named("brightpass"));
  Planes planes;
  for (size_t k = 0; k < 4; ++k) planes[k] = {.size = {1, 1}, .values = {k == 0 ? NAN : 1.0}};
  const Color made = color_at(call.op->reference.levels(call, planes)[0], 0);
  CHECK(made == Color{0, 0, 0, 1});
}
