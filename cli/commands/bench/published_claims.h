// What documents claim of an op, held against a device.
#pragma once

#include "cli/commands/bench/json.h"
#include "cli/commands/bench/options.h"

#include <functional>

namespace gpupost {

// Measures the variants of the row's claims where the claims say, or at those of the sizes, formats and settings asked for,
// and those of the row's graphs; cases, claims and graphs are added to `run`, `on_case` is called behind each case.
void bench_documents(Gpu& gpu, const BenchRequest& request, BenchRun& run, const std::function<void()>& on_case);

}  // namespace gpupost
