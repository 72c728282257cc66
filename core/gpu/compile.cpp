#include "core/gpu/compile.h"

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/glsl/shader_text.h"
#include "core/gpu/gpu.h"
#include "core/gpu/no_contraction.h"
#include "core/system/child.h"
#include "core/system/sandbox.h"
#include "core/system/serialize.h"

#include <glslang/Public/ShaderLang.h>
#include <spirv-tools/libspirv.h>
#include <shaderc/shaderc.hpp>

#include <algorithm>
#include <new>
#include <sstream>

namespace gpupost {

constexpr auto members(const CompileLimits&) {
  return std::tuple(&CompileLimits::memory_bytes, &CompileLimits::cpu_seconds, &CompileLimits::wall_seconds);
}
constexpr auto members(const Compiled&) { return std::tuple(&Compiled::words, &Compiled::errors); }

namespace {

constexpr const char* compile_worker_word = "compile-worker";
constexpr size_t most_answer_bytes = size_t(16) << 20;
constexpr uint32_t spirv_magic = 0x07230203;
constexpr std::string_view users_name = "shader";  // replaces the name of a user's shader in messages of the worker

struct CompileRequest {
  CompileLimits limits;
  std::string glsl;
};
constexpr auto members(const CompileRequest&) { return std::tuple(&CompileRequest::limits, &CompileRequest::glsl); }

struct CompileReply {
  Compiled compiled;
  bool is_out_of_memory = false;
};
constexpr auto members(const CompileReply&) {
  return std::tuple(&CompileReply::compiled, &CompileReply::is_out_of_memory);
}

CompileReply reply_to(const CompileRequest& request) {
  const CompileLimits& limits = request.limits;
  enter_sandbox({.memory_bytes = limits.memory_bytes, .file_bytes = 0, .cpu_seconds = limits.cpu_seconds});
  try {
    return {.compiled = compile_glsl(request.glsl, std::string(users_name))};
  } catch (const std::bad_alloc&) {
    return {.is_out_of_memory = true};
  }
}

// The first error message, with the user's file name.
std::string first_error(const std::string& errors, const std::string& name) {
  constexpr std::string_view mark = "error: ";
  std::istringstream stream(errors);
  std::string line;
  while (std::getline(stream, line) && line.find(mark) == line.npos) {
  }
  const size_t at = line.find(mark);
  if (at == line.npos) return name + ": does not compile";
  const std::string place =
      line.starts_with(users_name) ? line.substr(users_name.size(), at - users_name.size()) : ": ";
  return printable(name + place + in_users_names(line.substr(at + mark.size())), 1000);
}

std::vector<uint32_t> words_of(const WorkerAnswer& answer, const std::string& name, const Task& task) {
  try {
    const auto [compiled, is_out_of_memory] = unpacked<CompileReply>(answer.said);
    if (is_out_of_memory) fail(Exit::limit, "{}: out of memory", name);
    if (compiled.words.empty()) fail(Exit::input, "{}", first_error(compiled.errors, name));
    if (compiled.words[0] == spirv_magic) return compiled.words;
  } catch (const std::out_of_range&) {
  }
  try {
    throw_worker_failure(answer, task);
  } catch (const Error& error) {
    throw Error(error.code(), name + ": " + error.what());
  }
}

}  // namespace

Compiled compile_glsl(const std::string& glsl, const std::string& name) {
  // One compiler for all threads: creating one parses the built-in functions of GLSL, which takes as long as compiling
  // a kernel. It is never destroyed, because other threads may compile while the process exits.
  static const shaderc::Compiler& compiler = *new shaderc::Compiler;
  shaderc::CompileOptions options;
  options.SetTargetEnvironment(shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_2);
  // The optimizer contracts what is not decorated yet, and the driver optimizes again.
  const bool is_exact = glsl.find(no_contraction_line) != glsl.npos;
  options.SetOptimizationLevel(is_exact ? shaderc_optimization_level_zero : shaderc_optimization_level_performance);
  const auto result = compiler.CompileGlslToSpv(glsl, shaderc_compute_shader, name.c_str(), options);
  if (result.GetCompilationStatus() != shaderc_compilation_status_success)
    return {.words = {}, .errors = result.GetErrorMessage()};
  Compiled compiled{.words = {result.begin(), result.end()}, .errors = ""};
  if (is_exact) compiled.words = without_contraction(compiled.words);
  return compiled;
}

std::string compiler_version() {
  const glslang::Version front = glslang::GetVersion();
  return fmt::format("glslang {}.{}.{}{}, {}, vulkan 1.2, performance", front.major, front.minor, front.patch,
                     front.flavor, spvSoftwareVersionDetailsString());
}

std::vector<uint32_t> compile_apart(const std::string& glsl, const std::string& name, const CompileLimits& limits) {
  Worker worker(compile_worker_word);
  const WorkerAnswer answer = worker.ask(packed(CompileRequest{.limits = limits, .glsl = glsl}), {}, most_answer_bytes,
                                         std::chrono::seconds(limits.wall_seconds));
  return words_of(answer, name,
                  {.action = "compile",
                   .worker = "compiler",
                   .cpu_seconds = limits.cpu_seconds,
                   .wall_seconds = limits.wall_seconds});
}

bool is_compile_worker(int argc, char** argv) { return is_worker(argc, argv, compile_worker_word); }

int compile_worker_main() {
  run_worker([](const Message& message) { return packed(reply_to(unpacked<CompileRequest>(message.bytes))); });
}

}  // namespace gpupost
