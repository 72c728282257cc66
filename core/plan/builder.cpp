#include "core/plan/builder.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/plan/copy.h"
#include "core/plan/image_reuse.h"
#include "core/plan/strips.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace gpupost {

PlanBuilder::PlanBuilder(const PlanInput& input, const DeviceTraits& traits) : input_(input), traits_(traits) {
  add_image({.size = input.size, .depth = input.storage});
  image(0).space = input.ends.input;
  if (input.is_r11g11b10_between && !traits.has_packed_floats)
    fail(Exit::device, "--storage r11g11b10 cannot run on {}: it cannot write such images", traits.name);
  if (!input.half_arithmetic || (traits.half.has_arithmetic && stays_rgb(input))) return;
  input_.half_arithmetic = false;
  note(fmt::format(
      "--fp16: half storage, but float arithmetic, because {}",
      traits.half.has_arithmetic ? "X and Z of bright light overflow half" : "the device has no half arithmetic"));
}

int PlanBuilder::add_image(const PlanImage& image) {
  plan_.images.push_back(image);
  // Kernels add up X, Y and Z; only the result of an op is Yxy.
  plan_.images.back().space = input_.between == Space::yxy ? Space::xyz : Space::rgb;
  return int(plan_.images.size()) - 1;
}

void PlanBuilder::keep_in_rgb(int first) {
  for (int index = first; index < image_count(); ++index) image(index).space = Space::rgb;
}

int PlanBuilder::add_source(std::shared_ptr<const Plane> numbers) {
  const int index = add_image({.size = image(current_image()).size, .depth = Depth::f32, .components = 1});
  plan_.sources.push_back({index, std::move(numbers), input_.corner});
  return index;
}

int PlanBuilder::add_input(const InputPicture& input) {
  const bool is_in_step = input.picture.size == whole_size();
  return add_region(input,
                    is_in_step ? Region{input_.corner, image(current_image()).size} : whole_region(input.picture.size));
}

int PlanBuilder::add_region(const InputPicture& input, const Region& region) {
  const int index = add_image({.size = region.size, .depth = input.picture.depth});
  image(index).space = Space::rgb;
  plan_.sources.push_back({index, input.texels, region.corner});
  return index;
}

void PlanBuilder::prepare_result(int index) {
  image(index).space = input_.between;
  image(index).is_packed = input_.is_r11g11b10_between;
}

void PlanBuilder::keep_as_light(PlanImage& image) const {
  image.is_packed = false;
  if (image.space != Space::yxy) return;
  image.space = Space::rgb;
  if (image.depth == input_.storage) image.depth = depth_of_light();
}

void PlanBuilder::keep_for_point() {
  PlanImage& current = image(current_image());
  current.depth = Depth::f32;
  current.space = Space::rgb;
  current.is_packed = false;
  begin_op();
}

void PlanBuilder::set_current_image(int index) {
  if (own_result_ >= 0 && own_result_ != index) keep_as_light(image(own_result_));
  prepare_result(index);
  own_result_ = index;
  plan_.result_image = index;
  plan_.keeps_level_0 = false;
  waiting_.clear();
}

// Compile time grows with the square of the shader's length, so longer runs of point ops are split into several passes
// with float images between them.
static constexpr size_t most_fused = 32;

bool PlanBuilder::wants_own_pass(std::span<const FusedPoint> points) const {
  return std::ranges::any_of(points, [](const FusedPoint& point) { return point.is_long(); });
}

bool PlanBuilder::fuses_into_load() const { return input_.fuses && !wants_own_pass(waiting_); }

void PlanBuilder::fuse_point(FusedPoint point) {
  point.op = current_op_;
  const bool follows_its_pass = !plan_.passes.empty() && !plan_.keeps_level_0 && waiting_.empty() &&
                                plan_.passes.back().target.image == plan_.result_image &&
                                plan_.passes.back().source.image != plan_.result_image && !point.reads_statistics;
  if (input_.fuses && follows_its_pass) {
    if (plan_.passes.back().points.on_store.size() < most_fused && !wants_own_pass({&point, 1}))
      return plan_.passes.back().points.on_store.push_back(std::move(point));
    keep_for_point();
  }
  if (input_.fuses && waiting_.size() == most_fused) {
    add_points_pass(std::exchange(waiting_, {}), Depth::f32);
    keep_for_point();
  }
  waiting_.push_back(std::move(point));
}

void PlanBuilder::add_points_pass(std::vector<FusedPoint> points, Depth depth) {
  const Size size = image(current_image()).size;
  PassSpec pass = copy_pass(size, traits_.type, wants_own_pass(points) ? 1 : 4);
  pass.name = names_of(points);
  pass.points.on_store = std::move(points);
  pass.access.can_be_in_place = writes_in_place();
  pass.source.image = current_image();
  add_result(std::move(pass), {.size = size, .depth = depth});
  plan_.passes.back().ops.clear();  // the current op is not in this pass
}

