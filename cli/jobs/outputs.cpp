#include "cli/jobs/outputs.h"

#include "cli/options/sequence.h"
#include "cli/text/messages.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/ops/small/row.h"
#include "core/pipeline/pixel_formats.h"
#include "core/system/atomic_file.h"
#include "core/system/descriptor.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace gpupost {

namespace fs = std::filesystem;

static bool ends_in_statistics(const Request& request) {
  return !request.calls.empty() && request.calls.back().op->makes == Makes::statistics;
}

static bool writes_no_image(const Request& request) {
  return ends_in_statistics(request) && (request.globals.output.empty() || !statistics_file_of(request).empty());
}

void check_options_have_effect(const Request& request) {
  if (request.calls.empty())
    check_globals_have_effect(
        request, [](const Global& global) { return global.scope != Scope::ops; },
        "without an op; add one, or leave it out");
  if (writes_no_image(request))
    check_globals_have_effect(
        request, [](const Global& global) { return global.scope != Scope::images; },
        fmt::format("without an output image, and `{}` at the end of the chain writes none; leave it out, or name an "
                    "image with -o",
                    request.calls.back().op->name));
  if (!writes_no_image(request) || !statistics_file_of(request).empty()) return;
  const ReportSettings& report = request.globals.report;
  const bool writes_file = !report.file.empty() || !report.depfile.empty() || !report.progress.file.empty();
  const auto acts_without_output = [](const Global& global) { return global.name != "no-clobber"; };
  const auto acts_without_files = [](const Global& global) {
    return global.name != "no-clobber" && global.name != "mkdir";
  };
  check_globals_have_effect(request, writes_file ? +acts_without_output : +acts_without_files,
                            "without an output file; leave it out, or name a file with -o");
}

bool output_is_there(const std::string& path) {
  std::error_code error;
  return !own_descriptor(path) && fs::is_regular_file(path, error);
}

int most_levels_of(std::span<const Call> calls) {
  return makes_levels(calls) ? output_of(calls.back(), {.size = largest_image}).level_count : 1;
}

std::optional<OutputPath> possible_level_output(const Request& request, const Job& job) {
  const int most_levels = most_levels_of(request.calls);
  if (most_levels == 1 || most_levels >= level_count_of(largest_image)) return std::nullopt;  // one level, or all
  if (job.is_output_named || job.output.at(0) == "-" || job.format->levels == FileLevels::any) return std::nullopt;
  return default_level_output(job);
}

void prepare_output(const OutputSettings& settings, const std::string& path, bool no_clobber) {
  if (path.empty()) return;
  if (settings.makes_folders) make_folder_of(path);
  check_can_be_written(path, no_clobber);
}

bool write_or_keep(const Globals& globals, std::string_view text) {
  try {
    write_file(globals.output, std::as_bytes(std::span(text)), globals.encoding.no_clobber);
    return true;
  } catch (const AlreadyExists&) {
    if (!output_is_there(globals.output)) throw;
    if (!globals.report.quiet)
      say_note("{}: another program has written the output meanwhile; it stays as it is (--no-clobber)",
               globals.output);
    return false;
  }
}

std::string statistics_file_of(const Request& request) {
  const std::string& output = request.globals.output;
  return ends_in_statistics(request) && lower_case(output).ends_with(".json") ? output : "";
}

void check_has_no_placeholder(const std::string& path, std::string_view reason) {
  if (path.find('{') != path.npos || Sequence::parse(path))
    fail(Exit::usage, "-o {}: {}; expected a name without placeholders", path, reason);
}

std::string one_file_of(const Request& request) {
  const Assembly assembly = request.globals.input.assembly;
  const bool is_sheet = !request.calls.empty() && request.calls.back().op->makes == Makes::cell;
  if (is_sheet && assembly != Assembly::none)
    fail(Exit::usage, "sheet and --assemble {} both make one file of all inputs; leave one out", name_of(assembly));
  return is_sheet ? "sheet" : assembly == Assembly::none ? "" : fmt::format("--assemble {}", name_of(assembly));
}

std::string frame_text(const Input& input) { return input.frame ? frame_digits(*input.frame, input.frame_width) : ""; }

std::string folder_below(const std::string& input) {
  fs::path folder;
  for (const fs::path& step : fs::path(input).parent_path().relative_path())
    if (step != ".." && step != ".") folder /= step;
  return folder.empty() ? "." : folder.string();
}

