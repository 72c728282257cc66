#include "cli/jobs/series.h"

#include "cli/jobs/outputs.h"
#include "cli/report/statistics_report.h"
#include "cli/text/messages.h"
#include "core/base/error.h"
#include "core/base/smoothing.h"
#include "core/ops/small/exposure.h"
#include "core/ops/stats/row.h"
#include "core/pipeline/run_jobs.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>

namespace gpupost {

namespace {

// The exposure of an image.
struct ImageExposure {
  std::string name;              // file name without folders
  std::optional<int64_t> frame;  // empty if the image is in no sequence
  double stops = 0;              // NaN for a black image, and for one that could not be measured
  // The input that could not be measured: the image itself or, after smoothing, one that its exposure depends on.
  std::optional<UnmeasuredInput> unmeasured = {};
};

using ExposureByName = std::map<std::string, ImageExposure>;

std::string name_of_file(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// How many frames on each side a smoothed exposure depends on: a mean of medians reaches twice as far as its window.
size_t reach_of(const Call& call) { return call.has("smooth") ? size_t(call.integer("smooth") - 1) : 0; }

// Smooths exposures in the order of their frames, and returns them by the names of the images.
ExposureByName by_name(const Call& call, std::vector<ImageExposure> exposures) {
  std::ranges::sort(exposures, {}, &ImageExposure::frame);
  std::vector<double> stops;
  for (const ImageExposure& exposure : exposures) stops.push_back(exposure.stops);
  if (call.has("smooth")) stops = smoothed(stops, call.integer("smooth"));
  ExposureByName result;
  for (size_t index = 0; index < stops.size(); ++index) {
    ImageExposure& made = result[exposures[index].name] = exposures[index];
    made.stops = stops[index];
    const size_t first = index - std::min(index, reach_of(call));
    const size_t end = std::min(index + reach_of(call) + 1, stops.size());
    for (size_t near = first; near < end && !made.unmeasured; ++near) made.unmeasured = exposures[near].unmeasured;
  }
  return result;
}

// Is `measured` the text of `call`, but for the folders of its files, which may differ between machines?
bool is_text_of(std::string_view measured, const Call& call) {
  const std::string text = call.text();
  std::map<size_t, std::string> files;  // by their places in the text
  for (const ReadFile& file : files_of_calls({&call, 1}))
    for (size_t at = text.find(file.path); at != text.npos; at = text.find(file.path, at + 1)) files[at] = file.path;
  size_t seen = 0;  // characters of the text
  for (const auto& [at, path] : files) {
    if (!measured.starts_with(std::string_view(text).substr(seen, at - seen))) return false;
    measured.remove_prefix(at - seen);
    const std::string name = name_of_file(path);
    size_t found = measured.find(name);
    while (found != measured.npos && found > 0 && measured[found - 1] != '/') found = measured.find(name, found + 1);
    if (found == measured.npos) return false;
    measured.remove_prefix(found + name.size());
    seen = at + path.size();
  }
  return measured == std::string_view(text).substr(seen);
}

// Are these the ops of a measurement before `exposure`? `stats` changes no image, and a series has an exposure for each image.
bool are_ops_before(std::vector<std::string> measured, std::span<const Call> before) {
  std::erase_if(measured, [](std::string_view text) { return text == "stats" || text.starts_with("stats "); });
  size_t index = 0;
  for (const Call& call : before) {
    if (call.op->makes == Makes::statistics) continue;
    if (index == measured.size()) return false;
    const std::string& text = measured[index++];
    if (needs_series(call) ? !text.starts_with("exposure ") : !is_text_of(text, call)) return false;
  }
  return index == measured.size();
}

std::string list_of(const std::vector<std::string>& ops) {
  return ops.empty() ? "no op" : fmt::format("`{}`", fmt::join(ops, " "));
}

void warn_of_other_ops(const std::string& file, size_t line, const std::vector<std::string>& measured,
                       std::span<const Call> before) {
  std::vector<std::string> ops;
  for (const Call& call : before) ops.push_back(call.text());
  say_warning(
      "{}: line {} was measured after {}, but {} comes before exposure; put the same ops before `stats` and "
      "measure again",
      file, line, list_of(measured), list_of(ops));
}

// Reads the file of --auto-from: one line for each image. `before`: the calls before this one.
std::vector<ImageExposure> exposures_of_file(const Call& call, std::span<const Call> before, bool is_quiet) {
  const std::string& file = call.word("auto-from");
  std::map<std::string, size_t> line_of_name;
  std::map<int64_t, size_t> line_of_frame;
  std::vector<ImageExposure> exposures;
  std::istringstream lines(call.source);
  std::string text;
  std::optional<std::pair<size_t, std::vector<std::string>>> other;  // first line after other ops, and these ops
  for (size_t line = 1; std::getline(lines, text); ++line) {
    const std::optional<MeasuredLight> measured = measured_light_of(text);
    if (!measured)
      fail(Exit::input,
           "{}: line {} does not have the log average and the histogram of an image; expected a file of `stats -o "
           "FILE.json` without --measure extremes",
           file, line);
    const std::string name = name_of_file(measured->input);
    if (const auto [first, is_new] = line_of_name.emplace(name, line); !is_new)
      fail(Exit::input, "{}: lines {} and {} are both for {}; expected one line for each file name", file,
           first->second, line, name);
    if (call.has("smooth") && !measured->frame)
      fail(Exit::input, "{}: line {} has no frame number, and --smooth needs one; measure a sequence, like in.####.exr",
           file, line);
    if (call.has("smooth"))
      if (const auto [first, is_new] = line_of_frame.emplace(*measured->frame, line); !is_new)
        fail(Exit::input, "{}: lines {} and {} are both for frame {}, and --smooth needs one sequence", file,
             first->second, line, *measured->frame);
    if (!other && measured->before && !are_ops_before(*measured->before, before)) other = {line, *measured->before};
    exposures.push_back({.name = name, .frame = measured->frame, .stops = auto_stops(call, measured->statistics)});
  }
  if (other && !is_quiet) warn_of_other_ops(file, other->first, other->second, before);
  return exposures;
}

// Adds the inputs, also those of other shards, that a file of measurements lacks: smoothed exposures around them depend on them.
void add_unmeasured(const InputList& inputs, const Call& call, std::vector<ImageExposure>& exposures) {
  static constexpr auto why = "{}: {}: the file has no line for this image; measure it with `stats -o FILE.json`";
  std::set<std::string> names;
  for (const ImageExposure& exposure : exposures) names.insert(exposure.name);
  for (const std::vector<Input>* list : {&inputs.files, &inputs.others})
    for (const Input& input : *list) {
      const std::string name = name_of_file(input.path);
      if (!input.frame || !names.insert(name).second) continue;
      exposures.push_back(
          {.name = name,
           .frame = input.frame,
           .stops = std::numeric_limits<double>::quiet_NaN(),
           .unmeasured = UnmeasuredInput{input.path, Exit::input, fmt::format(why, input.path, call.text())}});
    }
}

// Without a file, this run must have all frames of one sequence.
void check_sequence(const Request& request, const Call& call) {
  const InputList& inputs = request.inputs;
  if (request.globals.inputs.shard)
    fail(Exit::usage,
         "{}: a shard has only a part of the frames; measure all frames with `stats -o exposures.json`, then use "
         "--auto-from exposures.json",
         call.text_of(*call.op->param("smooth")));
  const bool is_sequence =
      request.input_words.size() == 1 && request.globals.inputs.list.empty() &&
      std::ranges::all_of(inputs.files, [](const Input& input) { return input.frame.has_value(); });
  if (!is_sequence || inputs.files.empty())
    fail(Exit::usage, "{}: the inputs are not one sequence; expected only a pattern like in.####.exr, or --auto-from",
         call.text_of(*call.op->param("smooth")));
}

// Runs the calls before `index` and then `stats` on all images.
std::vector<ImageExposure> measure(const Request& request, const ChainRequest& chain, size_t index,
                                   std::span<const Job> jobs, DeviceSessions& devices) {
  ChainRequest measuring{.calls = {chain.calls.begin(), chain.calls.begin() + std::ptrdiff_t(index)},
                         .input = chain.input,
                         .passes = chain.passes,
                         .device = chain.device,
                         .batch = chain.batch};
  measuring.calls.push_back(default_call(stats_op));
  measuring.passes.verify = false;
  measuring.batch.journal.clear();
  measuring.batch.fails_fast = false;
  const Call& call = chain.calls[index];
  if (!request.globals.report.quiet)
    say_note("{} measured first ({})", jobs.size() == 1 ? "1 image is" : fmt::format("{} images are", jobs.size()),
             call.text_of(*call.op->param("smooth")));
  std::vector<ImageExposure> exposures;
  const auto add = [&](JobReport& report) {
    const Input& input = request.inputs.files[exposures.size()];
    ImageExposure made{.name = name_of_file(input.path),
                       .frame = input.frame,
                       .stops = std::numeric_limits<double>::quiet_NaN(),
                       .unmeasured = jobs[exposures.size()].unmeasured};
    if (report.exit == Exit::done) made.stops = auto_stops(call, report.measured.back().color);
    else if (!made.unmeasured) made.unmeasured = {.path = input.path, .exit = report.exit, .error = report.error};
    exposures.push_back(std::move(made));
    report = {.exit = report.exit};
  };
  const Report ended = run_jobs(measuring, jobs, devices, {.on_start = [](const Job&) {}, .on_job = add});
  if (ended.device_exit != Exit::done) {
    const auto failed = std::ranges::find_if(
        exposures, [&](const ImageExposure& e) { return e.unmeasured && e.unmeasured->exit == ended.device_exit; });
    throw Error(ended.device_exit, failed != exposures.end() ? failed->unmeasured->error : "the device failed");
  }
  return exposures;
}

void give(const ExposureByName& exposures, size_t index, std::vector<Job>& jobs) {
  for (Job& job : jobs) {
    const auto found = exposures.find(name_of_file(job.inputs.front()));
    if (found == exposures.end()) continue;
    if (found->second.unmeasured) job.unmeasured = found->second.unmeasured;
    else job.calls.push_back({.index = index, .call = exposure_of_stops(found->second.stops)});
  }
}

// A job for each input of the request that only measures. --no-clobber may have removed some from the others.
std::vector<Job> measuring_jobs(const Request& request) {
  std::vector<Job> jobs;
  for (const Input& input : request.inputs.files)
    jobs.push_back({.inputs = {input.path},
                    .frames = {frame_text(input)},
                    .output = {},
                    .format = format_named("exr"),
                    .writes_picture = false,
                    .calls = {}});
  return jobs;
}

}  // namespace

Neighbors::Neighbors(const Request& request) {
  size_t measured_count = 0;  // calls before the last such exposure
  for (size_t index = 0; index < request.calls.size(); ++index) {
    const Call& call = request.calls[index];
    if (!needs_series(call) || !call.word("auto-from").empty()) continue;
    reach_ = std::max(reach_, reach_of(call));
    measured_count = index;
  }
  if (reach_ == 0) return;
  const std::span before = std::span(request.calls).first(measured_count);
  std::vector<Input> frames = request.inputs.files;
  std::ranges::sort(frames, {}, &Input::frame);
  for (const Input& frame : frames) {
    place_of_.emplace(frame.path, files_.size());
    std::vector<std::string>& files = files_.emplace_back(1, frame.path);
    for (const ReadFile& file : files_of_calls(before, frame_text(frame))) files.push_back(file.path);
  }
}

std::vector<std::string> Neighbors::of(const Job& job) const {
  std::vector<std::string> neighbors;
  const auto own = place_of_.find(job.inputs.front());
  if (own == place_of_.end()) return neighbors;
  const size_t first = own->second - std::min(own->second, reach_);
  const size_t end = std::min(own->second + reach_ + 1, files_.size());
  for (size_t place = first; place < end; ++place)
    if (place != own->second) neighbors.insert(neighbors.end(), files_[place].begin(), files_[place].end());
  return neighbors;
}

void give_exposures(const Request& request, ChainRequest& chain, std::vector<Job>& jobs, DeviceSessions& devices) {
  if (std::ranges::none_of(chain.calls, needs_series)) return;
  if (const std::string one_file = one_file_of(request); !one_file.empty())
    fail(Exit::usage, "{}: an image for each input is needed by --auto-from and --smooth; leave them out", one_file);
  for (const Call& call : chain.calls)
    if (needs_series(call) && call.word("auto-from").empty()) check_sequence(request, call);
  std::vector<Job> measured = measuring_jobs(request);
  for (size_t index = 0; index < chain.calls.size(); ++index) {
    Call& call = chain.calls[index];
    if (!needs_series(call)) continue;
    const bool is_of_file = !call.word("auto-from").empty();
    const std::span before = std::span(chain.calls).first(index);
    std::vector<ImageExposure> images = is_of_file ? exposures_of_file(call, before, request.globals.report.quiet)
                                                   : measure(request, chain, index, measured, devices);
    if (is_of_file && call.has("smooth")) add_unmeasured(request.inputs, call, images);
    const ExposureByName exposures = by_name(call, std::move(images));
    call.source.clear();  // may be large, and is copied for each image
    give(exposures, index, jobs);
    give(exposures, index, measured);
  }
}

}  // namespace gpupost
