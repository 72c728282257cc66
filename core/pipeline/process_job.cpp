#include "core/pipeline/process_job.h"

#include "core/base/printable.h"
#include "core/image/attributes.h"
#include "core/image/channel_names.h"
#include "core/image/cube.h"
#include "core/image/display_window.h"
#include "core/image/primaries.h"
#include "core/pipeline/channel_lookup.h"
#include "core/pipeline/image_windows.h"
#include "core/pipeline/requirements.h"
#include "core/pipeline/sheet.h"
#include "core/pipeline/texture_assembly.h"
#include "core/pipeline/write_outputs.h"
#include "core/system/atomic_file.h"
#include "core/system/interrupt.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <new>
#include <optional>
#include <utility>

namespace gpupost {

namespace {

std::vector<Group*> colors_of(std::vector<ProcessedImage>& parts) {
  std::vector<Group*> colors;
  for (ProcessedImage& part : parts) colors.push_back(&part.picture.groups.front());
  return colors;
}

// All levels of a cube except level 0.
void close_seams(std::vector<ProcessedImage>& parts, SeamValue value) {
  const std::vector<Group*> faces = colors_of(parts);
  for (int level = 1; level < int(faces.front()->levels.size()); ++level) close_seams(faces, level, value);
}

void warn_of_measures(std::span<const Call> calls, JobReport& report) {
  for (const Call& call : calls)
    if (call.op->makes != Makes::statistics && footprint_of(call, {1, 1}).measure)
      report.add_warning(fmt::format("{} measures each face of the cube separately, so faces may differ at their edges",
                                     call.op->name));
}

// The message of an error, with the name of the job if an error of Exit::limit has no name: memory can end anywhere.
std::string message_of(const Error& error, const Job& job) {
  const std::string message = error.what(), name = job.name() == "-" ? "standard input" : job.name();
  const auto begins = [&](const std::string& path) { return message.starts_with(path + ": "); };
  const bool has_name = begins(name) || std::ranges::any_of(job.inputs, begins);
  return error.code() != Exit::limit || has_name ? message : name + ": " + message;
}

// Runs a part of a job. Errors go to its report.
template <class Work>
void work_on(ProcessedJob& made, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    made.report.fail_with(error.code(), message_of(error, *made.job));
  } catch (const std::bad_alloc&) {
    made.report.fail_with(Exit::limit, message_of({Exit::limit, "out of memory"}, *made.job));
  }
}

// Runs work on an input of a job. If the job has several, its errors name the input.
template <class Work>
auto with_name(const Job& job, const std::string& input, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    const std::string message = error.what(), name = input + ": ";
    const bool is_of_input = error.code() == Exit::usage || error.code() == Exit::limit;
    if (!is_of_input || job.inputs.size() == 1 || message.starts_with(name)) throw;
    throw Error(error.code(), name + message);
  }
}

// Warnings of the inputs of one job. One that several inputs have is given once.
class InputWarnings {
 public:
  // Takes those of an input: from index `first` on.
  void take(const std::string& input, std::vector<std::string>& warnings, size_t first) {
    for (std::string& text : std::span(warnings).subspan(first)) {
      const auto same = std::ranges::find(list_, text, &Warning::text);
      if (same != list_.end()) ++same->more_count;
      else list_.push_back({.text = std::move(text), .input = input});
    }
    warnings.resize(first);
  }
  // One that all inputs have needs no name, because the report has that of the job.
  void give(size_t input_count, JobReport& report) const {
    for (const auto& [text, input, more_count] : list_) {
      const std::string more =
          more_count > 0 ? fmt::format(" and {} other input{}", more_count, more_count == 1 ? "" : "s") : "";
      report.add_warning(more_count + 1 == input_count ? text : fmt::format("{}{}: {}", input, more, text));
    }
  }

 private:
  struct Warning {
    std::string text, input;
    size_t more_count = 0;  // of other inputs with the same
  };

  std::vector<Warning> list_;
};

// Assigns the other parts of the input to the image, or warns that the output lacks them. The reader warned if no part was
// chosen and it did not keep the others.
void take_other_parts(const ChainRequest& request, const Job& job, OtherParts others, ProcessedImage& image,
                      JobReport& report) {
  const bool is_told = !others.are_kept() && request.input.part.empty();
  if (others.names.empty() || !job.writes_picture || request.output.drop_parts || is_told) return;
  if (keeps_parts(request, job)) image.others = std::move(others);
  else
    report.add_warning(fmt::format("an output {} holds one part; dropped parts: {}",
                                   job.is_a_file_a_level() ? "with one file per level"
                                   : job.inputs.size() > 1 ? "of several inputs"
                                                           : "of this format",
                                   printable(fmt::format("{}", fmt::join(others.names, ", ")))));
}

// The request without its first calls.
ChainRequest request_after(const ChainRequest& request, size_t call_count) {
  ChainRequest rest = request;
  rest.calls.erase(rest.calls.begin(), rest.calls.begin() + ptrdiff_t(call_count));
  return rest;
}