// The text for a placeholder like {stem}, for one input. `is_below`: the pattern has text before the placeholder.
static std::string place(std::string_view key, const Input& input, const Format& format, bool is_below) {
  const fs::path path = is_standard_input(input.path) ? "stdin" : input.path;
  if (key == "stem") return path.stem().string();
  if (key == "name") return path.filename().string();
  if (key == "ext") return std::string(format.extensions.front());
  if (key == "dir")
    return is_below ? folder_below(path.string()) : path.has_parent_path() ? path.parent_path().string() : ".";
  if (key == "frame" && input.frame) return frame_text(input);
  if (key == "frame")
    fail(Exit::usage, "-o: {{frame}} needs inputs of a sequence, like in.%04d.exr; {} has no frame number", input.path);
  fail(Exit::usage, "-o: {{{}}} is not one of {{stem}} {{name}} {{ext}} {{dir}} {{level}} {{frame}}", key);
}

// The output for an input of a sequence, with its frame number.
static std::string with_frame(const std::string& output, const Input& input) {
  const std::optional<Sequence> sequence = Sequence::parse(output);
  if (!sequence) return output;
  if (!input.frame)
    fail(Exit::usage,
         "-o {}: has a pattern for a frame number, and the input {} has no frame number; expected a sequence like "
         "in.%04d.exr, or {{stem}} {{name}} {{ext}} {{dir}} {{level}} in -o",
         output, input.path);
  return sequence->path(*input.frame);
}

// A path without steps named "." and without doubled slashes. It stays as it is if it has no other step.
static std::string without_empty_steps(const std::string& path) {
  fs::path result;
  for (const fs::path& step : fs::path(path))
    if (step != ".") result /= step;
  return result.empty() ? path : result.string();
}

static OutputPath fill(const std::string& output, const Input& input, const Format& format) {
  const std::string pattern = with_frame(output, input);
  constexpr char level = '\0';  // which is in no path
  std::string text;
  bool has_folder = false;
  size_t at = 0;
  while (at < pattern.size()) {
    const size_t open = pattern.find('{', at);
    if (open == pattern.npos) break;
    const size_t close = pattern.find('}', open);
    if (close == pattern.npos)
      fail(Exit::usage, "-o {}: {} has no }}; expected a placeholder like {{stem}}", output, pattern.substr(open));
    text += pattern.substr(at, open - at);
    const std::string key = pattern.substr(open + 1, close - open - 1);
    if (key == "level") text += level;
    else text += place(key, input, format, open > 0);
    has_folder |= key == "dir";
    at = close + 1;
  }
  text += pattern.substr(at);
  if (has_folder) text = without_empty_steps(text);  // as make and ninja write the name
  OutputPath path;
  for (const char c : text)
    if (c == level) path.add_level();
    else path.add(std::string_view(&c, 1));
  return path;
}

// The format of an input as far as it is known before it is read: from its extension, or from the first bytes of standard input.
static const Format* format_of_input(const std::string& path) {
  return is_standard_input(path) ? format_of_bytes(first_bytes(STDIN_FILENO, magic_bytes)) : format_of_extension(path);
}

// Format of an output: --format, else from the output's name, else as the input, else EXR.
static const Format* format_of(const Request& request, Job& job, bool one_file_holds_levels) {
  const Globals& globals = request.globals;
  if (globals.format) return globals.format;
  const std::string& output = globals.output;
  const bool is_descriptor = own_descriptor(output) && !fs::path(output).has_extension();  // "-", "/dev/stdout"
  const bool name_says = !output.empty() && !is_descriptor && !output.ends_with('/') && !output.ends_with(".{ext}");
  if (name_says) {
    const Format* format = format_of_extension(output);
    std::error_code error;
    if (!format && fs::is_directory(output, error))
      fail(Exit::usage, "-o {0}: is a folder; write {0}/ for a file in it, named after the input", output);
    if (!format && output.ends_with("{name}"))
      fail(Exit::usage,
           "-o {}: {{name}} ends in the extension of the input, which picks no format; expected {{stem}}.{{ext}} at "
           "the end, or --format",
           output);
    if (!format && !fs::path(output).has_extension())
      fail(Exit::usage, "-o {0}: no extension; expected {1}, or --format, or {0}/ for a folder", output,
           writable_extensions());
    if (!format)
      fail(Exit::usage, "-o {}: unknown extension; expected {}{}, or give --format{}", output,
           ends_in_statistics(request) ? ".json for the statistics, or for the image " : "", writable_extensions(),
           fs::path(output).extension() == ".tx" ? " exr (`mips` makes the levels of a texture)" : "");
    if (!format->can_write())
      fail(Exit::usage, "-o {}: {} files are read but not written; expected {}", output, format->name,
           writable_extensions());
    return format;
  }
  const Format* format = format_of_input(job.inputs.front());
  if (format && format->can_write() && (!one_file_holds_levels || format->levels != FileLevels::one)) return format;
  job.is_format_changed = format != nullptr;
  return format_named("exr");
}

