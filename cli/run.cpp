#include "cli/run.h"

#include "cli/assembly.h"
#include "cli/depth.h"
#include "cli/depths.h"
#include "cli/inputs.h"
#include "cli/messages.h"
#include "cli/outputs.h"
#include "cli/report.h"
#include "cli/verbs.h"
#include "core/chain.h"
#include "core/convert.h"
#include "core/cube.h"
#include "core/generate.h"
#include "core/gpu/run_chain.h"
#include "core/nearest.h"
#include "core/plan.h"
#include "core/primaries.h"
#include "core/verify.h"

#include <fmt/ranges.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <future>
#include <memory>
#include <new>
#include <optional>

namespace gpupost {

namespace {

DeviceInfo device_for(const Globals& globals) {
  DeviceInfo info = choose_device(list_devices(), globals.device, globals.require_gpu);
  info.traits = with_tile_side(info.traits, globals);
  return info;
}

// The device, being opened while the first picture is decoded.
class LazyGpu {
 public:
  LazyGpu(const Globals& globals, bool is_needed) : globals_(globals) {
    if (is_needed) open();
  }
  // Calls `work` with the device, and once more with a fresh one where that was lost. Throws what went wrong with it, at each
  // call.
  template <class Work>
  auto with(const Work& work) {
    try {
      return work(get());
    } catch (const DeviceLost& lost) {
      if (!globals_.quiet) say_warning("{}; once more on a fresh device", lost.what());
      open();
      return work(get());
    }
  }
  // nullptr where it was not needed or could not be opened.
  Gpu* opened() const {
    try {
      return opening_.valid() ? opening_.get().get() : nullptr;
    } catch (const Error&) {
      return nullptr;
    }
  }

 private:
  Gpu& get() { return *opening_.get(); }
  void open() {
    opening_ = std::async(std::launch::async, [&globals = globals_] {
                 return std::make_unique<Gpu>(device_for(globals));
               }).share();
  }

