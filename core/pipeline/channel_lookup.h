// Finds channels of an image by the names that `gpupost info` prints.
#pragma once

#include "core/image/channel_place.h"
#include "core/pipeline/settings.h"

#include <string>
#include <vector>

namespace gpupost {

struct TakenChannels {
  std::vector<std::string> dropped;   // channels of the old color and its layer that the list does not name
  std::vector<std::string> warnings;  // of these, of lost attributes, of rounded uint values, of alpha 0 everywhere
};

// Makes the channels that a first `channels` call names the color of the image, in the order of the list. They are no
// longer other channels. The old color and other R, G, B and A of its layer, such as uint ones, are dropped. Gives the
// color's channels the types that they have behind all `channels` calls. Converts the old color first, to linear premultiplied
// float, if a later conversion of the new color would give other values; other channels are never converted. Throws
// Error(Exit::usage) if a channel is missing.
TakenChannels take_named_channels(const ChainRequest& request, Picture& picture);

}  // namespace gpupost
