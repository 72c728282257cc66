// libFuzzer's side: GPUPOST_FUZZ_TARGET=picture build-fuzz/tests/fuzzer FOLDER
#include "tests/fuzz/targets.h"

#include <cstdio>
#include <cstdlib>

static const gpupost::test::FuzzTarget* target = nullptr;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("GPUPOST_FUZZ_TARGET");
  target = gpupost::test::fuzz_target_named(name ? name : "");
  if (target) return 0;
  std::fputs("GPUPOST_FUZZ_TARGET: expected one of", stderr);
  for (const auto& each : gpupost::test::fuzz_targets()) std::fprintf(stderr, " %s", each.name.data());
  std::fputs("\n", stderr);
  std::exit(1);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  target->run(std::as_bytes(std::span(bytes, size)));
  return 0;
}
