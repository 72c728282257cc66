// What every row keeps to.
#include "core/op/parse.h"
#include "core/ops/mips/row.h"
#include "core/ops/registry.h"
#include "tests/support/tested_ops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// A word as it is typed: small letters, digits and dashes.
bool is_word(std::string_view name) {
  return std::regex_match(name.begin(), name.end(), std::regex("[a-z][a-z0-9]*(-[a-z0-9]+)*"));
}

// A line of help: something, in one line, without a full stop.
bool is_help(std::string_view text) {
  return !text.empty() && text.find('\n') == text.npos && !text.ends_with('.') && !text.ends_with(' ');
}

// Names of the rows that the files of core/ops define: "const Op mips_op{ .name = "mips"", or "= point_op({".
std::vector<std::string> rows_in_the_folder() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("core/ops")) {
    const bool is_row = entry.path().filename() == "row.cpp" || entry.path().parent_path().filename() == "small";
    if (entry.path().extension() != ".cpp" || !is_row) continue;
    std::ifstream stream(entry.path());
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const std::regex row(R"re(\nconst Op \w+(?:| = \w+\()\{\s*\.name = "([^"]+)")re");
    const auto begin = std::sregex_iterator(text.begin(), text.end(), row);
    CHECK_MESSAGE(begin != std::sregex_iterator(), entry.path().string(), " holds no row");
    for (auto match = begin; match != std::sregex_iterator(); ++match) names.push_back((*match)[1]);
  }
  return names;
}

}  // namespace

TEST_CASE("every file of core/ops is a row of all_ops, and every row is there once") {
  std::vector<std::string> in_folder = rows_in_the_folder();
  std::vector<std::string> in_table;
  for (const Op* op : all_ops()) in_table.emplace_back(op->name);
  std::ranges::sort(in_folder);
  std::ranges::sort(in_table);
  for (const std::string& name : in_folder)
    CHECK_MESSAGE(std::ranges::binary_search(in_table, name), name, " is not in all_ops()");
  for (const std::string& name : in_table)
    CHECK_MESSAGE(std::ranges::binary_search(in_folder, name), name, " has no row in a file of its own");
  CHECK(in_folder.size() == in_table.size());
  CHECK(std::set(in_table.begin(), in_table.end()).size() == in_table.size());
}

TEST_CASE("every row says what it is, where it comes from, and does something") {
  for (const Op* op : tested_ops()) {
    CAPTURE(op->name);
    CHECK(is_word(op->name));
    CHECK(op->doc.group != OpGroup::none);
    CHECK(is_help(op->doc.summary));
    CHECK(op->doc.description.ends_with('.'));
    CHECK(!op->doc.citation.empty());
    CHECK(!op->doc.examples.empty());
    CHECK((op->plan || op->point));
    CHECK((op->reference.levels || op->prepare));
    CHECK(op_named(op->name) == op);
  }
}

TEST_CASE("every op is in one group of the help") {
  size_t count = 0;
  for (const TitledGroup& group : grouped_ops()) {
    CHECK_MESSAGE(!group.ops.empty(), group.title);
    count += group.ops.size();
  }
  CHECK(count == all_ops().size());
}

TEST_CASE("every option has a name of its own, a help, and a default that it takes") {
  for (const Op* op : tested_ops()) {
    std::set<std::string_view> names;
    for (const Param& param : op->params) {
      CAPTURE(op->name);
      CAPTURE(param.name);
      CHECK(is_word(param.name));
      CHECK(is_help(param.help));
      CHECK(names.insert(param.name).second);
      CHECK((!param.is_positional || param.kind == ParamKind::choice || param.kind == ParamKind::text));
      CHECK((!param.form.is_repeated || param.kind == ParamKind::text));
      CHECK((param.presence != Presence::required || param.kind == ParamKind::text));
      CHECK((param.effect.in == nullptr) == param.effect.requirement.empty());
      const std::vector<std::string_view>& choices = param.choices;
      CHECK(choices.empty() == (param.kind != ParamKind::choice));
      CHECK(std::set(choices.begin(), choices.end()).size() == choices.size());
      if (param.kind == ParamKind::choice)
        CHECK((param.default_value >= 0 && param.default_value < double(choices.size())));
      else if (param.kind == ParamKind::flag) CHECK(param.default_value == 0);
      else if (param.kind == ParamKind::text) CHECK((!param.form.syntax.empty() && param.form.matches != nullptr));
      else CHECK((param.min < param.max && param.default_value >= param.min && param.default_value <= param.max));
    }
  }
}

TEST_CASE("a call with smaller tiles is one of the same op, with one other option and the same margin") {
  for (const Op* op : tested_ops())
    for (const std::string_view example : op->doc.examples) {
      if (op->prepare) continue;  // it reads files
      const Call call = parse_call(*op, example);
      const Footprint footprint = footprint_of(call, {640, 480});
      for (const Call& smaller : footprint.in_smaller_tiles) {
        CAPTURE(smaller.text());
        CHECK(smaller.op == op);
        CHECK(std::ranges::count_if(
                  op->params, [&](const Param& param) { return smaller.text_of(param) != call.text_of(param); }) <= 1);
        const Margin margin = footprint_of(smaller, {640, 480}).margin;
        CHECK(margin.x == footprint.margin.x);
        CHECK(margin.y == footprint.margin.y);
      }
    }
}

TEST_CASE("every choice of every option stands in an example, so that tests of all examples run it") {
  for (const Op* op : tested_ops())
    for (const Param& param : op->params)
      for (size_t choice = 0; choice < param.choices.size() && !param.is_for_measuring; ++choice)
        CHECK_MESSAGE(std::ranges::any_of(op->doc.examples,
                                          [&](std::string_view example) {
                                            return parse_call(*op, example).number(param.name) == double(choice);
                                          }),
                      op->name, " --", param.name, " ", param.choices[choice]);
}
