// An op is one record: the parser, the help, the documents, the plan and the tests are loops over these records.
#pragma once

#include "core/picture.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

struct Call;
class PlanBuilder;

enum class ParamKind { flag, integer, number, choice };

// One option of an op. On the command line it is `--name`.
struct Param {
  std::string_view name;
  std::string_view help;
  ParamKind kind = ParamKind::number;
  double def = 0;           // of a choice: its index
  double min = 0, max = 0;  // inclusive; of integers and numbers
  std::string_view unit;    // "texels", "stops"; "" for a plain number
  std::vector<std::string_view> choices;
};

// Numbers of the CPU reference: one component of a picture, rows from the top.
struct Plane {
  Size size;
  std::vector<double> values;
};

// What an op cannot be faster than: one pass that reads each texel of the picture once, and writes as many, a third as
// many, or none.
enum class Floor { copy, third, read };

// What `bench` measures of an op; without sizes it measures nothing.
struct Benchmark {
  Floor floor = Floor::copy;
  std::vector<Size> sizes;
  std::vector<Size> cpu_sizes;  // where the device is a CPU
  std::vector<Depth> depths;    // of the images
};

struct Op {
  std::string_view name;
  std::string_view help;         // one line
  std::string_view description;  // shapes, units, ranges and errors in a sentence or two
  std::string_view source;       // the paper and equation, or where the rule comes from
  std::vector<Param> params;
  bool makes_levels = false;               // the result has several mip levels; nothing may follow such an op
  bool every_channel = false;              // works on each channel by itself: depth, ids and the like go through it too
  std::vector<std::string_view> examples;  // arguments after the op's name, as they are tested and built in

  // Other ways to do the same, as arguments behind the op's name: what `bench` compares and `tune` chooses from. The
  // first is what the others are compared with.
  std::vector<std::string> (*variants)() = nullptr;
  Benchmark benchmark;
  // Levels of the result, 1 where there is none.
  int (*level_count)(const Call& call, Size size) = nullptr;
  // The definition in double, of one component: all levels of the result. For ops of which every_channel is true.
  std::vector<Plane> (*reference)(const Call& call, const Plane& base) = nullptr;
  // Appends the passes that do the call on the picture under construction.
  void (*plan)(const Call& call, PlanBuilder& builder) = nullptr;

  const Param* param(std::string_view param_name) const;
};

// All rows, in the order in which help and documents name them.
std::span<const Op* const> all_ops();
const Op* op_named(std::string_view name);  // nullptr: there is none

// One op as it was called, with a value for each of its row's parameters.
struct Call {
  const Op* op = nullptr;
  std::vector<double> values;  // as many as op->params, in their order

  double number(std::string_view param_name) const;
  int integer(std::string_view param_name) const { return int(number(param_name)); }
  bool flag(std::string_view param_name) const { return number(param_name) != 0; }
  std::string_view choice(std::string_view param_name) const;
  // As it would be typed, without the values that are defaults: "mips --levels 3".
  std::string text() const;
};

// Levels of the result of a chain on a picture of this size.
int result_level_count(std::span<const Call> calls, Size size);

// A call with every parameter at its default.
Call default_call(const Op& op);

}  // namespace gpupost
