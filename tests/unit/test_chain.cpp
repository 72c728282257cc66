#include "core/base/error.h"
#include "core/base/text.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "tests/support/error_of.h"
#include "tests/support/tested_ops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

using namespace gpupost;
using namespace gpupost::test;

namespace {

const Op& mips() { return *op_named("mips"); }

// "1 message" of the error that parsing throws; "" where it throws none.
std::string refusal(const Op& op, const std::vector<std::string>& words) {
  return coded_error_of([&] { parse_call(op, words); });
}

// Optional parameters that are not given count as equal.
bool are_equal(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

// One value for a parameter, and what the message has to say of it.
void check_refused(const Op& op, const Param& param, const std::string& value, const std::string& expected) {
  const std::string message =
      refusal(op, {param.is_positional ? value : fmt::format("{}={}", param.typed_name(), value)});
  for (const std::string& part : {fmt::format("1 {}: {} {}", op.name, param.typed_name(), value), expected})
    CHECK_MESSAGE(message.find(part) != message.npos, op.name, " --", param.name, " ", value, " says \"", message,
                  "\" without \"", part, "\"");
}

}  // namespace

TEST_CASE("every example of every row is a call, and its text is that call again") {
  for (const Op* op : tested_ops())
    for (const std::string_view example : op->doc.examples) {
      const Call call = parse_call(*op, example);
      CHECK(call.op == op);
      REQUIRE(call.values.size() == op->params.size());
      const std::string text = call.text();
      REQUIRE(text.starts_with(op->name));
      const Call again = parse_call(*op, std::string_view(text).substr(op->name.size()));
      CHECK_MESSAGE((are_equal(again.values, call.values) && again.texts == call.texts), text);
    }
}

TEST_CASE("no words are the defaults of the row, where nothing is required") {
  for (const Op* op : tested_ops()) {
    const auto required = std::ranges::find(op->params, Presence::required, &Param::presence);
    if (required != op->params.end()) {
      const std::string option = required->is_positional ? "" : required->typed_name() + " ";
      CHECK(refusal(*op, {}) == fmt::format("1 {}: {} is missing; expected {}{}", op->name, required->typed_name(),
                                            option, required->form.syntax));
      continue;
    }
    if (const std::string message = refusal(*op, {}); !message.empty()) {  // then the row says what it wants
      CHECK_MESSAGE(message.starts_with(fmt::format("1 {}: ", op->name)), message);
      CHECK_MESSAGE(message.find("; expected --") != message.npos, message);
      continue;
    }
    const Call call = parse_call(*op, "");
    CHECK(are_equal(call.values, default_call(*op).values));
    const bool has_positional = std::ranges::any_of(op->params, &Param::is_positional);
    CHECK((call.text() == op->name || has_positional));
  }
}

TEST_CASE("a positional word stands behind the op by itself, and nowhere twice with different values") {
  const Op& flip = *op_named("flip");
  CHECK(parse_call(flip, "y").choice("axis") == "y");
  CHECK(parse_call(flip, "xy").text() == "flip xy");
  CHECK(refusal(flip, {"z"}) == "1 flip: axis z is not one of x, y, xy");
  CHECK(refusal(flip, {"x", "y"}).starts_with("1 flip: "));
}

TEST_CASE("options of mips that mean nothing together are refused in one line") {
  CHECK(refusal(mips(), {"--method=single-pass", "--filter=kaiser", "--from-base"}) ==
        "1 mips: --method single-pass works only with the plain box filter; leave out --filter kaiser --from-base, or "
        "use --method per-level");
  CHECK(refusal(mips(), {"--reduce=min", "--normal"}) ==
        "1 mips: --reduce min works only with the plain box filter; leave out --normal, or use --reduce mean");
  CHECK(refusal(mips(), {"--method=single-pass", "--filter=box"}) == "");
  CHECK(refusal(mips(), {"--normal", "--hicomp"}).starts_with("1 mips: --hicomp is for color"));
}

TEST_CASE("channels beside the color go through the ops that take them, without what is for colors") {
  const std::vector<Call> calls{parse_call(*op_named("resize"), "--size 50% --hicomp --filter box")};
  CHECK(calls_for_other_channels(calls).at(0).text() == "resize --size 50% --filter box");
}

TEST_CASE("a share of a picture is that of its display window, however small the data window") {
  const Windows windows{.data = {1700, 400, 1710, 410}, .display = {0, 0, 1919, 1079}};
  const auto resized = [&](const std::string& words) {
    const Call call = parse_call(*op_named("resize"), words);
    return result_windows({&call, 1}, windows);
  };
  CHECK(resized("--size 50%").display == Window{0, 0, 959, 539});
  CHECK(resized("--size 50%").data == Window{850, 200, 855, 205});
  CHECK(resized("--size 22x22").display == Window{0, 0, 3839, 2159});
  CHECK(resized("--size 22x22").data == Window{3400, 800, 3421, 821});
}

TEST_CASE("words of several numbers are taken apart, or refused") {
  using Numbers = std::vector<int>;
  CHECK(whole_numbers("640x480+10+20", "x++") == Numbers{640, 480, 10, 20});
  CHECK(whole_numbers("7x0", "x") == Numbers{7, 0});
  for (const std::string word :
       {"", "7", "7x", "x7", "7x7 ", "7x7x", "7x-7", "-7x7", "7*7", "99999999999x1", "7x+7", "7x-0"})
    CHECK_MESSAGE(!whole_numbers(word, "x"), word);
  CHECK(percentage("12.5%") == 12.5);
  for (const std::string word : {"", "%", "50", "50%%", "x%", "nan%", "inf%", "5 %"})
    CHECK_MESSAGE(!percentage(word), word);
}

TEST_CASE("options are read with a space and with =") {
  CHECK(parse_call(mips(), "--levels 3").integer("levels") == 3);
  CHECK(parse_call(mips(), "--levels=3").integer("levels") == 3);
  CHECK(parse_call(mips(), "--method=single-pass --levels 2").text() == "mips --method single-pass --levels 2");
  CHECK(parse_call(mips(), "--method per-level").choice("method") == "per-level");
}

TEST_CASE("the ends of a range are inside it, what lies past them is refused with the range") {
  for (const Op* op : tested_ops())
    for (const Param& param : op->params) {
      if (param.kind != ParamKind::integer && param.kind != ParamKind::number) continue;
      for (const double value : {param.min, param.max})
        CHECK(refusal(*op, {fmt::format("--{}={}", param.name, value)}).find("is outside") == std::string::npos);
      const std::string range = fmt::format("is outside {}..{}", param.min, param.max);
      check_refused(*op, param, fmt::format("{}", param.max + 1), range);
      const std::string below = refusal(*op, {fmt::format("--{}={}", param.name, param.min - 1)});
      CHECK_MESSAGE(below.find(range) != below.npos, below);
    }
}

TEST_CASE("a value of the wrong kind is refused with what was expected") {
  for (const Op* op : tested_ops())
    for (const Param& param : op->params) {
      if (param.kind == ParamKind::integer)
        for (const char* value : {"x", "2.5", "3x", "nan", "inf", "0x10"})
          check_refused(*op, param, value, "is not a whole number");
      if (param.kind == ParamKind::number)
        for (const char* value : {"x", "3x", "nan", "inf"}) check_refused(*op, param, value, "is not a number");
      if (param.kind == ParamKind::choice)
        check_refused(*op, param, "nonsense",
                      param.is_for_measuring ? fmt::format("`gpupost bench {} --list` lists the values", op->name)
                                             : fmt::format("is not one of {}", param.choices.front()));
      if (param.kind == ParamKind::text)
        for (const char* value : {"nonsense", "10x", "-1x1+0+0", "10x10+0+0+"})
          if (!param.form.matches(value) && (!param.is_positional || value[0] != '-'))  // that would be an option
            check_refused(*op, param, value, fmt::format("is not valid; expected {}", param.form.syntax));
    }
}

TEST_CASE("an option that is unknown, has no value or stands twice is refused in one line that names the op") {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--levles", "3"}, {"--levels"}, {"--levels", "3", "--levels", "4"}, {"3"}}) {
    const std::string message = refusal(mips(), words);
    CHECK_MESSAGE(message.starts_with("1 mips: "), fmt::format("\"{}\"", message));
    CHECK_MESSAGE(message.find('\n') == message.npos, message);
  }
}

