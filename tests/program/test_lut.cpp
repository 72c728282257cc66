// `lut`, `ocio` and --bake from file to file.
#include "tests/program/test_folder.h"

#include "core/codec/codec.h"
#include "core/ops/ocio/worker.h"
#include "tests/support/skip.h"
#include "tests/support/thorough.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// The largest difference of two 8-bit pictures.
int difference(const TestFolder& folder, const std::string& a, const std::string& b) {
  const Picture first = decoded(folder, a), second = decoded(folder, b);
  const auto x = first.groups.front().levels[0].texels.as<uint8_t>(),
             y = second.groups.front().levels[0].texels.as<uint8_t>();
  REQUIRE(x.size() == y.size());
  int most = 0;
  for (size_t index = 0; index < x.size(); ++index) most = std::max(most, std::abs(int(x[index]) - int(y[index])));
  return most;
}

}  // namespace

DEVICE_TEST_CASE("a table that changes nothing leaves the numbers of a PNG, whichever way it gets them") {
  const TestFolder folder;
  folder.write("same.Cube", "LUT_1D_SIZE 2\n0 0 0\n1 1 1\n");
  for (const Words& words :
       {Words{"--input-transfer", "linear", "lut", "same.Cube"}, {"lut", "--file", "same.Cube", "--srgb"}}) {
    const Finished finished = folder.gpupost(with({"in.png", "-o", "out.png"}, words));
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    CHECK(difference(folder, "in.png", "out.png") == 0);
  }
}

DEVICE_TEST_CASE("numbers are not decoded for an EXR, and ops that mix texels are refused behind them") {
  const TestFolder folder;
  folder.write("half.cube", "LUT_1D_SIZE 2\n0.5 0.5 0.5\n0.5 0.5 0.5\n");
  CHECK(folder.gpupost({"float.exr", "lut", "half.cube", "clamp", "-o", "out.exr"}).exit_code == 0);
  const Picture picture = decoded(folder, "out.exr");
  CHECK(picture.groups.front().levels[0].texels.as<float>()[0] == 0.5f);
  for (const Words& op : {Words{"blur", "--radius", "2"}, {"mips"}, {"resize", "--size", "50%"}}) {
    Words words{"float.exr", "lut", "half.cube", "-o", "no.exr"};
    words.insert(words.begin() + 3, op.begin(), op.end());
    const Finished finished = folder.gpupost(words);
    CHECK(finished.exit_code == 1);
    CHECK(is_one_error(finished.err));
    CHECK(finished.err.find("the result is encoded") != finished.err.npos);
  }
  CHECK(folder.gpupost({"float.exr", "lut", "half.cube", "--linear", "blur", "--radius", "2", "-o", "out.exr"})
            .exit_code == 0);
}

DEVICE_TEST_CASE("a table that makes light of encoded values gives the same in one run as in two") {
  const TestFolder folder;
  folder.write("encode.cube", "LUT_1D_SIZE 3\n0 0 0\n0.7 0.7 0.7\n1 1 1\n");
  folder.write("decode.cube", "LUT_1D_SIZE 3\n0 0 0\n0.3 0.2 0.1\n1 1 1\n");
  CHECK(folder.gpupost({"float.exr", "lut", "encode.cube", "-o", "encoded.exr"}).exit_code == 0);
  for (const char* makes_light : {"--linear", "--srgb"}) {
    CAPTURE(makes_light);
    CHECK(folder.gpupost({"float.exr", "lut", "encode.cube", "lut", "decode.cube", makes_light, "-o", "one.png"})
              .exit_code == 0);
    CHECK(folder.gpupost({"encoded.exr", "lut", "decode.cube", makes_light, "-o", "two.png"}).exit_code == 0);
    CHECK(difference(folder, "one.png", "two.png") == 0);
    const Finished blurred = folder.gpupost({"float.exr", "lut", "encode.cube", "lut", "decode.cube", makes_light,
                                             "blur", "--radius", "1", "-o", "soft.png"});
    CHECK_MESSAGE(blurred.exit_code == 0, blurred.err);
  }
}

