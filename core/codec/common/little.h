// Little-endian numbers appended to a file under construction.
#pragma once

#include "core/codec/common/bytes.h"

#include <vector>

namespace gpupost {

template <class Number>
void put(std::vector<std::byte>& file, Number number) {
  const auto bytes = std::as_bytes(std::span(&number, 1));
  file.insert(file.end(), bytes.begin(), bytes.end());
}

inline void put_text(std::vector<std::byte>& file, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  file.insert(file.end(), bytes.begin(), bytes.end());
}

}  // namespace gpupost
