// What the parent refuses of a worker that a hostile file has taken over.
#include "core/codec/worker/reply_check.h"

#include <doctest/doctest.h>

#include <climits>
#include <functional>
#include <limits>

using namespace gpupost;

namespace {

constexpr uint64_t page = 4096;

// A reply as a sound worker gives it: color of 16 x 8 halves, and an id.
Reply sound_reply() {
  Reply reply;
  Picture& picture = reply.decoded.picture;
  picture.format = "exr";
  picture.compression = "zip";
  picture.data_window = {-4, 2, 11, 9};
  picture.display_window = {0, 0, 15, 15};
  Group& color = picture.groups.emplace_back();
  color.channels = {{{"R", Depth::half}, {"G", Depth::half}, {"B", Depth::half}, {"A", Depth::half}}};
  color.depth = Depth::half;
  color.is_color = true;
  color.levels.push_back({.size = {16, 8}, .texels = {}});
  Group& id = picture.groups.emplace_back();
  id.channels[0] = {"id", Depth::u32};
  id.depth = Depth::u32;
  id.levels.push_back({.size = {16, 8}, .texels = {}});
  picture.attributes = {{"owner", "string", {1, 2, 3}}};
  reply.decoded.parts = {{.name = "main", .size = {16, 8}, .channels = {"R", "G", "B", "A", "id"}}};
  reply.offsets = {0, page};
  return reply;
}

struct Lie {
  const char* name;
  std::function<void(Reply&)> tell;
};

Picture& picture_of(Reply& reply) { return reply.decoded.picture; }
Group& color_of(Reply& reply) { return reply.decoded.picture.groups[0]; }

// A worker's bytes may give an enum any value.
template <class Enum>
Enum outside(int value) {
  return static_cast<Enum>(value);
}

const Lie lies[] = {
    {"an exit code of the parent's own", [](Reply& r) { r.exit = Exit::bug; }},
    {"an exit code that there is not", [](Reply& r) { r.exit = outside<Exit>(-1); }},
    {"a format of a name too long", [](Reply& r) { picture_of(r).format = std::string(256, 'n'); }},
    {"a long compression", [](Reply& r) { picture_of(r).compression = std::string(17, 'x'); }},
    {"no level", [](Reply& r) { picture_of(r).file_level_count = 0; }},
    {"more levels than bits", [](Reply& r) { picture_of(r).file_level_count = 33; }},
    {"an empty data window",
     [](Reply& r) {
       picture_of(r).data_window = {0, 0, -1, 7};
     }},
    {"a data window whose width overflows",
     [](Reply& r) {
       picture_of(r).data_window = {INT_MIN, 0, INT_MAX, 7};
     }},
    {"a data window at the end of all numbers",
     [](Reply& r) {
       picture_of(r).data_window = {INT_MAX - 15, 2, INT_MAX, 9};
     }},
    {"a data window at their beginning",
     [](Reply& r) {
       picture_of(r).data_window = {INT_MIN, 2, INT_MIN + 15, 9};
     }},
    {"an empty display window",
     [](Reply& r) {
       picture_of(r).display_window = {5, 0, 4, 0};
     }},
    {"a display window whose width overflows",
     [](Reply& r) {
       picture_of(r).display_window = {INT_MIN, 0, INT_MAX, 7};
     }},
    {"a display window whose height overflows",
     [](Reply& r) {
       picture_of(r).display_window = {0, -2, 0, INT_MAX};
     }},
    {"a display window far away",
     [](Reply& r) {
       picture_of(r).display_window = {INT_MIN, 0, INT_MIN, 0};
     }},
    {"a transfer that there is not", [](Reply& r) { picture_of(r).transfer = outside<Transfer>(6); }},
    {"an exponent of 0", [](Reply& r) { picture_of(r).exponent = 0; }},
    {"an exponent that is NaN", [](Reply& r) { picture_of(r).exponent = std::numeric_limits<double>::quiet_NaN(); }},
    {"an infinite exponent", [](Reply& r) { picture_of(r).exponent = std::numeric_limits<double>::infinity(); }},
    {"an alpha that there is not", [](Reply& r) { picture_of(r).alpha = outside<Alpha>(3); }},
    {"no groups",
     [](Reply& r) {
       picture_of(r).groups.clear();
       r.offsets.clear();
     }},
    {"more groups than channels are allowed",
     [](Reply& r) {
       Group group = std::move(picture_of(r).groups.back());
       picture_of(r).groups.pop_back();
       picture_of(r).groups.resize(100);
       for (size_t index = 0; index < 100; ++index) {
         Group& other = picture_of(r).groups[index];
         other.channels[0].name = std::to_string(index);
         other.levels.push_back({.size = {16, 8}, .texels = {}});
       }
       r.offsets.resize(100);
     }},
    {"an offset too few", [](Reply& r) { r.offsets.pop_back(); }},
    {"an offset too many", [](Reply& r) { r.offsets.push_back(8 * page); }},
    {"color behind other channels", [](Reply& r) { picture_of(r).groups[1].is_color = true; }},
    {"color of uint", [](Reply& r) { color_of(r).depth = Depth::u32; }},
    {"luminance that is no color",
     [](Reply& r) {
       color_of(r).is_color = false;
       color_of(r).is_luminance = true;
     }},
    {"a depth that there is not", [](Reply& r) { color_of(r).depth = outside<Depth>(5); }},
    {"a channel's depth that there is not", [](Reply& r) { color_of(r).channels[0].depth = outside<Depth>(-1); }},
    {"no level in a group", [](Reply& r) { color_of(r).levels.clear(); }},
    {"a level more",
     [](Reply& r) {
       color_of(r).levels.push_back({.size = {8, 4}, .texels = {}});
     }},
    {"a level that is larger than the picture",
     [](Reply& r) {
       color_of(r).levels[0].size = {17, 8};
     }},
    {"a level of negative size",
     [](Reply& r) {
       color_of(r).levels[0].size = {-16, -8};
     }},
    {"a channel's name with an end inside", [](Reply& r) { color_of(r).channels[0].name = std::string("R\0x", 3); }},
    {"a channel's name that is long", [](Reply& r) { color_of(r).channels[0].name = std::string(256, 'R'); }},
    {"a channel twice", [](Reply& r) { picture_of(r).groups[1].channels[0].name = "R"; }},
    {"an attribute without a name", [](Reply& r) { picture_of(r).attributes[0].name = ""; }},
    {"an attribute's name that is long", [](Reply& r) { picture_of(r).attributes[0].name = std::string(256, 'o'); }},
    {"an attribute's type with an end inside",
     [](Reply& r) { picture_of(r).attributes[0].type = std::string("a\0b", 3); }},
    {"an attribute twice", [](Reply& r) { picture_of(r).attributes.push_back(picture_of(r).attributes[0]); }},
    {"a part's name that is long", [](Reply& r) { r.decoded.parts[0].name = std::string(256, 'm'); }},
    {"a part's channel that is long", [](Reply& r) { r.decoded.parts[0].channels[1] = std::string(256, 'm'); }},
    {"very many parts", [](Reply& r) { r.decoded.parts.resize(most_parts + 1); }},
    {"a negative number of parts before", [](Reply& r) { r.decoded.others.index = -1; }},
    {"a name of another part that is long", [](Reply& r) { r.decoded.others.names = {std::string(256, 'm')}; }},
    {"very many other parts", [](Reply& r) { r.decoded.others.names.resize(most_parts + 1); }},
    {"other parts without an offset", [](Reply& r) { r.others_bytes = 1; }},
    {"an offset of other parts that are not there", [](Reply& r) { r.offsets.push_back(2 * page); }},
    {"very many warnings", [](Reply& r) { r.decoded.warnings.resize(17); }},
};

}  // namespace

