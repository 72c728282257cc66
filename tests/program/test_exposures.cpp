// Exposures of a sequence: measured in a file or in a first pass, smoothed, in one run and in shards.
#include "tests/program/test_folder.h"

#include "tests/support/json.h"
#include "tests/support/skip.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <map>

using namespace gpupost::test;
using nlohmann::json;

namespace {

constexpr int frame_count = 11, flash = 6;

std::string name_of(int frame) { return fmt::format("s.{:04}.exr", frame); }

// Equal frames, but for one that is 3 stops brighter.
void write_flash(const TestFolder& place) {
  const std::string& calm = made_files().at("float.exr");
  for (int frame = 1; frame <= frame_count; ++frame) place.write(name_of(frame), calm);
  REQUIRE(place.gpupost({"float.exr", "exposure", "--stops", "3", "-o", name_of(flash)}).exit_code == 0);
}

Finished done(const TestFolder& place, const std::string& line) {
  Finished finished = place.shell(line);
  INFO(line, "\n", finished.err);
  CHECK(finished.exit_code == 0);
  return finished;
}

// Files of a folder, by name.
std::map<std::string, std::string> files_in(const TestFolder& place, const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(place.path(folder)))
    files[entry.path().filename().string()] = place.read(folder + "/" + entry.path().filename().string());
  return files;
}

// How many stops each frame of a folder is brighter than the frame of the sequence.
std::map<int, double> stops_of(const TestFolder& place, const std::string& folder) {
  std::map<int, double> stops;
  const auto average = [&](const std::string& name) {
    return parse_json(done(place, "gpupost " + name + " stats").out)["luminance"]["log_average"].get<double>();
  };
  for (int frame = 1; frame <= frame_count; ++frame)
    stops[frame] = std::log2(average(folder + "/" + name_of(frame)) / average(name_of(frame)));
  return stops;
}

void check_refused(const TestFolder& place, const std::string& line, int exit_code, const std::string& text) {
  const Finished finished = place.shell(line);
  INFO(line, "\n", finished.err);
  CHECK(finished.exit_code == exit_code);
  CHECK(finished.err.find(text) != std::string::npos);
}

}  // namespace

DEVICE_TEST_CASE("a flash of 3 stops moves the exposure of no frame by 0.2 stops at a window of 9") {
  const TestFolder place;
  write_flash(place);
  done(place, "gpupost s.####.exr exposure --auto --smooth 9 -o smooth/ --mkdir");
  done(place, "gpupost s.####.exr exposure --auto -o auto/ --mkdir");
  const std::map<int, double> smooth = stops_of(place, "smooth"), automatic = stops_of(place, "auto");
  for (const auto& [frame, stops] : smooth) CHECK(std::abs(stops - automatic.at(1)) < 0.2);
  CHECK(automatic.at(flash) == doctest::Approx(automatic.at(1) - 3).epsilon(1e-3));
  done(place, "gpupost s.####.exr exposure --auto --smooth 3 -o near/ --mkdir --depfile d");
  CHECK(
      place.read("d").starts_with("near/s.0001.exr: s.0001.exr s.0002.exr s.0003.exr\n"
                                  "near/s.0002.exr: s.0002.exr s.0001.exr s.0003.exr s.0004.exr\n"));
}

DEVICE_TEST_CASE("a depfile has what ops before a smoothed exposure read for the neighbors") {
  const TestFolder place;
  write_flash(place);
  for (int frame = 1; frame <= frame_count; ++frame)
    std::filesystem::copy_file(place.path(name_of(frame)), place.path("b" + name_of(frame)));
  done(place,
       "gpupost s.####.exr merge --with 'bs.{frame}.exr' --mode add exposure --auto --smooth 3 merge --with "
       "'bs.{frame}.exr' --mode add -o near/ --mkdir --depfile d");
  CHECK(place.read("d").starts_with(
      "near/s.0001.exr: s.0001.exr s.0002.exr bs.0002.exr s.0003.exr bs.0003.exr bs.0001.exr\n"));
}

