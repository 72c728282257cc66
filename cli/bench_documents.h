// What documents claim of an op, held against a device.
#pragma once

#include "cli/bench_json.h"
#include "cli/bench_request.h"

#include <functional>

namespace gpupost {

Variant slower_of(const Claim& claim);
Variant faster_of(const Claim& claim);

// Measures the variants of the row's claims where the claims say, or at those of the sizes and formats asked for; cases and
// claims are added to `run`, `on_case` is called behind each case.
void bench_documents(Gpu& gpu, const BenchRequest& request, BenchRun& run, const std::function<void()>& on_case);

}  // namespace gpupost