static std::string default_output(const Request& request, const Job& job) {
  if (is_standard_input(job.inputs.front())) return "-";
  return fs::path(job.inputs.front()).stem().string() + "." + std::string(request.calls.back().op->name) + "." +
         std::string(job.format->extensions.front());
}

static void check_assembly(const Request& request, const Job& job) {
  const Globals& globals = request.globals;
  if (globals.input.assembly == Assembly::none) return;
  const std::string_view kind = name_of(globals.input.assembly);
  if (!job.format->holds_arrangements)
    fail(Exit::usage, "--assemble {}: {} files hold a single image; expected -o with .ktx2 or .dds", kind,
         job.format->name);
  const size_t count = job.inputs.size();
  if (globals.input.assembly == Assembly::cube && count != 6)
    fail(Exit::usage, "--assemble cube: the number of inputs is {}; expected 6, in the order +X -X +Y -Y +Z -Z", count);
  const bool is_cut =
      globals.input.assembly == Assembly::cube_from_cross || globals.input.assembly == Assembly::cube_from_strip;
  if (is_cut && count != 1) fail(Exit::usage, "--assemble {}: the number of inputs is {}; expected 1", kind, count);
  const bool has_seams = globals.input.assembly != Assembly::array && makes_levels(request.calls);
  if (has_seams && output_of(request.calls, Output{}).colors_transparent)
    fail(Exit::usage,
         "--assemble {}: levels are averaged across the edges of faces, which would add colors of texels with alpha 0 "
         "as light; leave out --bleed of {}",
         kind, request.calls.back().op->name);
}

static void check_content(const Request& request, const Job& job) {
  if (request.calls.empty()) return;
  const Call& first = request.calls.front();
  if (!first.op->needs(first).only_content) return;
  const auto assembly = request.globals.input.assembly;
  if (assembly != Assembly::none && assembly != Assembly::array)  // sizes of an array are compared after the chain
    fail(Exit::usage, "--assemble {}: `{}` cuts another part out of each image; expected crop --window",
         name_of(assembly), first.text());
  const bool is_cell = request.calls.back().op->makes == Makes::cell;
  if (first.op == &crop_op && first.flag("keep-display") &&
      (is_cell || !job.format->holds_everything || request.globals.encoding.to_display))
    fail(Exit::usage, "crop --keep-display: {}; leave --keep-display out",
         is_cell                        ? "`sheet` makes an image of its own window"
         : job.format->holds_everything ? "--to-display writes all of the display window"
                                        : fmt::format("{} files hold no display window", job.format->name));
}

// The job without any check of its options.
static Job unchecked_job_of(const Request& request, std::span<const Input> inputs) {
  const std::string& output = request.globals.output;
  Job job{.is_output_named = !output.empty()};
  for (const Input& input : inputs) {
    job.inputs.push_back(input.path);
    job.frames.push_back(frame_text(input));
  }
  if (writes_no_image(request)) {
    job.format = format_named("exr");  // which can hold everything
    job.writes_picture = false;
    return job;
  }
  const bool is_a_file_a_level = output.find("{level}") != output.npos;
  job.format = format_of(request, job, most_levels_of(request.calls) > 1 && !is_a_file_a_level);
  if (output.empty()) job.output = OutputPath(default_output(request, job));
  else job.output = fill(output.ends_with('/') ? output + "{stem}.{ext}" : output, inputs.front(), *job.format);
  return job;
}

Job job_of(const Request& request, std::span<const Input> inputs) {
  Job job = unchecked_job_of(request, inputs);
  if (!job.writes_picture) return job;
  const std::string& output = request.globals.output;
  check_assembly(request, job);
  check_content(request, job);
  check_numbers(request.globals.encoding, *job.format);
  check_output_primaries(request.globals.encoding, request.calls);
  if (job.is_a_file_a_level() && !makes_levels(request.calls))
    fail(Exit::usage, "-o {}: {{level}} needs an op that makes levels, like mips, at the end of the chain", output);
  return job;
}

size_t inputs_per_job(const Request& request) { return one_file_of(request).empty() ? 1 : request.inputs.files.size(); }

Job first_job_of(const Request& request) {
  return job_of(request, std::span(request.inputs.files).first(inputs_per_job(request)));
}

}  // namespace gpupost
