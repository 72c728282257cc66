#include "cli/jobs/conflicts.h"

#include "cli/jobs/outputs.h"
#include "core/base/error.h"
#include "core/pipeline/pixel_formats.h"
#include "core/system/atomic_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>

namespace gpupost {

namespace fs = std::filesystem;

std::string FileNames::of(const std::string& path) {
  if (const std::optional<int> descriptor = own_descriptor(path)) return fmt::format("descriptor {}", *descriptor);
  std::error_code error;
  fs::path place = path;
  if (fs::is_symlink(place, error))
    if (const fs::path there = fs::weakly_canonical(fs::absolute(place, error), error); !error) place = there;
  return folder_name(place.has_parent_path() ? place.parent_path() : ".") + "/" + place.filename().string();
}

const std::string& FileNames::folder_name(const std::string& folder) {
  const auto [found, is_new] = folder_names_.try_emplace(folder);
  if (!is_new) return found->second;
  struct stat facts = {};
  std::error_code error;
  if (stat(folder.c_str(), &facts) == 0) found->second = fmt::format("{}:{}", facts.st_dev, facts.st_ino);
  else found->second = fs::weakly_canonical(fs::absolute(folder, error), error).string();
  return found->second;
}

// All files that a job may write. The number of levels is known only after reading the input.
static std::vector<std::string> possible_paths(const Request& request, Job job) {
  if (!makes_levels(request.calls)) return {job.output.at(0)};
  std::vector<std::string> paths;
  if (!job.is_a_file_a_level()) {
    paths.push_back(job.output.at(0));
    const std::optional<OutputPath> levels = possible_level_output(request, job);
    if (!levels) return paths;
    job.output = *levels;
  }
  const int most_levels = most_levels_of(request.calls);
  for (int level = 0; level < most_levels; ++level) paths.push_back(job.output.at(level));
  return paths;
}

// Advice for two inputs whose outputs differ neither in {stem} nor in {name}: a pattern for -o with which they do. No result of it
// is an input.
static std::string other_pattern(const std::string& first, const std::string& second, const std::string& output) {
  const std::string pattern = output.empty()          ? "out/{stem}.{ext}"
                              : output.ends_with('/') ? output + "{stem}.{ext}"
                                                      : output;
  const size_t stem = pattern.find("{stem}"), name_at = pattern.rfind('/') + 1;  // 0 without a folder
  if (fs::path(first).parent_path() == fs::path(second).parent_path() && stem != pattern.npos)
    return fmt::format("use {{name}} in -o, like '{}{{name}}{}'", pattern.substr(0, stem), pattern.substr(stem + 6));
  if (pattern.find("{dir}") != pattern.npos) return "use one run with another -o for each";
  std::string target = pattern.substr(0, name_at);
  const auto overwrites = [&](const std::string& input) {
    const fs::path folder = fs::path(input).parent_path();
    std::error_code error;
    return fs::equivalent(target + folder_below(input), folder.empty() ? "." : folder, error);
  };
  if (target.empty() || overwrites(first) || overwrites(second)) target += "out/";
  return fmt::format("use {{dir}} in -o, like '{}{{dir}}/{}' with --mkdir, or one run with another -o for each", target,
                     pattern.substr(name_at));
}

// Throws an error that two jobs have the same output. `is_same_level`: as the file of the same level.
[[noreturn]] static void refuse_both(const std::string& first, const Job& second, const std::string& path,
                                     const std::string& output, bool is_same, bool is_same_level) {
  for (const std::string& name : {first, second.name()})
    if (name != "-" && access(name.c_str(), F_OK) != 0 && !format_of_extension(name))
      fail(Exit::usage, "{} is neither an op nor a file; `gpupost ops` lists the ops", name);
  const std::string target = path == "-" ? "standard output" : path;
  const bool has_stem = output.empty() || output.ends_with('/') || output.find("{stem}") != output.npos ||
                        output.find("{name}") != output.npos;
  const std::string way_out = is_same                      ? "name the input once"
                              : !is_same_level             ? "put a character other than a digit before {level}"
                              : has_stem                   ? other_pattern(first, second.name(), output)
                              : second.is_a_file_a_level() ? "use {stem} in -o"
                                                           : "use {stem} in -o, or a folder ending in /";
  fail(Exit::usage, "inputs {} and {} would both write {}; each input needs an output of its own; {}", first,
       second.name(), target, way_out);
}

Paths::Paths(const Request& request, std::span<const Job> jobs) {
  for (const Job& job : jobs)
    for (const std::string& input : job.inputs) add_read({.path = input, .what = "input"});
  for (const Job& job : jobs)
    for (const ReadFile& file : files_of_calls(request.calls, job)) add_read(file);
  add_read({.path = request.globals.inputs.list, .what = "list"});
}

void Paths::add_outputs(const Request& request, const Job& job) {
  if (!job.writes_picture) return;
  const std::vector<std::string> paths = possible_paths(request, job);
  for (size_t index = 0; index < paths.size(); ++index) add_written(request, job, paths[index], index);
}

void Paths::add_side_file(std::string_view option, const std::string& path) {
  if (path.empty()) return;
  const std::string name = names_.of(path);
  if (const auto other = written_.find(name); other != written_.end())
    fail(Exit::usage, "{} {}: the output of {} goes there too; name another file", option, path,
         other->second.by == "-" ? "standard input" : other->second.by);
  const auto lost = read_.find(name);
  if (lost != read_.end())
    fail(Exit::usage, "{} {}: that is the {} {}; name another file", option, path, lost->second.what,
         lost->second.path);
  written_.emplace(name, Written{.by = std::string(option)});
}

void Paths::add_file_written_in_place(std::string_view option, const std::string& path) {
  add_side_file(option, path);
  const auto regular_file = [](const std::string& at) {
    struct stat facts = {};
    return stat(at.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) ? std::pair(facts.st_dev, facts.st_ino)
                                                                   : std::pair(dev_t{0}, ino_t{0});
  };
  const auto own = regular_file(path);
  if (path.empty() || own.second == 0) return;
  const auto [other, is_new] = in_place_.try_emplace(own, fmt::format("{} {}", option, path));
  if (!is_new) fail(Exit::usage, "{} {}: that is another name of {}; name another file", option, path, other->second);
  for (const auto& [name, file] : read_)
    if (regular_file(file.path) == own)
      fail(Exit::usage, "{} {}: that is another name of the {} {}; name another file", option, path, file.what,
           file.path);
}

void Paths::add_printed(std::string_view op) {
  if (!written_.emplace(names_.of("-"), Written{.by = std::string(op)}).second)
    fail(Exit::usage, "{}: statistics and the image would both go to standard output; write the image with -o FILE",
         op);
}

void Paths::add_read(const ReadFile& file) {
  if (!file.path.empty() && file.path != "-") read_[names_.of(file.path)] = file;
}

void Paths::add_written(const Request& request, const Job& job, const std::string& path, size_t index) {
  const std::string name = names_.of(path);
  const auto [other, is_new] = written_.emplace(name, Written{.by = job.name(), .index = index});
  if (!is_new)
    refuse_both(other->second.by, job, path, request.globals.output,
                names_.of(other->second.by) == names_.of(job.name()), other->second.index == index);
  const auto lost = read_.find(name);
  if (path == "-" || lost == read_.end()) return;
  const std::string& output = request.globals.output;
  const bool is_name_given = !output.empty() && !output.ends_with('/');
  const bool is_own_input =
      lost->second.what == "input" && job.inputs.size() == 1 && names_.of(job.inputs.front()) == name;
  const BatchSettings& batch = request.globals.batch;
  if (is_own_input && (batch.resumes || !batch.journal.empty()))
    fail(Exit::usage,
         "{}: {} is the output too, so that another run would apply the chain again; name another file or folder "
         "with -o",
         batch.resumes ? "--resume" : "--journal", job.name());
  if (is_own_input && is_name_given) return;
  fail(Exit::usage, "{}: the output would overwrite the {} {}; name another file with -o", job.name(),
       lost->second.what, lost->second.path);
}

bool is_pipe(const std::string& path) {
  struct stat facts = {};
  return is_standard_input(path) ||
         (stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode));
}

