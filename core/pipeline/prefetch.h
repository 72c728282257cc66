// The pictures that inputs give.
#pragma once

#include "core/pipeline/report.h"
#include "core/pipeline/settings.h"

#include <deque>
#include <future>

namespace gpupost {

// What an input gives: its picture, or the faces that --assemble cuts it into. Its time and warnings go to the report.
// Throws Error(Exit::input) where it cannot be read, or is no cross or strip.
std::vector<Picture> read_pictures(const std::string& input, const InputSettings& settings, JobReport& report);

// A decoded input and its time.
struct InputRead {
  Decoded decoded;
  std::string sha256;  // of the file, from before it was decoded; "" without a journal
  double milliseconds = 0;
};

// Bytes of all texels of a picture.
uint64_t texel_bytes(const Picture& picture);

// Inputs in their order. While one is worked on, --jobs of the next are decoded, as many as half of --max-memory is likely to hold.
class Prefetch {
 public:
  // `request` must outlive it.
  Prefetch(std::vector<std::string> files, const ChainRequest& request);

  // What the next one gives, as read_pictures() has it.
  std::vector<Picture> next(JobReport& report);

 private:
  InputRead read_file(const std::string& file, int thread_count) const;
  InputRead wait_next(const std::string& file);
  InputRead result_of(std::future<InputRead> read_before, const std::string& file);
  void read_ahead();

  std::vector<std::string> files_;
  const ChainRequest& request_;
  size_t next_ = 0;                           // of the files
  std::deque<std::future<InputRead>> ahead_;  // of the files from there on
  int most_ahead_;
  uint64_t largest_bytes_ = 0;  // of those that have been decoded
};

}  // namespace gpupost
