// R7: each call of the system by which a result gets to its file fails once, and others that the program makes.
#include "tests/program/test_folder.h"
#include "tests/robustness/trial.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>

using namespace gpupost::test;

namespace {

// The lines are "write /tmp/x/.out.exr.gpupost-12-0-5d4c8a0f.tmp", "fsync /tmp/x".
Recorded calls_of(const Trial& trial, const Environment& environment) {
  return trial.record("GPUPOST_CALLS", environment);
}

bool is_about(const std::string& call, const std::string& text) { return call.find(text) != call.npos; }

bool is_behind_rename(const Trial& trial, const std::string& call) { return call == "fsync " + trial.path(); }

// Does the call bring the output to its file? Then an error that no retry mends must not end in success.
bool brings_output(const Trial& trial, const std::string& call) {
  return is_about(call, "out.exr") || is_behind_rename(trial, call);
}

// What a call that failed makes of the run: an output that cannot be written (too many open files are another matter), an input that cannot be read, memory that cannot
// be had or shared; where a cache fails, nothing.
std::string wrong(const Trial& trial, const Finished& finished, const std::string& call, int error) {
  if (brings_output(trial, call) && error != EINTR && finished.exit_code == 0) return "it succeeds";
  if (is_behind_rename(trial, call)) return trial.wrong_but_may_be_new(finished, {error == EMFILE ? 7 : 3});
  if (is_about(call, "out.exr") || call == "open .") return trial.wrong(finished, {error == EMFILE ? 7 : 3});
  return trial.wrong(finished, {2, 7});
}

// Each call of one process with each of the errors; the calls are those of the faulty run itself, whose order threads may change.
void fail_each_call(Criterion& bar, const Trial& trial, const std::string& process) {
  const auto [undisturbed, all_calls] = calls_of(trial, host_faults_in(process));
  REQUIRE_MESSAGE(undisturbed.exit_code == 0, undisturbed.err);
  REQUIRE(!all_calls.empty());
  for (size_t index = 0; index < all_calls.size(); ++index)
    for (const int error : {EIO, ENOSPC, EMFILE, EINTR}) {
      const bool is_tried =
          brings_output(trial, all_calls[index]) ? error == EIO || error == EINTR : error == (index % 2 ? EIO : EINTR);
      if (!is_thorough() && !is_tried) continue;
      Environment environment = host_faults_in(process);
      environment.emplace_back("GPUPOST_FAIL_CALL", fmt::format("{}:{}", index + 1, error));
      const auto [finished, calls] = calls_of(trial, environment);
      const std::string call = index < calls.size() ? calls[index] : "";
      bar.count(wrong(trial, finished, call, error),
                fmt::format("{}, errno {} at call {}, {}", process, error, index + 1, call));
    }
}

}  // namespace

DEVICE_TEST_CASE("R7: whichever call of the system fails, the exit code says so and the old output stays") {
  Criterion bar("R7 system calls", "calls that failed ended rightly");
  const Trial mips({"mips"});
  fail_each_call(bar, mips, "program");
  fail_each_call(bar, mips, "worker");
}

TEST_CASE("an output is on the disk before it gets its name, and then the name, and then a line of the journal") {
  const Trial conversion({"--journal", "j"});
  const auto [finished, calls] = calls_of(conversion, host_faults_in("program"));
  REQUIRE(finished.exit_code == 0);
  const std::string folder = conversion.path(), temporary = folder + "/.out.exr.gpupost-";
  auto at = calls.begin();
  for (const std::string& expected : {"write " + temporary, "fsync " + temporary, std::string("renameat out.exr"),
                                      "fsync " + folder, "write " + folder + "/j", "fdatasync " + folder + "/j"}) {
    at = std::find_if(at, calls.end(), [&](const std::string& call) { return call.starts_with(expected); });
    REQUIRE_MESSAGE(at != calls.end(), expected);
    ++at;
  }
}

DEVICE_TEST_CASE("R7: an output whose writes all take less than they are given is whole") {
  Criterion bar("R7 short writes", "outputs were whole");
  const Trial mips({"mips"});
  for (const char* process : {"program", "worker"}) {
    Environment environment = host_faults_in(process);
    environment.emplace_back("GPUPOST_SHORT_WRITES", "1");
    bar.count(mips.wrong(mips.run(environment), {}), process);
  }
}
