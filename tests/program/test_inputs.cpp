// What is read: parts, colors that files say, limits, several inputs at once.
#include "tests/program/test_folder.h"

#include "core/codec/codec.h"
#include "core/codec/exr/header.h"
#include "core/image/to_working.h"
#include "tests/support/json.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <filesystem>

using namespace gpupost;
using namespace gpupost::test;
using json = nlohmann::json;

namespace {

template <class Number>
std::string bytes_of(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

std::string attribute(const std::string& name, const std::string& type, const std::string& value) {
  return name + '\0' + type + '\0' + bytes_of(uint32_t(value.size())) + value;
}

// Where the header of an EXR of one part ends, before its last byte.
size_t header_end(const std::string& file) {
  size_t at = 8;
  while (file[at] != 0) {
    const size_t type = file.find('\0', at) + 1, size = file.find('\0', type) + 1;
    uint32_t bytes = 0;
    std::memcpy(&bytes, &file[size], 4);
    at = size + 4 + bytes;
  }
  return at;
}

struct Part {
  std::string name;
  std::string file;  // an EXR of scan lines
};

// One file of several: their headers, their tables, their chunks with the numbers of their parts. OpenEXR file layout,
// multi-part files.
std::string joined(const std::vector<Part>& parts) {
  std::string headers, tables, chunks;
  std::vector<std::pair<size_t, size_t>> spans;  // of each file's chunks
  size_t table_bytes = 0;
  for (const auto& [name, file] : parts) {
    const size_t end = header_end(file);
    uint64_t first = 0;
    std::memcpy(&first, &file[end + 1], 8);
    const size_t count = (size_t(first) - end - 1) / 8;
    headers += file.substr(8, end - 8) + attribute("name", "string", name) +
               attribute("type", "string", "scanlineimage") +
               attribute("chunkCount", "int", bytes_of(uint32_t(count))) + '\0';
    spans.push_back({end + 1, count});
    table_bytes += 8 * count;
  }
  const size_t chunks_at = 8 + headers.size() + 1 + table_bytes;
  for (size_t part = 0; part < parts.size(); ++part)
    for (size_t chunk = 0; chunk < spans[part].second; ++chunk) {
      uint64_t at = 0;
      uint32_t bytes = 0;
      std::memcpy(&at, &parts[part].file[spans[part].first + 8 * chunk], 8);
      std::memcpy(&bytes, &parts[part].file[at + 4], 4);
      tables += bytes_of(uint64_t(chunks_at + chunks.size()));
      chunks += bytes_of(uint32_t(part)) + parts[part].file.substr(at, 8 + bytes);
    }
  return std::string("\x76\x2f\x31\x01\x02\x10\0\0", 8) + headers + '\0' + tables + chunks;
}

// A PNG with a chunk more behind its header.
std::string with_chunk(const std::string& png, const std::string& type, const std::string& data) {
  const auto big = [](uint32_t number) { return bytes_of(__builtin_bswap32(number)); };
  const std::string checked = type + data;
  const uLong sum = crc32(0, reinterpret_cast<const Bytef*>(checked.data()), uInt(checked.size()));
  return png.substr(0, 33) + big(uint32_t(data.size())) + checked + big(uint32_t(sum)) + png.substr(33);
}

double share_at(const Picture& picture, size_t index) {
  return double(picture.groups[0].levels[0].texels.as<uint8_t>()[index]) / 255;
}

}  // namespace

TEST_CASE("parts of an EXR are read by number and name, listed, and named where one is not there") {
  const TestFolder place;
  for (const char* name : {"in.exr", "wide.exr"})
    CHECK(place.gpupost({name, "-o", std::string("zip.") + name}, no_driver).exit_code == 0);
  place.write("parts.exr", joined({{"beauty", place.read("zip.in.exr")}, {"wide", place.read("zip.wide.exr")}}));
  const std::pair<Words, const char*> cases[] = {
      {{}, "in.exr"}, {{"--part", "0"}, "in.exr"}, {{"--part", "1"}, "wide.exr"}, {{"--part=wide"}, "wide.exr"}};
  for (const auto& [option, same] : cases) {
    CHECK(place.gpupost(with({"parts.exr", "-o", "out.exr", "--drop-parts"}, option), no_driver).exit_code == 0);
    CHECK(place.gpupost({"compare", "out.exr", same}).exit_code == 0);
  }
  const Finished compared = place.gpupost({"compare", "parts.exr", "in.exr"});
  CHECK(compared.exit_code == 6);
  CHECK_MESSAGE(compared.out ==
                    "parts differ: beauty, wide and one part; compare one with --part\n"
                    "different: properties of the files; see the first lines\n",
                compared.out);
  CHECK(place.gpupost({"compare", "parts.exr", "in.exr", "--part", "beauty"}).exit_code == 2);  // in.exr has none
  CHECK(place.gpupost({"compare", "parts.exr", "parts.exr"}).exit_code == 0);
  CHECK(place.gpupost({"other.exr", "-o", "zip.other.exr"}, no_driver).exit_code == 0);
  place.write("a.exr", joined({{"beauty", place.read("zip.in.exr")}, {"glow", place.read("zip.in.exr")}}));
  place.write("b.exr", joined({{"beauty", place.read("zip.in.exr")}, {"glow", place.read("zip.other.exr")}}));
  CHECK(place.gpupost({"compare", "a.exr", "b.exr", "-o", "d.exr"}).err ==
        "gpupost: warning: compare: -o d.exr does not show the differences of part glow; choose what it shows with "
        "--part or --level\n");
  CHECK(place.gpupost({"compare", "a.exr", "b.exr", "--part", "glow", "-o", "d.exr"}).err == "");
  const std::string in = place.read("zip.in.exr"), wide = place.read("zip.wide.exr");
  place.write("a.exr", joined({{"1", in}, {"b", wide}}));  // part 1 is the other one
  place.write("b.exr", joined({{"1", wide}, {"b", wide}}));
  CHECK(place.gpupost({"compare", "a.exr", "b.exr"}).exit_code == 6);
  const json info = parse_json(place.gpupost({"info", "parts.exr", "--json", "--part", "wide"}).out);
  CHECK(info["width"] == 38);
  REQUIRE(info["parts"].size() == 2);
  CHECK(info["parts"][0]["name"] == "beauty");
  CHECK(info["parts"][1]["width"] == 38);
  CHECK(info["parts"][1]["channels"] == "A B G R");
  const Finished missing = place.gpupost({"info", "parts.exr", "--part", "matte"});
  CHECK(missing.exit_code == 2);
  CHECK(missing.err == "gpupost: parts.exr: has no part matte; it has the parts 0 (beauty), 1 (wide)\n");
}

DEVICE_TEST_CASE("an EXR output gets copies of the parts that the chain does not work on") {
  const TestFolder place;
  for (const char* name : {"in.exr", "depth.exr"})
    CHECK(place.gpupost({name, "-o", std::string("zip.") + name}, no_driver).exit_code == 0);
  place.write("parts.exr", joined({{"beauty", place.read("zip.in.exr")}, {"depth", place.read("zip.depth.exr")}}));
  const auto part_names = [&](const char* file) {
    std::vector<std::string> names;
    const json info = parse_json(place.gpupost({"info", file, "--json"}).out);
    for (const json& part : info["parts"]) names.push_back(part["name"]);
    return names;
  };
  const auto is_same = [&](const char* part, const char* file) {
    return place.gpupost({"out.exr", "--part", part, "--drop-parts", "-o", "one.exr"}, no_driver).exit_code == 0 &&
           place.gpupost({"compare", "one.exr", file}).exit_code == 0;
  };
  const std::vector<std::string> both{"beauty", "depth"};
  const Finished first = place.gpupost({"parts.exr", "gain", "--value", "0.5", "-o", "out.exr", "--report", "r.json"});
  CHECK(first.exit_code == 0);
  const std::string note = "the chain works on part `beauty` (--part chooses another); copied parts: depth";
  CHECK_MESSAGE(first.err.find("note: parts.exr: " + note) != first.err.npos, first.err);
  CHECK(parse_json(place.read("r.json"))["jobs"][0]["notes"][0] == note);
  CHECK(part_names("out.exr") == both);
  CHECK(is_same("depth", "depth.exr"));
  CHECK(!is_same("beauty", "in.exr"));
  CHECK(place.gpupost({"parts.exr", "--part", "depth", "gain", "--value", "0.5", "-o", "out.exr"}).exit_code == 0);
  CHECK(part_names("out.exr") == both);
  CHECK(is_same("beauty", "in.exr"));
  CHECK(!is_same("depth", "depth.exr"));
  CHECK(place.gpupost({"parts.exr", "mips", "-o", "out.exr"}).exit_code == 0);
  CHECK(part_names("out.exr") == both);

  CHECK(place.gpupost({"parts.exr", "-o", "out.exr", "--drop-parts"}, no_driver).exit_code == 0);
  CHECK(part_names("out.exr").empty());
  const std::pair<Words, std::string> dropping[] = {
      {{"resize", "--size", "50%", "-o", "out.exr"},
       "the other parts are dropped, because all parts must have the same displayWindow; dropped parts: beauty (write "
       "each to its own file with --part)"},
      {{"-o", "out.png"}, "an output of this format holds one part; dropped parts: beauty"},
      {{"mips", "-o", "out.{level}.exr"}, "an output with one file per level holds one part; dropped parts: beauty"}};
  for (const auto& [words, warning] : dropping) {
    const Finished finished = place.gpupost(with({"parts.exr", "--part", "depth"}, words));
    CHECK(finished.exit_code == 0);
    CHECK_MESSAGE(finished.err.find("warning: parts.exr: " + warning) != finished.err.npos, finished.err);
  }
  const Finished sheet = place.gpupost({"parts.exr", "in.exr", "--part", "0", "sheet", "-o", "out.exr"});
  CHECK(sheet.exit_code == 0);
  CHECK_MESSAGE(sheet.err.find("an output of several inputs holds one part; dropped parts: depth") != sheet.err.npos,
                sheet.err);
  const Finished png = place.gpupost({"parts.exr", "-o", "out.png"}, no_driver);
  CHECK_MESSAGE(png.err.find("has 2 parts; only part `beauty` was read (--part reads another)") != png.err.npos,
                png.err);
  const Finished explained = place.gpupost({"--explain", "parts.exr", "gain", "--value", "0.5"});
  CHECK_MESSAGE(
      explained.out.find("parts    the chain works on part `beauty`; an EXR output gets copies of: depth\n") !=
          explained.out.npos,
      explained.out);
  // the same file as input and output
  CHECK(place.gpupost({"parts.exr", "gain", "--value", "2", "-o", "parts.exr"}).exit_code == 0);
  CHECK(part_names("parts.exr") == both);
}

DEVICE_TEST_CASE("the depth of a picture of one part may be in another part, which --depth-part names") {
  const TestFolder place;
  for (const char* name : {"in.exr", "depth.exr"})
    CHECK(place.gpupost({name, "-o", std::string("zip.") + name}, no_driver).exit_code == 0);
  place.write("parts.exr", joined({{"beauty", place.read("zip.in.exr")}, {"depth", place.read("zip.depth.exr")}}));
  const std::string lens = " dof --focus 3 --f-stop 1 --sensor-width 3 --max-radius 4";
  REQUIRE(place.shell("gpupost in.exr" + lens + " --depth-file depth.exr -o apart.exr").exit_code == 0);
  for (const char* words : {"--depth-part depth", "--depth-part 1 --part beauty"}) {
    const Finished finished =
        place.shell("gpupost parts.exr" + lens + " --depth-file parts.exr " + words + " -o parted.exr");
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    CHECK(place.gpupost({"compare", "parted.exr", "apart.exr", "--part", "0"}).exit_code == 0);
  }
  const Finished first = place.shell("gpupost in.exr" + lens + " --depth-file parts.exr --depth G -o out.exr");
  CHECK(first.err ==
        "gpupost: warning: in.exr: parts.exr: has 2 parts; only part `beauty` was read (--depth-part reads another)\n");
  // --part is of the picture alone: where nothing is said, the file's first part has to have the depth
  const Finished color = place.shell("gpupost parts.exr --part depth" + lens + " --depth-file parts.exr -o out.exr");
  CHECK(color.exit_code == 1);
  CHECK(color.err.find("parts.exr has no channel Z for the depth; it has R, G, B, A") != std::string::npos);
  const Finished alone = place.shell("gpupost depth.exr" + lens + " --depth-part 1 -o out.exr");
  CHECK(alone.exit_code == 1);
  CHECK(alone.err == "gpupost: dof: --depth-part 1 has no effect without --depth-file\n");
}

DEVICE_TEST_CASE("warnings about a second image name it, for each input that takes it") {
  const TestFolder place;
  for (const char* name : {"in.exr", "wide.exr"})
    CHECK(place.gpupost({name, "-o", std::string("zip.") + name}, no_driver).exit_code == 0);
  place.write("parts.exr", joined({{"beauty", place.read("zip.in.exr")}, {"wide", place.read("zip.wide.exr")}}));
  place.write("b.exr", place.read("in.exr"));
  const Finished merged =
      place.gpupost({"in.exr", "b.exr", "merge", "--with", "parts.exr", "--mode", "add", "-o", "{name}.sum.exr"});
  CHECK(merged.exit_code == 0);
  CHECK(merged.err ==
        "gpupost: warning: in.exr: parts.exr: has 2 parts; only part `beauty` was read\n"
        "gpupost: warning: 1 more input: parts.exr: has 2 parts; only part `beauty` was read\n");
  for (const char* name : {"s.1.exr", "s.2.exr"}) place.write(name, place.read("in.exr"));
  for (const char* name : {"p.1.exr", "p.2.exr"}) place.write(name, place.read("parts.exr"));
  const Finished frames =
      place.gpupost({"s.%d.exr", "merge", "--with", "p.{frame}.exr", "--mode", "add", "-o", "{name}.sum.exr"});
  CHECK(frames.exit_code == 0);
  CHECK(frames.err ==
        "gpupost: warning: s.1.exr: p.{frame}.exr: has 2 parts; only part `beauty` was read\n"
        "gpupost: warning: 1 more input: p.{frame}.exr: has 2 parts; only part `beauty` was read\n");
}

TEST_CASE("a PNG's own curve and primaries are light of Rec. 709 in what is written") {
  const TestFolder place;
  const std::string png = place.read("in.png");
  place.write("power.png", with_chunk(png, "cICP", std::string("\1\4\0\1", 4)));  // a power of 2.2
  CHECK(place.gpupost({"power.png", "-o", "out.png"}, no_driver).exit_code == 0);
  const Picture before = decoded(place, "in.png"), after = decoded(place, "out.png");
  for (size_t texel = 0; texel < texel_count(before.size()); ++texel) {
    if (share_at(before, 4 * texel + 3) < 0.5) continue;
    for (size_t c = 4 * texel; c < 4 * texel + 3; ++c)
      CHECK(std::abs(share_at(after, c) - srgb_encode(std::pow(share_at(before, c), 2.2))) < 0.6 / 255);
  }

  place.write("wide.png", with_chunk(png, "cICP", std::string("\11\15\0\1", 4)));  // Rec. 2020, sRGB's curve
  CHECK(place.gpupost({"wide.png", "-o", "as.read.png"}, no_driver).err == "");    // its primaries stay
  CHECK(place.gpupost({"compare", "as.read.png", "wide.png"}).exit_code == 0);
  const Finished wide = place.gpupost({"wide.png", "-o", "wide.out.png", "--output-primaries", "rec709"}, no_driver);
  CHECK(wide.exit_code == 0);
  CHECK_MESSAGE(wide.err.find("primaries") == wide.err.npos, wide.err);
  CHECK_MESSAGE(wide.err.find("attributes") == wide.err.npos, wide.err);
  CHECK(place.gpupost({"compare", "in.png", "wide.out.png"}).exit_code == 6);
  CHECK(place.gpupost({"wide.png", "-o", "wide.exr", "--bits", "32f"}, no_driver).err == "");
  CHECK(place.gpupost({"wide.exr", "-o", "by.exr.png", "--bits", "8", "--output-primaries", "rec709"}, no_driver)
            .exit_code == 0);
  CHECK(place.gpupost({"compare", "by.exr.png", "wide.out.png"}).exit_code == 0);
}

DEVICE_TEST_CASE("a PNG of other primaries is made Rec. 709's at every level of a chain, the base too") {
  const TestFolder place;
  place.write("wide.png", with_chunk(place.read("in.png"), "cICP", std::string("\11\15\0\1", 4)));
  CHECK(place.gpupost({"wide.png", "-o", "plain.png", "--output-primaries", "rec709"}, no_driver).exit_code == 0);
  CHECK(place
            .gpupost(
                {"mips", "wide.png", "-o", "{stem}.{level}.png", "--storage", "fp32", "--output-primaries", "rec709"})
            .exit_code == 0);
  CHECK(place.gpupost({"compare", "wide.0.png", "plain.png", "--tolerance", "0.01"}).exit_code == 0);
}

TEST_CASE("each limit on inputs is an option and a variable, and its error names the option") {
  const TestFolder place;
  const std::pair<std::string, std::string> limits[] = {
      {"--max-side", "36"}, {"--max-texels", "776"}, {"--max-channels", "3"}, {"--max-decoded", "6K"}};
  for (const auto& [option, value] : limits) {
    std::string variable = "GPUPOST_" + std::string(option).substr(2);
    for (char& c : variable) c = c == '-' ? '_' : char(std::toupper(c));
    for (const Finished& finished :
         {place.gpupost({"in.exr", "-o", "out.exr", option, value}), place.gpupost({"info", "in.exr", option, value}),
          place.gpupost({"in.exr", "-o", "out.exr"}, {{variable, value}})}) {
      CHECK_MESSAGE(finished.exit_code == 2, option);
      CHECK_MESSAGE(is_one_error(finished.err), finished.err);
      CHECK_MESSAGE(finished.err.find(fmt::format(" with {})", option)) != std::string::npos, finished.err);
    }
  }
  CHECK(place
            .gpupost({"in.exr", "-o", "out.exr", "--max-side", "37", "--max-texels", "777", "--max-channels", "4",
                      "--max-decoded", "7K", "--decode-seconds", "60", "--decode-cpu-seconds", "60"},
                     no_driver)
            .exit_code == 0);
  for (const std::string wrong : {"0", "4X", "K", "2000G", "-1", ""})
    CHECK_MESSAGE(place.gpupost({"info", "in.exr", fmt::format("--max-decoded={}", wrong)}).exit_code == 1, wrong);
  for (const std::string option :
       {"--max-side=0", "--max-texels=many", "--decode-seconds=0", "--decode-cpu-seconds=99999"})
    CHECK_MESSAGE(place.gpupost({"info", "in.exr", option}).exit_code == 1, option);
  CHECK(place.gpupost({"in.exr", "-o", "out.exr", "--jobs", "0"}).exit_code == 1);
}

TEST_CASE("--max-channels limits the channels of every format") {
  const TestFolder place;
  for (const char* name : {"out.png", "out.tga", "out.hdr", "out.jpg", "out.ktx2", "out.dds", "out.tif"}) {
    REQUIRE(place.gpupost({"in.png", "-o", name}, no_driver).exit_code == 0);
    CHECK(place.gpupost({"info", name, "--max-channels", "4"}).exit_code == 0);
    const Finished finished = place.gpupost({"info", name, "--max-channels", "1"});
    CHECK_MESSAGE(finished.exit_code == 2, name);
    CHECK_MESSAGE(finished.err.find("the limit is 1 (raise it with --max-channels)") != std::string::npos,
                  finished.err);
  }
}

TEST_CASE("the help says the limits that hold without an option") {
  const std::string help = TestFolder().gpupost({"help"}).out;
  const Limits limits;
  CHECK(limits.decoded_bytes == uint64_t(4) << 30);
  const std::pair<std::string, std::string> defaults[] = {
      {"--max-side", fmt::format("{}", limits.side)},
      {"--max-texels", fmt::format("{}", limits.texel_count)},
      {"--max-channels", fmt::format("{}", limits.channel_count)},
      {"--max-decoded", "4G"},
      {"--decode-seconds", fmt::format("{}", limits.wall_seconds)},
      {"--decode-cpu-seconds", fmt::format("{}", limits.cpu_seconds)}};
  for (const auto& [option, number] : defaults) {
    const size_t at = help.find(std::string(option) + " ");
    REQUIRE_MESSAGE(at != help.npos, option);
    const size_t said = help.find("default", at), next = help.find("\n  --", at);
    CHECK_MESSAGE(said < next, option);
    CHECK_MESSAGE(help.substr(said, next - said).find(" " + number) != help.npos, option);
  }
}

TEST_CASE("many inputs give the same, however many are decoded at once, and a damaged one harms no other") {
  const TestFolder place;
  Words words;
  for (int index = 0; index < 9; ++index) {
    const std::string name = fmt::format("n{}.{}", index, index % 2 ? "png" : "exr");
    place.write(name, place.read(index % 4 == 2 ? "cut.exr" : index % 2 ? "in.png" : "wide.exr"));
    words.push_back(name);
  }
  words.push_back("missing.exr");
  words.insert(words.end(), {"-o", "made/{name}.out.exr"});
  std::map<std::string, std::string> files;
  std::string said;
  for (const std::string jobs : {"1", "2", "16"}) {
    std::filesystem::create_directory(place.path("made"));
    const Finished finished = place.gpupost(with(words, {"--jobs", jobs}), no_driver);
    CHECK(finished.exit_code == 5);
    const std::map<std::string, std::string> made = place.files();
    if (files.empty()) files = made;
    if (said.empty()) said = finished.err;
    CHECK_MESSAGE(finished.err == said, jobs);
    CHECK_MESSAGE(made == files, jobs);
    std::filesystem::remove_all(place.path("made"));
  }
  CHECK(files.contains("made/n8.exr.out.exr"));
  CHECK(std::count(said.begin(), said.end(), '\n') == 3);
}

DEVICE_TEST_CASE("metadata that is not kept is named once for each input, if an image is written") {
  const TestFolder place;
  const std::string chunk("tEXtCopyright\0me", 16);
  const auto big_u32 = [](uint64_t number) { return bytes_of(__builtin_bswap32(uint32_t(number))); };
  std::string made = place.read("in.png");
  made.insert(33, big_u32(12) + chunk + big_u32(crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), 16)));
  place.write("hdr.png",
              with_chunk(with_chunk(place.read("in.png"), "cLLI", std::string(8, 1)), "mDCV", std::string(24, 1)));
  CHECK(place.gpupost({"hdr.png", "-o", "out.png"}).err ==
        "gpupost: warning: hdr.png: metadata of this file is not kept: mastering display\n");
  const std::string told = "warning: text.png: metadata of this file is not kept: text\n";
  place.write("text.png", made);
  for (const Words& words : {Words{"gain", "--value", "0.5", "text.png", "-o", "out.png"},
                             {"text.png", "-o", "out.exr"},
                             {"stats", "text.png", "-o", "out.exr"}}) {
    const Finished finished = place.gpupost(words);
    CHECK(finished.exit_code == 0);
    CHECK(finished.err == "gpupost: " + told);
  }
  const Finished sheet = place.gpupost({"in.png", "text.png", "sheet", "-o", "sheet.png"});
  CHECK(sheet.exit_code == 0);
  CHECK(sheet.err == "gpupost: warning: in.png and 1 more: text.png: metadata of this file is not kept: text\n");
  place.write("same.png", made);
  CHECK(place.gpupost({"text.png", "same.png", "sheet", "-o", "sheet.png"}).err ==
        "gpupost: warning: text.png and 1 more: metadata of this file is not kept: text\n");
  CHECK(place.gpupost({"text.png", "in.png", "same.png", "sheet", "-o", "sheet.png"}).err ==
        "gpupost: warning: text.png and 2 more: text.png and 1 other input: metadata of this file is not kept: text\n");
  for (const Words& words : {Words{"stats", "text.png"}, {"info", "text.png"}, {"compare", "text.png", "text.png"}}) {
    const Finished finished = place.gpupost(words);
    CHECK(finished.exit_code == 0);
    CHECK(finished.err == "");
  }
}

DEVICE_TEST_CASE("info finds damage in any level") {
  const TestFolder place;
  check_done(place, {"mips", "in.exr", "-o", "mips.exr"});
  std::string bytes = place.read("mips.exr");
  const std::vector<ExrHeader> headers = parse_exr_headers(std::as_bytes(std::span(bytes)), {});
  const size_t second = offset_of_chunk(std::as_bytes(std::span(bytes)), headers.front(), 1);
  std::fill_n(bytes.begin() + ptrdiff_t(second) + 30, 40, '\xff');
  place.write("mips.exr", bytes);
  const Finished finished = place.gpupost({"info", "mips.exr"});
  CHECK(finished.exit_code == 2);
  CHECK(finished.err == "gpupost: mips.exr: is damaged: chunk 2 and the chunks after it cannot be decoded\n");
}
