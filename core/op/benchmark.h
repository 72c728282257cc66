// What `bench` measures of an op, and what documents claim of it.
#pragma once

#include "core/image/picture.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// What an op cannot be faster than: one pass that reads each texel of the picture once, and writes as many, a third as
// many, or none; or the bytes that its own passes move, at the speed of a copy.
enum class Floor { copy, third, read, bytes };

// What an op is measured at beside size and format: a value of one of its parameters, behind each variant's arguments.
struct Setting {
  std::string_view param;  // "radius"; "": none
  int value = 0;           // over 0, a plot's axis is its logarithm
  bool operator==(const Setting&) const = default;

  std::string text() const;  // "--radius 7", or ""
};

// What a document claims of the row's variants: how much faster `faster` is than `slower`, or where `slower` is empty, how
// long `faster` takes.
struct Claim {
  std::string_view what;     // "the threads' order"
  std::string_view claimed;  // "about +8 %", "0.17 ms"
  std::string_view where;    // the document and its device
  std::vector<Size> sizes;
  std::vector<Depth> depths;
  Setting setting;                                      // of a row that has settings
  std::string_view slower, faster;                      // arguments
  bool slower_is_half = false, faster_is_half = false;  // --fp16
};

// Curves that a document shows without their numbers: the times of variants against settings, at the sizes and formats of
// the row.
struct Graph {
  std::string_view what;
  std::string_view where;  // the document and its device
  std::vector<Setting> settings;
  std::vector<std::string_view> variants;  // arguments
};

// What `bench` measures of an op.
struct Benchmark {
  // Other ways to do the same, as arguments behind the op's name: what `bench` compares and `tune` chooses from. The first is
  // what the others are compared with. Null: there is one way.
  std::vector<std::string> (*variants)() = nullptr;
  Floor floor = Floor::copy;
  std::vector<Size> sizes;
  std::vector<Size> cpu_sizes;        // where the device is a CPU
  std::vector<Depth> depths;          // of the images
  std::vector<Setting> settings;      // empty: the op needs none
  std::vector<Setting> cpu_settings;  // where the device is a CPU
  std::vector<Claim> claims;          // held against the device by `bench --documents`
  std::vector<Graph> graphs;          // likewise
  std::string_view remark;            // on what is claimed, a sentence
};

}  // namespace gpupost
