// R14: user GLSL that is made to hurt the compilers or the device ends in time, within its memory and with its exit code.
#include "tests/program/test_folder.h"
#include "tests/robustness/trial.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <thread>

using namespace gpupost::test;

namespace {

struct Hostile {
  std::string name, text;
  std::set<int> codes;
};

std::string op(const std::string& functions, const std::string& body) {
  return "//!point x\n" + functions + "\nvec4 x(vec4 c, x_params p) { " + body + " }\n";
}

std::string repeated(int count, const std::string& text) {
  std::string all;
  for (int index = 0; index < count; ++index) all += text;
  return all;
}

const std::set<int> refused{2}, refused_or_memory{2, 7};

void add_arrays(std::vector<Hostile>& shaders) {
  for (const int64_t count : {20'000ll, 100'000ll, 1'000'000ll, 100'000'000ll, 2'147'483'647ll}) {
    const std::string fill = "for (int i = 0; i < 999; ++i) a[i] = {}; return vec4(a[int(c.g) & 511]{});";
    const auto with = [&](const std::string& declaration, const std::string& value, const std::string& end) {
      shaders.push_back({fmt::format("array of {} {}", count, declaration),
                         op("", fmt::format(fmt::runtime(declaration + fill), count, value, end)), refused_or_memory});
    };
    with("float a[{}];", "c.r * float(i)", "");
    with("vec4 a[{}];", "c * float(i)", "");
    with("mat4 a[{}];", "mat4(c.r * float(i))", "[1]");
    with("float a[{}][7];", "float[7](c.r, c.g, c.b, 1.0, 2.0, 3.0, float(i))", "[int(c.r) & 3]");
  }
}

// Each function calls the one before twice.
void add_doublings(std::vector<Hostile>& shaders) {
  for (int depth = 12; depth <= 31; ++depth) {
    const bool loops = depth % 2 == 1;  // functions with loops that return are not inlined by the first compiler
    std::string functions = "float f0(float v) { return 1.1 * v + sin(v); }\n";
    for (int level = 1; level <= depth; ++level)
      functions +=
          loops ? fmt::format(
                      "float f{0}(float v) {{ for (int i = 0; i < 3; ++i) if (v > float(i)) return f{1}(v - 1.0); "
                      "return f{1}(v); }}\n",
                      level, level - 1)
                : fmt::format("float f{0}(float v) {{ return f{1}(v) + f{1}(2.0 * v); }}\n", level, level - 1);
    shaders.push_back({fmt::format("calls doubled {} times", depth),
                       op(functions, fmt::format("return vec4(f{}(c.r));", depth)),
                       {0, 2, 4, 7}});
  }
}

void add_long_ones(std::vector<Hostile>& shaders) {
  const std::set<int> any{0, 2, 4, 7};
  for (const int count : {500, 1500, 2500})
    shaders.push_back({fmt::format("{} sines", count),
                       op("", "float v = c.r; " + repeated(count, "v += sin(v);\n") + "return vec4(v);"), any});
  for (const int count : {300, 1000})
    shaders.push_back(
        {fmt::format("{} branches", count),
         op("", "float v = c.r; " + repeated(count, "if (v > 1.5) v *= 0.5; else v += c.g;\n") + "return vec4(v);"),
         any});
  for (const int count : {50, 500})
    shaders.push_back(
        {fmt::format("{} inverse matrices", count),
         op("", "mat4 m = mat4(c.r); " + repeated(count, "m = inverse(m + mat4(c.g));\n") + "return m * c;"), any});
  for (const int count : {1000, 100'000, 1'000'000})
    shaders.push_back(
        {fmt::format("a switch in a loop of {}", count),
         op("", fmt::format("for (int i = 0; i < {}; ++i) switch (i & 7) {{ case 1: c.r += 1.0; break; case 2: c.g += "
                            "c.r; default: c.b -= c.g; }} return c;",
                            count)),
         any});
}

// llvmpipe leaves a loop after 65,535 rounds, and so may come to an end.
void add_loops(std::vector<Hostile>& shaders) {
  const std::set<int> any{0, 2, 4, 7};
  const std::string work = "c = sin(c) + cos(c.wzyx);";
  for (const std::string head : {"while (true)", "for (;;)", "for (int i = 0; i < 2000000000; ++i)",
                                 "for (int i = 0; i >= 0; i += 0)", "for (float f = 0.0; f != -1.0; f += 1.0)"}) {
    shaders.push_back({"loop: " + head, op("", head + " { " + work + " if (c.r == -7.0) break; } return c;"), any});
    shaders.push_back(
        {"two loops: " + head,
         op("", head + " { " + head + " { " + work + " if (c.r == -7.0) break; } if (c.g == -7.0) break; } return c;"),
         any});
    shaders.push_back({"eight loops: " + head,
                       op("", repeated(8, head + " { ") + work + " if (c.r == -7.0) break; " +
                                  repeated(7, "} if (c.g == -7.0) break; ") + "} return c;"),
                       any});
  }
}

void add_tricks(std::vector<Hostile>& shaders) {
  const std::string good = "return c;";
  for (const std::string line :
       {"#include \"/etc/passwd\"", "#include </dev/zero>", "  #  include \"x.glsl\"", "#define vec4 vec3",
        "#define A A A", "#extension all : enable", "#pragma optimize(off)", "#line 2000000000", "#error no",
        "#version 100", "/**/#define return", "%:define x y", "?\?=include \"x\"", "#if 1\n#if 1\n#if 1",
        "\\\n#define x"})
    shaders.push_back({"directive " + line, op(line, good), refused});
}

void add_binary(std::vector<Hostile>& shaders) {
  std::mt19937 random(14);
  const auto noise = [&](size_t count) {
    std::string bytes(count, '\0');
    for (char& byte : bytes) byte = char(random());
    return bytes;
  };
  for (const size_t count : {0, 1, 100, 65536, 10'000'000})
    shaders.push_back({fmt::format("{} random bytes", count), noise(count), refused});
  shaders.push_back({"random bytes in a function", op(noise(1000), "return c;"), refused});
  shaders.push_back({"a zero byte", op(std::string(1, '\0'), "return c;"), refused});
  shaders.push_back({"escapes", op("\x1b[2J\x1b]0;x\x07", "return c;"), refused});
  shaders.push_back({"UTF-16", std::string("\xff\xfe/\0/\0!\0p\0", 10), refused});
  shaders.push_back({"a very long word", op("", "return " + std::string(60'000, 'c') + ";"), refused});
}

void add_deep_ones(std::vector<Hostile>& shaders) {
  const std::set<int> any{0, 2, 4, 7};
  const auto add = [&](const std::string& name, const std::string& body) {
    shaders.push_back({name, op("", body), any});
  };
  add("signs", "return " + repeated(20'000, "- ") + "c;");
  add("negations", "return vec4(" + repeated(20'000, "!") + "true);");
  add("sums", "return c" + repeated(20'000, "+c") + ";");
  add("choices", "return vec4(" + repeated(5000, "c.r>1.?c.g:") + "c.b);");
  add("alternatives", repeated(2000, "if (c.r > 1.0) c.g += 1.0; else ") + "c.b = 1.0; return c;");
  add("brackets", "return " + repeated(10'000, "(") + "c" + repeated(10'000, ")") + ";");
  add("blocks", repeated(10'000, "{") + repeated(10'000, "}") + "return c;");
  add("swizzles", "return c" + repeated(10'000, ".wzyx") + ";");
  add("commas", "return (" + repeated(10'000, "c,") + "c);");
  add("declarations", repeated(2000, "{ vec4 c = c * 2.0; ") + repeated(2000, "}") + "return c;");
}

std::vector<Hostile> hostile_shaders() {
  std::vector<Hostile> shaders;
  add_arrays(shaders);
  add_doublings(shaders);
  add_long_ones(shaders);
  add_loops(shaders);
  add_tricks(shaders);
  add_binary(shaders);
  add_deep_ones(shaders);
  return shaders;
}

// --- memory of a process and of all that it has started

std::vector<std::string> children_of(const std::string& process) {
  std::vector<std::string> children;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + process + "/task", error)) {
    std::ifstream stream(task.path() / "children");
    for (std::string child; stream >> child;) children.push_back(child);
  }
  return children;
}

uint64_t resident_bytes_below(const std::string& process) {
  uint64_t bytes = 0;
  for (const std::string& child : children_of(process)) {
    uint64_t all = 0, resident = 0;
    std::ifstream("/proc/" + child + "/statm") >> all >> resident;
    bytes += resident * uint64_t(sysconf(_SC_PAGESIZE)) + resident_bytes_below(child);
  }
  return bytes;
}

// The most that this process's children have had together.
class Peak {
 public:
  Peak()
      : thread_([this](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            bytes_ = std::max<uint64_t>(bytes_, resident_bytes_below(std::to_string(getpid())));
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          }
        }) {}
  uint64_t bytes() const { return bytes_; }

 private:
  std::atomic<uint64_t> bytes_{0};
  std::jthread thread_;
};

// How many processes want each core, at least 1. Compilers are limited by their processor time, so that a busy machine refuses
// the same shaders as an idle one, but later.
double processes_a_core() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? std::max(1.0, load / std::thread::hardware_concurrency()) : 1;
}

std::string wrong_end(const TestFolder& place, const Hostile& shader) {
  constexpr double most_seconds = 10;
  constexpr uint64_t most_bytes = uint64_t(1) << 30;
  place.write("x.glsl", shader.text);
  std::filesystem::remove(place.path("out.exr"));
  const auto before = place.files();
  const Peak peak;
  const auto start = std::chrono::steady_clock::now();
  const Finished finished = place.gpupost({"point", "x.glsl", "in.exr", "-o", "out.exr", "--quiet"});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (finished.is_too_late) return "it hangs";
  if (finished.signal != 0) return fmt::format("signal {}: {}", finished.signal, finished.err);
  if (!shader.codes.contains(finished.exit_code)) return fmt::format("exit {}: {}", finished.exit_code, finished.err);
  if (finished.exit_code == 0 && !place.has("out.exr")) return "it wrote nothing";
  if (finished.exit_code != 0 && !is_one_error(finished.err)) return "not one line: " + finished.err;
  if (finished.exit_code != 0 && place.files() != before) return "it left a file";
  if (peak.bytes() > most_bytes) return fmt::format("{} MiB", peak.bytes() >> 20);
  if (is_thorough() && seconds > most_seconds * processes_a_core())
    return fmt::format("{:.1f} s: {}", seconds, finished.err);
  return "";
}

}  // namespace

DEVICE_TEST_CASE("R14: hostile shaders end in time, within their memory and with their exit code") {
  const std::vector<Hostile> shaders = hostile_shaders();
  CHECK(shaders.size() == 100);
  const TestFolder place;
  Criterion bar("R14 hostile shaders", "ended in time, within 1 GiB and with their exit code");
  const size_t step = is_thorough() ? 1 : 17;
  for (size_t index = 0; index < shaders.size(); index += step)
    bar.count(wrong_end(place, shaders[index]), shaders[index].name);
}
