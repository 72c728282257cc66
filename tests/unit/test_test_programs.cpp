// Filters of the test programs: a typing error in one is a failure.
#include "tests/support/process.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpupost::test;

namespace {

// Runs this test program once more.
Finished rerun(const std::string& filter, const std::string& op) {
  return run({.program = "/proc/self/exe", .words = {filter}, .environment = {{"GPUPOST_TEST_OP", op}}});
}

}  // namespace

TEST_CASE("a filter that matches no test case is a failure") {
  const Finished finished = rerun("--test-case=no case has this name", "blur");
  CHECK(finished.exit_code == 1);
  CHECK(finished.err.starts_with("no test case matches the filters; "));
}

TEST_CASE("GPUPOST_TEST_OP limits loops over ops to one op, which must exist") {
  const std::string filter = "--test-case=every row says what it is*";
  const Finished one = rerun(filter, "blur"), none = rerun(filter, "blurr");
  CHECK(one.exit_code == 0);
  CHECK(none.exit_code == 1);
  const std::string message = "GPUPOST_TEST_OP is \"blurr\"; expected the name of an op (`gpupost ops` lists them)";
  CHECK_MESSAGE(none.out.find(message) != none.out.npos, none.out);
}
