// Frames, sequences, lists of inputs, shards and exit maps.
#include "cli/options/exit_map.h"
#include "cli/options/frame_range.h"
#include "cli/options/input_list.h"
#include "cli/options/sequence.h"
#include "cli/report/depfile.h"
#include "core/base/error.h"
#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

using namespace gpupost;
using namespace gpupost::test;

namespace {

using Frames = std::vector<int64_t>;

void check_refused(const std::string& word, const std::string& text) {
  const std::string message = error_of([&] { parse_frames(word); }, Exit::usage);
  CHECK_MESSAGE(message.find(text) != message.npos, word, ": \"", message, "\" has no \"", text, "\"");
  CHECK_MESSAGE(message.find(word) != message.npos, word, " is not in ", message);
}

std::vector<std::string> paths_of(const InputList& list) {
  std::vector<std::string> paths;
  for (const Input& input : list.files) paths.push_back(input.path);
  return paths;
}

// A folder with empty files.
struct Files : TemporaryFolder {
  explicit Files(const std::vector<std::string>& names) {
    for (const std::string& name : names) write(name, "");
  }
  std::vector<std::string> paths(std::vector<std::string> names) const {
    for (std::string& name : names) name = path(name);
    return names;
  }
};

Variable variables(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

}  // namespace

TEST_CASE("frame ranges say which frames, in their order") {
  CHECK(parse_frames("7") == Frames{7});
  CHECK(parse_frames("-7") == Frames{-7});
  CHECK(parse_frames("1001-1003") == Frames{1001, 1002, 1003});
  CHECK(parse_frames("5-1") == Frames{5, 4, 3, 2, 1});
  CHECK(parse_frames("1-8x3") == Frames{1, 4, 7});
  CHECK(parse_frames("8-1x3") == Frames{8, 5, 2});
  CHECK(parse_frames("1-10y3") == Frames{2, 3, 5, 6, 8, 9});
  CHECK(parse_frames("-2-2") == Frames{-2, -1, 0, 1, 2});
  CHECK(parse_frames("-5--3") == Frames{-5, -4, -3});
  CHECK(parse_frames("-3--5") == Frames{-3, -4, -5});
  CHECK(parse_frames("3,1,2-4,9-9") == Frames{3, 1, 2, 4, 9});
  CHECK(parse_frames("1-3x5") == Frames{1});
  CHECK(parse_frames("0007") == Frames{7});
  CHECK(parse_frames("1-1000000").size() == max_frame_count);
}

TEST_CASE("what a step takes and what its complement takes are all frames of the range, each once") {
  for (const int64_t first : {-7, 0, 3, 20})
    for (const int64_t last : {-9, 1, 19, 20})
      for (const int64_t step : {2, 3, 5}) {
        Frames all = parse_frames(fmt::format("{}-{}x{}", first, last, step));
        if (first != last) {
          const Frames others = parse_frames(fmt::format("{}-{}y{}", first, last, step));
          all.insert(all.end(), others.begin(), others.end());
        }
        std::ranges::sort(all);
        Frames expected(size_t(std::abs(last - first)) + 1);
        std::iota(expected.begin(), expected.end(), std::min(first, last));
        CHECK(all == expected);
      }
}

TEST_CASE("frame ranges that are none are refused with the word and what is expected") {
  for (const char* word : {"", ",", "1,", ",1", "a", "1-", "-", "--1", "1-b", "1--", "1-2-3", "1-5z2", "5x2", "1 ",
                           "1.5", "1..5", "1-5x2x2", "+1"})
    check_refused(word, "expected frames like");
  for (const char* word : {"1-5x0", "1-5x-1", "1-5x", "1-5y0"}) check_refused(word, "expected a step of 1 or more");
  check_refused("1-10:2", "colon");
  check_refused("4,1:10", "1-10x2");
  check_refused("1-10y1", "no frame");
  check_refused("1-1000001", "the limit is 1000000 frames");
  check_refused("1-600000,700000-1300000", "the limit is 1000000 frames");
  check_refused("-1000000000000000-1000000000000000", "the limit is");
  check_refused("1000000000000001", "a frame is a number in");
  check_refused("99999999999999999999", "a frame is a number in");
}

TEST_CASE("frames as text are the ranges they make up") {
  CHECK(text_of_frames(Frames{}) == "");
  CHECK(text_of_frames(Frames{3, 4, 5, 9}) == "3-5, 9");
  CHECK(text_of_frames(Frames{-2, -1, 7}) == "-2--1, 7");
}

TEST_CASE("a sequence writes and finds the same names") {
  struct Pattern {
    const char* path;
    int width;
    const char* frame_7;
    const char* frame_minus_7;
    const char* frame_12345;
  };
  for (const Pattern& pattern :
       {Pattern{"a/s.%04d.exr", 4, "a/s.0007.exr", "a/s.-007.exr", "a/s.12345.exr"},
        Pattern{"s#.exr", 4, "s0007.exr", "s-007.exr", "s12345.exr"},
        Pattern{"s##.exr", 2, "s07.exr", "s-7.exr", "s12345.exr"}, Pattern{"######", 6, "000007", "-00007", "012345"},
        Pattern{"s.%d", 1, "s.7", "s.-7", "s.12345"}}) {
    const Sequence sequence = *Sequence::parse(pattern.path);
    CHECK(sequence.width() == pattern.width);
    CHECK(sequence.path(7) == pattern.frame_7);
    CHECK(sequence.path(-7) == pattern.frame_minus_7);
    CHECK(sequence.path(12345) == pattern.frame_12345);
    for (const int64_t frame : {0L, 7L, -7L, 12345L, -99999L, 1'000'000'000'000'000L})
      CHECK(sequence.frame_of(std::filesystem::path(sequence.path(frame)).filename().string()) == frame);
  }
}

TEST_CASE("the minus sign of a frame may count as a digit or not") {
  const Files files({"s.-003.exr", "s.-0002.exr", "s.-12345.exr", "t.-002.exr", "t.-0002.exr"});
  const Sequence sequence = *Sequence::parse("s.####.exr");
  CHECK(sequence.frame_of("s.-0002.exr") == -2);
  CHECK_FALSE(sequence.frame_of("s.-00002.exr"));
  CHECK_FALSE(sequence.other_place_of("s.-0002.exr"));
  const InputList list = list_inputs({files.path("s.####.exr")}, {.frames = Frames{-3, -2, -12345, -1}});
  CHECK(paths_of(list) == files.paths({"s.-003.exr", "s.-0002.exr", "s.-12345.exr"}));
  CHECK(list.files[0].frame_width == 4);
  CHECK(list.files[1].frame_width == 5);
  CHECK(list.files[2].frame_width == 4);
  CHECK(paths_of(list_inputs({files.path("s.####.exr")}, {.frames = parse_frames("-3--2")})).size() == 2);
  const std::string message = error_of([&] { list_inputs({files.path("t.####.exr")}, {}); }, Exit::input);
  CHECK_MESSAGE(message.ends_with("t.-0002.exr are both frame -2; remove one of them"), message);
}

TEST_CASE("a name that a sequence would write otherwise is none of it") {
  const Sequence sequence = *Sequence::parse("s.%04d.exr");
  for (const std::string name :
       {"s.007.exr", "s.00007.exr", "s.-0000.exr", "s.+007.exr", "s..exr", "s.exr", "s.0007.png", "t.0007.exr",
        "s.0007a.exr", "s.99999999999999999999.exr", "", "s.0007.exr.bak"})
    CHECK_MESSAGE(!sequence.frame_of(name), name);
  CHECK(sequence.other_place_of("s.007.exr") == "%03d");
  CHECK_FALSE(sequence.other_place_of("s.0007.exr"));
  CHECK_FALSE(sequence.other_place_of("s.x.exr"));
  CHECK(sequence.other_place_of("s.7.exr") == "%d");
  CHECK(sequence.other_place_of("s.-7.exr") == "%d");
  CHECK(sequence.other_place_of("s.000000000007.exr") == "%012d");
  CHECK_FALSE(sequence.other_place_of("s.0000000000000000007.exr"));
}

TEST_CASE("only the file name has the place of a frame, and only one") {
  CHECK_FALSE(Sequence::parse("a#/in.exr"));
  CHECK_FALSE(Sequence::parse("100%.exr"));
  CHECK_FALSE(Sequence::parse("%s.exr"));
  CHECK(Sequence::parse("a#/in.#.exr")->path(1) == "a#/in.0001.exr");
  for (const char* word : {"#.#.exr", "a%04d.##.exr", "%d%d"})
    CHECK(error_of([&] { Sequence::parse(word); }, Exit::usage).find("two patterns") != std::string::npos);
  for (const char* word : {"%4d", "%00d", "%0d", "%0004d", "%12d"})
    CHECK(error_of([&] { Sequence::parse(word); }, Exit::usage).find("expected %04d") != std::string::npos);
  for (const std::string& word : {std::string(20, '#'), std::string(1'000'000, '#')})
    CHECK(error_of([&] { Sequence::parse(word + ".exr"); }, Exit::usage).find("18") != std::string::npos);
  const std::string zeros(1'000'000, '0');
  CHECK(error_of([&] { Sequence::parse("%" + zeros + "4d"); }, Exit::usage).find("expected %04d") != std::string::npos);
  CHECK_FALSE(Sequence::parse("%" + zeros));
}

TEST_CASE("inputs come in the order of their words: files, globs, folders, sequences, the list") {
  const Files files({"b.exr", "a.exr", "s.0002.exr", "s.0001.exr", "f/z.png", "f/g/y.exr", "f/.hidden.exr",
                     "f/.h/x.exr", "f/note.txt", "listed.exr"});
  files.write("list", "listed.exr\r\n\nmissing.exr\n");
  InputOptions options{.list = files.path("list"), .is_recursive = true};
  const InputList list = list_inputs(files.paths({"b.exr", "s.#.exr", "f", "[ab].exr"}), options);
  std::vector<std::string> expected =
      files.paths({"b.exr", "s.0001.exr", "s.0002.exr", "f/g/y.exr", "f/z.png", "a.exr", "b.exr"});
  expected.insert(expected.end(), {"listed.exr", "missing.exr"});
  CHECK(paths_of(list) == expected);
  CHECK(list.is_batch);
  CHECK(list.missing.empty());
  CHECK(list.notes.size() == 4);
  CHECK(list.files[1].frame == 1);
  CHECK(list.files[1].frame_width == 4);
  CHECK_FALSE(list.files[0].frame);
}

TEST_CASE("a folder has links to files and to nothing as inputs, and names the links to folders that it leaves out") {
  const Files files({"f/a.png", "other/b.png"});
  std::filesystem::create_symlink("none.png", files.path("f/gone.png"));
  std::filesystem::create_symlink("a.png", files.path("f/link.png"));
  std::filesystem::create_symlink("none.txt", files.path("f/note.txt"));
  std::filesystem::create_symlink("../other", files.path("f/linked"));
  const InputList list = list_inputs({files.path("f")}, {.is_recursive = true});
  CHECK(paths_of(list) == files.paths({"f/a.png", "f/gone.png", "f/link.png"}));
  CHECK(list.left_out == std::vector{fmt::format("{}: {} is left out, because it is a link to a folder",
                                                 files.path("f"), files.path("f/linked"))});
}

TEST_CASE("one file is no batch, and a file that has the name of a pattern is that file") {
  const Files files({"in.exr", "a[1].exr", "s#.exr", "s0001.exr", "*.exr"});
  for (const char* name : {"in.exr", "a[1].exr", "s#.exr", "*.exr", "missing.exr"}) {
    const InputList list = list_inputs({files.path(name)}, {});
    CHECK(paths_of(list) == files.paths({name}));
    CHECK_FALSE(list.is_batch);
  }
  CHECK(paths_of(list_inputs({"-"}, {})) == std::vector<std::string>{"-"});
  CHECK(list_inputs({}, {}).files.empty());
}

TEST_CASE("names in a list may have any character if a 0 byte ends them") {
  const Files files({});
  files.write("list", std::string("a\nb.exr\0c*.exr\0", 15));
  CHECK(paths_of(list_inputs({}, {.list = files.path("list")})) == std::vector<std::string>{"a\nb.exr", "c*.exr"});
}

TEST_CASE("words that stand for nothing are errors") {
  const Files files({"f/note.txt", "s.001.exr", "n.7.exr"});
  files.write("empty", "\n\r\n");
  const auto input_error = [&](const std::string& word, const InputOptions& options = {}) {
    return error_of([&] { list_inputs({files.path(word)}, options); }, Exit::input);
  };
  CHECK(input_error("*.png").find("no file matches") != std::string::npos);
  CHECK(input_error("s.%04d.exr")
            .find("of at least 4 digits; s.001.exr has another number of digits; write " + files.path("s.%03d.exr")) !=
        std::string::npos);
  CHECK(input_error("s.%d.exr")
            .find("without leading zeros; s.001.exr has leading zeros; write " + files.path("s.%03d.exr")) !=
        std::string::npos);
  CHECK(input_error("n.####.exr").find("n.7.exr has another number of digits; write " + files.path("n.%d.exr")) !=
        std::string::npos);
  CHECK(input_error("t.%04d.exr").find("no file matches") != std::string::npos);
  CHECK(input_error("none/s.%04d.exr").find("cannot be read") != std::string::npos);
  CHECK(input_error("f", {.is_recursive = true}).find("no image") != std::string::npos);
  CHECK(input_error("s.001.exr", {.list = files.path("empty")}).find("is empty") != std::string::npos);
  CHECK(input_error("s.001.exr", {.list = files.path("none")}).find("cannot be opened") != std::string::npos);
  const auto list_frame = [&] { list_inputs({files.path("s.001.exr")}, {.frames = Frames{1}}); };
  CHECK(error_of(list_frame, Exit::usage).find("--frames") != std::string::npos);
  for (const auto& [options, error] :
       {std::pair(InputOptions{.skips_missing = true}, "--skip-missing needs a sequence as input"),
        {InputOptions{.is_recursive = true}, "--recursive needs a folder as input"}})
    CHECK(error_of([&] { list_inputs({files.path("s.001.exr")}, options); }, Exit::usage).starts_with(error));
}

TEST_CASE("missing frames are named, of those that --frames names and of gaps, and the others are there") {
  const Files files({"s.0001.exr", "s.0002.exr", "s.0005.exr", "s.0007.exr"});
  const std::string word = files.path("s.####.exr");
  const InputList gap = list_inputs({word}, {});
  CHECK(paths_of(gap) == files.paths({"s.0001.exr", "s.0002.exr", "s.0005.exr", "s.0007.exr"}));
  REQUIRE(gap.missing.size() == 1);
  CHECK(gap.missing[0].starts_with(word + ": frames 3-4, 6 are missing"));
  CHECK(list_inputs({word}, {.skips_missing = true}).missing.empty());
  const InputList named = list_inputs({word}, {.frames = parse_frames("8,5-1x2")});
  CHECK(paths_of(named) == files.paths({"s.0005.exr", "s.0001.exr"}));
  REQUIRE(named.missing.size() == 1);
  CHECK(named.missing[0].starts_with(word + ": frames 3, 8 are missing"));
  CHECK(list_inputs({word}, {.frames = Frames{5, 7}}).missing.empty());
  const Files wide({"s.1.exr", "s.2000001.exr"});
  CHECK(error_of([&] { list_inputs({wide.path("s.%d.exr")}, {}); }, Exit::input).find("choose some with --frames") !=
        std::string::npos);
}

TEST_CASE("each input is in one shard, and adding inputs moves none") {
  std::vector<std::string> names;
  for (int frame = 1; frame <= 1000; ++frame) names.push_back(fmt::format("shots/a.{:04}.exr", frame));
  for (const int count : {1, 2, 3, 7, 64})
    for (const bool is_even : {false, true}) {
      std::vector<size_t> taken(size_t(count), 0);
      for (size_t at = 0; at < names.size(); ++at) {
        int owner_count = 0;
        for (int index = 1; index <= count; ++index)
          if (Shard{.index = index, .count = count, .is_even = is_even}.takes(names[at], at)) {
            ++owner_count;
            ++taken[size_t(index - 1)];
          }
        CHECK(owner_count == 1);
      }
      const auto [least, most] = std::ranges::minmax(taken);
      if (is_even) CHECK(most - least <= 1);
      else CHECK(double(most - least) <= 8 * std::sqrt(1000.0 / count));
    }
  const Shard shard{.index = 2, .count = 3};
  for (const std::string& name : names) {
    CHECK(shard.takes(name, 0) == shard.takes(name, 17));
    for (const std::string folder : {"./", "/mnt/", "other/../", "/farm/scene//./"})
      CHECK_MESSAGE(shard.takes(folder + name, 0) == shard.takes(name, 0), folder, name);
    const std::string in_working_folder = name.substr(name.find('/') + 1);
    CHECK(shard.takes(in_working_folder, 0) == shard.takes(std::filesystem::absolute(in_working_folder).string(), 0));
  }
}

TEST_CASE("a shard takes the same files through a link to their folder") {
  const Files files({"props/a.exr"});
  std::filesystem::create_directory_symlink(files.path("props"), files.path("link"));
  for (int count = 2; count < 20; ++count)
    for (const char* name : {"link/a.exr", "link/../props/a.exr"}) {
      const Shard shard{.index = 1, .count = count};
      CHECK_MESSAGE(shard.takes(files.path(name), 0) == shard.takes(files.path("props/a.exr"), 0), name);
    }
}

TEST_CASE("the hash of a name is the same in every version") {
  CHECK(hash_of_name("") == 0xf52a15e9a9b5e89b);
  CHECK(hash_of_name("a.0001.exr") != hash_of_name("a.0002.exr"));
}

TEST_CASE("a missing frame counts for the shards, so that what is there does not change them") {
  const Files all({"s.0001.exr", "s.0002.exr", "s.0003.exr", "s.0004.exr"});
  const std::string word = all.path("s.%04d.exr");
  const auto list_of = [&](int index, bool is_even) {
    return list_inputs({word},
                       {.frames = parse_frames("1-4"), .shard = Shard{.index = index, .count = 2, .is_even = is_even}});
  };
  std::vector<std::vector<std::string>> before;
  for (const bool is_even : {false, true})
    for (const int index : {1, 2}) before.push_back(paths_of(list_of(index, is_even)));
  std::filesystem::remove(all.path("s.0001.exr"));
  size_t at = 0, missing_count = 0;
  for (const bool is_even : {false, true})
    for (const int index : {1, 2}) {
      const InputList list = list_of(index, is_even);
      std::erase(before[at], all.path("s.0001.exr"));
      CHECK(paths_of(list) == before[at++]);
      missing_count += list.missing.size();
    }
  CHECK(missing_count == 2);  // one shard of each kind
}

TEST_CASE("shards are K of N, and those of schedulers in the documented order") {
  const Variable none = variables({});
  CHECK(parse_shard("2/4", {}, none).index == 2);
  CHECK(parse_shard("2/4", {}, none).count == 4);
  CHECK_FALSE(parse_shard("2/4", {}, none).is_even);
  CHECK(parse_shard("count:4/4", {}, none).is_even);
  for (const std::string word :
       {"", "2", "0/4", "5/4", "-1/4", "1/0", "a/b", "1/4/2", "count:", "1/ 4", "count:0/1", "auto:1/2"})
    CHECK_MESSAGE(!error_of([&] { parse_shard(word, {}, none); }, Exit::usage).empty(), word);
  CHECK(error_of([&] { parse_shard("1/4", 4, none); }, Exit::usage).find("--shards 4 has no effect") !=
        std::string::npos);

  std::map<std::string, std::string> set = {{"HQ_TASK_ID", "3"}};
  const auto shard_of = [&](std::optional<int> count = {}) {
    const Shard shard = parse_shard("auto", count, variables(set));
    return fmt::format("{}/{} by {}", shard.index, shard.count, shard.origin);
  };
  CHECK(shard_of(5) == "3/5 by HQ_TASK_ID=3");
  set["JOB_COMPLETION_INDEX"] = "0";
  CHECK(shard_of(5) == "1/5 by JOB_COMPLETION_INDEX=0");
  set["CI_NODE_INDEX"] = "2", set["CI_NODE_TOTAL"] = "6";
  CHECK(shard_of() == "2/6 by CI_NODE_INDEX=2");
  set["AWS_BATCH_JOB_ARRAY_INDEX"] = "7", set["AWS_BATCH_JOB_ARRAY_SIZE"] = "8";
  CHECK(shard_of() == "8/8 by AWS_BATCH_JOB_ARRAY_INDEX=7");
  set["SLURM_ARRAY_TASK_ID"] = "14", set["SLURM_ARRAY_TASK_MIN"] = "10", set["SLURM_ARRAY_TASK_STEP"] = "2";
  set["SLURM_ARRAY_TASK_COUNT"] = "4";
  CHECK(shard_of() == "3/4 by SLURM_ARRAY_TASK_ID=14");
  CHECK(shard_of(4) == "3/4 by SLURM_ARRAY_TASK_ID=14");
  set["SLURM_ARRAY_TASK_ID"] = "";  // as good as not set
  CHECK(shard_of() == "8/8 by AWS_BATCH_JOB_ARRAY_INDEX=7");
  set["SLURM_ARRAY_TASK_ID"] = "14";
  CHECK(parse_shard("count:auto", {}, variables(set)).is_even);
}

TEST_CASE("what a scheduler sets and is no shard is refused") {
  const auto message_of = [](std::map<std::string, std::string> set, std::optional<int> count = {}) {
    return error_of([&] { parse_shard("auto", count, variables(std::move(set))); }, Exit::usage);
  };
  CHECK(message_of({}).find("none of SLURM_ARRAY_TASK_ID") != std::string::npos);
  CHECK(message_of({{"HQ_TASK_ID", "3"}}).find("expected --shards N too") != std::string::npos);
  CHECK(message_of({{"HQ_TASK_ID", "0"}}, 4).find("not one of 4 shards") != std::string::npos);
  CHECK(message_of({{"HQ_TASK_ID", "x"}}, 4).find("not a whole number") != std::string::npos);
  CHECK(message_of({{"CI_NODE_INDEX", "1"}}).find("CI_NODE_TOTAL is not set") != std::string::npos);
  CHECK(message_of({{"CI_NODE_INDEX", "1"}, {"CI_NODE_TOTAL", "4"}}, 5).find("leave --shards out") !=
        std::string::npos);
  CHECK(message_of({{"SLURM_ARRAY_TASK_ID", "4"},
                    {"SLURM_ARRAY_TASK_MIN", "1"},
                    {"SLURM_ARRAY_TASK_STEP", "2"},
                    {"SLURM_ARRAY_TASK_COUNT", "3"}})
            .find("not evenly spaced") != std::string::npos);
}

TEST_CASE("a depfile has names as make and ninja read them") {
  using Names = std::vector<std::string>;
  const auto text_of = [](const Names& outputs, const Names& inputs) {
    const DepfileRule rule{.outputs = outputs, .inputs = inputs};
    return depfile_text(std::span(&rule, 1));
  };
  const Names outputs{"a b.exr", "c.exr"}, inputs{"in$1.exr", "x#y:z.exr"};
  CHECK(text_of(outputs, inputs) == "a\\ b.exr c.exr: in$$1.exr x\\#y\\:z.exr\nin$$1.exr:\nx\\#y\\:z.exr:\n");
  CHECK(text_of({}, inputs) == "");
  CHECK(text_of({"-"}, inputs) == "");
  CHECK(text_of({"x.png"}, {"-", "a.png", "/dev/stdin"}) == "x.png: a.png\na.png:\n");
  CHECK(text_of({R"(a\ b)"}, {R"(c\d)"}) == "a\\\\\\ b: c\\d\nc\\d:\n");
  CHECK(text_of({R"(a\b)"}, {}) == "a\\b:\n");
  CHECK(text_of({"a&b.exr"}, {}) == "a&b.exr:\n");
  const auto for_make_alone = [](const Names& made, const Names& read) {
    const DepfileRule rule{.outputs = made, .inputs = read};
    return name_for_make_alone(std::span(&rule, 1));
  };
  CHECK(for_make_alone({"a b.exr"}, {"in$1.exr", "x#y:z.exr", "a(1).exr", R"(c\d)"}).empty());
  for (const char* name :
       {"a&b.exr", "Bob's.exr", "a\"b", "a<b", "a>b", "a^b", "a`b", "a\rb", "a:", R"(a\$b)", "a\x7f.exr"}) {
    CHECK(for_make_alone({name}, {}) == name);
    CHECK(for_make_alone({"x"}, {"y", name}) == name);
  }
  const std::pair<std::string, std::string> unreadable[] = {{"a=1.exr", "a ="},
                                                            {"a;b.exr", "a ;"},
                                                            {"a|b.exr", "a |"},
                                                            {"a%.exr", "a %"},
                                                            {"a*.exr", "a *"},
                                                            {"a?.exr", "a ?"},
                                                            {"a[1].exr", "a ["},
                                                            {"a&", "a & at its end"},
                                                            {"a ", "a blank at its end"},
                                                            {"a\t", "a tab at its end"},
                                                            {"~a/b", "a ~ at its start"},
                                                            {"./~", "a ~ at its start"},
                                                            {"a(1)", "a ( and a ) at its end"},
                                                            {R"(a\#b)", R"(a \ before #)"},
                                                            {R"(a\:b)", R"(a \ before :)"},
                                                            {R"(a\)", R"(a \ at its end)"}};
  for (const auto& [name, obstacle] : unreadable)
    for (const bool is_output : {false, true})
      CHECK(error_of([&] { text_of({is_output ? name : "x"}, {is_output ? "x" : name}); }, Exit::usage) ==
            fmt::format(
                "--depfile: the name {} has {}, which make or ninja cannot read; rename it or leave --depfile out",
                name, obstacle));
  CHECK_THROWS_WITH_AS(
      text_of(outputs, {"two\nlines.exr"}),
      "--depfile: the name two\nlines.exr has a newline, which make or ninja cannot read; rename it or leave "
      "--depfile out",
      Error);
}

TEST_CASE("a depfile has one empty rule for each name of an input that is no output, and none depends on itself") {
  const DepfileRule rules[] = {{.outputs = {"a.exr"}, .inputs = {"a.exr", "./a.exr", "look.cube"}},
                               {.outputs = {"c.exr"}, .inputs = {"b.exr", "look.cube"}}};
  CHECK(depfile_text(rules) == "a.exr: look.cube\nc.exr: b.exr look.cube\nlook.cube:\nb.exr:\n");
  const DepfileRule two_names{.outputs = {"b.exr"}, .inputs = {"a.exr", "./a.exr", "a.exr"}};
  CHECK(depfile_text({&two_names, 1}) == "b.exr: a.exr ./a.exr a.exr\na.exr:\n./a.exr:\n");
  const TemporaryFolder folder;
  folder.write("other/below/y.exr", "");
  std::filesystem::create_directory_symlink(folder.path("other/below"), folder.path("link"));
  const std::string x = folder.path("x.exr"), other_x = folder.path("link/../x.exr"),
                    same_x = folder.path("link/../../x.exr");
  const DepfileRule links{.outputs = {x}, .inputs = {other_x, same_x}};
  CHECK(depfile_text({&links, 1}) == fmt::format("{}: {}\n{}:\n", x, other_x, other_x));
}

TEST_CASE("an exit map changes failures into other failures") {
  CHECK(parse_exit_map("7=33,5=34") == std::map<int, int>{{7, 33}, {5, 34}});
  for (const std::string word :
       {"", "7", "7=", "=7", "7=0", "0=7", "7=256", "7=33,", "7=33 ", "7:33", "7=33,7=34", "-1=2"})
    CHECK_MESSAGE(!error_of([&] { parse_exit_map(word); }, Exit::usage).empty(), word);
  CHECK(mapped_exit_code(7, {"in.exr", "--exit-map", "7=33"}) == 33);
  CHECK(mapped_exit_code(7, {"in.exr", "--exit-map=5=34,7=33"}) == 33);
  CHECK(mapped_exit_code(5, {"in.exr", "--exit-map", "7=33"}) == 5);
  CHECK(mapped_exit_code(0, {"in.exr", "--exit-map", "7=33"}) == 0);
  CHECK(mapped_exit_code(1, {"in.exr", "--exit-map"}) == 1);
  CHECK(mapped_exit_code(1, {"in.exr", "--exit-map", "1"}) == 1);
  CHECK(mapped_exit_code(1, {"--", "--exit-map", "1=9"}) == 1);
  CHECK(mapped_exit_code(1, {}) == 1);
}
