#include "core/engine/bench.h"

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/op/parse.h"
#include "core/ops/stats/check.h"

#include <algorithm>
#include <fstream>
#include <future>
#include <optional>

namespace gpupost {

const Benchmark& benchmark_of(const Op& op) {
  static const Benchmark usual{
      .sizes = {{1920, 1080}}, .cpu_sizes = {{1024, 1024}}, .depths = {Depth::half, Depth::f32}};
  return op.bench ? *op.bench : usual;
}

std::string_view bench_arguments(const Op& op) {
  if (op.bench) return op.bench->arguments;
  return op.doc.examples.empty() ? "" : op.doc.examples.front();
}

bool can_bench(const Op& op) { return op.reference.levels != nullptr; }

std::vector<Variant> variants_of(const Op& op, bool with_float, bool with_half) {
  const Benchmark& row = benchmark_of(op);
  std::vector<Variant> variants;
  for (const std::string& arguments : row.variants ? row.variants() : std::vector<std::string>{""}) {
    if (with_float) variants.push_back({arguments, false});
    if (with_half) variants.push_back({arguments, true});
  }
  return variants;
}

namespace {

// --- what a picture takes ---------------------------------------------------------------------------------------------

// Free host memory in bytes; unlimited if the system does not report it.
size_t available_bytes() {
  std::ifstream stream("/proc/meminfo");
  std::string name, unit;
  for (size_t kibibytes = 0; stream >> name >> kibibytes >> unit;)
    if (name == "MemAvailable:") return kibibytes << 10;
  return SIZE_MAX;
}

// The largest size, found by halving `size`, whose image and reference fit in host memory.
Size verified_size_of(Size size) {
  constexpr size_t bytes_a_texel =
      240;  // doubles for four planes, their magnitudes and errors, each with levels, twice
  const size_t available = available_bytes();
  while (texel_count(size) * bytes_a_texel > available) size = level_size(size, 1);
  return size;
}

// --- variants ---------------------------------------------------------------------------------------------------------

constexpr std::string_view not_fused = "--no-fuse";  // a variant for chains

// The test image, and copies of it that all variants share.
class Subject {
 public:
  Subject(Gpu& gpu, Level base, Depth depth) : gpu_(gpu), base_(std::move(base)), depth_(depth) {}

  const Level& base() const { return base_; }
  Depth depth() const { return depth_; }
  // Returns copies for this plan. Reuses those of the last plan if its images are the same.
  const ImageSets& sets(const Plan& plan) {
    if (sets_ && sets_->are_for(plan)) return *sets_;
    sets_.reset();
    note_wait();
    return sets_.emplace(gpu_.image_sets(plan, base_));
  }
  // Call this if the device was idle while the host worked.
  void note_wait() { has_waited_ = true; }
  // Times each repeat of a plan. A GPU lowers its clocks while it is idle, and needs some tenths of a second to raise
  // them again.
  std::vector<double> measure(const Plan& plan, MeasureOptions options) {
    const ImageSets& copies = sets(plan);
    if (has_waited_ && gpu_.info().traits.type != DeviceType::cpu)
      options.warm_up_ms = std::max(options.warm_up_ms, 500.0);
    has_waited_ = false;
    return gpu_.measure(plan, copies, options).milliseconds;
  }
  Plan plan_of(std::span<const Call> calls, const Variant& variant) const {
    const PlanInput input{.size = base_.size,
                          .storage = depth_,
                          .half_arithmetic = variant.half_arithmetic,
                          .fuses = variant.arguments != not_fused,
                          .keeps_input = true};
    return plan(calls, input, gpu_.info().traits);
  }