void check_pipes(const Request& request, std::span<const Job> jobs) {
  const BatchSettings& batch = request.globals.batch;
  const bool has_journal = batch.resumes || !batch.journal.empty();
  FileNames names;
  std::set<std::string> read;
  const auto check_one = [&](const std::string& path, bool is_read_again) {
    const bool is_from_standard_input = is_standard_input(path);
    const std::string shown = is_from_standard_input ? "standard input" : path;
    if (is_read_again)
      fail(Exit::usage, "{}: {} cannot be read again; expected files", batch.resumes ? "--resume" : "--journal", shown);
    if (!read.insert(names.of(is_from_standard_input ? "/dev/stdin" : path)).second)
      fail(Exit::usage, "{} can be read only once, and it is needed more than once; write it to a file first", shown);
  };
  if (const std::string& list = request.globals.inputs.list; is_pipe(list)) check_one(list, false);
  for (const Job& job : jobs) {
    for (size_t input = 0; input < job.inputs.size(); ++input) {
      std::set<std::string> others;
      for (const ReadFile& file : files_of_calls(request.calls, job.frame_of(input)))
        if (is_pipe(file.path)) others.insert(file.path);
      if (is_pipe(job.inputs[input])) check_one(job.inputs[input], has_journal);
      for (const std::string& other : others) check_one(other, has_journal);
    }
  }
}

}  // namespace gpupost