TEST_CASE("nothing may follow an op that makes levels") {
  const Call call = default_call(mips());
  const std::vector<Call> two{call, call};
  CHECK_NOTHROW(check_chain({}));
  CHECK_NOTHROW(check_chain(std::span(two).first(1)));
  CHECK_THROWS_WITH_AS(check_chain(two), "mips: makes mip levels and must be the last op; `mips` comes after it",
                       Error);
}

TEST_CASE("no op that mixes texels may follow one that colors texels of alpha 0") {
  const auto message_of = [](const std::vector<std::string>& names) {
    std::vector<Call> calls;
    for (const std::string& name : names)
      calls.push_back(parse_call(*op_named(name), name == "channels" ? "--list R,G,B"
                                                  : name == "flip"   ? "x"
                                                  : name == "pack"   ? "--green a.png"
                                                                     : ""));
    return error_of([&] { check_chain(calls); }, Exit::usage);
  };
  CHECK(message_of({"gain", "bleed", "sharpen"}) ==
        "bleed: gives texels with alpha 0 a color that is not light, and `sharpen` takes color as light; put `sharpen` "
        "before it");
  CHECK(message_of({"bleed", "flip", "mips"}) ==
        "bleed: gives texels with alpha 0 a color that is not light, and `mips` takes color as light; use `mips "
        "--bleed`");
  CHECK(message_of({"bleed", "bleed"}) ==
        "bleed: gives texels with alpha 0 a color that is not light, and `bleed` takes color as light; leave `bleed` "
        "out");
  const std::vector<Call> measuring{parse_call(*op_named("bleed"), ""), parse_call(*op_named("exposure"), "--auto")};
  CHECK(error_of([&] { check_chain(measuring); }, Exit::usage) ==
        "bleed: gives texels with alpha 0 a color that is not light, and `exposure` takes color as light; put "
        "`exposure` before it");
  const std::vector<Call> twice{parse_call(*op_named("mips"), "--bleed"), parse_call(*op_named("bleed"), "")};
  CHECK(
      error_of([&] { check_chain(twice); }, Exit::usage) ==
      "mips: gives texels with alpha 0 a color that is not light, and `bleed` takes color as light; leave `bleed` out");
  const std::vector<Call> normals{parse_call(*op_named("bleed"), ""), parse_call(*op_named("mips"), "--normal")};
  CHECK(error_of([&] { check_chain(normals); }, Exit::usage).ends_with("; leave `bleed` out"));
  CHECK(message_of({"bleed", "luminance"}).ends_with("; leave `bleed` out"));
  CHECK(message_of({"bleed", "pack"}).ends_with("; use two runs, with `pack` in the second"));
  CHECK(message_of({"mips", "bleed"}) ==
        "mips: makes mip levels and must be the last op; `bleed` comes after it; use `mips --bleed`");
  for (const std::vector<std::string>& names :
       std::vector<std::vector<std::string>>{{"sharpen", "bleed"},
                                             {"bleed", "gain", "transpose", "stats"},
                                             {"bleed", "unpremultiply", "channels", "mips"}})
    CHECK(message_of(names) == "");
}

