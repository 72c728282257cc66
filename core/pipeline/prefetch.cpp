#include "core/pipeline/prefetch.h"

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/stopwatch.h"
#include "core/base/threads.h"
#include "core/image/attributes.h"
#include "core/image/cryptomatte.h"
#include "core/image/display_window.h"
#include "core/image/primaries.h"
#include "core/pipeline/texture_assembly.h"

#include <fmt/core.h>

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace gpupost {

namespace {

// Uses this many threads; 0: one per core.
InputRead read(DecodeWorker& worker, const std::string& file, const InputSettings& settings, bool has_journal,
               bool keeps_parts, int thread_count) {
  const Stopwatch watch;
  const std::string sha256 = has_journal ? sha256_of_file(file) : "";
  DecodeOptions options = decode_options(settings);
  options.thread_count = thread_count;
  options.keeps_parts = keeps_parts;
  InputRead input{.decoded = worker.decode_file(file, options), .sha256 = sha256};
  input.milliseconds = watch.milliseconds();
  return input;
}

// Number of inputs to decode at once, so that descriptors remain for the device and the outputs.
int most_by_descriptors() {
  constexpr rlim_t of_the_rest = 56, of_a_decoder = 10;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= of_the_rest) return 0;
  return int(std::min<rlim_t>((limit.rlim_cur - of_the_rest) / of_a_decoder, 1 << 20));
}

// Several inputs of a job may have the same note.
void add_note(const std::string& note, JobReport& report) {
  if (std::ranges::find(report.notes, note) == report.notes.end()) report.notes.push_back(note);
}

InputImages images_of(const std::string& file, InputRead input, const InputSettings& settings, JobReport& report) {
  report.ms.decode += input.milliseconds;
  if (!input.sha256.empty()) report.journal.input_sha256.push_back(input.sha256);
  Picture& picture = input.decoded.picture;
  const Size size = picture.size();
  for (const std::string& warning : input.decoded.warnings) report.add_warning(warning);
  if (settings.flatten && std::ranges::none_of(input.decoded.parts, &FilePart::is_deep))
    add_note("--flatten has no effect, because the file has no deep data", report);
  if ((settings.alpha || (settings.alpha_is_data && !settings.makes_alpha)) && !picture.groups.front().has_alpha())
    add_note("--input-alpha has no effect, because the image has no alpha", report);
  if (const auto warning = drop_senseless_primaries(picture)) report.add_warning(*warning);
  if (settings.transfer) picture.transfer = *settings.transfer;
  const std::vector<std::string> attributes = names_with_information(picture.attributes);
  if (settings.primaries) set_primaries(picture, *settings.primaries);
  if (const auto warning = warning_of_removed(attributes, picture.attributes))
    input.decoded.write_warnings.push_back(*warning);
  if (settings.alpha) picture.alpha = overridden(picture.alpha, *settings.alpha);
  Group& first = picture.groups.front();
  if (settings.alpha_is_data && (first.has_alpha() || settings.makes_alpha)) first.is_data = true;
  mark_cryptomattes(picture);
  if (settings.assembly == Assembly::cube_from_cross || settings.assembly == Assembly::cube_from_strip) {
    if (fit_to_display(picture, settings.limits.texel_count, file))
      report.notes.push_back(fmt::format("--assemble {}: the faces are cut from the display window of {} x {} texels",
                                         name_of(settings.assembly), picture.size().width, picture.size().height));
    return {.pictures = cut_faces(file, picture, settings.assembly),
            .size = size,
            .write_warnings = std::move(input.decoded.write_warnings)};
  }
  InputImages images{.size = size,
                     .others = std::move(input.decoded.others),
                     .write_warnings = std::move(input.decoded.write_warnings)};
  images.pictures.push_back(std::move(picture));
  return images;
}

}  // namespace

uint64_t texel_bytes(const Picture& picture) {
  uint64_t bytes = 0;
  for (const Group& group : picture.groups)
    for (const Level& level : group.levels) bytes += level.texels.size();
  return bytes;
}

InputImages read_pictures(const std::string& input, const InputSettings& settings, JobReport& report) {
  DecodeWorker worker(DecodeWorker::Life::one_file);
  return read_pictures(worker, input, settings, report);
}

InputImages read_pictures(DecodeWorker& worker, const std::string& input, const InputSettings& settings,
                          JobReport& report) {
  return images_of(input, read(worker, input, settings, false, false, 0), settings, report);
}

