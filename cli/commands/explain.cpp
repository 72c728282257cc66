#include "cli/commands/explain.h"

#include "cli/jobs/job_list.h"
#include "cli/jobs/outputs.h"
#include "cli/jobs/run.h"
#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/codec/codec.h"
#include "core/image/channel_names.h"
#include "core/pipeline/channel_lookup.h"
#include "core/pipeline/conversion_plan.h"
#include "core/pipeline/device.h"
#include "core/pipeline/image_windows.h"
#include "core/pipeline/pixel_formats.h"
#include "core/pipeline/prefetch.h"
#include "core/pipeline/process_image.h"
#include "core/pipeline/requirements.h"
#include "core/pipeline/sheet.h"
#include "core/pipeline/texture_assembly.h"
#include "core/pipeline/write_outputs.h"
#include "core/plan/explain.h"
#include "core/plan/stage_formats.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

namespace gpupost {

namespace {

// One group of channels before the chain.
struct Planned {
  std::vector<std::string> channels;  // empty for color
  Size size;
  Depth storage = Depth::half;
  bool has_colors = false;  // R, G and B are colors, not directions or other data
  // Size to which a part of a frame is enlarged before its levels. Empty: it is not enlarged.
  std::optional<Size> size_before_levels;
  std::vector<Step> steps;
  size_t first_of_face = SIZE_MAX;  // index of the first step that runs on each face of a cube that is cut
  bool is_dropped = false;          // the result does not have these channels
};

// Adds steps_of(calls), in two parts if the image is cut within the chain.
template <class StepsOf>
void add_steps(const Globals& globals, std::span<const Call> calls, Planned& planned, const StepsOf& steps_of) {
  const size_t count = calls_before_cut(calls, globals.input.assembly);
  if (count > 0) {
    planned.steps = steps_of(calls.first(count));
    planned.first_of_face = planned.steps.size();
  }
  if (count == 0 || count < calls.size())
    std::ranges::move(steps_of(calls.subspan(count)), std::back_inserter(planned.steps));
}

// The size of a face in a strip of 6 x 1 faces or a cross of 4 x 3.
Size size_of_face(Size size) {
  const int side = std::gcd(size.width, size.height);
  return {side, side};
}

// The color, with the size of --size or the default size.
Planned color_of(const Globals& globals, std::span<const Call> calls) {
  Planned color{.channels = {},
                .size = globals.size.value_or(Size{1920, 1080}),
                .storage = globals.passes.storage.value_or(Depth::half),
                .has_colors = !makes_content(calls, Content::data),
                .steps = {}};
  add_steps(globals, calls, color, [](std::span<const Call> some) {
    return std::vector<Step>{{.route = Route::by_op, .calls = {some.begin(), some.end()}}};
  });
  return color;
}

// The group of channels with the steps of these calls. `storage`: of the color.
Planned planned_of(const Globals& globals, std::span<const Call> calls, Depth storage, const Group& group) {
  if (group.is_color) {
    Planned color = color_of(globals, calls);
    color.storage = storage;
    return color;
  }
  Planned planned{.channels = names_of(group), .storage = group.depth, .steps = {}};
  add_steps(globals, calls, planned, [&](std::span<const Call> some) {
    return group.has_ids() ? steps_of_ids(some, group)
                           : steps_beside_color(some, is_applied(globals.passes.apply_to, group));
  });
  return planned;
}

// Adds the levels of an image that is enlarged before them, as a step of its own.
void add_levels_in_frame(const Globals& globals, const Call& levels, Size enlarged, Depth storage, const Group& group,
                         Planned& planned) {
  planned.size_before_levels = enlarged;
  std::erase_if(planned.steps, [](const Step& step) { return step.calls.empty(); });
  std::ranges::move(planned_of(globals, {&levels, 1}, storage, group).steps, std::back_inserter(planned.steps));
}

// Throws Error(Exit::usage) if the output cannot hold a result with these windows. `picture`: the image as read, without dropped
// channels; becomes the result, without texels.
void check_output(const ChainRequest& chain, const ConversionPlan& way, const std::string& input, const Windows& result,
                  Picture& picture) {
  const Windows written = written_windows(chain, way.job, input, result);
  name_result(chain, way, picture);
  picture.data_window = written.data;
  picture.display_window = written.display;
  for (Group& group : picture.groups) {
    group.levels.clear();
    group.levels.push_back({.size = picture.size(), .texels = {}});
  }
  check_size(input, picture.size(), input, picture.size(), chain.input.assembly);
  check_can_hold(*way.job.format, picture, encode_options(way, chain, picture));
}

std::vector<Planned> groups_of_file(const Request& request, std::vector<std::string>& notes) {
  const Globals& globals = request.globals;
  const std::string& input = request.inputs.files.front().path;
  JobReport ignored;
  refuse_folder(input);
  const ChainRequest chain = chain_request_of(request);
  const size_t count = calls_before_cut(request.calls, globals.input.assembly);
  if (count > 0 && count < request.calls.size())
    notes.push_back(fmt::format("faces    the calls after `{}` run on each face; their passes are shown for one face",
                                request.calls[count - 1].text()));
  InputImages images = read_pictures(input, input_settings_of(chain), ignored);
  if (!images.others.names.empty())
    notes.push_back(fmt::format("parts    the chain works on part `{}`; {}: {}", images.others.name,
                                globals.encoding.drop_parts ? "dropped" : "an EXR output gets copies of",
                                fmt::join(images.others.names, ", ")));
  Picture picture = std::move(images.pictures.front());
  std::vector<std::string> dropped = take_named_channels(chain, picture).dropped;
  const Job job = first_job_of(request);
  JobReport of_content;
  crop_to_content(chain, input, picture, of_content);
  for (const std::vector<std::string>& texts : {of_content.notes, of_content.warnings})
    for (const std::string& text : texts) notes.push_back("content  " + text);
  if (sheet_of(chain.calls)) prepare_cell(chain.calls, input, chain.input.limits.texel_count, picture);
  check_apply_to(globals.passes.apply_to, picture);
  check_requirements(chain, picture);
  const ConversionPlan way = planned_conversion(chain, job, picture);
  if (job.writes_picture) check_output_keeps_ids(chain, *job.format, way.output_depth, picture);
  std::vector<Call> calls = request.calls;
  set_windows(chain, job, input, picture, calls, ignored);
  Windows input_windows{.data = picture.data_window, .display = picture.display_window};  // of the image, or of a face
  if (count > 0) {
    const Size whole = result_size(std::span(calls).first(count), picture.size());
    check_cut(fmt::format("{}: `{}`", input, calls[count - 1].text()), whole, globals.input.assembly);
    const Window face = window_of(size_of_face(whole));
    input_windows = {.data = face, .display = face};
    set_windows(std::span(calls).subspan(count), input_windows);
  }
  const std::vector<Call> of_color =
      calls_of_color(calls, chain.output.primaries, *job.format, picture, globals.input.assembly);
  std::vector<std::string> others = names_of(picture);
  drop_other_channels(chain, *job.format, picture);
  for (const std::string& kept : names_of(picture)) std::erase(others, kept);
  std::ranges::move(others, std::back_inserter(dropped));
  const Job job_of_levels = job_for_levels(calls, job, picture);
  check_levels(job_of_levels, result_level_count(calls, picture.size()));
  const LevelFrame frame = level_frame_of(calls, job_of_levels, picture);
  const auto without_levels = [&](std::span<const Call> all) {
    return all.first(all.size() - (frame.is_needed() ? 1 : 0));
  };
  name_alpha(picture.groups.front(), has_alpha_behind(calls, picture.groups.front().has_alpha()));
  std::ranges::move(drop_namesakes(picture), std::back_inserter(dropped));  // as far as known without texels
  split_groups(globals.passes.apply_to, picture);
  const Group& color = picture.groups.front();
  const Depth storage = storage_of(chain, color.depth, way.output_depth);
  std::vector<Planned> groups;
  for (const Group& group : picture.groups) {
    const std::vector<Call>& own = group.is_color ? of_color : calls;
    Planned& planned = groups.emplace_back(planned_of(globals, without_levels(own), storage, group));
    planned.size = picture.size();
    if (frame.is_needed())
      add_levels_in_frame(globals, frame.levels_of(own.back()), size_of(frame.enlarged), storage, group, planned);
  }
  if (job.writes_picture) {
    const std::span<const Call> last = std::span(calls).subspan(count);  // those that run on the written image or face
    check_output(chain, way, input, result_windows(last, input_windows), picture);
  }
  if (!dropped.empty()) groups.push_back({.channels = std::move(dropped), .steps = {}, .is_dropped = true});
  return groups;
}

Plan plan_of(const Step& step, const PlanInput& input, const DeviceTraits& traits, const ChainOptions& options) {
  if (step.route == Route::by_nearest) return {};
  TilingDecision decision = decide_tiling(step.calls, input, traits, options);
  std::vector<std::string>& choices = decision.whole.choices;
  const std::vector<StageFormats> formats = formats_of(decision.stages, input, traits);
  const bool has_no_pass =
      !decision.stages.empty() && std::ranges::all_of(decision.stages, &Stage::moves) &&
      std::ranges::all_of(formats, [](const StageFormats& format) { return format.begin == format.end; });
  if (has_no_pass) {
    decision.whole.images.clear();
    decision.whole.passes.clear();
    choices.push_back(fmt::format("texels are moved on the CPU, without a pass: {}", decision.limit));
  } else if (!decision.bands.empty()) choices.push_back(fmt::format("in bands of rows: {}", decision.bands));
  else if (!decision.limit.empty()) choices.push_back(fmt::format("tiled: {}", decision.limit));
  else if (decision.is_watched)
    choices.push_back(fmt::format("tiled if one submission would take more than {} ms", options.most_ms));
  return std::move(decision.whole);
}

std::string text_of(const ExplainedGroup& group) {
  std::string text;
  if (!group.channels.empty())
    text += fmt::format("channels {}{}\n", fmt::join(group.channels, " "),
                        group.is_dropped      ? " are dropped"
                        : group.steps.empty() ? " stay as they are"
                                              : "");
  for (const auto& [step, plan] : group.steps) {
    if (step.route == Route::by_op) text += explain(plan, step.calls);
    else
      for (const Call& call : step.calls) text += fmt::format("nearest  `{}` copies the nearest texels\n", call.text());
  }
  return text;
}

}  // namespace

Explained plans_of(const Request& request) {
  check_globals_have_effect(
      request,
      [](const Global& global) {
        return global.name != "report" && global.name != "depfile" && global.name != "journal" &&
               global.name != "resume" && global.name != "progress" && global.name != "progress-file" &&
               global.name != "timing";
      },
      "with --explain and `shader`, which run nothing; leave it out");
  const Globals& globals = request.globals;
  if (globals.passes.verify) check_references(request.calls);
  const std::vector<Input>& inputs = request.inputs.files;
  if (globals.size && !inputs.empty())
    fail(Exit::usage, "--size {}x{} is for --explain and `shader` without an input; leave it out, {} has a size",
         globals.size->width, globals.size->height, inputs.front().path);
  Explained explained{.traits = {}, .groups = {}};
  const std::vector<Planned> planned = inputs.empty() ? std::vector<Planned>{color_of(globals, request.calls)}
                                                      : groups_of_file(request, explained.notes);
  explained.traits = traits_for(globals.device);
  const ChainOptions options = chain_options(globals.device, explained.traits);
  for (const Planned& group : planned) {
    Size size = group.size;
    ExplainedGroup& made = explained.groups.emplace_back(
        ExplainedGroup{.channels = group.channels, .steps = {}, .is_dropped = group.is_dropped});
    for (size_t index = 0; index < group.steps.size(); ++index) {
      const Step& step = group.steps[index];
      if (index == group.first_of_face) size = size_of_face(size);
      if (makes_levels(step.calls)) size = group.size_before_levels.value_or(size);
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
  check_options_have_effect(request);
  check_output_names(request);
  if (request.inputs.is_batch && request.inputs.files.empty()) return text + "no plan, because there is no input\n";
  const Explained explained = plans_of(request);
  for (const std::string& note : explained.notes) text += printable(note) + "\n";
  text += fmt::format("device   {}\n", explained.traits.name);
  for (const ExplainedGroup& group : explained.groups) text += text_of(group);
  return text;
}

}  // namespace gpupost
