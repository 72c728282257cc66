#include "cli/outputs.h"

#include "core/error.h"

#include <unistd.h>

#include <filesystem>
#include <set>

namespace gpupost {

namespace fs = std::filesystem;

static bool makes_levels(const Request& request) {
  return !request.calls.empty() && request.calls.back().op->makes_levels;
}

// What fills the places of a pattern for one input.
static std::string place(std::string_view key, const fs::path& input, const Format& format) {
  if (key == "stem") return input.stem().string();
  if (key == "name") return input.filename().string();
  if (key == "ext") return std::string(format.extensions.front());
  if (key == "dir") return input.has_parent_path() ? input.parent_path().string() : ".";
  if (key == "level") return "{level}";  // filled in later, one file a level
  fail(Exit::usage, "-o: {{{}}} is none of {{stem}} {{name}} {{ext}} {{dir}} {{level}}", key);
}

static std::string fill(const std::string& pattern, const std::string& input, const Format& format) {
  std::string text;
  size_t at = 0;
  while (at < pattern.size()) {
    const size_t open = pattern.find('{', at);
    const size_t close = open == pattern.npos ? pattern.npos : pattern.find('}', open);
    if (close == pattern.npos) break;
    text += pattern.substr(at, open - at);
    text += place(std::string_view(pattern).substr(open + 1, close - open - 1), input == "-" ? "stdin" : input, format);
    at = close + 1;
  }
  return text + pattern.substr(at);
}

// The format of a result: as asked for, as the output's name says, as the input is, else EXR.
static const Format* format_of(const Request& request, Job& job, bool one_file_holds_levels) {
  const Globals& globals = request.globals;
  if (globals.format) return globals.format;
  const std::string& output = globals.output;
  const bool name_says =
      !output.empty() && output != "-" && !output.ends_with('/') && output.find("{ext}") == output.npos;
  if (name_says) {
    const Format* format = format_of_extension(output);
    if (!format)
      fail(Exit::usage, "-o {}: its extension names no format known here; expected .exr or .png, or --format", output);
    if (!format->can_write)
      fail(Exit::usage, "-o {}: {} files are read but not written; expected .exr or .png", output, format->name);
    return format;
  }
  const Format* format = job.input == "-" ? nullptr : format_of_extension(job.input);
  if (format && format->can_write && (!one_file_holds_levels || format->holds_levels)) return format;
  job.is_format_changed = format != nullptr;
  return format_named("exr");
}

static std::string default_output(const Request& request, const Job& job) {
  if (job.input == "-") return "-";
  return fs::path(job.input).stem().string() + "." + std::string(request.calls.back().op->name) + "." +
         std::string(job.format->extensions.front());
}

static Job job_of(const Request& request, const std::string& input) {
  const std::string& output = request.globals.output;
  Job job{.input = input};
  job.is_a_file_a_level = output.find("{level}") != output.npos;
  const bool levels_in_one_file = makes_levels(request) && !job.is_a_file_a_level;
  job.format = format_of(request, job, levels_in_one_file);
  if (levels_in_one_file && !job.format->holds_levels)
    fail(Exit::usage, "-o {}: a {} file holds one level; expected .exr, or a name with {{level}} for a file a level",
         output, job.format->name);
  if (job.is_a_file_a_level && !makes_levels(request))
    fail(Exit::usage, "-o {}: {{level}} needs an op that makes levels, like mips, at the end of the chain", output);
  if (output.empty()) job.output = default_output(request, job);
  else if (output.ends_with('/')) job.output = fill(output + "{stem}.{ext}", input, *job.format);
  else job.output = output == "-" ? output : fill(output, input, *job.format);
  return job;
}

static bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error);
}

std::vector<Job> jobs_of(const Request& request) {
  std::vector<std::string> inputs = request.inputs;
  if (inputs.empty() && isatty(STDIN_FILENO))
    fail(Exit::usage, "no input: expected a file, or a picture on standard input (which is a terminal)");
  if (inputs.empty()) inputs.push_back("-");
  std::vector<Job> jobs;
  std::set<std::string> outputs;
  for (const std::string& input : inputs) {
    if (input == "-" && isatty(STDIN_FILENO)) fail(Exit::usage, "- : standard input is a terminal; expected a picture");
    Job job = job_of(request, input);
    if (job.output == "-" && isatty(STDOUT_FILENO))
      fail(Exit::usage, "standard output is a terminal; expected -o FILE, or a pipe");
    if (!outputs.insert(job.output).second)
      fail(Exit::usage, "{} inputs give one output, {}; expected a name with {{stem}}, or a folder with / at its end",
           inputs.size(), job.output);
    if (job.output != "-" && input != "-" && request.globals.output.empty() && same_file(input, job.output))
      fail(Exit::usage, "{}: the result would replace its own input; expected -o FILE", input);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

Job for_levels(Job job, const Globals& globals, int level_count, int whole_count) {
  if (level_count == 1 || level_count == whole_count || job.is_a_file_a_level) return job;
  if (!globals.output.empty() || job.output == "-")
    fail(Exit::usage,
         "{}: one {} file holds all {} levels or one, not {}; expected -o with {{level}}, for a file a level",
         job.output, job.format->name, whole_count, level_count);
  const std::string extension = "." + std::string(job.format->extensions.front());
  job.output = job.output.substr(0, job.output.size() - extension.size()) + ".{level}" + extension;
  job.is_a_file_a_level = true;
  return job;
}

std::string level_path(const Job& job, int level) {
  std::string path = job.output;
  for (size_t at; (at = path.find("{level}")) != path.npos;) path.replace(at, 7, std::to_string(level));
  return path;
}

}  // namespace gpupost
