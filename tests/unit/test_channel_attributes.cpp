// Attributes about channels go with the channels.
#include "core/image/channel_attributes.h"

#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpupost;

namespace {

std::vector<uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

// Names of the attributes that an image with these channels keeps.
std::vector<std::string> kept(const std::vector<std::string>& channels) {
  Picture picture;
  Group& group = picture.groups.emplace_back();
  for (size_t c = 0; c < channels.size(); ++c) group.channels[c].name = channels[c];
  using namespace std::string_view_literals;
  picture.attributes = {{"multiView", "stringvector", bytes_of("\4\0\0\0left\5\0\0\0right"sv)},
                        {"cryptomatte/1234567/name", "string", bytes_of("Asset")},
                        {"cryptomatte/1234567/hash", "string", bytes_of("MurmurHash3_32")}};
  remove_attributes_of_lost_channels({"R", "right.R", "Asset00.R"}, picture);
  std::vector<std::string> names;
  for (const Attribute& attribute : picture.attributes) names.push_back(attribute.name);
  return names;
}

}  // namespace

TEST_CASE("an image without channels of a view or a Cryptomatte loses their attributes") {
  const std::vector<std::string> views{"multiView"},
      cryptomatte{"cryptomatte/1234567/name", "cryptomatte/1234567/hash"};
  CHECK(kept({"R", "right.R"}) == views);
  CHECK(kept({"R", "diffuse.right.R"}) == views);
  CHECK(kept({"left.R", "right.R"}) == views);
  CHECK(kept({"diffuse.R", "right.R"}) == views);
  CHECK(kept({"R", "G"}).empty());
  CHECK(kept({"right.R", "right.G"}).empty());
  CHECK(kept({"R", "right"}).empty());
  CHECK(kept({"R", "Asset00.R"}) == cryptomatte);
  CHECK(kept({"R", "Asset.R"}).empty());
  CHECK(kept({"R", "right.R", "Asset01.A"}) == views);
  CHECK(kept({"R", "right.R", "Asset00.R", "Asset01.A"}).size() == 3);
  // a channel that the image never had is not lost, so its attributes stay: it may be in another part
  Picture other;
  other.groups.emplace_back().channels[0].name = "R";
  other.attributes = {{"cryptomatte/1234567/name", "string", bytes_of("Asset")}};
  remove_attributes_of_lost_channels({"R"}, other);
  CHECK(other.attributes.size() == 1);
}
