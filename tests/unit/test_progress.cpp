// The line of the progress bar.
#include "cli/report/progress.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace gpupost;

TEST_CASE("the bar shows files, rate, time left and the current file") {
  ProgressState state{.count = 60, .done_count = 12, .seconds = 4, .current = "in/f.12.exr"};
  CHECK(bar_text(state, 100) == "[####----------------] 12/60  3.0 files/s  0:16 left  in/f.12.exr");
  state.failed_count = 2;
  CHECK(bar_text(state, 100).find("12/60, 2 failed  3.0") != std::string::npos);
  state.skipped_count = 8;  // they took no time
  CHECK(bar_text(state, 100).find("1.0 files/s  0:48 left") != std::string::npos);
  state = {.count = 100'000, .done_count = 1, .seconds = 1};
  CHECK(bar_text(state, 100).find("27:46:39 left") != std::string::npos);
}

TEST_CASE("the bar of a benchmark counts cases") {
  const ProgressState state{
      .count = 8, .done_count = 2, .seconds = 4, .current = "blur 64 x 64 RGBA16F", .unit = "case"};
  CHECK(bar_text(state, 100) == "[#####---------------] 2/8  0.5 cases/s  0:12 left  blur 64 x 64 RGBA16F");
}

TEST_CASE("the bar has no rate and no time left before the first file is done") {
  const ProgressState state{.count = 3, .current = "a.exr"};
  CHECK(bar_text(state, 80) == "[--------------------] 0/3  a.exr");
  CHECK(!state.seconds_left());
  CHECK(ProgressState{}.percent() == 100);
}

TEST_CASE("the bar stays within the terminal, and cuts names at their front") {
  ProgressState state{.count = 9, .done_count = 9, .seconds = 2};
  for (const std::string& name : {std::string(300, 'x') + "end.exr", std::string("\xc3\xa9") + std::string(200, 'y'),
                                  std::string("a\nb\x1b]0;t\x07.exr")}) {
    state.current = name;
    for (int width = 1; width < 200; ++width) {
      const std::string text = bar_text(state, width);
      CHECK(int(text.size()) <= std::max(width - 1, 1));
      CHECK(text.find_first_of("\n\x1b\x07") == std::string::npos);
    }
  }
  state.current = std::string(300, 'x') + "end.exr";
  CHECK(bar_text(state, 80).ends_with("xend.exr"));
  for (int length = 1; length < 40; ++length) {  // no character is cut
    state.current = "";
    for (int index = 0; index < length; ++index) state.current += "\xc3\xa9";
    const std::string text = bar_text(state, 70);
    const size_t first = text.find_first_of("\xc3\xa9");
    if (first != std::string::npos) CHECK(text[first] == '\xc3');
  }
}
