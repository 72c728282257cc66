// Settings of the pipeline: a chain of calls, and settings for inputs, outputs, passes and the device.
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

// How the inputs of a job form outputs: one image each, or one cube or array.
enum class Assembly { none, cube, array, cube_from_cross, cube_from_strip };
inline constexpr std::string_view assembly_names[] = {"none", "cube", "array", "cube-from-cross", "cube-from-strip"};
inline std::string_view name_of(Assembly assembly) { return assembly_names[size_t(assembly)]; }

// Settings for reading inputs.
struct InputSettings {
  std::string part;                    // of an EXR, by number or name; "": the first
  std::string layer;                   // of an EXR; "": channels without a dot
  std::optional<int> level;            // level of a mip-mapped input; empty: 0
  std::optional<Transfer> transfer;    // empty: from the file
  std::optional<Alpha> alpha;          // empty: as usual for the format
  bool alpha_is_data = false;          // alpha does not weight the color
  bool makes_alpha = false;            // the chain gives alpha to an image without it
  std::optional<Primaries> primaries;  // empty: from the file
  bool is_data = false;                // not colors, so that an ICC profile has no meaning
  bool keeps_orientation = false;      // ignores Exif and TIFF orientation
  bool flatten = false;                // composites the samples of deep data
  Assembly assembly = Assembly::none;
  Limits limits;  // limits for each input
  bool requires_sandbox = false;
};

// Settings for writing outputs.
struct OutputSettings {
  std::optional<Depth> bits;               // depth of the color; empty: as the input, if the format can hold it
  std::optional<Compression> compression;  // empty: as the input if the format is the same, else zip
  int compression_level = 0;               // one of levels_of(*compression); 0: default of the format
  Supercompression supercompression = Supercompression::none;  // of a KTX2
  int supercompression_level = 0;                              // one of levels_of(supercompression); 0: the default
  std::optional<int> quality;                                  // JPEG quality, 1 to 100; empty: default of the encoder
  std::optional<Primaries> primaries;  // convert to these primaries; empty: those of the chain's result
  bool drop_parts = false;             // write only the part that was read
  bool drop_channels = false;          // write only the color
  bool to_display = false;             // write exactly the display window, even if the format has windows
  std::optional<Transfer> transfer;    // transfer of integers; empty: default of the format
  Dither dither = Dither::none;
  bool no_clobber = false;     // never replace existing files
  bool makes_folders = false;  // create the missing folders of outputs
};

// Settings for passes.
struct PassSettings {
  ApplyTo apply_to;              // channels other than color that ops filter
  bool fp16 = false;             // half storage, half arithmetic where an op allows it, half values in float outputs
  std::optional<Depth> storage;  // depth of images on the device; empty: half, unless input or output needs more
  bool is_r11g11b10 = false;     // store images between passes as B10G11R11
  Space space = Space::rgb;      // color space of images between passes
  bool no_fuse = false;
  bool verify = false;  // compare the result with the CPU reference
};

// Selection of the device and its time limits.
struct DeviceSettings {
  std::string device;  // index, part of a name, UUID, "cpu", "gpu" or "all" (all GPUs); "": the best
  bool require_gpu = false;
  std::optional<int> tile_side;        // longest side of a tile in texels
  std::optional<int> device_seconds;   // limit for one submission in seconds; 0: no limit
  std::optional<int> max_dispatch_ms;  // 0: no limit
  std::optional<int> session_count;    // images that are on each device at once; empty: by its type
};

// Settings for batches: concurrency and the journal.
struct BatchSettings {
  int job_count = 1;                              // inputs decoded at once, and outputs written at once
  uint64_t max_memory_bytes = uint64_t(2) << 30;  // memory for images that wait for the device or for writing
  bool fails_fast = false;                        // start no job after one has failed
  std::string journal;                            // path of a plain file; "": none
  bool resumes = false;                           // skip jobs that the journal lists as finished
  std::string options;                            // text of the options that change results, for the journal
};

struct ChainRequest {
  std::vector<Call> calls;
  InputSettings input;
  OutputSettings output;
  PassSettings passes;
  DeviceSettings device;
  BatchSettings batch;
};

// Options for decoding an input.
DecodeOptions decode_options(const InputSettings& settings);

}  // namespace gpupost
