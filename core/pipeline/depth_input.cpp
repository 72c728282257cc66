#include "core/pipeline/depth_input.h"

#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/image/channel_names.h"
#include "core/ops/shared/nearest.h"
#include "core/ops/shared/second_pictures.h"
#include "core/pipeline/channel_lookup.h"
#include "core/pipeline/job.h"
#include "core/pipeline/prefetch.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace gpupost {

namespace {

// The channel of --depth; else Z; else the only channel of a depth file.
ChannelPlace channel_of(const Call& call, const std::string& input, const Picture& picture) {
  const std::vector<NamedChannel> channels = channels_of(picture);
  const std::string& asked = call.word("depth");
  const auto found = std::ranges::find(channels, asked.empty() ? "Z" : asked, &NamedChannel::name);
  if (found != channels.end()) return found->place;
  const bool is_depth_file = !call.word("depth-file").empty();
  if (asked.empty() && is_depth_file && channels.size() == 1) return channels.front().place;
  fail(Exit::usage, "{}: {} has no channel {} for the depth; it has {}; choose one with --depth{}", call.op->name,
       input, asked.empty() ? "Z" : asked, fmt::join(names_of(picture), ", "),
       is_depth_file ? ", or another part of the file with --depth-part" : ", or --depth-file");
}

Plane plane_of(const ChannelPlace& place) {
  const Size size = place.group->levels[0].size;
  Plane plane{.size = size, .values = std::vector<double>(texel_count(size))};
  parallel_ranges(size.height, 16, [&](int begin, int end) {
    for (size_t at = size_t(begin) * size_t(size.width); at < size_t(end) * size_t(size.width); ++at)
      plane.values[at] = number_at(place, at);
  });
  return plane;
}

Plane read_depth(const Call& call, const Picture& picture, std::string_view frame, const InputSettings& settings,
                 JobReport& report) {
  const std::string path = fill_frame(call.word("depth-file"), frame);
  if (path.empty()) return plane_of(channel_of(call, "the image", picture));
  InputSettings of_file = settings;  // part, layer, level and faces apply only to the input
  of_file.part = call.word("depth-part");
  of_file.layer.clear();
  of_file.level = 0;
  of_file.is_data = true;
  of_file.assembly = Assembly::none;
  DecodeWorker worker(DecodeWorker::Life::one_file);
  const Picture file = read_file_of_call(worker, path, call.word("depth-file"), "--depth-part", of_file, report);
  Plane plane = plane_of(channel_of(call, path, file));
  if (plane.size != picture.size())
    fail(Exit::usage, "{}: --depth-file {} is {} x {}; expected {} x {}, the size of the image", call.op->name, path,
         plane.size.width, plane.size.height, picture.size().width, picture.size().height);
  check_same_place(call, path, {picture.data_window, picture.display_window}, {file.data_window, file.display_window});
  return plane;
}

// A point op for all channels, applied to depth: only `nan`.
void mend(std::span<float> numbers, const Call& call) {
  const auto texel = call.op->point->texel(call, {});
  for (float& number : numbers) number = float(texel({double(number), 0, 0, 1})[0]);
}

// The depth after the calls before `dof` have moved it. Distances must not be averaged, so each texel takes the
// nearest.
Plane moved(Plane plane, std::span<const Call> before) {
  const std::vector<Call> moving = calls_for_other_channels(before);
  Group group{.channels = {Channel{.name = "depth"}}, .depth = Depth::u32};  // float bits, moved like ids
  Level& level = group.levels.emplace_back(Level{plane.size, TexelBuffer(texel_count(plane.size) * 4 * sizeof(float))});
  for (size_t index = 0; index < plane.values.size(); ++index)
    for (size_t component = 0; component < 4; ++component)
      level.texels.as<float>()[4 * index + component] = float(plane.values[index]);
  for (const Call& call : moving) {
    if (call.op->point) mend(group.levels[0].texels.as<float>(), call);
    else follow_by_nearest(group, {&call, 1});
  }
  group.depth = Depth::f32;
  return plane_of({.group = &group, .component = 0});
}

}  // namespace

void read_depths(std::vector<Call>& calls, const Picture& picture, std::string_view frame,
                 const InputSettings& settings, JobReport& report) {
  for (size_t index = 0; index < calls.size(); ++index) {
    Call& call = calls[index];
    if (!call.op->needs(call).depth) continue;
    const std::span<const Call> before = std::span(calls).first(index);
    const auto dropping = std::ranges::find_if(before, [](const Call& one) {
      return makes_content({&one, 1}, Content::luminance);
    });
    if (dropping != before.end() && call.word("depth-file").empty())
      fail(Exit::usage, "{}: `{}` before it drops all channels but Y, also depth; put `{}` before `{}`", call.op->name,
           dropping->op->name, call.op->name, dropping->op->name);
    const Size size = result_size(before, picture.size());
    auto depth = std::make_shared<Plane>(moved(read_depth(call, picture, frame, settings, report), before));
    if (depth->size != size)
      fail(Exit::usage,
           "{}: the depth is {} x {}, but the image is {} x {} here; put ops that change only the size of the color "
           "after it",
           call.op->name, depth->size.width, depth->size.height, size.width, size.height);
    call.depth = std::move(depth);
  }
}

}  // namespace gpupost
