#include "core/pipeline/settings.h"

namespace gpupost {

static ProfileUse profile_use(const InputSettings& settings) {
  if (settings.is_data) return ProfileUse::nothing;
  if (settings.transfer) return settings.primaries ? ProfileUse::nothing : ProfileUse::primaries;
  return settings.primaries ? ProfileUse::all_but_tables : ProfileUse::all;
}

static AlphaUse alpha_use(const InputSettings& settings) {
  if (settings.alpha_is_data) return AlphaUse::data;
  if (!settings.alpha) return AlphaUse::as_recorded;
  return *settings.alpha == Alpha::straight ? AlphaUse::straight : AlphaUse::premultiplied;
}

DecodeOptions decode_options(const InputSettings& settings) {
  return {.part = settings.part,
          .layer = settings.layer,
          .level = settings.level.value_or(0),
          .limits = settings.limits,
          .profile = profile_use(settings),
          .alpha = alpha_use(settings),
          .keeps_orientation = settings.keeps_orientation,
          .flattens = settings.flatten,
          .requires_sandbox = settings.requires_sandbox};
}

}  // namespace gpupost
