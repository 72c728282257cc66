#include "cli/report/progress.h"

#include "cli/text/json_text.h"
#include "cli/text/messages.h"
#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/system/atomic_file.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

namespace gpupost {

using json = nlohmann::ordered_json;

double ProgressState::rate() const { return seconds > 0 ? double(done_count - skipped_count) / seconds : 0; }

std::optional<double> ProgressState::seconds_left() const {
  if (rate() <= 0) return std::nullopt;
  return double(count - done_count) / rate();
}

static std::string plural(std::string_view unit) { return std::string(unit) + "s"; }

static std::string duration_text(double seconds) {
  const auto whole = int64_t(seconds + 0.5);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

// The end of a text within a number of bytes, without splitting a UTF-8 character.
static std::string_view tail(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  text.remove_prefix(text.size() - most);
  while (!text.empty() && (text.front() & 0xc0) == 0x80) text.remove_prefix(1);
  return text;
}

std::string bar_text(const ProgressState& state, int width) {
  constexpr int cell_count = 20;
  const int full = int(state.percent() / 100 * cell_count);
  std::string text = fmt::format("[{}{}] {}/{}", std::string(size_t(full), '#'),
                                 std::string(size_t(cell_count - full), '-'), state.done_count, state.count);
  if (state.failed_count > 0) text += fmt::format(", {} failed", state.failed_count);
  if (state.rate() > 0) text += fmt::format("  {:.1f} {}s/s", state.rate(), state.unit);
  if (const auto left = state.seconds_left()) text += fmt::format("  {} left", duration_text(*left));
  const size_t most = size_t(std::max(width - 1, 1));  // a full line would wrap
  if (text.size() > most) return text.substr(0, most);
  const std::string name = printable(state.current);
  if (!name.empty() && text.size() + 10 < most) text += fmt::format("  {}", tail(name, most - text.size() - 2));
  return text;
}

static bool has_terminal() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) && terminal && std::string_view(terminal) != "dumb";
}

