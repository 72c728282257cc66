// A folder with small pictures, sound and broken, in which gpupost runs.
#pragma once

#include "tests/support/process.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

#include "core/image/picture.h"

#include <map>
#include <string>
#include <vector>

namespace gpupost::test {

using Words = std::vector<std::string>;
using Environment = std::vector<std::pair<std::string, std::string>>;

// `words` and then `more`.
Words with(Words words, const Words& more);

class TestFolder : public TemporaryFolder {
 public:
  // Holds all of made_files(), and the empty folder `folder.exr`.
  TestFolder();

  // gpupost with these words; standard input is empty.
  Finished gpupost(const Words& words, const Environment& environment = {}) const;
  // A shell's line, in which gpupost stands for the program.
  Finished shell(const std::string& line, const Environment& environment = {}) const;
  Finished run(Command command) const;
};

// The files that tests read, by name; the same on every run.
//   in.exr        37 x 21, half R G B A       other.exr   the same but for one number
//   wide.exr      38 x 21                     depth.exr   half R G B, float Z, uint id
//   float.exr     float R G B, up to 100,000  layers.exr  half R G B and diffuse.R .G .B
//   rec2020.exr   as in.exr, of the primaries of Rec. 2020
//   in.png        8 bit R G B A               deep.png    16 bit R G B
//   bars.png      8 bit gray, columns of 0 and 255
//   long.exr      20,000 x 1                  sub/in.exr  as in.exr
//   empty.exr text.exr cut.exr cut.png huge.exr huge.png no_channels.exr   broken in the way they say
const std::map<std::string, std::string>& made_files();

// Is there a device, and is the best one a real GPU? Asked of `gpupost devices` once. Without a device the running test
// is counted as skipped, or fails where GPUPOST_TEST_REQUIRE_DEVICE=1.
bool has_device();
bool has_gpu();

// The environment of a machine without a driver.
const Environment no_driver = {{"VK_DRIVER_FILES", "/nonexistent.json"}, {"VK_ICD_FILENAMES", "/nonexistent.json"}};

// Has it exactly one line, and does that begin as an error does?
bool is_one_error(const std::string& text);

// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);
// The bytes of each EXR in `out`.
std::map<std::string, std::string> outputs_of(const TestFolder& place);

// Checks that gpupost with these words succeeds.
void check_done(const TestFolder& place, const Words& words);
// Checks that `gpupost compare` with these options finds two files equal.
void check_same(const TestFolder& place, const std::string& a, const std::string& b, const Words& options = {});

// A file as the codecs read it, in this process' own decode worker.
Picture decoded(const TestFolder& place, const std::string& name, int level = 0);
// The bytes of an EXR in which each channel of the picture keeps its depth.
std::string exr_of(const Picture& picture);
// Writes a PNG of 8 bits if `name` ends in ".png", else exr_of().
void write_picture(const TestFolder& place, const std::string& name, const Picture& picture);
// Number `index` of level 0, as it is stored.
double number_at(const Group& group, size_t index);

}  // namespace gpupost::test
