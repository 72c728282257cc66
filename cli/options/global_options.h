// The options that belong to no op: one table for the parser, the help and the documents.
#pragma once

#include "cli/options/input_list.h"
#include "core/pipeline/settings.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// One row. On the command line `--name VALUE`; a machine setting also in the environment, as GPUPOST_NAME.
struct Global {
  std::string_view name;
  std::string_view value;  // what the value is called in the help; "" for a flag
  std::string_view help;
  std::vector<std::string_view> choices;  // empty: any value
  std::string_view short_name;            // "-o"; "" for none
  bool is_of_decoding = false;            // `info` and `compare` have it too
  bool is_of_machine = false;             // depends on the machine, not on the result: device, jobs, limits
  bool has_names = false;                 // takes any names beside its choices

  // As help shows what it takes: "srgb|linear", "FILE", "" for a flag.
  std::string value_text() const;
};

std::span<const Global> all_globals();
const Global* global_named(std::string_view name);  // nullptr: there is none

// How the progress of several files is shown.
enum class ProgressKind { automatic, none, json, openjd };
struct ProgressSettings {
  ProgressKind kind = ProgressKind::automatic;  // a bar on a terminal, else nothing
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

// What the globals of one command line say.
struct Globals {
  InputOptions inputs;
  std::string output;              // "" where it is not said
  const Format* format = nullptr;  // nullptr: by the output's name, else the input's
  InputSettings input;
  OutputSettings encoding;
  PassSettings passes;
  DeviceSettings device;
  BatchSettings batch;  // its journal "": beside the outputs where the run resumes, else none
  ReportSettings report;
  bool makes_folders = false;  // --mkdir
  BakeSettings bake;
  bool explain = false;
  std::optional<Size> size;  // of `--explain` and `shader` without a file
};

// Words that are globals and their values, then the environment. Throws Error(Exit::usage).
Globals parse_globals(const std::vector<std::string>& words);

}  // namespace gpupost
