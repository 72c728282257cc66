// Generates help and reference from the rows.
#pragma once

#include "cli/options/command_row.h"
#include "cli/options/global_options.h"
#include "core/op/op.h"

#include <string>

namespace gpupost {

std::string first_steps();                      // for `gpupost` alone: examples and where to read more
std::string short_help_text();                  // for -h: one screen
std::string help_text();                        // for --help: everything but the options of ops and verbs
std::string help_text(const Op& op);            // examples, options, details and sources of one op
std::string help_text(const CommandRow& verb);  // examples and options of one verb
std::string help_text(const Global& global);    // what one global option does
std::string exit_codes_text();                  // the exit codes and their meaning
std::string ops_list();                         // one line for each op
std::string man_page();                         // man 1 gpupost, in roff
std::string ops_markdown();                     // docs/ops.md

}  // namespace gpupost
