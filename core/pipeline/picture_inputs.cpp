#include "core/pipeline/picture_inputs.h"

#include "core/base/error.h"
#include "core/image/channel_names.h"
#include "core/image/to_working.h"
#include "core/pipeline/job.h"
#include "core/pipeline/prefetch.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace gpupost {

// `name`: for warnings.
static InputPicture read_input(DecodeWorker& worker, const NeededPicture& file, const std::string& name,
                               const Primaries& wanted, const InputSettings& of_chain, Depth storage,
                               JobReport& report) {
  const std::string& path = file.path;
  const bool is_data = file.is_data;
  InputSettings settings{.is_data = is_data,
                         .flatten = of_chain.flatten,
                         .limits = of_chain.limits,
                         .requires_sandbox = of_chain.requires_sandbox};
  Picture picture = read_file_of_call(worker, path, name, "", settings, report);
  if (!picture.groups.front().is_color) {
    const std::vector<std::string> layers = layers_with_color(picture);
    if (layers.size() != 1)
      fail(Exit::usage, "{}: the image has no color; expected float channels R, G and B, or Y{}", path,
           layers.empty() ? ""
                          : fmt::format("; write one of its layers {} to a file with --layer and --drop-channels",
                                        fmt::join(layers, ", ")));
    settings.layer = layers.front();
    picture = read_file_of_call(worker, path, name, "", settings, report);
  }
  if (file.needs_float && !is_float(picture.groups.front().depth))
    fail(Exit::usage, "{}: holds integers; expected half or float, for values from -1 to 1", path);
  picture.groups.front().is_data = is_data;  // the op decides, not the file
  if (is_all_hidden(picture)) report.add_warning(fmt::format("{}: {}", name, all_hidden_warning));
  if (is_data) {
    picture.transfer = Transfer::linear;
  } else if (const Primaries own = other_primaries(picture).value_or(rec709); !are_same(own, wanted)) {
    make_working(picture, Depth::f32);
    convert_primaries(picture, {.from = own, .to = wanted});
  }
  if (const size_t clamped = make_working(picture, storage))
    report.add_warning(
        fmt::format("{}: number of values above 65504 that were clamped to it for half: {}", name, clamped));
  Group& color = picture.groups.front();
  return {.picture = {.size = picture.size(),
                      .windows = {.data = picture.data_window, .display = picture.display_window},
                      .has_alpha = color.has_alpha(),
                      .depth = storage},
          .texels = std::make_shared<const Level>(std::move(color.levels.front()))};
}

void PictureInputs::give(std::vector<Call>& calls, std::span<const Primaries> at_calls, std::string_view frame,
                         const InputSettings& settings, Depth storage, JobReport& report) {
  std::vector<Kept> given;
  DecodeWorker of_all(DecodeWorker::Life::one_file);  // it is read once, so no process needs to wait
  for (size_t index = 0; index < calls.size(); ++index)
    for (const NeededPicture& needed : calls[index].op->needs(calls[index]).pictures) {
      const NeededPicture file{.path = fill_frame(needed.path, frame),
                               .is_data = needed.is_data || settings.is_data || makes_content(calls, Content::data),
                               .needs_float = needed.needs_float};
      const Primaries& primaries = at_calls[index];
      const Depth depth = file.is_data ? Depth::f32 : storage;
      const auto is_same = [&](const Kept& kept) {
        return kept.file.path == file.path && kept.file.is_data == file.is_data &&
               kept.file.needs_float == file.needs_float && (file.is_data || are_same(kept.primaries, primaries)) &&
               kept.picture.picture.depth == depth;
      };
      auto found = std::ranges::find_if(given, is_same);
      if (found == given.end()) {
        const auto before = std::ranges::find_if(kept_, is_same);
        DecodeWorker& worker = file.path == needed.path ? of_all : of_frames_;
        if (before != kept_.end()) {
          given.push_back(*before);
        } else {
          JobReport of_file;
          InputPicture picture = read_input(worker, file, needed.path, primaries, settings, depth, of_file);
          given.push_back({file, primaries, std::move(picture), std::move(of_file.warnings)});
        }
        found = std::prev(given.end());
        for (const std::string& warning : found->warnings) report.add_warning(warning);
      }
      if (file.is_data && !needed.is_data && found->picture.picture.has_alpha)
        fail(Exit::usage,
             "{}: {} has alpha, which is data in this chain; write it without alpha, with `channels --list R,G,B`",
             calls[index].op->name, file.path);
      if (!needed.alpha_option.empty() && !found->picture.picture.has_alpha)
        report.add_warning(
            fmt::format("{} {}: {} has no alpha and is taken as opaque; to use its gray as alpha, first write it to "
                        "an EXR or a PNG with `channels --list R,R,R,R --input-transfer linear`",
                        calls[index].op->name, needed.alpha_option, needed.path));
      calls[index].inputs.push_back(found->picture);
    }
  of_all_count_ += of_all.started_count();
  kept_ = std::move(given);
}

}  // namespace gpupost
