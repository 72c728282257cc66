// `gpupost bench` as a black box.
#include "tests/program/test_folder.h"
#include "tests/program/tested_program.h"

#include "tests/support/json.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

using namespace gpupost::test;
using nlohmann::json;

namespace {

const Words tiny = {"bench",   "mips",      "--sizes", "37x21",      "--formats",
                    "rgba16f", "--repeats", "20",      "--variants", "per-level"};

double median_of_floor(const json& measured, const std::string& name) {
  for (const json& floor : measured["floors"])
    if (floor["floor"] == name) return floor["median_ms"];
  return -1;
}

}  // namespace

DEVICE_TEST_CASE("bench measures each variant that it lists, and its numbers hang together") {
  const TestFolder place;
  const Finished listed = place.gpupost({"bench", "mips", "--variants", "per-level", "--list"});
  CHECK(listed.exit_code == 0);
  const Finished finished = place.gpupost(with(tiny, {"--json", "bench.json"}));
  INFO(finished.out, finished.err);
  REQUIRE(finished.exit_code == 0);
  const json run = parse_json(place.read("bench.json"));
  CHECK(run["schema"] == "gpupost-bench-1");
  CHECK(run["command"] ==
        "gpupost bench mips --sizes 37x21 --formats rgba16f --repeats 20 --variants per-level --json bench.json");
  CHECK(run["program"].get<std::string>().starts_with("gpupost "));
  CHECK(run["date"].get<std::string>().size() == std::string("2026-01-02T03:04:05Z").size());
  CHECK(!run["device"]["name"].get<std::string>().empty());
  REQUIRE(run["cases"].size() == 1);
  const json& measured = run["cases"][0];
  CHECK(measured["width"] == 37);
  CHECK(measured["verified"]["height"] == 21);
  for (const char* key : {"setting", "setting_name", "setting_value"}) CHECK(!measured.contains(key));
  CHECK(measured["floors"].size() == 3);
  CHECK(measured["variants"].size() == size_t(std::ranges::count(listed.out, '\n')));
  const double floor = median_of_floor(measured, run["floor"]);
  for (const json& variant : measured["variants"]) {
    const std::string name = variant["variant"];
    INFO(name);
    CHECK(listed.out.find(name + "\n") != std::string::npos);
    CHECK(finished.out.find(name) != std::string::npos);
    if (variant["state"] == "not possible") continue;
    CHECK(variant["state"] == "measured");
    CHECK(variant["n"] == 20);
    CHECK(variant["min_ms"] > 0);
    CHECK(variant["min_ms"] <= variant["median_ms"]);
    CHECK(variant["median_ms"] <= variant["max_ms"]);
    CHECK(variant["ratio"].get<double>() == doctest::Approx(variant["median_ms"].get<double>() / floor));
    CHECK(variant["bytes"] > 37 * 21 * 8);
    CHECK(variant["gb_per_s"].get<double>() ==
          doctest::Approx(variant["bytes"].get<double>() / variant["median_ms"].get<double>() * 1e-6));
    CHECK(variant["nearest_to_tolerance"]["share"] <= 1);
  }
}

TEST_CASE("bench lists the variant without options as default, and takes that name") {
  const TestFolder place;
  CHECK(place.gpupost({"bench", "flip", "--list", "--fp16", "both"}, no_driver).out == "default\ndefault --fp16\n");
  CHECK(place.gpupost({"bench", "flip", "--list", "--variants", "default"}, no_driver).out == "default\n");
}

DEVICE_TEST_CASE("all names of standard output get the JSON of bench alone") {
  const TestFolder place;
  const std::string bench = "gpupost bench flip --quick --sizes 16,8 --json ";
  for (const char* name : {"-", "/dev/stdout"}) {
    const Finished finished = place.shell(bench + name + " | cat");
    CHECK_MESSAGE(finished.err == "", finished.err);
    CHECK(parse_json(finished.out)["cases"].size() == 2);
  }
  CHECK(place.shell(bench + "/dev/stdout --html - | cat").err.find("both write -") != std::string::npos);
}

