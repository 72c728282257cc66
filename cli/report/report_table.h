// The report of a run, finished and told.
#pragma once

#include "cli/options/global_options.h"
#include "cli/report/report.h"

namespace gpupost {

// Adds the device and its copies that passes are held against, then prints and writes the report as --timing and --report
// say. `gpu` is nullptr where none was opened. Throws Error(Exit::output) where it cannot be written.
void finish_report(const Globals& globals, Gpu* gpu, Report& report);

}  // namespace gpupost
