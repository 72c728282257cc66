#include "core/base/printable.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

namespace gpupost {

namespace {

struct Character {
  uint32_t code = 0;
  size_t bytes = 1;
  bool is_valid = false;
};

// The first character of a text in UTF-8; invalid: its first byte alone.
Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const size_t bytes = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xc2 ? 2 : 1;
  if (bytes == 1 || lead >= 0xf5 || text.size() < bytes) return {};
  uint32_t code = lead & (0x7fu >> bytes);
  for (size_t at = 1; at < bytes; ++at) {
    const auto next = static_cast<unsigned char>(text[at]);
    if ((next & 0xc0) != 0x80) return {};
    code = code << 6 | (next & 0x3f);
  }
  constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_valid = code >= least[bytes] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return is_valid ? Character{code, bytes, true} : Character{};
}

bool is_control(uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

// Breaks a line or changes its direction.
bool reorders(uint32_t code) {
  return code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text, size_t most_bytes) {
  text = text.substr(0, most_bytes);
  std::string shown;
  while (!text.empty()) {
    const Character character = first_of(text);
    const std::string_view bytes = text.substr(0, character.bytes);
    if (character.is_valid && !is_control(character.code) && !reorders(character.code)) shown += bytes;
    else
      for (const char byte : bytes) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    text.remove_prefix(character.bytes);
  }
  return shown;
}

std::string ascii_of(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Character character = first_of(text);
    const bool is_shown = character.is_valid && character.code >= 0x20 && character.code < 0x7f;
    shown += is_shown ? text[0] : '?';
    text.remove_prefix(character.bytes);
  }
  return shown;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_of(text);
    if (!character.is_valid) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

std::string json_name(const std::string& name) { return is_utf8(name) ? name : printable(name); }

std::string printable_lines(std::string_view text) {
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    shown += printable(text.substr(at, end - at));
    if (end < text.size()) shown += '\n';
    at = end + 1;
  }
  return shown;
}

}  // namespace gpupost