DEVICE_TEST_CASE("what an op leaves to the host is in its times, and told") {
  const TestFolder place;
  const Finished finished = place.gpupost({"bench", "stats", "--sizes", "300x200", "--formats", "rgba16f", "--repeats",
                                           "20", "--variants", "extremes", "--json", "bench.json"});
  INFO(finished.out, finished.err);
  REQUIRE(finished.exit_code == 0);
  const json variants = parse_json(place.read("bench.json"))["cases"][0]["variants"];
  REQUIRE(variants.size() == 1);
  CHECK(variants[0]["host_ms"] > 0);
  CHECK(variants[0]["min_ms"] > variants[0]["host_ms"]);
}

DEVICE_TEST_CASE("the page of a measurement holds its numbers, and the page of kept JSON is the same") {
  const TestFolder place;
  REQUIRE(place.gpupost(with(tiny, {"--json", "a.json", "--html", "a.html"})).exit_code == 0);
  REQUIRE(place.gpupost({"bench", "--page", "a.json", "--html", "b.html"}).exit_code == 0);
  const std::string page = place.read("a.html");
  const json run = parse_json(place.read("a.json"));
  const json& variant = run["cases"][0]["variants"][0];
  CHECK(place.read("b.html") == page);
  CHECK(page.find(run["device"]["name"].get<std::string>()) != std::string::npos);
  CHECK(page.find(fmt::format("<td class=\"best\">{:.2f}</td>", variant["ratio"].get<double>())) != std::string::npos);
  CHECK(page.find(fmt::format("<td>{:.4f}</td>", variant["median_ms"].get<double>())) != std::string::npos);
  CHECK(page.find("<path d=\"M") != std::string::npos);
  for (const std::string loaded : {"http://", "https://", "<script", "<link", "src="})
    CHECK_MESSAGE(page.find(loaded) == std::string::npos, loaded);
  REQUIRE(place.gpupost({"bench", "--page", "a.json", "a.json", "--html", "two.html"}).exit_code == 0);
  CHECK(place.read("two.html").size() > 3 * page.size() / 2);
}

TEST_CASE("the page of what was measured before there were settings holds its numbers") {
  const TestFolder place;
  const std::string kept = std::filesystem::absolute("docs/performance/mips_documents.json");
  REQUIRE(place.gpupost({"bench", "--page", kept, "--html", "kept.html"}).exit_code == 0);
  const std::string page = place.read("kept.html");
  for (const std::string shown : {"<h3>RGBA16F</h3>", "about +40 %", "median to floor"})
    CHECK_MESSAGE(page.find(shown) != std::string::npos, shown);
}

TEST_CASE("what a page shows of its input is text and no markup") {
  const TestFolder place;
  const json run{{"schema", "gpupost-bench-1"},
                 {"program", "<b>"},
                 {"date", "&"},
                 {"command", "<script>"},
                 {"device", {{"name", "<i>"}, {"driver", "\""}}},
                 {"op", "mips"},
                 {"floor", "read"},
                 {"cases", json::array()},
                 {"documents", json::array()}};
  place.write("odd.json", run.dump());
  REQUIRE(place.gpupost({"bench", "--page", "odd.json", "--html", "odd.html"}).exit_code == 0);
  const std::string page = place.read("odd.html");
  for (const char* markup : {"<b>", "<script>", "<i>"}) CHECK(page.find(markup) == std::string::npos);
  CHECK(page.find("&lt;script&gt;") != std::string::npos);
}

