#include "cli/commands/commands.h"

#include "cli/commands/bench/bench.h"
#include "cli/commands/explain.h"
#include "cli/options/command_line.h"
#include "cli/report/report.h"
#include "cli/text/completion.h"
#include "cli/text/help.h"
#include "cli/text/json_text.h"
#include "cli/text/messages.h"
#include "core/base/version.h"
#include "core/codec/codec.h"
#include "core/glsl/shader_text.h"
#include "core/op/parse.h"
#include "core/ops/ocio/worker.h"
#include "core/ops/registry.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace gpupost {

std::span<const CommandRow* const> table_of_verbs() {
  static constexpr std::array verbs{&devices_verb,    &doctor_verb, &compare_verb, &info_verb,
                                    &bench_verb,      &tune_verb,   &ops_verb,     &shader_verb,
                                    &completion_verb, &help_verb,   &man_verb,     &version_verb};
  return verbs;
}

// --- verbs that print what the program knows ------------------------------------------------------------------------

static Exit run_ops(const CommandCall& call) {
  print_out(call.has("--markdown") ? ops_markdown() : ops_list());
  return Exit::done;
}

const CommandRow ops_verb{
    .name = "ops",
    .summary = "List the ops",
    .usage = "ops [--markdown]",
    .description = "Prints one line for each op. `gpupost help OP` describes an op.",
    .options = {{"--markdown", "", "Print the reference of all ops and options as Markdown", {}}},
    .examples = {"ops"},
    .run = run_ops,
};

static Exit run_help(const CommandCall& call) {
  if (call.words.empty()) {
    print_out(help_text());
    return Exit::done;
  }
  const std::string& word = call.words.front();
  const Global* global = word.starts_with('-') ? global_of_option(word) : global_named(word);
  if (const Op* op = op_named(word)) print_out(help_text(*op));
  else if (const CommandRow* verb = verb_named(word)) print_out(help_text(*verb));
  else if (global) print_out(help_text(*global));
  else if (word == "exit-codes") print_out(exit_codes_text());
  else {
    std::vector<std::string_view> known = op_names();
    for (const CommandRow* candidate : all_verbs()) known.push_back(candidate->name);
    fail(Exit::usage, "help: {} is not an op, a verb or a global option{}; `gpupost help` lists all", word,
         suggestion(word, known));
  }
  return Exit::done;
}

const CommandRow help_verb{
    .name = "help",
    .summary = "Print the help of the program, of an op, of a verb or of a global option",
    .usage = "help [OP|VERB|OPTION|exit-codes]",
    .argument = Argument::help_topic,
    .most_words = 1,
    .examples = {"help", "help mips", "help compare", "help --storage", "help exit-codes"},
    .run = run_help,
};

static Exit run_man(const CommandCall&) {
  print_out(man_page());
  return Exit::done;
}

const CommandRow man_verb{
    .name = "man",
    .summary = "Print the manual page",
    .usage = "man",
    .description = "To read it, run `gpupost man | man -l -`. The Debian package installs it.",
    .examples = {"man"},
    .run = run_man,
};

std::vector<OptionalLibrary> libraries_of_build() {
  std::vector<OptionalLibrary> libraries;
  for (const auto& [name, version] : codec_libraries()) libraries.push_back({name, version, name + "-dev"});
  libraries.push_back({"OpenColorIO", std::string(ocio_version()), "libopencolorio-dev"});
  return libraries;
}

static nlohmann::ordered_json version_json() {
  using json = nlohmann::ordered_json;
  json libraries = json::object(), formats = json::array();
  for (const auto& [name, version] : library_versions()) libraries[std::string(name)] = version;
  for (const OptionalLibrary& library : libraries_of_build())
    if (!library.version.empty()) libraries[library.name] = library.version;
  for (const Format& format : all_formats()) {
    json depths = json::array();
    for (const Depth depth : format.written_depths) depths.push_back(name_of(depth));
    formats.push_back({{"name", format.name},
                       {"extensions", format.extensions},
                       {"is_read", format.can_read()},
                       {"written_depths", depths}});
  }
  return {{"version", version_number()}, {"commit", commit_name()}, {"libraries", libraries}, {"formats", formats}};
}

static Exit run_version(const CommandCall& call) {
  if (call.has("--json")) {
    print_out(json_text(version_json(), 2));
    return Exit::done;
  }
  print_out(version_text() + "\n");
  for (const OptionalLibrary& library : libraries_of_build())
    print_out(fmt::format("{} {}\n", library.name, library.version.empty() ? "not in this build" : library.version));
  for (const auto& [name, version] : library_versions()) print_out(fmt::format("{} {}\n", name, version));
  return Exit::done;
}

const CommandRow version_verb{
    .name = "version",
    .summary = "Print the version, the commit and the versions of the libraries",
    .usage = "version [--json]",
    .options = {{"--json", "", "Print JSON, also with the formats", {}}},
    .examples = {"version", "version --json"},
    .run = run_version,
};

static Exit run_shader(const CommandCall& call) {
  Request request = parse_request(call.words);
  request.inputs = list_inputs(request.input_words, request.globals.inputs);
  if (request.calls.empty()) fail(Exit::usage, "shader: no op; expected a chain, like: gpupost shader mips --fp16");
  check_globals_have_effect(
      request,
      [](const Global& global) {
        return global.name != "explain" && global.name != "bake" && global.name != "bake-shaper";
      },
      "with `shader`, which only prints shaders; leave it out");
  const Explained explained = plans_of(request);
  if (const std::string& output = request.globals.output;
      !output.empty() && output != "-" && !request.globals.report.quiet)
    say_note("-o {}: is not written, because `shader` prints to standard output; only its format counts", output);
  std::set<std::string> printed;  // other channels mostly use the same shaders
  for (const ExplainedGroup& group : explained.groups)
    for (const ExplainedStep& step : group.steps)
      for (const Pass& pass : step.plan.passes)
        if (const std::string glsl = glsl_of(pass); printed.insert(glsl).second)
          print_out(fmt::format("// pass: {}\n{}\n", pass.name, glsl));
  return Exit::done;
}

const CommandRow shader_verb{
    .name = "shader",
    .summary = "Print the shaders that a chain runs",
    .usage = "shader CHAIN",
    .description =
        "Prints the GLSL of each pass, for the device that would run it. Write the chain as for a run; the input may "
        "be left out. -o is not written; it only says for which format the shaders are. --size sets the image size "
        "then, and --device the device.",
    .argument = Argument::chain,
    .least_words = 1,
    .most_words = any_count,
    .takes_global = [](const Global&) { return true; },
    .examples = {"shader mips --fp16", "shader exposure --stops 1 blur --radius 7"},
    .run = run_shader,
};

}  // namespace gpupost