// Runs the calls before --assemble cuts the image, and cuts it. `way`: of the whole chain for the image; becomes that of the rest for a
// face, which is linear and premultiplied. `bases`: becomes level 0 of the faces as read, if that is written; else empty.
std::vector<Picture> faces_of_result(const ChainRequest& request, size_t call_count, DeviceSession& device,
                                     PictureInputs& others, const std::string& input, const std::string& frame,
                                     Picture picture, ConversionPlan& way, std::vector<BaseLevel>& bases,
                                     JobReport& report) {
  // the attributes that the output cannot hold are dropped, but the calls after the cut need the primaries
  const std::optional<Primaries> primaries = other_primaries(picture);
  check_requirements(request, picture);
  ChainRequest before = request;
  before.calls.resize(call_count);
  before.input.is_data = makes_content(request.calls, Content::data);
  set_windows(before.calls, {.data = picture.data_window, .display = picture.display_window});
  set_layout(picture, before.calls);
  const auto cut = [&](const Picture& whole) {
    return cut_faces(fmt::format("{}: `{}`", input, before.calls.back().text()), whole, request.input.assembly);
  };
  const bool is_all = call_count == request.calls.size();
  if (const auto base = is_all ? original_base(before, way, picture) : std::nullopt)
    for (Picture& face : cut(base->picture)) bases.push_back({std::move(face), base->is_clamped});
  if (!before.input.is_data) tell_of_curve(request.calls, picture, way, request.output, report);
  before.output = {};
  for (const std::string& warning : drop_other_channels(request, *way.job.format, picture)) report.add_warning(warning);
  if (primaries) set_primaries(picture, *primaries);
  const bool is_data = picture.groups.front().is_data;
  ConversionPlan way_before = way;
  way_before.job.format = format_named("exr");  // which needs no conversion
  way_before.job.writes_picture = false;
  way_before.output_depth = way.storage;
  way_before.transfer = Transfer::linear;
  const auto is_later = [&](const CallOfJob& own) { return own.index >= call_count; };
  std::erase_if(way_before.job.calls, is_later);
  const ProcessedImage whole =
      process_image(before, device, way_before, others, input, frame, std::move(picture), report);
  std::vector<Picture> faces = cut(whole.picture);
  for (Picture& face : faces)
    face.groups.front().is_data = is_data;  // as read, which the checks of the other calls expect
  std::erase_if(way.job.calls, std::not_fn(is_later));
  for (CallOfJob& own : way.job.calls) own.index -= call_count;
  way.job = job_for_levels(request_after(request, call_count).calls, way.job, faces.front());
  way.input_depth = way.file_depth = faces.front().groups.front().depth;
  return faces;
}

