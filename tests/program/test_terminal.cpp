// Names of files and channels reach the terminal in one printable form.
#include "core/base/half.h"
#include "tests/program/test_folder.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpupost;
using namespace gpupost::test;

namespace {

const std::string escape = "\x1b]0;title\x07";
const std::string bent = "N\u009b31m\u202eab" + escape;

// Color, and a channel whose name sets the title of a terminal.
std::string odd_exr() {
  const Size size{8, 4};
  const auto gray = [](int x, int y, size_t, int) { return uint32_t(bits_of_half(float(x + y) / 16)); };
  Picture picture = color_picture_of(
      made_group({{{"R", Depth::half}, {"G", Depth::half}, {"B", Depth::half}, {}}}, Depth::half, size, 1, gray));
  picture.groups.push_back(made_group({{{bent, Depth::half}, {}, {}, {}}}, Depth::half, size, 1, gray));
  picture.attributes = {{.name = "owner" + escape, .type = "string", .value = {1}}};
  return exr_of(picture);
}

bool is_plain(const std::string& text) {
  for (size_t at = 0; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if ((c < 0x20 && c != '\n') || c == 0x7f || (c == 0xc2 && static_cast<unsigned char>(text[at + 1]) < 0xa0))
      return false;
  }
  return text.find("\u202e") == text.npos;
}

}  // namespace

TEST_CASE("no name of a file or a channel changes a terminal") {
  const TestFolder place;
  const std::string odd = odd_exr(), name = "odd" + escape + ".exr";
  place.write("odd.exr", odd);
  place.write(name, odd);
  const bool is_able = has_device();
  for (const Words& words : {Words{"info", "odd.exr"},
                             {"info", name},
                             {"info", name, "--json"},
                             {"compare", "odd.exr", name},
                             {"compare", "odd.exr", "in.exr"},
                             {"stats", "--table", name},
                             {"stats", "odd.exr"},
                             {"mips", name, "-o", "out.exr", "--timing"},
                             {"mips", name, "-o", "out.exr", "--report", "-"},
                             {"mips", name, "--explain"},
                             {name, "-o", "out.png"},
                             {name, name},
                             {"lost" + escape},
                             {escape, "mips"},
                             {"mips", "--levels", escape, "odd.exr"},
                             {"--level" + escape}}) {
    if (!is_able && (words[0] == "stats" || words[0] == "mips")) continue;
    const Finished finished = place.gpupost(words);
    INFO(finished.out, finished.err);
    CHECK(!(finished.out + finished.err).empty());
    CHECK_MESSAGE(is_plain(finished.out), text_of({.program = "gpupost", .words = words}));
    CHECK_MESSAGE(is_plain(finished.err), text_of({.program = "gpupost", .words = words}));
  }
  CHECK(place.gpupost({"info", "odd.exr"}).out.find("N\\xc2\\x9b31m\\xe2\\x80\\xaeab\\x1b]0;title\\x07") !=
        std::string::npos);
}
