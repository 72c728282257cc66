// `gpupost info FILE`.
#include "cli/commands/attribute_value.h"
#include "cli/commands/commands.h"
#include "cli/options/input_list.h"
#include "cli/text/json_text.h"
#include "cli/text/messages.h"
#include "core/base/printable.h"
#include "core/codec/codec.h"
#include "core/image/to_working.h"
#include "core/ops/ocio/row.h"
#include "core/ops/ocio/worker.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace gpupost {

using json = nlohmann::ordered_json;

static json to_json(const Window& window) { return {window.min_x, window.min_y, window.max_x, window.max_y}; }

// A single part has no information that the image does not have.
static json to_json(const std::vector<FilePart>& parts) {
  json list = json::array();
  if (parts.size() < 2) return list;
  for (const FilePart& part : parts) {
    json row{{"part", list.size()}, {"width", part.size.width}, {"height", part.size.height}};
    if (!part.channels.empty())
      row.update({{"name", part.name},
                  {"deep", part.is_deep},
                  {"channels", fmt::format("{}", fmt::join(part.channels, " "))}});
    else if (!part.name.empty()) row["name"] = part.name;
    list.push_back(std::move(row));
  }
  return list;
}

static json describe(const std::string& path, const Decoded& decoded) {
  const Picture& picture = decoded.picture;
  json channels = json::array(), attributes = json::array();
  for (const Group& group : picture.groups)
    for (const Channel& channel : group.channels)
      if (!channel.name.empty()) channels.push_back({{"name", channel.name}, {"depth", name_of(channel.depth)}});
  for (const Attribute& attribute : picture.attributes)
    attributes.push_back({{"name", attribute.name},
                          {"type", attribute.type},
                          {"bytes", attribute.value.size()},
                          {"value", value_of(attribute)}});
  json made;
  add_name(made, "file", path);
  made.update({{"format", picture.format},
               {"width", picture.size().width},
               {"height", picture.size().height},
               {"compression", picture.compression},
               {"data_window", to_json(picture.data_window)},
               {"display_window", to_json(picture.display_window)},
               {"transfer", name_of(picture.transfer, picture.exponent)},
               {"alpha", picture.groups.front().is_data     ? "data"
                         : picture.alpha == Alpha::straight ? "straight"
                                                            : "premultiplied"},
               {"levels", picture.file_level_count},
               {"channels", channels},
               {"parts", to_json(decoded.parts)},
               {"attributes", attributes},
               {"warnings", decoded.warnings}});
  return made;
}

static std::string line_of(const json& item) {
  std::string line;
  for (const auto& [name, part] : item.items())
    line += fmt::format("{}{}", line.empty() ? "" : "  ",
                        part.is_string() ? part.get<std::string>() : name + " " + part.dump());
  return line;
}

// JSON has no NaN and no infinities, text has.
static std::string text_of_value(const json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    return std::isnan(value.get<double>()) ? "nan" : fmt::format("{}", value.get<double>());
  if (!value.is_array()) return value.dump(-1, ' ', true, json::error_handler_t::replace);
  std::vector<std::string> texts;
  std::ranges::transform(value, std::back_inserter(texts), text_of_value);
  return fmt::format("[{}]", fmt::join(texts, ","));
}

// An attribute has its value, or its size if the value is unknown or long.
static std::string line_of_attribute(json item) {
  constexpr size_t most_characters = 200;
  const json value = item["value"];
  item.erase("value");
  std::string text = value.is_string() ? value.get<std::string>() : text_of_value(value);
  if (value.is_null() || text.size() > most_characters) return line_of(item);
  item["bytes"] = std::move(text);
  return line_of(item);
}

static std::string to_text(const json& info) {
  std::string text;
  for (const auto& [key, value] : info.items()) {
    if (key == "file_bytes") continue;  // for programs
    if (!value.is_array() || value.empty() || value[0].is_number()) {
      text += fmt::format("{:<16}{}\n", key, printable(value.is_string() ? value.get<std::string>() : value.dump()));
      continue;
    }
    for (const json& item : value) {
      text += fmt::format("{:<16}{}\n", key,
                          printable(item.is_string()         ? item.get<std::string>()
                                    : item.contains("value") ? line_of_attribute(item)
                                                             : line_of(item)));
    }
  }
  return text;
}

static Exit run_info(const CommandCall& call) {
  if (call.has("--ocio")) {
    if (call.words.size() > 1)
      fail(Exit::usage, "info: --ocio reads one configuration; expected: gpupost {}", info_verb.usage);
    std::vector<std::string> others = call.global_words;
    if (call.has("--json")) others.emplace_back("--json");
    if (!others.empty())
      fail(Exit::usage, "info: {} has no effect with --ocio, which prints lines of text; leave it out",
           others.front().substr(0, others.front().find('=')));
    print_out(printable_lines(ocio_list(ocio_config_of(call.words.empty() ? "" : call.words.front()))));
    return Exit::done;
  }
  if (call.words.empty()) fail(Exit::usage, "info: no file; expected: gpupost {}", info_verb.usage);
  const Globals globals = parse_globals(call.global_words);
  DecodeOptions options = decode_options(globals.input);
  options.checks_all = true;
  const InputList inputs = list_inputs(call.words, globals.inputs);
  for (const std::string& missing : inputs.missing) say_error(missing);
  const bool is_json = call.has("--json");
  json list = json::array();
  Exit code = inputs.missing.empty() ? Exit::done : Exit::batch;
  for (const Input& input : inputs.files) {
    try {
      list.push_back(describe(input.path, decode_file(input.path, options)));
    } catch (const Error& error) {
      if (!inputs.is_batch || error.code() == Exit::usage) throw;
      say_error(error.what());
      code = Exit::batch;
      continue;
    }
    if (!is_json) print_out((list.size() > 1 ? "\n" : "") + to_text(list.back()));
  }
  if (is_json) print_out(json_text(inputs.is_batch ? list : list.front(), 2));
  return code;
}

const CommandRow info_verb{
    .name = "info",
    .summary = "Print size, channels, windows, levels and attributes of images",
    .usage = "info FILE... [--json] | info --ocio [CONFIG]",
    .description =
        "Reads whole files, so that a damaged file is an error. It decodes all parts and levels of an EXR, but only "
        "one page or level of other files. FILE may be a glob in quotes, or a sequence like in.####.exr. - reads "
        "standard "
        "input. If one of several files cannot be read, or a frame is missing, the others are printed, and the exit "
        "code is 5. --ocio prints the names in an OpenColorIO configuration. By default, it "
        "is the configuration that the op `ocio` uses.",
    .argument = Argument::file,
    .most_words = any_count,
    .options =
        {{"--json", "", "Print JSON: an object, or an array of objects for several files, a glob or a sequence", {}},
         {"--ocio", "", "List the spaces, displays, views and looks of a configuration: a file, cg or studio", {}}},
    .takes_global =
        [](const Global& global) {
          return global.scope == Scope::reading || global.name == "frames" || global.name == "skip-missing";
        },
    .examples = {"info in.exr", "info in.exr --json", "info 'a.####.exr'", "info --ocio studio"},
    .run = run_info,
};

}  // namespace gpupost
