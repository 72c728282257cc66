#include "cli/text/help.h"

#include "cli/options/command_line.h"
#include "cli/options/command_row.h"
#include "cli/options/environment.h"
#include "cli/options/global_options.h"
#include "core/base/version.h"
#include "core/codec/formats.h"
#include "core/ops/registry.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace gpupost {

// "required", or the default; empty if there is none, or if the help describes it.
static std::string default_of(const Param& param) {
  if (param.presence == Presence::required) return "required";
  if (param.kind == ParamKind::flag || param.kind == ParamKind::text || param.presence == Presence::optional) return "";
  if (param.kind == ParamKind::choice) return std::string(param.choices[size_t(param.default_value)]);
  return fmt::format("{}", param.default_value);
}

// `text` in lines of at most `width`, each indented by `indent` spaces. Each line of `text` is a paragraph.
static std::string wrapped(std::string_view text, size_t indent, size_t width = 100) {
  std::string lines, line;
  while (!text.empty()) {
    const size_t space = text.find_first_of(" \n");
    const std::string_view word = text.substr(0, space);
    const bool ends_paragraph = space != text.npos && text[space] == '\n';
    text.remove_prefix(space == text.npos ? text.size() : space + 1);
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      lines += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
    if (ends_paragraph) lines += std::string(indent, ' ') + std::exchange(line, "") + "\n";
  }
  return lines + std::string(indent, ' ') + line + "\n";
}

static std::string option_lines(std::string option, std::string_view help) {
  while (option.ends_with(' ')) option.pop_back();
  return fmt::format("  {}\n{}", option, wrapped(help, 6));
}

// What an option does, and its default: "Strength of the toe (default 0.7)".
static std::string help_of(const Param& param) {
  const std::string value = default_of(param);
  if (value.empty()) return std::string(param.help);
  return fmt::format("{} ({}{})", param.help, param.presence == Presence::required ? "" : "default ", value);
}

static std::vector<Note> notes_of(const Op& op) { return op.doc.notes ? op.doc.notes() : std::vector<Note>(); }

// Rows have more examples, which tests run.
static constexpr size_t most_shown_examples = 6;

// "lut FILE.cube", "flip [x|y|xy]": the op with its positional options.
static std::string op_usage(const Op& op) {
  std::string text(op.name);
  for (const Param& param : op.params)
    if (param.is_positional)
      text +=
          param.presence == Presence::required ? " " + param.value_text() : fmt::format(" [{}]", param.value_text());
  return text;
}

// Examples first, then options, then details.
std::string help_text(const Op& op) {
  std::string text = fmt::format("gpupost [INPUT...] {} [OPTIONS] [-o OUTPUT]\n\n{}\nExamples\n", op_usage(op),
                                 wrapped(fmt::format("{}.", op.doc.summary), 0));
  const std::string_view inputs = op.makes == Makes::cell ? "a.exr b.exr c.exr" : "in.exr";
  const std::span examples = op.doc.examples;
  for (const std::string_view example : examples.first(std::min(examples.size(), most_shown_examples)))
    text += fmt::format("  gpupost {}{}{} {}\n", op.name, example.empty() ? "" : " ", example, inputs);
  if (!op.params.empty()) text += "\nOptions\n";
  for (const Param& param : op.params)
    text += option_lines(fmt::format("{} {}", param.typed_name(), param.value_text()), help_of(param));
  if (op.doc.notes) text += fmt::format("\n{}\n", op.params.front().typed_name());
  for (const Note& note : notes_of(op))
    text += fmt::format("  {}\n{}{}", note.name, wrapped(note.formula, 6), wrapped(note.text, 6));
  return text + fmt::format("\nDetails\n{}\nSource\n{}\nGlobal options: gpupost --help\n",
                            wrapped(op.doc.description, 2), wrapped(op.doc.citation, 2));
}

// "-o, --output"
static std::string names_of(const Global& global) {
  return fmt::format("{}{}--{}", global.short_name, global.short_name.empty() ? "" : ", ", global.name);
}

// What the option does, and the environment variable that sets it too.
static std::string help_of(const Global& global) {
  const std::string help = global.help_text();
  return global.is_of_machine ? fmt::format("{} [{}]", help, environment_name(global)) : help;
}

// "-o, --output FILE" and what it does.
static std::string text_of(const Global& global) {
  const std::string option = fmt::format("{} {}", names_of(global), global.value_text());
  return option_lines(option, help_of(global));
}

std::string help_text(const Global& global) { return text_of(global); }

static std::string globals_text() {
  std::string text;
  for (const Global& global : all_globals()) text += text_of(global);
  return text;
}

