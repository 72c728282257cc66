// Numbers of an encoder for its kernel, which reads them as `table`.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace gpupost {

struct KernelTable {
  std::vector<float> numbers;
  // Names and values: where each part begins, and other integers.
  std::vector<std::pair<std::string_view, int>> constants;

  KernelTable();  // with the constants of core/codec/blocks/reciprocal.h

  // Names the place of the numbers that are added next.
  void begin(std::string_view name) { constants.emplace_back(name, int(numbers.size())); }
  void add(float number) { numbers.push_back(number); }
  void add_all(std::string_view name, const auto& all) {
    begin(name);
    for (const auto number : all) add(float(number));
  }
  void constant(std::string_view name, int value) { constants.emplace_back(name, value); }
};

KernelTable bc7_table();
KernelTable bc6h_table();

}  // namespace gpupost
