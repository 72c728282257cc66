#include "cli/options/environment.h"

#include "core/op/parse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace gpupost {

namespace {

constexpr std::string_view prefix = "GPUPOST_";

// Variables that tests set for the program, for fault injection and for themselves.
constexpr std::string_view test_variables[] = {
    "GPUPOST_ALLOCATIONS",     "GPUPOST_BOUNDS",         "GPUPOST_CALLS",      "GPUPOST_CORPUS",
    "GPUPOST_FAIL_ALLOCATION", "GPUPOST_FAIL_CALL",      "GPUPOST_FAIL_IN",    "GPUPOST_FAIL_VULKAN",
    "GPUPOST_FAULT",           "GPUPOST_FUZZ_TARGET",    "GPUPOST_INSIDE",     "GPUPOST_NO_SECCOMP",
    "GPUPOST_SLOW_WRITES",     "GPUPOST_MOST_MEMORY",    "GPUPOST_PLAIN_SETS", "GPUPOST_SHORT_WRITES",
    "GPUPOST_PLAIN_IMAGES",    "GPUPOST_TRUST_THOROUGH", "GPUPOST_VALIDATE",   "GPUPOST_VULKAN_CALLS",
};
constexpr std::string_view test_prefix = "GPUPOST_TEST_";

// Whether it is on the command line, as `--name VALUE`, `--name=VALUE` or by its short name.
bool is_typed(const Global& global, const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    const std::string_view name = word.substr(0, word.find('='));
    return (name.starts_with("--") && name.substr(2) == global.name) || (!name.empty() && name == global.short_name);
  });
}

// Whether the text contains these words, not surrounded by letters or dashes.
bool has_words(std::string_view text, std::string_view words) {
  const auto is_edge = [&](size_t at) {
    return at >= text.size() || (text[at] != '-' && !std::isalnum(static_cast<unsigned char>(text[at])));
  };
  for (size_t at = text.find(words); at != text.npos; at = text.find(words, at + 1))
    if (is_edge(at - 1) && is_edge(at + words.size())) return true;
  return false;
}

const Global* global_of_variable(std::string_view name) {
  const auto globals = all_globals();
  const auto found =
      std::ranges::find_if(globals, [&](const Global& global) { return environment_name(global) == name; });
  return found == globals.end() ? nullptr : &*found;
}

std::vector<std::string> names_of_settings() {
  std::vector<std::string> names;
  for (const Global& global : all_globals())
    if (global.is_of_machine) names.push_back(environment_name(global));
  return names;
}

std::optional<std::string> warning_of(std::string_view name, std::string_view value) {
  const Global* global = global_of_variable(name);
  if (is_test_variable(name) || (global && global->is_of_machine)) return std::nullopt;
  const std::vector<std::string> settings = names_of_settings();
  if (global)
    return fmt::format("{}={} is ignored; the environment can set only {}; use --{}", name, value,
                       fmt::join(settings, ", "), global->name);
  return fmt::format("{}={} is ignored; the environment can set only {}; correct the name{}, or unset it", name, value,
                     fmt::join(settings, ", "), suggestion(name, {settings.begin(), settings.end()}));
}

}  // namespace

std::string environment_name(const Global& global) {
  std::string name = std::string(prefix) + std::string(global.name);
  for (char& c : name) c = c == '-' ? '_' : char(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string value_in_environment(const Global& global) {
  const char* value = global.is_of_machine ? std::getenv(environment_name(global).c_str()) : nullptr;
  return value ? value : "";
}

std::string with_origins(std::string message, const std::vector<std::string>& words) {
  std::string origins;
  for (const Global& global : all_globals()) {
    const std::string variable = environment_name(global), option = fmt::format("--{}", global.name);
    const std::string value = value_in_environment(global);
    if (value.empty() || is_typed(global, words) || has_words(message, variable)) continue;
    if (has_words(message, option) || has_words(message, fmt::format("{} {}", global.name, value)))
      origins += fmt::format("{}{} is from {}", origins.empty() ? "" : ", ", option, variable);
  }
  return origins.empty() ? message : fmt::format("{} ({})", message, origins);
}

std::vector<std::string> environment_warnings() {
  std::vector<std::string> warnings;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (!text.starts_with(prefix) || equals == text.npos || equals + 1 == text.size()) continue;
    if (auto warning = warning_of(text.substr(0, equals), text.substr(equals + 1)))
      warnings.push_back(std::move(*warning));
  }
  std::ranges::sort(warnings);
  return warnings;
}

bool is_test_variable(std::string_view name) {
  return name.starts_with(test_prefix) || std::ranges::find(test_variables, name) != std::end(test_variables);
}

}  // namespace gpupost