TEST_CASE("a table that cannot be read is exit 2 and names the line") {
  const TestFolder folder;
  folder.write("bad.cube", "LUT_3D_SIZE 2\n0 0\n");
  const Finished finished = folder.gpupost({"in.exr", "lut", "bad.cube", "-o", "no.exr"});
  CHECK(finished.exit_code == 2);
  CHECK(finished.err == "gpupost: bad.cube:2: has 2 numbers; a color has 3\n");
  CHECK(folder.gpupost({"in.exr", "lut", "none.cube", "-o", "no.exr"}).exit_code == 2);
}

DEVICE_TEST_CASE("a baked chain is what the chain makes, within what its entries say between them") {
  const TestFolder folder;
  const Words chain{"exposure", "--stops", "-0.5", "saturation", "--factor", "0.7"};
  const Finished baked = folder.gpupost(with({"--bake", "33", "--bake-shaper", "srgb", "-o", "mine.cube"}, chain));
  CHECK_MESSAGE(baked.exit_code == 0, baked.err);
  CHECK(folder.gpupost(with({"in.png", "-o", "chain.png"}, chain)).exit_code == 0);
  CHECK(folder.gpupost({"in.png", "lut", "mine.cube", "--srgb", "-o", "table.png"}).exit_code == 0);
  CHECK(difference(folder, "chain.png", "table.png") <= 2);
}

TEST_CASE("a baked chain converts primaries between its ops as it does for an image") {
  const TestFolder folder;
  const Finished baked = folder.gpupost(
      {"--bake", "2", "ocio", "--to", "ACEScg", "ocio", "--to", "Linear Rec.709 (sRGB)", "-o", "same.cube"});
  REQUIRE_MESSAGE(baked.exit_code == 0, baked.err);
  std::istringstream lines(folder.read("same.cube"));
  std::string line;
  for (int entry = -4; std::getline(lines, line); ++entry) {
    if (entry < 0) continue;
    std::istringstream numbers(line);
    for (const int bit : {1, 2, 4}) {
      double number = -1;
      numbers >> number;
      CHECK_MESSAGE(std::abs(number - ((entry & bit) ? 1 : 0)) < 1e-6, line);
    }
  }
}

TEST_CASE("a baked table has the curves and the primaries of its input and its output in comments") {
  const TestFolder folder;
  struct Baked {
    Words chain;
    std::string shaper, comments;
  };
  std::vector<Baked> tables{
      {{"exposure", "--stops", "1"}, "none", "# input: linear light\n# output: linear light\n"},
      {{"exposure", "--stops", "1"}, "srgb", "# input: srgb curve\n# output: srgb curve\n"},
      {{"tonemap", "--curve", "agx"}, "log", "# input: ACEScct curve, rec709\n# output: linear light, rec709\n"},
      {{"matrix", "--named", "rec709-to-rec2020"},
       "none",
       "# input: linear light, rec709\n# output: linear light, rec2020\n"},
      {{"localgamma"}, "none", "# input: linear light, rec709\n# output: srgb curve, rec709\n"}};
  if (!ocio_version().empty()) {
    tables.push_back({{"ocio", "--display", "Rec.2100-PQ - Display"},
                      "none",
                      "# input: linear light, rec709\n# output: pq curve, rec2020\n"});
    tables.push_back({{"ocio", "--from", "ACEScct", "--to", "ACEScg"},
                      "none",
                      "# input: linear light\n# output: linear light, ap1\n"});
    tables.push_back({{"ocio", "--to", "ACEScct"}, "none", "# input: linear light, rec709\n"});
  }
  for (const auto& [chain, shaper, comments] : tables) {
    INFO(chain[0], " ", shaper);
    const Finished baked = folder.gpupost(with({"--bake", "2", "--bake-shaper", shaper, "-o", "a.cube"}, chain));
    CHECK_MESSAGE(baked.exit_code == 0, baked.err);
    const std::string file = folder.read("a.cube");
    CHECK_MESSAGE(file.find("\"\n" + comments + "LUT_3D_SIZE 2\n") != file.npos, file.substr(0, 200));
  }
}

