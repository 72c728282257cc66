// `ocio`: what a configuration makes of a call, and what is refused.
#include "core/base/error.h"
#include "core/op/parse.h"
#include "core/ops/ocio/row.h"
#include "core/ops/ocio/shader.h"
#include "core/ops/ocio/worker.h"
#include "core/ops/small/row.h"
#include "core/pipeline/chain_primaries.h"
#include "tests/support/error_of.h"
#include "tests/support/ocio.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <array>
#include <cmath>

using namespace gpupost;
using namespace gpupost::test;

namespace {

Call ocio_call(const std::vector<std::string>& words) {
  Call call = parse_call(ocio_op, words);
  ocio_op.prepare(call);
  return call;
}

std::string refusal(const std::vector<std::string>& words) {
  return coded_error_of([&] { ocio_call(words); });
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

// A configuration of two spaces that says nothing of ACES.
constexpr const char* plain_config = R"(ocio_profile_version: 2
search_path: .
roles: {default: lin}
displays:
  screen:
    - !<View> {name: plain, colorspace: shown}
colorspaces:
  - !<ColorSpace> {name: lin, encoding: scene-linear}
  - !<ColorSpace> {name: shown, encoding: sdr-video, from_scene_reference: !<ExponentTransform> {value: [2, 2, 2, 1], direction: inverse}}
)";

}  // namespace

TEST_CASE("ocio refuses what does not go together, before any configuration is read") {
  CHECK(refusal({}) ==
        "1 ocio: no transform is given; expected --to SPACE, --display DISPLAY, --look LOOK or --file FILE");
  CHECK(has(refusal({"--to=ACEScg", "--display=sRGB - Display"}), "several transforms are given"));
  CHECK(has(refusal({"--to=ACEScg", "--view=Raw"}), "--view Raw has no effect without --display"));
  CHECK(has(refusal({"--file=a.cube", "--from=ACEScg"}), "--from ACEScg has no effect with --file"));
  CHECK(has(refusal({"--file=a.cube", "--config=cg"}), "--config cg has no effect without"));
}

TEST_CASE("names that a configuration lacks are refused with the nearest one that it has") {
  if (!has_ocio()) return;
  CHECK(has(refusal({"--to=ACEScgg"}), "1 ocio: --to ACEScgg is not in the configuration (did you mean `ACEScg`?)"));
  CHECK(has(refusal({"--display=sRGB"}),
            "1 ocio: --display sRGB is not in the configuration (did you mean `sRGB - Display`?)"));
  CHECK(has(refusal({"--to=sRGB"}), "1 ocio: --to sRGB is not in the configuration (`gpupost info"));  // several
  CHECK(has(refusal({"--display=sRGB - Display", "--view=Row"}), "(did you mean `Raw`?)"));
  CHECK(has(refusal({"--look=x"}), "1 ocio: --look x is not in the configuration"));
  const std::string display = "--display=sRGB - Display";
  CHECK(
      has(refusal({display, "--looks=x"}), "1 ocio: --looks x is not in the configuration (`gpupost info --ocio cg`"));
  CHECK(has(refusal({display, "--looks=,"}), "1 ocio: --looks , names no look"));
  CHECK(has(refusal({"--to=ACEScg", "--config=/nonexistent.ocio"}), "2 ocio: /nonexistent.ocio"));
  CHECK(has(refusal({"--file=/nonexistent.clf"}), "2 ocio: "));
  const TemporaryFolder folder;
  folder.write("bad.ocio", "ocio_profile_version: 2\nroles: [\n");
  CHECK(has(refusal({"--to=x", "--config=" + folder.path("bad.ocio")}), "2 ocio: "));
  folder.write("bad.cube", "LUT_3D_SIZE 2\n0 0\n");
  CHECK(has(refusal({"--file=" + folder.path("bad.cube")}), "2 ocio: "));
  folder.write("bad.exr", "bad");
  CHECK(refusal({"--file=" + folder.path("bad.exr")}).ends_with("could not be loaded. All formats have been tried."));
}

