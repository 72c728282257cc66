#include "core/gpu/spirv.h"

#include "core/error.h"
#include "core/gpu/cache.h"
#include "core/gpu/gpu.h"

#include <shaderc/shaderc.hpp>

#include <cstring>

namespace gpupost {

std::vector<uint32_t> compile_glsl(const std::string& glsl, const std::string& name) {
  const shaderc::Compiler compiler;
  shaderc::CompileOptions options;
  options.SetTargetEnvironment(shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_2);
  options.SetOptimizationLevel(shaderc_optimization_level_performance);
  const auto result = compiler.CompileGlslToSpv(glsl, shaderc_compute_shader, name.c_str(), options);
  if (result.GetCompilationStatus() != shaderc_compilation_status_success)
    fail(Exit::bug, "{}: the shader does not compile: {}", name, result.GetErrorMessage());
  return {result.begin(), result.end()};
}

static std::vector<uint32_t> words_of(std::span<const std::byte> bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

std::vector<uint32_t> spirv_of(const std::string& glsl, const std::string& name) {
  constexpr std::string_view compiler = "shaderc 2023.2, vulkan 1.2, performance";
  const uint64_t hash = hash_of(glsl);
  for (const BuiltInSpirv& candidate : built_in_spirv())
    if (candidate.hash == hash) return {candidate.words.begin(), candidate.words.end()};

  const std::string file = fmt::format("{:016x}.spv", hash);
  const uint64_t key = hash_of(std::string(compiler) + glsl);
  if (const auto cached = read_cached(file, key)) return words_of(*cached);
  const std::vector<uint32_t> words = compile_glsl(glsl, name);
  write_cached(file, key, std::as_bytes(std::span(words)));
  return words;
}

}  // namespace gpupost
