// Runs a chain on all channels of an image.
#pragma once

#include "core/pipeline/conversion_plan.h"
#include "core/pipeline/device_session.h"
#include "core/pipeline/picture_inputs.h"
#include "core/pipeline/report.h"

#include <optional>

namespace gpupost {

// A processed image, and its level 0 as it was read if that is written.
struct ProcessedImage {
  Picture picture;
  std::optional<BaseLevel> base;
  OtherParts others = {};  // parts that are written with it
};

// Removes the channels other than color that the result cannot have, before any work on them. Returns warnings.
std::vector<std::string> drop_other_channels(const ChainRequest& request, const Format& format, Picture& picture);

// The calls of a chain for the color of an image: with conversions of primaries, to `asked` or what the format holds, and with an
// alpha of 1 where an opaque image would get texels with alpha 0. `assembly` may cut the image within the chain.
std::vector<Call> calls_of_color(std::span<const Call> calls, std::optional<Primaries> asked, const Format& format,
                                 const Picture& picture, Assembly assembly);

// Gives an image that lacks texels the names and primaries of the chain's result, as far as they do not depend on texels. Its other
// channels are dropped already.
void name_result(const ChainRequest& request, const ConversionPlan& way, Picture& picture);

// Level 0 of an image as it was read, for integers that the chain and the output keep. Empty if it has no more information than the
// result.
std::optional<BaseLevel> original_base(const ChainRequest& request, const ConversionPlan& way, const Picture& picture);

// Adds a note if integers of an image as read change only because the output gets another curve. `calls`: the whole chain.
void tell_of_curve(std::span<const Call> calls, const Picture& picture, const ConversionPlan& way,
                   const OutputSettings& output, JobReport& report);

// Processes an image of the file `input` for the output. `frame`: its frame number, as in Job::frames. Throws
// Error(Exit::usage) if the chain cannot run on it.
ProcessedImage process_image(const ChainRequest& request, DeviceSession& gpu, const ConversionPlan& way,
                             PictureInputs& inputs, const std::string& input, const std::string& frame, Picture read,
                             JobReport& report);

}  // namespace gpupost
