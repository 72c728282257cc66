#include "core/op/typed_options.h"

#include "core/base/error.h"

#include <CLI/CLI.hpp>

namespace gpupost {

std::vector<TypedOption> typed_options(const std::vector<OptionNames>& options, const std::vector<std::string>& words,
                                       std::string_view prefix) {
  CLI::App app;
  app.set_help_flag();
  std::vector<TypedOption> typed(options.size());
  std::vector<CLI::Option*> parsed;
  for (size_t index = 0; index < options.size(); ++index)
    parsed.push_back(options[index].is_flag
                         ? app.add_flag(options[index].names)
                         : app.add_option(options[index].names, typed[index].values)->expected(1)->take_all());
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 expects them in reverse order
  } catch (const CLI::ParseError& error) {
    fail(Exit::usage, "{}{}", prefix, error.what());
  }
  for (size_t index = 0; index < options.size(); ++index) typed[index].is_given = parsed[index]->count() > 0;
  return typed;
}

}  // namespace gpupost
