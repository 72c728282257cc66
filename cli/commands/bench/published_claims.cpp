#include "cli/commands/bench/published_claims.h"

#include "core/base/error.h"

#include <algorithm>

namespace gpupost {

namespace {

// Variants to measure in one case.
struct ClaimJob {
  BenchPlace place;
  std::vector<Variant> variants;
};

template <class T>
bool is_wanted(const std::vector<T>& wanted, T value) {
  return wanted.empty() || std::ranges::find(wanted, value) != wanted.end();
}

bool is_wanted(const BenchRequest& request, const BenchPlace& place) {
  return is_wanted(request.sizes, place.size) && is_wanted(request.depths, place.depth) &&
         is_wanted(request.settings, place.setting);
}

// Merges cases, and the variants of each case.
void add(std::vector<ClaimJob>& jobs, const BenchPlace& place, const Variant& variant) {
  auto job = std::ranges::find(jobs, place, &ClaimJob::place);
  if (job == jobs.end()) job = jobs.insert(jobs.end(), {.place = place, .variants = {}});
  if (std::ranges::find(job->variants, variant) == job->variants.end()) job->variants.push_back(variant);
}

std::vector<ClaimJob> jobs_of(const BenchRequest& request, bool on_cpu) {
  std::vector<ClaimJob> jobs;
  for (const Claim& claim : benchmark_of(*request.op).claims)
    for (const BenchPlace& place : places_of(claim)) {
      if (!is_wanted(request, place)) continue;
      if (!is_a_time(claim)) add(jobs, place, slower_of(claim));
      add(jobs, place, faster_of(claim));
    }
  for (const Graph& graph : benchmark_of(*request.op).graphs)
    for (const BenchPlace& place : places_of(request, on_cpu, graph.settings))
      for (const std::string_view arguments : graph.variants)
        if (is_wanted(request.settings, place.setting)) add(jobs, place, {.arguments = std::string(arguments)});
  return jobs;
}

}  // namespace

void bench_documents(Gpu& gpu, const BenchRequest& request, BenchRun& run, const BenchEvents& events) {
  const Benchmark& row = benchmark_of(*request.op);
  const std::vector<ClaimJob> jobs = jobs_of(request, gpu.info().traits.type == DeviceType::cpu);
  if (jobs.empty())
    fail(Exit::usage, "bench: no document has figures for {} at these sizes, formats and settings; choose others",
         run.op);
  run.graphs = row.graphs;
  run.remark = row.remark;
  events.on_start(jobs.size());
  for (const ClaimJob& job : jobs) {
    events.on_case(job.place);
    run.cases.push_back(bench(gpu, *request.op, job.variants, job.place, request.options, {&row.floor, 1}));
    for (const Claim& claim : row.claims)
      if (std::ranges::count(places_of(claim), job.place) > 0)
        run.claims.push_back(claim_result(claim, run.cases.back()));
    events.on_result();
  }
}

}  // namespace gpupost
