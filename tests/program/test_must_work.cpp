// Command lines that must work: exit 0, what they print, and the files they make.
#include "tests/program/test_folder.h"
#include "tests/program/tested_program.h"

#include "tests/support/json.h"

#include <doctest/doctest.h>

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <span>

using namespace gpupost;
using namespace gpupost::test;
using json = nlohmann::json;

namespace {

struct Example {
  const char* name;
  Words words;
  std::set<std::string> made = {};  // files that come
  Words texts = {};                 // each stands on standard output
  Environment environment = {};
};

void check_works(const Example& example) {
  const TestFolder place;
  const auto before = place.files();
  const Finished finished = place.gpupost(example.words, example.environment);
  INFO(std::string(example.name), ": ",
       text_of({.program = "gpupost", .words = example.words, .environment = example.environment}), "\n", finished.out,
       finished.err);
  CHECK(finished.exit_code == 0);
  for (const std::string& text : example.texts)
    CHECK_MESSAGE(finished.out.find(text) != text.npos, "no \"", text, "\"");
  std::set<std::string> came;
  for (const auto& [name, bytes] : place.files()) {
    if (!before.contains(name)) came.insert(name);
    else CHECK_MESSAGE(before.at(name) == bytes, name, " changed");
  }
  CHECK(came == example.made);
}

void check_all(const std::vector<Example>& examples) {
  for (const Example& example : examples) check_works(example);
}

}  // namespace

TEST_CASE("verbs that need no device, with a driver and without one") {
  for (const Environment& environment : {Environment{}, no_driver})
    check_all({
        {"help",
         {"help"},
         {},
         {"gpupost: image processing on the GPU", "mips", "--fp16", "Exit codes", "70 "},
         environment},
        {"help as an option", {"--help"}, {}, {"Exit codes"}, environment},
        {"help of an op",
         {"help", "mips"},
         {},
         {"--method auto|single-pass|per-level", "--levels 0..16", "Examples", "Source"},
         environment},
        {"help of an op as an option",
         {"mips", "in.exr", "-h"},
         {},
         {"--method auto|single-pass|per-level"},
         environment},
        {"help of a verb", {"info", "--help"}, {}, {"gpupost info FILE", "--json"}, environment},
        {"version", {"version"}, {}, {"gpupost 0."}, environment},
        {"version as an option", {"--version"}, {}, {"gpupost 0."}, environment},
        {"ops", {"ops"}, {}, {"mips  "}, environment},
        {"ops for a document", {"ops", "--markdown"}, {}, {"## mips", "| `--levels` |"}, environment},
        {"shader",
         {"shader", "mips", "--fp16"},
         {},
         {"// pass: mips level 1", "#version 460", "// --- kernels/"},
         environment},
        {"shader of a picture", {"shader", "in.exr", "mips"}, {}, {"// pass: mips level 5"}, environment},
        {"a plan", {"--explain", "mips"}, {}, {"chain    mips\n", "1920 x 1080, 11 levels"}, environment},
        {"a plan of a size", {"mips", "--explain", "--size", "100x50"}, {}, {"100 x 50, 7 levels"}, environment},
        {"a plan of a picture",
         {"--explain", "in.exr", "mips", "--fp16"},
         {},
         {"37 x 21, 6 levels, RGBA16F", "pass 4 "},
         environment},
        {"info", {"info", "in.exr"}, {}, {"width           37\n", "channels        R  16f\n"}, environment},
        {"a difference of nothing", {"compare", "in.exr", "sub/in.exr"}, {}, {"R            largest 0 "}, environment},
        {"a conversion", {"in.exr", "-o", "out.png"}, {"out.png"}, {}, environment},
    });
}

DEVICE_TEST_CASE("devices and doctor say what there is") {
  check_all({{"devices", {"devices"}, {}, {"0: ", "Vulkan 1.", "subgroups of"}},
             {"doctor", {"doctor"}, {}, {"ok      device", "ok      shaders", "built in"}}});
  const Finished finished = TestFolder().gpupost({"devices", "--json"});
  for (const json& device : parse_json(finished.out))
    for (const std::string field :
         {"index", "name", "type", "uuid", "driver", "memory_bytes", "max_image_side", "obstacle"})
      CHECK_MESSAGE(device.contains(field), field);
}

