// gpupost as a black box: pictures in, pictures out, one process for several of them.
#pragma once

#include "tests/definitions/image.h"
#include "tests/support/process.h"
#include "tests/support/skip.h"

#include <string>
#include <vector>

namespace definitions {

using Words = std::vector<std::string>;
using Images = std::vector<Image>;

// The words of a line, which spaces part.
Words words(const std::string& line);

// Is there a CPU device? Else the running test is counted as skipped.
bool has_device();

// Runs `gpupost LINE` once over all inputs, on the CPU device. The result has an image an input, or none for an input that
// failed; any exit code but 0 is a failed check.
Images run(const std::string& line, const Images& inputs);
// The same, or nothing if the line is refused with exit code 1.
Images run_unless_refused(const std::string& line, const Images& inputs);
// The same with all levels of each output.
std::vector<Images> run_levels(const std::string& line, const Images& inputs);
// The levels of one output, each written to a file of its own.
Images run_to_level_files(const std::string& line, const Image& input);
// The lines that it prints, one an input and call of `stats`.
std::vector<std::string> run_lines(const std::string& line, const Images& inputs);
// Checks only the exit code. A failure prints the messages of the program.
void check_exit_code(const std::string& line, const Image& input, int expected);
// Writes a file that a line may name.
void add_file(const std::string& name, const std::string& text);
void add_image(const std::string& name, const Image& image);  // an EXR

// How far two numbers may be apart: `relative` of the expected one's size and `absolute`, whichever is more.
struct Tolerance {
  double relative = 2e-6, absolute = 1e-6;
};
// One check: the same size, and each number near the expected one. Says the worst.
void check_near(const Image& seen, const Image& expected, const std::string& what, Tolerance tolerance = {});
void check_near(const Images& seen, const Images& expected, const std::string& what, Tolerance tolerance = {});
// The largest |number| of R, G, B and alpha.
double largest(const Image& image);

}  // namespace definitions
