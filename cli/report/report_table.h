// Output of the report for --timing and --report.
#pragma once

#include "cli/options/global_options.h"
#include "cli/report/report.h"

namespace gpupost {

// Prints the report for --timing and writes it for --report. Throws Error(Exit::output) if the file cannot be written.
void finish_report(const Globals& globals, const Report& report);

}  // namespace gpupost
