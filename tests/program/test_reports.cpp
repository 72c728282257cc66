// What --report and --timing say.
#include "tests/program/test_folder.h"

#include "tests/support/json.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <tuple>

using namespace gpupost;
using namespace gpupost::test;
using json = nlohmann::json;

DEVICE_TEST_CASE("the report is JSON whose fields are there and whose numbers make sense") {
  for (const auto& [method, pass_count] : {std::pair{"per-level", 5}, {"single-pass", 1}}) {
    const TestFolder place;
    check_done(place, {"mips", "in.exr", "--fp16", "--method", method, "--report", "r.json", "--verify"});
    const json report = parse_json(place.read("r.json"));
    CHECK(report["schema"] == "gpupost-report-1");
    CHECK(report["chain"] == json{fmt::format("mips --method {}", method)});
    CHECK(report["cores"].get<int>() > 0);
    for (const std::string field : {"version", "commit", "host"}) CHECK_MESSAGE(report[field].is_string(), field);
    for (const std::string field : {"name", "type", "driver", "uuid", "vulkan", "subgroup_size"})
      CHECK_MESSAGE(report["device"].contains(field), field);
    REQUIRE(report["jobs"].size() == 1);
    const json& job = report["jobs"][0];
    CHECK(job["input"] == "in.exr");
    CHECK(job["outputs"] == json{"in.mips.exr"});
    CHECK(job["width"] == 37);
    CHECK(job["storage"] == "16f");
    CHECK(job["error"] == "");
    CHECK(job["choices"] == json{fmt::format("mips: {}, asked for", method)});
    REQUIRE(int(job["passes"].size()) == pass_count);
    size_t read = 0, written = 0;
    for (const json& pass : job["passes"]) {
      read += pass["bytes_read"].get<size_t>();
      written += pass["bytes_written"].get<size_t>();
      CHECK(pass["ms"].get<double>() >= 0);
      CHECK(pass["ms"].get<double>() <= job["stages_ms"]["total"].get<double>());
      const double share_of_copy = pass["gb_per_s"].get<double>() / job["copy_gb_per_s"]["16f"].get<double>();
      CHECK(pass["percent_of_copy"].get<double>() == doctest::Approx(100 * share_of_copy));
    }
    // 8 bytes a texel: levels 1 to 5 are written, the one above each is read, or the base alone
    const size_t below = 8 * (18 * 10 + 9 * 5 + 4 * 2 + 2 + 1);
    CHECK(written == below);
    CHECK(read == (pass_count == 1 ? size_t(8 * 37 * 21) : 8 * 37 * 21 + below - 8));
    double sum = 0;
    for (const char* stage : {"decode", "verify", "encode", "write"}) sum += job["stages_ms"][stage].get<double>();
    CHECK(job["stages_ms"]["total"].get<double>() >= sum * 0.99);
    CHECK(job["verify"].size() == 5);
    for (const json& check : job["verify"]) CHECK(check["share_of_tolerance"].get<double>() <= 1);
    CHECK(job["copy_gb_per_s"]["16f"].get<double>() > 0);
  }
}

TEST_CASE("JSON has the bytes of names that are not UTF-8") {
  const TestFolder place;
  const std::string in = "\xff.png", out = "\xfe.exr";
  const json in_bytes{0xff, '.', 'p', 'n', 'g'}, out_bytes{{0xfe, '.', 'e', 'x', 'r'}};
  place.write(in, place.read("in.png"));
  REQUIRE(place.gpupost({in, "-o", out, "--report", "r", "--progress", "json", "--progress-file", "p"}).exit_code == 0);
  for (const json& job : {parse_json(place.read("r"))["jobs"][0], parse_json(lines_of(place.read("p"))[1])}) {
    CHECK(job["input"] == "\\xff.png");
    CHECK(job["input_bytes"] == in_bytes);
    CHECK(job["outputs"] == json{"\\xfe.exr"});
    CHECK(job["outputs_bytes"] == out_bytes);
  }
  const json pair = parse_json(place.gpupost({"compare", "in.png", in, "--json"}).out)["pairs"][0];
  CHECK(pair["b"] == "\\xff.png");
  CHECK(pair["b_bytes"] == in_bytes);
  CHECK(!pair.contains("a_bytes"));
  CHECK(parse_json(place.gpupost({"info", in, "--json"}).out)["file_bytes"] == in_bytes);
  const std::string text = place.gpupost({"info", in}).out;
  CHECK(text.starts_with("file            \\xff.png\nformat "));
}