DEVICE_TEST_CASE("stats -o FILE.json has a line for each frame, and shards that read it give the bytes of one run") {
  const TestFolder place;
  write_flash(place);
  const std::string shards[] = {"count:1/2", "count:2/2"};
  for (const std::string options : {"", "--percentile 10,90 --key 0.3"}) {
    CAPTURE(options);
    for (const char* folder : {"one", "two"}) std::filesystem::remove_all(place.path(folder));
    CHECK(done(place, "gpupost s.####.exr blur --sigma 1 stats -o exposures.json").out.empty());
    int frame = 0;
    for (const std::string& line : lines_of(place.read("exposures.json"))) {
      const json measured = parse_json(line);
      CHECK(measured["frame"] == ++frame);
      CHECK(measured["input"] == name_of(frame));
    }
    CHECK(frame == frame_count);
    done(place, "gpupost s.####.exr blur --sigma 1 exposure --auto --smooth 5 " + options + " -o one/ --mkdir");
    for (const std::string& shard : shards)
      done(place, "gpupost s.####.exr blur --sigma 1 exposure --auto-from exposures.json --smooth 5 " + options +
                      " -o two/ --mkdir --shard " + shard);
    CHECK(files_in(place, "one").size() == frame_count);
    CHECK(files_in(place, "one") == files_in(place, "two"));
  }
}

DEVICE_TEST_CASE("--auto-from without --smooth is --auto, in any folder, with --verify and --resume") {
  const TestFolder place;
  write_flash(place);
  done(place, "gpupost s.####.exr stats > exposures.json");
  done(place,
       "mkdir moved && cp s.*.exr moved && gpupost 'moved/s.####.exr' exposure --auto-from exposures.json "
       "--verify -o from/ --mkdir --resume");
  done(place, "gpupost s.####.exr exposure --auto -o auto/ --mkdir");
  for (int frame = 1; frame <= frame_count; ++frame)
    done(place, fmt::format("gpupost compare auto/{0} from/{0} --relative --tolerance 1e-5", name_of(frame)));
  const std::string blurred = "gpupost s.0001.exr blur --sigma 1 stats ";
  CHECK(place.shell(blurred + "exposure --auto-from exposures.json -o a.exr")
            .err.find("warning: exposures.json: line 1 was measured after no op, but `blur --sigma 1 stats` comes "
                      "before exposure; "
                      "put the same ops before `stats` and measure again") != std::string::npos);
  CHECK(done(place, blurred + "-o a.json && " + blurred + "exposure --auto-from a.json -o a.exr").err.empty());
  // folders do not count, and an error comes without the warning
  const std::string merged = "gpupost s.0001.exr merge --with ";
  CHECK(done(place, "mkdir 'my shots' && cp s.0002.exr 'my shots' && " + merged +
                        "'my shots/s.0002.exr' stats -o a.json && " + merged +
                        "./s.0002.exr exposure --auto-from a.json -o a.exr")
            .err.empty());
  CHECK(place.shell(merged + "s.0003.exr exposure --auto-from a.json -o a.exr").err.find("measured after") !=
        std::string::npos);
  done(place, "cat exposures.json exposures.json > twice.json");
  CHECK(place.shell(blurred + "exposure --auto-from twice.json -o a.exr").err.find("measured after") ==
        std::string::npos);
  // an exposure that has changed is made again
  const std::string again = "gpupost 'moved/s.####.exr' exposure --auto-from exposures.json -o from/ --resume";
  CHECK(done(place, again).err.find("11 of 11 outputs") != std::string::npos);
  done(place, "gpupost s.####.exr exposure --stops 1 stats > exposures.json");
  CHECK(done(place, again).err.find("outputs: done") == std::string::npos);
}

