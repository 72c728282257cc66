#include "cli/commands/bake.h"

#include "cli/jobs/conflicts.h"
#include "cli/jobs/outputs.h"
#include "cli/report/depfile.h"
#include "cli/text/messages.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/image/to_working.h"
#include "core/op/point.h"
#include "core/ops/lut/cube_file.h"
#include "core/ops/lut/row.h"
#include "core/ops/small/exposure.h"
#include "core/pipeline/chain_primaries.h"
#include "core/plan/plan.h"
#include "core/system/atomic_file.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

// Returns whether each texel depends only on itself.
bool is_of_texel_alone(const Call& call) {
  if (!call.op->point || !call.op->reference.levels || call.op->needs(call).depth || needs_series(call)) return false;
  const Plan made = plan({&call, 1}, {.size = {1, 1}, .storage = Depth::f32}, {});
  return made.passes.empty() || (made.passes.size() == 1 && !made.passes.front().memory.has_statistics);
}

void check(const Request& request) {
  if (request.calls.empty()) fail(Exit::usage, "--bake: no op; expected a chain of point ops");
  if (!request.input_words.empty())
    fail(Exit::usage, "--bake reads no image; leave {} out", request.input_words.front());
  check_globals_have_effect(
      request, [](const Global& global) { return global.scope == Scope::bake; },
      "with --bake, which reads and writes no image; leave it out");
  if (!lower_case(request.globals.output).ends_with(".cube"))
    fail(Exit::usage, "--bake: -o {}; expected -o FILE.cube",
         request.globals.output.empty() ? "is missing" : request.globals.output + " is not a .cube file");
  check_has_no_placeholder(request.globals.output, "--bake writes one file");
  Paths paths(request, {});
  for (const ReadFile& file : files_of_calls(request.calls, "")) paths.add_read(file);
  paths.add_side_file("--bake: -o", request.globals.output);
  paths.add_side_file("--depfile", request.globals.report.depfile);
  for (const Call& call : request.calls)
    if (!is_of_texel_alone(call))
      fail(Exit::usage, "--bake: {} cannot be in a table: {}; leave it out", call.text(),
           !call.op->reference.levels ? "it has no CPU reference" : "its result depends on more than the texel itself");
}

// An opaque image with the input of each entry, red fastest.
Planes inputs_of(int side, const std::string& shaper) {
  const auto light = [&](size_t index) {
    const double number = double(index) / (side - 1);
    return shaper == "srgb" ? srgb_decode(number) : shaper == "log" ? light_of_log(number) : number;
  };
  const auto n = size_t(side);
  return made_of_texels({side, side * side}, [&](size_t index) -> Color {
    return {light(index % n), light(index / n % n), light(index / n / n), 1};
  });
}

// The options with which `lut` gives the same result for integer files as the chain.
std::string options_for_lut(const std::string& shaper, bool is_encoded) {
  if (shaper == "srgb") return " --srgb";
  return std::string(shaper == "log" ? " --log-shaper" : "") + (is_encoded ? "" : " --linear");
}

// The text of the file of --depfile; "" without the option. Throws Error(Exit::usage) if it cannot hold a name.
std::string dependencies_of(const Request& request) {
  if (request.globals.report.depfile.empty()) return "";
  DepfileRule rule{.outputs = {request.globals.output}, .inputs = {}};
  for (const ReadFile& file : files_of_calls(request.calls, "")) rule.inputs.push_back(file.path);
  return depfile_text(std::span(&rule, 1));
}

Planes through(std::span<const Call> calls, Planes colors) {
  for (const Call& call : calls) colors = call.op->reference.levels(call, std::move(colors)).front();
  return colors;
}

// The primaries that the chain's first ops expect. Empty: any.
std::optional<Primaries> primaries_of_input(std::span<const Call> calls) {
  for (const Call& call : calls) {
    if (const std::optional<Primaries> needed = call.op->needs(call).primaries) return needed;
    const Output output = output_of(call, Output{});
    if (output.primaries || output.content == Content::numbers) break;
  }
  return std::nullopt;
}

