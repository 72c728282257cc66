// Decodes inputs ahead of their use.
#pragma once

#include "core/pipeline/decode_threads.h"
#include "core/pipeline/report.h"
#include "core/pipeline/settings.h"

#include <deque>
#include <functional>
#include <future>

namespace gpupost {

// An input: its image, or the faces that --assemble cuts it into.
struct InputImages {
  std::vector<Picture> pictures;
  Size size;                                // of the whole image
  OtherParts others;                        // of an EXR
  std::vector<std::string> write_warnings;  // losses that matter only if an image is written
};

// The settings for the inputs of a chain: those of the request, and what follows from its calls.
InputSettings input_settings_of(const ChainRequest& request);

// Reads an input. Time and warnings go to the report. Throws Error(Exit::input) if it cannot be read, or is no cross or
// strip.
InputImages read_pictures(const std::string& input, const InputSettings& settings, JobReport& report);
// The same by a worker that may live on.
InputImages read_pictures(DecodeWorker& worker, const std::string& input, const InputSettings& settings,
                          JobReport& report);

// Reads a file of a call. Warnings go to the report with `name` in front: the path as given, with {frame}, so that all
// frames of a batch have the same. `part_option`: the option that chooses its part; empty if there is none.
Picture read_file_of_call(DecodeWorker& worker, const std::string& path, const std::string& name,
                          std::string_view part_option, const InputSettings& settings, JobReport& report);

// Throws Error(Exit::input) if an input is a folder.
void refuse_folder(const std::string& input);

// Size of all texels of an image in bytes.
uint64_t texel_bytes(const Picture& picture);

// Returns inputs in order. While one is processed, up to --jobs inputs are decoded ahead, as far as half of
// --max-memory allows.
class Prefetch {
 public:
  // `request` must outlive it. `keeps_parts`: the other parts of an EXR are needed. `before_ahead` is called before the first file
  // is decoded ahead, so that another part of the program can start its threads first.
  Prefetch(std::vector<std::string> files, const ChainRequest& request, bool keeps_parts,
           std::function<void()> before_ahead);

  // Returns the result of read_pictures() for the next input.
  InputImages next(JobReport& report);
  // Ends all decoding. Returns the number of processes that decoded inputs.
  int end();

 private:
  InputRead read_file(DecodeWorker& worker, const std::string& file, int thread_count) const;
  InputRead wait_next(const std::string& file);
  InputRead result_of(std::future<InputRead> read_before, const std::string& file);
  void read_ahead();

  std::vector<std::string> files_;
  const ChainRequest& request_;
  const InputSettings settings_;
  const bool keeps_parts_;
  std::function<void()> before_ahead_;        // empty after its call
  size_t next_ = 0;                           // index of the next file
  std::deque<std::future<InputRead>> ahead_;  // files that are being decoded, starting at next_
  int most_ahead_;
  uint64_t largest_bytes_ = 0;  // size of the largest decoded image
  DecodeWorker own_;            // decodes in the thread of next() until others decode ahead
  DecodeThreads threads_;       // the last member, because its threads use the others
};

}  // namespace gpupost
