// Runs a plan: upload, passes and download in one submission.
#include "core/gpu/gpu.h"

#include "core/base/math.h"
#include "core/base/stopwatch.h"
#include "core/base/threads.h"
#include "core/glsl/bounds_checks.h"
#include "core/gpu/state.h"
#include "core/plan/copy.h"
#include "core/plan/strips.h"
#include "core/plan/tiling.h"

#include <algorithm>
#include <cstring>

namespace gpupost {

constexpr size_t bounds_bytes = 256;  // alignment of a pass's range; every device can bind buffers at this alignment

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

static std::string name_of_image(int index) { return fmt::format("image {}", index); }

std::vector<Image> Gpu::State::create_images(std::span<const PlanImage> plan_images) const {
  std::vector<Image> images;
  for (const PlanImage& image : plan_images) images.emplace_back(device, image, name_of_image(int(images.size())));
  return images;
}

// Offset in floats of the tables of a pass's point ops.
static size_t first_point_number(const Pass& pass) { return round_up(pass.table.size(), table_alignment); }

// The tables of a pass's point ops, joined as they follow its own table; empty if there are none.
static Buffer upload_of_point_tables(const Device& device, const Pass& pass) {
  const std::vector<std::span<const float>> tables = point_tables(pass);
  if (tables.empty()) return {};
  const size_t count = table_size(pass) - first_point_number(pass);
  Buffer upload(device, count * sizeof(float), Buffer::Use::upload, pass.name + " tables of point ops");
  size_t begin = 0;
  for (const std::span<const float> numbers : tables) {
    std::memcpy(upload.mapped() + begin * sizeof(float), numbers.data(), numbers.size_bytes());
    begin += round_up(numbers.size(), table_alignment);
  }
  upload.flush(device);
  return upload;
}

PlanBuffers Gpu::State::create_buffers(const Plan& plan) const {
  PlanBuffers buffers;
  const auto buffer = [&](size_t bytes, const std::string& name) {
    return bytes ? Buffer(device, bytes, Buffer::Use::device, name) : Buffer();
  };
  const bool is_short = has_fault("overrun");
  for (const Pass& pass : plan.passes) {
    buffers.scratch.push_back(
        buffer(is_short ? pass.memory.zeroed_bytes : pass.memory.scratch_bytes, pass.name + " scratch"));
    buffers.tables.push_back(buffer(table_size(pass) * sizeof(float), pass.name + " table"));
    buffers.point_tables.push_back(upload_of_point_tables(device, pass));
  }
  if (plan.statistics_bytes)
    buffers.statistics = Buffer(device, plan.statistics_bytes, Buffer::Use::device, "statistics");
  if (device.checks_bounds()) buffers.outside = buffer(plan.passes.size() * bounds_bytes, "counts outside of bounds");
  return buffers;
}

static void upload_table(VkCommandBuffer commands, std::span<const float> table, const Buffer& buffer) {
  constexpr size_t most = 65536 / sizeof(float);  // limit of one vkCmdUpdateBuffer
  for (size_t begin = 0; begin < table.size(); begin += most) {
    const std::span<const float> part = table.subspan(begin, std::min(most, table.size() - begin));
    vkCmdUpdateBuffer(commands, buffer.handle(), begin * sizeof(float), part.size_bytes(), part.data());
  }
}

void Gpu::State::fill_buffers(VkCommandBuffer commands, const Plan& plan, const PlanBuffers& buffers) const {
  for (size_t index = 0; index < buffers.scratch.size(); ++index)
    if (plan.passes[index].memory.zeroed_bytes)
      vkCmdFillBuffer(commands, buffers.scratch[index].handle(), 0, plan.passes[index].memory.zeroed_bytes, 0);
  if (plan.clamped_at >= 0) vkCmdFillBuffer(commands, buffers.statistics.handle(), 0, plan.statistics_bytes, 0);
  for (size_t index = 0; index < buffers.tables.size(); ++index)
    upload_table(commands, plan.passes[index].table, buffers.tables[index]);
  for (size_t index = 0; index < buffers.point_tables.size(); ++index)
    if (const Buffer& from = buffers.point_tables[index]; from.handle()) {
      const VkBufferCopy copy{.dstOffset = first_point_number(plan.passes[index]) * sizeof(float),
                              .size = from.bytes()};
      vkCmdCopyBuffer(commands, from.handle(), buffers.tables[index].handle(), 1, &copy);
    }
  if (buffers.outside.handle()) vkCmdFillBuffer(commands, buffers.outside.handle(), 0, VK_WHOLE_SIZE, 0);
  barrier(commands);
}

std::vector<Buffer> Gpu::State::source_buffers(const Plan& plan) const {
  std::vector<Buffer> buffers;
  for (const PlanSource& source : plan.sources) {
    const PlanImage& image = plan.images[size_t(source.image)];
    const Size size = image.size;
    const Buffer& buffer =
        buffers.emplace_back(device, bytes_of_level(image, 0), Buffer::Use::upload, "upload of an input");
    const size_t row_bytes = size_t(size.width) * bytes_of_texel(image);
    const auto copy_row = [&](int y, std::byte* to) {
      const auto first = [&](Size whole) {
        return size_t(source.corner.y + y) * size_t(whole.width) + size_t(source.corner.x);
      };
      if (const auto* numbers = std::get_if<std::shared_ptr<const Plane>>(&source.texels)) {
        const double* from = &(*numbers)->values[first((*numbers)->size)];
        std::transform(from, from + size.width, reinterpret_cast<float*>(to), [](double n) { return float(n); });
      } else {
        const Level& level = *std::get<std::shared_ptr<const Level>>(source.texels);
        std::memcpy(to, level.texels.data() + first(level.size) * bytes_of_texel(image), row_bytes);
      }
    };
    parallel_ranges(size.height, 16, [&](int begin, int end) {
      for (int y = begin; y < end; ++y) copy_row(y, buffer.mapped() + size_t(y) * row_bytes);
    });
    buffer.flush(device);
  }
  return buffers;
}

void Gpu::State::upload_sources(VkCommandBuffer commands, const Plan& plan, std::span<const Buffer> buffers,
                                std::span<const Image> images) const {
  for (size_t index = 0; index < buffers.size(); ++index) {
    const Image& image = images[size_t(plan.sources[index].image)];
    const VkBufferImageCopy whole = whole_level(image.plan(), 0, 0);
    vkCmdCopyBufferToImage(commands, buffers[index].handle(), image.handle(), VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
  }
}

// The view of a source that a pass reads as words.
static VkImageView words_view(LevelRef source, Words words, std::span<const Image> images) {
  const Image& image = images[size_t(source.image)];
  return are_bits(words) ? image.bits_view(source.level) : image.view(source.level);
}

// The views of the sources that a pass reads from storage images; null for the others.
static std::array<VkImageView, 2> source_words_of(const Pass& pass, std::span<const Image> images) {
  const auto view_of = [&](LevelRef source, Words words) -> VkImageView {
    return words == Words::none ? nullptr : words_view(source, words, images);
  };
  return {pass.words.samples_source ? nullptr : view_of(pass.source, pass.words.source),
          view_of(pass.second, pass.words.second)};
}

static std::vector<LevelBuffer> target_words_of(const Pass& pass, std::span<const Image> images) {
  if (pass.words.targets.empty()) return {};
  std::vector<LevelBuffer> buffers{images[size_t(pass.target.image)].level_buffer(pass.target.level)};
  for (const int image : pass.more_targets) buffers.push_back(images[size_t(image)].level_buffer(0));
  return buffers;
}

void Gpu::State::record(VkCommandBuffer commands, const Plan& plan, std::span<const Image> images,
                        const PlanBuffers& buffers, Clock* clock) {
  if (plan.zeroes_statistics) {
    vkCmdFillBuffer(commands, buffers.statistics.handle(), 0, plan.statistics_bytes, 0);
    barrier(commands);
  }
  for (const auto& [offset, words] : plan.known_statistics)
    vkCmdUpdateBuffer(commands, buffers.statistics.handle(), size_t(offset) * sizeof(uint32_t),
                      words->size() * sizeof(uint32_t), words->data());
  if (!plan.known_statistics.empty()) barrier(commands);
  const size_t pass_count = plan.passes.size();
  const int first_step = clock ? clock->next_step() : 0;
  for (const auto& [index, first, count] : dispatches_of(plan)) {
    const Pass& pass = plan.passes[index];
    Bound bound{
        .source = words_view(pass.source, pass.words.samples_source ? pass.words.source : Words::none, images),
        .second_source = pass.second.image < 0 ? nullptr : images[size_t(pass.second.image)].view(pass.second.level),
        .more_sources = {},
        .targets = {},
        .source_words = source_words_of(pass, images),
        .target_words = target_words_of(pass, images),
        .statistics = buffers.statistics.handle(),
        .scratch = buffers.scratch[index].handle(),
        .table = buffers.tables[index].handle(),
        .table_bytes = buffers.tables[index].bytes(),
        .outside = {buffers.outside.handle(), index * bounds_bytes, bounds_bytes}};
    const auto target = [&](int image, int level) {
      return pass.half_targets.empty() ? images[size_t(image)].view(level) : images[size_t(image)].bits_view(level);
    };
    for (int level = pass.target.level; level < pass.target.level + pass.target.count; ++level)
      bound.targets.push_back(target(pass.target.image, level));
    for (const int image : pass.more_sources) bound.more_sources.push_back(images[size_t(image)].view(0));
    for (const int image : pass.more_targets) bound.targets.push_back(target(image, 0));
    pipelines.bind(commands, pass, bound);
    const bool is_left_out = index > 0 && index + 1 == pass_count && has_fault("pass");
    const auto [x, y] = first;
    const auto [across, down] = count;
    if (!is_left_out && pass.runs_in_strips())
      vkCmdDispatchBase(commands, uint32_t(x), uint32_t(y), 0, uint32_t(across), uint32_t(down), 1);
    else if (!is_left_out) vkCmdDispatch(commands, uint32_t(across), uint32_t(down), 1);
    barrier(commands);
    if (clock) clock->tick(commands, first_step + int(index));
  }
}

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

Download::Download(const Device& device, const Image& image, int first_level)
    : device_(device), image_(image), first_level_(first_level) {
  if (image.is_on_pages()) return;
  size_t bytes = 0;
  for (int level = first_level; level < image.plan().level_count; ++level) {
    copies_.push_back(whole_level(image.plan(), level, bytes));
    bytes += bytes_of_level(image.plan(), level);
  }
  if (bytes > 0) buffer_ = Buffer(device, bytes, Buffer::Use::download, "download");
}

void Download::record(VkCommandBuffer commands) const {
  if (!copies_.empty())
    vkCmdCopyImageToBuffer(commands, image_.handle(), VK_IMAGE_LAYOUT_GENERAL, buffer_.handle(),
                           uint32_t(copies_.size()), copies_.data());
  barrier_to_host(commands);
}

std::vector<Level> Download::levels() const {
  std::vector<Level> levels;
  if (image_.is_on_pages()) {
    for (int level = first_level_; level < image_.plan().level_count; ++level)
      levels.push_back(image_.level_on_host(level));
    return levels;
  }
  if (buffer_.handle()) buffer_.invalidate(device_);
  for (const VkBufferImageCopy& copy : copies_) {
    const auto level = int(copy.imageSubresource.mipLevel);
    levels.push_back({level_size(image_.plan().size, level), TexelBuffer(bytes_of_level(image_.plan(), level))});
    TexelBuffer& texels = levels.back().texels;
    std::memcpy(texels.data(), buffer_.mapped() + copy.bufferOffset, texels.size());
  }
  return levels;
}

BufferDownload::BufferDownload(const Device& device, const Plan& plan) : device_(device) {
  const bool returns_statistics = !plan.results.empty() || !plan.guards.empty() || plan.clamped_at >= 0;
  if (returns_statistics && plan.statistics_bytes > 0)
    statistics_ = Buffer(device, plan.statistics_bytes, Buffer::Use::download, "statistics on the host");
  if (device.checks_bounds() && !plan.passes.empty())
    outside_ = Buffer(device, plan.passes.size() * bounds_bytes, Buffer::Use::download,
                      "counts outside of bounds on the host");
}

void BufferDownload::record(VkCommandBuffer commands, const PlanBuffers& buffers) const {
  for (const auto& [from, to] : {std::pair(&buffers.statistics, &statistics_), {&buffers.outside, &outside_}}) {
    const VkBufferCopy whole{.size = to->bytes()};
    if (to->handle()) vkCmdCopyBuffer(commands, from->handle(), to->handle(), 1, &whole);
  }
}

void BufferDownload::check_bounds(const Plan& plan) const {
  if (!outside_.handle()) return;
  outside_.invalidate(device_);
  for (size_t pass = 0; pass < plan.passes.size(); ++pass)
    for (size_t thing = 0; thing < names_in_bounds().size(); ++thing) {
      uint32_t count = 0;
      std::memcpy(&count, outside_.mapped() + pass * bounds_bytes + thing * sizeof count, sizeof count);
      if (count > 0)
        fail(Exit::bug, "{}: {} accesses outside of the {}; expected none", plan.passes[pass].name, count,
             names_in_bounds()[thing]);
    }
}

std::vector<uint32_t> BufferDownload::statistics() const {
  std::vector<uint32_t> words(statistics_.bytes() / sizeof(uint32_t));
  if (words.empty()) return words;
  statistics_.invalidate(device_);
  std::memcpy(words.data(), statistics_.mapped(), statistics_.bytes());
  return words;
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
      const std::string name = name_of_image(index);
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
