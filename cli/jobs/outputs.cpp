#include "cli/jobs/outputs.h"

#include "cli/options/sequence.h"
#include "core/base/error.h"
#include "core/pipeline/pixel_formats.h"
#include "core/system/atomic_file.h"
#include "core/system/descriptor.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace gpupost {

namespace fs = std::filesystem;

static bool ends_in_statistics(const Request& request) {
  return !request.calls.empty() && request.calls.back().op->makes == Makes::statistics;
}

std::string statistics_file_of(const Request& request) {
  const std::string& output = request.globals.output;
  return ends_in_statistics(request) && output.ends_with(".json") ? output : "";
}

std::string one_file_of(const Request& request) {
  const Assembly assembly = request.globals.input.assembly;
  const bool is_sheet = !request.calls.empty() && request.calls.back().op->makes == Makes::cell;
  if (is_sheet && assembly != Assembly::none)
    fail(Exit::usage, "sheet and --assemble {} both make one file of all inputs; leave one out", name_of(assembly));
  return is_sheet ? "sheet" : assembly == Assembly::none ? "" : fmt::format("--assemble {}", name_of(assembly));
}

std::string frame_text(const Input& input) { return input.frame ? frame_digits(*input.frame, input.frame_width) : ""; }

// The folder of an input, to put below another one: without the steps up that would lead out of that.
static std::string folder_below(const fs::path& path) {
  fs::path folder;
  for (const fs::path& step : path.parent_path().relative_path())
    if (step != "..") folder /= step;
  return folder.empty() ? "." : folder.string();
}

