// Runs a plan: upload, passes and download in one submission.
#include "core/gpu/gpu.h"

#include "core/base/stopwatch.h"
#include "core/base/threads.h"
#include "core/gpu/download.h"
#include "core/gpu/state.h"
#include "core/plan/copy.h"
#include "core/plan/strips.h"
#include "core/plan/tiling.h"

#include <algorithm>
#include <cstring>

namespace gpupost {

Gpu::State::State(const DeviceInfo& info) : device(info), pipelines(device) {
  const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                          .queueFamilyIndex = device.queue_family()};
  VkCommandPool handle = nullptr;
  check(vkCreateCommandPool(device.handle(), &pool_info, nullptr, &handle), "vkCreateCommandPool");
  pool = {device.handle(), handle, vkDestroyCommandPool};
}

TimeLimit Gpu::State::time_limit(const Plan& plan, int repeats) const {
  constexpr double seconds_per_read = 1e-6;  // 100 times the time of llvmpipe
  const bool has_users =
      std::ranges::any_of(plan.passes, [](const Pass& pass) { return author_of(pass) == Author::user; });
  const double base = has_users ? Device::users_seconds : Device::usual_seconds;
  return device.time_limit(repeats * (base + seconds_per_read * reads_of(plan)));
}

void Gpu::keep_memory(bool is_on) { state_->device.pool().keep(is_on); }

void Gpu::allow_seconds(double seconds) { state_->device.allow_seconds(seconds); }

Gpu::Gpu(const DeviceInfo& device) : state_(std::make_unique<State>(device)) {}
Gpu::Gpu(Gpu&&) noexcept = default;
Gpu::~Gpu() = default;

const DeviceInfo& Gpu::info() const { return state_->device.info(); }

void Gpu::prepare(std::span<const Plan> plans) {
  std::vector<Pass> passes;
  for (const Plan& plan : plans) passes.insert(passes.end(), plan.passes.begin(), plan.passes.end());
  state_->pipelines.prepare(passes);
}

// The base level as a buffer that the device can read: the host's pages themselves if the device can import them.
static Buffer upload_buffer(const Device& device, const Level& base) {
  const DeviceType type = device.info().traits.type;
  if (type == DeviceType::cpu || type == DeviceType::integrated) {
    Buffer imported = Buffer::import(device, base.texels.bytes(), "upload (imported)");
    if (imported.handle()) return imported;
  }
  Buffer staging(device, base.texels.size(), Buffer::Use::upload, "upload");
  parallel_ranges(int(base.texels.size() >> 12) + 1, 4096, [&](int begin, int end) {
    const size_t from = size_t(begin) << 12, to = std::min(base.texels.size(), size_t(end) << 12);
    std::memcpy(staging.mapped() + from, base.texels.data() + from, to - from);
  });
  staging.flush(device);
  return staging;
}

// Compiles the pipelines of the plan. Returns the time in ms.
static double prepare_timed(Gpu& gpu, const Plan& plan) {
  const Stopwatch watch;
  gpu.prepare({&plan, 1});
  return watch.milliseconds();
}

// Exceeding the allocation limit is a usage error that drivers need not detect.
static void check_allocations(const Device& device, const Plan& plan) {
  const DeviceInfo& info = device.info();
  constexpr size_t most_others = 6;  // upload, statistics and bounds buffers, and the downloads of all of them
  size_t count = plan.images.size() + plan.sources.size() * 2 + most_others;
  for (const Pass& pass : plan.passes)
    count += size_t(pass.memory.scratch_bytes > 0) + size_t(table_size(pass) > 0) + size_t(!point_tables(pass).empty());
  if (count > size_t(info.max_allocations))
    throw OutOfDeviceMemory(
        fmt::format("{} allows {} memory allocations, and the chain needs {} (split it into several runs)",
                    info.traits.name, info.max_allocations, count));
  const size_t memory = info.traits.memory.total_bytes;
  const bool is_too_much = memory > 0 && device.pool().bytes() + bytes_of(plan) > memory;
  if (is_too_much || count + device.pool().block_count() > size_t(info.max_allocations)) device.pool().clear();
}

static bool writes_input(const Plan& plan) {
  return std::ranges::any_of(plan.passes, [](const Pass& pass) {
    return pass.target.image == 0 || std::ranges::find(pass.more_targets, 0) != pass.more_targets.end();
  });
}

