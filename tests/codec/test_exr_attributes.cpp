// Attributes of EXR headers whose values OpenEXR refuses, and windows that no file may have.
#include "core/base/error.h"
#include "tests/codec/make_files.h"
#include "tests/codec/reference.h"
#include "tests/support/error_of.h"
#include "tests/support/synthetic_images.h"

#include <OpenEXR/ImfIDManifestAttribute.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfOpaqueAttribute.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

using namespace gpupost;
using namespace std::string_literals;

namespace {

template <class... Numbers>
std::string bytes_of_numbers(Numbers... numbers) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return bytes;
}

// A small file with one more attribute: the writer of the tests gives it the type that nobody checks there.
File file_with(const std::string& name, const std::string& type, const std::string& value) {
  const std::string kept = type + std::string(1, '\0') + bytes_of_numbers(uint32_t(value.size())) + value;
  File file = make_exr({.width = 5, .height = 3});
  const std::string_view text = text_of(file);
  const bool is_there = text.find(name + '\0' + type) != text.npos;
  const size_t at = text.find(is_there ? name + '\0' + type : "lineOrder\0"s);
  REQUIRE(at != text.npos);
  const size_t head = name.size() + type.size() + 2;
  const size_t old_bytes = is_there ? head + 4 + little_at<uint32_t>(file, at + head) : 0;
  const File inserted = file_of(name + '\0' + kept);
  file.erase(file.begin() + ptrdiff_t(at), file.begin() + ptrdiff_t(at + old_bytes));
  file.insert(file.begin() + ptrdiff_t(at), inserted.begin(), inserted.end());
  const size_t grown = inserted.size() - old_bytes;  // every chunk lies so much further
  const size_t table = text_of(file).find("screenWindowWidth\0float\0"s) + 24 + 8 + 1;
  const uint64_t first = little_at<uint64_t>(file, table) + grown;
  std::memcpy(&file[table], &first, sizeof first);
  return file;
}

bool openexr_accepts(const File& file) {
  try {
    MemoryInput stream(file);
    const Imf::InputFile input(stream);
    return input.isComplete();
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

TEST_CASE("an attribute whose value its type does not allow is refused by name") {
  struct Case {
    std::string name, type, value;
    bool does_openexr_refuse = true;  // else it takes the value's first bytes, or those behind it
  };
  const float nan = NAN;
  const Case cases[] = {
      {"pixelAspectRatio", "float", bytes_of_numbers(0.0f)},
      {"pixelAspectRatio", "float", bytes_of_numbers(-1.0f)},
      {"pixelAspectRatio", "float", bytes_of_numbers(nan)},
      {"pixelAspectRatio", "float", bytes_of_numbers(1e7f)},
      {"screenWindowWidth", "float", bytes_of_numbers(-1.0f)},
      {"chromaticities", "chromaticities", std::string(12, 'a')},
      {"preview", "preview", bytes_of_numbers(2, 2) + std::string(15, 'a')},
      {"preview", "preview", bytes_of_numbers(-1, -1) + std::string(16, 'a')},
      {"multiView", "stringvector", bytes_of_numbers(100) + "left"},
      {"multiView", "stringvector", bytes_of_numbers(4) + "left" + "abc"},
      {"multiView", "stringvector", bytes_of_numbers(-1) + "left"},
      {"keyCode", "keycode", bytes_of_numbers(0, 0, 0, 0, 0, 4, 0)},
      {"keyCode", "keycode", bytes_of_numbers(100, 0, 0, 0, 0, 4, 64)},
      {"kept", "floatvector", std::string(7, 'a'), false},
      {"kept", "m44f", std::string(60, 'a'), false},
      {"kept", "v2i", "", false},
      {"kept", "chlist", "R"},
      {"kept", "chlist", "R\0"s + std::string(16, '\0')},
      {"kept", "timecode", std::string(9, 'a'), false},
      {"idManifest", "idmanifest", "abc"},
  };
  for (const Case& damaged : cases) {
    const File file = file_with(damaged.name, damaged.type, damaged.value);
    CAPTURE(damaged.name);
    CAPTURE(damaged.value.size());
    CHECK(openexr_accepts(file) != damaged.does_openexr_refuse);
    const std::string said = refusal_of(file);
    CHECK_MESSAGE(said.starts_with("2 "), said);
    CHECK_MESSAGE(said.find(damaged.name) != said.npos, said);
  }
}

TEST_CASE("an attribute whose value its type allows is read, and one of an unknown type") {
  struct Case {
    std::string name, type, value;
  };
  const Case cases[] = {
      {"pixelAspectRatio", "float", bytes_of_numbers(1e-6f)},
      {"screenWindowWidth", "float", bytes_of_numbers(0.0f)},
      {"preview", "preview", bytes_of_numbers(2, 2) + std::string(16, 'a')},
      {"preview", "preview", bytes_of_numbers(0, 0)},
      {"multiView", "stringvector", bytes_of_numbers(4) + "left" + bytes_of_numbers(5) + "right"},
      {"multiView", "stringvector", ""},
      {"keyCode", "keycode", bytes_of_numbers(99, 99, 999999, 9999, 119, 15, 120)},
      {"kept", "floatvector", std::string(8, 'a')},
      {"kept", "chlist", "R\0"s + std::string(16, '\0') + "\0"s},
      {"kept", "string", "any\0thing"s},
      {"kept", "a type that nobody knows", "any\0thing"s},
      {"version", "string", "v003"},
      {"version", "int", bytes_of_numbers(1)},
      {"chunkCount", "string", "four"},
      {"maxSamplesPerPixel", "float", bytes_of_numbers(1.0f)},
      {"tiles", "string", "many"},
      {"name", "int", bytes_of_numbers(7)},
      {"name", "string", std::string(300, 'a')},
  };
  for (const Case& sound : cases) {
    const File file = file_with(sound.name, sound.type, sound.value);
    CAPTURE(sound.name);
    CAPTURE(sound.value.size());
    CHECK(openexr_accepts(file));
    CHECK(refusal_of(file) == "");
  }
}

TEST_CASE("a display window beyond what the format holds is cut with a warning, a data window is refused") {
  Picture picture = picture_of(
      made_group({{{"R", Depth::half}, {}, {}, {}}}, Depth::half, {4, 2}, 1, [](int, int, size_t, int) { return 0u; }));
  constexpr int bound = 0x3fffffff;
  picture.display_window = {-bound, 0, bound, 1};
  const Format& exr = *format_named("exr");
  const Encoded encoded = encode(exr, picture, EncodeOptions{});
  REQUIRE(encoded.warnings.size() == 1);
  CHECK(encoded.warnings[0].find("display window") != std::string::npos);
  const File file(encoded.bytes.bytes().begin(), encoded.bytes.bytes().end());
  CHECK(openexr_accepts(file));
  CHECK(decode_bytes(file).picture.display_window == Window{1 - bound, 0, bound - 1, 1});
  picture.data_window = {1 << 21, 0, (1 << 21) + 3, 1};
  CHECK(encoding_error_of([&] { encode(exr, picture, EncodeOptions{}); }).find("extends more than") !=
        std::string::npos);
}
