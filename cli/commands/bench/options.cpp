#include "cli/commands/bench/options.h"

#include "cli/options/command_line.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/system/atomic_file.h"
#include "core/system/output_target.h"

#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace gpupost {

namespace {

constexpr Depth depths[] = {Depth::u8, Depth::half, Depth::f32};

// The words of a list with commas; none of an empty one. `option` is the name for messages: "bench: --sizes".
std::vector<std::string> words_of(std::string_view option, std::string_view list) {
  if (list.empty()) return {};
  const std::vector<std::string_view> words = split_at_commas(list);
  if (std::ranges::find(words, "") != words.end())
    fail(Exit::usage, "{} {} has a comma without a word before or behind it; remove the comma", option, list);
  return {words.begin(), words.end()};
}

// `option` is the name for messages: "bench: --repeats".
int whole_number(std::string_view option, std::string_view word, int low, int high) {
  const std::optional<int> value = number_in<int>(word);
  if (!value || *value < low || *value > high)
    fail(Exit::usage, "{} {} is not a whole number in {}..{}", option, word, low, high);
  return *value;
}

// "1920x1080", or "256" for a square.
Size size_of(std::string_view option, std::string_view word) {
  constexpr int most = 32768;
  const size_t cross = word.find('x');
  const std::optional<int> width = number_in<int>(word.substr(0, cross));
  const std::optional<int> height = cross == word.npos ? width : number_in<int>(word.substr(cross + 1));
  if (!width || !height || std::min(*width, *height) < 1 || std::max(*width, *height) > most)
    fail(Exit::usage, "{} {} is not WxH, or one side of a square, with whole numbers in 1..{}", option, word, most);
  return {*width, *height};
}

Depth depth_of(const std::string& word) {
  std::vector<std::string> names;
  for (const Depth depth : depths) {
    names.push_back(lower_case(format_name(depth)));
    if (names.back() == lower_case(word)) return depth;
  }
  fail(Exit::usage, "bench: --formats {} is not one of {}{}", word, fmt::join(names, ", "),
       suggestion(word, {names.begin(), names.end()}));
}

template <class T>
std::vector<T> first_of(const std::vector<T>& values) {
  return {values.begin(), values.begin() + std::min<size_t>(1, values.size())};
}

// All settings of the op, without duplicates.
std::vector<Setting> known_settings(const Benchmark& row) {
  std::vector<Setting> known = row.settings;
  for (const Graph& graph : row.graphs) known.insert(known.end(), graph.settings.begin(), graph.settings.end());
  std::ranges::sort(known, {}, [](const Setting& setting) { return std::pair(setting.param, setting.value); });
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return known;
}

// The settings of the op whose value is in the list.
std::vector<Setting> settings_of(const std::string& list, const Op& op) {
  const std::vector<Setting> known = known_settings(benchmark_of(op));
  std::vector<std::string> texts;
  for (const Setting& setting : known) texts.push_back(setting.text());
  std::vector<Setting> settings;
  for (const std::string& word : words_of("bench: --settings", list)) {
    if (known.empty())
      fail(Exit::usage, "bench: --settings {}: {} has no settings; leave --settings out", word, op.name);
    const int value = whole_number("bench: --settings", word, 1, 32768);
    const size_t count = settings.size();
    std::ranges::copy_if(known, std::back_inserter(settings),
                         [&](const Setting& setting) { return setting.value == value; });
    if (settings.size() == count)
      fail(Exit::usage, "bench: --settings {} is not a value of any of {}", word, fmt::join(texts, ", "));
  }
  return settings;
}

// Returns whether `wanted` is the variant's name, its arguments, or one word of its name.
bool is_exactly(const Variant& variant, const std::string& wanted) {
  std::istringstream stream(variant.name());
  bool is_word = variant.name() == wanted || variant.arguments == wanted;
  for (std::string word; stream >> word;) is_word = is_word || word == wanted;
  return is_word;
}

// The variants named `wanted`; if there is none, those whose name contains it.
std::vector<Variant> named(std::string_view verb, const std::vector<Variant>& variants, const std::string& wanted,
                           std::string_view subject) {
  std::vector<Variant> exact, partly;
  for (const Variant& variant : variants) {
    if (is_exactly(variant, wanted)) exact.push_back(variant);
    else if (variant.name().find(wanted) != std::string::npos) partly.push_back(variant);
  }
  if (exact.empty() && partly.empty())
    fail(Exit::usage, "{}: --variants {} matches no variant; `gpupost bench {} --list` lists them", verb, wanted,
         subject);
  return exact.empty() ? partly : exact;
}

// Splits a line at blanks. Single or double quotes keep blanks, as in a shell.
std::vector<std::string> words_of_line(const std::string& line) {
  std::vector<std::string> words;
  bool is_open = false;  // the last word may go on
  char quote = 0;
  for (const char c : line) {
    if (!quote && c == ' ') {
      is_open = false;
      continue;
    }
    if (!is_open) words.emplace_back();
    is_open = true;
    if (quote ? c == quote : c == '"' || c == '\'') quote = quote ? 0 : c;
    else words.back() += c;
  }
  if (quote) fail(Exit::usage, "bench: --chain {} opens a quote ({}) that it does not close", line, quote);
  return words;
}

const Op& measurable_op(const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const Op* op : all_ops())
    if (can_bench(*op)) known.push_back(op->name);
  if (names.size() != 1)
    fail(Exit::usage, "bench: {} ops are given; expected one of {}", names.size(), fmt::join(known, ", "));
  if (std::ranges::find(known, names[0]) == known.end())
    fail(Exit::usage, "bench: {} {}; expected one of {}{}", names[0],
         op_named(names[0]) ? "cannot be measured, because it has no CPU reference to check the result with"
                            : "is not an op",
         fmt::join(known, ", "), suggestion(names[0], known));
  return *op_named(names[0]);
}

