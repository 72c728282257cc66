// KTX2 and DDS files, and what formats of 8 bits hold.
#include "tests/program/test_folder.h"
#include "tests/support/json.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace gpupost;
using namespace gpupost::test;

DEVICE_TEST_CASE("KTX2 and DDS hold a whole chain or a part of one") {
  const TestFolder place;
  for (const auto& [extension, count_at] : {std::pair{"ktx2", 40}, {"dds", 28}})
    for (const int levels : {0, 3, 1}) {
      const std::string name = fmt::format("out{}.{}", levels, extension);
      check_done(place, {"mips", "in.exr", "--levels", std::to_string(levels), "-o", name});
      CHECK(int(place.read(name)[size_t(count_at)]) == (levels ? levels : 6));
    }
  check_done(place, {"mips", "in.exr", "-o", "l{level}.dds"});
  CHECK(place.read("l5.dds").size() == 148 + 8);
}

TEST_CASE("the depth and transfer of a container are those of the input, unless they are asked for") {
  const TestFolder place;
  const auto dxgi_of = [&](const Words& words) {
    check_done(place, words);
    return int(static_cast<unsigned char>(place.read("out.dds")[128]));
  };
  CHECK(dxgi_of({"in.png", "-o", "out.dds"}) == 29);                          // R8G8B8A8_UNORM_SRGB
  CHECK(dxgi_of({"in.png", "-o", "out.dds", "--transfer", "linear"}) == 28);  // R8G8B8A8_UNORM
  CHECK(dxgi_of({"in.exr", "-o", "out.dds", "--bits", "8"}) == 29);
  CHECK(dxgi_of({"in.exr", "-o", "out.dds"}) == 10);                  // R16G16B16A16_FLOAT
  CHECK(dxgi_of({"in.exr", "-o", "out.dds", "--bits", "16"}) == 11);  // R16G16B16A16_UNORM
  CHECK(dxgi_of({"deep.png", "-o", "out.dds"}) == 11);
  CHECK(dxgi_of({"in.exr", "-o", "out.dds", "--bits", "32f"}) == 2);  // R32G32B32A32_FLOAT
  CHECK(dxgi_of({"float.exr", "-o", "out.dds"}) == 2);
  CHECK(dxgi_of({"float.exr", "-o", "out.dds", "--fp16"}) == 10);
  CHECK(dxgi_of({"bars.png", "-o", "out.dds", "--transfer", "linear"}) == 61);  // R8_UNORM
}

DEVICE_TEST_CASE("blocks are 8 bits or half, of the curve that they can have, with every level") {
  const TestFolder place;
  const auto dxgi_of = [&](const Words& words) {
    check_done(place, words);
    return int(static_cast<unsigned char>(place.read("out.dds")[128]));
  };
  const Words opaque{"channels", "--list", "R,G,B"};
  CHECK(dxgi_of(with({"in.exr"}, with(opaque, {"mips", "--compression", "bc1", "-o", "out.dds"}))) == 72);
  CHECK(dxgi_of({"in.png", "--compression", "bc3", "-o", "out.dds"}) == 78);
  CHECK(dxgi_of({"in.exr", "--compression", "bc7", "--transfer", "linear", "-o", "out.dds"}) == 98);
  CHECK(dxgi_of(with({"in.png"}, with(opaque, {"--compression", "bc6h", "-o", "out.dds"}))) == 95);
  CHECK(dxgi_of(with({"in.png"}, with(opaque, {"mips", "--normal", "--compression", "bc5", "-o", "out.dds"}))) == 83);
  const Finished normals = place.gpupost({"mips", "--normal", "out.dds", "-o", "again.dds"});
  CHECK(normals.exit_code == 1);
  CHECK(normals.err == "gpupost: --normal needs R, G and B; the image has only R G\n");
  CHECK(place.gpupost({"flip", "x", "mips", "--normal", "out.dds", "-o", "again.dds"}).err == normals.err);
  CHECK(dxgi_of({"bars.png", "--compression", "bc4", "-o", "out.dds"}) == 80);
  // blocks are not kept: they would lose twice
  check_done(place, {"in.png", "--compression", "bc7", "-o", "in.ktx2"});
  check_done(place, {"in.ktx2", "flip", "x", "-o", "out.ktx2"});
  CHECK(parse_json(place.gpupost({"info", "in.ktx2", "--json"}).out)["compression"] == "bc7");
  CHECK(parse_json(place.gpupost({"info", "out.ktx2", "--json"}).out)["compression"] == "none");
}

