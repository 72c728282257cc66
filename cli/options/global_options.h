// Global options: one table for the parser, the help and the documents.
#pragma once

#include "cli/options/input_list.h"
#include "core/pipeline/settings.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// The commands on which a global option has an effect: those that
enum class Scope {
  runs,     // run a chain on images
  reading,  // read images: a run, `info` or `compare`
  images,   // run a chain, and write an image
  ops,      // run a chain that has an op
  bake,     // run a chain on images, or write a table with --bake
};

// One global option: `--name VALUE`. A machine setting can also be set by the variable GPUPOST_NAME.
struct Global {
  std::string_view name;
  std::string_view value;  // what the value is called in the help; "" for a flag
  std::string_view help;
  std::vector<std::string_view> choices;  // empty: any value
  std::string_view short_name;            // "-o"; "" for none
  Scope scope = Scope::runs;
  bool is_of_machine = false;  // machine setting, which does not change results: device, jobs, limits
  bool has_names = false;      // accepts other names besides its choices
  bool has_level = false;      // a choice may be followed by `:LEVEL`

  // The value for help: "srgb|linear", "FILE", "" for a flag.
  std::string value_text() const;
  // The help, with the ops that take --apply-to in place of {ops}.
  std::string help_text() const;
};

std::span<const Global> all_globals();
const Global* global_named(std::string_view name);        // nullptr if there is none
const Global* global_of_option(std::string_view option);  // the same for -o or --output

// Throws the error of an option without a value, which another option follows. `verb`: the verb that has it, or "".
[[noreturn]] void refuse_option_as_value(std::string_view option, std::string_view next, std::string_view verb);

// Settings of the progress display.
enum class ProgressKind { automatic, none, json, openjd };
struct ProgressSettings {
  ProgressKind kind = ProgressKind::automatic;  // automatic: a bar on a terminal, else nothing
  std::string file;                             // in the place of standard error; "": none
};

// What is told of a run, and where.
struct ReportSettings {
  std::string file;     // "-": standard output; "": none
  std::string depfile;  // "": none
  bool timing = false;  // a table of times on standard error
  bool quiet = false;   // no warnings
  ProgressSettings progress;
};

// The table that stands in the place of a picture.
struct BakeSettings {
  std::optional<int> side;  // entries; empty: no table is made
  std::string shaper = "none";
};

// Values of the global options.
struct Globals {
  InputOptions inputs;
  std::string output;              // "" where it is not said
  const Format* format = nullptr;  // nullptr: from the extension of the output, else as the input
  InputSettings input;
  OutputSettings encoding;
  PassSettings passes;
  DeviceSettings device;
  BatchSettings batch;  // its journal "": beside the outputs where the run resumes, else none
  ReportSettings report;
  BakeSettings bake;
  bool explain = false;
  std::optional<Size> size;  // image size for `--explain` and `shader` without an input
};

// The ops that take --apply-to, for messages and help: "blur, convolve and warp".
std::string names_with_apply_to();

// Parses global options from words, then from the environment. Throws Error(Exit::usage).
Globals parse_globals(const std::vector<std::string>& words);

}  // namespace gpupost