TEST_CASE("the reply of a sound worker is believed, and each lie is not") {
  CHECK(is_sensible(sound_reply(), {}));
  for (const Lie& lie : lies) {
    CAPTURE(std::string(lie.name));
    Reply reply = sound_reply();
    lie.tell(reply);
    CHECK_FALSE(is_sensible(reply, {}));
  }
}

TEST_CASE("a reply is held to the limits of the request") {
  const Reply reply = sound_reply();
  CHECK(is_sensible(reply, {.side = 16, .texel_count = 128}));
  CHECK_FALSE(is_sensible(reply, {.side = 15}));
  CHECK_FALSE(is_sensible(reply, {.texel_count = 127}));
  CHECK_FALSE(is_sensible(reply, {.channel_count = 1}));
}

TEST_CASE("an error may be of the file or of memory, whatever else the reply has") {
  for (const Exit exit : {Exit::usage, Exit::input, Exit::output, Exit::device, Exit::limit, Exit::bug}) {
    CAPTURE(int(exit));
    CHECK(is_sensible({.exit = exit}, {}) == (exit == Exit::input || exit == Exit::limit));
  }
}

TEST_CASE("texels lie in pages of their own, one group behind the other, within the memory") {
  Reply reply = sound_reply();
  const auto ranges = texel_ranges(reply, 2 * page, page);
  REQUIRE(ranges);
  REQUIRE(ranges->size() == 2);
  CHECK((*ranges)[0].offset == 0);
  CHECK((*ranges)[0].bytes == 16 * 8 * 4 * 2);
  CHECK((*ranges)[1].offset == page);
  CHECK((*ranges)[1].bytes == 16 * 8 * 4 * 4);
  const uint64_t end = page + 16 * 8 * 4 * 4;
  CHECK(texel_ranges(reply, end, page));
  CHECK_FALSE(texel_ranges(reply, end - 1, page));
  for (const uint64_t second : {uint64_t(0), page - 1, page + 1, uint64_t(UINT64_MAX), UINT64_MAX - page + 1}) {
    CAPTURE(second);
    reply.offsets[1] = second;
    CHECK_FALSE(texel_ranges(reply, uint64_t(1) << 40, page));
  }
  reply.offsets = {page, 0};
  CHECK_FALSE(texel_ranges(reply, uint64_t(1) << 40, page));
}

TEST_CASE("other parts lie behind the texels, within the memory") {
  Reply reply = sound_reply();
  reply.offsets.push_back(2 * page);
  reply.others_bytes = 100;
  CHECK(is_sensible(reply, {}));
  const auto ranges = texel_ranges(reply, 2 * page + 100, page);
  REQUIRE(ranges);
  CHECK((*ranges)[2].offset == 2 * page);
  CHECK((*ranges)[2].bytes == 100);
  CHECK_FALSE(texel_ranges(reply, 2 * page + 99, page));
  reply.others_bytes = UINT64_MAX;
  CHECK_FALSE(texel_ranges(reply, 2 * page + 100, page));
}