void PlanBuilder::add_copy(std::string name, Depth depth, std::vector<std::string_view> ops) {
  const Size size = image(current_image()).size;
  PassSpec pass = copy_pass(size, traits_.type, 4);
  pass.name = std::move(name);
  pass.source.image = current_image();
  add_result(std::move(pass), {.size = size, .depth = depth});
  plan_.passes.back().ops = std::move(ops);
}

void PlanBuilder::flush() {
  std::vector<FusedPoint> points = std::exchange(waiting_, {});
  if (points.empty()) return;
  begin_op();  // the point ops end here; what an op makes after them is its own
  if (!input_.fuses)
    for (; points.size() > 1; points.erase(points.begin())) {
      add_points_pass({points.front()}, Depth::f32);
      keep_for_point();
    }
  add_points_pass(std::move(points), input_.storage);
  begin_op();
}

int PlanBuilder::reserve_statistics(size_t bytes, bool is_zeroed) {
  plan_.zeroes_statistics |= is_zeroed;
  const size_t offset = plan_.statistics_bytes;
  plan_.statistics_bytes += round_up(bytes, size_t(16));
  return int(offset / sizeof(uint32_t));
}

std::optional<int> PlanBuilder::take_measured() {
  if (measured_count_ == input_.measured.size()) return {};
  const MeasuredWords& words = input_.measured[measured_count_++];
  const int offset = reserve_statistics(words->size() * sizeof(uint32_t), false);
  plan_.known_statistics.push_back({offset, words});
  return offset;
}

int PlanBuilder::guard(Exit code, std::string message) {
  const int offset = reserve_statistics(sizeof(uint32_t));
  plan_.guards.push_back({offset, code, std::move(message)});
  return offset;
}

void PlanBuilder::add(PassSpec spec) {
  if (!waiting_.empty() && spec.source.image == plan_.result_image && spec.source.level == 0)
    spec.points.on_load.insert(spec.points.on_load.begin(), waiting_.begin(), waiting_.end());
  plan_.passes.emplace_back(std::move(spec)).ops = {current_op_};
}

int PlanBuilder::add_result(PassSpec spec, const PlanImage& image) {
  const int result = spec.target.image = add_image(image);
  prepare_result(result);
  add(std::move(spec));
  set_current_image(result);
  return result;
}

// Numbers of point ops that cannot be pushed go to the pass's table, in front of the tables of point ops.
static void place_numbers(Pass& pass) {
  const bool has_point_tables = !point_tables(pass).empty();
  size_t pushed = pass.values.size() + has_point_tables + pass.words.targets.size();
  for (std::vector<FusedPoint>* points : {&pass.points.on_load, &pass.points.on_store})
    for (FusedPoint& point : *points)
      for (ShaderParam& field : point.fields) {
        if (field.is_literal || pushed++ < most_pushed) continue;
        field.table_index = int(pass.table.size());
        pass.table.push_back(float(field.value));
      }
  if (has_point_tables) pass.values.push_back({point_tables_at, int(round_up(pass.table.size(), table_alignment))});
  if (table_size(pass) > 2 * table_window)
    fail(Exit::limit, "{}: its tables have {} numbers; the limit is {} for one pass (use smaller tables)", pass.name,
         table_size(pass), 2 * table_window);
}

static bool reads_statistics(const PassPoints& points) {
  return std::ranges::any_of(points.on_load, &FusedPoint::reads_statistics) ||
         std::ranges::any_of(points.on_store, &FusedPoint::reads_statistics);
}

// The count is set to 0 when its buffer is filled, because only the host reads it.
void PlanBuilder::count_clamped(Pass& pass) {
  if (plan_.clamped_at < 0) plan_.clamped_at = reserve_statistics(sizeof(uint32_t), false);
  pass.clamps = pass.memory.has_statistics = true;
  pass.values.push_back({"clamped_at", plan_.clamped_at});
}

// Says who makes texels that B10G11R11 cannot hold. {} is their number.
static std::string message_of_misfits(const Pass& pass) {
  const std::vector<std::string_view> ops = ops_of(pass);
  std::string makers = ops.empty() ? pass.name : std::string(ops.front());
  for (size_t index = 1; index < ops.size(); ++index)
    makers += fmt::format("{}{}", index + 1 == ops.size() ? " and " : ", ", ops[index]);
  return fmt::format(
      "--storage r11g11b10 holds neither negative values nor alpha; {} {} {{}} texels that have them; use --storage "
      "fp16 or fp32",
      makers, ops.size() > 1 ? "make" : "makes");
}

