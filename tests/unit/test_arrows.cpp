// Who may include and call whom. CMakeLists.txt has one line a folder, gpupost_folder(FOLDER FOLDERS...): what the folder may use.
// These tests hold the include lines against it, and the symbols of the folders' libraries for what only the linker sees.
#include "tests/support/process.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// What each folder may use beside itself.
using Arrows = std::map<std::string, std::set<std::string>>;

std::string file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Arrows arrows_of(const std::string& cmake) {
  Arrows arrows;
  static const std::regex line(R"(gpupost_folder\(\s*([^\s)]+)([^)]*)\))");
  for (std::sregex_iterator at(cmake.begin(), cmake.end(), line), end; at != end; ++at) {
    std::istringstream words((*at)[2]);
    std::set<std::string>& used = arrows[(*at)[1]];
    for (std::string word; words >> word;) used.insert(word);
  }
  return arrows;
}

const Arrows& arrows() {
  static const Arrows read = arrows_of(file("CMakeLists.txt"));
  return read;
}

std::string folder_of(const std::string& path) { return fs::path(path).parent_path().string(); }

// What is wrong with one include line of a file; empty if nothing is.
std::string fault(const std::string& path, const std::string& line) {
  static const std::regex include(R"re(\s*#\s*include\s*["<]([^">]+)[">].*)re");
  static const std::regex governed("(cli|core|kernels|tests)/.*|vulkan/.*|shaderc/.*|.*\\.glsl");
  std::smatch match;
  if (!std::regex_match(line, match, include)) return "";
  const std::string name = match[1], from = folder_of(path);
  if (!std::regex_match(name, governed)) return "";
  if (path.starts_with("kernels/")) return name.ends_with(".glsl") ? "" : fmt::format("{} includes {}", path, name);
  const auto own = arrows().find(from);
  if (own == arrows().end())
    return fmt::format("{} is in a folder that CMakeLists.txt has no gpupost_folder line for", path);
  if (name.starts_with("vulkan/") || name.starts_with("shaderc/"))
    return from == "core/gpu" ? "" : fmt::format("{} includes {}; only core/gpu may", path, name);
  const std::string to = folder_of(name);
  if (to == from || own->second.contains(to)) return "";
  return fmt::format("{} includes {}; gpupost_folder({} ...) does not name {}", path, name, from, to);
}

std::vector<std::string> sources() {
  std::vector<std::string> files;
  for (const char* folder : {"cli", "core", "kernels"})
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) files.push_back(entry.path().string());
  return files;
}

// Does `from` reach `to` along the arrows?
bool reaches(const std::string& from, const std::string& to, std::set<std::string>& seen) {
  if (!seen.insert(from).second) return false;
  const auto own = arrows().find(from);
  if (own == arrows().end()) return false;
  return std::ranges::any_of(own->second,
                             [&](const std::string& next) { return next == to || reaches(next, to, seen); });
}

// The names of our own in a folder's library that it defines, or that it needs from elsewhere.
std::set<std::string> symbols(const fs::path& library, bool defined) {
  std::set<std::string> names;
  std::istringstream lines(
      gpupost::test::run(
          {.program = "/usr/bin/nm", .words = {defined ? "--defined-only" : "--undefined-only", library.string()}})
          .out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, kind, name;
    while (words >> word) kind = name, name = word;
    const bool is_global = defined ? std::string("TDBR").find(kind) != std::string::npos : kind == "U";
    if (is_global && name.find("7gpupost") != std::string::npos) names.insert(name);
  }
  return names;
}

}  // namespace

TEST_CASE("every include line keeps to the arrows") {
  const std::vector<std::string> files = sources();
  CHECK(files.size() > 200);
  for (const std::string& path : files) {
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);)
      if (const std::string found = fault(path, line); !found.empty()) FAIL_CHECK(found);
  }
}

TEST_CASE("arrows only go down") {
  CHECK(arrows().size() > 30);
  for (const auto& [folder, used] : arrows()) {
    std::set<std::string> seen;
    CHECK_MESSAGE(!reaches(folder, folder, seen), folder, " uses itself through others");
    for (const std::string& other : used) CHECK_MESSAGE(arrows().contains(other), folder, " names ", other);
  }
}