DEVICE_TEST_CASE("bench tells a program of each case, and says nothing of progress in a pipe") {
  const TestFolder place;
  const Words two{"bench", "mips", "--quick", "--sizes", "37x21,5x3", "--formats", "rgba16f"};
  CHECK(place.gpupost(two).err.empty());
  const Finished finished = place.gpupost(with(two, {"--progress", "json", "--progress-file", "p.json"}));
  REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
  CHECK(finished.err.empty());
  std::vector<json> lines;
  for (const std::string& line : lines_of(place.read("p.json"))) lines.push_back(parse_json(line));
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == json{{"event", "start"}, {"cases", 2}});
  CHECK(lines[1]["event"] == "case");
  CHECK(lines[1]["case"] == "mips 37 x 21 RGBA16F");
  CHECK(lines[1]["done"] == 1);
  CHECK(lines[1]["percent"] == 50);
  CHECK(lines[1]["seconds_left"].get<double>() > 0);
  CHECK(lines[2]["case"] == "mips 5 x 3 RGBA16F");
  CHECK(lines[2]["exit"] == 0);
  CHECK(lines[3]["event"] == "end");
  CHECK(lines[3]["cases"] == 2);
  CHECK(place.gpupost(with(two, {"--progress", "json", "--progress-file", "a", "--json", "a"})).exit_code == 1);
  CHECK(place.gpupost(with(two, {"--progress", "json", "--progress-file", "/dev/full"})).exit_code == 3);
}

DEVICE_TEST_CASE("bench finds a kernel that is wrong, does not time it, and ends with 6") {
  const Finished finished =
      TestFolder().gpupost(with(tiny, {"--json", "-"}), {{"GPUPOST_VALIDATE", "1"}, {"GPUPOST_FAULT", "pass"}});
  INFO(finished.err);
  CHECK(finished.exit_code == 6);
  const json variant = parse_json(finished.out)["cases"][0]["variants"][0];
  CHECK(variant["state"] == "failed");
  CHECK(variant["why"].get<std::string>().starts_with("level 5: largest error"));
  CHECK(!variant.contains("median_ms"));
}

DEVICE_TEST_CASE("bench --goals has a ratio for every goal") {
  const TestFolder place;
  const Finished finished =
      place.gpupost({"bench", "--goals", "--quick", "--json", "goals.json", "--html", "goals.html"});
  INFO(finished.out, finished.err);
  REQUIRE(finished.exit_code == 0);
  const json goals = parse_json(place.read("goals.json"))["goals"];
  CHECK(goals.size() == 25);
  const std::string page = place.read("goals.html");
  for (const json& goal : goals) {
    const std::string what = goal["what"];
    INFO(what);
    CHECK(goal["why"] == "");
    const double median = goal["median_ms"], compared = goal["compared_ms"];
    const bool is_gain = goal["compared_with"] == "row order";
    CHECK(goal["ratio"].get<double>() == doctest::Approx(is_gain ? compared / median : median / compared));
    CHECK(goal["reached"] == false);  // images of --quick are too small
    CHECK(finished.out.find(fmt::format("{:.2f}{:7.2f}", goal["ratio"].get<double>(), goal["goal"].get<double>())) !=
          std::string::npos);
    CHECK(page.find(what) != std::string::npos);
  }
}

DEVICE_TEST_CASE("published figures stand beside those of the device") {
  const TestFolder place;
  const Finished finished = place.gpupost({"bench", "mips", "--documents", "--sizes", "256", "--formats", "rgba16f",
                                           "--repeats", "20", "--json", "claims.json", "--html", "claims.html"});
  INFO(finished.out, finished.err);
  REQUIRE(finished.exit_code == 0);
  const json run = parse_json(place.read("claims.json"));
  REQUIRE(run["documents"].size() == 1);
  const json& claim = run["documents"][0];
  CHECK(claim["what"] == "half arithmetic");
  CHECK(claim["claimed"] == "about +40 %");
  CHECK(claim["width"] == 256);
  const auto median = [&](const std::string& name) {
    for (const json& variant : run["cases"][0]["variants"])
      if (variant["variant"] == claim[name]) return variant["median_ms"].get<double>();
    return 0.0;
  };
  CHECK(claim["gain_percent"].get<double>() == doctest::Approx(100 * (median("slower") / median("faster") - 1)));
  const std::string gain = fmt::format("{:+.1f} %", claim["gain_percent"].get<double>());
  CHECK(finished.out.find(gain) != std::string::npos);
  CHECK(place.read("claims.html").find(gain) != std::string::npos);
}

