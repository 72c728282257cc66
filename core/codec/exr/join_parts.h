// Copies the parts of an EXR that are not worked on, byte for byte.
#pragma once

#include "core/codec/exr/header.h"

namespace gpupost {

// Names of all parts but `read`.
OtherParts other_parts(Bytes file, const std::vector<ExrHeader>& parts, const ExrHeader& read);
// Decodes every chunk of a part. Throws Error(Exit::input) if it is damaged.
void check_part(Bytes file, const ExrHeader& header, const Limits& limits);
// Packs them. Decodes every chunk first, so that damaged parts are not copied. Throws Error(Exit::input).
void pack_other_parts(Bytes file, const std::vector<ExrHeader>& parts, const Limits& limits, const TexelAllocator& lend,
                      OtherParts& others);

// Joins other parts and a single-part file that this program wrote. Returns an empty buffer and adds a warning if they
// cannot be in one file, because attributes differ that all parts must have in common.
TexelBuffer join_parts(Bytes own, const OtherParts& others, std::vector<std::string>& warnings);

}  // namespace gpupost
