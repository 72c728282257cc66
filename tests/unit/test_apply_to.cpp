// How channels beside the color go through chains.
#include "core/pipeline/apply_to.h"

#include "core/base/error.h"
#include "core/image/channel_names.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "tests/support/error_of.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

using namespace gpupost;

namespace {

Call call(const char* op, const char* words = "") { return parse_call(*op_named(op), words); }

std::string text_of(const std::vector<Step>& steps) {
  std::string text;
  for (const Step& step : steps) {
    text += step.route == Route::by_op ? "op:" : "nearest:";
    for (const Call& one : step.calls) text += " " + one.text() + ";";
  }
  return text;
}

// Color, floats beside it and an id.
Picture picture() {
  const auto group = [](std::array<std::string, 4> names, Depth depth, bool is_color) {
    std::array<Channel, 4> channels;
    for (size_t c = 0; c < 4; ++c) channels[c] = {names[c], depth};
    Group made = made_group(channels, depth, {3, 2}, 1,
                            [](int x, int y, size_t c, int) { return uint32_t(100 * c + 10 * size_t(y) + size_t(x)); });
    made.is_color = is_color;
    return made;
  };
  Picture made = picture_of(group({"R", "G", "B", ""}, Depth::half, true));
  made.groups.push_back(group({"N.X", "N.Y", "Z", ""}, Depth::f32, false));
  made.groups.push_back(group({"id", "", "", ""}, Depth::u32, false));
  return made;
}

std::string refusal(std::string_view list) {
  return error_of([&] { check_apply_to(parse_apply_to(list), picture()); }, Exit::usage);
}

}  // namespace

TEST_CASE("channels that are not applied take the nearest texel, stay, or get what mixes no texels") {
  const std::vector<Call> calls{call("nan"),
                                call("resize", "--size 50%"),
                                call("flip", "x"),
                                call("exposure", "--stops 1"),
                                call("blur", "--radius 2"),
                                call("stats"),
                                call("stats", "--measure extremes"),
                                call("mips")};
  CHECK(text_of(steps_beside_color(calls, false)) == "op: nan;nearest: resize --size 50%; flip x;op: stats; mips;");
  CHECK(text_of(steps_beside_color(calls, true)) ==
        "op: nan; resize --size 50%; flip x; blur --radius 2; stats; mips;");
}

TEST_CASE("the note names what is done to channels that are not filtered, and nothing where all are moved alone") {
  const std::vector<std::string> names{"N.X", "Z"};
  const std::vector<Call> mixing{call("resize", "--size 50%"), call("blur", "--radius 2")};
  CHECK(note_of_routes(mixing, names) ==
        "channels N.X Z are not filtered, because --apply-to does not name them: `resize --size 50%` takes the "
        "nearest texel, `blur --radius 2` leaves them as they are (--apply-to all filters them like the color)");
  CHECK(note_of_routes(mixing, {}) == "");
  const std::vector<Call> moving{
      call("flip", "x"), call("crop", "--window 2x2+0+0"),         call("exposure", "--stops 1"), call("nan"),
      call("mips"),      call("pad", "--size 80x80 --color 1,0,0")};
  CHECK(note_of_routes(moving, names) == "");
}

TEST_CASE("--apply-to takes color, all, channels and layers, and refuses what is no channel of floats") {
  CHECK(parse_apply_to("all").is_all);
  CHECK(parse_apply_to("color").names.empty());
  CHECK(parse_apply_to("color,Z,N").names == std::vector<std::string>{"Z", "N"});
  for (const char* wrong : {"", ",", "Z,", ",Z", "Z,,N"}) CHECK_THROWS_AS(parse_apply_to(wrong), Error);
  for (const std::string right : {"color", "all", "Z", "N", "N.X,Z"}) CHECK_MESSAGE(refusal(right) == "", right);
  CHECK(refusal("Q") ==
        "--apply-to Q: the image has no channel or layer of this name besides color; expected color, all, or some of "
        "N.X, N.Y, Z");
  CHECK(refusal("R").starts_with("--apply-to R: the image has no channel or layer of this name besides color"));
  CHECK(refusal("id") ==
        "--apply-to id: channel id is uint, which ops cannot filter; expected color, all, or some of N.X, N.Y, Z");
}

TEST_CASE("--apply-to takes a layer with ids if it also has channels that can be filtered") {
  Picture layered = picture();
  layered.groups[2].channels[0].name = "N.id";
  const auto refusal_of = [&](std::string_view list) {
    return error_of([&] { check_apply_to(parse_apply_to(list), layered); }, Exit::usage);
  };
  CHECK(refusal_of("N") == "");
  CHECK(refusal_of("N.id").starts_with("--apply-to N.id: channel N.id is uint, which ops cannot filter"));
  layered.groups[2].channels = {{{"ids", Depth::u32}, {"ids.one", Depth::u32}}};
  CHECK(refusal_of("ids").starts_with("--apply-to ids: channel ids is uint, which ops cannot filter"));
}

TEST_CASE("groups are split where only some of their channels are applied, and keep their numbers") {
  const ApplyTo apply_to = parse_apply_to("N");
  Picture split = picture();
  split_groups(apply_to, split);
  REQUIRE(split.groups.size() == 4);
  CHECK(names_of(split.groups[1]) == std::vector<std::string>{"N.X", "N.Y"});
  CHECK(names_of(split.groups[2]) == std::vector<std::string>{"Z"});
  CHECK(is_applied(apply_to, split.groups[1]));
  CHECK(!is_applied(apply_to, split.groups[2]));
  CHECK(names_not_applied(apply_to, split) == std::vector<std::string>{"Z"});
  const auto bits = split.groups[2].levels[0].texels.as<uint32_t>();
  for (size_t texel = 0; texel < 6; ++texel) {
    CHECK(bits[4 * texel] == 200 + 10 * (texel / 3) + texel % 3);
    CHECK(bits[4 * texel + 1] == 0);
  }
  for (const std::string whole : {"color", "all", "N,Z"}) {
    Picture kept = picture();
    split_groups(parse_apply_to(whole), kept);
    CHECK_MESSAGE(kept.groups.size() == 3, whole);
  }
}
