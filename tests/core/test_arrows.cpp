// Who may include whom: the arrows of the house, held against every #include line.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// What the files of a folder may include of ours and of Vulkan's. A pattern is a regular expression for the whole name.
struct Arrow {
  const char* from;  // whole path of the including file
  const char* to;
};

const Arrow arrows[] = {
    {"kernels/.*", "[a-z0-9_]+\\.glsl"},
    {"core/ops/.*",
     "core/"
     "(op|plan|attributes|error|bloom|blur|blur_bench|bright_pass|channels|coverage|depth_of_field|filtering|forms|"
     "local_gamma|"
     "local_tone|luminance|picture|point|point_file|"
     "primaries|statistics|"
     "tonemap|window_bounds)\\.h|core/"
     "(ops|passes)/[a-z_]+\\.h"},
    {"core/passes/.*",
     "core/(op|plan|error|blur|filtering|local_tone|luminance|picture|statistics)\\.h|core/passes/[a-z_]+\\.h"},
    {"core/child/.*", "core/child/.*|core/error\\.h"},
    {"core/codec/.*", "core/(child|codec)/.*|core/(picture|memory|half|convert|error|threads|window_bounds)\\.h"},
    {"core/gpu/.*", "core/(child|gpu)/.*|core/[a-z_]+\\.h|vulkan/.*|shaderc/.*"},
    {"core/[a-z_]+\\.(h|cpp)", "core/[a-z_]+\\.h"},
    {"cli/.*", "cli/.*|core/.*"},
};

// Names that the arrows speak of; the standard library and the packages are free.
const std::regex governed("(cli|core|kernels|tests)/.*|vulkan/.*|shaderc/.*|.*\\.glsl");

// What is wrong with one include line of a file: "" where nothing is.
std::string fault(const std::string& file, const std::string& line) {
  static const std::regex include(R"re(\s*#\s*include\s*["<]([^">]+)[">].*)re");
  std::smatch match;
  if (!std::regex_match(line, match, include)) return "";
  const std::string name = match[1];
  if (!std::regex_match(name, governed)) return "";
  for (const Arrow& arrow : arrows)
    if (std::regex_match(file, std::regex(arrow.from)))
      return std::regex_match(name, std::regex(arrow.to))
                 ? ""
                 : fmt::format("{} includes {}; it may include {}", file, name, arrow.to);
  return fmt::format("{} includes {}; no arrow begins there", file, name);
}

std::vector<std::string> faults_of(const std::string& file) {
  std::vector<std::string> faults;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (const std::string found = fault(file, line); !found.empty()) faults.push_back(found);
  return faults;
}

std::vector<std::string> sources() {
  std::vector<std::string> files;
  for (const char* folder : {"cli", "core", "kernels"})
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) files.push_back(entry.path().string());
  return files;
}

}  // namespace

TEST_CASE("every include line keeps to the arrows") {
  const std::vector<std::string> files = sources();
  CHECK(files.size() > 50);
  for (const std::string& file : files)
    for (const std::string& found : faults_of(file)) FAIL_CHECK(found);
}

TEST_CASE("only core/gpu speaks Vulkan") {
  const std::regex vulkan(R"(\b(vk[A-Z]\w+|Vk[A-Z]\w+|VK_[A-Z]\w+|shaderc_\w+)\b)");
  // comments, and the loader's variables that doctor tells of, are no Vulkan
  const std::regex allowed("//.*|\"VK_(DRIVER_FILES|ICD_FILENAMES|LOADER_DRIVERS_SELECT)\"");
  for (const std::string& file : sources()) {
    if (file.starts_with("core/gpu/") || file.starts_with("kernels/")) continue;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);)
      CHECK_MESSAGE(!std::regex_search(std::regex_replace(line, allowed, ""), vulkan), file, ": ", line);
  }
}

TEST_CASE("an include line against the arrows is found") {
  const std::pair<const char*, const char*> wrong[] = {{"cli/run.cpp", "#include <vulkan/vulkan.h>"},
                                                       {"core/plan.cpp", "#include \"vulkan/vulkan.h\""},
                                                       {"core/op.h", "#include \"cli/run.h\""},
                                                       {"core/plan.h", "#include \"core/gpu/gpu.h\""},
                                                       {"core/verify.cpp", "#include \"core/codec/codec.h\""},
                                                       {"core/ops/blur.cpp", "#include \"core/generate.h\""},
                                                       {"core/ops/blur.cpp", "#include \"core/gpu/gpu.h\""},
                                                       {"core/codec/png.cpp", "#include \"core/gpu/gpu.h\""},
                                                       {"core/codec/png.cpp", "#include \"core/plan.h\""},
                                                       {"core/codec/png.cpp", "  #  include \"cli/help.h\"  // x"},
                                                       {"core/gpu/gpu.cpp", "#include \"core/codec/codec.h\""},
                                                       {"core/gpu/gpu.cpp", "#include \"cli/report.h\""},
                                                       {"core/gpu.cpp", "#include <shaderc/shaderc.hpp>"},
                                                       {"cli/run.cpp", "#include \"tests/support/device.h\""},
                                                       {"tools/new.cpp", "#include \"core/op.h\""},
                                                       {"kernels/blur.glsl", "#include \"core/op.h\""}};
  for (const auto& [file, line] : wrong) CHECK_MESSAGE(!fault(file, line).empty(), file, ": ", line);
}

TEST_CASE("an include line along the arrows is let through") {
  const std::pair<const char*, const char*> right[] = {
      {"core/gpu/gpu.cpp", "#include <vulkan/vulkan.h>"}, {"core/gpu/spirv.cpp", "#include <shaderc/shaderc.hpp>"},
      {"core/ops/blur.cpp", "#include \"core/plan.h\""},  {"core/plan.cpp", "#include <fmt/ranges.h>"},
      {"cli/run.cpp", "#include \"core/gpu/gpu.h\""},     {"core/codec/png.cpp", "#include \"core/half.h\""},
      {"core/op.cpp", "// #include \"cli/run.h\""},       {"kernels/blur.glsl", "#include \"order.glsl\""}};
  for (const auto& [file, line] : right) CHECK_MESSAGE(fault(file, line) == "", file, ": ", line);
}