TEST_CASE("doctor without a driver says what mends it, and exits with 4") {
  const Finished finished = TestFolder().gpupost({"doctor"}, no_driver);
  CHECK(finished.exit_code == 4);
  CHECK_MESSAGE(finished.out.find("mesa-vulkan-drivers") != std::string::npos, finished.out);
  CHECK_MESSAGE(finished.out.find("gpupost doctor") == std::string::npos, finished.out);
}

DEVICE_TEST_CASE("a damaged manifest of a driver is exit code 4, in a run and in doctor") {
  const TestFolder place;
  place.write("icd.json", "{bad");
  const Environment environment = {{"VK_DRIVER_FILES", "icd.json"}, {"VK_ICD_FILENAMES", "icd.json"}};
  for (const Words& words : {Words{"in.exr", "blur", "--radius", "1", "-o", "x.exr"}, Words{"doctor"}}) {
    const Finished finished = place.gpupost(words, environment);
    CHECK(finished.exit_code == 4);
    CHECK_MESSAGE(
        (finished.out + finished.err).find("a manifest of a driver or a layer may be damaged") != std::string::npos,
        finished.out, finished.err);
    CHECK(finished.out.find("apt-get install mesa") == std::string::npos);
    CHECK((finished.out.find("to fix: repair or remove the manifest, or reinstall its package, or unset "
                             "VK_DRIVER_FILES, or unset VK_ICD_FILENAMES\n") != std::string::npos) ==
          (words == Words{"doctor"}));
  }
}

DEVICE_TEST_CASE("doctor says which device GPUPOST_DEVICE selects, and exits with 4 if it selects none") {
  const Finished none = TestFolder().gpupost({"doctor"}, {{"GPUPOST_DEVICE", "nonesuch"}});
  CHECK(none.exit_code == 4);
  CHECK_MESSAGE(none.out.find("missing environment     GPUPOST_DEVICE=nonesuch selects no device") != std::string::npos,
                none.out);
  const Finished first = TestFolder().gpupost({"doctor"}, {{"GPUPOST_DEVICE", "0"}});
  CHECK(first.exit_code == 0);
  CHECK_MESSAGE(first.out.find("GPUPOST_DEVICE=0 selects device 0\n") != std::string::npos, first.out);
}

TEST_CASE("a home folder that does not exist is not created, and a cache folder is") {
  const TestFolder place;
  const Finished finished = place.shell("unset XDG_CACHE_HOME; HOME=$PWD/none/me exec gpupost doctor");
  CHECK_MESSAGE(finished.out.find("missing cache ") != std::string::npos, finished.out);
  CHECK(!place.has("none"));
  const Finished named = place.shell("export XDG_CACHE_HOME=$PWD/new/cache; exec gpupost doctor");
  CHECK_MESSAGE(named.out.find("ok      cache ") != std::string::npos, named.out);
  CHECK(place.has("new/cache/gpupost"));
}

// Mesa's cache is in the home folder that the system has for the user: /nonexistent for the user 65534 of Debian.
DEVICE_TEST_CASE("a user without a home folder gets no message of Mesa about its cache") {
  if (geteuid() != 0) return skip("only root can be another user");
  const TestFolder place;
  const Finished finished = place.shell(
      "chmod 755 . && unset XDG_CACHE_HOME MESA_SHADER_CACHE_DIR && mkdir -m 777 home && HOME=$PWD/home setpriv "
      "--reuid 65534 --clear-groups gpupost in.png flip x -o - > out.png");
  CHECK(finished.exit_code == 0);
  CHECK(finished.err == "");
}

DEVICE_TEST_CASE("without /dev/dri, drivers that find GPUs there are not loaded, unless a variable names them") {
  if (access("/dev/dri", F_OK) == 0) return skip("this machine has /dev/dri");
  const TestFolder place;
  const std::string run =
      "LD_DEBUG=files exec gpupost in.png flip x -o x.png";  // the dynamic linker prints what it loads
  CHECK(place.shell(run).err.find("libvulkan_radeon") == std::string::npos);
  const std::string manifest = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";
  if (access(manifest.c_str(), F_OK) == 0)
    CHECK(place.shell("export VK_ICD_FILENAMES=" + manifest + "; " + run).err.find("libvulkan_radeon") !=
          std::string::npos);
}

TEST_CASE("doctor names the variable that decides which drivers are seen") {
  const Finished finished = TestFolder().gpupost({"doctor"}, no_driver);
  CHECK_MESSAGE(finished.out.find("VK_DRIVER_FILES=/nonexistent.json") != std::string::npos, finished.out);
}