DEVICE_TEST_CASE("--verify checks the result of a chain that changes nothing") {
  const TestFolder place;
  const Finished finished =
      place.gpupost({"exposure", "--stops", "0", "in.exr", "-o", "out.exr", "--verify", "--report", "r.json"});
  CHECK(finished.exit_code == 0);
  CHECK_MESSAGE(finished.err.find("closest to its tolerance: level 0: largest error 0 at") != std::string::npos,
                finished.err);
  CHECK(parse_json(place.read("r.json"))["jobs"][0]["verify"].size() == 1);
}

DEVICE_TEST_CASE("storage is half if the numbers of the input and of the output both fit into halves, else float") {
  const TestFolder place;
  for (const auto& [input, bits, storage] : {std::tuple("in.png", "16f", "16f"),
                                             {"in.png", "32f", "32f"},
                                             {"deep.png", "16f", "32f"},
                                             {"float.exr", "16f", "32f"}}) {
    check_done(place, {"gain", "--value", "0.5", input, "-o", "out.exr", "--bits", bits, "--report", "r.json"});
    CHECK_MESSAGE(parse_json(place.read("r.json"))["jobs"][0]["storage"] == storage, input, " to ", bits);
  }
  const auto storage_of = [&](const char* words) {
    CHECK(place.shell(std::string("gpupost --report r.json ") + words).exit_code == 0);
    const std::string plan = place.shell(std::string("gpupost --explain ") + words).out;
    const std::string storage = parse_json(place.read("r.json"))["jobs"][0]["storage"];
    CHECK_MESSAGE(plan.find("RGBA" + std::string(storage == "16f" ? "16F" : "32F")) != plan.npos, plan);
    return storage;
  };
  CHECK(storage_of("in.png stats") == "32f");
  CHECK(storage_of("in.exr stats") == "16f");
  CHECK(storage_of("in.png luminance -o out.exr") == "32f");
  CHECK(storage_of("in.png mips --bleed -o out.ktx2") == "32f");
  CHECK(storage_of("in.png threshold -o out.png") == "32f");
  CHECK(storage_of("in.png invert -o out.png") == "32f");
  CHECK(storage_of("in.png mips --coverage 0.5 -o out.ktx2") == "32f");
  CHECK(storage_of("in.exr threshold -o out.exr") == "16f");
  CHECK(storage_of("in.png mips -o out.ktx2") == "16f");
  CHECK(storage_of("in.png blur --radius 1 -o out.hdr") == "32f");
  CHECK(storage_of("in.png blur --radius 1 -o out.png") == "16f");
}

TEST_CASE("the report of a conversion names no device, that of a bad input its error") {
  const TestFolder place;
  CHECK(place.gpupost({"in.exr", "-o", "out.png", "--report", "r.json"}, no_driver).exit_code == 0);
  const json report = parse_json(place.read("r.json"));
  CHECK(report["device"].is_null());
  CHECK(report["jobs"][0]["passes"].empty());
  CHECK(place.gpupost({"cut.exr", "-o", "out.png", "--report", "bad.json"}, no_driver).exit_code == 2);
  CHECK(parse_json(place.read("bad.json"))["jobs"][0]["error"].get<std::string>().find("cut.exr") != std::string::npos);
}

DEVICE_TEST_CASE("--timing prints the table on standard error") {
  const TestFolder place;
  const Finished finished = place.gpupost({"mips", "in.exr", "--timing", "--quiet"});
  CHECK(finished.exit_code == 0);
  CHECK(finished.out == "");
  for (const std::string part : {"in.exr: 37 x 21\n", "mips: ", "GB/s", "mips ", "decode", "upload", "passes",
                                 "download", "encode", "write", "total"})
    CHECK_MESSAGE(finished.err.find(part) != std::string::npos, "no ", part, " in\n", finished.err);
  const Finished kept = place.gpupost({"in.png", "in.exr", "-o", "in.mips.{ext}", "--no-clobber", "--timing"});
  CHECK(kept.exit_code == 0);
  CHECK_MESSAGE(kept.err.find("0 x 0") == std::string::npos, kept.err);
}