DEVICE_TEST_CASE("an op with settings is measured at each of those asked for, and its plots are over them") {
  const TestFolder place;
  const Finished finished =
      place.gpupost({"bench", "blur", "--sizes", "33x17", "--formats", "rgba8,rgba16f", "--settings", "1,3",
                     "--variants", "32x8", "--quick", "--json", "blur.json", "--html", "blur.html"});
  INFO(finished.out, finished.err);
  REQUIRE(finished.exit_code == 0);
  CHECK(finished.out.find("blur 33 x 17 RGBA16F --sigma 3\n") != std::string::npos);
  const json run = parse_json(place.read("blur.json"));
  std::vector<std::string> settings;
  for (const json& measured : run["cases"])
    if (measured["format"] == "RGBA8") settings.push_back(measured["setting"]);
  CHECK(settings == std::vector<std::string>{"--radius 1", "--sigma 1", "--radius 3", "--sigma 3"});
  CHECK(run["cases"].size() == 8);
  const json& last = run["cases"].back();
  CHECK(last["setting_name"] == "sigma");
  CHECK(last["setting_value"] == 3);
  CHECK(last["variants"][0]["state"] == "measured");
  CHECK(last["variants"][0]["variant"] == "--method direct --order z --workgroup 32x8");
  const std::string page = place.read("blur.html");
  for (const std::string shown : {"<h3>RGBA8, 33\u00d717, --radius</h3>", "<h3>RGBA16F, 33\u00d717, --sigma</h3>",
                                  "<th>--radius 1</th><th>--radius 3</th>", "median to floor", ">radius</text>"})
    CHECK_MESSAGE(page.find(shown) != std::string::npos, shown);
  CHECK(page.find(fmt::format("{:.2f}, {:.4f} ms</title>", last["variants"][0]["ratio"].get<double>(),
                              last["variants"][0]["median_ms"].get<double>())) != std::string::npos);
}

DEVICE_TEST_CASE("graphs that documents show are drawn in milliseconds, with the floor") {
  const TestFolder place;
  const Finished finished =
      place.gpupost({"bench", "blur", "--documents", "--sizes", "33x17", "--formats", "rgba8", "--settings", "1,2",
                     "--repeats", "20", "--json", "blur.json", "--html", "blur.html"});
  INFO(finished.out, finished.err);
  REQUIRE(finished.exit_code == 0);
  const json run = parse_json(place.read("blur.json"));
  CHECK(run["documents"].empty());  // they speak of 4096 x 4096
  CHECK(run["graphs"][0]["what"].get<std::string>().starts_with("time against the radius"));
  REQUIRE(run["cases"].size() == 2);
  CHECK(run["cases"][1]["setting"] == "--radius 2");
  CHECK(run["cases"][1]["variants"].size() == 3);
  const std::string page = place.read("blur.html");
  const std::string median = fmt::format("{:.4f}</td>", run["cases"][1]["variants"][2]["median_ms"].get<double>());
  for (const std::string& shown : {median, std::string("median, ms"), std::string("floor: copy</text>")})
    CHECK_MESSAGE(page.find(shown) != std::string::npos, shown);
}

TEST_CASE("a time that a document claims stands in the page beside the device's, with the remark on it") {
  const TestFolder place;
  const json run{{"schema", "gpupost-bench-1"},
                 {"program", "gpupost"},
                 {"date", ""},
                 {"command", ""},
                 {"device", {{"name", ""}, {"driver", ""}}},
                 {"op", "blur"},
                 {"floor", "copy"},
                 {"cases", json::array()},
                 {"documents",
                  {{{"what", "box"},
                    {"claimed", "0.17 ms"},
                    {"where", "post"},
                    {"width", 4096},
                    {"height", 4096},
                    {"format", "RGBA8"},
                    {"variant", "--order z"},
                    {"why", ""},
                    {"median_ms", 0.25},
                    {"gb_per_s", 536.87},
                    {"floor_gb_per_s", 2600}}}},
                 {"remark", "no <targets>"}};
  place.write("claim.json", run.dump());
  REQUIRE(place.gpupost({"bench", "--page", "claim.json", "--html", "claim.html"}).exit_code == 0);
  const std::string page = place.read("claim.html");
  for (const std::string shown : {"<td>0.17 ms</td>", "0.2500 ms, 536.9 GB/s (floor 2600.0)", "no &lt;targets&gt;"})
    CHECK_MESSAGE(page.find(shown) != std::string::npos, shown);
}

