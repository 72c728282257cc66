// The pictures that calls take beside the one of their chain, like the second picture of `merge`.
#pragma once

#include "core/codec/codec.h"
#include "core/image/primaries.h"
#include "core/op/op.h"
#include "core/pipeline/report.h"
#include "core/pipeline/settings.h"

#include <span>
#include <string_view>
#include <vector>

namespace gpupost {

// Keeps the pictures of the last image, so that one that all images take is read once.
class PictureInputs {
 public:
  // Fills `inputs` of the calls that need pictures: linear, premultiplied, of depth `storage`, with the primaries of the chain's image
  // at the call. {frame} in a file's name becomes `frame`. Data is not converted, and always of 32-bit floats.
  // Throws Error(Exit::usage) for a file without color and Error(Exit::input) for one that cannot be read.
  void give(std::vector<Call>& calls, std::span<const Primaries> at_calls, std::string_view frame,
            const InputSettings& settings, Depth storage, JobReport& report);
  // Number of processes that decoded them.
  int decoder_count() const { return of_frames_.started_count() + of_all_count_; }

 private:
  struct Kept {
    NeededPicture file;
    Primaries primaries;
    InputPicture picture;
    std::vector<std::string> warnings;  // of reading it
  };
  std::vector<Kept> kept_;
  DecodeWorker of_frames_;  // decodes the picture of each frame
  int of_all_count_ = 0;    // processes that decoded a picture that all images take
};

}  // namespace gpupost
