// Numbers that C++ and GLSL share: kernels get them from C++, or this test holds both.
#include "core/glsl/color_constants.h"
#include "core/image/primaries.h"
#include "core/ops/stats/reference.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

// The layout of the kernels, compiled as C++.
namespace kernel {

inline float clamp(float x, float low, float high) { return std::min(std::max(x, low), high); }
inline float exp2(float x) { return std::exp2(x); }
inline float floor(float x) { return std::floor(x); }

#include "kernels/stats/layout.glsl"

}  // namespace kernel

namespace {

using namespace gpupost;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Calls `visit(path, text)` for each file below a folder.
template <class Visit>
void visit_files(const char* folder, Visit visit) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) visit(entry.path().string(), text_of(entry.path()));
}

}  // namespace

TEST_CASE("kernels find the statistics where C++ has them") {
  CHECK(kernel::spread_count == spread_count);
  CHECK(kernel::mean_of(0, 0) == 0);
  CHECK(kernel::largest_of(0, spread_count - 1) == log_average_at - 1);
  CHECK(kernel::log_average_of(0) == log_average_at);
  CHECK(kernel::count_of(0, 0, 0) == counts_at);
  CHECK(kernel::bin_of(0, 0) == histogram_at);
  CHECK(kernel::deviation_of(0, 0) == deviations_at);
  CHECK(kernel::mean_offset_of(0, spread_count - 1) == statistics_size - 1);
  CHECK(kernel::bin_count == Histogram::bin_count);
  for (const double luminance : {1e-38, 1e-3, 0.18, 1.0, 1.0905, 65504.0, 3e38})
    CHECK(kernel::bin_of_logarithm(float(std::log2(luminance))) == Histogram::bin_of(luminance));
}

TEST_CASE("kernels compare choices with constants that C++ names, not with numbers") {
  std::set<std::string> choices;
  static const std::regex named(R"re(\{"([A-Z]\w*)",[^{}]*(?:_names|choices)\})re");
  visit_files("core/ops", [&](const std::string&, const std::string& text) {
    for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at) choices.insert((*at)[1]);
  });
  CHECK(choices.contains("BORDER"));
  CHECK(choices.size() >= 10);
  for (const std::string& choice : choices) {
    const std::regex with_number("\\b" + choice + R"( *[=!<>]=? *[0-9])");
    visit_files("kernels", [&](const std::string& path, const std::string& text) {
      CHECK_MESSAGE(!std::regex_search(text, with_number), path, " compares ", choice, " with a number");
    });
  }
}

TEST_CASE("matrices and weights of colors stand in C++ alone") {
  CHECK(color_constants().find("#define XYZ_OF_REC709 mat3(vec3(0.4123907993, ") != std::string::npos);
  CHECK(color_constants().find("#define WHITE vec2(0.3127, 0.329)") != std::string::npos);
  visit_files("kernels", [&](const std::string& path, const std::string& text) {
    for (const std::string number :
         {"0.2126390059", "0.4123907993", "3.2409699419", "0.6274038959", "1.6604910021", "0.3127"})
      CHECK_MESSAGE(text.find(number) == std::string::npos, path, " writes ", number);
  });
}
