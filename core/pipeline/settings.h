// What a caller of the pipeline asks for: a chain of calls, and how its inputs, outputs and device are treated.
#pragma once

#include "core/codec/codec.h"
#include "core/image/primaries.h"
#include "core/op/op.h"
#include "core/pipeline/apply_to.h"
#include "core/plan/plan.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// What the inputs of a job make up together: a picture each, or one cube or array in one file.
enum class Assembly { none, cube, array, cube_from_cross, cube_from_strip };
inline constexpr std::string_view assembly_names[] = {"none", "cube", "array", "cube-from-cross", "cube-from-strip"};
inline std::string_view name_of(Assembly assembly) { return assembly_names[size_t(assembly)]; }

// How inputs are read.
struct InputSettings {
  std::string part;                    // of an EXR, by number or name; "": the first
  std::string layer;                   // of an EXR; "": channels without a dot
  std::optional<int> level;            // of a mip-mapped input; empty: 0
  std::optional<Transfer> transfer;    // of the input's color; empty: as the file says
  std::optional<Alpha> alpha;          // empty: as the file's format has it
  std::optional<Primaries> primaries;  // of the input's color; empty: as the file says
  bool keeps_orientation = false;      // texels stay as they are stored
  Assembly assembly = Assembly::none;
  Limits limits;  // of each input
  bool requires_sandbox = false;
};

// How results are written.
struct OutputSettings {
  std::optional<Depth> bits;  // of the color; empty: as the input has it, as far as the format can hold that
  std::optional<Compression> compression;  // empty: the input's where the formats are the same, else zip
  std::optional<int> quality;              // of JPEG, 1 to 100; empty: the encoder's default
  std::optional<Primaries> primaries;      // to be converted to; empty: those that the chain leaves
  bool to_display = false;                 // the picture is its display window, also where the format has windows
  std::optional<Transfer> transfer;        // of integers; empty: the format's own
  Dither dither = Dither::none;
  bool no_clobber = false;  // a file that is there is not replaced
};

// How passes work.
struct PassSettings {
  ApplyTo apply_to;   // the channels beside the color that ops filter
  bool fp16 = false;  // half storage, half arithmetic where an op says it is safe, half numbers in outputs of floats
  std::optional<Depth> storage;  // of images on the device; empty: half where neither end has more
  bool is_r11g11b10 = false;     // images between passes have 11:11:10 bits
  Space space = Space::rgb;      // of images between passes
  bool no_fuse = false;
  bool verify = false;  // compare each result with the CPU reference
};

// Which device, and how long it may work at once.
struct DeviceSettings {
  std::string device;  // index, part of a name, UUID, "cpu" or "gpu"; "": the best
  bool require_gpu = false;
  std::optional<int> tile_side;        // texels
  std::optional<int> device_seconds;   // of one submission; 0: no limit
  std::optional<int> max_dispatch_ms;  // 0: as long as it takes
};

// How many images are in work at once, and what is kept of a run.
struct BatchSettings {
  int job_count = 1;                              // inputs decoded at once, and outputs written at once
  uint64_t max_memory_bytes = uint64_t(2) << 30;  // of images that wait for the device, or to be written
  bool fails_fast = false;                        // no job begins after one has failed
  std::string journal;                            // path of a plain file; "": none
  bool resumes = false;                           // jobs that the journal says are done are skipped
  std::string options;                            // text of the options that make a result: for the journal
};

struct ChainRequest {
  std::vector<Call> calls;
  InputSettings input;
  OutputSettings output;
  PassSettings passes;
  DeviceSettings device;
  BatchSettings batch;
};

// How an input is to be decoded.
DecodeOptions decode_options(const InputSettings& settings);

}  // namespace gpupost