  const Globals& globals_;
  std::shared_future<std::unique_ptr<Gpu>> opening_;
};

// Watchdogs end what a GPU does after some seconds; a CPU has none.
ChainOptions chain_options(const Globals& globals, const Gpu& gpu) {
  constexpr double most_ms = 500;
  if (globals.max_dispatch_ms) return {.most_ms = double(*globals.max_dispatch_ms), .unwatched_taps = 0};
  return {.most_ms = gpu.info().traits.type == DeviceType::cpu ? 0 : most_ms};
}

// What a group's passes are called beside those of the colour: " (N.X N.Y N.Z Z)".
std::string names_behind(const Group& group) {
  if (group.is_colour) return "";
  std::string names;
  for (const Channel& channel : group.channels)
    if (!channel.name.empty()) names += (names.empty() ? "" : " ") + channel.name;
  return " (" + names + ")";
}

void report_passes(const Plan& made, const RunTimes& times, const Group& group, JobReport& report) {
  if (group.is_colour || report.choices.empty()) report.choices = made.choices;
  report.upload_ms += times.upload_ms;
  report.download_ms += times.download_ms;
  for (size_t index = 0; index < made.passes.size(); ++index) {
    const Pass& pass = made.passes[index];
    report.passes_ms += times.pass_ms[index];
    report.passes.push_back({.name = pass.name + names_behind(group),
                             .kernel = std::string(pass.kernel),
                             .storage = group.depth,
                             .milliseconds = times.pass_ms[index],
                             .bytes_read = pass.bytes_read,
                             .bytes_written = pass.bytes_written});
  }
}

Between between_of(const PlanInput& input) {
  return {.is_yxy = input.between == Space::yxy, .is_packed = input.packs_between};
}

void verify_levels(std::span<const Call> calls, const PlanInput& input, const Group& group,
                   std::span<const Level> levels, int first_level, JobReport& report) {
  const Stopwatch watch;
  const std::vector<LevelCheck> checks =
      verify(calls, group.levels[0], levels, first_level, group.depth, between_of(input));
  report.verify_ms += watch.milliseconds();
  for (const LevelCheck& check : checks) {
    report.checks.push_back(check);
    if (check.share > 1) fail(Exit::difference, "--verify: {}; nothing was written", describe(check));
  }
}

// What a chain's calls of `stats` have measured of a group, in their order.
std::vector<Statistics> numbers_of(std::span<const Call> calls, const Plan& made, std::span<const uint32_t> words,
                                   const Group& group) {
  std::vector<Statistics> numbers;
  for (size_t index = 0; index < calls.size(); ++index)
    if (calls[index].op->passes_through) {
      const auto offset = size_t(made.results[numbers.size()].offset);
      const Size size = result_size(calls.first(index), group.levels[0].size);
      numbers.push_back(
          statistics_of(words.subspan(offset, statistics_size), texel_count(size), measure_of(calls[index])));
    }
  return numbers;
}

// Gives them to those of the request's calls that look at such a group.
void hand_out(std::span<const Statistics> numbers, const Group& group, std::span<Measured> measured) {
  for (Measured& one : measured) {
    if (!group.is_colour && one.measure == Measure::extremes) continue;
    take_in(one, group, numbers.front());
    numbers = numbers.subspan(1);
  }
}

void verify_numbers(std::span<const Call> calls, const PlanInput& input, const Group& group,
                    std::span<const Statistics> numbers, JobReport& report) {
  const Stopwatch watch;
  for (size_t index = 0; index < calls.size(); ++index) {
    const Call& call = calls[index];
    if (!call.op->passes_through) continue;
    const Expected found = expected_before(calls, index, group.levels[0], group.depth, between_of(input));
    const NumberCheck worst =
        worst_of(check_statistics(numbers.front(), found.levels[0], found.tolerance[0], measure_of(call)));
    numbers = numbers.subspan(1);
    report.number_checks.push_back(worst);
    if (worst.share() > 1)
      fail(Exit::difference, "--verify: {}: {}; nothing was written", call.text(), describe(worst));
  }
  report.verify_ms += watch.milliseconds();
}

// The chain on one group of channels. Its levels take the place of the group's, but for a level 0 that is the input.
void run_group(std::span<const Call> calls, const Globals& globals, LazyGpu& lazy, Group& group,
               std::span<Measured> measured, JobReport& report) {
  const PlanInput input = plan_input(globals, group.levels[0].size, group.depth, group.is_colour && !group.is_data);
  auto [made, result, first_level] =
      lazy.with([&](Gpu& gpu) { return run_chain(gpu, calls, input, group.levels[0], chain_options(globals, gpu)); });
  report_passes(made, result.times, group, report);
  check_guards(made, result.statistics);
  const std::vector<Statistics> numbers = numbers_of(calls, made, result.statistics, group);
  hand_out(numbers, group, measured);
  if (globals.verify) verify_numbers(calls, input, group, numbers, report);
  if (globals.verify) verify_levels(calls, input, group, result.levels, first_level, report);
  group.depth = result_depth(calls, group.depth);
  group.levels.resize(size_t(first_level));
  std::ranges::move(result.levels, std::back_inserter(group.levels));
}

// Names an alpha after the red that is there, "A" beside "R", "diffuse.A" beside "diffuse.R", or takes its name away.
void name_alpha(Group& group, bool has_alpha) {
  if (!group.is_colour || group.has_alpha() == has_alpha) return;
  if (!has_alpha) return group.channels[3].name.clear();
  group.channels[3] = group.channels[0];
  if (!group.channels[3].name.empty()) group.channels[3].name.back() = 'A';
}

// Leaves one channel of the colour: "Y" in the place of "R", "diffuse.Y" of "diffuse.R".
void name_luminance(Group& group, Depth depth) {
  std::string name = std::ranges::find_if(group.channels, [](const Channel& c) { return !c.name.empty(); })->name;
  name.back() = 'Y';
  group.channels = {Channel{.name = name, .depth = depth}};
  group.is_luminance = true;
}

// The primaries of a picture that are to be made Rec.709's, where that matters: to an op, or to a format whose colours are
// Rec.709's. None where it does not.
std::optional<Primaries> primaries_to_leave(std::span<const Call> calls, const Format& format, const Picture& picture) {
  const bool has_colours = picture.groups.front().is_colour && !takes_data(calls);
  const bool keeps = !has_colours || (format.name == "exr" && !takes_rec709(calls));
  return keeps ? std::nullopt : other_primaries(picture);
}

Call to_rec709_before(const Primaries& primaries) {
  std::vector<double> numbers;
  for (const auto& row : to_rec709(primaries)) numbers.insert(numbers.end(), row.begin(), row.end());
  return parse_call(*op_named("matrix"), fmt::format("--rows {}", fmt::join(numbers, ",")));
}

// Is the result of a chain encoded for display?
bool is_encoded(std::span<const Call> calls) {
  return std::ranges::any_of(calls, [](const Call& call) { return call.op->result_is_display; });
}

// What was encoded for display is written as it is in integers of sRGB, else as the light that it is on a display of sRGB.
void take_encoded(Picture& picture, Depth goes_out, Transfer transfer) {
  picture.transfer = Transfer::srgb;
  if (is_float(goes_out) || transfer != Transfer::srgb) make_working(picture, Depth::f32);
}

// The chain on all that the picture has: colour, whose primaries may have to be left first, then the channels that go along.
void run_groups(const Request& request, LazyGpu& gpu, const std::optional<Primaries>& primaries, Picture& picture,
                Depth storage, JobReport& report) {
  const Windows windows =
      result_windows(request.calls, {.data = picture.data_window, .display = picture.display_window});
  if (const size_t clamped = make_working(picture, storage))
    report.add_warning(fmt::format("{} values over 65504 were clamped to it on their way to half", clamped));
  report.storage = name_of(storage);
  std::vector<Call> calls_of_others = calls_for_other_channels(request.calls);
  std::erase_if(calls_of_others, [](const Call& call) {
    return call.op->passes_through && measure_of(call) == Measure::extremes;  // of luminance, which they have none of
  });
  std::vector<Call> calls_of_colour = request.calls;
  if (primaries) {
    calls_of_colour.insert(calls_of_colour.begin(), to_rec709_before(*primaries));
    set_rec709(picture);
  }
  std::vector<Measured> measured = to_be_measured(request.calls, report.input, picture.size());
  for (Group& group : picture.groups) {
    if (group.depth == Depth::u32) {
      for (Measured& one : measured) leave_out(one, group);
      follow_by_nearest(group, calls_of_others);
      continue;
    }
    if (!group.is_colour && calls_of_others.empty()) continue;
    const Stopwatch watch;
    gpu.with([](Gpu&) {});  // till it is open
    report.device_ms += watch.milliseconds();
    run_group(group.is_colour ? calls_of_colour : calls_of_others, request.globals, gpu, group, measured, report);
  }
  std::ranges::move(measured, std::back_inserter(report.measured));
  Group& colour = picture.groups.front();
  name_alpha(colour, has_alpha_behind(request.calls, colour.has_alpha()));
  picture.data_window = windows.data;
  picture.display_window = windows.display;
}

// A picture of the colour alone, as it was read.
Picture colour_as_read(const Picture& picture) {
  const Group& colour = picture.groups.front();
  const Memory& texels = colour.levels[0].texels;
  Picture copy{.format = picture.format,
               .data_window = picture.data_window,
               .display_window = picture.display_window,
               .transfer = picture.transfer,
               .alpha = picture.alpha};
  Group& group = copy.groups.emplace_back(Group{.channels = colour.channels,
                                                .depth = colour.depth,
                                                .is_colour = colour.is_colour,
                                                .is_luminance = colour.is_luminance});
  Level& level = group.levels.emplace_back(Level{colour.levels[0].size, Memory(texels.size())});
  std::memcpy(level.texels.data(), texels.data(), texels.size());
  return copy;
}

// How all pictures of a job are treated, known when the first of them is.
struct Way {
  Job job;
  Depth came_in = Depth::half, storage = Depth::half, goes_out = Depth::half;  // of the colour
  Transfer transfer = Transfer::linear;                                        // of the output's colour
};

Way way_of(const Request& request, const Job& given, const Picture& first) {
  const Globals& globals = request.globals;
  Way way{.job = for_levels(given, globals, result_level_count(request.calls, first.size()),
                            level_count_of(result_size(request.calls, first.size()))),
          .came_in = first.groups.front().depth};
  way.goes_out = output_depth(globals, *given.format, way.came_in);
  way.storage = storage_of(globals, way.came_in, way.goes_out);
  const bool is_free = is_float(way.goes_out) && !globals.bits && !globals.fp16;
  if (is_free) way.goes_out = result_depth(request.calls, way.goes_out);
  way.transfer = output_transfer(globals, *given.format, way.goes_out);
  if (way.job.writes_picture) check_dither(globals, way.goes_out);
  if (takes_data(request.calls) && !globals.transfer) way.transfer = Transfer::linear;
  return way;
}

// Numbers that are no colours are taken as they stand.
void make_data(Picture& picture, const Globals& globals) {
  Group& group = picture.groups.front();
  if (group.is_luminance) fail(Exit::usage, "a map of directions needs R, G and B; the picture has Y alone");
  group.is_data = true;
  if (!globals.input_transfer) picture.transfer = Transfer::linear;
}

// A picture on its way to the output, and its level 0 as it was read where that is written.
struct Part {
  Picture picture;
  std::optional<Picture> base;
};

// The request with the depths of this picture.
Request with_depths(Request request, const Picture& picture) {
  read_depths(request.calls, picture, request.globals);
  return request;
}

Part run_picture(const Request& given, LazyGpu& gpu, const Way& way, Picture read, JobReport& report) {
  const Request request = with_depths(given, read);
  const Globals& globals = request.globals;
  Part part{.picture = std::move(read)};
  Picture& picture = part.picture;
  const std::optional<Primaries> primaries = primaries_to_leave(request.calls, *way.job.format, picture);
  if (primaries) report.add_warning("its colours are of other primaries; they were made those of Rec. 709");
  for (const std::string& warning : drop_extras(picture, *way.job.format)) report.add_warning(warning);
  if (is_float(way.goes_out))
    for (Channel& channel : picture.groups.front().channels)
      if (globals.bits || globals.fp16 || !is_float(way.came_in)) channel.depth = way.goes_out;
  if (takes_data(request.calls)) make_data(picture, globals);
  if (makes_luminance(request.calls) && !picture.groups.front().is_colour)
    fail(Exit::usage, "luminance: the picture has no colour; expected channels R, G and B, or Y");
  // integers that stay as they are are written at level 0 as they were read: colour under alpha 0 too
  const bool stays = !is_float(way.goes_out) && way.goes_out == way.came_in && picture.transfer == way.transfer &&
                     picture.alpha == Alpha::straight && !primaries;
  if (!request.calls.empty()) {
    if (stays && keeps_base(request.calls)) part.base = colour_as_read(picture);
    run_groups(request, gpu, primaries, picture, way.storage, report);
    if (is_encoded(request.calls)) take_encoded(picture, way.goes_out, way.transfer);
    if (makes_luminance(request.calls)) name_luminance(picture.groups.front(), way.goes_out);
  } else if (primaries) {
    make_working(picture, Depth::f32);
    make_rec709(picture, *primaries);
  } else if (!stays) {
    make_working(picture, working_depth(way.came_in, way.goes_out));
  }
  return part;
}

// Every level of a cube but its base.
void close_seams(std::vector<Part>& parts) {
  const Size size = parts.front().picture.size();
  if (size.width != size.height)
    fail(Exit::usage, "--assemble: the chain makes faces of {} x {}; expected squares", size.width, size.height);
  std::vector<Group*> faces;
  for (Part& part : parts) faces.push_back(&part.picture.groups.front());
  for (int level = 1; level < int(faces.front()->levels.size()); ++level) average_seams(faces, level);
}

// One file with all levels, or a file a level.
std::vector<Encoded> encode_outputs(const Way& way, const Globals& globals, const std::vector<Part>& parts) {
  const Job& job = way.job;
  const auto level_count = int(parts.front().picture.groups.front().levels.size());
  EncodeOptions options{.depth = way.goes_out,
                        .keep_depths = true,
                        .compression = globals.compression,
                        .mipmapped = level_count > 1 && !job.is_a_file_a_level,
                        .transfer = way.transfer,
                        .dither = globals.dither};
  std::vector<Source> sources;
  for (const Part& part : parts)
    sources.push_back({.picture = &part.picture, .base = part.base ? &*part.base : nullptr});
  std::vector<Encoded> files;
  const int file_count = job.is_a_file_a_level ? level_count : 1;
  for (options.level = 0; options.level < file_count; ++options.level)
    files.push_back(encode(*job.format, sources, arrangement_of(globals), options));
  return files;
}

void write_files(const Job& job, const std::vector<Encoded>& files, bool no_clobber, JobReport& report) {
  const Stopwatch watch;
  report.outputs.reserve(files.size());  // what is written is told of, memory or not
  for (size_t level = 0; level < files.size(); ++level) {
    std::string path = level_path(job, int(level));
    write_file(path, files[level].bytes.bytes(), no_clobber);
    report.outputs.push_back(std::move(path));
  }
  report.write_ms = watch.milliseconds();
}

void write_outputs(const Way& way, const Globals& globals, const std::vector<Part>& parts, JobReport& report) {
  const Stopwatch watch;
  const std::vector<Encoded> files = encode_outputs(way, globals, parts);
  report.encode_ms = watch.milliseconds();
  for (const Encoded& file : files)
    for (const std::string& warning : file.warnings) report.add_warning(warning);
  write_files(way.job, files, globals.no_clobber, report);
}

void process(const Request& request, const Job& given, LazyGpu& gpu, Inputs& inputs, JobReport& report) {
  const Globals& globals = request.globals;
  const Stopwatch total;
  Way way;
  Shape first;
  std::vector<Part> parts;
  for (const std::string& input : given.inputs) {
    for (Picture& picture : inputs.next(report)) {
      const Shape shape = shape_of(picture);
      if (parts.empty()) {
        way = way_of(request, given, picture);
        first = shape;
      }
      check_fits(input, shape, given.inputs.front(), first, globals);
      parts.push_back(run_picture(request, gpu, way, std::move(picture), report));
    }
  }
  report.size = first.size;
  if (given.is_format_changed)
    report.add_warning(fmt::format("{} files cannot hold the result; it is written as {}", parts.front().picture.format,
                                   given.format->name));
  if (is_cube(globals)) close_seams(parts);

  if (way.job.writes_picture) write_outputs(way, globals, parts, report);
  for (const Measured& measured : report.measured) print_out(to_text(measured));
  report.total_ms = total.milliseconds();
}

// What --verify found where all is well.
void say_verified(const JobReport& report) {
  const auto worst = std::ranges::max_element(report.checks, {}, &LevelCheck::share);
  if (worst != report.checks.end())
    say_note("{}: verified, every texel of every level; nearest to its tolerance: {}", report.input, describe(*worst));
  const auto number = std::ranges::max_element(report.number_checks, {}, &NumberCheck::share);
  if (number != report.number_checks.end())
    say_note("{}: verified, every number; nearest to its tolerance: {}", report.input, describe(*number));
}

// What stays true of a job whatever happens: its warnings and its error are said, each in one line.
Exit process_and_tell(const Request& request, const Job& job, LazyGpu& gpu, Inputs& inputs, JobReport& report) {
  Exit code = Exit::done;
  try {
    process(request, job, gpu, inputs, report);
  } catch (const Error& error) {
    report.error = error.what();
    code = error.code();
  } catch (const std::bad_alloc&) {
    report.error = job.name() + ": out of memory";
    code = Exit::limit;
  }
  const bool is_told = !request.globals.quiet && code == Exit::done;  // an error stays one line
  if (is_told) say_verified(report);
  if (is_told)
    for (const std::string& warning : report.warnings) say_warning("{}: {}", report.input, warning);
  if (!report.error.empty()) say_error(report.error);
  return code;
}

bool is_file_or_pipe(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode));
}

}  // namespace

