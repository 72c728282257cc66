#include "cli/options/input_list.h"

#include "cli/options/frame_range.h"
#include "cli/options/sequence.h"
#include "core/base/error.h"
#include "core/codec/codec.h"
#include "core/system/descriptor.h"

#include <fcntl.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <new>
#include <system_error>

namespace gpupost {

namespace fs = std::filesystem;

namespace {

// A file of a word, which may be missing.
struct Candidate {
  Input input;
  std::optional<size_t> missing_in;  // the sequence in which it is missing
};

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// Is the path a pipe, a socket or a device? Links are followed.
bool is_special(const std::string& path) {
  std::error_code error;
  return fs::is_other(path, error);
}

bool is_glob(std::string_view word) { return word.find_first_of("*?[") != word.npos; }

std::string count_text(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

[[noreturn]] void fail_to_read_folder(const std::string& folder, const std::error_code& error) {
  fail(is_out_of_resources(error.value()) ? Exit::limit : Exit::input, "{}: the folder cannot be read: {}", folder,
       error.message());
}

// Names in a list: one per line, or separated by 0 bytes if there are any. Empty names are ignored.
std::vector<std::string> words_of_list(const std::string& path) {
  const bool is_standard_input = path == "-";
  if (is_standard_input && isatty(STDIN_FILENO))
    fail(Exit::usage, "--list -: standard input is a terminal; expected a list of files");
  const Descriptor file(is_standard_input ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0)
    fail(is_out_of_resources(errno) ? Exit::limit : Exit::input, "--list {}: cannot be opened: {}", path,
         std::generic_category().message(errno));
  constexpr size_t most_bytes = 256 << 20;
  const std::string bytes = read_text(file.get(), "--list " + path, most_bytes);
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))
    fail(Exit::input, "--list {}: is UTF-16; write it as UTF-8", path);
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  const std::string_view text = std::string_view(bytes).substr(bytes.starts_with(byte_order_mark) ? 3 : 0);
  const char separator = text.find('\0') == text.npos ? '\n' : '\0';
  std::vector<std::string> words;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    std::string_view word = text.substr(begin, end - begin);
    if (separator == '\n' && word.ends_with('\r')) word.remove_suffix(1);
    if (!word.empty()) words.emplace_back(word);
    begin = end + 1;
  }
  if (words.empty()) fail(Exit::input, "--list {}: is empty; expected one file name per line", path);
  return words;
}

// Collects files from words, in order.
class Gatherer {
 public:
  explicit Gatherer(const InputOptions& options) : options_(options) {}

  InputList gather(const std::vector<std::string>& words) {
    for (const std::string& word : words) add_word(word);
    if (!options_.list.empty()) add_list();
    if (options_.frames && !has_sequence_)
      fail(Exit::usage, "--frames needs a sequence as input, like shot.%04d.exr or shot.####.exr");
    if (options_.skips_missing && !has_sequence_)
      fail(Exit::usage, "--skip-missing needs a sequence as input, like shot.%04d.exr or shot.####.exr");
    if (options_.is_recursive && !has_folder_)
      fail(Exit::usage, "--recursive needs a folder as input; folders in --list are not searched");
    list_.is_batch = list_.is_batch || words.size() > 1 || options_.shard;
    choose();
    return std::move(list_);
  }

 private:
  void add(std::string path) {
    candidates_.push_back({.input = {.path = std::move(path), .frame = {}}, .missing_in = {}});
  }

  void add_word(const std::string& word) {
    if (word == "-" || (is_there(word) && !is_folder(word))) add(word);
    else if (is_folder(word)) add_folder(word);
    else if (const auto sequence = Sequence::parse(word)) add_sequence(*sequence);
    else if (is_glob(word)) add_glob(word);
    else add(word);
  }

  void note(const std::string& word, const std::string& text) {
    list_.is_batch = true;
    list_.notes.push_back(fmt::format("{}: {}", word, text));
  }

  void add_list() {
    const std::vector<std::string> files = words_of_list(options_.list);
    for (const std::string& file : files) {
      if (file == "-") fail(Exit::usage, "--list {}: - is not a file name; expected names of files", options_.list);
      add(file);
    }
    note("--list " + options_.list, count_text(files.size(), "file"));
  }

