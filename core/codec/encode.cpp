#include "core/codec/codec.h"

#include "core/base/error.h"
#include "core/image/to_working.h"

#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace gpupost {

void check_can_hold(const Format& format, const Picture& picture, const EncodeOptions& options) {
  if (!format.can_write(options.depth)) {
    std::vector<std::string_view> names;
    for (const Depth depth : format.written_depths) names.push_back(name_of(depth));
    fail(Exit::usage, "{} holds {}{}, not {}; use --bits {}", format.name, fmt::join(names, " and "),
         is_float(format.written_depths.front()) ? "" : " bits", name_of(options.depth), names.front());
  }
  format.check(format, picture, options);
}

Encoded encode(const Format& format, std::span<const Source> sources, Arrangement arrangement,
               const EncodeOptions& options) {
  if (!format.can_write())
    fail(Exit::usage, "{} files can be read here but not written; expected {}", format.name, writable_extensions());
  if (!format.holds_arrangements && (sources.size() != 1 || arrangement != Arrangement::single))
    fail(Exit::usage, "{} files hold one image, not the {} of a cube or an array", format.name, sources.size());
  for (const Source& source : sources) check_can_hold(format, *source.picture, options);
  return format.write(format, sources, arrangement, options);
}

Encoded encode(const Format& format, const Picture& picture, const EncodeOptions& options) {
  const Source source{.picture = &picture};
  return encode(format, std::span(&source, 1), Arrangement::single, options);
}

}  // namespace gpupost
