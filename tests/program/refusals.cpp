#include "tests/program/refusals.h"
#include "tests/program/tested_program.h"

#include "tests/support/thorough.h"

#include <doctest/doctest.h>

namespace gpupost::test {

void check_refused(const TestFolder& place, const Refusal& refusal) {
  const auto before = place.files();
  const Finished finished = place.gpupost(refusal.words, refusal.environment);
  INFO(std::string(refusal.name), ": ",
       text_of({.program = "gpupost", .words = refusal.words, .environment = refusal.environment}), "\n", finished.out,
       finished.err);
  CHECK(finished.exit_code == refusal.exit_code);
  CHECK(finished.out == "");
  CHECK(is_one_error(finished.err));
  for (const std::string& text : refusal.texts)
    CHECK_MESSAGE(finished.err.find(text) != text.npos, "no \"", text, "\"");
  CHECK_MESSAGE(place.files() == before, "a file came, went or changed");
}

void check_all(const std::vector<Refusal>& refusals) {
  const TestFolder fresh, used;
  for (const char* output : {"out.exr", "out.png", "in.mips.exr", "out.0.png"}) used.write(output, "an old output");
  const size_t step = is_tested_sanitized() && !is_thorough() ? 5 : 1;
  for (size_t index = 0; index < refusals.size(); index += step)
    check_refused(index / step % 2 == 0 ? fresh : used, refusals[index]);
}

}  // namespace gpupost::test