 private:
  Gpu& gpu_;
  Level base_;
  Depth depth_;
  std::optional<ImageSets> sets_;
  bool has_waited_ = true;
};

// The call of a variant.
struct Candidate {
  std::vector<Call> calls;
  std::string obstacle;  // why it cannot be called so, or be done on such a device or picture; "" where it can
};

// The chain to measure; if it is empty, the op with the variant's arguments.
struct Measured {
  const Op& op;
  std::span<const Call> chain;
};

// The call of an op, with the file and the images that it reads.
Call call_of(const Op& op, const std::string& arguments, const Setting& setting, Size size) {
  const Benchmark& row = benchmark_of(op);
  Call call = parse_call(op, fmt::format("{} {} {}", bench_arguments(op), arguments, setting.text()));
  if (row.file) call.source = row.file();
  if (op.prepare) op.prepare(call);
  give_inputs({&call, 1}, size);
  if (!row.picture) return call;
  const auto texels = std::make_shared<const Level>(row.picture(size));
  for (InputPicture& input : call.inputs)
    input = {.picture = {.size = texels->size, .depth = Depth::f32}, .texels = texels};
  return call;
}

std::vector<Call> calls_of(const Measured& measured, const std::string& arguments, const Setting& setting, Size size) {
  if (measured.chain.empty()) return {call_of(measured.op, arguments, setting, size)};
  std::vector<Call> calls(measured.chain.begin(), measured.chain.end());
  give_inputs(calls, size);
  return calls;
}

Candidate candidate_of(const Gpu& gpu, const Subject& subject, const Measured& measured, const Variant& variant,
                       const Setting& setting) {
  if (variant.half_arithmetic && !gpu.info().traits.half.has_arithmetic)
    return {.calls = {}, .obstacle = "the device has no half arithmetic"};
  if (variant.half_arithmetic && subject.depth() == Depth::f32)
    return {.calls = {}, .obstacle = "half arithmetic needs images of at most 16 bits"};
  try {
    const std::vector<Call> calls = calls_of(measured, variant.arguments, setting, subject.base().size);
    const bool is_one_level = result_level_count(calls, subject.base().size) == 1;
    if (subject.plan_of(calls, variant).passes.empty() && is_one_level)
      return {.calls = {}, .obstacle = "it has no passes, so there is nothing to measure"};
    return {.calls = calls, .obstacle = ""};
  } catch (const Error& error) {
    if (error.code() != Exit::usage && error.code() != Exit::limit) throw;
    return {.calls = {}, .obstacle = error.what()};
  }
}

// Median time of a host function that takes microseconds.
template <class Job>
double milliseconds_of(Job job) {
  constexpr int repeats = 101;
  std::vector<double> milliseconds;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const Stopwatch watch;
    job();
    milliseconds.push_back(watch.milliseconds());
  }
  return summary_of(std::move(milliseconds)).median_ms;
}

// Statistics of an op that leaves the image unchanged.
void check_numbers(const Call& call, std::span<const uint32_t> words, const Expected& expected, VariantResult& result) {
  Statistics found;
  result.host_ms = milliseconds_of(
      [&] { found = statistics_of(words, texel_count(size_of(expected.levels[0])), measure_of(call)); });
  const NumberCheck worst =
      worst_of(check_statistics(found, expected.levels[0], expected.tolerance[0], measure_of(call)));
  if (worst.share() > 1) result.failure = describe(worst);
}

// Runs a variant once and compares every texel of every level with the reference.
void check_variant(Gpu& gpu, Subject& subject, std::span<const Call> calls, const Expected& expected,
                   VariantResult& result) {
  const Plan plan = subject.plan_of(calls, result.variant);
  const int first_level = plan.keeps_level_0 ? 1 : 0;
  const RunResult run = gpu.run(plan, subject.sets(plan), first_level);
  if (calls.size() == 1 && calls[0].op->makes == Makes::statistics)
    return check_numbers(calls[0], plan.results[0].of(run.statistics), expected, result);
  for (const LevelCheck& check : verify(expected, run.levels, first_level))
    if (result.worst.level == 0 || check.share > result.worst.share) result.worst = check;
  if (result.worst.share > 1) result.failure = describe(result.worst);
}

// Returns whether a variant can run and has not failed.
bool is_open(const VariantResult& result) { return result.obstacle.empty() && result.failure.empty(); }

void check_variants(Gpu& gpu, Subject& subject, std::span<const Candidate> candidates, const Expected& expected,
                    std::span<VariantResult> results) {
  for (size_t index = 0; index < candidates.size(); ++index)
    if (is_open(results[index])) check_variant(gpu, subject, candidates[index].calls, expected, results[index]);
}

// The reference result, which is the same for all variants. It is computed on cores that the device does not use: in
// parallel with a GPU, but not with a CPU device.
std::future<Expected> expected_of(const Gpu& gpu, const Subject& subject, std::vector<Call> calls) {
  const bool on_cpu = gpu.info().traits.type == DeviceType::cpu;
  return std::async(on_cpu ? std::launch::deferred : std::launch::async, [&subject, calls = std::move(calls)] {
    return expected_of(calls, subject.base(), subject.depth());
  });
}

void time_variant(Subject& subject, std::span<const Call> calls, const MeasureOptions& options, VariantResult& result) {
  const Plan plan = subject.plan_of(calls, result.variant);
  result.bytes = bytes_moved(plan);
  try {
    std::vector<double> milliseconds = subject.measure(plan, options);
    for (double& time : milliseconds) time += result.host_ms;
    result.times = summary_of(std::move(milliseconds));
  } catch (const Error& error) {
    if (error.code() != Exit::bug) throw;
    result.failure = error.what();
  }
}

// --- floors -----------------------------------------------------------------------------------------------------------

FloorResult floor_of(Floor floor, Subject& subject, const MeasureOptions& options) {
  FloorResult best{.floor = floor};
  for (const Plan& plan : floor_plans(floor, subject.base().size, subject.depth())) {
    const Summary times = summary_of(subject.measure(plan, options));
    if (best.times.count > 0 && times.median_ms >= best.times.median_ms) continue;
    best.shape = plan.passes.front().name;
    best.times = times;
    best.bytes = bytes_moved(plan);
  }
  return best;
}

// Compiles the pipelines of all variants in parallel.
void prepare(Gpu& gpu, const Subject& subject, std::span<const Candidate> candidates,
             std::span<const VariantResult> results) {
  std::vector<Plan> plans;
  for (size_t index = 0; index < candidates.size(); ++index)
    if (results[index].obstacle.empty())
      plans.push_back(subject.plan_of(candidates[index].calls, results[index].variant));
  gpu.prepare(plans);
}

void add_ratios(BenchCase& result, Floor floor) {
  const bool by_bytes = floor == Floor::bytes;
  const auto found = std::ranges::find(result.floors, by_bytes ? Floor::copy : floor, &FloorResult::floor);
  if (found == result.floors.end()) return;
  for (VariantResult& variant : result.variants) {
    const double share = by_bytes ? double(variant.bytes) / double(found->bytes) : 1;
    variant.ratio = variant.times.median_ms / (share * found->times.median_ms);
  }
}

}  // namespace