DEVICE_TEST_CASE("--resume makes frames again whose smoothed exposure a changed neighbor changes") {
  const TestFolder place;
  write_flash(place);
  const std::string run = "gpupost s.####.exr exposure --auto --smooth 3 -o near/ --mkdir --resume";
  done(place, run);
  CHECK(done(place, run).err.find("11 of 11 outputs") != std::string::npos);
  // sums of tiles are rounded in another way
  CHECK(done(place, run + " --tile-side 16").err.find("11 of 11 outputs") != std::string::npos);
  for (const int frame : {10, 11}) place.write(name_of(frame), place.read(name_of(flash)));
  CHECK(done(place, run).err.find("8 of 11 outputs") != std::string::npos);  // frame 9 too
}

DEVICE_TEST_CASE("--auto-from finds a file whose name is not UTF-8") {
  const TestFolder place;
  for (const std::string name : {"\xe9.exr", "\xe8.exr"}) place.write(name, made_files().at("float.exr"));
  check_done(place, {"\xe8.exr", "\xe9.exr", "stats", "-o", "exposures.json"});
  CHECK(place.read("exposures.json").find(R"("input":"\\xe8.exr","input_bytes":[232,46,)") != std::string::npos);
  check_done(place, {"\xe8.exr", "\xe9.exr", "exposure", "--auto-from", "exposures.json", "-o", "out/", "--mkdir"});
}

DEVICE_TEST_CASE("outputs of an earlier run with measured exposures are done also if --fail-fast starts nothing") {
  const TestFolder place;
  write_flash(place);
  done(place, "gpupost s.####.exr stats -o exposures.json; rm s.0009.exr");
  for (const std::string option : {"--auto-from exposures.json", "--auto --smooth 3"}) {
    const std::string run = "gpupost s.####.exr exposure " + option + " -o out/ --mkdir --resume";
    done(place, "rm -rf out; " + run + " --frames 1-4");
    const Finished finished = place.shell(run + " --frames 1-4,9 --fail-fast --depfile d");
    INFO(finished.err);
    CHECK(finished.exit_code == 5);
    CHECK(finished.err.find("skipped 4 of 4 outputs: done by an earlier run") != std::string::npos);
    const std::string rules = place.read("d");
    for (int frame = 1; frame <= 4; ++frame)
      CHECK_MESSAGE(rules.find(fmt::format("out/{0}: {0}", name_of(frame))) != std::string::npos, rules);
  }
}

DEVICE_TEST_CASE("a frame that cannot be measured fails the frames whose smoothed exposure depends on it") {
  const TestFolder place;
  write_flash(place);
  const std::string run = "gpupost s.####.exr exposure --auto --smooth 3 -o ";
  done(place, run + "clean/ --mkdir");
  const std::string whole = place.read("s.0009.exr");
  place.write("s.0009.exr", made_files().at("cut.exr"));
  const Finished finished = place.shell(run + "out/ --mkdir");
  INFO(finished.err);
  CHECK(finished.exit_code == 5);
  for (const int frame : {7, 8, 10, 11})
    CHECK(finished.err.find(name_of(frame) +
                            ": exposure --auto --smooth 3: the exposure depends on s.0009.exr, which could not be "
                            "measured; fix the error of that input, then run again") != std::string::npos);
  std::map<std::string, std::string> clean = files_in(place, "clean");
  CHECK(files_in(place, "out").size() == 6);
  for (const auto& [name, bytes] : files_in(place, "out")) CHECK_MESSAGE(clean.at(name) == bytes, name);
  place.write("out/s.0009.exr", "kept");
  CHECK(place.shell(run + "out/ --no-clobber").err.find("then run again (s.0009.exr: ") != std::string::npos);
  std::filesystem::remove(place.path("out/s.0009.exr"));
  place.write("s.0009.exr", whole);
  done(place, run + "out/ --no-clobber");
  CHECK(files_in(place, "out") == clean);
  const Finished no_device = place.shell("VK_DRIVER_FILES=/none VK_ICD_FILENAMES=/none " + run + "none/ --mkdir");
  CHECK(no_device.exit_code == 4);
  CHECK(no_device.err.find("no Vulkan driver was found") != std::string::npos);
}