// Curve and primaries of the input and the output of the table, if they are known.
std::vector<std::string> comments_of(std::span<const Call> calls, const ChainPrimaries& made, std::string_view shaper) {
  const auto line = [](std::string_view side, const std::string& curve, const std::optional<Primaries>& primaries) {
    return fmt::format("{}: {}{}", side, curve, primaries ? fmt::format(", {}", name_of(*primaries)) : "");
  };
  const std::optional<Primaries> input = primaries_of_input(calls);
  std::vector<std::string> lines{line("input",
                                      shaper == "log"    ? "ACEScct curve"
                                      : shaper == "srgb" ? "srgb curve"
                                                         : "linear light",
                                      input)};
  const std::optional<Primaries> output = made.is_named ? made.result : input;
  if (!makes_content(calls, Content::numbers)) {
    const bool is_encoded = shaper == "srgb" || makes_content(calls, Content::display);
    lines.push_back(line("output", is_encoded ? "srgb curve" : "linear light", output));
  } else if (const std::optional<ColorEncoding> encoding = output_of(calls, Output{}).encoding) {
    lines.push_back(line("output", name_of(encoding->transfer, 1) + " curve", encoding->primaries));
  }
  return lines;
}

// Computes the table and writes it.
void write_table(const Request& request) {
  const int side = *request.globals.bake.side;
  const std::string& shaper = request.globals.bake.shaper;
  const ChainPrimaries made = with_primaries(request.calls, {}, {});
  const std::vector<Call>& calls = made.calls;
  const Planes colors = through(calls, inputs_of(side, shaper));
  const bool is_encoded =
      makes_content(request.calls, Content::numbers) || makes_content(request.calls, Content::display);
  const bool encodes = shaper == "srgb" && !is_encoded;
  const Planes half = through(calls, made_of_texels({1, 1}, [](size_t) { return Color{0.1, 0.2, 0.3, 0.5}; }));
  const auto is_opaque = [](double alpha) { return std::abs(alpha - 1) < 1e-6; };
  if (!std::ranges::all_of(colors[3].values, is_opaque) || !(std::abs(half[3].values[0] - 0.5) < 1e-6) ||
      !has_alpha_behind(request.calls, true))
    fail(Exit::usage, "--bake: the chain changes alpha, which a table does not hold; leave out the op that does{}",
         has_alpha_behind(request.calls, true) ? "" : ", or let `channels` end with A, as in --list B,G,R,A");
  ColorTable table{.size = side};
  for (size_t index = 0; index < colors[0].values.size(); ++index)
    for (size_t c = 0; c < 3; ++c) {
      const double value = encodes ? srgb_encode(colors[c].values[index]) : colors[c].values[index];
      if (!std::isfinite(float(value)))
        fail(Exit::usage, "--bake: the chain gives {} for an entry; a table holds only finite values", value);
      table.values.push_back(float(value));
    }
  const std::string text = cube_text(table, fmt::format("gpupost --bake {} --bake-shaper {}", side, shaper),
                                     comments_of(request.calls, made, shaper));
  if (write_or_keep(request.globals, text) && !request.globals.report.quiet)
    say_note("{0}: use this table with `lut {0}{1}`{2}", request.globals.output, options_for_lut(shaper, is_encoded),
             is_encoded ? " for integer files" : "");
}

}  // namespace

Exit bake(const Request& request) {
  check(request);
  const OutputSettings& encoding = request.globals.encoding;
  const std::string& depfile = request.globals.report.depfile;
  const std::string dependencies = dependencies_of(request);
  const bool is_kept = encoding.no_clobber && output_is_there(request.globals.output);
  if (!is_kept) prepare_output(encoding, request.globals.output);
  prepare_output(encoding, depfile);
  if (!is_kept) write_table(request);
  else if (!request.globals.report.quiet)
    say_note("{} exists and stays as it is (--no-clobber)", request.globals.output);
  if (!depfile.empty()) write_file(depfile, std::as_bytes(std::span(dependencies)), false);
  return Exit::done;
}

}  // namespace gpupost
