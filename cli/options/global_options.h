// The options that belong to no op: one table for the parser, the help and the documents.
#pragma once

#include "core/codec/codec.h"
#include "core/image/picture.h"
#include "core/pipeline/apply_to.h"
#include "core/plan/plan.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// One row. On the command line `--name VALUE`; a machine setting also in the environment, as GPUPOST_NAME.
struct Global {
  std::string_view name;
  std::string_view value;  // what the value is called in the help; "" for a flag
  std::string_view help;
  std::vector<std::string_view> choices;  // empty: any value
  std::string_view short_name;            // "-o"; "" for none
  bool is_of_decoding = false;            // `info` and `compare` have it too
  bool is_of_machine = false;             // depends on the machine, not on the result: device, jobs, limits
  bool has_names = false;                 // takes any names beside its choices

  // As help shows what it takes: "srgb|linear", "FILE", "" for a flag.
  std::string value_text() const;
};

std::span<const Global> all_globals();
const Global* global_named(std::string_view name);  // nullptr: there is none
// What the inputs make up together: a picture each, or one cube or array in one file.
enum class Assembly { none, cube, array, cube_from_cross, cube_from_strip };
std::string_view name_of(Assembly assembly);  // as it is typed

// What the globals of one command line say.
struct Globals {
  std::string output;              // "" where it is not said
  const Format* format = nullptr;  // nullptr: by the output's name, else the input's
  Assembly assembly = Assembly::none;
  std::optional<Depth> bits;
  Compression compression = Compression::zip;
  std::optional<Transfer> transfer;
  Dither dither = Dither::none;
  std::optional<Transfer> input_transfer;
  std::optional<Alpha> input_alpha;
  std::string part;
  std::string layer;
  ApplyTo apply_to;          // the channels beside the color that ops filter
  std::optional<int> level;  // of a mip-mapped input; without it 0
  Limits limits;             // of each input
  bool requires_sandbox = false;
  int job_count = 0;  // inputs decoded at once
  std::string device;
  bool require_gpu = false;
  std::optional<int> tile_side;        // texels
  std::optional<int> device_seconds;   // of one submission; 0: no limit
  std::optional<int> max_dispatch_ms;  // 0: as long as it takes
  bool fp16 = false;
  std::optional<Depth> storage;
  bool is_r11g11b10 = false;  // --storage r11g11b10
  Space space = Space::rgb;
  bool no_fuse = false;
  std::string report;
  bool timing = false;
  bool explain = false;
  std::optional<Size> size;  // of `--explain` and `shader` without a file
  bool verify = false;
  bool no_clobber = false;
  bool quiet = false;
};

// How inputs are to be decoded.
DecodeOptions decode_options(const Globals& globals);

// Words that are globals and their values, then the environment. Throws Error(Exit::usage).
Globals parse_globals(const std::vector<std::string>& words);

}  // namespace gpupost
