// Options of `gpupost bench`.
#pragma once

#include "cli/options/command_row.h"
#include "core/engine/bench.h"

#include <string>
#include <vector>

namespace gpupost {

// What to measure: variants of an op or a chain, published figures of an op, or the goals.
enum class BenchSubject { variants, documents, goals };

struct BenchRequest {
  const Op* op = nullptr;         // nullptr if only `pages` are given; for a chain, its benchmark
  std::vector<Call> chain;        // empty: measure the op
  std::vector<Size> sizes;        // empty: those of the op
  std::vector<Depth> depths;      // empty: those of the op
  std::vector<Setting> settings;  // empty: those of the op
  std::vector<Variant> variants;
  MeasureOptions options;
  std::string device;
  ProgressSettings progress;
  std::string json;                // a file to write, or - for standard output; "": none
  std::string html;                // output file of the HTML page
  std::vector<std::string> pages;  // JSON files of earlier runs for the page
  bool list = false;
  BenchSubject subject = BenchSubject::variants;
  bool quick = false;  // measure one size, format and setting unless more are given
};

// Parses the options. Throws Error(Exit::usage).
BenchRequest parse_bench(const CommandCall& call);

// The requested sizes, formats and settings, or those of the op, in all combinations.
std::vector<BenchPlace> places_of(const BenchRequest& request, bool on_cpu);
// The same with these settings.
std::vector<BenchPlace> places_of(const BenchRequest& request, bool on_cpu, std::span<const Setting> settings);

// The ops of `--chain "exposure --stops 1 clamp"`. Throws Error(Exit::usage).
std::vector<Call> chain_of(const std::string& line);

// Parses `--sizes 256,1920x1080`. Throws Error(Exit::usage) with the verb.
std::vector<Size> sizes_of(std::string_view verb, const std::string& list);

// Selects variants by `--variants NAME,NAME`: names, words of names, or parts of names. All if the list is empty or
// "all". Throws Error(Exit::usage) with the verb; `subject` is what `bench` needs to list the variants: an op, or --chain.
std::vector<Variant> chosen(std::string_view verb, const std::vector<Variant>& variants, const std::string& list,
                            std::string_view subject);

}  // namespace gpupost