void PlanBuilder::decide_stores() {
  std::vector<bool> fits(plan_.images.size());  // whether all values of the image fit in half
  for (size_t index = 0; index < fits.size(); ++index) fits[index] = is_of_halves(plan_.images[index]);
  for (Pass& pass : plan_.passes) {
    if ((pass.is_r11g11b10 = image(pass.target.image).is_packed))
      pass.values.push_back({"misfits_at", guard(Exit::usage, message_of_misfits(pass))});
    const Space from = image(pass.source.image).space, to = image(pass.target.image).space;
    const bool stays = from == to && !pass.is_r11g11b10 && pass.points.on_load.empty() && pass.points.on_store.empty();
    pass.memory.has_statistics |= reads_statistics(pass.points);
    if (pass.access.copies_raw && stays) continue;
    pass.packs_toward_zero = traits_.half.packs_toward_zero;
    pass.half_targets = {is_of_halves(image(pass.target.image))};
    for (const int target : pass.more_targets) pass.half_targets.push_back(is_of_halves(image(target)));
    if (std::ranges::count(pass.half_targets, true) == 0) pass.half_targets.clear();
    pass.source_space = from;
    pass.target_space = to;
    if (pass.second.image >= 0) pass.second_space = image(pass.second.image).space;
    const bool makes_fitting = pass.access.is_bounded && stays && from == Space::rgb && fits[size_t(pass.source.image)];
    fits[size_t(pass.target.image)] = makes_fitting || is_of_halves(image(pass.target.image));
    if (pass.is_r11g11b10 || (!pass.half_targets.empty() && !makes_fitting)) count_clamped(pass);
  }
}

static Words words_of(const PlanImage& image) {
  if (image.is_packed) return Words::none;
  if (image.depth == Depth::u8) return Words::bytes4;
  if (image.components == 1) return Words::floats1;
  if (image.components == 2) return Words::floats2;
  return image.depth == Depth::half ? Words::halves4 : Words::floats4;
}

// Drivers align rows of linear images.
static bool fits_in_buffer(const PlanImage& image, int level, const DeviceTraits& traits) {
  constexpr size_t row_alignment = 256;
  const Size size = level_size(image.size, level);
  const size_t row_bytes = round_up(size_t(size.width) * bytes_of_texel(image), row_alignment);
  return row_bytes * size_t(size.height) <= traits.memory.storage_bytes;
}

void PlanBuilder::count_bytes(Pass& pass) {
  PassMemory& memory = pass.memory;
  if (memory.bytes_read == 0) memory.bytes_read = bytes_of_level(image(pass.source.image), pass.source.level);
  if (memory.bytes_written > 0) return;
  for (int level = pass.target.level; level < pass.target.level + pass.target.count; ++level)
    memory.bytes_written += bytes_of_level(image(pass.target.image), level);
}

void PlanBuilder::decide_strips() {
  if (traits_.type != DeviceType::cpu || !traits_.has_image_buffers) return;
  for (size_t index = 0; index + 1 < plan_.passes.size(); ++index) {
    Pass& from = plan_.passes[index];
    Pass& to = plan_.passes[index + 1];
    const int between = from.target.image;
    const auto uses = [&](const Pass& pass) {
      return pass.source.image == between || pass.second.image == between ||
             std::ranges::count(pass.more_sources, between) > 0 || pass.target.image == between;
    };
    const bool is_between = from.more_targets.empty() && from.second.image < 0 && from.more_sources.empty() &&
                            to.source.image == between && to.second.image != between && between != plan_.result_image &&
                            std::ranges::count_if(plan_.passes, uses) == 2;
    const int rows = is_between ? ring_rows_of(from, to, image(between), traits_.memory.strip_bytes) : 0;
    if (rows == 0) continue;
    image(between).size.height = from.target_ring = to.source_ring = rows;
    from.values.push_back({target_ring_mask, rows - 1});
    to.values.push_back({source_ring_mask, rows - 1});
    ++index;  // the next pass runs with this one
  }
}

void PlanBuilder::decide_words(Pass& pass) {
  PassWords& words = pass.words;
  if (!traits_.has_image_buffers) {
    // GPUs read faster with a sampler than from a storage image
    words.samples_source = pass.access.reads_words;
    if (words.samples_source) words.source = words_of(image(pass.source.image));
    return;
  }
  if (!pass.access.samples_at_corners) words.source = words_of(image(pass.source.image));
  if (pass.second.image >= 0) words.second = words_of(image(pass.second.image));

  const bool is_one_level = pass.target.count == 1 && pass.target.bound_count == 1;
  if (!is_one_level || pass.more_targets.size() >= most_word_targets) return;
  std::vector<Words> targets{words_of(image(pass.target.image))};
  bool fits = fits_in_buffer(image(pass.target.image), pass.target.level, traits_);
  for (const int target : pass.more_targets) {
    targets.push_back(words_of(image(target)));
    fits &= fits_in_buffer(image(target), 0, traits_);
  }
  if (fits && std::ranges::count(targets, Words::none) == 0) words.targets = targets;
}

Plan PlanBuilder::finish() {
  if (input_.only_measures) waiting_.clear();
  flush();
  PlanImage& result = image(plan_.result_image);
  if (!plan_.keeps_level_0) {
    result.space = input_.ends.result;
    result.is_packed = input_.ends.storage == ResultStorage::packed;
    if (input_.ends.storage == ResultStorage::f32) result.depth = Depth::f32;
  }
  decide_stores();
  for (Pass& pass : plan_.passes) count_bytes(pass);
  decide_strips();
  for (Pass& pass : plan_.passes) {
    decide_words(pass);
    place_numbers(pass);
  }
  share_images(plan_, input_);
  return std::move(plan_);
}

}  // namespace gpupost
