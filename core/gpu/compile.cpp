#include "core/gpu/compile.h"

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/glsl/shader_text.h"
#include "core/gpu/gpu.h"
#include "core/system/child.h"
#include "core/system/message.h"
#include "core/system/sandbox.h"

#include <glslang/Public/ShaderLang.h>
#include <spirv-tools/libspirv.h>
#include <shaderc/shaderc.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sstream>

namespace gpupost {

namespace {

constexpr const char* compile_worker_word = "compile-worker";
constexpr size_t most_answer_bytes = size_t(16) << 20;
constexpr uint32_t spirv_magic = 0x07230203;
constexpr std::string_view users_name = "shader";  // replaces the name of a user's shader in messages of the worker

// Status that begins the worker's reply; SPIR-V or text follows.
enum class Answer : char { words, errors, out_of_memory };

std::string bytes_of(const Compiled& compiled) {
  if (compiled.words.empty()) return char(Answer::errors) + compiled.errors;
  return std::string(1, char(Answer::words)) +
         std::string(reinterpret_cast<const char*>(compiled.words.data()), compiled.words.size() * 4);
}

std::string answer_to(const std::vector<std::byte>& request) {
  CompileLimits limits;
  if (request.size() < sizeof limits) throw std::length_error("no request");
  std::memcpy(&limits, request.data(), sizeof limits);
  enter_sandbox({.memory_bytes = limits.memory_bytes, .file_bytes = 0, .cpu_seconds = limits.cpu_seconds});
  const std::string glsl(reinterpret_cast<const char*>(request.data()) + sizeof limits, request.size() - sizeof limits);
  try {
    return bytes_of(compile_glsl(glsl, std::string(users_name)));
  } catch (const std::bad_alloc&) {
    return {char(Answer::out_of_memory)};
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

[[noreturn]] void fail_of(const std::string& name, const WorkerAnswer& reply, const Task& task) {
  try {
    throw_worker_failure(reply, task);
  } catch (const Error& error) {
    throw Error(error.code(), name + ": " + error.what());
  }
}

std::vector<uint32_t> words_of(const WorkerAnswer& reply, const std::string& name, const Task& task) {
  if (reply.said.empty() || reply.was_too_slow || reply.said_too_much) fail_of(name, reply, task);
  const auto answer = Answer(reply.said[0]);
  const std::string text(reinterpret_cast<const char*>(reply.said.data()) + 1, reply.said.size() - 1);
  if (answer == Answer::errors) fail(Exit::input, "{}", first_error(text, name));
  if (answer == Answer::out_of_memory) fail(Exit::limit, "{}: out of memory", name);
  std::vector<uint32_t> words(text.size() / 4);
  std::memcpy(words.data(), text.data(), 4 * words.size());
  if (words.empty() || words[0] != spirv_magic) fail_of(name, reply, task);
  return words;
}

}  // namespace

Compiled compile_glsl(const std::string& glsl, const std::string& name) {
  // One compiler for all threads: creating one parses the built-in functions of GLSL, which takes as long as compiling
  // a kernel. It is never destroyed, because other threads may compile while the process exits.
  static const shaderc::Compiler& compiler = *new shaderc::Compiler;
  shaderc::CompileOptions options;
  options.SetTargetEnvironment(shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_2);
  options.SetOptimizationLevel(shaderc_optimization_level_performance);
  const auto result = compiler.CompileGlslToSpv(glsl, shaderc_compute_shader, name.c_str(), options);
  if (result.GetCompilationStatus() != shaderc_compilation_status_success)
    return {.words = {}, .errors = result.GetErrorMessage()};
  return {.words = {result.begin(), result.end()}, .errors = ""};
}

std::string compiler_version() {
  const glslang::Version front = glslang::GetVersion();
  return fmt::format("glslang {}.{}.{}{}, {}, vulkan 1.2, performance", front.major, front.minor, front.patch,
                     front.flavor, spvSoftwareVersionDetailsString());
}

std::vector<uint32_t> compile_apart(const std::string& glsl, const std::string& name, const CompileLimits& limits) {
  std::string request(sizeof limits, '\0');
  std::memcpy(request.data(), &limits, sizeof limits);
  request += glsl;
  Worker worker(compile_worker_word);
  const WorkerAnswer answer =
      worker.ask(std::as_bytes(std::span(request)), {}, most_answer_bytes, std::chrono::seconds(limits.wall_seconds));
  return words_of(answer, name,
                  {.action = "compile",
                   .worker = "compiler",
                   .cpu_seconds = limits.cpu_seconds,
                   .wall_seconds = limits.wall_seconds});
}

bool is_compile_worker(int argc, char** argv) { return is_worker(argc, argv, compile_worker_word); }

int compile_worker_main() {
  try {
    const std::string answer = answer_to(receive_message(worker_talk).value().bytes);
    if (write_message(worker_talk, std::as_bytes(std::span(answer))) != 0) _exit(EXIT_FAILURE);
  } catch (const std::bad_alloc&) {
    _exit(int(Exit::limit));  // the reply could not be allocated
  } catch (const std::exception&) {
    _exit(EXIT_FAILURE);  // the program was started by hand
  }
  _exit(EXIT_SUCCESS);  // skips destructors, because the process ends anyway
}

}  // namespace gpupost
