#include "cli/explain.h"

#include "cli/depths.h"
#include "cli/device.h"
#include "cli/inputs.h"
#include "core/error.h"
#include "core/parts.h"

namespace gpupost {

Explained plan_of(const Request& request) {
  const Globals& globals = request.globals;
  Size size = globals.size.value_or(Size{1920, 1080});
  Depth storage = globals.storage.value_or(Depth::half);
  if (!globals.size && !request.inputs.empty()) {
    JobReport ignored;
    const Picture picture = std::move(read_pictures(request.inputs.front(), globals, ignored).front());
    size = picture.size();
    storage = storage_of(globals, picture.groups.front().depth, globals.bits.value_or(picture.groups.front().depth));
  }
  Explained explained{.traits = traits_for(globals)};
  explained.plan = plan_of_any_size(request.calls, plan_input(globals, size, storage, true), explained.traits);
  if (const std::string why = over_limit(explained.plan, explained.traits); !why.empty()) {
    check_parts(request.calls, why);
    explained.plan.choices.push_back(fmt::format("in parts of what follows, since {}", why));
  }
  return explained;
}

std::string explain(const Request& request) {
  const Explained explained = plan_of(request);
  return explain(explained.plan, request.calls, explained.traits);
}

}  // namespace gpupost