DEVICE_TEST_CASE("--supercompression makes a smaller KTX2 with the same texels, and info names it") {
  const TestFolder place;
  check_done(place, {"mips", "in.png", "-o", "plain.ktx2"});
  for (const char* scheme : {"zstd", "zlib", "zstd:1", "zlib:9"}) {
    const std::string name = std::string(scheme).substr(0, 4);
    check_done(place, {"mips", "in.png", "--supercompression", scheme, "-o", "out.ktx2"});
    CHECK(place.read("out.ktx2").size() < place.read("plain.ktx2").size());
    CHECK(parse_json(place.gpupost({"info", "out.ktx2", "--json"}).out)["compression"] == name);
    for (const char* level : {"0", "2"})
      CHECK(place.gpupost({"compare", "out.ktx2", "plain.ktx2", "--level", level, "--tolerance", "0"}).exit_code == 0);
    check_done(place, {"mips", "in.png", "--compression", "bc7", "--supercompression", scheme, "-o", "out.ktx2"});
    CHECK(parse_json(place.gpupost({"info", "out.ktx2", "--json"}).out)["compression"] == "bc7+" + name);
  }
  check_done(place, {"out.ktx2", "flip", "x", "-o", "again.ktx2"});
  CHECK(parse_json(place.gpupost({"info", "again.ktx2", "--json"}).out)["compression"] == "none");
}

DEVICE_TEST_CASE("level 0 of an eight-bit container is the input bit for bit, and a mean of black and white is 188") {
  const TestFolder place;
  check_done(place, {"mips", "in.png", "-o", "out.dds"});
  const Picture picture = decoded(place, "in.png");
  const TexelBuffer& texels = picture.groups[0].levels[0].texels;
  CHECK(place.read("out.dds").substr(148, texels.size()) ==
        std::string(reinterpret_cast<const char*>(texels.data()), texels.size()));
  check_done(place, {"mips", "bars.png", "-o", "out.ktx2"});  // R8_SRGB
  const std::string bars = place.read("out.ktx2");
  const size_t base = bars.size() - 64 * 16;
  CHECK(bars.substr(base - 32 * 8, 32 * 8) == std::string(32 * 8, char(188)));
}

TEST_CASE("--dither ordered takes the numbers beside what is between them, in every format of 8 bits") {
  const TestFolder place;
  for (const char* dither : {"none", "ordered"})
    check_done(place, {"in.exr", "-o", fmt::format("{}.png", dither), "--dither", dither});
  check_done(place, {"in.exr", "-o", "plain.png"});
  CHECK(place.read("none.png") == place.read("plain.png"));
  const Finished compared = place.gpupost({"compare", "ordered.png", "plain.png", "--tolerance", "1"});
  CHECK_MESSAGE(compared.exit_code == 0, compared.out);
  const Picture ordered = decoded(place, "ordered.png"), plain = decoded(place, "plain.png");
  size_t changed_count = 0;
  for (size_t index = 0; index < 4 * texel_count(plain.size()); ++index) {
    const bool is_changed = number_at(ordered.groups[0], index) != number_at(plain.groups[0], index);
    CHECK((!is_changed || index % 4 != 3));
    changed_count += is_changed;
  }
  CHECK(changed_count > texel_count(plain.size()) / 2);  // of three numbers a texel
  for (const std::string format : {"ktx2", "dds"}) {
    check_done(place, {"in.exr", "-o", "ordered." + format, "--bits", "8", "--dither", "ordered"});
    check_done(place, {"ordered.png", "-o", "same." + format});
    CHECK(place.read("ordered." + format) == place.read("same." + format));
  }
  check_done(place, {"flip", "x", "flip", "x", "in.png", "-o", "same.png", "--dither", "ordered"});
  check_same(place, "same.png", "in.png");
}

