// The files of testdata/, and how they are made.
#pragma once

#include "core/codec/codec.h"

namespace gpupost {

struct TestPicture {
  std::string file;  // its name in testdata/
  Picture picture;
  EncodeOptions options;
};

std::vector<TestPicture> test_pictures();

// The bytes of its file.
TexelBuffer file_of(const TestPicture& made);

}  // namespace gpupost