TEST_CASE("conversions need no device and no op") {
  check_all({
      {"to PNG", {"in.exr", "-o", "out.png"}, {"out.png"}, {}, no_driver},
      {"to EXR", {"in.png", "-o", "out.exr"}, {"out.exr"}, {}, no_driver},
      {"the output first", {"-o", "out.png", "in.exr"}, {"out.png"}, {}, no_driver},
      {"option=value", {"in.exr", "--output=out.png", "--bits=16"}, {"out.png"}, {}, no_driver},
      {"a format by name", {"in.exr", "-o", "out.dat", "--format", "png"}, {"out.dat"}, {}, no_driver},
      {"an empty variable is none",
       {"in.exr", "-o", "out.png"},
       {"out.png"},
       {},
       {{"GPUPOST_MAX_SIDE", ""}, {"GPUPOST_REQUIRE_GPU", ""}}},
      {"a name that begins with a dash", {"in.exr", "-o", "-x.png"}, {"-x.png"}, {}, no_driver},
  });
}

DEVICE_TEST_CASE("the ways to write one call of mips") {
  const std::set<std::string> made{"in.mips.exr"};
  check_all({
      {"as design has it", {"mips", "in.exr", "--fp16"}, made},
      {"the input first", {"in.exr", "mips", "--fp16"}, made},
      {"an input between an op and its option", {"mips", "in.exr", "--levels", "6"}, made},
      {"option=value", {"mips", "in.exr", "--levels=6", "--method=per-level"}, made},
      {"a global between an op and its option", {"mips", "--fp16", "--levels", "6", "in.exr"}, made},
      {"an input behind --", {"mips", "--", "in.exr"}, made},
      {"a global twice with one value", {"mips", "in.exr", "--device", "0", "--device", "0", "--fp16", "--fp16"}, made},
      {"a folder's file goes to the working folder", {"mips", "sub/in.exr"}, made},
      {"a PNG's levels go to an EXR", {"mips", "in.png"}, made},
      {"all depths", {"mips", "depth.exr", "--verify"}, {"depth.mips.exr"}},
      {"verified", {"mips", "in.exr", "--verify"}, made},
      {"verified in half", {"mips", "in.exr", "--verify", "--fp16"}, made},
      {"verified in one pass", {"mips", "in.exr", "--verify", "--method", "single-pass"}, made},
      {"verified in float", {"mips", "float.exr", "--verify"}, {"float.mips.exr"}},
      {"large values in half", {"mips", "float.exr", "--verify", "--fp16"}, {"float.mips.exr"}},
      {"the base alone", {"mips", "in.exr", "--levels", "1"}, made},
      {"a layer", {"mips", "layers.exr", "--layer", "diffuse"}, {"layers.mips.exr"}},
      {"compression", {"mips", "in.exr", "--compression", "none"}, made},
      {"on the CPU", {"mips", "in.exr", "--device", "0"}, made},
  });
}

DEVICE_TEST_CASE("the ways to write one call of blur") {
  const std::set<std::string> made{"in.blur.exr"};
  check_all({
      {"a box", {"blur", "in.exr", "--radius", "7"}, made},
      {"short for an order", {"in.exr", "blur", "--radius", "7", "--zcurve", "--verify"}, made},
      {"the order twice", {"blur", "in.exr", "--radius", "2", "--zcurve", "--order", "z"}, made},
      {"a gaussian by sigma", {"blur", "in.exr", "--sigma", "0.8", "--verify"}, made},
      {"a gaussian by radius", {"blur", "in.exr", "--kernel", "gaussian", "--radius", "6", "--verify"}, made},
      {"a gaussian cut off", {"blur", "in.exr", "--sigma", "3", "--radius", "4", "--verify"}, made},
      {"nothing", {"blur", "in.exr", "--radius", "0", "--verify"}, made},
      {"sigma of nothing", {"blur", "in.exr", "--sigma", "0", "--verify"}, made},
      {"larger than the picture", {"blur", "in.exr", "--radius", "1024", "--border", "mirror", "--verify"}, made},
      {"the largest sigma", {"blur", "in.exr", "--sigma", "341", "--axis", "y", "--verify"}, made},
      {"several boxes", {"blur", "in.exr", "--radius", "2", "--passes", "3", "--verify", "--fp16"}, made},
      {"all depths", {"blur", "depth.exr", "--radius", "3", "--verify"}, {"depth.blur.exr"}},
      {"large values in half", {"blur", "float.exr", "--sigma", "1", "--verify", "--fp16"}, {"float.blur.exr"}},
      {"a PNG", {"blur", "in.png", "--radius", "3", "-o", "out.png", "--verify"}, {"out.png"}},
      {"a plan of an order",
       {"--explain", "blur", "--radius", "7", "--zcurve"},
       {},
       {"blur: separable, --zcurve needs direct or separable"}},
      {"a plan that was asked for",
       {"--explain", "blur", "--radius", "7", "--method", "direct"},
       {},
       {"blur: direct, asked for"}},
  });
}

