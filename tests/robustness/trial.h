// One command of gpupost again and again under faults, and what each run must have left behind.
#pragma once

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thorough.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace gpupost::test {

using Words = std::vector<std::string>;
using Environment = std::vector<std::pair<std::string, std::string>>;

// Injects the faults of libhost_faults.so into "program" or "worker".
Environment host_faults_in(const std::string& process);

// A bar of docs/security.md. Its destructor prints the line with its figure, "R7 vulkan calls: 312 of 312 faults ended rightly".
class Criterion {
 public:
  Criterion(std::string name, std::string claim) : name_(std::move(name)), claim_(std::move(claim)) {}
  Criterion(const Criterion&) = delete;
  Criterion& operator=(const Criterion&) = delete;
  ~Criterion();
  // Counts one try. What is wrong with it, "" if nothing is, becomes a failure of the running test case.
  void count(const std::string& wrong, const std::string& tried);

 private:
  std::string name_, claim_;
  int held_ = 0, tried_ = 0;
};

// How a run ended, and the lines that an injected library wrote during it.
struct Recorded {
  Finished finished;
  std::vector<std::string> lines;
};

// A folder with in.exr, and a command that makes out.exr of it where something else stands already.
class Trial {
 public:
  explicit Trial(Words words, const std::string& input = "in.exr");

  // Puts the old output back and runs the command.
  Finished run(const Environment& environment = {}) const;
  Finished run(Command command) const;  // any program, in the folder
  // Runs with `variable` set to the path of a file, which an injected library writes.
  Recorded record(const std::string& variable, Environment environment) const;
  Words words() const { return words_; }
  std::string path() const { return folder_.path(); }

  // Files of the cache folder that the runs have.
  std::string cache() const { return cache_.path(); }
  std::string cached(const std::string& name) const { return cache_.read("gpupost/" + name); }
  void put_cached(const std::string& name, const std::string& bytes) const { cache_.write("gpupost/" + name, bytes); }

  // "" where the run ended rightly: with exit 0, the whole new output and its notes (or a warning that memory ended for them), or with one of `codes`, one line on standard error
  // and the old output as it was. No other file may be there in either case.
  std::string wrong(const Finished& finished, std::initializer_list<int> codes) const;
  // The same, where the output may be the new one although the run failed.
  std::string wrong_but_may_be_new(const Finished& finished, std::initializer_list<int> codes) const;
  // Is the output neither the old one nor the new one, or, where that is not to be, a file left beside it? Removes such files.
  std::string wrong_output(bool is_all) const;
  void put_old_output() const { folder_.write("out.exr", old_output); }
  bool has_old_output() const { return folder_.read("out.exr") == old_output; }

 private:
  static constexpr const char* old_output = "an old output";
  std::string wrong_files(const std::string& output) const;

  Words words_;
  TemporaryFolder folder_, cache_;
  std::map<std::string, std::string> files_before_;
  std::string new_output_, notes_;  // of a run without faults
};

}  // namespace gpupost::test