TEST_CASE("--id chooses a correction of a collection, by its id or its index, and the first one is the default") {
  if (!has_ocio()) return;
  const TemporaryFolder folder;
  std::string corrections;
  for (const auto& [id, slope] : {std::pair("one", 2), {"two", 3}})
    corrections += fmt::format(
        "<ColorCorrection id=\"{}\"><SOPNode><Slope>{} {} {}</Slope><Offset>0 0 0</Offset><Power>1 1 "
        "1</Power></SOPNode>"
        "</ColorCorrection>",
        id, slope, slope, slope);
  folder.write("a.ccc",
               "<ColorCorrectionCollection xmlns=\"urn:ASC:CDL:v1.2\">" + corrections + "</ColorCorrectionCollection>");
  std::string decisions = corrections;
  for (const auto& [tag, wrapped] : {std::pair("<ColorCorrection ", "<ColorDecision><ColorCorrection "),
                                     {"</ColorCorrection>", "</ColorCorrection></ColorDecision>"}})
    for (size_t at = decisions.find(tag); at != decisions.npos;
         at = decisions.find(tag, at + std::string(wrapped).size()))
      decisions.replace(at, std::string(tag).size(), wrapped);
  folder.write("b.CDL", "<ColorDecisionList xmlns=\"urn:ASC:CDL:v1.2\">" + decisions + "</ColorDecisionList>");
  Planes planes;
  for (size_t k = 0; k < 4; ++k) planes[k] = {.size = {1, 1}, .values = {k == 3 ? 1.0 : 0.125}};
  for (const char* name : {"a.ccc", "b.CDL"})
    for (const auto& [id, slope] : {std::pair("", 2), {"one", 2}, {"two", 3}, {"0", 2}, {"1", 3}}) {
      std::vector<std::string> words{"--file=" + folder.path(name)};
      if (*id) words.push_back(std::string("--id=") + id);
      const Call call = ocio_call(words);
      CHECK(ocio_op.reference.levels(call, planes)[0][0].values[0] == doctest::Approx(0.125 * slope));
    }
  std::string numbers = corrections;
  numbers.replace(numbers.find("two"), 3, "0");
  folder.write("c.ccc",
               "<ColorCorrectionCollection xmlns=\"urn:ASC:CDL:v1.2\">" + numbers + "</ColorCorrectionCollection>");
  const Call first = ocio_call({"--file=" + folder.path("c.ccc")});
  CHECK(ocio_op.reference.levels(first, planes)[0][0].values[0] == doctest::Approx(0.25));
  CHECK(has(refusal({"--file=" + folder.path("a.ccc"), "--id=three"}),
            "a.ccc: no correction has the id or the number three; expected --id with one of one, two"));
  CHECK(has(refusal({"--file=testdata/look.cube", "--id=one"}), "expected a .ccc or .cdl file"));
}

TEST_CASE("names of built-in configurations are those of ACES 1.3, and no other is taken for them") {
  CHECK(ocio_config_of("ocio://default") == "cg");
  CHECK(ocio_config_of("ocio://cg-config-v1.0.0_aces-v1.3_ocio-v2.1") == "cg");
  CHECK(ocio_config_of("ocio://studio-config-v1.0.0_aces-v1.3_ocio-v2.1") == "studio");
  CHECK(ocio_config_of("ocio://studio-config-latest") == "studio");
  for (const char* name : {"ocio://nonsense", "ocio://cg-config-v4.0.0_aces-v2.0_ocio-v2.5", "ocio://"})
    CHECK(error_of([&] { ocio_config_of(name); }, Exit::input).find(name) != std::string::npos);
}

TEST_CASE("a table or a matrix with a number that is not finite is an error of one line that names the file") {
  if (!has_ocio()) return;
  const TemporaryFolder folder;
  const std::string colors = "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n";
  folder.write("inf.cube", "LUT_3D_SIZE 2\n" + colors + "inf 1 1\n");
  folder.write("nan.cube", "LUT_3D_SIZE 2\n" + colors + "nan 1 1\n");
  folder.write("domain.cube", "LUT_3D_SIZE 2\nDOMAIN_MIN 0 0 0\nDOMAIN_MAX 0 1 1\n" + colors + "1 1 1\n");
  for (const auto& [name, number] : {std::pair("nan.clf", "nan"), {"singular.clf", "0"}})
    folder.write(name, fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ProcessList id=\"x\" "
                                   "compCLFversion=\"3\"><Matrix inBitDepth=\"32f\" outBitDepth=\"32f\"><Array "
                                   "dim=\"3 3\">1 0 0 0 {} 0 0 0 1</Array></Matrix></ProcessList>\n",
                                   number));
  for (const char* name : {"inf.cube", "nan.cube", "domain.cube", "nan.clf"}) {
    const std::string message = refusal({"--file=" + folder.path(name)});
    CHECK_MESSAGE(message.starts_with("2 ocio: " + folder.path(name) + ": "), message);
    CHECK_MESSAGE(has(message, "has a number that is not finite"), message);
  }
  CHECK(has(refusal({"--file=" + folder.path("singular.clf"), "--inverse"}), folder.path("singular.clf") + ": "));
  folder.write("words.cube", "LUT_3D_SIZE 2\n0 0 zero\n");
  CHECK(!has(refusal({"--file=" + folder.path("words.cube")}), "\\x0a"));
}

