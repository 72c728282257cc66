#include "tests/robustness/trial.h"

#include "tests/program/test_folder.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>

namespace gpupost::test {

Environment host_faults_in(const std::string& process) {
  return {{"LD_PRELOAD", GPUPOST_FAULTS "/libhost_faults.so"}, {"GPUPOST_FAIL_IN", process}};
}

Criterion::~Criterion() { fmt::print("{}: {} of {} {}\n", name_, held_, tried_, claim_); }

void Criterion::count(const std::string& wrong, const std::string& tried) {
  ++tried_;
  if (wrong.empty()) ++held_;
  CHECK_MESSAGE(wrong.empty(), name_, ": ", tried, ": ", wrong);
}

Trial::Trial(Words words, const std::string& input) : words_(std::move(words)) {
  words_.insert(words_.end(), {"in.exr", "-o", "out.exr"});
  folder_.write("in.exr", made_files().at(input));
  folder_.write("out.exr", old_output);
  files_before_ = folder_.files();
  const Finished finished = run();
  REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
  new_output_ = folder_.read("out.exr");
  notes_ = finished.err;
  REQUIRE(!has_old_output());
}

Finished Trial::run(const Environment& environment) const {
  return run(Command{.program = GPUPOST_PROGRAM, .words = words_, .environment = environment});
}

Finished Trial::run(Command command) const {
  put_old_output();
  command.folder = folder_.path();
  command.environment.insert(command.environment.begin(),
                             {{"XDG_CACHE_HOME", cache_.path()}, {"ASAN_OPTIONS", "detect_leaks=0"}});
  return gpupost::test::run(command);
}

Recorded Trial::record(const std::string& variable, Environment environment) const {
  const TemporaryFolder kept;
  environment.emplace_back(variable, kept.path("lines"));
  const Finished finished = run(environment);
  return {.finished = finished, .lines = lines_of(kept.read("lines"))};
}

std::string Trial::wrong_files(const std::string& output) const {
  auto files = folder_.files();
  auto expected = files_before_;
  expected["out.exr"] = output;
  if (files == expected) return "";
  std::string names;
  for (const auto& [name, bytes] : files) names += fmt::format(" {} ({} bytes)", name, bytes.size());
  return "it left" + names;
}

std::string Trial::wrong(const Finished& finished, std::initializer_list<int> codes) const {
  if (finished.is_too_late) return "it hangs";
  if (finished.signal != 0) return fmt::format("signal {}: {}", finished.signal, finished.err);
  if (finished.exit_code == 0) {
    constexpr const char* lost_notes = "warning: out of memory: warnings and notes of an input are not shown\n";
    const bool is_expected = finished.err == notes_ || (!notes_.empty() && finished.err.ends_with(lost_notes));
    return is_expected ? wrong_files(new_output_) : "it says " + finished.err;
  }
  if (std::ranges::find(codes, finished.exit_code) == codes.end())
    return fmt::format("exit {}: {}", finished.exit_code, finished.err);
  if (!is_one_error(finished.err)) return "not one line: " + finished.err;
  return wrong_files(old_output);
}

std::string Trial::wrong_but_may_be_new(const Finished& finished, std::initializer_list<int> codes) const {
  const bool is_new = finished.exit_code > 0 && wrong_files(new_output_).empty();
  if (is_new) put_old_output();
  return wrong(finished, codes);
}

std::string Trial::wrong_output(bool is_all) const {
  const std::string output = folder_.read("out.exr");
  const std::string wrong = is_all ? wrong_files(output) : "";
  for (const auto& [name, bytes] : folder_.files())
    if (!files_before_.contains(name)) std::filesystem::remove(folder_.path(name));
  return output == old_output || output == new_output_ ? wrong : "neither the old output nor the new one";
}

}  // namespace gpupost::test
