// Help and reference, made from the rows.
#pragma once

#include "cli/options/command_row.h"
#include "core/op/op.h"

#include <string>

namespace gpupost {

std::string help_text();                        // of the program
std::string help_text(const Op& op);            // of one op
std::string help_text(const CommandRow& verb);  // of one verb
std::string ops_list();                         // a line an op
std::string ops_markdown();                     // the README's section on ops and globals

}  // namespace gpupost
