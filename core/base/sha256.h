// SHA-256, as sha256sum prints it: 64 hexadecimal digits.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gpupost {

std::string sha256_of(std::span<const std::byte> bytes);
std::string sha256_of(std::string_view text);
// Hash of a regular file; "" if it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace gpupost
