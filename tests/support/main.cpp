// The main function of the test programs. It runs decode workers, fails if no test case matches, and counts skipped cases in its
// last line.
#define DOCTEST_CONFIG_IMPLEMENT
#include "core/codec/codec.h"
#include "core/ops/ocio/worker.h"
#include "core/system/child.h"
#include "tests/support/skip.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

namespace gpupost::test {

namespace {

struct Counts {
  int passed = 0, failed = 0, skipped = 0;
  const char* name = "";    // of the case that runs now
  bool is_skipped = false;  // that case
  bool is_empty = false;    // no test case matched the filters
};
Counts counts;

// Processor seconds of this process and of the children that have ended.
double processor_seconds() {
  double seconds = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      seconds += double(time.tv_sec) + 1e-6 * double(time.tv_usec);
  }
  return seconds;
}

// Counts test cases as they end; the reports stay doctest's own. With GPUPOST_TEST_TIMES it prints the processor seconds of each
// case, which, other than doctest's durations, do not grow with the load of the machine.
struct Counter : doctest::IReporter {
  explicit Counter(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& stats) override {
    counts.is_empty = stats.numTestCasesPassingFilters == 0;
  }
  void test_case_start(const doctest::TestCaseData& data) override {
    counts.name = data.m_name;
    counts.is_skipped = false;
    begin_ = processor_seconds();
  }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    ++(!stats.testCaseSuccess ? counts.failed : counts.is_skipped ? counts.skipped : counts.passed);
    if (!prints_times_) return;
    fmt::print("processor seconds: {:.2f} {}\n", processor_seconds() - begin_, counts.name);
    std::fflush(stdout);
  }
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  bool prints_times_ = std::getenv("GPUPOST_TEST_TIMES") != nullptr;
  double begin_ = 0;
};
REGISTER_LISTENER("counter", 1, Counter);

}  // namespace

void skip(const char* why) {
  counts.is_skipped = true;
  fmt::print(stderr, "skipped: {}: {}\n", counts.name, why);
}

}  // namespace gpupost::test

int main(int argc, char** argv) {
  if (gpupost::is_decode_worker(argc, argv)) return gpupost::decode_worker_main();
  if (gpupost::is_ocio_worker(argc, argv)) return gpupost::ocio_worker_main();
  const char* worker = std::getenv("GPUPOST_TEST_WORKER");
  gpupost::use_worker_program(worker ? worker : "/proc/self/exe");
  doctest::Context context(argc, argv);
  const int code = context.run();
  if (context.shouldExit()) return code;  // it was asked for lists or help alone
  const auto& counts = gpupost::test::counts;
  if (counts.is_empty)
    fmt::print(stderr,
               "no test case matches the filters; --list-test-cases lists the names, --no-skip adds skipped ones\n");
  fmt::print("{} passed, {} failed, {} skipped of test cases\n", counts.passed, counts.failed, counts.skipped);
  return counts.is_empty ? 1 : code;
}