TEST_CASE("named transforms are refused as such") {
  if (!has_ocio()) return;
  const TemporaryFolder folder;
  folder.write("named.ocio", std::string(plain_config) + R"(named_transforms:
  - !<NamedTransform> {name: curve, transform: !<ExponentTransform> {value: [2, 2, 2, 1]}}
)");
  CHECK(has(refusal({"--from=lin", "--to=curve", "--config=" + folder.path("named.ocio")}),
            "--to curve is a named transform, which gpupost does not support"));
}

TEST_CASE("--looks none turns off the looks of a view") {
  if (!has_ocio()) return;
  const TemporaryFolder folder;
  folder.write("looks.ocio", R"(ocio_profile_version: 2
roles: {default: lin}
displays:
  screen:
    - !<View> {name: bright, colorspace: lin, looks: double}
colorspaces:
  - !<ColorSpace> {name: lin}
looks:
  - !<Look> {name: double, process_space: lin, transform: !<CDLTransform> {slope: [2, 2, 2]}}
)");
  Planes planes;
  for (size_t k = 0; k < 4; ++k) planes[k] = {.size = {1, 1}, .values = {k == 3 ? 1.0 : 0.25}};
  for (const auto& [looks, value] : {std::pair("", 0.5),
                                     {"--looks=none", 0.25},
                                     {"--looks=-double,-double", 0.0625},
                                     {"--looks=-double : +double", 0.25}}) {
    std::vector<std::string> words{"--from=lin", "--display=screen", "--config=" + folder.path("looks.ocio")};
    if (*looks) words.emplace_back(looks);
    CHECK(ocio_op.reference.levels(ocio_call(words), planes)[0][0].values[0] == doctest::Approx(value));
  }
}

TEST_CASE("a configuration without aces_interchange needs --from") {
  if (!has_ocio()) return;
  const TemporaryFolder folder;
  folder.write("plain.ocio", plain_config);
  const std::string config = "--config=" + folder.path("plain.ocio");
  CHECK(has(refusal({"--display=screen", config}), "has no role aces_interchange"));
  const Call call = ocio_call({"--display=screen", "--from=lin", config});
  CHECK(makes_content({&call, 1}, Content::numbers));
  Planes planes;
  for (size_t k = 0; k < 4; ++k) planes[k] = {.size = {2, 1}, .values = {k == 3 ? 1.0 : 0.25, k == 3 ? 0.5 : 0.125}};
  const Planes made = ocio_op.reference.levels(call, planes)[0];
  CHECK(made[0].values[0] == doctest::Approx(0.5));
  CHECK(made[1].values[1] == doctest::Approx(0.25));  // 0.25 of straight color, times alpha
}

TEST_CASE("a result in a linear space is light of known primaries, any other is numbers") {
  if (!has_ocio()) return;
  const Call acescg = ocio_call({"--to=ACEScg"});
  CHECK(!makes_content({&acescg, 1}, Content::numbers));
  const auto primaries = [](const Call& call) { return output_of(call, Output{}).primaries; };
  REQUIRE(primaries(acescg));
  CHECK(are_same(*primaries(acescg), {{0.713, 0.293}, {0.165, 0.830}, {0.128, 0.044}, {0.32168, 0.33767}}));
  const Call to_rec2020 = ocio_call({"--from=ACEScct", "--to=Linear Rec.2020"});
  REQUIRE(primaries(to_rec2020));
  CHECK(are_same(*primaries(to_rec2020), rec2020));
  CHECK(!ocio_op.needs(to_rec2020).primaries);
  CHECK(ocio_op.needs(acescg).primaries);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--to=ACEScct"}, {"--display=sRGB - Display"}, {"--to=Raw"}, {"--file=testdata/look.cube"}}) {
    const Call call = ocio_call(words);
    CHECK(makes_content({&call, 1}, Content::numbers));
    CHECK(!primaries(call));
  }
  const Call linear = ocio_call({"--file=testdata/look.cube", "--linear"});
  CHECK(!makes_content({&linear, 1}, Content::numbers));
}

// A configuration of version 1: its spaces have no encoding, and it does not mention ACES.
constexpr const char* old_config = R"(ocio_profile_version: 1
roles: {default: raw, scene_linear: lin}
displays:
  screen:
    - !<View> {name: plain, colorspace: log}