TEST_CASE("a plan says where the device would be given a part at a time, and where not") {
  const TestFolder place;
  const std::string said = "tiled if one submission would take more than 5 ms";
  const auto is_said = [&](Words words) {
    words.insert(words.begin(), {"--explain", "--size", "512x512"});
    const Finished finished = place.gpupost(words, no_driver);
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    return finished.out.find(said) != finished.out.npos;
  };
  CHECK(is_said({"blur", "--radius", "7", "--max-dispatch-ms", "5"}));
  CHECK(!is_said({"blur", "--radius", "7", "--max-dispatch-ms", "0"}));
  CHECK(!is_said({"blur", "--radius", "7"}));
  CHECK(!is_said({"mips", "--filter", "kaiser", "--from-base", "--max-dispatch-ms", "5"}));  // needs the whole picture
}

DEVICE_TEST_CASE("every example that help prints works, with a file a level") {
  const TestFolder place;
  for (const std::string op : {"mips"}) {
    const std::string help = place.gpupost({"help", op}).out;
    int count = 0;
    for (size_t at = 0; (at = help.find("  gpupost " + op, at)) != help.npos; ++at, ++count) {
      const std::string line = help.substr(at, help.find('\n', at) - at);
      const Finished finished = place.shell(line + " -o 'out.{level}.exr'");
      CHECK_MESSAGE(finished.exit_code == 0, line, ": ", finished.err);
    }
    CHECK(count >= 3);
  }
}

DEVICE_TEST_CASE("a word that names an op is the op, and ./ makes it a file") {
  const TestFolder place;
  place.write("mips", made_files().at("in.exr"));
  CHECK(place.gpupost({"mips", "./mips", "-o", "out.exr"}).exit_code == 0);
  CHECK(place.gpupost({"mips", "-o", "two.exr", "--", "mips"}).exit_code == 0);
  CHECK(place.read("out.exr") == place.read("two.exr"));
  place.write("plain", made_files().at("in.exr"));
  CHECK(place.gpupost({"mips", "plain", "-o", "three.exr"}).exit_code == 0);
}

TEST_CASE("settings of the machine come from the environment, and the command line wins") {
  const TestFolder place;
  CHECK(place.gpupost({"in.exr", "-o", "a.exr"}, {{"GPUPOST_MAX_SIDE", "16"}}).exit_code == 2);
  CHECK(place.gpupost({"in.exr", "-o", "b.exr", "--max-side", "64"}, {{"GPUPOST_MAX_SIDE", "16"}}).exit_code == 0);
  CHECK(place.gpupost({"in.exr", "-o", "d.exr"}, {{"GPUPOST_DEVICE", "nonsense"}}).exit_code == 0);
  CHECK(place.gpupost({"in.exr", "-o", "d.exr"}, {{"GPUPOST_REQUIRE_GPU", "0"}}).exit_code == 0);
}

TEST_CASE("compare: 0 for the same, 6 for a difference, with the tolerance between them") {
  const TestFolder place;
  CHECK(place.gpupost({"compare", "in.exr", "in.exr"}).exit_code == 0);
  const Finished finished = place.gpupost({"compare", "in.exr", "other.exr"});
  CHECK(finished.exit_code == 6);
  CHECK(finished.err == "");
  CHECK_MESSAGE(finished.out.find("at (5, 3)") != std::string::npos, finished.out);
  CHECK(place.gpupost({"compare", "in.exr", "other.exr", "--tolerance", "0.001"}).exit_code == 0);
  const Finished sizes = place.gpupost({"compare", "in.exr", "wide.exr"});
  CHECK(sizes.exit_code == 6);
  CHECK(sizes.out == "sizes differ: 37 x 21 and 38 x 21\ndifferent: properties of the files; see the first lines\n");
  CHECK(place.gpupost({"compare", "in.exr", "depth.exr"}).exit_code == 6);
  CHECK(place.gpupost({"compare", "layers.exr", "layers.exr", "--layer", "diffuse"}).exit_code == 0);
}

