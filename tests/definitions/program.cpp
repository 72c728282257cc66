#include "tests/definitions/program.h"

#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace definitions {

using gpupost::test::Finished;
using gpupost::test::TemporaryFolder;

namespace {

const TemporaryFolder& folder() {
  static const TemporaryFolder made;
  std::filesystem::create_directories(made.path("out"));
  return made;
}

// Runs the program over all inputs, in files 0.exr, 1.exr, ... of `folder`. `output`: of -o; "": without.
Finished run_program(const std::string& line, const Images& inputs, const std::string& output) {
  for (const auto& file : std::filesystem::directory_iterator(folder().path("out"))) std::filesystem::remove(file);
  Words all = words(line);
  for (size_t i = 0; i < inputs.size(); ++i) {
    write_exr(inputs[i], folder().path(fmt::format("{}.exr", i)));
    all.push_back(fmt::format("{}.exr", i));
  }
  all.insert(all.end(), {"--device", "cpu", "--quiet"});
  if (!output.empty()) all.insert(all.end(), {"-o", output});
  return gpupost::test::run(
      {.program = GPUPOST_PROGRAM,
       .words = all,
       .environment = {{"XDG_CACHE_HOME", folder().path("cache")}, {"ASAN_OPTIONS", "detect_leaks=0"}},
       .folder = folder().path(),
       .seconds = 120});
}

}  // namespace

Words words(const std::string& line) {
  std::istringstream stream(line);
  Words result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

bool has_device() {
  static const bool has =
      gpupost::test::run({.program = GPUPOST_PROGRAM, .words = {"devices", "--json"}}).out.find("\"cpu\"") !=
      std::string::npos;
  if (has) return true;
  const char* required = std::getenv("GPUPOST_TEST_REQUIRE_DEVICE");
  if (required && std::string_view(required) == "1") FAIL("gpupost devices lists no CPU device");
  gpupost::test::skip("there is no Vulkan device on the CPU");
  return false;
}

namespace {

std::vector<Images> outputs(size_t count) {
  std::vector<Images> results;
  for (size_t i = 0; i < count; ++i) {
    const std::string path = folder().path(fmt::format("out/{}.exr", i));
    results.push_back(std::filesystem::exists(path) ? read_exr(path) : Images{Image{}});
  }
  return results;
}

Images first_levels(std::vector<Images> all) {
  Images images;
  for (Images& levels : all) images.push_back(std::move(levels[0]));
  return images;
}

}  // namespace

std::vector<Images> run_levels(const std::string& line, const Images& inputs) {
  const Finished finished = run_program(line, inputs, "out/");
  CHECK_MESSAGE(finished.exit_code == 0, line, ": ", finished.err);
  return outputs(inputs.size());
}

Images run_to_level_files(const std::string& line, const Image& input) {
  const Finished finished = run_program(line, {input}, "out/{level}.exr");
  CHECK_MESSAGE(finished.exit_code == 0, line, ": ", finished.err);
  const auto file_count = std::distance(std::filesystem::directory_iterator(folder().path("out")), {});
  return first_levels(outputs(size_t(file_count)));
}

Images run(const std::string& line, const Images& inputs) { return first_levels(run_levels(line, inputs)); }

Images run_unless_refused(const std::string& line, const Images& inputs) {
  const Finished finished = run_program(line, inputs, "out/");
  if (finished.exit_code == 1) return {};
  CHECK_MESSAGE(finished.exit_code == 0, line, ": ", finished.err);
  return first_levels(outputs(inputs.size()));
}

std::vector<std::string> run_lines(const std::string& line, const Images& inputs) {
  const Finished finished = run_program(line, inputs, "");
  CHECK_MESSAGE(finished.exit_code == 0, line, ": ", finished.err);
  std::istringstream stream(finished.out);
  std::vector<std::string> lines;
  for (std::string text; std::getline(stream, text);) lines.push_back(text);
  return lines;
}

void check_exit_code(const std::string& line, const Image& input, int expected) {
  const Finished finished = run_program(line, {input}, "out/");
  CHECK_MESSAGE(finished.exit_code == expected, line, ": ", finished.err);
}

void add_file(const std::string& name, const std::string& text) { folder().write(name, text); }

void add_image(const std::string& name, const Image& image) { write_exr(image, folder().path(name)); }

double largest(const Image& image) {
  double result = 0;
  for (const Position& texel : image.texels)
    for (const double number : texel) result = std::fmax(result, std::fabs(number));
  return result;
}

void check_near(const Image& seen, const Image& expected, const std::string& what, Tolerance tolerance) {
  INFO(what, ": ", expected.name);
  CHECK(seen.width == expected.width);
  CHECK(seen.height == expected.height);
  if (seen.texels.size() != expected.texels.size()) return;
  double worst = 0;
  std::string message;
  size_t count = 0;
  for (int y = 0; y < seen.height; ++y)
    for (int x = 0; x < seen.width; ++x)
      for (size_t c = 0; c < 4; ++c) {
        const double ours = seen.at(x, y)[c], theirs = expected.at(x, y)[c];
        if (ours == theirs || (ours != ours && theirs != theirs)) continue;
        const double share =
            std::fabs(ours - theirs) / std::fmax(tolerance.relative * std::fabs(theirs), tolerance.absolute);
        count += !(share <= 1);
        if (share <= worst) continue;
        worst = share == share ? share : INFINITY;
        message = fmt::format("texel {},{} {}: seen {}, expected {}", x, y, "RGBA"[c], ours, theirs);
      }
  CHECK_MESSAGE(worst <= 1, count, " numbers are off, the worst by ", worst, " tolerances: ", message);
}

void check_near(const Images& seen, const Images& expected, const std::string& what, Tolerance tolerance) {
  REQUIRE(seen.size() == expected.size());
  for (size_t i = 0; i < seen.size(); ++i) check_near(seen[i], expected[i], what, tolerance);
}

}  // namespace definitions
