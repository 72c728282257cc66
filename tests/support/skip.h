// Tests that cannot run on this machine.
#pragma once

namespace gpupost::test {

// Counts the running test case as skipped: said on standard error, and counted in the last line of the run.
void skip(const char* why);

}  // namespace gpupost::test
