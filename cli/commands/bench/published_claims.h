// Measures the published figures of an op.
#pragma once

#include "cli/commands/bench/events.h"
#include "cli/commands/bench/json.h"
#include "cli/commands/bench/options.h"

namespace gpupost {

// Measures the variants of the op's claims at the sizes, formats and settings of the claims or of the options, and
// those of its graphs. Adds cases, claims and graphs to `run`.
void bench_documents(Gpu& gpu, const BenchRequest& request, BenchRun& run, const BenchEvents& events);

}  // namespace gpupost