colorspaces:
  - !<ColorSpace> {name: lin}
  - !<ColorSpace> {name: wide, from_reference: !<MatrixTransform> {matrix: [0.9, 0.1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}}
  - !<ColorSpace> {name: gray, from_reference: !<MatrixTransform> {matrix: [0.2, 0.7, 0.1, 0, 0.2, 0.7, 0.1, 0, 0.2, 0.7, 0.1, 0, 0, 0, 0, 1]}}
  - !<ColorSpace> {name: log, from_reference: !<LogTransform> {base: 2}}
  - !<ColorSpace> {name: raw, isdata: true}
)";

TEST_CASE("without aces_interchange, a space is light by its encoding or by a matrix from the role scene_linear") {
  if (!has_ocio()) return;
  const TemporaryFolder folder;
  folder.write("old.ocio", old_config);
  folder.write("plain.ocio", plain_config);
  const auto is_light = [&](const char* config, const char* from, const char* to) {
    const Call call =
        ocio_call({"--config=" + folder.path(config), std::string("--from=") + from, std::string("--to=") + to});
    const bool is_color = !makes_content({&call, 1}, Content::numbers);
    if (is_color) {  // of unknown primaries, even if those of the input are known
      const ChainPrimaries made = with_primaries({&call, 1}, ap1, std::nullopt);
      CHECK(!made.converts);
      CHECK(are_same(made.result, rec709));
    }
    return is_color;
  };
  for (const char* space : {"lin", "scene_linear", "wide", "gray"})
    CHECK_MESSAGE(is_light("old.ocio", "log", space), space);
  for (const char* space : {"log", "raw"}) CHECK_MESSAGE(!is_light("old.ocio", "lin", space), space);
  CHECK(is_light("plain.ocio", "shown", "lin"));
  CHECK(!is_light("plain.ocio", "lin", "shown"));
}

TEST_CASE("a space without an inverse is taken, and its result has unknown primaries") {
  if (!has_ocio()) return;
  const TemporaryFolder folder;
  folder.write("no_inverse.ocio", R"(ocio_profile_version: 1
roles: {default: lin, scene_linear: lin, aces_interchange: lin}
displays:
  screen:
    - !<View> {name: gray, colorspace: false_color}
colorspaces:
  - !<ColorSpace> {name: lin}
  - !<ColorSpace> {name: false_color, from_reference: !<GroupTransform> {children: [!<LogTransform> {base: 2}, !<CDLTransform> {sat: 0}]}}
  - !<ColorSpace> {name: one_way, from_reference: !<ExponentTransform> {value: [0.5, 0.5, 0.5, 1]}, to_reference: !<FileTransform> {src: none.spi1d}}
)");
  const std::string config = "--config=" + folder.path("no_inverse.ocio");
  for (const char* result : {"--to=false_color", "--to=one_way", "--display=screen"}) {
    const Call call = ocio_call({config, "--from=lin", result});
    CHECK(makes_content({&call, 1}, Content::numbers));
    CHECK(!output_of(call, Output{}).encoding);
  }
  CHECK(has(refusal({config, "--from=one_way", "--to=lin"}), "none.spi1d"));
}

TEST_CASE("a space whose matrix has no inverse is refused by its name") {
  if (!has_ocio()) return;
  const TemporaryFolder folder;
  folder.write("flat.ocio", R"(ocio_profile_version: 2
roles: {default: aces, scene_linear: aces, aces_interchange: aces}
displays:
  screen:
    - !<View> {name: plain, colorspace: aces}
colorspaces:
  - !<ColorSpace> {name: aces}
  - !<ColorSpace> {name: flat, from_scene_reference: !<MatrixTransform> {}, to_scene_reference: !<MatrixTransform> {matrix: [1, 0, 0, 0, 0, 1, 0.5, 0, 0, 1, 0.5, 0, 0, 0, 0, 1]}}
)");
  const std::string config = "--config=" + folder.path("flat.ocio");
  CHECK(refusal({config, "--to=flat"}).starts_with("2 ocio: --to flat: the configuration " + folder.path("flat.ocio")));
  CHECK(has(refusal({config, "--to=flat"}), "by a matrix without an inverse"));
  CHECK(refusal({config, "--from=flat", "--to=aces"}) == "");
  CHECK(has(refusal({config, "--from=flat", "--to=aces", "--inverse"}), "ocio: --from flat: "));
}

