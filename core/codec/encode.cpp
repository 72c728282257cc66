#include "core/codec/codec.h"

#include "core/base/error.h"
#include "core/image/to_working.h"

#include <algorithm>

namespace gpupost {

Encoded encode(const Format& format, std::span<const Source> sources, Arrangement arrangement,
               const EncodeOptions& options) {
  if (!format.can_write())
    fail(Exit::usage, "{} files can be read here but not written; expected {}", format.name, writable_extensions());
  if (!format.holds_arrangements && (sources.size() != 1 || arrangement != Arrangement::single))
    fail(Exit::usage, "{} files hold one image, not the {} of a cube or an array", format.name, sources.size());
  return format.write(format, sources, arrangement, options);
}

Encoded encode(const Format& format, const Picture& picture, const EncodeOptions& options) {
  const Source source{.picture = &picture};
  return encode(format, std::span(&source, 1), Arrangement::single, options);
}

}  // namespace gpupost
