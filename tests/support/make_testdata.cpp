// make_testdata FOLDER: writes the pictures of testdata/.
#include "core/base/error.h"
#include "core/system/atomic_file.h"
#include "tests/support/test_pictures.h"

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "make_testdata: one folder is expected, {} words are given\n", argc - 1);
    return int(gpupost::Exit::usage);
  }
  try {
    for (const gpupost::TestPicture& made : gpupost::test_pictures())
      gpupost::write_file(fmt::format("{}/{}", argv[1], made.file), gpupost::file_of(made).bytes(), false);
  } catch (const gpupost::Error& error) {
    fmt::print(stderr, "make_testdata: {}\n", error.what());
    return int(error.code());
  }
  return 0;
}
