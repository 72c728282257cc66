// In the place of core/codec/exr/decode_openexr.cpp where the build found no OpenEXR: what it would read is refused by name.
#include "core/codec/exr/block_decoder.h"
#include "core/codec/exr/luma_chroma.h"

namespace gpupost {

static constexpr std::string_view missing = "not supported by this build, which found no OpenEXR (libopenexr-dev)";

bool has_openexr() { return false; }

std::unique_ptr<BlockDecoder> pieces_by_openexr(Bytes, const ExrHeader& header, const ExrLevel&) {
  if (header.is_subsampled()) fail(Exit::input, "sub-sampled channels are {}", missing);
  fail(Exit::input, "compression {} is {}", name_of_compression(header.compression), missing);
}

void read_halved_chroma(Bytes, const ExrHeader&, const ExrLevel&, const std::string&, Group&) {
  fail(Exit::input, "luminance and chroma channels (Y, RY, BY) are {}", missing);
}

void make_colors(const ExrHeader&, Group&) {
  fail(Exit::input, "luminance and chroma channels (Y, RY, BY) are {}", missing);
}

}  // namespace gpupost
