#include "cli/verbs.h"

#include "cli/explain.h"
#include "cli/help.h"
#include "cli/report.h"
#include "cli/request.h"
#include "core/generate.h"
#include "core/gpu/gpu.h"
#include "core/ops/ops.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace gpupost {

std::span<const Verb> all_verbs() {
  static const Verb verbs[] = {
      {"devices", "devices [--json]", "lists the devices and what each can do", run_devices},
      {"doctor", "doctor", "says what is missing and the command that mends it", run_doctor},
      {"compare", "compare A B",
       "differences of two pictures; exit 6 over --tolerance T (default 0), or of windows, levels, chromaticities",
       run_compare},
      {"info", "info FILE [--json]", "size, channels, windows, levels and attributes of a picture", run_info},
      {"bench", "bench OP", "how fast an op's variants are, beside what the device can do at best", run_bench},
      {"tune", "tune [OP]", "finds and keeps the fastest variants on this device; --list shows, --forget drops them",
       run_tune},
      {"ops", "ops [--markdown]", "lists the ops", run_ops},
      {"shader", "shader CHAIN", "prints the shaders that a chain runs", run_shader},
      {"completion", "completion SHELL", "the script by which bash, zsh or fish completes words", run_completion},
      {"help", "help [OP]", "this text, or all about an op", run_help},
      {"version", "version", "version and commit", run_version},
  };
  return verbs;
}

const Verb* verb_named(std::string_view name) {
  for (const Verb& verb : all_verbs())
    if (verb.name == name) return &verb;
  return nullptr;
}

void print_out(std::string_view text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  // a closed pipe is the reader's choice
  if (!is_written && errno != EPIPE)
    fail(Exit::output, "standard output: cannot be written: {}", std::generic_category().message(errno));
}

bool take_flag(std::vector<std::string>& words, std::string_view flag) { return std::erase(words, flag) > 0; }

std::optional<std::string> take_value(std::vector<std::string>& words, std::string_view name) {
  const std::string start = std::string(name) + "=";
  std::optional<std::string> value;
  for (size_t index = 0; index < words.size();) {
    const bool is_alone = words[index] == name;
    if (!is_alone && !words[index].starts_with(start)) {
      ++index;
      continue;
    }
    if (is_alone && index + 1 == words.size()) fail(Exit::usage, "{} needs a value and is the last word", name);
    value = is_alone ? words[index + 1] : words[index].substr(start.size());
    words.erase(words.begin() + long(index), words.begin() + long(index) + (is_alone ? 2 : 1));
  }
  return value;
}

void expect_words(std::string_view verb, const std::vector<std::string>& words, size_t least, size_t most) {
  for (const std::string& word : words)
    if (word.size() > 2 && word.starts_with("--")) fail(Exit::usage, "{}: {} is no option of it", verb, word);
  if (words.size() < least || words.size() > most)
    fail(Exit::usage, "{}: has {} arguments; expected: gpupost {}", verb, words.size(), verb_named(verb)->usage);
}

Exit run_ops(const std::vector<std::string>& given) {
  std::vector<std::string> words = given;
  const bool markdown = take_flag(words, "--markdown");
  expect_words("ops", words, 0, 0);
  print_out(markdown ? ops_markdown() : ops_list());
  return Exit::done;
}

Exit run_help(const std::vector<std::string>& words) {
  expect_words("help", words, 0, 1);
  if (words.empty()) {
    print_out(help_text());
    return Exit::done;
  }
  const Op* op = op_named(words[0]);
  if (!op)
    fail(Exit::usage, "help: {} is no op{}; `gpupost ops` lists them", words[0], suggestion(words[0], op_names()));
  print_out(help_text(*op));
  return Exit::done;
}

Exit run_version(const std::vector<std::string>& words) {
  expect_words("version", words, 0, 0);
  print_out(version_text() + "\n");
  return Exit::done;
}

Exit run_shader(const std::vector<std::string>& words) {
  const Request request = parse_request(words);
  if (request.calls.empty()) fail(Exit::usage, "shader: no op; expected a chain, like: gpupost shader mips --fp16");
  for (const Pass& pass : plan_of(request).plan.passes)
    print_out(fmt::format("// pass: {}\n{}\n", pass.name, glsl_of(pass)));
  return Exit::done;
}

}  // namespace gpupost
