#include "core/pipeline/journal.h"

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/base/sha256.h"
#include "core/base/threads.h"
#include "core/base/version.h"
#include "core/system/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <system_error>

namespace gpupost {

namespace {

using json = nlohmann::ordered_json;

// Joins the parts of a key without ambiguity.
std::string joined(std::span<const std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += fmt::format("{}:{}", part.size(), part);
  return text;
}

// The GLSL and the tables that a call has made at run time.
std::string made_text_of(const Call& call) {
  if (!call.shader) return "";
  std::string text = call.shader->text;
  for (const PointTable& table : call.shader->tables) text += sha256_of(std::as_bytes(std::span(*table.numbers)));
  return sha256_of(text);
}

// The calls, the options, and the content of the files that calls read for all jobs.
std::string chain_of(const ChainRequest& request) {
  std::vector<std::string> parts{std::string(version_number()), std::string(commit_name()), request.batch.options};
  for (const Call& call : request.calls) {
    parts.insert(parts.end(), {call.text(), call.source, made_text_of(call)});
    for (const ReadFile& file : files_of_calls({&call, 1}))
      parts.insert(parts.end(), {file.path, file.is_of_frame ? "" : sha256_of_file(file.path)});
  }
  return sha256_of(joined(parts));
}

// A path that is not UTF-8 also has its bytes, as numbers.
json to_json(const JournalEntry::Output& output) {
  json line{{"path", json_name(output.path)}, {"bytes", output.byte_count}, {"sha256", output.sha256}};
  if (!is_utf8(output.path)) line["path_bytes"] = std::vector<uint8_t>(output.path.begin(), output.path.end());
  return line;
}

JournalEntry::Output output_of(const json& line) {
  JournalEntry::Output output{.path = line.at("path"), .byte_count = line.at("bytes"), .sha256 = line.at("sha256")};
  if (const auto bytes = line.find("path_bytes"); bytes != line.end()) {
    const auto numbers = bytes->get<std::vector<uint8_t>>();
    output.path.assign(numbers.begin(), numbers.end());
  }
  return output;
}

JournalEntry entry_of(const json& line) {
  JournalEntry entry{.input_sha256 = line.at("input_sha256").get<std::vector<std::string>>(), .outputs = {}};
  for (const json& output : line.at("outputs")) entry.outputs.push_back(output_of(output));
  entry.stops = line.value("stops", std::vector<double>());
  return entry;
}

// Exposures in stops, in the order of the job's calls.
std::vector<double> stops_of(const Job& job) {
  std::vector<double> stops;
  for (const CallOfJob& own : job.calls) stops.push_back(own.call.number("stops"));
  return stops;
}

// Equal apart from the rounding of a measurement: another device or size of tiles adds in another order.
bool are_same_stops(std::span<const double> a, std::span<const double> b) {
  constexpr double rounding = 1e-4;
  return std::ranges::equal(a, b, [](double m, double n) { return std::abs(m - n) < rounding; });
}

bool is_as_written(const JournalEntry::Output& output) {
  struct stat facts = {};
  return stat(output.path.c_str(), &facts) == 0 && uint64_t(facts.st_size) == output.byte_count &&
         sha256_of_file(output.path) == output.sha256;
}

bool is_done(const Job& job, const JournalEntry& entry) {
  return !entry.outputs.empty() && std::ranges::all_of(entry.outputs, is_as_written) &&
         are_same_stops(stops_of(job), entry.stops) &&
         std::ranges::equal(job.inputs, entry.input_sha256, {}, sha256_of_file);
}

// Returns whether a file is empty, has a line of a journal, or has only incomplete ones.
bool is_journal(const std::string& path) {
  constexpr std::string_view begin = R"({"job":)";
  std::ifstream stream(path, std::ios::binary);
  bool has_only_incomplete = true;
  for (std::string text; std::getline(stream, text);) {
    const json line = json::parse(text, nullptr, false);
    if (line.is_object() && line.contains("job") && line.contains("chain_sha256")) return true;
    const bool is_incomplete =
        line.is_discarded() && (text.starts_with(begin) || (stream.eof() && begin.starts_with(text)));
    has_only_incomplete = has_only_incomplete && is_incomplete;
  }
  return has_only_incomplete;
}

[[noreturn]] void fail_of(const std::string& path, int error) {
  fail(Exit::output, "the journal {} cannot be used: {}; name another file with --journal", path,
       std::generic_category().message(error));
}

// Whether the last line has no line break, because this or another process could not write it whole.
bool has_incomplete_line(int file) {
  struct stat facts = {};
  char last = '\n';
  return fstat(file, &facts) == 0 && facts.st_size > 0 && pread(file, &last, 1, facts.st_size - 1) == 1 && last != '\n';
}

}  // namespace

Journal::Journal(const ChainRequest& request) : path_(request.batch.journal), chain_(chain_of(request)) {
  for (const ReadFile& file : files_of_calls(request.calls))
    if (file.is_of_frame) files_of_frame_.push_back(file.path);
  file_ = Descriptor(open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (const int error = errno; file_.get() < 0) {
    refuse_missing_folder(path_);
    fail_of(path_, error);
  }
  struct stat facts = {};
  if (fstat(file_.get(), &facts) != 0) fail_of(path_, errno);
  if (!S_ISREG(facts.st_mode))
    fail(Exit::output, "the journal {} is not a regular file; name another with --journal", path_);
  if (!is_journal(path_))
    fail(Exit::output, "the journal {} holds other text; name a new file, or a journal, with --journal", path_);
  if (request.batch.resumes) read_lines();
}

void Journal::read_lines() {
  std::ifstream stream(path_, std::ios::binary);
  for (std::string text; std::getline(stream, text);) {
    const json line = json::parse(text, nullptr, false);
    try {
      entries_[line.at("job").get<std::string>()] = entry_of(line);
    } catch (const json::exception&) {
    }
  }
}

std::string Journal::key_of(const Job& job) const {
  std::vector<std::string> parts{chain_, job.output.shown(), std::string(job.format->name)};
  parts.insert(parts.end(), job.inputs.begin(), job.inputs.end());
  for (const std::string& frame : job.frames)
    if (!frame.empty())
      for (const std::string& file : files_of_frame_) parts.push_back(sha256_of_file(fill_frame(file, frame)));
  return sha256_of(joined(parts));
}

std::vector<JournalEntry> Journal::entries_of_done(std::span<const Job> jobs) const {
  std::vector<JournalEntry> done(jobs.size());
  if (entries_.empty()) return done;
  parallel_ranges(int(jobs.size()), 1, [&](int begin, int end) {
    for (int index = begin; index < end; ++index) {
      const auto entry = entries_.find(key_of(jobs[size_t(index)]));
      if (entry == entries_.end() || !is_done(jobs[size_t(index)], entry->second)) continue;
      done[size_t(index)] = entry->second;
      done[size_t(index)].is_skipped = true;
    }
  });
  return done;
}

void Journal::add(const std::string& key, const Job& job, const JournalEntry& entry) {
  json outputs = json::array();
  for (const JournalEntry::Output& output : entry.outputs) outputs.push_back(to_json(output));
  json line{{"job", key},
            {"input", json_name(job.name())},
            {"chain_sha256", chain_},
            {"version", version_number()},
            {"outputs", std::move(outputs)},
            {"input_sha256", entry.input_sha256}};
  if (!job.calls.empty()) line["stops"] = stops_of(job);
  const std::string text = line.dump(-1, ' ', true) + "\n";
  const std::lock_guard lock(adding_);
  const std::string whole = (has_incomplete_line(file_.get()) ? "\n" : "") + text;
  int error = write_whole(file_.get(), std::as_bytes(std::span(whole)));
  if (error == 0 && fdatasync(file_.get()) != 0 && errno != EINVAL && errno != ENOTSUP) error = errno;
  if (error != 0)
    fail(Exit::output,
         "{}: the output is written, but not its line in the journal {}: {}; run this input again with --resume",
         job.name(), path_, std::generic_category().message(error));
}

}  // namespace gpupost