namespace {

// The images of a run. On a CPU device the input and the result are in the host's memory, so that nothing is copied.
struct RunImages {
  // `is_given`: passes may overwrite the base.
  RunImages(const Device& device, const Plan& plan, const Level& base, bool is_given, bool downloads) {
    for (int index = 0; index < int(plan.images.size()); ++index) {
      const PlanImage& image = plan.images[size_t(index)];
      const std::string name = fmt::format("image {}", index);
      std::optional<Image> on_host;
      if (index == 0 && (is_given || !writes_input(plan)))
        on_host = Image::on_texels(device, image, name, base.texels.bytes());
      if (index == 0) has_input = on_host.has_value();
      if (!on_host && downloads && index == plan.result_image) on_host = Image::on_pages(device, image, name);
      images.push_back(on_host ? std::move(*on_host) : Image(device, image, name));
    }
  }

  std::vector<Image> images;
  bool has_input = false;  // image 0 is the base itself
};

// Submits work that overwrites its input, so that nothing may try again.
void submit_once(const Device& device, Recording& recording, const TimeLimit& limit) {
  try {
    submit(device, recording, limit);
  } catch (const Error& error) {
    throw Error(error.code(), error.what());
  }
}

}  // namespace

RunResult Gpu::run(const Plan& plan, const Level& base, int first_level) {
  return run(plan, base, first_level, nullptr);
}

RunResult Gpu::run(const Plan& plan, Level&& base, int first_level) { return run(plan, base, first_level, &base); }

RunResult Gpu::run(const Plan& plan, const Level& base, int first_level, Level* given) {
  const Device& device = state_->device;
  device.pool().start_run();
  check_allocations(device, plan);
  const double compile_ms = prepare_timed(*this, plan);
  const bool downloads = first_level < plan.images[size_t(plan.result_image)].level_count;
  const auto [images, has_input] = RunImages(device, plan, base, given != nullptr, downloads);
  const bool is_in_place = has_input && writes_input(plan);
  const PlanBuffers buffers = state_->create_buffers(plan);
  const Buffer upload = has_input ? Buffer() : upload_buffer(device, base);
  const bool is_result_base = is_in_place && plan.result_image == 0;
  const Download download(device, images[size_t(plan.result_image)], is_result_base ? 1 : first_level);
  const BufferDownload counts(device, plan);

  const std::vector<Buffer> sources = state_->source_buffers(plan);
  const int dispatch_count = int(dispatches_of(plan).size());
  Clock clock(device, int(plan.passes.size()) + 2, dispatch_count + 2);
  Recording recording(device, state_->pool);
  const VkCommandBuffer commands = recording.commands();
  for (const Image& image : images) ready(commands, image);
  state_->fill_buffers(commands, plan, buffers);
  clock.begin(commands);
  if (!has_input) {
    const VkBufferImageCopy whole = whole_level(plan.images[0], 0, 0);
    vkCmdCopyBufferToImage(commands, upload.handle(), images[0].handle(), VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
  }
  state_->upload_sources(commands, plan, sources, images);
  barrier(commands);
  clock.tick(commands);
  state_->pipelines.begin(dispatch_count);
  state_->record(commands, plan, images, buffers, &clock);
  counts.record(commands, buffers);
  download.record(commands);
  clock.tick(commands);
  if (is_in_place) submit_once(device, recording, state_->time_limit(plan));
  else submit(device, recording, state_->time_limit(plan));
  counts.check_bounds(plan);

  const std::vector<double> steps = clock.milliseconds();
  std::vector<Level> levels = download.levels();
  if (is_result_base && downloads) levels.push_back(std::move(*given));
  return {.levels = std::move(levels),
          .statistics = counts.statistics(),
          .times = {.compile_ms = compile_ms,
                    .upload_ms = steps.front(),
                    .download_ms = steps.back(),
                    .pass_ms = {steps.begin() + 1, steps.end() - 1}}};
}

double Gpu::copy_speed(Size size, Depth depth) {
  constexpr int copy_count = 6;
  Plan plan;
  plan.images = {{.size = size, .depth = depth}, {.size = size, .depth = depth}};
  plan.passes.assign(copy_count, copy_pass(size, state_->device.info().traits.type));
  const Device& device = state_->device;
  const std::vector<Image> images = state_->create_images(plan.images);
  const PlanBuffers buffers = state_->create_buffers(plan);
  Clock clock(device, copy_count);
  Recording recording(device, state_->pool);
  for (const Image& image : images) ready(recording.commands(), image);
  clock.begin(recording.commands());
  state_->pipelines.begin(copy_count);
  state_->record(recording.commands(), plan, images, buffers, &clock);
  submit(device, recording);
  const std::vector<double> steps = clock.milliseconds();
  const double best = *std::min_element(steps.begin(), steps.end());
  return best > 0 ? 2.0 * double(texel_count(size) * 4 * bytes_of(depth)) / best * 1e-6 : 0;
}

}  // namespace gpupost
