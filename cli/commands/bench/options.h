// What `gpupost bench` was asked for.
#pragma once

#include "cli/options/command_row.h"
#include "core/engine/bench.h"

#include <string>
#include <vector>

namespace gpupost {

struct BenchRequest {
  const Op* op = nullptr;         // nullptr: with `pages` alone; of a chain what stands for it
  std::vector<Call> chain;        // empty: the op
  std::vector<Size> sizes;        // empty: those of the row
  std::vector<Depth> depths;      // likewise
  std::vector<Setting> settings;  // likewise
  std::vector<Variant> variants;
  MeasureOptions options;
  std::string device;
  std::string json;                // a file to write, or - for standard output; "": none
  std::string html;                // likewise, the page of it
  std::vector<std::string> pages;  // JSON of earlier runs, to make the page of
  bool list = false;
  bool documents = false;  // what documents claim, in the place of the variants
};

// Throws Error(Exit::usage).
BenchRequest parse_bench(const CommandCall& call);

// The sizes and formats asked for, else those of the row, with each of the settings; without settings, with none.
std::vector<BenchPlace> places_of(const BenchRequest& request, bool on_cpu, std::span<const Setting> settings);

// Of `--sizes 256,1920x1080`. Throws Error(Exit::usage), naming the verb.
std::vector<Size> sizes_of(std::string_view verb, const std::string& list);

// Those of `--variants NAME,NAME`, by their arguments, a word of these, or a part; all where the list is empty or "all".
// Throws Error(Exit::usage), naming the verb.
std::vector<Variant> chosen(std::string_view verb, const std::vector<Variant>& variants, const std::string& list,
                            const Op& op);

}  // namespace gpupost