DEVICE_TEST_CASE("--bake names the options of lut that give the same image as the chain") {
  const TestFolder folder;
  for (const Words& chain : {Words{"exposure", "--stops", "-0.5"}, {"localgamma"}})
    for (const char* shaper : {"none", "log", "srgb"}) {
      INFO(chain.front(), " ", shaper);
      const Finished baked = folder.gpupost(with({"--bake", "65", "--bake-shaper", shaper, "-o", "mine.cube"}, chain));
      CHECK_MESSAGE(baked.exit_code == 0, baked.err);
      CHECK(folder.gpupost(with({"in.png", "-o", "chain.png"}, chain)).exit_code == 0);
      const size_t begin = baked.err.find('`'), end = baked.err.rfind('`');
      REQUIRE_MESSAGE(begin < end, baked.err);
      const Finished looked_up =
          folder.shell("gpupost in.png " + baked.err.substr(begin + 1, end - begin - 1) + " -o table.png");
      CHECK_MESSAGE(looked_up.exit_code == 0, looked_up.err);
      CHECK(difference(folder, "chain.png", "table.png") <= 16);  // dark entries lie far apart; a missing curve is 50
    }
  CHECK(folder.gpupost({"--bake", "3", "invert", "--quiet", "-o", "mine.cube"}).err.empty());
}

TEST_CASE("--bake refuses what a table cannot hold, and names what to change") {
  const TestFolder folder;
  const auto refusal = [&](const Words& words) {
    const Finished finished = folder.gpupost(words);
    CHECK(finished.exit_code == 1);
    return finished.err;
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != text.npos; };
  CHECK(has(refusal({"--bake", "9", "blur", "--radius", "2", "-o", "a.cube"}),
            "--bake: blur --radius 2 cannot be in a table"));
  CHECK(has(refusal({"--bake", "9", "exposure", "--auto", "-o", "a.cube"}), "cannot be in a table"));
  for (const char* list : {"B,G,R,0.5", "B,G,R,1", "B,G,R"})
    CHECK(has(refusal({"--bake", "9", "channels", "--list", list, "-o", "a.cube"}), "the chain changes alpha"));
  CHECK(has(refusal({"--bake", "9", "gain", "-o", "a.png"}), "--bake: -o a.png is not a .cube file"));
  CHECK(has(refusal({"--bake", "9", "gain"}), "--bake: -o is missing; expected -o FILE.cube"));
  CHECK(has(refusal({"--bake", "9", "clamp", "-o", "b.####.cube"}),
            "-o b.####.cube: --bake writes one file; expected a name without placeholders"));
  CHECK(has(refusal({"--bake", "9", "in.exr", "clamp", "-o", "a.cube"}), "leave in.exr out"));
  CHECK(has(refusal({"--bake", "300", "clamp", "-o", "a.cube"}), "--bake 300 is not a whole number in 2..256"));
  for (const Words& words :
       {Words{"--verify"}, {"--report", "r.json"}, {"--bits", "8"}, {"--device", "cpu"}, {"--explain"}}) {
    const std::string given = words.size() == 1 ? words[0] : words[0] + " " + words[1];
    CHECK(has(refusal(with({"--bake", "9", "clamp", "-o", "a.cube"}, words)),
              (given + " has no effect with --bake").c_str()));
  }
  CHECK_FALSE(folder.has("a.cube"));
  CHECK(
      has(refusal({"--bake-shaper", "srgb", "in.exr", "clamp"}), "--bake-shaper srgb has no effect without --bake N"));
}

TEST_CASE("--bake writes the dependencies of its table, and keeps a table with --no-clobber") {
  const TestFolder folder;
  REQUIRE(folder.gpupost({"--bake", "5", "gain", "--value", "2", "-o", "look.cube"}).exit_code == 0);
  const Words words{"--bake", "3", "lut", "look.cube", "--linear", "-o", "new/a.cube", "--depfile", "new/d", "--mkdir"};
  CHECK(folder.gpupost(words).exit_code == 0);
  CHECK(folder.read("new/d") == "new/a.cube: look.cube\nlook.cube:\n");
  folder.write("new/a.cube", "old");
  folder.write("new/d", "old");
  const Finished kept = folder.gpupost(with(words, {"--no-clobber"}));
  CHECK(kept.exit_code == 0);
  CHECK(kept.err == "gpupost: new/a.cube exists and stays as it is (--no-clobber)\n");
  CHECK(folder.read("new/a.cube") == "old");
  CHECK(folder.read("new/d") == "new/a.cube: look.cube\nlook.cube:\n");
  const Finished refused = folder.gpupost(with({"--depfile", "look.cube"}, {words.begin(), words.end() - 3}));
  CHECK(refused.exit_code == 1);
  CHECK(refused.err.find("--depfile look.cube: that is the source look.cube") != refused.err.npos);
  CHECK(folder.gpupost({"--bake", "4", "exposure", "--stops", "1", "-o", "a\nb.cube", "--depfile", "x.d"}).exit_code ==
        1);
  CHECK(!folder.has("a\nb.cube"));
}

