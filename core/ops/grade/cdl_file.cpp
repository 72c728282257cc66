#include "core/ops/grade/cdl_file.h"

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/base/text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace gpupost {

namespace {

constexpr std::string_view spaces = " \t\r\n";

// An element of XML: what stands in its opening tag behind its name, and what stands between its tags.
struct Element {
  std::string_view attributes, content;
};

// Comments may hold anything, tags too.
std::string without_comments(std::string_view text) {
  std::string kept;
  while (true) {
    const size_t begin = text.find("<!--");
    kept += text.substr(0, begin);
    if (begin == text.npos) return kept;
    const size_t end = text.find("-->", begin);
    if (end == text.npos) return kept;
    text.remove_prefix(end + 3);
  }
}

// The elements of this name, which must not hold each other. A namespace may stand before the name: "cdl:Slope".
std::vector<Element> elements(std::string_view text, std::string_view name) {
  std::vector<Element> found;
  size_t at = 0;
  while ((at = text.find('<', at)) != text.npos) {
    const size_t close = text.find('>', at);
    if (close == text.npos) break;
    const std::string_view tag = text.substr(at + 1, close - at - 1);
    const std::string_view full = tag.substr(0, std::min(tag.find_first_of(spaces), tag.size()));
    at = close + 1;
    if (full.starts_with('/')) continue;
    if (full.substr(full.find(':') + 1) != name) continue;
    const size_t end = text.find(fmt::format("</{}", full), at);
    if (end == text.npos) break;
    found.push_back({tag.substr(full.size()), text.substr(at, end - at)});
    at = end;
  }
  return found;
}

std::string id_of(const Element& correction) {
  for (const char quote : {'"', '\''}) {
    const std::string opening = fmt::format("id={}", quote);
    const size_t begin = correction.attributes.find(opening);
    if (begin == std::string_view::npos) continue;
    const std::string_view rest = correction.attributes.substr(begin + opening.size());
    return std::string(rest.substr(0, rest.find(quote)));
  }
  return {};
}

// The numbers of the only element of this name; none where there is no such element.
std::vector<double> numbers(const Element& correction, std::string_view name, size_t count, const std::string& file) {
  const std::vector<Element> found = elements(correction.content, name);
  if (found.empty()) return {};
  std::string list;
  std::string_view content = found.front().content;
  while (true) {
    content.remove_prefix(std::min(content.find_first_not_of(spaces), content.size()));
    if (content.empty()) break;
    const size_t end = std::min(content.find_first_of(spaces), content.size());
    list += (list.empty() ? "" : ",") + std::string(content.substr(0, end));
    content.remove_prefix(end);
  }
  const std::optional<std::vector<double>> read = list_of_numbers(list);
  if (found.size() > 1 || !read || read->size() != count)
    fail(Exit::input, "{}: {} is \"{}\"; expected {} number{}", file, name, printable(list), count,
         count == 1 ? "" : "s");
  return *read;
}

}  // namespace

Cdl parse_cdl(std::string_view text, std::string_view id, const std::string& name) {
  const std::string plain = without_comments(text);
  const std::vector<Element> corrections = elements(plain, "ColorCorrection");
  if (corrections.empty())
    fail(Exit::input, "{}: there is no ColorCorrection; expected a .cc, .ccc or .cdl file", name);
  std::vector<std::string> ids;
  for (const Element& correction : corrections) ids.push_back(printable(id_of(correction)));
  const auto chosen = std::ranges::find(ids, printable(std::string(id)));
  if (id.empty() && corrections.size() > 1)
    fail(Exit::input, "{}: there are {} corrections; expected --id with one of {}", name, ids.size(),
         fmt::join(ids, ", "));
  if (!id.empty() && chosen == ids.end())
    fail(Exit::input, "{}: no correction has the id {}; expected --id with one of {}", name, id, fmt::join(ids, ", "));
  const Element& correction = corrections[id.empty() ? 0 : size_t(chosen - ids.begin())];
  Cdl cdl;
  for (const auto& [element, of] : {std::pair("Slope", &cdl.slope), {"Offset", &cdl.offset}, {"Power", &cdl.power}})
    if (const std::vector<double> read = numbers(correction, element, 3, name); !read.empty())
      std::ranges::copy(read, of->begin());
  if (const std::vector<double> read = numbers(correction, "Saturation", 1, name); !read.empty())
    cdl.saturation = read.front();
  const bool is_legal = std::ranges::all_of(cdl.slope, [](double n) { return n >= 0; }) &&
                        std::ranges::all_of(cdl.power, [](double n) { return n > 0; }) && cdl.saturation >= 0;
  if (!is_legal)
    fail(Exit::input,
         "{}: slope {}, power {}, saturation {}; expected slopes and a saturation of 0 or more, powers over 0", name,
         fmt::join(cdl.slope, " "), fmt::join(cdl.power, " "), cdl.saturation);
  return cdl;
}

}  // namespace gpupost
