#include "cli/commands/explain.h"

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/image/channel_names.h"
#include "core/pipeline/channel_lookup.h"
#include "core/pipeline/device.h"
#include "core/pipeline/pixel_formats.h"
#include "core/pipeline/prefetch.h"
#include "core/pipeline/requirements.h"
#include "core/plan/explain.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace gpupost {

namespace {

// One group of channels before the chain.
struct Planned {
  std::vector<std::string> channels;  // empty for color
  Size size;
  Depth storage = Depth::half;
  bool has_colors = false;  // R, G and B are colors, not directions or other data
  std::vector<Step> steps;
};

// Only color, with the size of --size or the default size.
Planned color_alone(const Request& request) {
  const Globals& globals = request.globals;
  return {.channels = {},
          .size = globals.size.value_or(Size{1920, 1080}),
          .storage = globals.passes.storage.value_or(Depth::half),
          .has_colors = !makes_content(request.calls, Content::data),
          .steps = {{.route = Route::by_op, .calls = request.calls}}};
}

// Uint channels take the nearest texel.
std::vector<Step> steps_of_ids(std::span<const Call> calls) {
  std::vector<Step> steps = steps_beside_color(calls, false);
  std::erase_if(steps, [](const Step& step) {
    return std::ranges::all_of(step.calls,
                               [](const Call& call) { return call.op->point || call.op->makes == Makes::statistics; });
  });
  for (Step& step : steps) step.route = Route::by_nearest;
  return steps;
}

std::vector<Planned> groups_of_file(const Request& request, std::vector<std::string>& notes) {
  const Globals& globals = request.globals;
  JobReport ignored;
  refuse_folder(request.inputs.files.front().path);
  InputImages images = read_pictures(request.inputs.files.front().path, globals.input, ignored);
  if (!images.others.names.empty())
    notes.push_back(fmt::format("the chain works on part `{}`; {}: {}", images.others.name,
                                globals.encoding.drop_parts ? "dropped" : "an EXR output gets copies of",
                                fmt::join(images.others.names, ", ")));
  Picture picture = std::move(images.pictures.front());
  take_named_channels(request.calls, picture);
  check_apply_to(globals.passes.apply_to, picture);
  check_requirements(request.calls, globals.passes.apply_to, picture);
  const Size size = picture.size();
  split_groups(globals.passes.apply_to, picture);
  std::vector<Planned> groups;
  for (const Group& group : picture.groups) {
    if (group.is_color) {
      groups.push_back(color_alone(request));
      groups.back().size = size;
      groups.back().storage = storage_of(globals.passes, group.depth, globals.encoding.bits.value_or(group.depth));
      continue;
    }
    groups.push_back({.channels = names_of(group),
                      .size = size,
                      .storage = group.depth,
                      .steps = group.depth == Depth::u32
                                   ? steps_of_ids(request.calls)
                                   : steps_beside_color(request.calls, is_applied(globals.passes.apply_to, group))});
  }
  return groups;
}

Plan plan_of(const Step& step, const PlanInput& input, const DeviceTraits& traits, const ChainOptions& options) {
  if (step.route == Route::by_nearest) return {};
  TilingDecision decision = decide_tiling(step.calls, input, traits, options);
  std::vector<std::string>& choices = decision.whole.choices;
  if (!decision.bands.empty()) choices.push_back(fmt::format("in bands of rows: {}", decision.bands));
  else if (!decision.limit.empty()) choices.push_back(fmt::format("tiled: {}", decision.limit));
  else if (decision.is_watched)
    choices.push_back(fmt::format("tiled if one submission would take more than {} ms", options.most_ms));
  return std::move(decision.whole);
}

std::string text_of(const ExplainedGroup& group) {
  std::string text;
  if (!group.channels.empty())
    text +=
        fmt::format("channels {}{}\n", fmt::join(group.channels, " "), group.steps.empty() ? " stay as they are" : "");
  for (const auto& [step, plan] : group.steps) {
    if (step.route == Route::by_op) text += explain(plan, step.calls);
    else
      for (const Call& call : step.calls) text += fmt::format("nearest  {}\n", call.text());
  }
  return text;
}

}  // namespace

Explained plans_of(const Request& request) {
  const Globals& globals = request.globals;
  const std::vector<Input>& inputs = request.inputs.files;
  if (globals.size && !inputs.empty())
    fail(Exit::usage, "--size {}x{} is for --explain and `shader` without an input; leave it out, {} has a size",
         globals.size->width, globals.size->height, inputs.front().path);
  Explained explained{.traits = {}, .groups = {}};
  const std::vector<Planned> planned =
      inputs.empty() ? std::vector<Planned>{color_alone(request)} : groups_of_file(request, explained.parts);
  explained.traits = traits_for(globals.device);
  const ChainOptions options = chain_options(globals.device, explained.traits);
  for (const Planned& group : planned) {
    Size size = group.size;
    ExplainedGroup& made = explained.groups.emplace_back(ExplainedGroup{.channels = group.channels, .steps = {}});
    for (const Step& step : group.steps) {
      PlanInput input = plan_input(globals.passes, size, group.storage, group.has_colors);
      input.gives_input = !globals.passes.verify && inputs.size() <= 1;  // as in a run
      made.steps.push_back({.step = step, .plan = plan_of(step, input, explained.traits, options)});
      size = result_size(step.calls, size);
    }
  }
  return explained;
}

std::string explain(const Request& request) {
  std::string text;
  for (const std::string& note : request.inputs.notes) text += fmt::format("inputs   {}\n", note);
  for (const std::string& note : request.inputs.left_out) text += fmt::format("inputs   {}\n", note);
  for (const std::string& missing : request.inputs.missing) text += fmt::format("error    {}\n", missing);
  if (request.inputs.is_batch && request.inputs.files.empty()) return text + "no plan, because there is no input\n";
  const Explained explained = plans_of(request);
  for (const std::string& parts : explained.parts) text += fmt::format("parts    {}\n", printable(parts));
  text += fmt::format("device   {}\n", explained.traits.name);
  for (const ExplainedGroup& group : explained.groups) text += text_of(group);
  return text;
}

}  // namespace gpupost
