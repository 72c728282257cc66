// From a file to a picture and back.
#pragma once

#include "core/codec/formats.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

// Reads a picture from an open file or pipe in a sandboxed child process. `name` stands for it in messages. Throws
// Error(Exit::input) for everything that is wrong with the file, Error(Exit::limit) where memory ends.
Decoded decode(int descriptor, const std::string& name, const DecodeOptions& options);
// The same from a path ("-": standard input).
Decoded decode_file(const std::string& path, const DecodeOptions& options);

// Takes from a picture with color the channels and attributes that `format` cannot hold, before work is done on them.
// Returns what encode() would have warned of.
std::vector<std::string> drop_extras(Picture& picture, const Format& format);

// A whole file in memory. Pictures of a cube are its faces in the order +X -X +Y -Y +Z -Z; those of one file have one
// size, one depth and the same channels. Throws Error(Exit::output).
Encoded encode(const Format& format, std::span<const Source> sources, Arrangement arrangement,
               const EncodeOptions& options);
Encoded encode(const Format& format, const Picture& picture, const EncodeOptions& options);

struct Library {
  std::string name;
  std::string version;  // "": this build was made without it
};
std::vector<Library> codec_libraries();

// Is this process meant to be a decode worker? Every `main` of ours asks first and returns worker_main()'s value.
bool is_decode_worker(int argc, char** argv);
int decode_worker_main();

}  // namespace gpupost