// The text for a placeholder like {stem}, for one input. `is_below`: the pattern has text before the placeholder.
static std::string place(std::string_view key, const Input& input, const Format& format, bool is_below) {
  const fs::path path = input.path == "-" ? "stdin" : input.path;
  if (key == "stem") return path.stem().string();
  if (key == "name") return path.filename().string();
  if (key == "ext") return std::string(format.extensions.front());
  if (key == "dir") return is_below ? folder_below(path) : path.has_parent_path() ? path.parent_path().string() : ".";
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

static OutputPath fill(const std::string& output, const Input& input, const Format& format) {
  const std::string pattern = with_frame(output, input);
  OutputPath path;
  size_t at = 0;
  while (at < pattern.size()) {
    const size_t open = pattern.find('{', at);
    const size_t close = open == pattern.npos ? pattern.npos : pattern.find('}', open);
    if (close == pattern.npos) break;
    path.add(pattern.substr(at, open - at));
    const std::string key = pattern.substr(open + 1, close - open - 1);
    if (key == "level") path.add_level();
    else path.add(place(key, input, format, open > 0));
    at = close + 1;
  }
  path.add(pattern.substr(at));
  return path;
}

// The format of an input as far as it is known before it is read: from its extension, or from the first bytes of standard input.
static const Format* format_of_input(const std::string& path) {
  return path == "-" ? format_of_bytes(first_bytes(STDIN_FILENO, magic_bytes)) : format_of_extension(path);
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
      fail(Exit::usage, "-o {}: unknown extension; expected {}, or give --format", output, writable_extensions());
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
  if (job.inputs.front() == "-") return "-";
  return fs::path(job.inputs.front()).stem().string() + "." + std::string(request.calls.back().op->name) + "." +
         std::string(job.format->extensions.front());
}

static void check_assembly(const Globals& globals, const Job& job) {
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
}

// The job without any check of its options.
static Job unchecked_job_of(const Request& request, std::span<const Input> inputs) {
  const std::string& output = request.globals.output;
  Job job{.is_output_named = !output.empty()};
  for (const Input& input : inputs) job.inputs.push_back(input.path);
  job.frame = frame_text(inputs.front());
  if (ends_in_statistics(request) && (output.empty() || !statistics_file_of(request).empty())) {
    job.format = format_named("exr");  // which can hold everything
    job.writes_picture = false;
    return job;
  }
  const bool is_a_file_a_level = output.find("{level}") != output.npos;
  job.format = format_of(request, job, makes_levels(request.calls) && !is_a_file_a_level);
  if (output.empty()) job.output = OutputPath(default_output(request, job));
  else job.output = fill(output.ends_with('/') ? output + "{stem}.{ext}" : output, inputs.front(), *job.format);
  return job;
}

Job first_job_of(const Request& request) { return unchecked_job_of(request, std::span(request.inputs.files).first(1)); }

static Job job_of(const Request& request, std::span<const Input> inputs) {
  Job job = unchecked_job_of(request, inputs);
  if (!job.writes_picture) return job;
  const std::string& output = request.globals.output;
  check_assembly(request.globals, job);
  check_numbers(request.globals.encoding, *job.format);
  check_output_primaries(request.globals.encoding, request.calls);
  if (makes_levels(request.calls) && !job.is_a_file_a_level() && job.format->levels == FileLevels::one)
    fail(Exit::usage, "{}: {} files hold one level; expected {}, or {{level}} in -o for one file per level",
         output.empty() ? "--format " + std::string(job.format->name) : "-o " + output, job.format->name,
         writable_extensions(true));
  if (job.is_a_file_a_level() && !makes_levels(request.calls))
    fail(Exit::usage, "-o {}: {{level}} needs an op that makes levels, like mips, at the end of the chain", output);
  return job;
}

static bool is_standard_output(const std::string& path) { return own_descriptor(path) == STDOUT_FILENO; }

// All files that a job may write. The number of levels is known only after reading the input.
static std::vector<std::string> possible_paths(const Request& request, Job job) {
  if (!makes_levels(request.calls)) return {job.output.at(0)};
  constexpr Size largest{1 << 20, 1 << 20};  // largest value of --max-side
  const Call& call = request.calls.back();
  const int most_levels = output_of(call, {.size = largest}).level_count;
  const bool may_be_part = most_levels > 1 && most_levels < level_count_of(largest);
  std::vector<std::string> paths;
  if (!job.is_a_file_a_level()) {
    paths.push_back(job.output.at(0));
    if (!may_be_part || !request.globals.output.empty() || job.format->levels == FileLevels::any) return paths;
    job.output = default_level_output(job);
  }
  for (int level = 0; level < most_levels; ++level) paths.push_back(job.output.at(level));
  return paths;
}

// A canonical name of a path, which resolves links and repeated folders.
class FileNames {
 public:
  std::string of(const std::string& path) {
    if (const std::optional<int> descriptor = own_descriptor(path)) return fmt::format("descriptor {}", *descriptor);
    std::error_code error;
    fs::path place = path;
    if (fs::is_symlink(place, error))
      if (const fs::path there = fs::weakly_canonical(fs::absolute(place, error), error); !error) place = there;
    return folder_name(place.has_parent_path() ? place.parent_path() : ".") + "/" + place.filename().string();
  }

 private:
  const std::string& folder_name(const std::string& folder) {
    const auto [found, is_new] = folder_names_.try_emplace(folder);
    if (!is_new) return found->second;
    struct stat facts = {};
    std::error_code error;
    if (stat(folder.c_str(), &facts) == 0) found->second = fmt::format("{}:{}", facts.st_dev, facts.st_ino);
    else found->second = fs::weakly_canonical(fs::absolute(folder, error), error).string();
    return found->second;
  }

  std::map<std::string, std::string> folder_names_;  // by path; many files are in one folder
};

// Throws an error that two jobs have the same output. `is_same_level`: as the file of the same level.
[[noreturn]] static void refuse_both(const std::string& first, const Job& second, const std::string& path,
                                     const std::string& output, bool is_same, bool is_same_level) {
  for (const std::string& name : {first, second.name()})
    if (name != "-" && access(name.c_str(), F_OK) != 0)
      fail(Exit::usage, "{} is neither an op nor a file; `gpupost ops` lists the ops", name);
  const std::string target = path == "-" ? "standard output" : path;
  const bool has_stem = output.empty() || output.ends_with('/') || output.find("{stem}") != output.npos ||
                        output.find("{name}") != output.npos;
  const std::string folder = output.ends_with('/') ? output : "";
  const std::string way_out =
      is_same          ? "name the input once"
      : !is_same_level ? "put a character other than a digit before {level}"
      : has_stem ? fmt::format("use {{dir}} in -o, like '{}{{dir}}/{{stem}}.{{ext}}' with --mkdir, or one run for each",
                               folder)
      : second.is_a_file_a_level() ? "use {stem} in -o"
                                   : "use {stem} in -o, or a folder ending in /";
  fail(Exit::usage, "inputs {} and {} would both write {}; each input needs an output of its own; {}", first,
       second.name(), target, way_out);
}

// Files that the jobs read and may write, to find conflicts.
class Paths {
 public:
  explicit Paths(const Request& request) {
    for (const Input& input : request.inputs.files) add_read({.path = input.path, .what = "input"});
  }

  void add(const Request& request, const Job& job) {
    for (const ReadFile& file : files_of_calls(request.calls, job.frame)) add_read(file);
    if (!job.writes_picture) return;
    const std::vector<std::string> paths = possible_paths(request, job);
    for (size_t index = 0; index < paths.size(); ++index) add_written(request, job, paths[index], index);
  }

  // A file that an option writes; "": none.
  void add_side_file(std::string_view option, const std::string& path) {
    if (path.empty()) return;
    const std::string name = names_.of(path);
    if (written_.contains(name))
      fail(Exit::usage, "{} {}: an output has the same name; name another file", option, path);
    const auto lost = read_.find(name);
    if (lost != read_.end())
      fail(Exit::usage, "{} {}: that is the {} {}; name another file", option, path, lost->second.what,
           lost->second.path);
    written_.emplace(name, Written{.by = std::string(option)});
  }

 private:
  void add_read(const ReadFile& file) {
    if (!file.path.empty() && file.path != "-") read_[names_.of(file.path)] = file;
  }

  void add_written(const Request& request, const Job& job, const std::string& path, size_t index) {
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

  struct Written {
    std::string by;    // name of the job, or option
    size_t index = 0;  // in possible_paths() of the job
  };

  FileNames names_;
  std::map<std::string, ReadFile> read_;    // by canonical name
  std::map<std::string, Written> written_;  // by canonical name
};

// Statistics go to standard output, and nothing else may go there.
static void check_numbers_have_standard_output(const Request& request, const Job& job) {
  if (!statistics_file_of(request).empty() ||
      std::ranges::none_of(request.calls, [](const Call& call) { return call.op->makes == Makes::statistics; }))
    return;
  if (is_standard_output(job.output.at(0)))
    fail(Exit::usage, "stats: statistics and the image would both go to standard output; write the image with -o FILE");
  if (is_standard_output(request.globals.report.file))
    fail(Exit::usage,
         "stats: statistics and the report would both go to standard output; write the report with --report FILE");
}

// A pipe or a device, whose bytes can be read only once.
static bool is_pipe(const std::string& path) {
  struct stat facts = {};
  return path == "-" || (stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode));
}

// Refuses pipes that would have to be read twice: by two images, for the journal's hash of files that ops read, or by a run that
// continues this one.
static void check_pipes(const Request& request, std::span<const Job> jobs) {
  const BatchSettings& batch = request.globals.batch;
  const bool has_journal = batch.resumes || !batch.journal.empty();
  FileNames names;
  std::set<std::string> read;
  const auto check_one = [&](const std::string& path, bool is_read_again) {
    const bool is_standard_input = own_descriptor(path) == STDIN_FILENO || path == "-";
    const std::string shown = is_standard_input ? "standard input" : path;
    if (is_read_again)
      fail(Exit::usage, "{}: {} cannot be read again; expected files", batch.resumes ? "--resume" : "--journal", shown);
    if (!read.insert(names.of(is_standard_input ? "/dev/stdin" : path)).second)
      fail(Exit::usage, "{} can be read only once, and more than one image needs it; write it to a file first", shown);
  };
  for (const Job& job : jobs) {
    std::set<std::string> others;
    for (const ReadFile& file : files_of_calls(request.calls, job.frame))
      if (is_pipe(file.path)) others.insert(file.path);
    for (const std::string& input : job.inputs) {
      if (is_pipe(input)) check_one(input, batch.resumes || (has_journal && input == "-"));
      for (const std::string& other : others) check_one(other, has_journal);
    }
  }
}

std::string journal_of(const Globals& globals, std::span<const Job> jobs) {
  if (!globals.batch.resumes && globals.batch.journal.empty()) return "";
  const std::string_view option = globals.batch.resumes ? "--resume" : "--journal";
  for (const Job& job : jobs) {
    if (!job.writes_picture)
      fail(Exit::usage, "{}: `stats` without -o writes no file to check later; leave {} out", option, option);
    if (own_descriptor(job.output.at(0)))
      fail(Exit::usage, "{}: output to {} cannot be checked later; write to a file with -o FILE", option,
           job.output.at(0));
  }
  if (!globals.batch.journal.empty() || jobs.empty()) return globals.batch.journal;
  return (fs::path(jobs.front().output.at(0)).parent_path() / "gpupost.journal").string();
}

// Applies --no-clobber. Pipes and devices are still written.
static bool output_is_there(const std::string& path) {
  std::error_code error;
  return !own_descriptor(path) && fs::is_regular_file(path, error);
}

// Checks the file of `stats -o FILE.json`.
static void check_statistics_file(const Request& request) {
  const std::string path = statistics_file_of(request);
  if (path.empty()) return;
  if (path.find('{') != path.npos || Sequence::parse(path))
    fail(Exit::usage, "-o {}: the statistics of all inputs go to one file; expected a name without placeholders", path);
  if (std::ranges::any_of(request.calls,
                          [](const Call& call) { return call.op->makes == Makes::statistics && call.flag("table"); }))
    fail(Exit::usage, "-o {}: stats --table prints a table, which is not JSON; leave --table or -o out", path);
  if (request.globals.encoding.makes_folders) make_folder_of(path);
  check_can_be_written(path, request.globals.encoding.no_clobber);
}

// Second images take the frame number of the input by {frame}, and by no other pattern.
static void check_second_images(std::span<const Call> calls) {
  for (const Call& call : calls)
    for (const std::string& path : call.op->needs(call).pictures) {
      if (access(path.c_str(), F_OK) == 0) continue;
      if (const std::optional<Sequence> sequence = Sequence::parse(path))
        fail(Exit::usage,
             "{}: {} does not exist, and a second image has no pattern for a frame number; write {{frame}} in its "
             "place, like {}",
             call.op->name, path, sequence->with_text("{frame}"));
    }
}

JobList jobs_of(const Request& request) {
  const Globals& globals = request.globals;
  check_second_images(request.calls);
  std::vector<Input> inputs = request.inputs.files;
  if (inputs.empty() && isatty(STDIN_FILENO))
    fail(Exit::usage, "no input: expected a file, or an image on standard input (which is a terminal)");
  if (inputs.empty()) inputs.push_back({.path = "-", .frame = {}});
  if (std::ranges::find(inputs, "-", &Input::path) != inputs.end() && isatty(STDIN_FILENO))
    fail(Exit::usage, "- : standard input is a terminal; expected an image");
  const size_t share = one_file_of(request).empty() ? 1 : inputs.size();  // number of inputs per job
  JobList list;
  Paths paths(request);
  for (size_t first = 0; first < inputs.size(); first += share) {
    Job job = job_of(request, std::span(inputs).subspan(first, share));
    if (is_standard_output(job.output.at(0)) && isatty(STDOUT_FILENO))
      fail(Exit::usage, "standard output is a terminal; expected -o FILE, or a pipe");
    check_numbers_have_standard_output(request, job);
    paths.add(request, job);
    // With one file per level, the file of level 0 exists only if all do: write_files() renames it last.
    if (globals.encoding.no_clobber && job.writes_picture && output_is_there(job.output.at(0)))
      list.kept.push_back({.job = std::move(job), .index = first / share});
    else list.jobs.push_back(std::move(job));
  }
  const std::string statistics_file = statistics_file_of(request);
  if (globals.encoding.no_clobber && !statistics_file.empty() && output_is_there(statistics_file)) {
    for (Job& job : list.jobs) list.kept.push_back({.job = std::move(job), .index = list.kept.size()});
    list.jobs.clear();
    list.keeps_statistics = true;
  }
  paths.add_side_file("-o", statistics_file);
  paths.add_side_file("--report", globals.report.file);
  paths.add_side_file("--depfile", globals.report.depfile);
  paths.add_side_file("--progress-file", globals.report.progress.file);
  check_pipes(request, list.jobs);
  const std::string journal = journal_of(globals, list.jobs);
  paths.add_side_file("--journal", journal);
  for (const Job& job : list.jobs) {
    if (!job.writes_picture) continue;
    if (globals.encoding.makes_folders) make_folder_of(job.output.at(0));
    check_can_be_written(job, 1, globals.encoding.no_clobber);  // the number of levels is not known yet
  }
  if (!list.jobs.empty()) check_statistics_file(request);
  if (globals.encoding.makes_folders) {
    make_folder_of(globals.report.progress.file);
    make_folder_of(journal);
  }
  for (const std::string& file : {globals.report.file, globals.report.depfile}) {
    if (file.empty()) continue;
    if (globals.encoding.makes_folders) make_folder_of(file);
    check_can_be_written(file, false);
  }
  return list;
}

}  // namespace gpupost
