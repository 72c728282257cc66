// R15: an EXR with a mutated header is refused, or what is written of it is read by OpenEXR and by gpupost, to the same texels.
#include "core/base/error.h"
#include "tests/codec/make_files.h"
#include "tests/codec/reference.h"
#include "tests/program/test_folder.h"
#include "tests/robustness/trial.h"

#include <OpenEXR/ImfChromaticitiesAttribute.h>
#include <OpenEXR/ImfEnvmapAttribute.h>
#include <OpenEXR/ImfFloatVectorAttribute.h>
#include <OpenEXR/ImfKeyCodeAttribute.h>
#include <OpenEXR/ImfMatrixAttribute.h>
#include <OpenEXR/ImfPreviewImageAttribute.h>
#include <OpenEXR/ImfRationalAttribute.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <OpenEXR/ImfStringVectorAttribute.h>
#include <OpenEXR/ImfTimeCodeAttribute.h>
#include <OpenEXR/ImfVecAttribute.h>
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <climits>
#include <cmath>
#include <cstring>
#include <random>

using namespace gpupost;
using namespace gpupost::test;

namespace {

using Random = std::mt19937;

size_t below(Random& random, size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); }

template <class List>
const auto& any_of(Random& random, const List& list) {
  return list[below(random, std::size(list))];
}

// One of each type of attribute that a flat file may have.
void fill_header(Imf::Header& header) {
  header.setPreviewImage(Imf::PreviewImage(2, 3));
  header.insert("chromaticities", Imf::ChromaticitiesAttribute(Imf::Chromaticities()));
  header.insert("envmap", Imf::EnvmapAttribute(Imf::ENVMAP_CUBE));
  header.insert("keyCode", Imf::KeyCodeAttribute(Imf::KeyCode(1, 2, 3, 4, 5, 6, 70)));
  header.insert("timeCode", Imf::TimeCodeAttribute(Imf::TimeCode(1, 2, 3, 4)));
  header.insert("framesPerSecond", Imf::RationalAttribute(Imf::Rational(24, 1)));
  header.insert("multiView", Imf::StringVectorAttribute({"left", "right"}));
  header.insert("owner", Imf::StringAttribute("nobody"));
  header.insert("numbers", Imf::FloatVectorAttribute({1, 2, 3}));
  header.insert("worldToCamera", Imf::M44fAttribute(Imath::M44f()));
  header.insert("place", Imf::V3dAttribute(Imath::V3d(1, 2, 3)));
}

File sound_exr(size_t index) {
  constexpr Imf::Compression compressions[] = {Imf::NO_COMPRESSION, Imf::ZIP_COMPRESSION, Imf::PIZ_COMPRESSION};
  return make_exr({.width = 9,
                   .height = 7,
                   .min_x = index % 2 ? -3 : 0,
                   .min_y = index % 2 ? 5 : 0,
                   .compression = compressions[index % 3],
                   .tile_side = index % 4 == 3 ? 8 : 0,
                   .change_header = fill_header});
}

struct HeaderPiece {
  std::string name, type, value;
  uint32_t claimed_bytes = 0;
};

// A file between its first eight bytes and its chunk table, of which each entry is an offset.
struct Pieces {
  std::vector<HeaderPiece> attributes;
  size_t table_at = 0;
};

Pieces pieces_of(const std::string& file) {
  Pieces pieces;
  size_t at = 8;
  while (file[at] != '\0') {
    HeaderPiece& piece = pieces.attributes.emplace_back();
    piece.name = file.c_str() + at;
    piece.type = file.c_str() + at + piece.name.size() + 1;
    at += piece.name.size() + piece.type.size() + 2;
    std::memcpy(&piece.claimed_bytes, &file[at], 4);
    piece.value = file.substr(at + 4, piece.claimed_bytes);
    at += 4 + piece.claimed_bytes;
  }
  pieces.table_at = at + 1;
  return pieces;
}

std::string joined(const std::string& file, const Pieces& pieces) {
  std::string made = file.substr(0, 8);
  for (const HeaderPiece& piece : pieces.attributes) {
    made += piece.name + '\0' + piece.type + '\0';
    made.append(reinterpret_cast<const char*>(&piece.claimed_bytes), 4);
    made += piece.value;
  }
  made += '\0';
  const size_t table_at = made.size();
  made += file.substr(pieces.table_at);
  uint64_t first_chunk = 0;  // which stands right behind the table
  std::memcpy(&first_chunk, &file[pieces.table_at], 8);
  for (size_t entry = 0; entry < (first_chunk - pieces.table_at) / 8; ++entry) {
    uint64_t offset = 0;
    std::memcpy(&offset, &file[pieces.table_at + 8 * entry], 8);
    offset += table_at - pieces.table_at;
    std::memcpy(&made[table_at + 8 * entry], &offset, 8);
  }
  return made;
}