// A copy of a picture of this size and depth, or as large a part of it as the device takes, in GB/s; 0 where it cannot be
// measured, which is no reason to fail.
static double copy_speed_of(Gpu& gpu, Size size, Depth depth) {
  const DeviceTraits& traits = gpu.info().traits;
  const auto is_too_large = [&] {
    return std::max(size.width, size.height) > traits.max_image_side ||
           4 * bytes_of(depth) * texel_count(size) > traits.max_allocation_bytes;
  };
  while (is_too_large()) (size.width > size.height ? size.width : size.height) /= 2;
  try {
    return gpu.copy_speed(size, depth);
  } catch (const Error&) {
    return 0;
  }
}

static void finish_report(const Globals& globals, Gpu* gpu, Report& report) {
  if (gpu) {
    report.device = gpu->info();
    for (JobReport& job : report.jobs)
      for (PassReport& pass : job.passes) {
        double& speed = pass.storage == Depth::half ? job.copy_half_gb_per_second : job.copy_float_gb_per_second;
        if (speed == 0) speed = copy_speed_of(*gpu, job.size, pass.storage);
      }
  }
  if (globals.timing) fmt::print(stderr, "{}", to_table(report));
  const std::string text = to_json(report);
  if (globals.report == "-") print_out(text);
  else if (!globals.report.empty()) write_file(globals.report, std::as_bytes(std::span(text)), globals.no_clobber);
}

