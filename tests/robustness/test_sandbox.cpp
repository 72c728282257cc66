// R18: the sandbox of a decode worker, looked at from inside, and systems that have none.
#include "core/system/sandbox.h"
#include "tests/program/test_folder.h"
#include "tests/robustness/trial.h"
#include "tests/support/skip.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <sstream>

using namespace gpupost::test;

namespace {

const std::pair<std::string, std::string> looks_inside{"LD_PRELOAD", GPUPOST_FAULTS "/libinside_faults.so"};

bool has_filters() {
  if (gpupost::has_seccomp()) return true;
  skip("no seccomp here");
  return false;
}

}  // namespace

TEST_CASE("R18: in a live decoder every system call is refused that it does not need") {
  if (!has_filters()) return;
  Criterion bar("R18 decoders", "live decoders refused all that was tried inside of them");
  for (const char* input : {"in.exr", "in.png", "layers.exr", "deep.png", "depth.exr"}) {
    const Trial trial({}, input);
    const TemporaryFolder kept;
    const Finished finished =
        trial.run({looks_inside, {"GPUPOST_INSIDE", kept.path("report")}, {"SECRET_OF_THE_PARENT", "1"}});
    std::string wrong = trial.wrong(finished, {});
    const std::string report = kept.read("report");
    if (report != "done\n") wrong += report.ends_with("done\n") ? report : "it did not get through: " + report;
    bar.count(wrong, input);
  }
}

TEST_CASE("R18: a decoder without a filter of system calls is warned of, or refused where the sandbox is required") {
  if (!has_filters()) return;
  Criterion bar("R18 no seccomp", "runs without seccomp warned, or ended with exit 7");
  const Environment without{looks_inside, {"GPUPOST_NO_SECCOMP", "1"}};
  const TestFolder place;
  const auto count = [&](const Words& words, int code, const std::string& said) {
    const Finished finished = place.gpupost(words, without);
    std::string wrong;
    if (finished.exit_code != code) wrong = fmt::format("exit {}: {}", finished.exit_code, finished.err);
    if (finished.err.find(said) == said.npos) wrong = "it says " + finished.err;
    bar.count(wrong, text_of({.program = "gpupost", .words = words}));
  };
  count({"in.exr", "-o", "out.exr"}, 0, "warning: in.exr: was decoded without a system call filter");
  count({"in.exr", "in.png", "-o", "sub/"}, 0, "1 more input: was decoded without a system call filter");
  count({"compare", "in.exr", "in.exr"}, 0, "was decoded without a system call filter");
  place.gpupost({"in.exr", "-o", "kept.exr"});
  const std::string kept = place.read("kept.exr");
  count({"in.png", "-o", "kept.exr", "--require-sandbox"}, 7, "in.png: the decoder's system calls cannot be filtered");
  bar.count(place.read("kept.exr") == kept ? "" : "the old output is gone", "the old output");
  count({"info", "in.exr", "--require-sandbox"}, 7, "--require-sandbox");
  count({"doctor"}, has_device() ? 0 : 4, "");
  bar.count(place.gpupost({"in.exr", "-o", "out.exr", "--require-sandbox"}).exit_code == 0 ? "" : "it is refused",
            "--require-sandbox where there is one");
}
