// Times a plan: many repeats on images that no cache holds, directly after work that raises the clocks.
#include "core/gpu/timing.h"
#include "core/base/math.h"
#include "core/gpu/download.h"
#include "core/gpu/gpu.h"
#include "core/gpu/state.h"
#include "core/plan/copy.h"
#include "core/plan/strips.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace gpupost {

// --- copies of a picture to go round ----------------------------------------------------------------------------------

struct ImageSets::State {
  std::vector<PlanImage> plan;
  std::vector<int> sources;  // images of second inputs
  std::vector<std::vector<Image>> sets;
};

ImageSets::ImageSets(std::unique_ptr<State> state) : state_(std::move(state)) {}
ImageSets::ImageSets(ImageSets&&) noexcept = default;
ImageSets& ImageSets::operator=(ImageSets&&) noexcept = default;
ImageSets::~ImageSets() = default;

int ImageSets::count() const { return int(state_->sets.size()); }
static std::vector<int> sources_of(const Plan& plan) {
  std::vector<int> images;
  for (const PlanSource& source : plan.sources) images.push_back(source.image);
  return images;
}

bool ImageSets::are_for(const Plan& plan) const {
  return state_->plan == plan.images && state_->sources == sources_of(plan);
}

Summary summary_of(std::vector<double> milliseconds) {
  if (milliseconds.empty()) return {};
  std::ranges::sort(milliseconds);
  const size_t count = milliseconds.size();
  return {.min_ms = milliseconds.front(),
          .median_ms = (milliseconds[(count - 1) / 2] + milliseconds[count / 2]) / 2,
          .max_ms = milliseconds.back(),
          .count = int(count)};
}

int rotation_count(size_t set_bytes, size_t cache_bytes, size_t memory_bytes) {
  constexpr size_t least = 2, most = 512;
  const size_t needed = std::clamp(2 * cache_bytes / set_bytes + 1, least, most);
  return int(std::max<size_t>(1, std::min(needed, memory_bytes / 2 / set_bytes)));
}

// The largest cache that could hold a copy of an image.
static size_t cache_bytes(DeviceType type) {
  constexpr size_t of_gpu = 64 << 20;  // larger than any; an H100 has 50 MB
  if (type != DeviceType::cpu) return of_gpu;
  size_t largest = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/cpu/cpu0/cache", error)) {
    std::ifstream stream(entry.path() / "size");
    size_t kibibytes = 0;  // "307200K"
    if (stream >> kibibytes) largest = std::max(largest, kibibytes << 10);
  }
  return largest ? largest : of_gpu;
}