DEVICE_TEST_CASE("an attribute that an op adds is in an EXR, and its lack in another format is no warning") {
  const TestFolder place;
  for (const char* name : {"out.dds", "out.ktx2"}) {
    const Finished finished = place.gpupost({"mips", "--filter", "kaiser", "in.png", "-o", name});
    CHECK(finished.exit_code == 0);
    CHECK(finished.err == "");
  }
  check_done(place, {"mips", "--filter", "kaiser", "in.png", "-o", "out.exr"});
  CHECK(place.gpupost({"info", "out.exr"}).out.find("wrapmodes") != std::string::npos);
  // that of the input is lost, and is named once
  const Finished lost =
      place.gpupost({"mips", "--filter", "kaiser", "--border", "repeat", "out.exr", "-o", "lost.dds"});
  CHECK(lost.err.find("warning: out.exr: dds holds no such attributes; dropped: ") != std::string::npos);
  CHECK(lost.err.find("wrapmodes") == lost.err.rfind("wrapmodes"));
}

DEVICE_TEST_CASE("a container goes back in: to convert, compare and inspect any level and face") {
  const TestFolder place;
  check_done(place, {"mips", "in.png", "-o", "in.ktx2"});
  check_done(place, {"mips", "in.png", "-o", "in.dds"});
  CHECK(place.gpupost({"compare", "in.ktx2", "in.dds"}).exit_code == 0);  // all levels
  const Finished info = place.gpupost({"info", "in.ktx2", "--json"});
  CHECK(parse_json(info.out)["format"] == "ktx2");
  CHECK(parse_json(info.out)["levels"] == 6);
  CHECK(parse_json(info.out)["transfer"] == "srgb");
  check_done(place, {"in.ktx2", "--level", "2", "-o", "two.png"});
  check_done(place, {"mips", "in.png", "-o", "png.{level}.png"});
  check_same(place, "two.png", "png.2.png");
  const Finished level = place.gpupost({"in.dds", "-o", "zero.png"});
  CHECK(level.err.find("only level 0 of its 6 levels is read") != std::string::npos);
  check_same(place, "zero.png", "in.png");

  for (const char* name : {"cube.ktx2", "cube.dds"}) {
    const Words faces{"flip.png", "face.png", "face.png", "face.png", "face.png", "face.png"};
    check_done(place, {"crop", "--window", "16x16+3+2", "in.png", "-o", "face.png"});
    check_done(place, {"flip", "x", "face.png", "-o", "flip.png"});
    check_done(place, with(faces, {"--assemble", "cube", "-o", name}));
    check_done(place, {name, "--part", "-X", "-o", "side.png"});
    check_same(place, "side.png", "face.png");
    check_done(place, {name, "--part", "0", "-o", "side.png"});
    check_same(place, "side.png", "flip.png");
    const Finished first = place.gpupost({name, "-o", "first.png"});
    CHECK(first.err.find("has 6 parts; only part 0 was read (--part reads another)") != std::string::npos);
  }
  CHECK(place.gpupost({"compare", "cube.ktx2", "cube.dds"}).exit_code == 0);  // all faces
  const std::string whole = place.read("cube.dds");
  place.write("cut.dds", whole.substr(0, whole.size() - 1));
  const Finished cut = place.gpupost({"cut.dds", "-o", "none.png"});
  CHECK(cut.exit_code == 2);
  CHECK(!place.has("none.png"));
}