bool are_same_file(const std::string& a, const std::string& b) {
  const auto resolved = [](const std::string& path) {
    if (const std::optional<int> descriptor = own_descriptor(path)) return fmt::format("descriptor {}", *descriptor);
    std::error_code error;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error).string();
  };
  return !a.empty() && !b.empty() && (a == b || resolved(a) == resolved(b));
}

// The file of an option; "-" for all names of standard output.
std::string file_of(const CommandCall& call, std::string_view option) {
  const std::string path = call.value(option);
  return own_descriptor(path) == STDOUT_FILENO ? "-" : path;
}

// Before anything is measured: a run must not end without a place for its results.
void check_outputs(const BenchRequest& request, bool makes_folders) {
  const std::pair<std::string_view, std::string> files[] = {
      {"--json", request.json}, {"--html", request.html}, {"--progress-file", request.progress.file}};
  for (const auto& first : files)
    for (const auto& second : files)
      if (first.first < second.first && are_same_file(first.second, second.second))
        fail(Exit::usage, "bench: {} and {} both write {}; expected two files", second.first, first.first,
             first.second);
  for (const std::string& page : request.pages)
    if (are_same_file(page, request.html))
      fail(Exit::usage, "bench: --page reads {}, so --html cannot write it; name another file", request.html);
  if (makes_folders)
    for (const std::string& path : {request.json, request.html, request.progress.file}) make_folder_of(path);
  for (const std::string& path : {request.json, request.html})
    if (!path.empty()) check_can_be_written(path, false);
}

}  // namespace

std::vector<Call> chain_of(const std::string& line) {
  const Request request = parse_request(words_of_line(line));
  if (request.calls.empty() || !request.input_words.empty())
    fail(Exit::usage, "bench: --chain {} may hold only ops and their options", line);
  for (const Call& call : request.calls)
    if (!call.op->reference.levels)
      fail(Exit::usage, "bench: --chain {}: {} has no CPU reference to check the result with; leave it out", line,
           call.op->name);
  return request.calls;
}

std::vector<Size> sizes_of(std::string_view verb, const std::string& list) {
  std::vector<Size> sizes;
  const std::string option = fmt::format("{}: --sizes", verb);
  for (const std::string& word : words_of(option, list)) sizes.push_back(size_of(option, word));
  return sizes;
}

std::vector<Variant> chosen(std::string_view verb, const std::vector<Variant>& variants, const std::string& list,
                            std::string_view subject) {
  if (list.empty() || list == "all") return variants;
  std::vector<Variant> taken;
  for (const std::string& wanted : words_of(fmt::format("{}: --variants", verb), list))
    for (const Variant& variant : named(verb, variants, wanted, subject))
      if (std::ranges::find(taken, variant) == taken.end()) taken.push_back(variant);
  return taken;
}

std::vector<BenchPlace> places_of(const BenchRequest& request, bool on_cpu, std::span<const Setting> settings) {
  const Benchmark& row = benchmark_of(*request.op);
  const auto usual = [&](const auto& values) { return request.quick && !values.empty() ? first_of(values) : values; };
  constexpr Setting none;
  std::vector<BenchPlace> places;
  for (const Size size : !request.sizes.empty() ? request.sizes : usual(on_cpu ? row.cpu_sizes : row.sizes))
    for (const Depth depth : request.depths.empty() ? usual(row.depths) : request.depths)
      for (const Setting& setting : settings.empty() ? std::span(&none, 1) : settings)
        places.push_back({size, depth, setting});
  return places;
}

std::vector<BenchPlace> places_of(const BenchRequest& request, bool on_cpu) {
  if (!request.settings.empty()) return places_of(request, on_cpu, request.settings);
  const Benchmark& row = benchmark_of(*request.op);
  const std::span<const Setting> settings = on_cpu ? row.cpu_settings : row.settings;
  return places_of(request, on_cpu, request.quick ? settings.first(std::min<size_t>(1, settings.size())) : settings);
}

