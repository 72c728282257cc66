// Measures the published figures of an op.
#pragma once

#include "cli/commands/bench/json.h"
#include "cli/commands/bench/options.h"

#include <functional>

namespace gpupost {

// Measures the variants of the op's claims at the sizes, formats and settings of the claims or of the options, and
// those of its graphs. Adds cases, claims and graphs to `run`; calls `on_case` after each case.
void bench_documents(Gpu& gpu, const BenchRequest& request, BenchRun& run, const std::function<void()>& on_case);

}  // namespace gpupost
