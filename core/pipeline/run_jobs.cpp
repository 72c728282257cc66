#include "core/pipeline/run_jobs.h"

#include "core/base/stopwatch.h"
#include "core/glsl/shader_text.h"
#include "core/image/channel_names.h"
#include "core/image/cube.h"
#include "core/image/display_window.h"
#include "core/pipeline/channel_lookup.h"
#include "core/pipeline/prefetch.h"
#include "core/pipeline/process_image.h"
#include "core/pipeline/texture_assembly.h"
#include "core/pipeline/write_outputs.h"
#include "core/system/sandbox.h"

#include <algorithm>
#include <new>

namespace gpupost {

namespace {

std::vector<Group*> colors_of(std::vector<ProcessedImage>& parts) {
  std::vector<Group*> colors;
  for (ProcessedImage& part : parts) colors.push_back(&part.picture.groups.front());
  return colors;
}

// Every level of a cube but its base.
void close_seams(std::vector<ProcessedImage>& parts) {
  const Size size = parts.front().picture.size();
  if (size.width != size.height)
    fail(Exit::usage, "--assemble: the chain makes faces of {} x {}; expected squares", size.width, size.height);
  const std::vector<Group*> faces = colors_of(parts);
  for (int level = 1; level < int(faces.front()->levels.size()); ++level) average_seams(faces, level);
}

// Makes the picture its display window where that is asked for, or the format has no windows. Returns whether it changed.
bool show_display_window(const ChainRequest& request, const Job& job, Picture& picture, JobReport& report) {
  const bool is_needed = request.output.to_display || !job.format->holds_everything;
  if (!is_needed || !job.writes_picture || !fit_to_display(picture, request.input.limits.texel_count)) return false;
  if (!request.output.to_display)
    report.notes.push_back(
        fmt::format("{} holds no windows; it gets the display window of {} x {} texels", job.format->name,
                    picture.size().width, picture.size().height));
  return true;
}

void process(const ChainRequest& request, const Job& given, DeviceSession& device, Prefetch& inputs,
             JobReport& report) {
  const Stopwatch total;
  ConversionPlan way;
  ImageShape first;
  std::vector<ProcessedImage> parts;
  for (const std::string& input : given.inputs) {
    for (Picture& picture : inputs.next(report)) {
      take_named_channels(request.calls, picture);
      // levels are made of what is to be seen; other ops may use what lies around it
      const bool has_levels = !request.calls.empty() && request.calls.back().op->makes_levels;
      if (has_levels) show_display_window(request, given, picture, report);
      const ImageShape shape = shape_of(picture);
      if (parts.empty()) {
        way = conversion_plan_of(request, given, picture);
        first = shape;
      }
      check_fits(input, shape, given.inputs.front(), first, request.input.assembly);
      parts.push_back(process_image(request, device, way, std::move(picture), report));
      if (!has_levels && show_display_window(request, given, parts.back().picture, report)) parts.back().base.reset();
    }
  }
  report.size = first.size;
  if (given.is_format_changed)
    report.add_warning(fmt::format("{} files cannot hold the result; it is written as {}", parts.front().picture.format,
                                   given.format->name));
  name_alike(colors_of(parts));
  if (is_cube(request.input.assembly)) close_seams(parts);
  if (way.job.writes_picture) write_outputs(way, request, parts, report);
  report.ms.total = total.milliseconds();
}

JobReport report_of(const ChainRequest& request, const Job& job, DeviceSession& device, Prefetch& inputs) {
  JobReport report{.input = job.name()};
  try {
    process(request, job, device, inputs, report);
  } catch (const Error& error) {
    report.fail_with(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    report.fail_with(Exit::limit, job.name() + ": out of memory");
  }
  return report;
}

// User GLSL is compiled by a process that takes the sandbox of the decoders.
void check_sandbox(const ChainRequest& request, DeviceSession& device) {
  if (is_sanitized() || sandbox_holds()) return;
  if (request.input.requires_sandbox)
    fail(Exit::limit,
         "the compiler's system calls cannot be filtered here (no seccomp), and --require-sandbox is given");
  device.warn("user GLSL is compiled without a filter of system calls (no seccomp; see `gpupost doctor`)");
}

// Compiles what users have written before any work is done. By itself: other passes that it is folded into say the same of it.
void check_user_glsl(const ChainRequest& request, DeviceSession& device) {
  if (std::ranges::any_of(request.calls, [](const Call& call) { return call.op->takes_source; }))
    check_sandbox(request, device);  // before drivers start threads
  for (const Call& call : request.calls) {
    if (!call.op->takes_source) continue;
    if (request.passes.verify)
      fail(Exit::usage, "--verify: {} has no definition that its result could be compared with", call.op->name);
    const Plan made = plan({&call, 1}, {.size = {1, 1}}, {});
    spirv_of(glsl_of(made.passes.front()), call.word("file"), Author::user);
  }
}

std::vector<std::string> inputs_of(std::span<const Job> jobs) {
  std::vector<std::string> inputs;
  for (const Job& job : jobs) inputs.insert(inputs.end(), job.inputs.begin(), job.inputs.end());
  return inputs;
}

// A copy of a picture of this size and depth, or as large a part of it as the device takes, in GB/s; 0 where it cannot be
// measured, which is no reason to fail.
double copy_speed_of(Gpu& gpu, Size size, Depth depth) {
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

}  // namespace

Report run_jobs(const ChainRequest& request, std::span<const Job> jobs, DeviceSession& device,
                const std::function<void(JobReport&)>& on_job) {
  check_user_glsl(request, device);
  if (!request.calls.empty()) device.start();
  if (request.device.require_gpu && !request.calls.empty())
    device.run_with_retry([](Gpu&) {});  // no input is read where there is none
  Prefetch inputs(inputs_of(jobs), request.input);
  Report report;
  for (const Call& call : request.calls) report.chain.push_back(call.text());
  for (const Job& job : jobs) {
    report.jobs.push_back(report_of(request, job, device, inputs));
    on_job(report.jobs.back());
  }
  return report;
}

Exit exit_of(const Report& report) {
  if (report.jobs.size() == 1) return report.jobs.front().exit;
  const bool is_done = std::ranges::all_of(report.jobs, [](Exit exit) { return exit == Exit::done; }, &JobReport::exit);
  return is_done ? Exit::done : Exit::batch;
}

void measure_copies(DeviceSession& device, Report& report) {
  Gpu* gpu = device.opened();
  if (!gpu) return;
  report.device = gpu->info();
  for (JobReport& job : report.jobs)
    for (const PassReport& pass : job.passes) {
      double& speed = pass.storage == Depth::half ? job.copies.half_gb_per_s : job.copies.float_gb_per_s;
      if (speed == 0) speed = copy_speed_of(*gpu, job.size, pass.storage);
    }
}

}  // namespace gpupost
