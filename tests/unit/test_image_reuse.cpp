// Images that share a place.
#include "core/engine/floors.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/plan/plan.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpupost;

static Plan plan_of(std::initializer_list<const char*> lines, bool keeps_input = false) {
  std::vector<Call> calls;
  for (const std::string_view line : lines) {
    const size_t space = std::min(line.size(), line.find(' '));
    calls.push_back(parse_call(*op_named(line.substr(0, space)), line.substr(space)));
  }
  const Size size{256, 128};
  give_inputs(calls, size);
  DeviceTraits traits;
  traits.max_group_invocations = 256;
  return plan(calls, {.size = size, .keeps_input = keeps_input}, traits);
}

TEST_CASE("a chain takes two images however long it is, and one more where its input must stay") {
  const auto chain = {"blur --radius 2 --method direct", "flip x", "blur --radius 3 --method direct", "flip y"};
  const Plan shared = plan_of(chain), kept = plan_of(chain, true);
  REQUIRE(shared.passes.size() == 4);
  CHECK(shared.images.size() == 2);
  CHECK(shared.result_image == 0);
  CHECK(kept.images.size() == 3);
  for (const Pass& pass : kept.passes) CHECK(pass.target.image != 0);
}

TEST_CASE("point ops on a CPU device work in place, on the input only if it is given") {
  const DeviceTraits traits{.has_image_buffers = true};
  const Call gain = parse_call(*op_named("gain"), "--value 2");
  const auto image_count = [&](size_t call_count, bool gives_input, bool keeps_input) {
    const std::vector<Call> calls(call_count, gain);
    const PlanInput input{.size = {32, 16},
                          .storage = Depth::f32,
                          .fuses = false,
                          .keeps_input = keeps_input,
                          .gives_input = gives_input};
    return plan(calls, input, traits).images.size();
  };
  CHECK(image_count(1, true, false) == 1);
  CHECK(image_count(1, false, false) == 2);
  CHECK(image_count(1, true, true) == 2);
  CHECK(image_count(5, true, false) == 1);
  CHECK(image_count(5, false, false) == 2);
}

TEST_CASE("ops that end with a sum at each texel write to their input on a CPU device") {
  const DeviceTraits in_place{.max_group_invocations = 256, .has_image_buffers = true};
  for (const char* line : {"sharpen", "bloom --radius 16", "guided", "merge --with testdata/alpha.png"}) {
    const std::string_view text = line;
    const size_t space = std::min(text.size(), text.find(' '));
    std::vector<Call> calls{parse_call(*op_named(text.substr(0, space)), std::string(text.substr(space)))};
    const Size size{256, 128};
    give_inputs(calls, size);
    const auto result_of = [&](bool keeps_input, bool gives_input) {
      return plan(calls, {.size = size, .keeps_input = keeps_input, .gives_input = gives_input}, in_place).result_image;
    };
    CAPTURE(line);
    CHECK(result_of(false, true) == 0);
    CHECK(result_of(true, true) != 0);
    CHECK(result_of(false, false) != 0);
  }
}

TEST_CASE("no pass writes an image that it reads, or that a later pass still reads") {
  for (const auto& chain :
       {std::initializer_list<const char*>{"dof --max-radius 4", "bloom --radius 16", "blur --radius 20"},
        {"localgamma --adapt-radius 5"},
        {"bloom --radius 64", "bloom --radius 8", "mips"},
        {"blur --sigma 9", "dof", "stats", "exposure --auto"}}) {
    const Plan made = plan_of(chain);
    for (const Pass& pass : made.passes) {
      if (pass.kernel.starts_with("stats/")) continue;  // writes numbers alone
      std::vector<int> read{pass.source.image};
      if (pass.second.image >= 0) read.push_back(pass.second.image);
      read.insert(read.end(), pass.more_sources.begin(), pass.more_sources.end());
      const bool is_pyramid = made.images[size_t(pass.target.image)].level_count > 1;
      for (const int image : read) CHECK((image != pass.target.image || is_pyramid));
      for (const int image : pass.more_targets) CHECK(std::ranges::find(read, image) == read.end());
    }
  }
}

TEST_CASE("bloom keeps its picture till the glow is added, in two pyramids and one more image") {
  const Plan made = plan_of({"bloom --radius 16"}, true);
  REQUIRE(made.images.size() == 4);
  CHECK(made.passes.back().source.image == 0);
  CHECK(made.passes.back().kernel == "bloom/add.glsl");
  CHECK(std::ranges::count_if(made.images, [](const PlanImage& image) { return image.level_count > 1; }) == 2);
}

TEST_CASE("depth of field takes the depth of the host, circles of two numbers a texel, and the picture") {
  const Plan made = plan_of({"dof --max-radius 4"}, true);
  REQUIRE(made.sources.size() == 1);
  REQUIRE(made.images.size() == 4);
  const PlanImage& depth = made.images[size_t(made.sources[0].image)];
  CHECK(depth.components == 1);
  CHECK(bytes_of(depth) == 4 * texel_count(depth.size));
  CHECK(std::get<std::shared_ptr<const Plane>>(made.sources[0].texels)->size == depth.size);
}
