// How large records may be, and that no code picks an op by a name in a string.
#include "cli/commands/bench/options.h"
#include "cli/options/command_row.h"
#include "cli/options/global_options.h"
#include "core/codec/codec.h"
#include "core/op/benchmark.h"
#include "core/op/op.h"
#include "core/ops/registry.h"
#include "core/pipeline/job.h"
#include "core/pipeline/report.h"
#include "core/pipeline/settings.h"
#include "core/plan/plan.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <type_traits>

namespace {

using namespace gpupost;

// Each {} initializes one member.
template <class Record>
concept HasOneMember = requires {
  Record{{}};
};
template <class Record>
concept HasOver15Members = requires {
  Record{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
};
template <class Record>
constexpr bool is_small = std::is_aggregate_v<Record>&& HasOneMember<Record> && !HasOver15Members<Record>;

struct Of15 {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n;
  std::string o;
};
struct Of16 {
  Of15 a;
  int b, c, d, e, f, g, h, i, j, k, l, m, n, o;
  std::vector<int> p;
};
static_assert(is_small<Of15> && !is_small<Of16>);

// A record with more members is several: group those that belong together.
static_assert(is_small<Op> && is_small<Param> && is_small<Call> && is_small<Point> && is_small<FusedPoint>);
static_assert(is_small<Output> && is_small<Footprint> && is_small<Needs> && is_small<Benchmark> && is_small<Claim>);
static_assert(is_small<PassSpec> && is_small<Plan> && is_small<PlanImage> && is_small<PlanInput> &&
              is_small<DeviceTraits>);
static_assert(is_small<Globals> && is_small<Global> && is_small<CommandRow> && is_small<BenchRequest>);
static_assert(is_small<InputSettings> && is_small<OutputSettings> && is_small<PassSettings> &&
              is_small<DeviceSettings> && is_small<BatchSettings> && is_small<ChainRequest>);
static_assert(is_small<JobReport> && is_small<StageTimes> && is_small<Format>);

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Is the file the row of the op, or beside it?
bool is_of_op(const std::filesystem::path& path, std::string_view op) {
  const std::filesystem::path folder = path.parent_path();
  if (folder == "core/ops/small") return text_of(path).find(fmt::format("const Op {}_op", op)) != std::string::npos;
  return folder == fmt::format("core/ops/{}", op == "point" ? "user_point" : op);
}

// Where the text picks the op by its name: looks it up, compares it, or writes a point op or a pass under it.
std::string uses_name(const std::string& text, std::string_view op) {
  if (text.find(fmt::format("\"{}\"", op)) == text.npos) return "";
  const std::regex use(
      fmt::format(R"re(op_named\("{0}"|name [!=]= "{0}"|"op", "{0}"|\.name = "{0}",\s*\.kernel)re", op));
  std::smatch found;
  return std::regex_search(text, found, use) ? found.str() : "";
}

}  // namespace

TEST_CASE("no code of the program names an op in a string, but the op's own") {
  for (const char* folder : {"core", "cli"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      const std::string text = text_of(entry.path());
      for (const Op* op : all_ops())
        if (!is_of_op(entry.path(), op->name))
          CHECK_MESSAGE(uses_name(text, op->name).empty(), entry.path().string(), ": ", uses_name(text, op->name));
    }
}

TEST_CASE("each file that an option of an op names is a file of its calls") {
  for (const Op* op : all_ops())
    for (size_t index = 0; index < op->params.size(); ++index) {
      if (!op->params[index].form.syntax.starts_with("FILE")) continue;
      Call call = default_call(*op);
      call.texts[index] = "a.file";
      const std::vector<ReadFile> files = files_of_calls({&call, 1});
      CHECK_MESSAGE(std::ranges::count(files, "a.file", &ReadFile::path) == 1, op->name, " ", op->params[index].name);
    }
}

TEST_CASE("the search for names of ops finds them") {
  CHECK(!uses_name(R"(const Op* op = op_named("blur");)", "blur").empty());
  CHECK(!uses_name(R"(if (call.op->name == "blur"))", "blur").empty());
  CHECK(!uses_name("{.name = \"blur\",\n .kernel = \"x.glsl\"}", "blur").empty());
  CHECK(uses_name(R"({.name = "blur", .help = "an option"})", "blur").empty());
}
