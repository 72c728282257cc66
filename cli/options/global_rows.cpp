// The rows of the global options.
#include "cli/options/global_options.h"

#include "core/ops/registry.h"

#include <fmt/ranges.h>

namespace gpupost {

static std::vector<std::string_view> primaries_names() {
  std::vector<std::string_view> names;
  for (const NamedPrimaries& row : named_primaries) names.push_back(row.name);
  return names;
}

std::string names_with_apply_to() {
  std::vector<std::string_view> names;
  for (const Op* op : all_ops())
    if (takes_apply_to(*op)) names.push_back(op->name);
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::span<const Global> all_globals() {
  static const Global rows[] = {
      {.name = "output",
       .value = "FILE",
       .help = "Output file, a folder ending in /, a pattern, or - for standard output. A pattern may contain {stem} "
               "(input name without extension), {name} (with extension), {dir} (its folder) and {ext} (extension of "
               "the output format). {dir} after other text leaves out .. and a leading /. It may also contain {level}, "
               "{frame}, or a frame number like %04d or ####. Default for in.exr: "
               "in.OP.exr in the working directory, where OP is the last op; for standard input: standard output",
       .short_name = "-o",
       .scope = Scope::bake},
      {.name = "list",
       .value = "FILE",
       .help = "Read more input file names from FILE, or from standard input with -. Names end with a newline or a NUL "
               "byte (find -print0). They cannot be globs or sequences"},
      {.name = "recursive",
       .help = "Process all images in input folders and in their subfolders, but not in links to folders"},
      {.name = "frames",
       .value = "RANGE",
       .help = "Frames of an input sequence: 1001-1100, 1-100x2 (every 2nd), 1-10y3 (all but every 3rd), 5-1 "
               "(backwards), -5--1 (from -5 to -1), or several with commas. Default: all existing frames. Write the "
               "sequence as "
               "in.%04d.exr or in.####.exr: at least 4 digits. # means at least 4 digits too, ## at least 2, ### at "
               "least 3. A minus sign may count as a digit"},
      {.name = "skip-missing",
       .help = "Skip frames that are missing from a sequence. Without it the run ends with exit code 5"},
      {.name = "shard",
       .value = "K/N",
       .help = "Process only shard K of N of the inputs (K is 1..N). With K/N, the file name of an input and the name "
               "of its "
               "folder decide its shard. count:K/N takes every Nth input. auto takes K and N from the scheduler "
               "(docs/farm.md)"},
      {.name = "shards",
       .value = "N",
       .help = "Number of shards for --shard auto, if the scheduler does not set it (Kubernetes, HyperQueue)"},
      {.name = "format",
       .value = "NAME",
       .help = "File format of the output. Default: from the extension of the output",
       .choices = writable_formats(),
       .scope = Scope::images},
      {.name = "assemble",
       .value = "KIND",
       .help =
           "Write all inputs to one KTX2 or DDS file. cube takes six faces (+X -X +Y -Y +Z -Z), array any number of "
           "images. cube-from-cross takes one image of 4x3 or 3x4 faces, cube-from-strip one of 6x1 or 1x6 faces",
       .choices = {std::begin(assembly_names) + 1, std::end(assembly_names)},
       .scope = Scope::images},
      {.name = "bits",
       .value = "DEPTH",
       .help = "Bits per channel of the output's color: 8 or 16 for integers, 16f or 32f for floats. Default: as the "
               "input if the format holds it",
       .choices = {"8", "16", "16f", "32f"},
       .scope = Scope::images},
      {.name = "quality",
       .value = "N",
       .help = "Quality of a JPEG output, 1 to 100 (default 90). Below 90, chroma has half the resolution",
       .scope = Scope::images},
      {.name = "compression",
       .value = "NAME",
       .help =
           "Compression of the output. EXR: none to dwab; TIFF: none, lzw, zip, zstd; KTX2 and DDS: none, bc1 to "
           "bc7. zip and zips take a level: `zip:1` is the fastest, `zip:9` the smallest (default 2 for EXR, 4 for "
           "TIFF). zstd takes 1 to 22 (default 9). dwaa and dwab lose more at a higher level (default 45). bc1 holds "
           "R, G and B; bc3 and bc7 alpha too; bc4 one channel and bc5 two, always linear; bc6h R, G and B of half. "
           "Default: none for KTX2 and DDS; for EXR and TIFF the compression of the input, with its level of dwaa or "
           "dwab, if the format is the same and gpupost writes that compression; else zip",
       .choices = {std::begin(compression_names), std::end(compression_names)},
       .scope = Scope::images,
       .has_level = true},
      {.name = "supercompression",
       .value = "NAME",
       .help = "Compress each level of a KTX2 as a whole; a program that loads it decompresses it first. zstd takes a "
               "level of 1 to 22 (default 9), zlib 1 to 9 (default 6): higher levels make smaller files in more time. "
               "Default: none",
       .choices = {std::begin(supercompression_names) + size_t(Supercompression::zstd),
                   std::end(supercompression_names)},
       .scope = Scope::images,
       .has_level = true},
      {.name = "to-display",
       .help = "Write exactly the display window: drop texels outside it, fill missing ones with transparent black, or "
               "black without alpha. Always on for formats without windows",
       .scope = Scope::images},
      {.name = "transfer",
       .value = "CURVE",
       .help = "Transfer function of an integer output. Default: srgb, but linear for 16-bit KTX2 and DDS. Float "
               "outputs are always linear. pq and hlg need a 16-bit PNG",
       .choices = {"srgb", "linear", "pq", "hlg"},
       .scope = Scope::images},
      {.name = "dither",
       .value = "KIND",
       .help = "Dither the color of an 8-bit output with an ordered 8 x 8 pattern that keeps the mean. Default: none, "
               "which rounds to nearest. Alpha and values that need no rounding are not dithered",
       .choices = {"none", "ordered"},
       .scope = Scope::images},
      {.name = "input-transfer",
       .value = "CURVE",
       .help = "Transfer function of the input's color. Default: from the file, else srgb for integers and linear for "
               "floats",
       .choices = {"srgb", "linear", "pq", "hlg"}},
      {.name = "input-alpha",
       .value = "KIND",
       .help = "Alpha of the input. Default: as the file records for TIFF, TGA, KTX2 and DDS, premultiplied for EXR, "
               "straight for other formats. data: alpha is an independent channel, as in packed masks; color is not "
               "multiplied or divided by it",
       .choices = {"straight", "premultiplied", "data"}},
      {.name = "input-primaries",
       .value = "X,Y,...",
       .help = "Primaries of the input's color: a name, or eight numbers with commas: x and y of red, green, blue and "
               "white. Default: from the file, else rec709",
       .choices = primaries_names(),
       .has_names = true},
      {.name = "output-primaries",
       .value = "X,Y,...",
       .help =
           "Convert the result to these primaries: a name, or eight numbers as for --input-primaries. EXR, HDR, PNG, "
           "JPEG and TIFF outputs record them, except a gray PNG or JPEG. Default: those of the input, or Rec. 709 "
           "if an op or the format needs it. If `ocio` or `lut` has encoded the result, --transfer is required too; "
           "then the primaries are only recorded",
       .choices = primaries_names(),
       .scope = Scope::images,
       .has_names = true},
      {.name = "no-orient",
       .help = "Ignore the orientation that the input records (Exif, TIFF, KTX2): keep texels as they are stored",
       .scope = Scope::reading},
      {.name = "apply-to",
       .value = "NAME,...",
       .help =
           "Channels that ops filter: color (default), all, or color and the channels and layers of these names. This "
           "is for {ops}. They move or resize other channels by the nearest texel, or leave them as they are. Color "
           "ops such as exposure never change other channels; mips, prefilter and nan always work on all channels",
       .choices = {"color", "all"},
       .has_names = true},
      {.name = "part",
       .value = "WHICH",
       .help =
           "Part of a multi-part EXR to work on, by number (from 0) or name; also page of a TIFF, layer of a KTX2 or "
           "DDS, and face: 0 to 5, or +X to -Z (in an array of cubes `1 -Z`). Default: the first; `compare` compares "
           "all parts of an EXR, and `info` lists them. An EXR output gets the other parts of an EXR too",
       .scope = Scope::reading},
      {.name = "drop-parts",
       .help = "Write only the part that was read, not the other parts of a multi-part EXR",
       .scope = Scope::images},
      {.name = "drop-channels",
       .help = "Write only the color channels of an EXR: R, G, B, A or Y; with --layer NAME: NAME.R, NAME.G, ...",
       .scope = Scope::images},
      {.name = "flatten",
       .help = "Composite the samples of a deep EXR, front to back. Without it, deep data is an error",
       .scope = Scope::reading},
      {.name = "layer",
       .value = "NAME",
       .help = "Work on the channels NAME.R, NAME.G, ... of an EXR instead of R, G, ...",
       .scope = Scope::reading},
      {.name = "level",
       .value = "N",
       .help = "Level of a mip-mapped input to read. Default: 0; `compare` compares all levels",
       .scope = Scope::reading},
      {.name = "max-side",
       .value = "N",
       .help = "Limit for each side of an input, in texels (default 32768)",
       .scope = Scope::reading,
       .is_of_machine = true},
      {.name = "max-texels",
       .value = "N",
       .help = "Limit for the number of texels of an input (default 268435456)",
       .scope = Scope::reading,
       .is_of_machine = true},
      {.name = "max-channels",
       .value = "N",
       .help = "Limit for the number of channels of an input (default 64)",
       .scope = Scope::reading,
       .is_of_machine = true},
      {.name = "max-decoded",
       .value = "SIZE",
       .help = "Limit for the decoded size of an input in bytes, like 512M or 8G (default 4G)",
       .scope = Scope::reading,
       .is_of_machine = true},
      {.name = "decode-seconds",
       .value = "N",
       .help = "Limit for the time to decode one input, in seconds (default 120). Waiting for a pipe does not count",
       .scope = Scope::reading,
       .is_of_machine = true},
      {.name = "decode-cpu-seconds",
       .value = "N",
       .help = "Limit for the CPU time to decode one input, in seconds over all cores (default 30)",
       .scope = Scope::reading,
       .is_of_machine = true},
      {.name = "require-sandbox",
       .help =
           "Fail with exit code 7 if decoders cannot run in the sandbox, which needs seccomp. Default: print a warning",
       .scope = Scope::reading,
       .is_of_machine = true},
      {.name = "jobs",
       .value = "N",
       .help = "Number of inputs decoded at once, and of outputs written at once. Default: the number of cores",
       .is_of_machine = true},
      {.name = "max-memory",
       .value = "SIZE",
       .help = "Memory for images that wait for the device or for writing, like 512M or 8G (default: 2G). The image on "
               "the device is extra",
       .is_of_machine = true},
      {.name = "keep-going", .help = "Go on with the other inputs when one fails (default)"},
      {.name = "fail-fast", .help = "Start no further input when one has failed"},
      {.name = "resume",
       .help = "Skip inputs that an earlier run with --resume or --journal has finished, unless they have changed"},
      {.name = "journal",
       .value = "FILE",
       .help = "Add a line to FILE for each finished input, for --resume. Default with --resume: gpupost.journal in "
               "the folder of -o, up to its first placeholder. Without --resume: none"},
      {.name = "progress",
       .value = "KIND",
       .help = "Show progress. auto (default): a bar if there are several inputs (cases in `bench`) and a terminal; "
               "json: a line of JSON for each; openjd: lines for Open Job Description",
       .choices = {"auto", "none", "json", "openjd"}},
      {.name = "progress-file",
       .value = "FILE",
       .help = "Write --progress json or openjd to FILE (default: standard error)"},
      {.name = "device",
       .value = "WHICH",
       .help = "Vulkan device by index, part of its name, UUID, cpu, gpu, or all, which spreads inputs over all GPUs. "
               "Default: a discrete GPU, else an integrated or virtual one, else the CPU device",
       .is_of_machine = true},
      {.name = "require-gpu", .help = "Fail with exit code 4 if ops would run without a GPU", .is_of_machine = true},
      {.name = "tile-side",
       .value = "TEXELS",
       .help = "Longest side of a tile. Tiles give the same result (docs/tiling.md lists exceptions). Default: tile "
               "only if the image is too large for the device",
       .is_of_machine = true},
      {.name = "max-dispatch-ms",
       .value = "MS",
       .help = "Longest single GPU submission, in milliseconds; larger images are tiled. 0 is no limit. Default: 500 "
               "on a GPU, 0 on a CPU",
       .is_of_machine = true},
      {.name = "device-seconds",
       .value = "S",
       .help = "Limit for the time of a single submission, in seconds; a longer one fails with exit code 4. 0 is no "
               "limit. Default: 600, but for the op point 5 plus 1 for each million texels",
       .is_of_machine = true},
      {.name = "fp16",
       .help = "Store images as 16-bit floats (half) and, in ops where it is safe, compute in half. The color of "
               "float outputs becomes half"},
      {.name = "storage",
       .value = "KIND",
       .help = "Type in which the device stores images: 32-bit float, 16-bit float or packed 11-bit floats. r11g11b10 "
               "is used between ops and holds no alpha and no negative values. Default: fp16 if input and output are 8 "
               "bits or half, else fp32; also fp32 with mips --bleed and, for 8-bit inputs, with stats, luminance, "
               "threshold, invert and mips --coverage",
       .choices = {"fp32", "fp16", "r11g11b10"},
       .scope = Scope::ops},
      {.name = "space",
       .value = "NAME",
       .help = "Color space of the images between ops: rgb or CIE Yxy (default rgb)",
       .choices = {"rgb", "yxy"},
       .scope = Scope::ops},
      {.name = "no-fuse",
       .help = "Run each point op (which computes a texel only from the same texel) in its own pass, with float "
               "storage between point ops. Default: fuse point ops into other passes",
       .scope = Scope::ops},
      {.name = "report",
       .value = "FILE",
       .help = "Write a JSON report with the results, and the time of each stage and pass"},
      {.name = "depfile",
       .value = "FILE",
       .help = "Write the dependencies of each output as rules for make and ninja",
       .scope = Scope::bake},
      {.name = "timing", .help = "Print the times of stages and passes as a table on standard error"},
      {.name = "bake",
       .value = "N",
       .help = "Write the chain as a 3-D table with N entries per side (2..256) to the .cube file of -o. There is no "
               "input. Each op must compute each texel alone; `point` is not allowed. A note names the options of "
               "`lut` that fit the table",
       .scope = Scope::bake},
      {.name = "bake-shaper",
       .value = "NAME",
       .help = "Encoding of the input of the --bake table: none (default) is linear light from 0 to 1; srgb is for "
               "`lut --srgb`; log is for `lut --log-shaper`, with light up to 223",
       .choices = {"none", "srgb", "log"},
       .scope = Scope::bake},
      {.name = "explain", .help = "Print the passes of the chain and why they were chosen; run nothing"},
      {.name = "size",
       .value = "WxH",
       .help = "Image size for --explain and `shader`, if there is no input (default 1920x1080)"},
      {.name = "verify",
       .help = "Compare the result with a CPU reference in double precision. If they differ: exit code 6 and no output",
       .scope = Scope::ops},
      {.name = "no-clobber", .help = "Skip inputs whose output exists, and print their number", .scope = Scope::bake},
      {.name = "mkdir",
       .help = "Create missing folders for outputs and for the files of --report, --depfile, --journal and "
               "--progress-file",
       .scope = Scope::bake},
      {.name = "exit-map",
       .value = "CODE=CODE,...",
       .help = "Replace exit codes, for a scheduler: 7=33,5=34 ends with 33 instead of 7 and 34 instead of 5. 0 cannot "
               "be replaced or used",
       .scope = Scope::bake},
      {.name = "quiet", .help = "Do not print warnings, notes and the progress bar", .scope = Scope::bake},
  };
  return rows;
}

}  // namespace gpupost