TEST_CASE("--bake does not replace the table that its chain reads, by whatever name") {
  const TestFolder folder;
  REQUIRE(folder.gpupost({"--bake", "5", "exposure", "--stops", "1", "-o", "look.cube"}).exit_code == 0);
  REQUIRE(folder.shell("ln -s look.cube link.cube").exit_code == 0);
  const auto before = folder.files();
  for (const std::string output : {"look.cube", "sub/../look.cube", "link.cube"}) {
    const Finished finished = folder.gpupost({"--bake", "7", "lut", "look.cube", "-o", output});
    CHECK(finished.exit_code == 1);
    CHECK(finished.err.find("--bake: -o " + output + ": that is the source look.cube") != finished.err.npos);
  }
  CHECK(folder.files() == before);
}

DEVICE_TEST_CASE("--verify allows for the storage of a long table before an op that measures") {
  const TestFolder place;
  std::filesystem::copy_file("testdata/look.cube", place.path("look.cube"));
  REQUIRE(place.shell("oiiotool --pattern fill:topleft=0,0.1,0.2:bottomright=1,0.5,0.7 64x48 3 -d float -o opaque.exr")
              .exit_code == 0);
  for (const Words& end : {Words{"tonemap", "--curve", "drago", "--storage", "r11g11b10"},
                           {"exposure", "--auto", "--space", "yxy", "--fp16"}}) {
    const Finished finished =
        place.gpupost(with(with({"opaque.exr", "lut", "look.cube", "--srgb"}, end), {"--verify", "-o", "out.exr"}));
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
  }
}

DEVICE_TEST_CASE("ocio tells where it gets light that was decoded, and may expect the values of the file") {
  if (ocio_version().empty()) return skip("built without OpenColorIO");
  const TestFolder place;
  const auto warning_of = [&](const Words& words) {
    const Finished finished = place.gpupost(with(words, {"-o", "x.exr"}));
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    return finished.err;
  };
  const Words from{"in.png", "ocio", "--from", "sRGB - Texture", "--to", "ACEScg"};
  CHECK(
      warning_of(from) ==
      "gpupost: warning: in.png: `ocio --from sRGB - Texture --to ACEScg` gets linear light, because the srgb curve of "
      "the file is removed; if it expects the values of the file, add --input-transfer linear\n");
  CHECK(warning_of(with(from, {"--input-transfer", "linear"})) == "");
  CHECK(warning_of({"in.png", "ocio", "--from", "ACEScg", "--to", "Linear Rec.709 (sRGB)"}) == "");
  CHECK(warning_of({"in.png", "ocio", "--to", "ACEScg", "ocio", "--from", "ACEScg", "--to", "ACEScct"}) == "");
  CHECK(warning_of({"in.exr", "ocio", "--from", "ACEScct", "--to", "ACEScg"}).find("gets linear light") ==
        std::string::npos);
  CHECK(warning_of({"in.png", "ocio", "--display", "sRGB - Display", "--view", "Un-tone-mapped", "--inverse"})
            .find("gets linear light") != std::string::npos);
}

