// The options of decoders and the depth of outputs, from the settings.
#include "core/codec/formats.h"
#include "core/pipeline/conversion_plan.h"

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

TEST_CASE("an output has the depth of the file, also where a profile or `channels` made the texels floats") {
  const auto depth_in = [](const char* format, Depth file_depth) {
    Picture picture{.data_window = {0, 0, 0, 0}};
    Group& color = picture.groups.emplace_back(Group{.depth = Depth::f32, .is_color = true});
    for (const size_t c : {0, 1, 2}) color.channels[c] = {std::string("RGB").substr(c, 1), file_depth};
    const Job job{.inputs = {"in"}, .format = format_named(format), .writes_picture = false};
    return conversion_plan_of({}, job, picture).output_depth;
  };
  for (const Depth depth : {Depth::u8, Depth::u16})
    for (const char* format : {"png", "tiff"}) CHECK(depth_in(format, depth) == depth);
  CHECK(depth_in("exr", Depth::u16) == Depth::f32);
  CHECK(depth_in("exr", Depth::u8) == Depth::half);
  CHECK(depth_in("exr", Depth::half) == Depth::half);
  CHECK(depth_in("tiff", Depth::half) == Depth::half);
  CHECK(depth_in("png", Depth::f32) == Depth::u8);
}
