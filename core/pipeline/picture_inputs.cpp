#include "core/pipeline/picture_inputs.h"

#include "core/base/error.h"
#include "core/image/to_working.h"
#include "core/pipeline/prefetch.h"

#include <utility>

namespace gpupost {

static InputPicture read_input(DecodeWorker& worker, const std::string& path, bool is_data,
                               const InputSettings& of_chain, Depth storage, JobReport& report) {
  InputSettings settings{.is_data = is_data,
                         .flatten = of_chain.flatten,
                         .limits = of_chain.limits,
                         .requires_sandbox = of_chain.requires_sandbox};
  JobReport ignored;
  Picture picture = std::move(read_pictures(worker, path, settings, ignored).pictures.front());
  if (!picture.groups.front().is_color)
    fail(Exit::usage, "{}: the picture has no color; expected channels R, G and B, or Y, of floats", path);
  if (is_data) {
    picture.groups.front().is_data = true;
    picture.transfer = Transfer::linear;
  } else if (const std::optional<Primaries> primaries = other_primaries(picture)) {
    make_working(picture, Depth::f32);
    make_rec709(picture, *primaries);
  }
  if (const size_t clamped = make_working(picture, storage))
    report.add_warning(fmt::format("{}: {} values over 65504 were clamped to it on their way to half", path, clamped));
  Group& color = picture.groups.front();
  return {.picture = {.size = picture.size(),
                      .windows = {.data = picture.data_window, .display = picture.display_window},
                      .has_alpha = color.has_alpha(),
                      .depth = storage},
          .texels = std::make_shared<const Level>(std::move(color.levels.front()))};
}

void PictureInputs::give(std::vector<Call>& calls, const Job& job, const InputSettings& settings, Depth storage,
                         JobReport& report) {
  std::map<Key, InputPicture> given;
  DecodeWorker of_all(DecodeWorker::Life::one_file);  // it is read once, so no process needs to wait
  for (Call& call : calls) {
    const Needs needs = call.op->needs(call);
    const Depth depth = needs.pictures_are_data ? Depth::f32 : storage;
    for (const std::string& name : needs.pictures) {
      const std::string path = fill_frame(name, job.frame);
      DecodeWorker& worker = path == name ? of_all : of_frames_;
      const Key key{path, needs.pictures_are_data};
      const auto before = kept_.find(key);
      if (before != kept_.end() && before->second.picture.depth == depth) given.insert(*before);
      if (!given.contains(key)) given.emplace(key, read_input(worker, path, key.second, settings, depth, report));
      call.inputs.push_back(given.at(key));
    }
  }
  of_all_count_ += of_all.started_count();
  kept_ = std::move(given);
}

}  // namespace gpupost
