// Decodes and encodes image files.
#pragma once

#include "core/codec/formats.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gpupost {

class Worker;

// Decodes files in a sandboxed child process that lives on from file to file. After an error, a limit or a large file, the
// next file gets a fresh process. An object belongs to the thread that calls decode() first: the process ends with this thread.
class DecodeWorker {
 public:
  enum class Life { one_file, many_files };
  explicit DecodeWorker(Life life = Life::many_files);
  DecodeWorker(const DecodeWorker&) = delete;
  DecodeWorker& operator=(const DecodeWorker&) = delete;
  ~DecodeWorker();

  // Decodes an open file or pipe. `name` is for messages. Throws Error(Exit::input) if the file is invalid, and
  // Error(Exit::limit) if memory runs out.
  Decoded decode(int descriptor, const std::string& name, const DecodeOptions& options);
  // Decodes a file; "-" is standard input.
  Decoded decode_file(const std::string& path, const DecodeOptions& options);

  // Ends the process. decode() starts another one.
  void end();
  // Number of processes so far.
  int started_count() const { return started_count_; }

 private:
  struct Outcome;
  Decoded decode_unnamed(int descriptor, const DecodeOptions& options);
  bool can_take(uint64_t input_bytes, const DecodeOptions& options) const;
  Outcome try_decode(int input, uint64_t input_bytes, const DecodeOptions& options);

  const Life life_;
  std::unique_ptr<Worker> worker_;  // waits for the next file; empty: the next file starts one
  Limits limits_;                   // of the sandbox of worker_
  int started_count_ = 0;
};

// The same in a process for this file alone.
Decoded decode(int descriptor, const std::string& name, const DecodeOptions& options);
Decoded decode_file(const std::string& path, const DecodeOptions& options);

// Removes the channels and attributes that `format` cannot hold from an image with color, before any work on them.
// Returns the warnings that encode() would give.
std::vector<std::string> drop_extras(Picture& picture, const Format& format);

// Throws Error(Exit::usage) if encode() would refuse the image whatever its texels are, so it may lack them.
void check_can_hold(const Format& format, const Picture& picture, const EncodeOptions& options);

// Encodes a file in memory. Images of a cube are its faces in the order +X -X +Y -Y +Z -Z. All images of a file have
// the same size, depth and channels. Throws Error(Exit::usage).
Encoded encode(const Format& format, std::span<const Source> sources, Arrangement arrangement,
               const EncodeOptions& options);
Encoded encode(const Format& format, const Picture& picture, const EncodeOptions& options);

struct Library {
  std::string name;
  std::string version;  // "": this build was made without it
};
std::vector<Library> codec_libraries();

// Returns whether this process must act as a decode worker. Every `main` of the program calls it first and returns
// worker_main().
bool is_decode_worker(int argc, char** argv);
int decode_worker_main();

}  // namespace gpupost
