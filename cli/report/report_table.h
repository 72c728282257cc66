// The report of a run, where --timing and --report say.
#pragma once

#include "cli/options/global_options.h"
#include "cli/report/report.h"

namespace gpupost {

// Prints and writes the report as --timing and --report say. Throws Error(Exit::output) where it cannot be written.
void finish_report(const Globals& globals, const Report& report);

}  // namespace gpupost
