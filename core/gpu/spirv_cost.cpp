#include "core/gpu/spirv_cost.h"

#include "core/base/error.h"

#include <limits>
#include <map>
#include <vector>

namespace gpupost {

namespace {

// llvmpipe compiles this much in a few seconds with some 100 MB. The largest shader of gpupost has 22,000 words.
constexpr uint64_t most_words = 65536;
// A view of the ACES configurations needs 124,416 bytes, because each use of a constant array counts.
constexpr uint64_t most_variable_bytes = 262144;

constexpr uint64_t endless = std::numeric_limits<uint64_t>::max();
uint64_t plus(uint64_t a, uint64_t b) { return a > endless - b ? endless : a + b; }
uint64_t times(uint64_t a, uint64_t b) { return b != 0 && a > endless / b ? endless : a * b; }

// Opcodes of the SPIR-V specification.
enum Opcode {
  entry_point = 15,
  type_bool = 20,
  type_int = 21,
  type_float = 22,
  type_vector = 23,
  type_matrix = 24,
  type_array = 28,
  type_struct = 30,
  type_pointer = 32,
  constant = 43,
  spec_constant = 50,
  function = 54,
  function_end = 56,
  function_call = 57,
  variable = 59
};
enum StorageClass { workgroup = 4, private_storage = 6, function_storage = 7 };
constexpr size_t header_words = 5;

struct Function {
  SpirvCost own;
  std::vector<uint32_t> callees;  // one entry per call
  bool is_known = false, is_open = false;
  SpirvCost whole;
};

class Module {
 public:
  explicit Module(std::span<const uint32_t> spirv) {
    size_t at = header_words;
    while (at < spirv.size()) {
      const size_t count = spirv[at] >> 16;
      if (count == 0 || count > spirv.size() - at) return;
      read(spirv.subspan(at, count));
      at += count;
    }
    is_sound_ = at == spirv.size() && current_ == 0 && functions_.contains(entry_);
  }

  SpirvCost cost() {
    if (!is_sound_) return {endless, endless};
    const SpirvCost called = whole(entry_);
    return {plus(global_.words, called.words), plus(global_.variable_bytes, called.variable_bytes)};
  }

 private:
  void read(std::span<const uint32_t> instruction) {
    SpirvCost& owner = current_ ? functions_[current_].own : global_;
    owner.words += instruction.size();
    const auto operand = [&](size_t index) { return index < instruction.size() ? instruction[index] : 0; };
    const uint32_t first = operand(1), second = operand(2), third = operand(3);
    switch (instruction[0] & 0xffff) {
      case entry_point: entry_ = second; break;
      case type_bool: sizes_[first] = 4; break;
      case type_int:
      case type_float: sizes_[first] = second / 8; break;
      case type_vector:
      case type_matrix: sizes_[first] = times(sizes_[second], third); break;
      case type_array:
        sizes_[first] = constants_.contains(third) ? times(sizes_[second], constants_[third]) : endless;
        break;
      case type_struct:
        for (const uint32_t member : instruction.subspan(2)) sizes_[first] = plus(sizes_[first], sizes_[member]);
        break;
      case type_pointer: sizes_[first] = sizes_[third]; break;
      case constant:
      case spec_constant: constants_[second] = third; break;
      case function:
        current_ = second;
        functions_[current_].own.words = instruction.size();
        break;
      case function_end: current_ = 0; break;
      case function_call:
        if (current_) functions_[current_].callees.push_back(third);
        break;
      case variable:
        if (third == workgroup || third == private_storage || third == function_storage)
          owner.variable_bytes = plus(owner.variable_bytes, sizes_[first]);
        break;
      default: break;
    }
  }

  SpirvCost whole(uint32_t id) {
    Function& function = functions_[id];
    if (function.is_known) return function.whole;
    if (function.is_open) return {endless, endless};
    function.is_open = true;
    SpirvCost sum = function.own;
    for (const uint32_t callee : function.callees) {
      const SpirvCost called = whole(callee);
      sum = {plus(sum.words, called.words), plus(sum.variable_bytes, called.variable_bytes)};
    }
    function.is_known = true;
    return function.whole = sum;
  }

  std::map<uint32_t, uint64_t> sizes_;      // sizes of types in bytes
  std::map<uint32_t, uint64_t> constants_;  // constants of at most 32 bits
  std::map<uint32_t, Function> functions_;
  SpirvCost global_;
  uint32_t entry_ = 0, current_ = 0;
  bool is_sound_ = false;
};

}  // namespace

// Follows calls recursively. The number of words limits the depth.
SpirvCost cost_of(std::span<const uint32_t> spirv) {
  return spirv.size() > most_words ? SpirvCost{.words = spirv.size()} : Module(spirv).cost();
}

void check_cost(const SpirvCost& cost, const std::string& name) {
  if (cost.words > most_words)
    fail(Exit::input,
         "{}: its shader has {} words of SPIR-V with every call expanded; the limit is {} (shorten it, or call fewer "
         "functions from functions)",
         name, cost.words == endless ? "infinitely many" : fmt::format("{}", cost.words), most_words);
  if (cost.variable_bytes > most_variable_bytes)
    fail(Exit::input,
         "{}: its local variables take {} bytes, counted for each call; the limit is {} (use smaller arrays)", name,
         cost.variable_bytes == endless ? "infinitely many" : fmt::format("{}", cost.variable_bytes),
         most_variable_bytes);
}

}  // namespace gpupost
