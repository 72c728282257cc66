#include "cli/explain.h"

#include "cli/demands.h"
#include "cli/depths.h"
#include "cli/device.h"
#include "cli/inputs.h"
#include "cli/named_channels.h"
#include "core/error.h"

namespace gpupost {

Explained plan_of(const Request& request) {
  const Globals& globals = request.globals;
  Size size = globals.size.value_or(Size{1920, 1080});
  Depth storage = globals.storage.value_or(Depth::half);
  bool is_colour = !takes_data(request.calls);
  if (globals.size && !request.inputs.empty())
    fail(Exit::usage, "--size {}x{} is of plans without a file; {} has a size of its own", globals.size->width,
         globals.size->height, request.inputs.front());
  if (!request.inputs.empty()) {
    JobReport ignored;
    Picture picture = std::move(read_pictures(request.inputs.front(), globals, ignored).front());
    take_named_channels(request.calls, picture);
    check_demands(request.calls, picture);
    const Group& group = picture.groups.front();
    size = picture.size();
    storage = storage_of(globals, group.depth, globals.bits.value_or(group.depth));
    is_colour &= group.is_colour;
  }
  Explained explained{.traits = traits_for(globals)};
  const ChainOptions options = chain_options(globals, explained.traits);
  Passage passage = passage_of(request.calls, plan_input(globals, size, storage, is_colour), explained.traits, options);
  explained.plan = std::move(passage.whole);
  std::vector<std::string>& choices = explained.plan.choices;
  if (!passage.limit.empty()) choices.push_back(fmt::format("in parts of what follows, since {}", passage.limit));
  else if (passage.is_watched)
    choices.push_back(fmt::format(
        "in parts of what follows, where it would keep the device busy for over {} ms at once", options.most_ms));
  return explained;
}

std::string explain(const Request& request) {
  const Explained explained = plan_of(request);
  return explain(explained.plan, request.calls, explained.traits);
}

}  // namespace gpupost
