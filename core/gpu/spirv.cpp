#include "core/gpu/spirv.h"

#include "core/base/error.h"
#include "core/gpu/cache.h"
#include "core/gpu/compile.h"
#include "core/gpu/gpu.h"
#include "core/gpu/spirv_cost.h"

#include <cstring>

namespace gpupost {

static std::span<const BuiltInSpirv> built_in;

void use_built_in_spirv(std::span<const BuiltInSpirv> shaders) { built_in = shaders; }
std::span<const BuiltInSpirv> built_in_spirv() { return built_in; }

static std::vector<uint32_t> words_of(std::span<const std::byte> bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

static std::vector<uint32_t> compile_here(const std::string& glsl, const std::string& name) {
  Compiled compiled = compile_glsl(glsl, name);
  if (compiled.words.empty()) fail(Exit::bug, "{}: the shader does not compile: {}", name, compiled.errors);
  return std::move(compiled.words);
}

std::vector<uint32_t> spirv_of(const std::string& glsl, const std::string& name, Author author) {
  const uint64_t hash = hash_of(glsl);
  const auto checked = [&](std::vector<uint32_t> words) {
    if (author != Author::gpupost) check_cost(cost_of(words), name);
    return words;
  };
  for (const BuiltInSpirv& candidate : built_in_spirv())
    if (candidate.hash == hash) return {candidate.words.begin(), candidate.words.end()};

  const std::string file = fmt::format("{:016x}{}", hash, shader_extension);
  const uint64_t key = hash_of(compiler_version() + glsl);
  if (const auto cached = read_cached(file, key)) return checked(words_of(*cached));
  const std::vector<uint32_t> words = author == Author::gpupost ? compile_here(glsl, name) : compile_apart(glsl, name);
  write_cached(file, key, std::as_bytes(std::span(words)));
  return checked(words);
}

}  // namespace gpupost