  void add_glob(const std::string& word) {
    struct Matches : glob_t {
      Matches() : glob_t{} {}
      ~Matches() { globfree(this); }
    } matches;
    // folders that cannot be read for other reasons have no matches
    const auto is_limit = [](const char*, int error) { return int(is_out_of_resources(error)); };
    const int result = glob(word.c_str(), 0, is_limit, &matches);
    if (result == GLOB_NOSPACE) throw std::bad_alloc();
    if (result == GLOB_ABORTED)
      fail(Exit::limit, "{}: its folders cannot be read: too few file descriptors or too little memory is left", word);
    std::vector<std::string> paths(matches.gl_pathv, matches.gl_pathv + (result == 0 ? matches.gl_pathc : 0));
    std::erase_if(paths, is_special);  // a pipe without a writer would stop the run
    if (paths.empty()) fail(Exit::input, "{}: no file matches; correct the pattern, or leave it out", word);
    for (std::string& path : paths) {
      if (is_folder(path)) add_folder(path);
      else add(std::move(path));
    }
    note(word, fmt::format("a glob, {}", count_text(paths.size(), "file")));
  }

  // Files in a folder with the extension of a readable format, sorted by name; no hidden files. Links to nothing are taken, and
  // fail later. Links to folders are left out.
  void add_folder(const std::string& folder) {
    if (!options_.is_recursive) return add(folder);  // reported as an error later
    has_folder_ = true;
    std::vector<std::string> files;
    std::string opened = folder;  // the last one
    std::error_code error;
    fs::recursive_directory_iterator at(folder, error);
    for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
      const std::string path = at->path().string();
      std::error_code ignored;
      if (at->path().filename().string().starts_with('.')) at.disable_recursion_pending();
      else if (at->is_directory(ignored)) {
        const char* obstacle = is_of_outputs(path)       ? "the outputs go there"
                               : at->is_symlink(ignored) ? "it is a link to a folder"
                                                         : nullptr;
        if (!obstacle && access(path.c_str(), R_OK | X_OK) != 0 && errno == EACCES) {
          at.disable_recursion_pending();
          list_.missing.push_back(fmt::format(
              "{}: the folder cannot be read: Permission denied; make it readable, or name other inputs", path));
        } else if (!obstacle) {
          opened = path;
        } else {
          at.disable_recursion_pending();
          list_.left_out.push_back(fmt::format("{}: {} is left out, because {}", folder, path, obstacle));
        }
      } else if (const Format* format = format_of_extension(at->path().filename().string());
                 format && format->can_read() && !is_special(path))
        files.push_back(path);
    }
    if (error) fail_to_read_folder(opened, error);
    if (files.empty() && list_.missing.empty()) fail(Exit::input, "{}: no image is in the folder", folder);
    std::ranges::sort(files);
    note(folder, fmt::format("a folder, {}", count_text(files.size(), "image")));
    for (std::string& file : files) add(std::move(file));
  }

  bool is_of_outputs(const fs::path& folder) const {
    std::error_code ignored;
    return !options_.output_folder.empty() && fs::equivalent(folder, options_.output_folder, ignored);
  }

  // `other`: a file with another number of digits; "": there is none.
  [[noreturn]] static void fail_without_frames(const Sequence& sequence, const std::string& other) {
    const bool is_any_width = sequence.width() == 1;
    std::string advice;
    if (!other.empty()) {
      const std::string place = *sequence.other_place_of(other);
      advice = fmt::format("; {} has {}; write {}", other, is_any_width ? "leading zeros" : "another number of digits",
                           sequence.with_text(place));
    }
    fail(Exit::input, "{}: no file matches, with a frame number {}{}", sequence.pattern(),
         is_any_width ? "without leading zeros" : fmt::format("of at least {} digits", sequence.width()), advice);
  }

  // All existing frames of a sequence, in increasing order.
  static std::vector<int64_t> frames_on_disk(const Sequence& sequence) {
    std::vector<int64_t> frames;
    std::string other;  // a file with another number of digits
    std::error_code error;
    fs::directory_iterator at(sequence.folder(), error);
    for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
      const std::string name = at->path().filename().string();
      std::error_code ignored;
      if (const auto frame = sequence.frame_of(name)) {
        if (!at->is_other(ignored)) frames.push_back(*frame);  // a pipe without a writer would stop the run
      } else if (sequence.other_place_of(name) && (other.empty() || name < other)) other = name;
    }
    if (error) fail_to_read_folder(sequence.folder(), error);
    if (frames.empty()) fail_without_frames(sequence, other);
    std::ranges::sort(frames);
    return frames;
  }

  void add_sequence(const Sequence& sequence) {
    has_sequence_ = true;
    if (is_glob(sequence.folder()) && !is_folder(sequence.folder()))
      fail(Exit::usage,
           "{}: the folder of a sequence cannot be a glob; give each sequence, or a glob for the frames too, like {}",
           sequence.pattern(), sequence.folder() + "*.exr");
    const size_t index = sequences_.size();
    sequences_.push_back(sequence.pattern());
    std::vector<int64_t> frames;
    if (options_.frames) frames = *options_.frames;
    else {
      const std::vector<int64_t> found = frames_on_disk(sequence);
      if (size_t(found.back() - found.front()) >= max_frame_count)
        fail(Exit::input, "{}: the frames go from {} to {}; the limit is {} frames (choose some with --frames)",
             sequence.pattern(), found.front(), found.back(), max_frame_count);
      for (int64_t frame = found.front(); frame <= found.back(); ++frame) frames.push_back(frame);
    }
    for (const int64_t frame : frames) {
      Candidate candidate{.input = {.path = sequence.path(frame), .frame = frame, .frame_width = sequence.width()},
                          .missing_in = {}};
      std::string& path = candidate.input.path;
      if (const std::string other = sequence.path_of_signed(frame); other != path && is_there(other)) {
        if (is_there(path))
          fail(Exit::input, "{}: {} and {} are both frame {}; remove one of them", sequence.pattern(), path, other,
               frame);
        path = other;
        ++candidate.input.frame_width;
      }
      if (!is_there(path) || is_special(path)) candidate.missing_in = index;
      candidates_.push_back(std::move(candidate));
    }
    std::vector<int64_t> rising = frames;
    std::ranges::sort(rising);
    note(sequence.pattern(), fmt::format("a sequence, frame numbers of {}, frames {}",
                                         sequence.width() == 1 ? "any number of digits"
                                                               : fmt::format("at least {} digits", sequence.width()),
                                         text_of_frames(rising)));
  }

  // Keeps only the inputs of the shard, and reports its missing frames. Missing frames also count for the position, so
  // that shards do not depend on which frames exist.
  void choose() {
    std::map<size_t, std::vector<int64_t>> missing;
    for (size_t at = 0; at < candidates_.size(); ++at) {
      Candidate& candidate = candidates_[at];
      if (options_.shard && !options_.shard->takes(candidate.input.path, at)) {
        // this shard must not look at standard input, even to find its format
        if (!candidate.missing_in && candidate.input.path != "-") list_.others.push_back(std::move(candidate.input));
        continue;
      }
      if (!candidate.missing_in) list_.files.push_back(std::move(candidate.input));
      else missing[*candidate.missing_in].push_back(*candidate.input.frame);
    }
    for (auto& [sequence, frames] : missing) {
      std::ranges::sort(frames);
      const std::string text =
          fmt::format("{}: frame{} {} {} missing", sequences_[sequence], frames.size() == 1 ? "" : "s",
                      text_of_frames(frames), frames.size() == 1 ? "is" : "are");
      if (options_.skips_missing) {
        list_.notes.push_back(text);
        list_.skipped_count += frames.size();
      } else
        list_.missing.push_back(fmt::format("{0}; render {1} again, or skip {1} with --skip-missing", text,
                                            frames.size() == 1 ? "it" : "them"));
    }
    const auto is_missing = [](const Candidate& candidate) { return candidate.missing_in.has_value(); };
    const size_t missing_count = size_t(std::ranges::count_if(candidates_, is_missing));
    if (options_.shard)
      list_.notes.push_back(fmt::format("shard {} of {} ({}): {} of {}", options_.shard->index, options_.shard->count,
                                        options_.shard->origin, list_.files.size(),
                                        count_text(candidates_.size() - missing_count, "input")));
  }

  const InputOptions& options_;
  std::vector<Candidate> candidates_;
  std::vector<std::string> sequences_;  // as given
  bool has_sequence_ = false, has_folder_ = false;
  InputList list_;
};

}  // namespace

InputList list_inputs(const std::vector<std::string>& words, const InputOptions& options) {
  return Gatherer(options).gather(words);
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_input_pattern(const std::string& word) {
  return !is_there(word) && (is_glob(word) || Sequence::parse(word).has_value());
}

}  // namespace gpupost