// Compiles what users have written before any work is done. By itself: other passes that it is folded into say the same of it.
static void check_sources(const Request& request) {
  for (const Call& call : request.calls) {
    if (!call.op->takes_source) continue;
    if (request.globals.verify)
      fail(Exit::usage, "--verify: {} has no definition that its result could be compared with", call.op->name);
    const Plan made = plan({&call, 1}, {.size = {1, 1}}, {});
    spirv_of(glsl_of(made.passes.front()), call.word("file"), Author::user);
  }
}

static std::vector<std::string> inputs_of(const std::vector<Job>& jobs) {
  std::vector<std::string> inputs;
  for (const Job& job : jobs) inputs.insert(inputs.end(), job.inputs.begin(), job.inputs.end());
  return inputs;
}

Exit run(const Request& request) {
  const Globals& globals = request.globals;
  if (request.calls.empty() && globals.output.empty())
    fail(Exit::usage, "nothing to do: expected an op (`gpupost ops` lists them) or an output (-o FILE)");
  if (request.calls.empty() && globals.verify)
    fail(Exit::usage, "--verify compares what an op has made; there is no op");
  const std::vector<Job> jobs = jobs_of(request);
  check_sources(request);
  LazyGpu gpu(globals, !request.calls.empty());
  Inputs inputs(inputs_of(jobs), globals);
  Report report;
  for (const Call& call : request.calls) report.chain.push_back(call.text());
  Exit code = Exit::done;
  for (const Job& job : jobs) {
    JobReport& job_report = report.jobs.emplace_back(JobReport{.input = job.name()});
    const Exit job_code = process_and_tell(request, job, gpu, inputs, job_report);
    if (job_code != Exit::done) code = jobs.size() == 1 ? job_code : Exit::batch;
  }
  if (code == Exit::done && globals.output.empty() && jobs.front().inputs.front() != "-" &&
      is_file_or_pipe(STDOUT_FILENO) && !globals.quiet && report.jobs.front().measured.empty())
    say_warning("the result is in {}; standard output stays empty (-o - writes there)",
                report.jobs.front().outputs.front());
  if (globals.timing || !globals.report.empty()) finish_report(globals, gpu.opened(), report);
  return code;
}

}  // namespace gpupost