TEST_CASE("light of a space in which R = G = B = 1 is not white is converted as it is") {
  if (!has_ocio()) return;
  const TemporaryFolder folder;
  folder.write("spaces.ocio", R"(ocio_profile_version: 2
roles: {default: aces, scene_linear: aces, aces_interchange: aces}
displays:
  screen:
    - !<View> {name: plain, colorspace: aces}
colorspaces:
  - !<ColorSpace> {name: aces}
  - !<ColorSpace> {name: xyz_d60, from_scene_reference: !<MatrixTransform> {matrix: [0.9525523959, 0, 0.0000936786, 0, 0.3439664498, 0.7281660966, -0.0721325464, 0, 0, 0, 1.0088251844, 0, 0, 0, 0, 1]}}
  - !<ColorSpace> {name: camera, from_scene_reference: !<MatrixTransform> {matrix: [0.5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.7, 0, 0, 0, 0, 1]}}
  - !<ColorSpace> {name: dim, from_scene_reference: !<MatrixTransform> {matrix: [0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1]}}
)");
  const std::array<double, 4> color{0.6, 0.3, 0.1, 1};
  for (const char* space : {"xyz_d60", "camera", "dim", "aces"}) {
    const Call call = ocio_call({"--config=" + folder.path("spaces.ocio"), std::string("--to=") + space});
    CHECK(output_of(call, Output{}).primaries.value().to_xyz.has_value() == (space != std::string("aces")));
    Planes planes;
    for (size_t k = 0; k < 4; ++k) planes[k] = {.size = {1, 1}, .values = {color[k]}};
    for (const Call& each : with_primaries({&call, 1}, std::nullopt, rec709).calls)
      planes = each.op->reference.levels(each, planes)[0];
    for (size_t k = 0; k < 3; ++k)
      CHECK_MESSAGE(planes[k].values[0] == doctest::Approx(color[k]).epsilon(1e-5), std::string(space));
    const std::array chain{call, parse_call(saturation_op, "--factor 0")};
    for (const Call& each : with_primaries(chain, std::nullopt, rec709).calls)
      planes = each.op->reference.levels(each, planes)[0];
    for (size_t k = 1; k < 3; ++k)
      CHECK_MESSAGE(planes[k].values[0] == doctest::Approx(planes[0].values[0]).epsilon(1e-5), std::string(space));
  }
}

TEST_CASE("the default view of the built-in displays is their first, which is not Raw, and Raw keeps the values") {
  if (!has_ocio()) return;
  Planes planes;
  for (size_t k = 0; k < 4; ++k) planes[k] = {.size = {1, 1}, .values = {std::array{0.5, 0.25, 0.125, 1.0}[k]}};
  const auto made = [&](const std::vector<std::string>& words) {
    const Planes result = ocio_op.reference.levels(ocio_call(words), planes)[0];
    return std::array{result[0].values[0], result[1].values[0], result[2].values[0]};
  };
  for (const char* config : {"--config=cg", "--config=studio"}) {
    CHECK(made({"--display=sRGB - Display", config}) ==
          made({"--display=sRGB - Display", "--view=ACES 1.0 - SDR Video", config}));
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"--display=sRGB - Display", "--view=Raw", config},
                                               {"--display=sRGB - Display", "--view=Raw", "--from=ACEScg", config},
                                               {"--to=Raw", config}}) {
      CHECK(made(words) == std::array{0.5, 0.25, 0.125});
      const Call call = ocio_call(words);
      CHECK(!ocio_op.needs(call).primaries);
      CHECK(makes_content({&call, 1}, Content::numbers));
      CHECK(!output_of(call, Output{}).encoding);
    }
  }
}

TEST_CASE("a view takes light of Rec. 709, and its numbers have no primaries") {
  if (!has_ocio()) return;
  const Call view = ocio_call({"--display=sRGB - Display"});
  const ChainPrimaries made = with_primaries({&view, 1}, rec2020, std::nullopt);
  CHECK(made.converts);  // to Rec. 709, which the view takes
  CHECK(made.calls.size() == 2);
  CHECK(are_same(made.result, rec709));
}

TEST_CASE("text that is not a function of one texel is refused, whatever the worker says") {
  OcioShader shader{.text = "layout(binding = 0) uniform sampler2D x;\nvec4 ocio_transform(vec4 c) { return c; }\n"};
  CHECK_THROWS_AS(ocio_point(shader, "x.ocio"), Error);
  shader.text = "vec4 ocio_transform(vec4 c) { return c * float(gl_GlobalInvocationID.x); }\n";
  CHECK_THROWS_AS(ocio_point(shader, "x.ocio"), Error);
  // the pieces of a choice between segments, in the wrong order and at the end of the text
  shader.text = "vec3 x = isAboveBreak * a - isAboveBreak ) * b + ( vec";
  CHECK_THROWS_AS(ocio_point(shader, "x.ocio"), Error);
  shader.text = "vec4 ocio_transform(vec4 c) { return c; }\n";
  CHECK(!ocio_point(shader, "x.ocio").text.empty());
}