TEST_CASE("ocio refuses files that the library would read as something else") {
  if (ocio_version().empty()) return skip("built without OpenColorIO");
  const TestFolder place;
  place.write("comma.cube", "LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 0,5\n1 0 1\n0 1 1\n1 1 1\n");
  place.write("old.ccc",
              "<ColorCorrectionCollection>\n<ColorCorrection id=\"a\"><ASC_SOP><Slope>2 1 1</Slope></ASC_SOP>\n"
              "</ColorCorrection></ColorCorrectionCollection>\n");
  const Finished comma = place.gpupost({"in.exr", "ocio", "--file", "comma.cube", "-o", "x.exr"});
  CHECK(comma.exit_code == 2);
  CHECK(comma.err.find("comma.cube:6: has a comma; numbers need a point") != comma.err.npos);
  const Finished old = place.gpupost({"in.exr", "ocio", "--file", "old.ccc", "-o", "x.exr"});
  CHECK(old.exit_code == 2);
  CHECK(old.err.find("which OpenColorIO ignores; use `grade --file`") != old.err.npos);
  CHECK(!place.has("x.exr"));
}

DEVICE_TEST_CASE("ocio names the primaries of light in an EXR, and leaves numbers without any") {
  if (ocio_version().empty()) return skip("built without OpenColorIO");
  const TestFolder folder;
  const auto info = [&](const char* file) { return folder.gpupost({"info", file}).out; };
  CHECK(folder.gpupost({"in.exr", "ocio", "--to", "ACEScg", "-o", "aces.exr"}).exit_code == 0);
  CHECK(info("aces.exr").find("chromaticities") != std::string::npos);
  CHECK(folder.gpupost({"rec2020.exr", "ocio", "--to", "ACEScct", "-o", "log.exr"}).exit_code == 0);
  CHECK(info("log.exr").find("chromaticities") == std::string::npos);
  Picture named = decoded(folder, "rec2020.exr");
  named.attributes.push_back({.name = "colorInteropID", .type = "string", .value = {'l', 'i', 'n'}});
  named.attributes.push_back({.name = "colorspace", .type = "string", .value = {'l', 'i', 'n'}});
  write_picture(folder, "named.exr", named);
  const Finished dropped = folder.gpupost({"named.exr", "ocio", "--to", "ACEScct", "-o", "log.exr"});
  CHECK(dropped.err.find("no longer match the image are dropped: colorInteropID, colorspace\n") != std::string::npos);
  CHECK(info("log.exr").find("colorInteropID") == std::string::npos);
  CHECK(info("log.exr").find("colorspace") == std::string::npos);
  // there and back again is the same light
  CHECK(folder.gpupost({"aces.exr", "ocio", "--to", "Linear Rec.709 (sRGB)", "-o", "back.exr"}).exit_code == 0);
  const Finished same = folder.gpupost({"compare", "in.exr", "back.exr", "--tolerance", "0.01"});
  CHECK_MESSAGE(same.exit_code == 0, same.out);
  CHECK(folder.gpupost({"in.exr", "ocio", "--display", "sRGB - Display", "--verify", "-o", "shown.png"}).exit_code ==
        0);
}

DEVICE_TEST_CASE(
    "--output-primaries does not convert encoded values: it is refused, or records what --transfer says they are") {
  if (ocio_version().empty()) return skip("built without OpenColorIO");
  const TestFolder folder;
  folder.write("half.cube", "LUT_1D_SIZE 2\n0.5 0.5 0.5\n0.5 0.5 0.5\n");
  for (const Words& op :
       {Words{"ocio", "--to", "ACEScct"}, {"ocio", "--display", "P3-D65 - Display"}, {"lut", "half.cube"}}) {
    Words words{"float.exr", "-o", "no.png", "--bits", "16", "--output-primaries", "p3-d65"};
    words.insert(words.begin() + 1, op.begin(), op.end());
    const Finished finished = folder.gpupost(words);
    CHECK(finished.exit_code == 1);
    CHECK(is_one_error(finished.err));
    CHECK(finished.err.find("--output-primaries: the result is encoded") != finished.err.npos);
  }
  CHECK(folder
            .gpupost({"float.exr", "lut", "half.cube", "--output-primaries", "rec2020", "--transfer", "pq", "-o",
                      "pq.png", "--bits", "16"})
            .exit_code == 0);
  CHECK(decoded(folder, "pq.png").groups.front().levels[0].texels.as<uint16_t>()[0] == 32768);
  CHECK(decoded(folder, "pq.png").transfer == Transfer::pq);
  const Finished adobe = folder.gpupost({"float.exr", "lut", "half.cube", "--output-primaries", "adobe", "--transfer",
                                         "pq", "-o", "no.png", "--bits", "16"});
  CHECK(adobe.exit_code == 1);
  CHECK_MESSAGE(adobe.err ==
                    "gpupost: --transfer pq: the cICP chunk of a PNG has no number for the primaries of the result "
                    "(adobe), and encoded values are not converted; leave --transfer out to record no curve\n",
                adobe.err);
}