static BenchCase bench(Gpu& gpu, const Measured& measured, std::span<const Variant> variants, const BenchPlace& place,
                       const MeasureOptions& options, std::span<const Floor> floors) {
  const auto [size, depth, setting] = place;
  BenchCase result{.place = place, .verified_size = verified_size_of(size)};
  const int most = gpu.info().traits.max_image_side;
  if (std::max(size.width, size.height) > most) {
    result.obstacle = fmt::format("{} allows at most {} texels per side", gpu.info().traits.name, most);
    return result;
  }
  Subject subject(gpu, noise(size, depth), depth);
  std::vector<Candidate> candidates;
  for (const Variant& variant : variants) {
    candidates.push_back(candidate_of(gpu, subject, measured, variant, setting));
    result.variants.push_back({.variant = variant, .obstacle = candidates.back().obstacle});
  }
  try {
    prepare(gpu, subject, candidates, result.variants);
    std::optional<Subject> smaller;
    if (result.verified_size != size) smaller.emplace(gpu, noise(result.verified_size, depth), depth);
    Subject& checked = smaller ? *smaller : subject;
    std::future<Expected> expected = expected_of(gpu, checked, calls_of(measured, "", setting, checked.base().size));
    for (const Floor floor : floors) result.floors.push_back(floor_of(floor, subject, options));
    check_variants(gpu, checked, candidates, expected.get(), result.variants);
    smaller.reset();
    subject.note_wait();
    for (size_t index = 0; index < variants.size(); ++index)
      if (is_open(result.variants[index]))
        time_variant(subject, candidates[index].calls, options, result.variants[index]);
  } catch (const Error& error) {
    if (error.code() != Exit::limit) throw;
    return {.place = place, .obstacle = error.what()};
  }
  add_ratios(result, benchmark_of(measured.op).floor);
  return result;
}

BenchCase bench(Gpu& gpu, const Op& op, std::span<const Variant> variants, const BenchPlace& place,
                const MeasureOptions& options, std::span<const Floor> floors) {
  return bench(gpu, Measured{op, {}}, variants, place, options, floors);
}

const Op& chain_row() {
  static const Benchmark benchmark{.variants =
                                       [] {
                                         return std::vector<std::string>{"fused", std::string(not_fused)};
                                       },
                                   .sizes = {{1920, 1080}, {3840, 2160}, {4096, 4096}},
                                   .cpu_sizes = {{1024, 1024}},
                                   .depths = {Depth::half, Depth::f32}};
  static const Op row{.name = "chain", .bench = &benchmark};
  return row;
}

BenchCase bench(Gpu& gpu, std::span<const Call> chain, std::span<const Variant> variants, const BenchPlace& place,
                const MeasureOptions& options, std::span<const Floor> floors) {
  return bench(gpu, Measured{chain_row(), chain}, variants, place, options, floors);
}

const VariantResult* fastest(std::span<const VariantResult> results) {
  const VariantResult* best = nullptr;
  for (const VariantResult& result : results)
    if (result.times.count > 0 && (!best || result.times.median_ms < best->times.median_ms)) best = &result;
  return best;
}

std::string failure_on_hard_numbers(Gpu& gpu, const Op& op, const Variant& variant, Size size, Depth depth) {
  const auto side = [](int n) { return n <= 256 ? n : 256 + n % 2; };
  Subject subject(gpu, hard_numbers({side(size.width), side(size.height)}, depth), depth);
  const Call call = call_of(op, variant.arguments, {}, subject.base().size);
  VariantResult result{.variant = variant};
  check_variant(gpu, subject, {&call, 1}, expected_of({&call, 1}, subject.base(), depth), result);
  return result.failure;
}

}  // namespace gpupost
