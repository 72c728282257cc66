// `gpupost bench`: times the variants of an op and compares them with the floor of the device.
#include "cli/commands/bench/bench.h"
#include "cli/commands/bench/json.h"
#include "cli/commands/bench/options.h"
#include "cli/commands/bench/page.h"
#include "cli/commands/bench/published_claims.h"
#include "cli/options/command_row.h"
#include "cli/report/progress.h"
#include "cli/report/report.h"
#include "cli/text/json_text.h"
#include "cli/text/messages.h"
#include "core/codec/codec.h"
#include "core/engine/tuning.h"
#include "core/system/atomic_file.h"
#include "core/system/descriptor.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

namespace gpupost {

static std::string floor_line(const FloorResult& floor) {
  return fmt::format("  {:<49}{:>10.4f}{:>10.4f}{:>10.4f}{:>6}{:>9.1f}\n", floor.shape, floor.times.min_ms,
                     floor.times.median_ms, floor.times.max_ms, floor.times.count,
                     gb_per_second(floor.bytes, floor.times.median_ms));
}

static std::string variant_line(const VariantResult& result) {
  const std::string name = result.variant.name();
  if (!result.obstacle.empty()) return fmt::format("  {:<49}not possible: {}\n", name, result.obstacle);
  if (!result.failure.empty()) return fmt::format("  {:<49}failed: {}\n", name, result.failure);
  return fmt::format("  {:<49}{:>10.4f}{:>10.4f}{:>10.4f}{:>6}{:>9.1f}{:>8.2f}\n", name, result.times.min_ms,
                     result.times.median_ms, result.times.max_ms, result.times.count,
                     gb_per_second(result.bytes, result.times.median_ms), result.ratio);
}

// Sorts the fastest first; variants that were not measured are last.
static std::vector<VariantResult> sorted(std::vector<VariantResult> results) {
  std::ranges::stable_sort(
      results, {}, [](const VariantResult& result) { return std::pair(result.times.count == 0, result.ratio); });
  return results;
}

static std::string case_name(const BenchPlace& place, const BenchRun& run) {
  return fmt::format("{}{}{} {} x {} {}{}{}", run.op, run.arguments.empty() ? "" : " ", run.arguments, place.size.width,
                     place.size.height, format_name(place.depth), place.setting.param.empty() ? "" : " ",
                     place.setting.text());
}

static std::string to_table(const BenchCase& measured, const BenchRun& run) {
  std::string text = case_name(measured.place, run) + "\n";
  if (!measured.obstacle.empty()) return text + fmt::format("  not possible: {}\n", measured.obstacle);
  if (measured.verified_size != measured.place.size)
    text += fmt::format("  verified at {} x {}, the largest size whose reference fits in host memory\n",
                        measured.verified_size.width, measured.verified_size.height);
  text += fmt::format("  {:<49}{:>10}{:>10}{:>10}{:>6}{:>9}{:>8}\n", "milliseconds", "min", "median", "max", "n",
                      "GB/s", "ratio");
  for (const FloorResult& floor : measured.floors) text += floor_line(floor);
  for (const VariantResult& result : sorted(measured.variants)) text += variant_line(result);
  return text;
}

// Why a variant of the case is wrong; "" if none is.
static std::string failure_of(const BenchCase& measured) {
  for (const VariantResult& result : measured.variants)
    if (!result.failure.empty()) return fmt::format("{}: {}", result.variant.name(), result.failure);
  return "";
}

static bool has_failed(const BenchCase& measured) { return !failure_of(measured).empty(); }

static void write_text(const std::string& path, const std::string& text) {
  if (path == "-") print_out(text);
  else write_file(path, std::as_bytes(std::span(text)), false);
}

// The measured value of a published figure.
static std::string found(const ClaimResult& result, const BenchRun& run) {
  if (!result.obstacle.empty()) return "- " + result.obstacle;
  if (!is_a_time(*result.claim)) return fmt::format("{:+.1f} %", result.gain);
  return fmt::format("{:.4f} ms  {:.1f} GB/s, {} {:.1f}", result.milliseconds, result.gb_per_s, name_of(run.floor),
                     result.floor_gb_per_s);
}

static std::string claims_table(const BenchRun& run) {
  if (run.claims.empty()) return "";
  std::string text = fmt::format("{:<40}{:<14}{:<10}{:>14}  {:>10}\n", "published figure", "", "", "claimed", "here");
  for (const ClaimResult& result : run.claims) {
    const auto& [size, depth, setting] = result.place;
    text += fmt::format("{:<40}{:<14}{:<10}{:>14}  {:>10}\n", result.claim->what,
                        fmt::format("{} x {}", size.width, size.height), format_name(depth), result.claim->claimed,
                        found(result, run));
  }
  return text + fmt::format("{}{}", run.remark, run.remark.empty() ? "" : "\n");
}

static void bench_variants(Gpu& gpu, const BenchRequest& request, BenchRun& run, const BenchEvents& events) {
  const std::vector<BenchPlace> places = places_of(request, gpu.info().traits.type == DeviceType::cpu);
  events.on_start(places.size());
  for (const BenchPlace& place : places) {
    events.on_case(place);
    run.cases.push_back(request.chain.empty() ? bench(gpu, *request.op, request.variants, place, request.options)
                                              : bench(gpu, request.chain, request.variants, place, request.options));
    events.on_result();
  }
}

// Measures each goal, and prints one table of them.
static Exit run_goals(Gpu& gpu, const BenchRequest& request, BenchRun& run) {
  const bool is_talkative = request.json != "-" && request.html != "-";
  const bool is_cpu = run.device.traits.type == DeviceType::cpu;
  if (is_cpu && !request.quick)
    fail(Exit::usage, "bench: the goals are for GPUs, and {} is a CPU device; add --quick to measure small images",
         run.device.traits.name);
  if (is_talkative)
    print_out(fmt::format("{} ({}), {}, {}{}\n", run.device.traits.name, name_of(run.device.traits.type),
                          run.device.driver, version_text(),
                          request.quick ? "; --quick: small images, so the ratios do not count" : ""));
  Progress progress(request.progress, false, all_goals().size(), "case");
  for (const Goal& goal : all_goals()) {
    const std::string name = fmt::format("{} {}", goal.what, format_name(goal.depth));
    progress.begin(name);
    run.goals.push_back(measure_goal(gpu, goal, request));
    // written after each goal, so that an interrupted run keeps its results
    if (!request.json.empty() && request.json != "-") write_text(request.json, json_text(to_json(run), 2));
    const std::string& failure = run.goals.back().failure;
    progress.end_case(name, failure.empty() ? Exit::done : Exit::difference, failure);
  }
  const bool is_wrong = std::ranges::any_of(run.goals, [](const GoalResult& goal) { return !goal.failure.empty(); });
  const Exit code = progress.finish(is_wrong ? Exit::difference : Exit::done);
  if (is_talkative) print_out(goals_table(run.goals));
  return code;
}

static Exit run_bench(Gpu& gpu, const BenchRequest& request, BenchRun& run) {
  const bool is_talkative = request.json != "-" && request.html != "-";
  if (is_talkative)
    print_out(fmt::format("{} ({}), {}, {}; ratios to the floor `{}`\n", run.device.traits.name,
                          name_of(run.device.traits.type), run.device.driver, version_text(), name_of(run.floor)));
  std::optional<Progress> progress;
  const BenchEvents events{
      .on_start = [&](size_t case_count) { progress.emplace(request.progress, false, case_count, "case"); },
      .on_case = [&](const BenchPlace& place) { progress->begin(case_name(place, run)); },
      .on_result =
          [&] {
            const BenchCase& measured = run.cases.back();
            progress->hide();
            if (is_talkative) print_out(to_table(measured, run));
            // written after each case, so that an interrupted run keeps its results
            if (!request.json.empty() && request.json != "-") write_text(request.json, json_text(to_json(run), 2));
            progress->end_case(case_name(measured.place, run), has_failed(measured) ? Exit::difference : Exit::done,
                               failure_of(measured));
          }};
  if (request.subject == BenchSubject::documents) bench_documents(gpu, request, run, events);
  else bench_variants(gpu, request, run, events);
  const bool is_wrong = std::ranges::any_of(run.cases, has_failed);
  const Exit code = progress->finish(is_wrong ? Exit::difference : Exit::done);
  if (is_talkative && request.subject == BenchSubject::documents) print_out(claims_table(run));
  return code;
}

// Makes the page from JSON files of runs.
static Exit make_page(const BenchRequest& request) {
  constexpr size_t most_bytes = 64 << 20;
  std::vector<nlohmann::ordered_json> runs;
  for (const std::string& path : request.pages) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0)
      fail(is_out_of_resources(errno) ? Exit::limit : Exit::input, "{}: cannot be opened: {}", path,
           std::generic_category().message(errno));
    try {
      runs.push_back(nlohmann::ordered_json::parse(read_text(file.get(), path, most_bytes)));
      if (runs.back().at("schema") != bench_schema)
        fail(Exit::input, "{}: the schema is not {}; expected a file of `gpupost bench --json`", path, bench_schema);
      bench_page({runs.back()});
    } catch (const nlohmann::json::exception&) {
      fail(Exit::input, "{}: is damaged, or is not a report of `gpupost bench --json`; measure again with it", path);
    }
  }
  write_text(request.html, bench_page(runs));
  return Exit::done;
}

