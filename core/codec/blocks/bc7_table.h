// The numbers of the encoder of BC7 for a kernel.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace gpupost::bc7 {

struct KernelTable {
  std::vector<float> numbers;
  std::vector<std::pair<std::string_view, int>> constants;  // names and values: where each table begins, and sizes
};

KernelTable kernel_table();

}  // namespace gpupost::bc7