// Uploads `base` to level 0 in bands, because one buffer could be too large.
static void upload_in_bands(const Device& device, VkCommandPool pool, const Image& image, const Level& base) {
  constexpr size_t band_bytes = 256 << 20;
  const size_t row_bytes = base.texels.size() / size_t(base.size.height);
  const int band_rows = int(std::clamp<size_t>(band_bytes / row_bytes, 1, size_t(base.size.height)));
  const Buffer staging(device, row_bytes * size_t(band_rows), Buffer::Use::upload, "upload");
  for (int row = 0; row < base.size.height; row += band_rows) {
    const int rows = std::min(band_rows, base.size.height - row);
    std::memcpy(staging.mapped(), base.texels.data() + row_bytes * size_t(row), row_bytes * size_t(rows));
    staging.flush(device);
    Recording recording(device, pool);
    if (row == 0) ready(recording.commands(), image);
    VkBufferImageCopy copy = whole_level(image.plan(), 0, 0);
    copy.imageOffset.y = row;
    copy.imageExtent.height = uint32_t(rows);
    vkCmdCopyBufferToImage(recording.commands(), staging.handle(), image.handle(), VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
    barrier(recording.commands());
    submit(device, recording);
  }
}

// Copies the image of the first set to the other sets with passes. On an H100, vkCmdCopyImage takes ten times as long.
static void fill_others(Gpu::State& gpu, const std::vector<std::vector<Image>>& sets) {
  Recording recording(gpu.device, gpu.pool);
  const Pass pass = copy_pass(sets[0][0].plan().size, gpu.device.info().traits.type);
  gpu.pipelines.begin(int(sets.size()));
  for (size_t set = 0; set < sets.size(); ++set)
    for (size_t index = 0; index < sets[set].size(); ++index)
      if (set + index > 0) ready(recording.commands(), sets[set][index]);
  for (size_t set = 1; set < sets.size(); ++set) {
    gpu.pipelines.bind(recording.commands(), pass, {.source = sets[0][0].view(0), .targets = {sets[set][0].view(0)}});
    vkCmdDispatch(recording.commands(), uint32_t(pass.grid.count[0]), uint32_t(pass.grid.count[1]), 1);
  }
  barrier(recording.commands());
  submit(gpu.device, recording);
}

ImageSets Gpu::image_sets(const Plan& plan, const Level& base) {
  size_t bytes = 0;
  for (const PlanImage& image : plan.images) bytes += bytes_of(image);
  auto made = std::make_unique<ImageSets::State>(
      ImageSets::State{.plan = plan.images, .sources = sources_of(plan), .sets = {}});
  const int most_sets = std::max(1, info().max_allocations / 2 / int(plan.images.size()));
  const int count = std::min(rotation_count(bytes, cache_bytes(info().traits.type), info().memory_bytes), most_sets);
  for (int set = 0; set < count; ++set) made->sets.push_back(state_->create_images(plan.images));
  upload_in_bands(state_->device, state_->pool, made->sets[0][0], base);
  fill_others(*state_, made->sets);
  const std::vector<Buffer> sources = state_->source_buffers(plan);
  Recording recording(state_->device, state_->pool);
  for (const std::vector<Image>& images : made->sets)
    state_->upload_sources(recording.commands(), plan, sources, images);
  barrier(recording.commands());
  submit(state_->device, recording);
  return ImageSets(std::move(made));
}

// --- measuring --------------------------------------------------------------------------------------------------------

namespace {

// Number of warm-up repeats and timed repeats.
struct Repeats {
  int warm = 1;
  int timed = 3;
};

struct Times {
  double warm_up_ms = 0;
  std::vector<double> repeat_ms;
};

// Runs the warm-up and then the timed repeats in one submission. Each repeat uses the next set.
Times take_times(Gpu::State& gpu, const Plan& plan, std::span<const std::vector<Image>> sets,
                 const PlanBuffers& buffers, Repeats repeats) {
  const int set_count = int(sets.size());
  const int lap = std::min(repeats.warm, set_count);
  const auto set = [&](int repeat) -> const std::vector<Image>& { return sets[size_t(repeat % set_count)]; };
  Clock clock(gpu.device, 2 * repeats.timed);
  Recording start(gpu.device, gpu.pool), warm_up(gpu.device, gpu.pool, true), timed(gpu.device, gpu.pool);
  gpu.pipelines.begin((lap + repeats.timed) * int(dispatches_of(plan).size()));
  gpu.fill_buffers(start.commands(), plan, buffers);
  clock.begin(start.commands());
  for (int repeat = 0; repeat < lap; ++repeat) gpu.record(warm_up.commands(), plan, set(repeat), buffers, nullptr);
  for (int repeat = 0; repeat < repeats.timed; ++repeat) {
    clock.tick(timed.commands());
    gpu.record(timed.commands(), plan, set(lap + repeat), buffers, nullptr);
    clock.tick(timed.commands());
  }
  for (Recording* recording : {&start, &warm_up, &timed}) recording->end();
  std::vector<VkCommandBuffer> order{start.commands()};
  order.insert(order.end(), size_t(div_ceil(repeats.warm, lap)), warm_up.commands());
  order.push_back(timed.commands());
  submit(gpu.device, order, gpu.time_limit(plan, repeats.warm + lap + repeats.timed));

  const std::vector<double> steps = clock.milliseconds();
  Times times{.warm_up_ms = steps[0], .repeat_ms = {}};
  for (size_t index = 1; index < steps.size(); index += 2) times.repeat_ms.push_back(steps[index]);
  return times;
}

// Checks that passes reset their scratch memory; otherwise the next run would be wrong.
void check_scratch(Gpu::State& gpu, const Plan& plan, std::span<const Buffer> scratch) {
  for (size_t index = 0; index < scratch.size(); ++index) {
    const size_t bytes = plan.passes[index].memory.zeroed_bytes;
    if (bytes == 0) continue;
    const Buffer download(gpu.device, bytes, Buffer::Use::download, "scratch");
    Recording recording(gpu.device, gpu.pool);
    const VkBufferCopy copy{.size = bytes};
    vkCmdCopyBuffer(recording.commands(), scratch[index].handle(), download.handle(), 1, &copy);
    barrier_to_host(recording.commands());
    submit(gpu.device, recording);
    download.invalidate(gpu.device);
    if (std::any_of(download.mapped(), download.mapped() + bytes, [](std::byte byte) { return byte != std::byte(0); }))
      fail(Exit::bug, "{}: does not reset its counters to zero", plan.passes[index].name);
  }
}

}  // namespace

Measurement Gpu::measure(const Plan& plan, const ImageSets& sets, const MeasureOptions& options) {
  if (!info().has_timestamps) fail(Exit::device, "{} has no timestamps, so it cannot be measured", info().traits.name);
  prepare({&plan, 1});
  const PlanBuffers buffers = state_->create_buffers(plan);
  const auto take = [&](Repeats repeats) { return take_times(*state_, plan, sets.state_->sets, buffers, repeats); };
  // if the clock was still low, the estimate is too long and the warm-up too short; repeat with a better estimate
  constexpr int most_tries = 5;
  const auto shortest_ms = [](const Times& times) { return std::max(1e-3, summary_of(times.repeat_ms).min_ms); };
  const auto is_slow = [&](double milliseconds) { return milliseconds > options.slow_ms; };
  Times times = take({});
  for (int tries = 0; tries < most_tries; ++tries) {
    const double guess = shortest_ms(times);
    const int least = is_slow(guess) ? options.least_slow_repeats : options.least_repeats;
    times = take({.warm = int(std::ceil(1.05 * options.warm_up_ms / guess)),
                  .timed = std::clamp(int(options.budget_ms / guess), least, options.most_repeats)});
    const bool has_few = is_slow(guess) && !is_slow(shortest_ms(times));
    if (times.warm_up_ms >= options.warm_up_ms && !has_few) break;
  }
  check_scratch(*state_, plan, buffers.scratch);
  return {.milliseconds = std::move(times.repeat_ms), .set_count = sets.count()};
}

// --- running on the first copy ----------------------------------------------------------------------------------------

// Fills all images except image 0 with a value that no result has, so that texels that a plan does not write are found.
static void fill_with_sentinel(VkCommandBuffer commands, std::span<const Image> images, std::span<const int> sources) {
  constexpr VkClearColorValue one{.float32 = {1, 1, 1, 1}};
  for (size_t index = 0; index < images.size(); ++index) {
    const uint32_t first = index == 0 ? 1 : 0;
    const uint32_t level_count = uint32_t(images[index].plan().level_count);
    if (first == level_count || std::ranges::find(sources, int(index)) != sources.end()) continue;
    const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, first, level_count - first, 0, 1};
    vkCmdClearColorImage(commands, images[index].handle(), VK_IMAGE_LAYOUT_GENERAL, &one, 1, &range);
  }
  barrier(commands);
}

RunResult Gpu::run(const Plan& plan, const ImageSets& sets, int first_level) {
  const std::vector<Image>& images = sets.state_->sets.front();
  const PlanBuffers buffers = state_->create_buffers(plan);
  const Download download(state_->device, images[size_t(plan.result_image)], first_level);
  const BufferDownload counts(state_->device, plan);
  const int dispatch_count = int(dispatches_of(plan).size());
  Clock clock(state_->device, int(plan.passes.size()), dispatch_count);
  Recording recording(state_->device, state_->pool);
  fill_with_sentinel(recording.commands(), images, sets.state_->sources);
  state_->fill_buffers(recording.commands(), plan, buffers);
  state_->pipelines.begin(dispatch_count);
  clock.begin(recording.commands());
  state_->record(recording.commands(), plan, images, buffers, &clock);
  counts.record(recording.commands(), buffers);
  download.record(recording.commands());
  submit(state_->device, recording, state_->time_limit(plan));
  counts.check_bounds(plan);
  return {.levels = download.levels(), .statistics = counts.statistics(), .times = {.pass_ms = clock.milliseconds()}};
}

}  // namespace gpupost
