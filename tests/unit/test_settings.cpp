// What decoders are asked for.
#include "core/pipeline/settings.h"

#include <doctest/doctest.h>

using namespace gpupost;

TEST_CASE("options replace the parts of a profile that they name, and data uses none") {
  const auto use_of = [](const InputSettings& settings) { return decode_options(settings).profile; };
  CHECK(use_of({}) == ProfileUse::all);
  CHECK(use_of({.transfer = Transfer::linear}) == ProfileUse::primaries);
  CHECK(use_of({.primaries = rec2020}) == ProfileUse::all_but_tables);
  CHECK(use_of({.transfer = Transfer::linear, .primaries = rec2020}) == ProfileUse::nothing);
  CHECK(use_of({.is_data = true}) == ProfileUse::nothing);
}