static int terminal_width() {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// The file of --progress-file; empty: lines go to standard error. It stays open until the process ends, because tell_failure() writes
// its line after Progress is gone.
static Descriptor line_file;

Progress::Progress(const ProgressSettings& settings, bool is_quiet, size_t count, std::string_view unit) {
  state_.count = count;
  state_.unit = unit;
  if (settings.kind == ProgressKind::json) kind_ = Kind::json;
  if (settings.kind == ProgressKind::openjd) kind_ = Kind::openjd;
  const bool wants_bar = settings.kind == ProgressKind::automatic && count > 1 && !is_quiet;
  if (wants_bar && has_terminal()) kind_ = Kind::bar;
  if (!settings.file.empty()) {
    file_name_ = settings.file;
    line_file =
        Descriptor(open(settings.file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666));
    if (const int error = errno; line_file.get() < 0) {
      refuse_missing_folder(settings.file);
      fail(Exit::output, "--progress-file {}: cannot be written: {}", settings.file,
           std::generic_category().message(error));
    }
  }
  if (kind_ == Kind::json) tell(json_text({{"event", "start"}, {plural(unit), count}}, -1));
  if (kind_ == Kind::bar) draw();
}

// An error of standard error is ignored, one of the file is reported at the end.
void Progress::tell(std::string_view text) {
  const bool has_file = !file_name_.empty();
  const int error = write_whole(has_file ? line_file.get() : STDERR_FILENO, std::as_bytes(std::span(text)));
  if (has_file && file_error_ == 0) file_error_ = error;
}

// Escape sequence OSC 9;4, progress in the tab or the task bar: 1 normal, 2 error, 0 none.
void Progress::draw() {
  drawn_at_ = state_.seconds;
  tell(fmt::format("\r\x1b[K\x1b]9;4;{};{}\x07{}", state_.failed_count > 0 ? 2 : 1, int(state_.percent()),
                   bar_text(state_, terminal_width())));
}

void Progress::hide() {
  if (drawn_at_ < 0) return;
  drawn_at_ = -1;
  tell("\r\x1b[K\x1b]9;4;0;0\x07");
}

void Progress::begin(const std::string& name) {
  state_.current = name;
  state_.seconds = watch_.milliseconds() * 1e-3;
  constexpr double least_seconds = 0.1;  // between two drawings
  if (kind_ == Kind::bar && (drawn_at_ < 0 || state_.seconds - drawn_at_ > least_seconds)) draw();
}

void Progress::end_file(const JobReport& report) {
  end(report.input, report.exit, report.journal.is_skipped, [&report] {
    json facts;
    add_name(facts, "input", report.input);
    add_names(facts, "outputs", report.outputs);
    facts.update({{"exit", int(report.exit)}, {"error", report.error}, {"is_skipped", report.journal.is_skipped}});
    return facts;
  });
}

void Progress::end_case(const std::string& name, Exit exit, const std::string& error) {
  const json facts{{"case", name}, {"exit", int(exit)}, {"error", error}};
  end(name, exit, false, [&facts] { return facts; });
}

void Progress::end(const std::string& name, Exit exit, bool is_skipped, const std::function<json()>& facts) {
  ++state_.done_count;
  if (exit != Exit::done) ++state_.failed_count;
  if (is_skipped) ++state_.skipped_count;
  state_.seconds = watch_.milliseconds() * 1e-3;
  if (kind_ == Kind::json) {
    const auto left = state_.seconds_left();
    json line{{"event", state_.unit}};
    line.update(facts());
    line.update(json{{"done", state_.done_count},
                     {plural(state_.unit), state_.count},
                     {"percent", state_.percent()},
                     {plural(state_.unit) + "_per_second", state_.rate()},
                     {"seconds_left", left ? json(*left) : json()}});
    tell(json_text(line, -1));
  }
  if (kind_ == Kind::openjd)
    tell(fmt::format("openjd_progress: {:.1f}\nopenjd_status: {} of {} {}: {}\n", state_.percent(), state_.done_count,
                     state_.count, plural(state_.unit), printable(name)));
}

static std::string failure_line(std::string_view text) { return fmt::format("openjd_fail: {}\n", one_line(text)); }

Exit Progress::finish(Exit exit, std::span<const std::string> other_failures) {
  hide();
  if (kind_ == Kind::json)
    tell(json_text({{"event", "end"},
                    {"done", state_.done_count},
                    {"failed", state_.failed_count},
                    {"skipped", state_.skipped_count},
                    {plural(state_.unit), state_.count},
                    {"missing", other_failures},
                    {"seconds", watch_.milliseconds() * 1e-3},
                    {"exit", int(exit)}},
                   -1));
  if (kind_ == Kind::openjd && exit != Exit::done) {
    std::vector<std::string> failures;
    if (state_.failed_count > 0)
      failures.push_back(fmt::format("{} of {} {} failed", state_.failed_count, state_.count, plural(state_.unit)));
    failures.insert(failures.end(), other_failures.begin(), other_failures.end());
    if (failures.empty()) failures.push_back(fmt::format("exit code {}", int(exit)));
    tell(failure_line(fmt::format("{}", fmt::join(failures, "; "))));
  }
  kind_ = Kind::none;
  if (file_error_ == 0) return exit;
  say_error(fmt::format("--progress-file {}: lines are missing: {}", file_name_,
                        std::generic_category().message(file_error_)));
  return exit == Exit::done ? Exit::output : exit;
}

// Value of the last option of this name in a command line, which may be invalid; "" if there is none.
static std::string value_of(std::string_view name, std::span<const std::string> words) {
  std::string value;
  for (size_t index = 0; index < words.size() && words[index] != "--"; ++index) {
    const std::string& word = words[index];
    if (word == name && index + 1 < words.size()) value = words[index + 1];
    else if (word.starts_with(name) && word.substr(name.size()).starts_with("=")) value = word.substr(name.size() + 1);
  }
  return value;
}

// Is a regular file empty, or does it begin like the lines of an earlier run?
static bool can_hold_lines(const std::string& path) {
  struct stat facts = {};
  if (stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  if (facts.st_size == 0) return true;
  std::ifstream stream(path, std::ios::binary);
  std::string line;
  std::getline(stream, line);
  return line.starts_with("openjd_") || line.starts_with(R"({"event":"start")") ||
         line.starts_with(R"({"event":"end")");
}

void tell_failure(std::string_view text, std::span<const std::string> words, Exit code) {
  const std::string kind = value_of("--progress", words), path = value_of("--progress-file", words);
  if (kind != "openjd" && kind != "json") return;
  if (line_file.get() >= 0 && kind == "json") return;  // Progress writes its last line
  if (line_file.get() < 0 && !path.empty()) {
    const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
    if (can_hold_lines(path)) line_file = Descriptor(open(path.c_str(), flags | O_TRUNC));
    else if (kind == "openjd") line_file = Descriptor(open(path.c_str(), flags | O_CREAT | O_EXCL, 0666));
  }
  if (line_file.get() < 0 && kind == "json") return;
  const std::string line = kind == "openjd"
                               ? failure_line(text)
                               : json_text({{"event", "end"}, {"error", one_line(text)}, {"exit", int(code)}}, -1);
  write_whole(line_file.get() >= 0 ? line_file.get() : STDERR_FILENO, std::as_bytes(std::span(line)));
}

}  // namespace gpupost
