#define DOCTEST_CONFIG_IMPLEMENT
#include "core/codec/codec.h"

#include <doctest/doctest.h>

int main(int argc, char** argv) {
  if (gpupost::is_decode_worker(argc, argv)) return gpupost::decode_worker_main();
  return doctest::Context(argc, argv).run();
}