// Refuses all options but `allowed`. `subject`: the option that measures nothing, and what it does.
static void check_has_only(const CommandCall& call, std::span<const std::string_view> allowed,
                           std::string_view subject) {
  std::vector<std::string> given = call.global_words;
  for (const auto& [option, value] : call.values) given.emplace_back(option);
  for (const std::string& word : given)
    if (const std::string option = word.substr(0, word.find('=')); std::ranges::find(allowed, option) == allowed.end())
      fail(Exit::usage, "bench: {} and measures nothing; leave {} out", subject, option);
}

static void check_list(const CommandCall& call) {
  constexpr std::string_view allowed[] = {"--list", "--variants", "--fp16", "--chain", "--quick"};
  check_has_only(call, allowed, "--list lists the variants");
}

// Without an op, with JSON files: a page of earlier runs.
static void check_page(const CommandCall& call, const BenchRequest& request) {
  if (!call.words.empty() || request.html.empty())
    fail(Exit::usage, "bench: --page makes a page of earlier runs; expected --page FILE.json... --html FILE");
  constexpr std::string_view allowed[] = {"--page", "--html", "--mkdir"};
  check_has_only(call, allowed, "--page makes a page of earlier runs");
}

// Goals name their own ops, sizes, formats and variants.
static void check_goals(const CommandCall& call) {
  if (!call.words.empty()) fail(Exit::usage, "bench: --goals measures fixed ops; leave {} out", call.words.front());
  for (const char* option :
       {"--sizes", "--formats", "--settings", "--variants", "--fp16", "--repeats", "--chain", "--documents"})
    if (call.has(option)) fail(Exit::usage, "bench: --goals has its own sizes and options; leave {} out", option);
}

// Few repeats, and only the algorithm that the op chooses itself.
static void make_quick(BenchRequest& request, bool has_default_variants, bool has_both) {
  request.options.least_repeats = request.options.least_slow_repeats = 3;
  request.options.most_repeats = 20;
  request.options.budget_ms = 100;
  request.options.warm_up_ms = 10;
  if (!has_default_variants || !request.chain.empty()) return;
  request.variants.resize(has_both ? 2 : 1);
  for (Variant& variant : request.variants) variant.arguments.clear();
}

BenchRequest parse_bench(const CommandCall& call) {
  const Globals globals = parse_globals(call.global_words);
  BenchRequest request{.device = device_of(call),
                       .progress = globals.report.progress,
                       .json = file_of(call, "--json"),
                       .html = file_of(call, "--html"),
                       .pages = call.list("--page"),
                       .list = call.has("--list"),
                       .subject = call.has("--goals")       ? BenchSubject::goals
                                  : call.has("--documents") ? BenchSubject::documents
                                                            : BenchSubject::variants,
                       .quick = call.has("--quick")};
  if (request.list) check_list(call);
  check_outputs(request, globals.encoding.makes_folders);
  if (!request.pages.empty()) {
    check_page(call, request);
    return request;
  }
  if (request.subject == BenchSubject::goals) {
    check_goals(call);
    request.op = &chain_row();
    if (request.quick) make_quick(request, false, false);
    return request;
  }
  const std::string chain = call.value("--chain"), variants = call.value("--variants");
  if (!chain.empty() && (!call.words.empty() || request.subject == BenchSubject::documents))
    fail(Exit::usage, "bench: --chain is measured instead of an op; leave out the op and --documents");
  if (!chain.empty()) request.chain = chain_of(chain);
  request.op = chain.empty() ? &measurable_op(call.words) : &chain_row();
  if (request.subject == BenchSubject::documents && !variants.empty())
    fail(Exit::usage, "bench: --documents measures the variants that the documents compare; leave --variants out");
  if (request.subject == BenchSubject::documents && request.quick)
    fail(Exit::usage, "bench: --documents measures the sizes of the documents; leave --quick out");
  request.sizes = sizes_of("bench", call.value("--sizes"));
  for (const std::string& format : words_of("bench: --formats", call.value("--formats")))
    request.depths.push_back(depth_of(format));
  request.settings = settings_of(call.value("--settings"), *request.op);
  const std::string fp16 = call.has("--fp16") ? call.value("--fp16") : "off";
  request.variants = chosen("bench", variants_of(*request.op, fp16 != "on", fp16 != "off"), variants,
                            chain.empty() ? std::string(request.op->name) : fmt::format("--chain '{}'", chain));
  if (request.quick) make_quick(request, variants.empty(), fp16 == "both");
  if (call.has("--repeats"))
    request.options.least_repeats = request.options.least_slow_repeats = request.options.most_repeats =
        whole_number("bench: --repeats", call.value("--repeats"), 20, 10000);
  return request;
}

}  // namespace gpupost
