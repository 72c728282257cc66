// Inputs that must be refused.
#include "tests/program/refusals.h"

#include <doctest/doctest.h>

using namespace gpupost::test;

TEST_CASE("inputs that are bad, to a conversion, an op, a plan and to info") {
  const Refusal bad[] = {
      {"missing", {"missing.exr"}, 2, {"missing.exr", "No such file"}},
      {"empty", {"empty.exr"}, 2, {"empty.exr", "empty"}},
      {"no image", {"text.exr"}, 2, {"text.exr"}},
      {"cut off", {"cut.exr"}, 2, {"cut.exr"}},
      {"a cut off PNG", {"cut.png"}, 2, {"cut.png"}},
      {"a folder", {"folder.exr"}, 2, {"folder.exr", "folder"}},
      {"100,000 x 100,000 texels", {"huge.exr"}, 2, {"huge.exr", "100000 x 100000"}},
      {"100,000 x 100,000 texels of PNG", {"huge.png"}, 2, {"huge.png", "100000 x 100000"}},
      {"no channels", {"no_channels.exr"}, 2, {"no_channels.exr", "channel"}},
  };
  std::vector<Refusal> refusals;
  for (const Refusal& refusal : bad) {
    const std::string& file = refusal.words[0];
    for (const Words& words : std::vector<Words>{
             {file, "-o", "out.exr"}, {"mips", file, "-o", "out.exr"}, {"mips", file, "--fp16"}, {"info", file}})
      refusals.push_back({refusal.name, words, 2, refusal.texts});
  }
  check_all(refusals);
}

TEST_CASE("inputs that lack what is asked of them") {
  check_all({
      {"an unknown layer",
       {"layers.exr", "-o", "out.exr", "--layer", "specular"},
       2,
       {"layers.exr", "specular", "diffuse"}},
      {"a level of a picture that has one", {"in.exr", "-o", "out.exr", "--level", "3"}, 2, {"in.exr", "level"}},
      {"cells of different sizes",
       {"in.exr", "bars.png", "sheet", "--labels", "-o", "out.png"},
       2,
       {"bars.png: its cell is ", "but the cell of in.exr is ", "set one size for all with `sheet --cell WxH`"}},
      {"nothing on standard input", {"mips"}, 2, {"standard input"}},
      {"nothing on standard input, named", {"mips", "-", "-o", "out.exr"}, 2, {"standard input"}},
      {"a file in place of a folder", {"in.exr/x.exr", "-o", "out.exr"}, 2, {"in.exr/x.exr"}},
      {"the plan of a missing file", {"--explain", "mips", "missing.exr"}, 2, {"missing.exr"}},
      {"a chain on a part that is not there",
       {"mips", "in.exr", "--part", "matte"},
       2,
       {"has no part matte; it has the one part 0"}},
      {"the difference from a missing file", {"compare", "in.exr", "missing.exr"}, 2, {"missing.exr"}},
      {"a second image with a number as oiiotool has it",
       {"in.exr", "merge", "--with", "sub/b.####.exr", "-o", "out.exr"},
       1,
       {"merge: sub/b.####.exr does not exist", "like sub/b.{frame}.exr"}},
      {"a second image with a number as printf has it",
       {"in.exr", "merge", "--with", "b.%05d.exr", "-o", "out.exr"},
       1,
       {"merge: b.%05d.exr does not exist", "like b.{frame}.exr"}},
      {"a second image that is a folder",
       {"in.exr", "merge", "--with", "sub", "-o", "out.exr"},
       2,
       {"sub: is a folder; expected a file\n"}},
      {"a folder for info", {"info", "sub"}, 2, {"sub: is a folder; expected a file\n"}},
      {"the plan of a folder", {"--explain", "flip", "x", "sub"}, 2, {"sub: is a folder", "--recursive"}},
      {"an offset over the limit",
       {"in.exr", "merge", "--with", "in.exr", "--offset", "99999999,0", "-o", "out.exr"},
       1,
       {"--offset 99999999,0 is too far", "X and Y in -65536..65536"}},
      {"a missing file behind --", {"mips", "-o", "out.exr", "--", "--fp16"}, 2, {"--fp16", "No such file"}},
  });
}

TEST_CASE("pictures over a limit") {
  check_all({{"the plan of a large one",
              {"--explain", "mips", "--filter", "kaiser", "--from-base", "--size", "32768x1"},
              7,
              {"32768 x 1", "4096", "`mips --filter kaiser --from-base` cannot be tiled"},
              no_driver},
             {"parts that are too small to be any",
              {"mips", "in.exr", "-o", "out.exr", "--tile-side", "15"},
              1,
              {"--tile-side 15", "16..32768"}}});
  if (!has_device() || has_gpu()) return;
  check_all({{"a large one",
              {"mips", "--filter", "kaiser", "--from-base", "long.exr", "-o", "out.exr"},
              7,
              {"20000 x 1", "per side", "`mips --filter kaiser --from-base`"}},
             {"parts as asked for",
              {"luminance", "--size", "1", "long.exr", "--tile-side", "64", "-o", "out.exr"},
              7,
              {"20000 x 1", "64 per side", "a tile of `luminance --size 1` needs at least 20000 x 1 texels"}}});
  // The smallest tiles of one method may be too large. If the user chose it, the message names another method; `auto` takes that.
  const TestFolder place;
  const auto blur_with = [&](const std::string& method) {
    return Words{"blur",        "--radius", "20", "--method",    method,    "long.exr",
                 "--tile-side", "256",      "-o", "blurred.exr", "--verify"};
  };
  check_refused(place, {"parts of sliding sums",
                        blur_with("sliding"),
                        7,
                        {"a tile of `blur --radius 20 --method sliding` needs at least",
                         "--method separable allows smaller tiles"}});
  for (const char* method : {"separable", "auto"}) CHECK(place.gpupost(blur_with(method)).exit_code == 0);
  const Finished plan = place.gpupost({"blur", "--radius", "20", "long.exr", "--tile-side", "256", "--explain"});
  CHECK(plan.out.find("`blur --radius 20` gets --method separable") != plan.out.npos);
  // a plan says what the run would, which also names the input
  for (Words words : {Words{"blur", "--radius", "2", "nan", "--policy", "error", "--space", "yxy"},
                      Words{"blur", "--radius", "2", "--passes", "2", "--border", "repeat", "--storage", "r11g11b10"},
                      Words{"mips", "--filter", "kaiser", "--from-base"},
                      Words{"exposure", "--stops", "1", "bloom", "--radius", "64"}}) {
    words.insert(words.end(), {"in.exr", "--tile-side", "16", "-o", "out.exr"});
    const Finished run = place.gpupost(words);
    words.push_back("--explain");
    const Finished explained = place.gpupost(words);
    CHECK(explained.exit_code == 7);
    CHECK(is_one_error(explained.err));
    CHECK("gpupost: in.exr: " + explained.err.substr(std::string("gpupost: ").size()) == run.err);
  }
}

TEST_CASE("a file whose name begins with a dash is no option, and the message says how it is given") {
  const TestFolder place;
  place.write("-dash.png", made_files().at("in.png"));
  const Finished finished = place.gpupost({"-dash.png", "-o", "out.exr"});
  CHECK(finished.exit_code == 1);
  CHECK(finished.err == "gpupost: -dash.png is taken as an option; write ./-dash.png if you mean a file\n");
  CHECK(place.gpupost({"./-dash.png", "-o", "out.exr"}).exit_code == 0);
  CHECK(place.gpupost({"-o", "out.exr", "--", "-dash.png"}).exit_code == 0);
}