static Exit run_bench(const CommandCall& call) {
  const BenchRequest request = parse_bench(call);
  if (!request.pages.empty()) return make_page(request);
  if (request.list) {
    for (const Variant& variant : request.variants) print_out(variant.name() + "\n");
    return Exit::done;
  }
  BenchRun run{.command = fmt::format("gpupost bench {}", fmt::join(call.given, " ")),
               .op = request.subject == BenchSubject::goals ? "goals" : std::string(request.op->name),
               .arguments = request.chain.empty() && request.subject != BenchSubject::goals
                                ? std::string(bench_arguments(*request.op))
                                : "",
               .floor = benchmark_of(*request.op).floor};
  Gpu gpu(choose_device(list_tuned_devices(), request.device, false));
  run.device = gpu.info();
  const Exit code =
      request.subject == BenchSubject::goals ? run_goals(gpu, request, run) : run_bench(gpu, request, run);
  if (request.json == "-") write_text("-", json_text(to_json(run), 2));
  if (!request.html.empty()) write_text(request.html, bench_page({to_json(run)}));
  return code;
}

const CommandRow bench_verb{
    .name = "bench",
    .summary = "Time the variants of an op against the limit of the device",
    .usage = "bench OP [OPTIONS]",
    .description =
        "Checks each variant of the op against its CPU reference, then times it. Prints minimum, median and maximum in "
        "milliseconds, GB/s, and the ratio to the floor: the time that the device needs to read and write the same "
        "memory. Exit code 6 if a variant gives a wrong result. `bench --chain` measures a chain, `bench --page` makes "
        "an HTML page of earlier runs.",
    .argument = Argument::op,
    .most_words = any_count,
    .options = {{"--sizes", "LIST", "Image sizes, like 256,1920x1080 (default those of the op)", {}},
                {"--formats", "LIST", "Image formats: rgba8, rgba16f, rgba32f (default those of the op)", {}},
                {"--settings",
                 "LIST",
                 "Values of the option that the op's time depends on, such as the radius (default those of the op)",
                 {}},
                {"--variants", "LIST", "Names of variants, or parts of names, as --list prints them (default all)", {}},
                {"--fp16", "WHEN", "Half arithmetic in the kernels that allow it (default off)", {"on", "off", "both"}},
                {"--repeats",
                 "N",
                 "Number of timed runs, 20 to 10000 (default: as many as fit in 250 ms, from 20 to 100; 5 if one takes "
                 "longer than 20 ms)",
                 {}},
                {"--quick", "", "Measure one size, one format and few repeats, with the default variant only", {}},
                {"--chain", "OPS", "Measure this chain instead of an op, fused and with --no-fuse", {}},
                {"--goals", "", "Measure the goals for GPUs, and print which of them the device reaches", {}},
                {"--documents",
                 "",
                 "Measure what papers and talks publish for the op; print their figures and the measured ones",
                 {}},
                {"--list", "", "List the variants and measure nothing", {}},
                {"--json", "FILE", "Write the results as JSON, - for standard output", {}},
                {"--html", "FILE", "Write the results as an HTML page, - for standard output", {}},
                {"--page", "FILE...", "Make one HTML page from the JSON files of earlier runs; needs --html", {}}},
    .takes_global =
        [](const Global& global) {
          return global.name == "device" || global.name == "progress" || global.name == "progress-file" ||
                 global.name == "mkdir";
        },
    .examples = {"bench mips --list", "bench blur --sizes 64 --settings 7 --json blur.json", "bench warp --quick",
                 "bench --goals --quick"},
    .run = run_bench,
};

}  // namespace gpupost