void run_on_inputs(const ChainRequest& request, DeviceSession& device, Prefetch& inputs,
                   std::unique_lock<std::mutex>& turn, PictureInputs& others, double& decode_wait_ms,
                   ProcessedJob& made) {
  const Job& given = *made.job;
  JobReport& report = made.report;
  InputWarnings warnings;
  const Call* sheet = sheet_of(request.calls);
  const size_t before_cut = calls_before_cut(request.calls, request.input.assembly);
  const ChainRequest rest = request_after(request, before_cut);
  std::vector<std::string> texts_before_cut;
  for (const Call& call : std::span(request.calls).first(before_cut)) texts_before_cut.push_back(call.text());
  for (const auto& [index, call] : given.calls)
    if (index < before_cut) texts_before_cut[index] = call.text();
  ColorType first;
  Size cell;
  for (size_t index = 0; index < given.inputs.size(); ++index) {
    const std::string& input = given.inputs[index];
    const std::string frame = given.frame_of(index);
    const size_t warned_before = report.warnings.size();
    const Stopwatch waiting;
    InputImages images = inputs.next(report);
    decode_wait_ms += waiting.milliseconds();
    if (&input == &given.inputs.back()) turn.unlock();
    if (given.writes_picture)
      for (const std::string& warning : images.write_warnings) report.add_warning(warning);
    for (Picture& picture : images.pictures)
      for (const std::string& warning :
           with_name(given, input, [&] { return take_named_channels(request, picture).warnings; }))
        if (given.writes_picture) report.add_warning(warning);
    for (Picture& picture : images.pictures)
      with_name(given, input, [&] { crop_to_content(request, input, picture, report); });
    std::vector<BaseLevel> bases;
    if (before_cut > 0) {
      Picture& picture = images.pictures.front();
      made.way = conversion_plan_of(request, given, picture);
      images.pictures = faces_of_result(request, before_cut, device, others, input, frame, std::move(picture), made.way,
                                        bases, report);
    } else if (is_cut(request.input.assembly) && is_openexr_cube(images.pictures.front().attributes))
      report.add_warning(
          "it is a cube map by its attribute envmap, and OpenEXR has other orientations of faces; convert it with "
          "`project --from strip --to cross` and --assemble cube-from-cross");
    for (Picture& picture : images.pictures) {
      if (sheet) {
        const Size own_cell = with_name(given, input, [&] {
          return prepare_cell(request.calls, input, request.input.limits.texel_count, picture);
        });
        if (made.parts.empty()) cell = own_cell;
      }
      const ColorType type = color_type_of(picture);
      if (made.parts.empty()) {
        if (before_cut == 0)
          made.way = with_name(given, input, [&] { return conversion_plan_of(request, given, picture); });
        first = type;
        report.size = images.size;
      }
      check_type(input, type, given.inputs.front(), first, request.input.assembly);
      const size_t measured_before = report.measured.size();
      made.parts.push_back(with_name(given, input, [&] {
        return process_image(rest, device, made.way, others, input, frame, std::move(picture), report);
      }));
      for (StatisticsResult& measured : std::span(report.measured).subspan(measured_before))
        measured.before.insert(measured.before.begin(), texts_before_cut.begin(), texts_before_cut.end());
      ProcessedImage& part = made.parts.back();
      if (!bases.empty()) part.base = std::move(bases[made.parts.size() - 1]);
      if (show_display_window(request, given, input, part.picture, report) && part.base)
        fit_to_display(part.base->picture, request.input.limits.texel_count, input);
      check_alpha(input, part.picture, given.inputs.front(), made.parts.front().picture, request.input.assembly);
      check_size(input, part.picture.size(), given.inputs.front(), made.parts.front().picture.size(),
                 request.input.assembly);
    }
    take_other_parts(request, made.way.job, std::move(images.others), made.parts.back(), report);
    if (given.inputs.size() > 1) warnings.take(input, report.warnings, warned_before);
  }
  warnings.give(given.inputs.size(), report);
  if (given.is_format_changed) {
    const std::string& name = made.parts.front().picture.format;
    const Format* format = format_named(name);
    report.add_warning(
        format && format->can_write()
            ? fmt::format("{} files cannot hold the result; it is written as {}", name, given.format->name)
            : fmt::format("gpupost does not write {} files; the result is written as {}", name, given.format->name));
  }
  name_alike(colors_of(made.parts));
  if (sheet) arrange_cells(*sheet, given.inputs, cell, request.input.limits.texel_count, made.parts);
  if (!is_cube(request.input.assembly)) return;
  // `prefilter` makes levels of the whole cube, which have no seams
  if (makes_levels(rest.calls)) close_seams(made.parts, output_of(request.calls, Output{}).seam);
  warn_of_measures(rest.calls, report);
}

}  // namespace

bool keeps_parts(const ChainRequest& request, const Job& job) {
  return job.format && job.format->holds_everything && job.writes_picture && !job.is_a_file_a_level() &&
         job.inputs.size() == 1 && !request.output.drop_parts;
}

void process(const ChainRequest& request, DeviceSession& device, Prefetch& inputs, std::unique_lock<std::mutex>& turn,
             PictureInputs& others, double& decode_wait_ms, ProcessedJob& made) {
  work_on(made, [&] { run_on_inputs(request, device, inputs, turn, others, decode_wait_ms, made); });
}

// Writes the outputs, unless another program has written the output meanwhile and --no-clobber keeps that. Returns whether it
// wrote them.
static bool write_or_keep(const ChainRequest& request, BlockDevice& blocks, const ConversionPlan& way,
                          const std::vector<ProcessedImage>& parts, JobReport& report) {
  try {
    write_outputs(way, request, blocks, parts, report);
    return true;
  } catch (const AlreadyExists&) {
    const auto is_there = [](const std::string& path) {
      std::error_code error;
      return std::filesystem::is_regular_file(path, error);
    };
    if (!is_there(way.job.output.at(0))) throw;  // level 0 gets its name last
    report.notes.push_back("another program has written the output meanwhile; it stays as it is (--no-clobber)");
    const size_t most_files = way.job.is_a_file_a_level() ? parts.front().picture.groups.front().levels.size() : 1;
    report.outputs.clear();
    for (size_t level = 0; level < most_files; ++level)
      if (const std::string path = way.job.output.at(int(level)); is_there(path)) report.outputs.push_back(path);
    return false;
  }
}

JobReport finish(const ChainRequest& request, Journal* journal, BlockDevice& blocks, ProcessedJob& made) {
  std::optional<FileWriting> guard;
  work_on(made, [&] {
    if (made.report.exit != Exit::done) return;
    if (made.way.job.writes_picture && !is_stream(made.way.job.output.at(0))) guard.emplace();
    const bool is_written =
        !made.way.job.writes_picture || write_or_keep(request, blocks, made.way, made.parts, made.report);
    if (journal && is_written) journal->add(made.journal_key, *made.job, made.report.journal);
  });
  if (made.report.exit == Exit::done) count_for_interrupt();
  made.report.ms.total = made.total.milliseconds();
  made.parts.clear();
  return std::move(made.report);
}

}  // namespace gpupost
