// Ids of objects and their coverage in float channels, by the Cryptomatte specification 1.2.
#pragma once

#include "core/image/picture.h"

namespace gpupost {

// Sets is_cryptomatte of the groups beside color whose channels hold ids and coverage. Splits groups that hold other channels too.
// An attribute "cryptomatte/KEY/name" with the value "CryptoObject" names the channels "CryptoObject00.R", "CryptoObject01.G", and
// so on. Channels without a number, "CryptoObject.R", are a preview, which may be filtered.
void mark_cryptomattes(Picture& picture);

}  // namespace gpupost
