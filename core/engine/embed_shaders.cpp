// Build tool: compiles the passes of each row's examples to SPIR-V and writes them as C++ and a file of words.
#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/engine/block_encoder.h"
#include "core/glsl/shader_text.h"
#include "core/gpu/cache.h"
#include "core/gpu/gpu.h"
#include "core/gpu/spirv.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <sstream>

namespace gpupost {

// Devices whose shaders are built in: Mesa's CPU device, and GPUs with subgroups of 32. Other devices compile at the
// first run and cache the result.
static std::vector<DeviceTraits> usual_devices() {
  DeviceTraits cpu{.name = "cpu",
                   .type = DeviceType::cpu,
                   .max_image_side = 32768,
                   .max_group_invocations = 1024,
                   .max_storage_images = 64,
                   .shared_bytes = 32768,
                   .subgroup = {.size = 8, .has_quad = true, .has_shuffle = true, .has_reductions = true},
                   .half = {.has_arithmetic = true},
                   .filters_f32 = true,
                   .has_memory_model = true,
                   .has_image_buffers = true};
  DeviceTraits gpu = cpu;
  gpu.type = DeviceType::discrete;
  gpu.subgroup.size = 32;
  gpu.has_image_buffers = false;
  return {cpu, gpu};
}

// Even and odd sides, powers of two, few to many levels, and a small image. Other sizes need the same shaders, or a few more for
// `mips` and `bloom`.
static constexpr Size usual_sizes[] = {{1920, 1080}, {1919, 1081}, {4096, 4096}, {2560, 1600},
                                       {1000, 667},  {300, 200},   {64, 64}};

// Storage of images and arithmetic. 8-bit images use the same passes as float images.
static constexpr std::pair<Depth, bool> usual_numbers[] = {
    {Depth::f32, false}, {Depth::half, false}, {Depth::half, true}};

// Images that need more than a storage buffer have shaders of their own on a CPU device. They take so long to process that compiling
// these at the first run does not matter.
static bool is_large(Size size, Depth storage, const DeviceTraits& device) {
  return bytes_of_level({.size = size, .depth = storage}, 0) > device.memory.storage_bytes;
}

// Calls that choose a method are left out: they serve comparisons and may compile at the first run.
static bool is_usual(const Call& call) {
  const auto is_default = [&](const Param& param) { return param.name != "method" || call.is_default(param); };
  return std::ranges::all_of(call.op->params, is_default);
}

// The passes of a call; none if the device cannot run it.
static std::vector<Pass> passes_of(const Call& call, const PlanInput& input, const DeviceTraits& device) {
  try {
    return plan({&call, 1}, input, device).passes;
  } catch (const Error& error) {
    if (error.code() != Exit::usage) throw;
    return {};
  }
}

static std::map<std::string, std::vector<uint32_t>> compile_all() {
  std::map<std::string, std::string> names;  // pass names by shader text
  for (const DeviceTraits& device : usual_devices())
    for (const BlockFormat format : {BlockFormat::bc6h, BlockFormat::bc7})
      for (const Pass& pass : plan_of_blocks(format, usual_sizes[0], device).passes)
        names.emplace(glsl_of(pass), pass.name);
  for (const Op* op : all_ops()) {
    if (op->prepare) continue;  // their shaders are made at run time
    for (const std::string_view example : op->doc.examples)
      for (const DeviceTraits& device : usual_devices())
        for (const Size size : usual_sizes)
          for (const auto& [storage, half_arithmetic] : usual_numbers) {
            const Call call = parse_call(*op, example);
            if (!is_usual(call) || is_large(size, storage, device)) continue;
            const PlanInput input{.size = size, .storage = storage, .half_arithmetic = half_arithmetic};
            for (const Pass& pass : passes_of(call, input, device)) names.emplace(glsl_of(pass), pass.name);
          }
  }
  const std::vector<std::pair<std::string, std::string>> list(names.begin(), names.end());
  std::vector<std::vector<uint32_t>> words(list.size());
  std::atomic<size_t> next = 0;  // shaders differ too much in size to assign them to threads beforehand
  parallel_ranges(core_count(), 1, [&](int, int) {
    for (size_t index = next++; index < list.size(); index = next++)
      words[index] = spirv_of(list[index].first, list[index].second);
  });
  std::map<std::string, std::vector<uint32_t>> shaders;
  for (size_t index = 0; index < list.size(); ++index) shaders[list[index].first] = std::move(words[index]);
  return shaders;
}

// Writes all words to one file, which the assembler takes in as it is: as numbers in the source, they would take g++ seconds.
static void write(const std::map<std::string, std::vector<uint32_t>>& shaders, const std::string& words_path,
                  std::ostream& source, std::ostream& words_file) {
  source << "// Made by the build from the rows of core/ops.\n#include \"core/gpu/spirv.h\"\n"
         << "asm(\".pushsection .rodata\\n.balign 4\\ngpupost_spirv_words: .incbin \\\"" << words_path
         << "\\\"\\n.popsection\");\n"
         << "extern const uint32_t spirv_words[] asm(\"gpupost_spirv_words\");\nnamespace gpupost {\n"
         << "std::span<const BuiltInSpirv> shaders_of_all_rows() {\n  static const BuiltInSpirv shaders[] = {\n";
  size_t at = 0;
  for (const auto& [text, words] : shaders) {
    source << fmt::format("    {{{:#x}, {{spirv_words + {}, {}}}}},\n", hash_of(text), at, words.size());
    words_file.write(reinterpret_cast<const char*>(words.data()), std::streamsize(words.size() * sizeof(uint32_t)));
    at += words.size();
  }
  source << "  };\n  return shaders;\n}\n}  // namespace gpupost\n";
}

}  // namespace gpupost

// SOURCE WORDS: the paths of the C++ file and of the file that it takes in.
int main(int argc, char** argv) try {
  if (argc != 3) return 1;
  std::ofstream source(argv[1]), words(argv[2], std::ios::binary);
  gpupost::write(gpupost::compile_all(), argv[2], source, words);
  source.close();
  words.close();
  return source && words ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "gpupost_embed: {}\n", error.what());
  return 1;
}