DEVICE_TEST_CASE("tune keeps a winner for each kind of picture, shows it and forgets it") {
  const TestFolder place;
  const Environment own{{"XDG_CACHE_HOME", place.path("cache")}};
  const Finished nothing = place.gpupost({"tune", "--list"}, own);
  CHECK(nothing.out.find("no results stored") != std::string::npos);
  const Finished tuned = place.gpupost({"tune", "mips", "--sizes", "33x17", "--variants", "per-level"}, own);
  INFO(tuned.out, tuned.err);
  REQUIRE(tuned.exit_code == 0);
  const Finished listed = place.gpupost({"tune", "--list"}, own);
  CHECK(listed.out.find("33 x 17") != std::string::npos);
  CHECK(listed.out.find("RGBA32F") != std::string::npos);
  for (const std::string& line : lines_of(listed.out)) CHECK(tuned.out.find(line + ", ") != std::string::npos);
  CHECK(std::ranges::count(listed.out, '\n') == std::ranges::count(tuned.out, '\n'));
  CHECK(std::ranges::count(listed.out, '\n') >= 2);
  CHECK(place.gpupost({"tune", "mips", "--sizes", "20x10", "--variants", "per-level"}, own).exit_code == 0);
  const std::string both = place.gpupost({"tune", "--list"}, own).out;
  CHECK(std::ranges::count(both, '\n') == 2 * std::ranges::count(listed.out, '\n'));
  CHECK(place.gpupost({"tune", "--forget"}, own).out.find("forgotten") != std::string::npos);
  CHECK(place.gpupost({"tune", "--list"}, own).out == nothing.out);
  place.write("file", "");
  const Finished refused = place.gpupost({"tune", "mips", "--sizes", "33x17", "--variants", "per-level"},
                                         {{"XDG_CACHE_HOME", place.path("file/cache")}});
  CHECK_MESSAGE(refused.exit_code == 3, refused.err);
  CHECK(refused.out.empty());  // nothing is measured in vain
}

namespace {

// A run of one case whose variants have these ratios; its sides are in texels.
json run_with(int width, const std::vector<double>& ratios) {
  const auto times = [](double median) {
    return json{{"min_ms", median}, {"median_ms", median}, {"max_ms", median}, {"n", 20}, {"gb_per_s", 1.0}};
  };
  json variants = json::array();
  for (const double ratio : ratios) {
    json variant = times(ratio);
    variant.update(
        {{"variant", std::to_string(variants.size())}, {"state", "measured"}, {"why", ""}, {"ratio", ratio}});
    variants.push_back(variant);
  }
  json floor = times(0);
  floor.update({{"floor", "copy"}, {"shape", "lines"}});
  return {{"schema", "gpupost-bench-1"},
          {"program", "p"},
          {"date", "d"},
          {"command", "c"},
          {"device", {{"name", "n"}, {"driver", "d"}}},
          {"op", "blur"},
          {"floor", "copy"},
          {"cases",
           {{{"width", width},
             {"height", width},
             {"format", "RGBA8"},
             {"obstacle", ""},
             {"verified", {{"width", width}, {"height", width}}},
             {"floors", {floor}},
             {"variants", variants}}}},
          {"documents", json::array()}};
}

}  // namespace