std::string help_text(const CommandRow& verb) {
  std::string text =
      fmt::format("gpupost {}\n\n{}\nExamples\n", verb.usage, wrapped(fmt::format("{}.", verb.summary), 0));
  for (const std::string_view example : verb.examples) text += fmt::format("  gpupost {}\n", example);
  if (!verb.options.empty()) text += "\nOptions\n";
  for (const CommandOption& option : verb.options)
    text += option_lines(fmt::format("{} {}", option.name, option.value_text()), option.help);
  if (!verb.description.empty()) text += "\nDetails\n" + wrapped(verb.description, 2);
  if (verb.argument == Argument::chain) return text + "\nGlobal options: gpupost --help\n";
  const std::vector<const Global*> globals = globals_of(verb);
  if (!globals.empty()) text += "\nGlobal options that it takes\n";
  for (const Global* global : globals) text += text_of(*global);
  return text;
}

static constexpr std::string_view exit_codes[] = {
    "0    Success; every output is complete",
    "1    Wrong usage: an error on the command line, or an image that the format cannot hold",
    "2    An input cannot be read, or is damaged, not supported or over a limit",
    "3    An output cannot be written",
    "4    No suitable device, or the device failed",
    "5    Some inputs of a batch failed, or frames are missing",
    "6    compare, --verify or bench found a difference; --verify writes no output",
    "7    Out of memory, processes or file descriptors, or too large for the device",
    "70   A bug in gpupost; please report it",
    "128 + N in a shell: ended by signal N, such as 130 by Ctrl-C or 143 by SIGTERM",
};

std::string exit_codes_text() {
  std::string text = "Exit codes\n";
  for (const std::string_view line : exit_codes) text += fmt::format("  {}\n", line);
  return text;
}

static constexpr std::string_view usage =
    "  gpupost [INPUT...] OP [OPTIONS] [OP [OPTIONS]]... [-o OUTPUT]    apply ops, left to right\n"
    "  gpupost INPUT -o OUTPUT                                          convert\n"
    "  gpupost VERB ...                                                 info, compare, bench, ...\n";

static constexpr std::string_view first_examples =
    "  gpupost mips in.exr --fp16                                       mip chain, to in.mips.exr\n"
    "  gpupost in.exr exposure --stops 1 tonemap --curve agx -o out.png\n";

// The most used options, for the short help, in this order.
static constexpr std::string_view common_options[] = {"output", "bits",   "fp16",   "apply-to", "device",
                                                      "jobs",   "verify", "timing", "report",   "explain"};

// "Reads and writes exr, png; only reads bmp."
static std::string formats_text() {
  std::vector<std::string_view> written, only_read;
  for (const Format& format : all_formats())
    if (format.can_read()) (format.can_write() ? written : only_read).push_back(format.name);
  return fmt::format("Reads and writes {}; only reads {}.", fmt::join(written, ", "), fmt::join(only_read, ", "));
}

static std::string_view first_sentence(std::string_view text) { return text.substr(0, text.find(". ")); }

std::string first_steps() {
  return fmt::format(
      "gpupost: image processing on the GPU. Examples:\n{}More: gpupost -h (one screen), --help (everything), help "
      "OP\n",
      first_examples);
}

std::string short_help_text() {
  std::string text = fmt::format(
      "gpupost: image processing on the GPU: mip chains, blurs, resizing, tone mapping and more\n{}\n"
      "Usage\n{}\n"
      "Examples\n{}  cat in.exr | gpupost blur --radius 7 > out.exr\n\nOps (gpupost help OP)\n",
      wrapped(formats_text(), 0), usage, first_examples);
  for (const auto& [title, ops] : grouped_ops()) {
    text += fmt::format("  {:<20}", title);
    for (const Op* op : ops) text += fmt::format(" {}", op->name);
    text += "\n";
  }
  std::vector<std::string_view> verbs;
  for (const CommandRow* verb : all_verbs()) verbs.push_back(verb->name);
  text += "\nVerbs (gpupost help VERB)\n" + wrapped(fmt::format("{}", fmt::join(verbs, " ")), 2);
  text += "\nCommon options\n";
  for (const std::string_view name : common_options) {
    const Global& global = *global_named(name);
    text +=
        fmt::format("  {:<22}{}\n", fmt::format("{} {}", names_of(global), global.value), first_sentence(global.help));
  }
  return text + "\ngpupost --help lists all options and exit codes.\n";
}

std::string help_text() {
  std::string text = fmt::format(
      "gpupost: image processing on the GPU\n\n{}\nWithout an input, or with -, gpupost reads standard input.\n{}\n"
      "Ops (gpupost help OP)\n{}\nVerbs (gpupost help VERB)\n",
      usage, wrapped(formats_text(), 0), ops_list());
  for (const CommandRow* verb : all_verbs()) text += fmt::format("  {:<22}{}\n", verb->name, verb->summary);
  return text + "\nGlobal options (an environment variable in brackets sets the same option)\n" + globals_text() +
         "\n" + exit_codes_text();
}