Picture read_file_of_call(DecodeWorker& worker, const std::string& path, const std::string& name,
                          std::string_view part_option, const InputSettings& settings, JobReport& report) {
  JobReport own;
  InputImages images = read_pictures(worker, path, settings, own);
  for (std::string& warning : own.warnings) {
    if (warning.ends_with(part_hint)) {
      warning.resize(warning.size() - part_hint.size());
      if (!part_option.empty()) warning += fmt::format(" ({} reads another)", part_option);
    }
    report.add_warning(fmt::format("{}: {}", name, warning));
  }
  return std::move(images.pictures.front());
}

void refuse_folder(const std::string& input) {
  std::error_code ignored;
  if (std::filesystem::is_directory(input, ignored))
    fail(Exit::input, "{}: is a folder; expected a file, or --recursive for the images in it", input);
}

InputImages Prefetch::next(JobReport& report) {
  const std::string& file = files_.at(next_++);
  InputRead input = wait_next(file);
  largest_bytes_ = std::max(largest_bytes_, texel_bytes(input.decoded.picture) + input.decoded.others.bytes.size());
  read_ahead();
  return images_of(file, std::move(input), settings_, report);
}

InputSettings input_settings_of(const ChainRequest& request) {
  InputSettings settings = request.input;
  settings.is_data = makes_content(request.calls, Content::data);
  settings.makes_alpha = has_alpha_behind(request.calls, false);
  if (calls_before_cut(request.calls, settings.assembly) > 0) settings.assembly = Assembly::none;
  return settings;
}

Prefetch::Prefetch(std::vector<std::string> files, const ChainRequest& request, bool keeps_parts,
                   std::function<void()> before_ahead)
    : files_(std::move(files)),
      request_(request),
      settings_(input_settings_of(request)),
      keeps_parts_(keeps_parts),
      before_ahead_(std::move(before_ahead)),
      most_ahead_(std::min(request.batch.job_count, most_by_descriptors())),
      own_(files_.size() > 1 ? DecodeWorker::Life::many_files : DecodeWorker::Life::one_file) {}

int Prefetch::end() {
  threads_.end();
  own_.end();
  return own_.started_count() + threads_.started_count();
}

InputRead Prefetch::read_file(DecodeWorker& worker, const std::string& file, int thread_count) const {
  refuse_folder(file);
  return read(worker, file, settings_, !request_.batch.journal.empty(), keeps_parts_, thread_count);
}

InputRead Prefetch::wait_next(const std::string& file) {
  if (ahead_.empty()) return read_file(own_, file, 0);
  std::future<InputRead> first = std::move(ahead_.front());
  ahead_.pop_front();
  try {
    return result_of(std::move(first), file);
  } catch (...) {
    read_ahead();  // an error of one input must not delay the others
    throw;
  }
}

// Decoding ahead needs descriptors, processes and memory. If an input gets none, it is decoded again when the others
// have finished, and fewer are decoded ahead from then on. A pipe can be read only once.
InputRead Prefetch::result_of(std::future<InputRead> read_before, const std::string& file) {
  try {
    return read_before.get();
  } catch (const Error& error) {
    std::error_code ignored;
    if (error.code() != Exit::limit || !std::filesystem::is_regular_file(file, ignored)) throw;
  }
  for (const std::future<InputRead>& other : ahead_) other.wait();
  threads_.end();  // gives back what their processes hold
  most_ahead_ = std::max(1, most_ahead_ / 2);
  return read_file(own_, file, 0);
}

// The size of the next image is unknown, so the largest size so far is assumed. Before the first image, nothing is
// decoded ahead.
void Prefetch::read_ahead() {
  if (request_.batch.job_count < 2 || largest_bytes_ == 0) return;
  const uint64_t most = std::min(request_.batch.max_memory_bytes / 2 / largest_bytes_, uint64_t(most_ahead_));
  if (most == 0 || next_ == files_.size()) return;
  if (before_ahead_) std::exchange(before_ahead_, nullptr)();
  const int thread_count = std::max(1, core_count() / int(most));
  while (ahead_.size() < most && next_ + ahead_.size() < files_.size()) {
    const std::string& file = files_[next_ + ahead_.size()];
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return;  // a pipe may wait, and hold up the end of the run
    try {
      ahead_.push_back(
          threads_.add([=, &file, this](DecodeWorker& worker) { return read_file(worker, file, thread_count); }, most));
      own_.end();
    } catch (const std::system_error&) {
      return;  // no thread is available; it is decoded when needed
    }
  }
}

}  // namespace gpupost