TEST_CASE("the nearest word is the one with the fewest letters to change, add or drop") {
  const std::vector<std::string_view> known{"mips", "blur", "bloom", "--fp16", "tonemap"};
  CHECK(closest_word("mips", known) == "mips");
  CHECK(closest_word("mps", known) == "mips");
  CHECK(closest_word("mipss", known) == "mips");
  CHECK(closest_word("nips", known) == "mips");
  CHECK(closest_word("blum", known) == "blur");
  CHECK(closest_word("--fp61", known) == "--fp16");
  CHECK(closest_word("tonmap", known) == "tonemap");
  CHECK(closest_word("", known) == "");
  CHECK(closest_word("exposure", known) == "");
  CHECK(closest_word("--value", {"--bake"}) == "");
  CHECK(closest_word("--stops", {"--jobs"}) == "");
  CHECK(suggestion("mps", known) == " (did you mean `mips`?)");
  CHECK(suggestion("xyzzy", known) == "");
  CHECK(closest_word("aces", {"help"}) == "");  // another name for what is not among the known words
  CHECK(closest_word("aces", {"agx", "hill"}) == "hill");
  CHECK(closest_word("aces", {"rec709", "ap0"}) == "ap0");  // several names, for different options
  CHECK(closest_word("sRGB", {"rec709", "ap0"}) == "rec709");
  CHECK(closest_word("sRGB", {"srgb", "linear"}) == "srgb");
  CHECK(closest_word("ACEScg", {"rec709", "ap1"}) == "ap1");
  CHECK(closest_word("wrap", {"clamp", "repeat"}) == "repeat");
  CHECK(closest_word("wrap", {"warp", "crop"}) == "warp");
  CHECK(closest_word("normal", {"under", "over"}) == "over");
  CHECK(closest_word("--temp", {"--kelvin", "--help"}) == "--kelvin");
  CHECK(closest_word("--temp", {"--stops", "--help"}) == "");
  CHECK(closest_word("bc6", {"bc1", "bc6h"}) == "bc6h");
}

TEST_CASE("a number may have a plus before it") {
  CHECK(parse_call(*op_named("exposure"), "--stops +1").number("stops") == 1);
  CHECK(parse_call(*op_named("exposure"), "--stops +.5").number("stops") == 0.5);
  CHECK(parse_call(*op_named("blur"), "--radius +3").integer("radius") == 3);
  for (const char* wrong : {"+", "++1", "+-1", "-+1", "+ 1", "+inf", "+x"})
    CHECK_THROWS_AS(parse_call(*op_named("exposure"), std::vector{std::string("--stops=") + wrong}), Error);
}