// Four bytes of a value become a number that is hard on a reader.
void set_number(std::string& value, Random& random) {
  constexpr int32_t whole[] = {0, 1, -1, INT_MAX, INT_MIN, 0x3ffffffe, -0x3ffffffe, 0x3fffffff, 1 << 21, 100, 7};
  constexpr float real[] = {0, -1, NAN, INFINITY, 1e30f, 1e-30f, 1e6f, 1e-6f, 2e6f, 0.5f};
  if (value.size() < 4) return;
  const size_t at = 4 * below(random, value.size() / 4);
  if (below(random, 2)) std::memcpy(&value[at], &any_of(random, whole), 4);
  else std::memcpy(&value[at], &any_of(random, real), 4);
}

void mutate(Pieces& pieces, Random& random) {
  const std::string names[] = {"preview", "chromaticities", "displayWindow", "tiles", "type", "name", "", "lineOrder"};
  std::vector<HeaderPiece>& all = pieces.attributes;
  const size_t at = below(random, all.size());
  HeaderPiece& piece = all[at];
  switch (below(random, 12)) {
    case 0: piece.claimed_bytes += uint32_t(below(random, 9)) - 4; break;
    case 1: piece.type = all[below(random, all.size())].type; break;
    case 2: piece.name = any_of(random, names); break;
    case 3: all.erase(all.begin() + ptrdiff_t(at)); break;
    case 4: std::swap(piece, all[below(random, all.size())]); break;
    case 5: {
      HeaderPiece copy = piece;
      copy.name += std::string(below(random, 40), 'x');
      all.push_back(copy);
      break;
    }
    case 6:
      piece.value.resize(below(random, piece.value.size() + 9));
      piece.claimed_bytes = uint32_t(piece.value.size());
      break;
    case 7:
      if (!piece.value.empty()) piece.value[below(random, piece.value.size())] = char(below(random, 256));
      break;
    default: set_number(piece.value, random);
  }
}

std::string mutated_exr(size_t index, Random& random) {
  const File sound = sound_exr(index);
  const std::string file(text_of(sound));
  Pieces pieces = pieces_of(file);
  for (size_t change = 1 + below(random, 3); change > 0; --change) mutate(pieces, random);
  return joined(file, pieces);
}

// "" where OpenEXR and gpupost read the same of a file.
std::string wrong_file(const std::string& bytes) {
  const File file = file_of(bytes);
  try {
    const Picture picture = decode_bytes(file).picture;
    MemoryInput stream(file);
    Imf::InputFile reference(stream);
    return difference_from_openexr(reference, picture);
  } catch (const std::exception& error) {
    return fmt::format("it was written, but is refused: {}", error.what());
  }
}

// Runs a chain on as many files in one batch, and looks at all that it writes.
void go_through(Criterion& bar, const Words& chain, size_t count, unsigned seed) {
  const TemporaryFolder folder;
  Random random(seed);
  std::vector<std::string> names;
  for (size_t index = 0; index < count; ++index) {
    names.push_back(fmt::format("{:05}", index));
    folder.write(names.back() + ".exr", mutated_exr(index, random));
  }
  std::filesystem::create_directory(folder.path("out"));
  Words words = chain;
  for (const std::string& name : names) words.push_back(name + ".exr");
  words.insert(words.end(), {"-o", "out/{stem}.exr"});
  const Finished finished = run({.program = GPUPOST_PROGRAM, .words = words, .folder = folder.path(), .seconds = 1800});
  REQUIRE_MESSAGE(finished.exit_code == 5, finished.err);
  size_t written_count = 0;
  for (const std::string& name : names) {
    const bool is_written = folder.has("out/" + name + ".exr");
    const bool is_refused = finished.err.find("gpupost: " + name + ".exr: ") != std::string::npos;
    written_count += is_written;
    const std::string wrong = is_written   ? wrong_file(folder.read("out/" + name + ".exr"))
                              : is_refused ? ""
                                           : "neither an output nor an error";
    bar.count(wrong, fmt::format("{} of seed {}", name, seed));
  }
  CHECK_MESSAGE(written_count > count / 5, "only ", written_count, " of ", count, " were written");
  MESSAGE(written_count, " of ", count, " were written");
}

}  // namespace

DEVICE_TEST_CASE("R15: of an EXR with a mutated header nothing is written, or what OpenEXR and gpupost read") {
  Criterion bar("R15 mutated headers", "EXR were refused, or written so that OpenEXR and gpupost read the same");
  const std::vector<Words> chains = {{}, {"flip", "xy"}, {"resize", "--size", "200%"}, {"mips"}};
  const size_t count = is_thorough() ? 10000 : 80;
  for (size_t index = 0; index < chains.size(); ++index)
    go_through(bar, chains[index], count / chains.size(), unsigned(index) + 1);
}
