// Checks what the rows of ops say about gray and opaque images against their references, and names of gray images beside others.
#include "core/engine/floors.h"
#include "core/image/channel_names.h"
#include "core/op/op.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "tests/support/synthetic_images.h"
#include "tests/support/tested_ops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace gpupost;
using namespace gpupost::test;

namespace {

constexpr Size image_size{48, 24};

// An opaque image with these values of R, G and B.
Planes opaque(const std::function<double(size_t c, double x, double y)>& value) {
  Planes planes;
  for (size_t c = 0; c < 4; ++c) {
    planes[c] = {.size = image_size, .values = std::vector<double>(texel_count(image_size), 1)};
    for (int y = 0; c < 3 && y < image_size.height; ++y)
      for (int x = 0; x < image_size.width; ++x) planes[c].values[size_t(y * image_size.width + x)] = value(c, x, y);
  }
  return planes;
}

// Calls visit(call) for every example that can run without other files.
void for_each_example(const std::function<void(const Call&)>& visit) {
  for (const Op* op : tested_ops())
    for (const std::string_view example : op->doc.examples) {
      if (op->prepare || op->makes == Makes::statistics) continue;
      Call call = parse_call(*op, example);
      give_inputs({&call, 1}, image_size);
      for (InputPicture& input : call.inputs) input.picture.has_alpha = true;
      if (op->needs(call).depth)
        call.depth = std::make_shared<Plane>(
            Plane{.size = image_size, .values = std::vector<double>(texel_count(image_size), 5)});
      visit(call);
    }
}

double largest_difference(const Plane& a, const Plane& b) {
  double largest = 0;
  for (size_t index = 0; index < a.values.size(); ++index)
    largest = std::max(largest, std::abs(a.values[index] - b.values[index]));
  return largest;
}

}  // namespace

TEST_CASE("an op whose row says that gray stays gray makes no color of it") {
  const Planes gray = opaque([](size_t, double x, double y) { return 0.02 + 0.05 * x + 0.3 * std::sin(y); });
  int colored = 0;
  for_each_example([&](const Call& call) {
    const Output output = output_of(call, {.size = image_size});
    if (output.content == Content::data) return;  // normals are made of no colors
    const Planes made = call.op->reference.levels(call, gray)[0];
    const double off = std::max(largest_difference(made[0], made[1]), largest_difference(made[0], made[2]));
    if (output.gray_result == GrayResult::gray) CHECK_MESSAGE(off < 1e-5, call.text(), ": ", off);
    if (output.gray_result != GrayResult::color || call.op->name == "sheet") return;  // its color lies between cells
    CHECK_MESSAGE(off > 1e-5, call.text());
    ++colored;
  });
  CHECK((colored > 5 || tested_ops().size() == 1));
}

TEST_CASE("an op keeps an opaque image opaque, or its row says that texels may be transparent") {
  const Planes picture =
      opaque([](size_t c, double x, double y) { return 0.1 * double(c + 1) + 0.03 * x + 0.2 * std::cos(y); });
  int transparent = 0;
  for_each_example([&](const Call& call) {
    const Output output = output_of(call, {.size = image_size});
    if (output.has_alpha || output.may_be_transparent) {
      transparent += output.may_be_transparent;
      return;
    }
    for (const Planes& level : call.op->reference.levels(call, picture))
      for (const double alpha : level[3].values) {
        if (std::abs(alpha - 1) < 1e-9) continue;
        FAIL_CHECK(call.text(), ": alpha ", alpha);
        return;
      }
  });
  CHECK((transparent > 5 || tested_ops().size() == 1));
}

TEST_CASE("a gray image beside one without red gets R, G and B, in any order") {
  for (const bool is_gray_first : {true, false}) {
    Picture gray = noise_of_channels("Y", Depth::f32, Transfer::linear, {1, 1});
    Picture colored = noise_of_channels("GB", Depth::half, Transfer::linear, {1, 1});
    std::array colors{&gray.groups[0], &colored.groups[0]};
    if (!is_gray_first) std::ranges::reverse(colors);
    name_alike(colors);
    for (const Group* color : colors) {
      CHECK(names_of(*color) == std::vector<std::string>{"R", "G", "B"});
      CHECK(!color->is_luminance);
      for (size_t c = 0; c < 3; ++c) CHECK(color->channels[c].depth == color->depth);
    }
  }
}
