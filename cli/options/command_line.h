// Parses the command line into inputs, calls and global options.
#pragma once

#include "cli/options/global_options.h"
#include "core/op/parse.h"

#include <string>
#include <vector>

namespace gpupost {

// Move-only, because a batch can have very many inputs.
struct Request {
  Request() = default;
  Request(Request&&) = default;
  Request& operator=(Request&&) = default;

  std::vector<std::string> input_words;  // as typed: files, folders, globs, sequences, or "-"
  std::string likely_output;             // the last input, if it stands where other programs have the output; else ""
  InputList inputs;                      // filled by list_inputs()
  std::vector<Call> calls;
  Globals globals;
  std::vector<std::string> words;         // words of the command line
  std::string result_options;             // global options that change results, as --name=value
  std::vector<std::string> global_words;  // global options of the command line, as --name=value
};

// Parses the words after the program's name. It opens no files except GLSL and LUT files of ops. Throws
// Error(Exit::usage), or Error(Exit::input) for such a file.
Request parse_request(const std::vector<std::string>& words);

// Throws Error(Exit::usage) if the command line has a global option for which `has_effect` returns false. `reason` ends the
// sentence "--bits 8 has no effect ...".
void check_globals_have_effect(const Request& request, bool (*has_effect)(const Global& global),
                               std::string_view reason);

// The names of all ops, for suggestions.
std::vector<std::string_view> op_names();

}  // namespace gpupost
