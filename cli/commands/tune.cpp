// `gpupost tune`: finds the fastest variants on a device and stores their names.
#include "cli/commands/bench/options.h"
#include "cli/commands/commands.h"
#include "cli/text/messages.h"
#include "core/engine/bench.h"
#include "core/engine/tuning.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace gpupost {

namespace {

// Sizes that halve evenly and sizes that do not, small and large.
constexpr Size gpu_sizes[] = {{256, 256}, {1024, 1024}, {1920, 1080}, {1919, 1081}, {4096, 4096}};
constexpr Size cpu_sizes[] = {{256, 256}, {640, 360}, {639, 361}, {1024, 1024}};

struct TuneRequest {
  std::vector<const Op*> ops;
  std::vector<Size> sizes;  // empty: the default sizes
  std::string variants;     // variants to choose from
  std::string device;
  bool list = false, forget = false;
};

// The best variant must depend only on the image.
bool can_be_tuned(const Op& op) {
  return op.bench && op.bench->variants && op.makes != Makes::statistics && op.bench->settings.empty();
}

const Op* tunable_op(const std::string& name) {
  const Op* op = op_named(name);
  if (op && can_be_tuned(*op)) return op;
  std::vector<std::string_view> names;
  for (const Op* other : all_ops())
    if (can_be_tuned(*other)) names.push_back(other->name);
  fail(Exit::usage, "tune: {} cannot be tuned; expected {}", name, fmt::join(names, ", "));
}

TuneRequest parse_tune(const CommandCall& call) {
  TuneRequest request{.ops = {},
                      .sizes = sizes_of("tune", call.value("--sizes")),
                      .variants = call.value("--variants"),
                      .device = device_of(call),
                      .list = call.has("--list"),
                      .forget = call.has("--forget")};
  if (request.list && request.forget) fail(Exit::usage, "tune: --list and --forget contradict each other; give one");
  for (const std::string& name : call.words) request.ops.push_back(tunable_op(name));
  if (call.words.empty())
    for (const Op* op : all_ops())
      if (can_be_tuned(*op)) request.ops.push_back(op);
  return request;
}

std::string line_of(const Tuned& tuned) {
  return fmt::format("{:<10}{:<13}{:<9}{:<6}{}", tuned.op, fmt::format("{} x {}", tuned.size.width, tuned.size.height),
                     format_name(tuned.depth), tuned.half_arithmetic ? "fp16" : "", tuned.arguments);
}

// A combination of format and arithmetic.
struct Kind {
  Depth depth;
  bool half_arithmetic;
};

// Adds the fastest correct variant for one image to `tuned`, if any.
void tune(Gpu& gpu, const Op& op, const std::string& names, Size size, Kind kind, std::vector<Tuned>& tuned) {
  const std::vector<Variant> variants =
      chosen("tune", variants_of(op, !kind.half_arithmetic, kind.half_arithmetic), names, op.name);
  BenchCase result = bench(gpu, op, variants, {.size = size, .depth = kind.depth}, {}, {});
  const VariantResult* best = fastest(result.variants);
  while (best) {  // the fastest variant that is also correct for extreme values
    VariantResult& checked = result.variants[size_t(best - result.variants.data())];
    checked.failure = failure_on_hard_numbers(gpu, op, checked.variant, size, kind.depth);
    if (checked.failure.empty()) break;
    checked.times = {};
    best = fastest(result.variants);
  }
  for (const VariantResult& variant : result.variants)
    if (!variant.failure.empty())
      print_out(fmt::format("{} {}: failed: {}\n", op.name, variant.variant.name(), variant.failure));
  if (!best) return;
  tuned.push_back({.op = std::string(op.name),
                   .depth = kind.depth,
                   .half_arithmetic = kind.half_arithmetic,
                   .size = size,
                   .arguments = best->variant.arguments});
  const double first_ms = result.variants.front().times.median_ms;
  print_out(fmt::format("{}, {:.4f} ms{}\n", line_of(tuned.back()), best->times.median_ms,
                        first_ms > 0 ? fmt::format("; {} {:.4f} ms", variants.front().arguments, first_ms) : ""));
}

std::vector<Tuned> tune(Gpu& gpu, const TuneRequest& request) {
  const bool on_cpu = gpu.info().traits.type == DeviceType::cpu;
  const std::span<const Size> usual = on_cpu ? std::span<const Size>(cpu_sizes) : std::span<const Size>(gpu_sizes);
  std::vector<Tuned> tuned;
  for (const Op* op : request.ops)
    for (const Size size : request.sizes.empty() ? usual : std::span<const Size>(request.sizes))
      for (const Kind kind : {Kind{Depth::half, false}, Kind{Depth::f32, false}, Kind{Depth::half, true}})
        if (!kind.half_arithmetic || gpu.info().traits.half.has_arithmetic)
          tune(gpu, *op, request.variants, size, kind, tuned);
  return tuned;
}

}  // namespace

static Exit run_tune(const CommandCall& call) {
  const TuneRequest request = parse_tune(call);
  const DeviceInfo device = choose_device(list_tuned_devices(), request.device, false);
  const std::vector<Tuned>& kept = device.traits.tuned;
  if (request.forget) {
    print_out(forget_tuning(device) ? fmt::format("{}: forgotten\n", device.traits.name)
                                    : fmt::format("{}: no results stored\n", device.traits.name));
    return Exit::done;
  }
  if (request.list) {
    for (const Tuned& tuned : kept) print_out(line_of(tuned) + "\n");
    if (kept.empty()) print_out(fmt::format("{}: no results stored\n", device.traits.name));
    return Exit::done;
  }
  check_can_keep_tuning();
  Gpu gpu(device);
  std::vector<Tuned> tuned = tune(gpu, request);
  const auto measures = [](const Tuned& result) {
    return std::tuple(std::string_view(result.op), result.size.width, result.size.height, result.depth,
                      result.half_arithmetic);
  };
  for (const Tuned& old : kept)  // keep the others
    if (std::ranges::none_of(tuned, [&](const Tuned& found) { return measures(found) == measures(old); }))
      tuned.push_back(old);
  keep_tuning(device, tuned);
  return Exit::done;
}

const CommandRow tune_verb{
    .name = "tune",
    .summary = "Find the fastest variants on this device for later runs",
    .usage = "tune [OP...] [OPTIONS]",
    .description =
        "Measures the variants of the given ops, or of all ops that can be tuned (now only mips). Stores the fastest "
        "for each size and format; later runs on this device use it. All variants give the same result to within "
        "rounding.",
    .argument = Argument::op,
    .takes_op = can_be_tuned,
    .most_words = any_count,
    .options = {{"--sizes", "LIST", "Image sizes, like 256,1920x1080 (default: a few sizes from 256)", {}},
                {"--variants", "LIST", "Names of variants to choose from, or parts of names (default all)", {}},
                {"--list", "", "Print the stored results and measure nothing", {}},
                {"--forget", "", "Delete the stored results", {}}},
    .takes_global = [](const Global& global) { return global.name == "device"; },
    .examples = {"tune", "tune --list"},
    .run = run_tune,
};

}  // namespace gpupost