DEVICE_TEST_CASE("light that comes back from a log space has its primaries and curve again, and any op may follow") {
  if (ocio_version().empty()) return skip("built without OpenColorIO");
  const TestFolder folder;
  const Words graded{"rec2020.exr", "ocio", "--to",   "ACEScct", "gain", "--value",
                     "1",           "ocio", "--from", "ACEScct", "--to", "ACEScg"};
  const auto run = [&](const Words& more) { return folder.gpupost(with(graded, more)); };
  CHECK(run({"-o", "light.exr"}).exit_code == 0);
  CHECK(folder.gpupost({"info", "light.exr"}).out.find("chromaticities") != std::string::npos);
  CHECK(folder.gpupost({"rec2020.exr", "ocio", "--to", "ACEScg", "-o", "direct.exr"}).exit_code == 0);
  const Finished same = folder.gpupost({"compare", "direct.exr", "light.exr", "--relative", "--tolerance", "0.01"});
  CHECK_MESSAGE(same.exit_code == 0, same.out);
  CHECK(run({"saturation", "--factor", "0.5", "blur", "--radius", "1", "-o", "soft.exr"}).exit_code == 0);
  CHECK(run({"--output-primaries", "rec709", "-o", "light.png"}).exit_code == 0);
  CHECK(folder.read("light.png").find("sRGB") != std::string::npos);
  // values in a log space are no light
  const Finished refused =
      folder.gpupost({"rec2020.exr", "ocio", "--to", "ACEScct", "saturation", "--factor", "0.5", "-o", "a.exr"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err.find("the result is encoded, and `saturation` needs linear light") != refused.err.npos);
  const Finished twice =
      folder.gpupost({"rec2020.exr", "ocio", "--to", "ACEScct", "ocio", "--to", "ACEScg", "-o", "a.exr"});
  CHECK(twice.err.ends_with("tell it which encoding it reads (`gpupost help ocio`)\n"));
}

DEVICE_TEST_CASE("linear light of a configuration of version 1 gets the curve of the output, and any op may follow") {
  if (ocio_version().empty()) return skip("built without OpenColorIO");
  const TestFolder folder;
  folder.write("old.ocio", R"(ocio_profile_version: 1
roles: {default: lin, scene_linear: lin}
displays:
  screen:
    - !<View> {name: plain, colorspace: log}
colorspaces:
  - !<ColorSpace> {name: lin}
  - !<ColorSpace> {name: log, from_reference: !<LogTransform> {base: 2}}
)");
  CHECK(folder.gpupost({"in.exr", "-o", "direct.png"}).exit_code == 0);
  CHECK(folder.gpupost({"in.exr", "ocio", "--config", "old.ocio", "--from", "lin", "--to", "lin", "-o", "same.png"})
            .exit_code == 0);
  CHECK(difference(folder, "direct.png", "same.png") == 0);
  const Finished blurred = folder.gpupost({"in.exr", "ocio", "--config", "old.ocio", "--from", "log", "--to",
                                           "scene_linear", "blur", "--radius", "1", "-o", "soft.exr"});
  CHECK_MESSAGE(blurred.exit_code == 0, blurred.err);
}

DEVICE_TEST_CASE("a conversion to the primaries that a file already has gives no warning") {
  if (ocio_version().empty()) return skip("built without OpenColorIO");
  const TestFolder folder;
  const auto warns = [&](const char* space) {
    const Finished finished = folder.gpupost({"rec2020.exr", "ocio", "--to", space, "-o", "out.exr"});
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    return finished.err.find("were converted") != finished.err.npos;
  };
  CHECK(!warns("Linear Rec.2020"));
  CHECK(warns("ACEScg"));
}

DEVICE_TEST_CASE("inverses of a 3-D table and of a video grade are those of the library's CPU path") {
  if (ocio_version().empty()) return skip("built without OpenColorIO");
  const TestFolder folder;
  std::filesystem::copy_file("testdata/look.cube", folder.path() + "/look.cube");
  folder.write("graded.ocio", R"(ocio_profile_version: 2
roles: {default: light}
displays: {}
colorspaces:
  - !<ColorSpace> {name: light}
  - !<ColorSpace>
    name: graded
    from_scene_reference: !<GradingPrimaryTransform> {style: video, lift: {rgb: [0.01, 0, 0], master: 0.02}, gamma: {rgb: [1, 1.1, 1], master: 1.1}, gain: {rgb: [1, 1, 1.2], master: 1}, saturation: 0.9}
)");
  for (const Words& options :
       {Words{"--file", "look.cube", "--inverse"}, {"--config", "graded.ocio", "--from", "graded", "--to", "light"}}) {
    const Finished finished = folder.gpupost(with({"float.exr", "-o", "out.exr", "--verify", "ocio"}, options));
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
  }
}

DEVICE_TEST_CASE("--verify allows for rounding behind a clamp, which a steep curve makes large") {
  if (ocio_version().empty()) return skip("built without OpenColorIO");
  const TestFolder folder;
  std::filesystem::copy_file("testdata/noise_257x129.exr", folder.path() + "/noise.exr");
  const Finished finished =
      folder.gpupost({"noise.exr", "gain", "--value", "0.25", "clamp", "--max", "0.95", "ocio", "--display",
                      "Rec.2100-PQ - Display", "--inverse", "--verify", "-o", "out.exr"});
  CHECK_MESSAGE(finished.exit_code == 0, finished.err);
}

DEVICE_TEST_CASE(
    "encoded values have the tag of their display, or none if it is not known, and no warning of a conversion") {
  if (ocio_version().empty()) return skip("built without OpenColorIO");
  const TestFolder folder;
  folder.write("half.cube", "LUT_1D_SIZE 2\n0.5 0.5 0.5\n0.5 0.5 0.5\n");
  const auto view = [](const char* display, const char* name) {
    return Words{"ocio", "--display", std::string(display) + " - Display", "--view", name};
  };
  struct Case {
    Words op;
    const char* tag;  // the chunk of a PNG; "": none
  };
  for (const auto& [op, tag] : {Case{view("sRGB", "ACES 1.0 - SDR Video"), "sRGB"},
                                {view("P3-D65", "ACES 1.1 - SDR Video (P3 lim)"), ""},
                                {view("Rec.1886 Rec.709", "ACES 1.0 - SDR Video"), ""},
                                {view("sRGB", "Raw"), ""},
                                {view("Rec.2100-PQ", "Un-tone-mapped"), "cICP"},
                                {{"ocio", "--to", "ACEScct"}, ""},
                                {{"ocio", "--to", "sRGB - Texture"}, "sRGB"},
                                {{"ocio", "--to", "sRGB Encoded P3-D65 - Texture"}, "iCCP"},
                                {{"lut", "half.cube"}, ""}})
    for (const std::string output : {"out.png", "out.jpg", "out.tif", "out.ktx2"}) {
      // each format and each tag once; their combinations run the same code of the host
      if (!is_thorough() && output != "out.png" && op.back() != "sRGB - Texture") continue;
      Words words{"rec2020.exr", "-o", output};
      if (output == "out.png" || output == "out.tif") words.insert(words.end(), {"--bits", "16"});
      words.insert(words.begin() + 1, op.begin(), op.end());
      const Finished finished = folder.gpupost(words);
      CHECK_MESSAGE(finished.exit_code == 0, finished.err);
      CHECK_MESSAGE(finished.err.find("were converted") == finished.err.npos, finished.err);
      const std::string file = folder.read(output);
      INFO(op.back(), " ", output);
      if (output == "out.png")
        for (const char* chunk : {"sRGB", "cICP", "iCCP", "gAMA"})
          CHECK((file.find(chunk) != file.npos) == (chunk == std::string(tag)));
      else if (output != "out.ktx2")
        CHECK((file.find("acsp") != file.npos) == (tag == std::string("sRGB") || tag == std::string("iCCP")));
    }
  const Words p3{"in.exr", "ocio", "--to", "sRGB Encoded P3-D65 - Texture", "--transfer", "linear", "-o", "linear.png"};
  CHECK(folder.gpupost(p3).exit_code == 0);  // --transfer names the curve, and the known primaries stay
  CHECK(folder.gpupost({"info", "linear.png"}).out.find("chromaticities") != std::string::npos);
}

DEVICE_TEST_CASE(
    "light in a space whose R = G = B = 1 is not white gives a warning, and PQ without a number for a PNG no tag") {
  if (ocio_version().empty()) return skip("built without OpenColorIO");
  const TestFolder folder;
  folder.write("spaces.ocio", R"(ocio_profile_version: 2
roles: {default: aces, scene_linear: aces, aces_interchange: aces}
displays:
  screen:
    - !<View> {name: plain, colorspace: pq}
colorspaces:
  - !<ColorSpace> {name: aces}
  - !<ColorSpace> {name: pq, from_scene_reference: !<BuiltinTransform> {style: CURVE - LINEAR_to_ST-2084}}
  - !<ColorSpace> {name: camera, from_scene_reference: !<MatrixTransform> {matrix: [0.5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.7, 0, 0, 0, 0, 1]}}
)");
  const Finished finished =
      folder.gpupost({"in.exr", "ocio", "--to", "pq", "--config", "spaces.ocio", "-o", "out.png", "--bits", "16"});
  CHECK_MESSAGE(finished.exit_code == 0, finished.err);
  for (const char* chunk : {"sRGB", "cICP", "iCCP", "gAMA"})
    CHECK(folder.read("out.png").find(chunk) == std::string::npos);
  const Words camera{"in.exr", "ocio", "--to", "camera", "--config", "spaces.ocio"};
  CHECK(folder.gpupost(with(camera, {"-o", "out.exr"})).err ==
        "gpupost: warning: in.exr: R = G = B = 1 is not white in the color space of the result, and chromaticities "
        "cannot describe that; convert it with --output-primaries, or read the output with `ocio --from`\n");
  CHECK(folder.gpupost(with(camera, {"--output-primaries", "rec709", "-o", "back.exr"})).err == "");
  check_same(folder, "in.exr", "back.exr", {"--tolerance", "0.01", "--relative"});
  // ops behind a cut still get the light of the space
  const Words cut{"project", "--size", "4", "ocio", "--config", "spaces.ocio", "--from", "camera", "--to", "aces"};
  const Words faces{"--assemble", "cube-from-strip", "--bits", "32f", "-o"};
  CHECK(folder.gpupost(with(with(camera, cut), with(faces, {"faces.ktx2"}))).exit_code == 0);
  CHECK(folder.gpupost(with({"in.exr", "project", "--size", "4"}, with(faces, {"plain.ktx2"}))).exit_code == 0);
  check_same(folder, "plain.ktx2", "faces.ktx2", {"--tolerance", "0.01", "--relative"});
}

TEST_CASE("info --ocio lists the names of a configuration") {
  if (ocio_version().empty()) return skip("built without OpenColorIO");
  const TestFolder folder;
  const Finished finished = folder.gpupost({"info", "--ocio", "cg"});
  CHECK(finished.exit_code == 0);
  for (const char* line : {"space    ACEScg  (scene-linear)\n", "display  sRGB - Display\n",
                           "  view   ACES 1.0 - SDR Video\n", "look     ACES 1.3 Reference Gamut Compression\n"})
    CHECK_MESSAGE(finished.out.find(line) != std::string::npos, finished.out);
  CHECK(folder.gpupost({"info", "--ocio", "none.ocio"}).exit_code == 2);
  const Finished pipe = folder.shell("mkfifo pipe.ocio; timeout 20 gpupost info --ocio pipe.ocio");
  CHECK(pipe.exit_code == 2);
  CHECK(pipe.err == "gpupost: pipe.ocio: is not a regular file\n");
}
