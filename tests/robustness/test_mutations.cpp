// R5: what is read of a damaged file is what libpng or OpenEXR read of it, or it is refused.
#include "core/base/error.h"
#include "tests/codec/make_files.h"
#include "tests/codec/reference.h"
#include "tests/robustness/trial.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

using namespace gpupost;
using namespace gpupost::test;

namespace {

using Random = std::mt19937;

size_t below(Random& random, size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); }

// A few bytes other, gone, or there twice; now and then all that is behind some place.
File mutated(File file, Random& random) {
  const size_t change_count = 1 + below(random, 4);
  for (size_t change = 0; change < change_count && file.size() > 8; ++change) {
    const size_t at = below(random, file.size()), count = std::min(1 + below(random, 8), file.size() - at);
    const auto place = file.begin() + std::ptrdiff_t(at);
    switch (below(random, 8)) {
      case 0: file.erase(place, place + std::ptrdiff_t(count)); break;
      case 1: file.insert(place, count, std::byte(below(random, 256))); break;
      case 2: file.resize(at); break;
      default: *place = std::byte(below(random, 256));
    }
  }
  return file;
}

// The same with right checksums in its chunks, so that more than those is looked at.
File with_right_checksums(File png) {
  const auto big = [&](size_t at) {
    uint32_t number = 0;
    for (size_t index = 0; index < 4; ++index) number = number << 8 | uint32_t(png[at + index]);
    return number;
  };
  for (size_t at = 8; at + 12 <= png.size();) {
    const size_t length = big(at);
    if (length > png.size() - at - 12) break;
    const uLong sum = crc32(0, reinterpret_cast<const Bytef*>(&png[at + 4]), uInt(length + 4));
    for (size_t index = 0; index < 4; ++index) png[at + 8 + length + index] = std::byte(sum >> (24 - 8 * index));
    at += 12 + length;
  }
  return png;
}

std::string difference_from_libpng(const File& file, const Picture& picture) {
  const Group& group = picture.groups.front();
  const std::string texels = texels_by_libpng(file, group.depth);
  const auto ours = group.levels[0].texels.bytes();
  return texels.size() == ours.size() && std::memcmp(texels.data(), ours.data(), ours.size()) == 0
             ? ""
             : "other numbers than libpng's";
}

std::string difference_from_reference(const File& file, const Picture& picture) {
  if (picture.format == "png") return difference_from_libpng(file, picture);
  MemoryInput stream(file);
  Imf::InputFile reference(stream);
  return difference_from_openexr(reference, picture);
}

std::vector<File> sound_exrs() {
  std::vector<File> files;
  for (const Imf::Compression compression :
       {Imf::NO_COMPRESSION, Imf::RLE_COMPRESSION, Imf::ZIPS_COMPRESSION, Imf::ZIP_COMPRESSION, Imf::PIZ_COMPRESSION})
    for (const int tile_side : {0, 8})
      files.push_back(make_exr({.width = 13, .height = 19, .compression = compression, .tile_side = tile_side}));
  return files;
}

std::vector<File> sound_pngs() {
  std::vector<File> files;
  for (const auto& [bits, color, row_bytes] :
       {std::tuple(8, 0, 13), {8, 2, 39}, {8, 6, 52}, {16, 6, 104}, {16, 0, 26}}) {
    std::string rows;
    for (int y = 0; y < 11; ++y) {
      rows += char(y % 5);  // each filter
      for (int x = 0; x < row_bytes; ++x) rows += char(x * 7 + y * x * 13);
    }
    files.push_back(make_png({{"IHDR", png_header(13, 11, bits, color)},
                              {"tEXt", "Comment" + std::string(1, '\0') + std::string(400, 'x')},
                              {"IDAT", zlib_packed(rows)},
                              {"IEND", ""}}));
  }
  return files;
}

// "" where the file is refused with exit 2, or read as the reference reads it.
std::string wrong(const File& file, bool& is_read) {
  Picture picture;
  try {
    picture = decode_bytes(file).picture;
  } catch (const Error& error) {
    return error.code() == Exit::input ? "" : fmt::format("exit {}: {}", int(error.code()), error.what());
  }
  is_read = true;
  try {
    return difference_from_reference(file, picture);
  } catch (const std::exception& error) {
    return fmt::format("it is read, and the reference refuses it: {}", error.what());
  }
}

void mutate(Criterion& bar, const std::vector<File>& files, size_t count, bool mends_checksums, Random random) {
  const std::string kind = mends_checksums ? "PNG" : "EXR";
  size_t read_count = 0;
  for (size_t index = 0; index < count; ++index) {
    File file = mutated(files[index % files.size()], random);
    if (mends_checksums && index % 4 != 0) file = with_right_checksums(std::move(file));
    bool is_read = false;
    const std::string found = wrong(file, is_read);
    read_count += is_read;
    bar.count(found, fmt::format("file {} of {}", index, kind));
  }
  CHECK_MESSAGE(read_count > 0, kind, ": all are refused, nothing is compared");
  MESSAGE(read_count, " of ", count, " ", kind, " were read");
}

}  // namespace

TEST_CASE("R5: a mutated file is refused, or read as libpng and OpenEXR read it") {
  Criterion bar("R5 mutations", "mutated files were refused, or read as by libpng or OpenEXR");
  const size_t count = is_thorough() ? 1000 : 60;
  mutate(bar, sound_exrs(), count, false, Random(1));
  mutate(bar, sound_pngs(), count, true, Random(2));
}
