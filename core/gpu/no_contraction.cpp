#include "core/gpu/no_contraction.h"

#include <algorithm>
#include <set>

namespace gpupost {
namespace {

// Codes of the SPIR-V specification.
enum ArithmeticOp {
  decorate = 71,
  first_type = 19,  // declarations of types; decorations stand before them
  last_type = 39,
  add = 129,
  subtract = 131,
  multiply = 133,
  first_product = 142,  // of vectors and matrices with scalars, vectors and matrices
  last_product = 148
};
constexpr uint32_t no_contraction = 42;
constexpr size_t spirv_header_words = 5;

bool is_contractible(uint32_t code) {
  return code == add || code == subtract || code == multiply || (code >= first_product && code <= last_product);
}

// Calls `visit(code, at)` for each instruction. Its first word has its number of words and its code.
template <class Visit>
void for_each_instruction(std::span<const uint32_t> spirv, Visit visit) {
  for (size_t at = spirv_header_words; at < spirv.size() && spirv[at] >> 16 > 0; at += spirv[at] >> 16)
    visit(spirv[at] & 0xffff, at);
}

}  // namespace

std::vector<uint32_t> without_contraction(std::span<const uint32_t> spirv) {
  size_t types_at = spirv.size();
  std::set<uint32_t> results;
  for_each_instruction(spirv, [&](uint32_t code, size_t at) {
    if (code >= first_type && code <= last_type) types_at = std::min(types_at, at);
    if (is_contractible(code)) results.insert(spirv[at + 2]);
  });
  for_each_instruction(spirv, [&](uint32_t code, size_t at) {
    if (code == decorate && spirv[at + 2] == no_contraction) results.erase(spirv[at + 1]);
  });
  std::vector<uint32_t> decorated(spirv.begin(), spirv.begin() + std::ptrdiff_t(types_at));
  for (const uint32_t result : results) decorated.insert(decorated.end(), {3 << 16 | decorate, result, no_contraction});
  decorated.insert(decorated.end(), spirv.begin() + std::ptrdiff_t(types_at), spirv.end());
  return decorated;
}

}  // namespace gpupost