// Escapes text for roff, which may break a line behind each |.
static std::string roff(std::string_view text) {
  std::string escaped;
  if (text.starts_with('.') || text.starts_with('\'')) escaped = "\\&";
  for (const char c : text) {
    if (c == '\\') escaped += "\\e";
    else if (c == '-') escaped += "\\-";
    else if (c == '|') escaped += "|\\:";
    else escaped += c;
  }
  return escaped;
}

static std::string roff_item(std::string_view name, std::string_view value, std::string_view text) {
  return fmt::format(".TP\n\\fB{}\\fR{}{}\n{}\n", roff(name), value.empty() ? "" : " ", roff(value), roff(text));
}

// One paragraph for each line of `text`.
static std::string roff_paragraphs(std::string_view text) {
  std::string paragraphs;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    paragraphs += fmt::format(".PP\n{}\n", roff(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return paragraphs;
}

static std::string roff_lines(std::string_view title, std::string_view lines) {
  return fmt::format(".SH {}\n.nf\n{}.fi\n", title, roff(lines));
}

std::string man_page() {
  std::string text = fmt::format(
      ".TH GPUPOST 1 \"\" \"gpupost {}\" \"User Commands\"\n.SH NAME\ngpupost \\- image processing on the GPU\n",
      version_number());
  text += roff_lines("SYNOPSIS", usage) + roff_lines("EXAMPLES", first_examples) + ".SH OPS\n";
  for (const Op* op : all_ops()) {
    text += fmt::format(".SS {}\n{}.\n{}", op_usage(*op), roff(op->doc.summary), roff_paragraphs(op->doc.description));
    for (const Param& param : op->params) text += roff_item(param.typed_name(), param.value_text(), help_of(param));
    if (op->doc.notes) text += fmt::format(".PP\n{}\n", roff(op->params.front().typed_name()));
    for (const Note& note : notes_of(*op))
      text += roff_item(note.name, "", fmt::format("{}; {}", note.formula, note.text));
  }
  text += ".SH VERBS\n";
  for (const CommandRow* verb : all_verbs()) {
    text += fmt::format(".SS {}\n{}.\n{}", roff(verb->usage), roff(verb->summary), roff_paragraphs(verb->description));
    for (const CommandOption& option : verb->options) text += roff_item(option.name, option.value_text(), option.help);
  }
  text += ".SH GLOBAL OPTIONS\nAn environment variable in brackets sets the same option.\n";
  for (const Global& global : all_globals()) text += roff_item(names_of(global), global.value_text(), help_of(global));
  text += ".SH EXIT STATUS\n";
  for (const std::string_view line : exit_codes) {
    const size_t space = std::min(line.find("  "), line.find(" in a shell"));
    text += roff_item(line.substr(0, space), "", line.substr(line.find_first_not_of(' ', space)));
  }
  return text;
}

std::string ops_list() {
  std::string text;
  for (const auto& [title, ops] : grouped_ops()) {
    text += fmt::format("{} {}\n", text.empty() ? "" : "\n", title);
    for (const Op* op : ops) text += fmt::format("  {:<22}{}\n", op->name, op->doc.summary);
  }
  return text;
}

static std::string op_markdown(const Op& op) {
  std::string text = fmt::format("### {}\n\n{}.\n\n", op.name, op.doc.summary);
  for (const char c : op.doc.description) text += c == '\n' ? "\n\n" : std::string(1, c);
  text += "\n";
  if (!op.params.empty()) text += "\n| option | values | default | |\n|---|---|---|---|\n";
  for (const Param& param : op.params) {
    std::string values = param.value_text();
    for (size_t at = 0; (at = values.find('|', at)) != values.npos; at += 2) values.replace(at, 1, "\\|");
    text += fmt::format("| `{}` | {} | {} | {} |\n", param.typed_name(), values, default_of(param), param.help);
  }
  if (op.doc.notes) text += "\n";
  for (const Note& note : notes_of(op)) text += fmt::format("- `{}`: `{}`; {}\n", note.name, note.formula, note.text);
  return text + fmt::format("\nSource: {}.\n\n", op.doc.citation);
}

std::string ops_markdown() {
  std::string text = "# Ops\n\n`gpupost help OP` prints the same with examples.\n\n";
  for (const TitledGroup& group : grouped_ops()) {
    text += fmt::format("## {}\n\n", group.title);
    for (const Op* op : group.ops) text += op_markdown(*op);
  }
  return text;
}

}  // namespace gpupost
