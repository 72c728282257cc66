// The smallest program that decodes files for another one.
#include "core/codec/codec.h"

#include <cstdlib>

int main(int argc, char** argv) {
  return gpupost::is_decode_worker(argc, argv) ? gpupost::decode_worker_main() : EXIT_FAILURE;
}