DEVICE_TEST_CASE("frames without a measurement, broken files and inputs that are no sequence are errors") {
  const TestFolder place;
  write_flash(place);
  done(place, "gpupost s.####.exr stats -o exposures.json");
  done(place,
       "grep -v s.0004 exposures.json > missing.json; (cat exposures.json; echo '{') > broken.json; "
       "cat exposures.json exposures.json > twice.json; gpupost s.0001.exr stats -o still.json; "
       "echo '{\"input\":\"s.0001.exr\",\"luminance\":{\"log_average\":1e300,\"histogram\":{}}}' > wrong.json; "
       "gpupost s.0001.exr stats --measure extremes -o extremes.json");
  check_refused(place, "gpupost s.####.exr exposure --auto-from missing.json -o out/ --mkdir", 5, "s.0004.exr");
  CHECK(files_in(place, "out").size() == frame_count - 1);
  check_refused(place, "gpupost s.0004.exr exposure --auto-from missing.json -o a.exr", 2, "not measured");
  const std::string smooth = "gpupost s.####.exr exposure --auto-from missing.json --smooth 3 --mkdir ";
  check_refused(place, smooth + "-o smooth/", 5, "the file has no line for this image");
  CHECK(files_in(place, "smooth").size() == frame_count - 5);
  check_refused(place, smooth + "-o shard/ --shard count:1/2", 5,
                "s.0003.exr: exposure --auto-from missing.json --smooth 3: the exposure depends on s.0004.exr");
  for (const char* file : {"wrong", "extremes"})
    check_refused(place, fmt::format("gpupost s.0001.exr exposure --auto-from {}.json -o a.exr", file), 2, "line 1 ");
  check_refused(place, "gpupost s.####.exr exposure --auto-from broken.json -o out/", 2, "line 12 ");
  check_refused(place, "gpupost s.####.exr exposure --auto-from twice.json -o out/", 2, "lines 1 and 12");
  check_refused(place, "gpupost s.0001.exr exposure --auto-from still.json --smooth 3 -o a.exr", 2, "no frame number");
  check_refused(place, "gpupost s.0001.exr exposure --auto-from none.json -o a.exr", 2, "none.json");
  check_refused(place, "gpupost s.0001.exr exposure --auto --smooth 3 -o a.exr", 1, "not one sequence");
  check_refused(place, "gpupost s.####.exr in.exr exposure --auto --smooth 3 -o out/", 1, "not one sequence");
  check_refused(place, "gpupost s.####.exr exposure --auto --smooth 3 --shard 1/2 -o out/", 1, "--auto-from");
  check_refused(place, "gpupost s.####.exr ocio --to ACEScct exposure --auto --smooth 3 -o out/", 1,
                "needs linear light");
  done(place, "gpupost s.0001.exr stats --measure extremes -o extremes.json");
  check_refused(place, "gpupost s.0001.exr exposure --auto-from extremes.json -o a.exr", 2,
                "without --measure extremes");
  check_refused(place, "gpupost s.####.exr stats -o a.json --resume", 1, "the chain writes no image to check later");
  check_refused(place, "gpupost s.####.exr --frames 1-12 sheet -o a.exr", 5, "skip it with --skip-missing");
  check_refused(place, "gpupost s.####.exr --frames 12 -o out/ --mkdir", 5, "render it again, or skip it");
  check_refused(place, "gpupost s.####.exr stats --table -o a.json", 1, "--table");
  check_refused(place, "gpupost s.####.exr stats -o '{stem}.json'", 1, "placeholders");
  check_refused(place, "gpupost exposure --auto-from exposures.json --bake 9 -o a.cube", 1, "cannot be in a table");
  place.write("s.0007.exr", made_files().at("cut.exr"));
  check_refused(place, "gpupost s.####.exr exposure --auto --smooth 3 -o rest/ --mkdir", 5, "s.0007.exr");
  CHECK(files_in(place, "rest").size() == frame_count - 5);
  check_refused(place, "gpupost s.####.exr exposure --auto --smooth 3 --fail-fast -o first/ --mkdir", 5, "s.0007.exr");
  for (const auto& [name, bytes] : files_in(place, "first")) CHECK_MESSAGE(place.read("rest/" + name) == bytes, name);
}
