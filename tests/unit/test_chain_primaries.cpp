// Which primaries colors have on their way through a chain.
#include "core/op/parse.h"
#include "core/op/point.h"
#include "core/ops/registry.h"
#include "core/pipeline/chain_primaries.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpupost;

namespace {

std::vector<Call> calls_of(std::initializer_list<std::pair<const char*, const char*>> words) {
  std::vector<Call> calls;
  for (const auto& [op, arguments] : words) calls.push_back(parse_call(*op_named(op), arguments));
  return calls;
}

std::vector<std::string_view> names_of(const ChainPrimaries& made) {
  std::vector<std::string_view> names;
  for (const Call& call : made.calls) names.push_back(call.op->name);
  return names;
}

using Names = std::vector<std::string_view>;

// What a chain makes of one color.
Color made_of(std::span<const Call> calls, Color c) {
  Planes planes;
  for (size_t component = 0; component < 4; ++component) planes[component] = {.size = {1, 1}, .values = {c[component]}};
  for (const Call& call : calls) planes = call.op->reference.levels(call, planes)[0];
  return color_at(planes, 0);
}

// Which light a color of these primaries is, as Rec. 709 tells it.
Color light_of(Color c, const Primaries& primaries) {
  const auto rows = conversion({.from = primaries, .to = rec709});
  Color light{0, 0, 0, c[3]};
  for (size_t row = 0; row < 3; ++row)
    for (size_t column = 0; column < 3; ++column) light[row] += rows[row][column] * c[column];
  return light;
}

}  // namespace

TEST_CASE("colors are converted where an op takes Rec. 709, and nowhere else") {
  CHECK(names_of(with_primaries(calls_of({{"gain", ""}, {"exposure", "--auto"}}), ap0, {})) ==
        Names{"gain", "matrix", "exposure"});
  CHECK(names_of(with_primaries(calls_of({{"gain", ""}, {"exposure", "--stops 1"}}), ap0, {})) ==
        Names{"gain", "exposure"});
  CHECK(names_of(with_primaries(calls_of({{"exposure", "--auto"}, {"stats", ""}}), ap0, {})) ==
        Names{"matrix", "exposure", "stats"});
  CHECK(names_of(with_primaries(calls_of({{"exposure", "--auto"}}), {}, {})) == Names{"exposure"});
}

TEST_CASE("a format of Rec. 709 gets it behind the chain, but before levels") {
  CHECK(names_of(with_primaries(calls_of({{"gain", ""}, {"mips", ""}}), ap0, rec709)) ==
        Names{"gain", "matrix", "mips"});
  CHECK(names_of(with_primaries(calls_of({{"gain", ""}}), ap0, rec709)) == Names{"gain", "matrix"});
  CHECK(names_of(with_primaries(calls_of({{"gain", ""}}), {}, rec709)) == Names{"gain"});
  CHECK(names_of(with_primaries(calls_of({{"gain", ""}}), {}, ap0)) == Names{"gain", "matrix"});
}

TEST_CASE("matrix --named says what it makes, and is given what it takes") {
  const ChainPrimaries named = with_primaries(calls_of({{"matrix", "--named rec709-to-rec2020"}}), {}, {});
  CHECK(named.is_named);
  CHECK(!named.converts);
  CHECK(are_same(named.result, rec2020));
  // a picture of Rec. 2020 is not converted twice
  CHECK(names_of(with_primaries(calls_of({{"matrix", "--named rec2020-to-rec709"}}), rec2020, rec709)) ==
        Names{"matrix"});
  CHECK(names_of(with_primaries(calls_of({{"matrix", "--named rec2020-to-rec709"}}), ap0, rec709)) ==
        Names{"matrix", "matrix"});
  // one that says nothing is what the op says
  CHECK(names_of(with_primaries(calls_of({{"matrix", "--named rec2020-to-rec709"}}), {}, rec709)) == Names{"matrix"});
  CHECK(are_same(with_primaries(calls_of({{"matrix", "--rows 1,0,0,0,1,0,0,0,1"}}), ap0, {}).result, ap0));
  // what was asked for last is what comes out
  CHECK(are_same(
      with_primaries(calls_of({{"matrix", "--named rec709-to-rec2020"}, {"saturation", "--factor 0.5"}}), {}, {})
          .result,
      rec2020));
}

TEST_CASE("a color stays the same light whatever a chain converts it to") {
  const Color c{0.6, 0.3, 0.1, 1};
  for (const Primaries& given : {ap0, rec2020, cie_xyz, rec709})
    for (const std::optional<Primaries>& wanted : {std::optional<Primaries>(), {rec709}, {rec2020}})
      for (const auto& calls :
           {calls_of({{"stats", ""}}), calls_of({{"matrix", "--named rec709-to-rec2020"}}),
            calls_of({{"matrix", "--named rec709-to-xyz"}}), calls_of({{"matrix", "--named rec2020-to-rec709"}}),
            calls_of({{"matrix", "--named rec709-to-xyz"}, {"stats", ""}}),
            calls_of({{"matrix", "--named xyz-to-rec709"}, {"matrix", "--named rec709-to-rec2020"}})}) {
        const ChainPrimaries made = with_primaries(calls, given, wanted);
        const Color before = light_of(c, given), after = light_of(made_of(made.calls, c), made.result);
        for (size_t k = 0; k < 3; ++k) CHECK(after[k] == doctest::Approx(before[k]).epsilon(1e-6));
      }
}

TEST_CASE("saturation and threshold take the luminance of the picture's own primaries") {
  const Color c{0.6, 0.3, 0.1, 1};
  const ChainPrimaries gray = with_primaries(calls_of({{"saturation", "--factor 0"}}), ap1, {});
  CHECK(names_of(gray) == Names{"saturation"});
  CHECK(are_same(gray.result, ap1));
  // the luminance of AP1 as ACES publishes it (S-2014-004)
  const double luminance = 0.2722287168 * c[0] + 0.6740817658 * c[1] + 0.0536895174 * c[2];
  for (size_t k = 0; k < 3; ++k) CHECK(made_of(gray.calls, c)[k] == doctest::Approx(luminance).epsilon(1e-6));
  for (const auto& [level, expected] : {std::pair{0.37, 1.0}, {0.372, 0.0}}) {
    const std::string words = "--by luminance --level " + std::to_string(level);
    const ChainPrimaries made = with_primaries(calls_of({{"threshold", words.c_str()}}), ap1, {});
    CHECK(names_of(made) == Names{"threshold"});
    CHECK(made_of(made.calls, c)[0] == expected);
  }
  // Rec. 2020 has the white of Rec. 709, so converting to Rec. 709 first gives the same light
  const ChainPrimaries wide = with_primaries(calls_of({{"saturation", "--factor 0.5"}}), rec2020, {});
  const Color own = light_of(made_of(wide.calls, c), rec2020);
  const Color narrow = made_of(calls_of({{"saturation", "--factor 0.5"}}), light_of(c, rec2020));
  for (size_t k = 0; k < 3; ++k) CHECK(own[k] == doctest::Approx(narrow[k]).epsilon(1e-4));
}

TEST_CASE("X, Y and Z of D65 are white") {
  const auto rows = conversion({.from = cie_xyz, .to = rec709});
  const double d65[3] = {0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290};
  for (const auto& row : rows)
    CHECK(row[0] * d65[0] + row[1] * d65[1] + row[2] * d65[2] == doctest::Approx(1).epsilon(1e-6));
}