TEST_CASE("what only the linker sees keeps to the arrows too") {
  const auto library = [](std::string folder) {
    std::ranges::replace(folder, '/', '_');
    return fs::path(GPUPOST_LIBRARIES) / ("libgpupost_" + folder + ".a");
  };
  std::map<std::string, std::string> owner;  // of each symbol
  for (const auto& [folder, used] : arrows())
    if (fs::exists(library(folder)))
      for (const std::string& name : symbols(library(folder), true)) owner.emplace(name, folder);
  CHECK(owner.size() > 500);
  for (const auto& [folder, used] : arrows()) {
    if (!fs::exists(library(folder))) continue;
    for (const std::string& name : symbols(library(folder), false)) {
      const auto found = owner.find(name);
      if (found == owner.end() || found->second == folder) continue;
      CHECK_MESSAGE(used.contains(found->second), folder, " calls ", name, " of ", found->second);
    }
  }
}

TEST_CASE("only core/gpu speaks Vulkan") {
  const std::regex vulkan(R"(\b(vk[A-Z]\w+|Vk[A-Z]\w+|VK_[A-Z]\w+|shaderc_\w+)\b)");
  // comments, and the loader's variables that doctor names, are no Vulkan
  const std::regex allowed("//.*|\"VK_(DRIVER_FILES|ICD_FILENAMES|LOADER_DRIVERS_SELECT)\"");
  for (const std::string& path : sources()) {
    if (path.starts_with("core/gpu/") || path.starts_with("kernels/")) continue;
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);)
      CHECK_MESSAGE(!std::regex_search(std::regex_replace(line, allowed, ""), vulkan), path, ": ", line);
  }
}

TEST_CASE("kernels/ has the folders of core/ops, and lib, shared, bench and blocks") {
  std::set<std::string> ops{"lib", "shared", "bench", "blocks"};
  for (const auto& entry : fs::directory_iterator("core/ops"))
    if (entry.is_directory()) ops.insert(entry.path().filename().string());
  for (const auto& entry : fs::directory_iterator("kernels")) {
    const std::string name = entry.path().filename().string();
    CHECK_MESSAGE(entry.is_directory(), entry.path().string(), " stands in no folder");
    CHECK_MESSAGE(ops.contains(name), "kernels/", name, " is no folder of core/ops");
  }
}

TEST_CASE("an include line against the arrows is found") {
  const std::pair<std::string, std::string> wrong[] = {
      {"cli/jobs/run.cpp", "#include <vulkan/vulkan.h>"},
      {"core/plan/plan.cpp", "#include \"vulkan/vulkan.h\""},
      {"core/op/op.h", "#include \"cli/jobs/run.h\""},
      {"core/op/op.h", "#include \"core/plan/plan.h\""},
      {"core/plan/plan.h", "#include \"core/gpu/gpu.h\""},
      {"core/reference/verify.cpp", "#include \"core/codec/codec.h\""},
      {"core/ops/blur/row.cpp", "#include \"core/gpu/gpu.h\""},
      {"core/ops/blur/row.cpp", "#include \"core/ops/dof/reference.h\""},
      {"core/codec/png/write.cpp", "#include \"core/gpu/gpu.h\""},
      {"core/codec/png/write.cpp", "  #  include \"cli/text/help.h\"  // x"},
      {"core/gpu/gpu.cpp", "#include \"core/engine/run_chain.h\""},
      {"core/pipeline/process_image.cpp", "#include \"cli/jobs/run.h\""},
      {"core/new/gpu.cpp", "#include <shaderc/shaderc.hpp>"},
      {"cli/jobs/run.cpp", "#include \"tests/support/device.h\""},
      {"kernels/blur/taps.glsl", "#include \"core/op/op.h\""}};
  for (const auto& [path, line] : wrong) CHECK_MESSAGE(!fault(path, line).empty(), path, ": ", line);
}

TEST_CASE("an include line along the arrows is let through") {
  const std::pair<std::string, std::string> right[] = {{"core/gpu/gpu.cpp", "#include <vulkan/vulkan.h>"},
                                                       {"core/gpu/spirv.cpp", "#include <shaderc/shaderc.hpp>"},
                                                       {"core/ops/blur/row.cpp", "#include \"core/plan/plan.h\""},
                                                       {"core/plan/plan.cpp", "#include <fmt/ranges.h>"},
                                                       {"core/op/op.cpp", "// #include \"cli/jobs/run.h\""},
                                                       {"kernels/blur/taps.glsl", "#include \"lib/order.glsl\""}};
  for (const auto& [path, line] : right) CHECK_MESSAGE(fault(path, line) == "", path, ": ", line);
}