TEST_CASE("compare: files of the same numbers differ in windows, chromaticities and levels") {
  const TestFolder place;
  const auto check_differs = [&](const std::string& name, const std::string& text) {
    const Finished finished = place.gpupost({"compare", "in.exr", name});
    INFO(name, ": ", finished.out);
    CHECK(finished.exit_code == 6);
    CHECK(finished.out.find(text) != std::string::npos);
    CHECK(finished.out.find("R            largest 0 ") != std::string::npos);
  };
  check_differs("rec2020.exr", "chromaticities differ: red 0.64, 0.33 ");
  check_differs("rec2020.exr", "\ndifferent: properties of the files; see the first lines\n");
  Picture moved = decoded(place, "in.exr");
  moved.display_window = {0, 0, 99, 99};
  write_picture(place, "display.exr", moved);
  check_differs("display.exr", "display windows differ: (0, 0) to (36, 20) and (0, 0) to (99, 99)\n");
  moved.data_window = {5, 7, 5 + 36, 7 + 20};
  write_picture(place, "data.exr", moved);
  check_differs("data.exr", "data windows differ: (0, 0) to (36, 20) and (5, 7) to (41, 27)\n");
  if (!has_device()) return;
  CHECK(place.shell("gpupost mips in.exr -o box.exr && gpupost mips --filter kaiser in.exr -o kaiser.exr").exit_code ==
        0);
  check_differs("box.exr", "levels differ: 1 and 6\n");
  CHECK(place.gpupost({"compare", "box.exr", "box.exr"}).exit_code == 0);
  const Finished filters = place.gpupost({"compare", "box.exr", "kaiser.exr"});
  CHECK(filters.exit_code == 6);
  CHECK(filters.out.find("R level 5 ") != std::string::npos);
  CHECK(place.gpupost({"compare", "box.exr", "kaiser.exr", "--level", "0"}).exit_code == 0);
  const Finished piped = place.shell("gpupost compare - box.exr < box.exr");
  CHECK(piped.exit_code == 1);
  CHECK_MESSAGE(piped.err.find("standard input can be read only once") != std::string::npos, piped.err);
  CHECK(place.shell("gpupost compare - in.exr < in.exr").exit_code == 0);
}

TEST_CASE("info --json is JSON that holds what the picture is") {
  const TestFolder place;
  const json info = parse_json(place.gpupost({"info", "depth.exr", "--json"}).out);
  CHECK(info["format"] == "exr");
  CHECK(info["width"] == 37);
  CHECK(info["height"] == 21);
  CHECK(info["levels"] == 1);
  CHECK(info["data_window"] == json{0, 0, 36, 20});
  std::map<std::string, std::string> depths;
  for (const json& channel : info["channels"]) depths[channel["name"]] = channel["depth"];
  CHECK(depths ==
        std::map<std::string, std::string>{{"R", "16f"}, {"G", "16f"}, {"B", "16f"}, {"Z", "32f"}, {"id", "uint"}});
  const auto aspect = std::ranges::find_if(
      info["attributes"], [](const json& attribute) { return attribute["name"] == "pixelAspectRatio"; });
  REQUIRE(aspect != info["attributes"].end());
  CHECK((*aspect)["value"] == 1.0);
  CHECK(place.gpupost({"info", "depth.exr"}).out.find("pixelAspectRatio  float  1.0\n") != std::string::npos);
  Picture picture = decoded(place, "in.exr");
  const float numbers[] = {NAN, -INFINITY};
  const auto bytes = std::as_bytes(std::span(numbers));
  Attribute& odd = picture.attributes.emplace_back(Attribute{.name = "odd", .type = "v2f", .value = {}});
  for (const std::byte byte : bytes) odd.value.push_back(uint8_t(byte));
  write_picture(place, "odd.exr", picture);
  CHECK(place.gpupost({"info", "odd.exr"}).out.find("odd  v2f  [nan,-inf]\n") != std::string::npos);
  CHECK(place.shell("gpupost info odd.exr --json | tr -d ' \\n'").out.find("[null,null]") != std::string::npos);
  const Finished several = place.gpupost({"info", "depth.exr", "cut.png", "in.png", "--json"});
  CHECK(several.exit_code == 5);
  CHECK_MESSAGE(is_one_error(several.err), several.err);
  const json list = parse_json(several.out);
  REQUIRE(list.size() == 2);
  CHECK(list[0] == info);
  CHECK(list[1]["file"] == "in.png");
  for (const char* name : {"s.0001.png", "s.0002.png", "s.0004.png"}) place.write(name, place.read("in.png"));
  const Finished frames = place.gpupost({"info", "s.####.png", "--json"});
  CHECK(frames.exit_code == 5);
  CHECK(frames.err.find("s.####.png: frame 3 is missing") != frames.err.npos);
  CHECK(parse_json(frames.out).size() == 3);
  CHECK(parse_json(frames.out)[2]["file"] == "s.0004.png");
  const json one = parse_json(place.gpupost({"info", "s.####.png", "--frames", "2", "--json"}).out);
  REQUIRE(one.size() == 1);
  CHECK(one[0]["file"] == "s.0002.png");
  CHECK(place.gpupost({"info", "s.####.png", "--skip-missing"}).exit_code == 0);
  CHECK(parse_json(place.gpupost({"info", "s.*.png", "--json"}).out).size() == 3);
  CHECK(place.gpupost({"info", "none.*.png"}).exit_code == 2);
  const json png = parse_json(place.gpupost({"info", "deep.png", "--json"}).out);
  CHECK(png["transfer"] == "srgb");
  CHECK(png["channels"][0]["depth"] == "16");
}

