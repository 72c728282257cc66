// Which channels hold ids of a Cryptomatte.
#include "core/image/cryptomatte.h"

#include "core/image/channel_names.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>

using namespace gpupost;

TEST_CASE("a Cryptomatte has the channels with a number behind its name") {
  const auto group = [](std::array<std::string, 4> names, bool is_color) {
    std::array<Channel, 4> channels;
    for (size_t c = 0; c < 4; ++c) channels[c] = {names[c], Depth::f32};
    Group made = made_group(channels, Depth::f32, {3, 2}, 1,
                            [](int, int, size_t c, int) { return std::bit_cast<uint32_t>(float(c + 1)); });
    made.is_color = is_color;
    return made;
  };
  Picture picture = picture_of(group({"R", "G", "B", ""}, true));
  picture.groups.push_back(group({"Asset.R", "Asset00.B", "Asset00.R", "Asset00x.R"}, false));
  picture.groups.push_back(group({"Asset12.A", "Asset12.R", "", ""}, false));
  picture.groups.push_back(group({"Object00.R", "Z", "", ""}, false));
  const auto marked = [&] {
    std::vector<std::string> names;
    for (const Group& one : picture.groups)
      if (one.is_cryptomatte) std::ranges::move(names_of(one), std::back_inserter(names));
    return names;
  };
  const std::string name = "Asset";
  picture.attributes.push_back({"cryptomatte/1234567/hash", "string", {name.begin(), name.end()}});
  mark_cryptomattes(picture);
  CHECK(marked().empty());
  picture.attributes.push_back({"cryptomatte/1234567/name", "string", {name.begin(), name.end()}});
  mark_cryptomattes(picture);
  CHECK(marked() == std::vector<std::string>{"Asset00.B", "Asset00.R", "Asset12.A", "Asset12.R"});
  REQUIRE(picture.groups.size() == 5);
  const Group& split = picture.groups[1];
  CHECK(split.levels[0].texels.as<float>()[0] == 2);
  CHECK(split.levels[0].texels.as<float>()[1] == 3);
  CHECK(names_of(picture.groups[2]) == std::vector<std::string>{"Asset.R", "Asset00x.R"});
  CHECK(picture.groups[2].levels[0].texels.as<float>()[1] == 4);
}