TEST_CASE("a page of numbers that no axis can show has them in its table") {
  const TestFolder place;
  // a plot without end would fill all memory; AddressSanitizer reserves more address space than any limit leaves
  const std::string_view in_one_gigabyte = is_tested_sanitized() ? "" : "ulimit -v 1000000; ";
  for (const std::vector<double>& ratios :
       {std::vector{0.0, 0.0}, {0.0, 1.5}, {-1.0, 2.0}, {5e-324, 1.0}, {1e308, 1.0}, {1.0, 0.0, -3.0}})
    for (const int width : {64, 0}) {
      place.write("zero.json", run_with(width, ratios).dump());
      const Finished finished =
          place.run({.program = "/bin/bash",
                     .words = {"-c", fmt::format("{}exec {} bench --page zero.json --html zero.html", in_one_gigabyte,
                                                 tested_program())}});
      CHECK_MESSAGE(finished.exit_code == 0, finished.err);
      const std::string page = place.read("zero.html");
      CHECK(page.find("nan") == page.npos);
      CHECK(page.find("inf") == page.npos);
      if (width > 0) CHECK(page.find("<table>") != page.npos);
    }
}

TEST_CASE("bench refuses to write two results to one file, or a page over what it is made of") {
  const TestFolder place;
  place.write("run.json", run_with(64, {1.0}).dump());
  const auto before = place.files();
  for (const Words& words : {Words{"bench", "mips", "--json", "out", "--html", "out"},
                             {"bench", "mips", "--json", "out", "--html", "./out"},
                             {"bench", "mips", "--json", "-", "--html", "-"},
                             {"bench", "--page", "run.json", "--html", "run.json"},
                             {"bench", "--page", "run.json", "--html", "sub/../run.json"}}) {
    const Finished finished = place.gpupost(words, no_driver);
    CHECK_MESSAGE(finished.exit_code == 1, text_of({.program = "gpupost", .words = words}));
    CHECK(is_one_error(finished.err));
  }
  CHECK(place.files() == before);
}

TEST_CASE("bench looks at where its results go before it measures") {
  const TestFolder place;
  REQUIRE(place.shell("ln -s out.json link.html").exit_code == 0);
  for (const Words& results : {Words{"--json", "nowhere/out.json"}, {"--json", "out.json", "--html", "link.html"}}) {
    const Finished finished = place.gpupost(with({"bench", "mips"}, results), no_driver);
    CHECK_MESSAGE(finished.exit_code == 3, finished.err);  // and not 4: no device was asked for
    CHECK(is_one_error(finished.err));
  }
  CHECK_FALSE(place.has("out.json"));
}

TEST_CASE("a page is made of files that end and can be read") {
  const TestFolder place;
  for (const std::string file : {"/dev/zero", "sub", "none.json"}) {
    const Finished finished = place.gpupost({"bench", "--page", file, "--html", "out.html"}, no_driver);
    CHECK(finished.exit_code == 2);
    CHECK_MESSAGE(finished.err.starts_with("gpupost: " + file + ": "), finished.err);
  }
  CHECK_FALSE(place.has("out.html"));
}

DEVICE_TEST_CASE("bench --quick measures every op that has a reference and passes") {
  const TestFolder place;
  const std::string known = place.gpupost({"bench"}).err;  // "expected one of bilateral, blur, ..."
  std::istringstream names(known.substr(known.find("one of ") + 7));
  size_t measured_count = 0;
  for (std::string name; names >> name; ++measured_count) {
    if (name.ends_with(',')) name.pop_back();
    CAPTURE(name);
    const bool takes_cubes = name == "prefilter" || name == "irradiance";
    const std::string size = takes_cubes ? "96x16" : "37x21";
    const Finished finished = place.gpupost({"bench", name, "--quick", "--sizes", size, "--json", "b.json"});
    INFO(finished.out, finished.err);
    REQUIRE(finished.exit_code == 0);
    const json run = parse_json(place.read("b.json"));
    REQUIRE(run["cases"].size() == 1);
    REQUIRE(run["cases"][0]["variants"].size() == 1);
    const json& variant = run["cases"][0]["variants"][0];
    if (name == "shift") {
      CHECK(variant["why"] == "it has no passes, so there is nothing to measure");
      continue;
    }
    CHECK(variant["state"] == "measured");
    CHECK(variant["ratio"] > 0);
  }
  CHECK(measured_count >= 45);
}