TEST_CASE("--quiet takes the warnings away, and nothing else") {
  const TestFolder place;
  const Finished loud = place.gpupost({"depth.exr", "-o", "loud.png"});
  CHECK(loud.exit_code == 0);
  CHECK_MESSAGE(loud.err.starts_with("gpupost: warning: depth.exr: "), loud.err);
  const Finished quiet = place.gpupost({"depth.exr", "-o", "quiet.png", "--quiet"});
  CHECK(quiet.exit_code == 0);
  CHECK(quiet.err == "");
  CHECK(place.read("loud.png") == place.read("quiet.png"));
  CHECK(is_one_error(place.gpupost({"cut.exr", "-o", "out.png", "--quiet"}).err));
}

DEVICE_TEST_CASE(
    "a whole run says nothing on a terminal's place, and a result in a file is a note to a reader of standard output") {
  const TestFolder place;
  const Finished silent =
      place.run({.program = tested_program(), .words = {"mips", "in.exr"}, .output_file = "/dev/null"});
  CHECK(silent.exit_code == 0);
  CHECK(silent.err == "");
  const Finished piped = place.gpupost({"mips", "in.exr"});
  CHECK(piped.err == "gpupost: the result is in in.mips.exr; standard output stays empty (-o - writes there)\n");
  CHECK(piped.out == "");
  CHECK(place.gpupost({"mips", "in.exr", "wide.exr"}).err ==
        "gpupost: the result is in in.mips.exr and 1 more; standard output stays empty (-o - writes there)\n");
  const std::string is_input =
      "gpupost: warning: in.png is taken as an input, not as the output; to write it, use -o in.png\n";
  CHECK(place.gpupost({"in.exr", "flip", "x", "in.png"}).err.starts_with(is_input));
  CHECK(place.gpupost({"in.exr", "flip", "x", "in.png", "--quiet"}).err == "");
  std::filesystem::create_directory(place.path("folder"));
  for (const Words& words : {Words{"flip", "x", "in.exr", "in.png"},
                             {"in.exr", "flip", "x", "--", "in.png"},
                             {"in.exr", "wide.exr", "flip", "x", "in.png"},
                             {"in.exr", "flip", "x", "in.png", "merge", "--with", "in.png"},
                             {"in.exr", "sheet", "in.png", "--cell", "8x8"},
                             {"folder", "flip", "x", "in.png"}})
    CHECK(place.gpupost(words).err.find("taken as") == std::string::npos);
  const Finished shaders = place.gpupost({"shader", "in.exr", "flip", "x", "-o", "shader.exr"});
  CHECK(shaders.exit_code == 0);
  CHECK(shaders.err ==
        "gpupost: -o shader.exr: is not written, because `shader` prints to standard output; only its format counts\n");
  const Finished both = place.shell("gpupost in.exr - flip x < in.exr > flipped.exr");
  CHECK(both.err == "");
  check_same(place, "flipped.exr", "in.flip.exr");
}
