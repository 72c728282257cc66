#include "core/pipeline/job.h"

#include "core/base/error.h"
#include "core/system/atomic_file.h"

#include <fmt/ranges.h>

namespace gpupost {

static constexpr std::string_view frame_place = "{frame}";

std::string Job::name() const {
  return inputs.size() == 1 ? inputs.front() : fmt::format("{} and {} more", inputs.front(), inputs.size() - 1);
}

std::string OutputPath::at(int level) const { return fmt::format("{}", fmt::join(pieces_, std::to_string(level))); }
std::string OutputPath::shown() const { return fmt::format("{}", fmt::join(pieces_, "{level}")); }

std::vector<ReadFile> files_of_calls(std::span<const Call> calls) {
  std::vector<ReadFile> files;
  const auto add_image = [&](const std::string& path, std::string_view what) {
    files.push_back({.path = path, .what = what, .is_of_frame = path.find(frame_place) != path.npos});
  };
  for (const Call& call : calls) {
    const Needs needs = call.op->needs(call);
    if (needs.depth) add_image(call.word("depth-file"), "depth file");
    if (!needs.file.empty()) files.push_back({.path = call.word(needs.file), .what = "source"});
    for (const std::string& path : needs.files) files.push_back({.path = path, .what = "source"});
    for (const NeededPicture& picture : needs.pictures) add_image(picture.path, "second image");
  }
  std::erase_if(files, [](const ReadFile& file) { return file.path.empty(); });
  return files;
}

std::vector<ReadFile> files_of_calls(std::span<const Call> calls, std::string_view frame) {
  std::vector<ReadFile> files = files_of_calls(calls);
  for (ReadFile& file : files)
    if (file.is_of_frame) file.path = fill_frame(file.path, frame);
  return files;
}

std::vector<ReadFile> files_of_calls(std::span<const Call> calls, const Job& job) {
  std::vector<ReadFile> files;
  for (size_t input = 0; input < job.inputs.size(); ++input)
    for (ReadFile& file : files_of_calls(calls, job.frame_of(input)))
      if (input == 0 || file.is_of_frame) files.push_back(std::move(file));
  return files;
}

std::string fill_frame(std::string path, std::string_view frame) {
  for (size_t at = 0; (at = path.find(frame_place, at)) != path.npos; at += frame.size()) {
    if (frame.empty())
      fail(Exit::usage, "{}: {{frame}} needs inputs of a sequence, like in.%04d.exr; the input has no frame number",
           path);
    path.replace(at, frame_place.size(), frame);
  }
  return path;
}

OutputPath default_level_output(const Job& job) {
  const std::string whole = job.output.at(0), extension = "." + std::string(job.format->extensions.front());
  OutputPath path(whole.substr(0, whole.size() - extension.size()) + ".");
  path.add_level();
  path.add(extension);
  return path;
}

Job split_into_level_files(Job job, int level_count, int whole_count) {
  if (level_count == 1 || level_count == whole_count || job.is_a_file_a_level()) return job;
  if (job.format->levels == FileLevels::any) return job;
  if (job.is_output_named || job.output.at(0) == "-")
    fail(Exit::usage, "{}: {} files hold {}, not {}; use {{level}} in -o for one file per level",
         job.output.at(0) == "-" ? "standard output" : job.output.shown(), job.format->name,
         job.format->levels == FileLevels::one ? "one level"
         : whole_count == 1                    ? "one level of a cube"
                                               : fmt::format("all {} levels or one", whole_count),
         level_count);
  job.output = default_level_output(job);
  return job;
}

void check_can_be_written(const Job& job, int level_count, bool no_clobber) {
  for (int level = 0; level < (job.is_a_file_a_level() ? level_count : 1); ++level) {
    try {
      check_can_be_written(job.output.at(level), no_clobber);
    } catch (const AlreadyExists&) {
      if (level == 0) throw;
      fail(Exit::output, "{} is missing, but {} exists; delete the other levels, or leave --no-clobber out",
           job.output.at(0), job.output.at(level));
    }
  }
}

}  // namespace gpupost
