// What `gpupost bench` measures for an op, and the figures that papers and talks publish for it.
#pragma once

#include "core/image/picture.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// The floor of an op: a pass that an op cannot be faster than. It reads each texel of the image once and writes as
// many, a third as many, or none. Or it moves the bytes of the op's own passes at the speed of a copy.
enum class Floor { copy, third, read, bytes };

// One value of an option that decides the op's time. `bench` adds it to the arguments of each variant.
struct Setting {
  std::string_view param;  // "radius"; "": none
  int value = 0;           // in plots with a logarithmic axis it must be above 0
  bool operator==(const Setting&) const = default;

  std::string text() const;  // "--radius 7", or ""
};

// A published figure: the gain of the variant `faster` over `slower` in percent, or the time of `faster` if `slower` is
// empty.
struct Claim {
  std::string_view what;     // "the threads' order"
  std::string_view claimed;  // "about +8 %", "0.17 ms"
  std::string_view where;    // the document, and the device that it used
  std::vector<Size> sizes;
  std::vector<Depth> depths;
  Setting setting;                                      // empty if the op has no settings
  std::string_view slower, faster;                      // arguments of variants
  bool slower_is_half = false, faster_is_half = false;  // measured with --fp16
};

// A graph that a document shows without its values: times of variants over settings, at the sizes and formats of the
// op.
struct Graph {
  std::string_view what;
  std::string_view where;  // the document, and the device that it used
  std::vector<Setting> settings;
  std::vector<std::string_view> variants;  // arguments of variants
};

// What `gpupost bench` measures for an op.
struct Benchmark {
  // Variants: arguments that give the same result by another algorithm. `bench` compares them, and `tune` chooses from
  // them. The first is the baseline. Null: the op has no variants.
  std::vector<std::string> (*variants)() = nullptr;
  Floor floor = Floor::copy;
  std::vector<Size> sizes;
  std::vector<Size> cpu_sizes;        // used on a CPU device
  std::vector<Depth> depths;          // of the images
  std::vector<Setting> settings;      // empty if the op has no settings
  std::vector<Setting> cpu_settings;  // used on a CPU device
  std::vector<Claim> claims;          // published figures, which `bench --documents` compares with the device
  std::vector<Graph> graphs;          // published graphs, for `bench --documents`
  std::string_view remark;            // a sentence about the published figures
  std::string_view arguments;         // options of each variant, such as required ones; may be empty
  std::string (*file)() = nullptr;    // content of the file of Needs::file. Null: the op reads no file
  // Returns the second images of the op for an image of this size, in 32-bit float. Null: noise.
  Level (*picture)(Size size) = nullptr;
};

}  // namespace gpupost
