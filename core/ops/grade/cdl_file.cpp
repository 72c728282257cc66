#include "core/ops/grade/cdl_file.h"

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/base/text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <vector>

namespace gpupost {

namespace {

constexpr std::string_view spaces = " \t\r\n";

// An element of XML, without the namespace of its name.
struct Element {
  std::string_view name, attributes;
  std::string text;  // between its tags, without that of its children
  std::vector<Element> children;
};

// Reads the elements of a text. `file` is the file's name, for messages. Throws Error(Exit::input) if the text is no whole XML.
class XmlReader {
 public:
  XmlReader(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  Element read() {
    Element document;
    read_content(document, "", 0);
    return document;
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    fail(Exit::input, "{}: is not whole XML: {}; expected a .cc, .ccc or .cdl file", file_,
         printable(std::string(what)));
  }

  std::string_view take_to(std::string_view end) {
    const size_t at = rest_.find(end);
    if (at == rest_.npos) refuse(fmt::format("there is no {} behind the last <", end));
    const std::string_view taken = rest_.substr(0, at);
    rest_.remove_prefix(at + end.size());
    return taken;
  }

  // Reads up to the closing tag of this name; "": to the end of the text.
  void read_content(Element& element, std::string_view closing, int depth) {
    constexpr int most_depth = 64;
    constexpr std::string_view cdata = "![CDATA[";
    if (depth > most_depth) refuse("elements are nested too deeply");
    while (true) {
      const size_t open = std::min(rest_.find('<'), rest_.size());
      element.text += rest_.substr(0, open);
      rest_.remove_prefix(open);
      if (rest_.empty() && closing.empty()) return;
      if (rest_.empty()) refuse(fmt::format("<{}> is not closed", closing));
      rest_.remove_prefix(1);
      if (rest_.starts_with("!--")) take_to("-->");
      else if (rest_.starts_with(cdata)) {
        rest_.remove_prefix(cdata.size());
        element.text += take_to("]]>");
      } else if (rest_.starts_with('!') || rest_.starts_with('?')) take_to(">");
      else if (rest_.starts_with('/')) {
        if (const std::string_view name = first_word(take_to(">").substr(1)); name != closing)
          refuse(fmt::format("</{}> closes <{}>", name, closing));
        return;
      } else read_element(element, depth);
    }
  }

  void read_element(Element& parent, int depth) {
    std::string_view tag = take_to(">");
    const bool is_empty = tag.ends_with('/');
    if (is_empty) tag.remove_suffix(1);
    const std::string_view name = first_word(tag);
    if (name.empty() || tag.find('<') != tag.npos) refuse(fmt::format("there is no > behind <{}", name));
    Element& child = parent.children.emplace_back(Element{
        .name = name.substr(name.find(':') + 1), .attributes = tag.substr(name.size()), .text = {}, .children = {}});
    if (!is_empty) read_content(child, name, depth + 1);
  }

  static std::string_view first_word(std::string_view text) {
    return text.substr(0, std::min(text.find_first_of(spaces), text.size()));
  }

  std::string_view rest_;
  const std::string& file_;
};

// All elements of this name below an element, which hold no others of it.
std::vector<const Element*> elements(const Element& parent, std::string_view name) {
  std::vector<const Element*> found;
  for (const Element& child : parent.children)
    if (child.name == name) found.push_back(&child);
    else std::ranges::copy(elements(child, name), std::back_inserter(found));
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

// Refuses elements of SOPNode and SatNode that no version of the format has, such as a misspelled Slope.
void check_names(const Element& correction, const std::string& file) {
  for (const Element& node : correction.children)
    for (const Element& child : node.children)
      if (node.name.ends_with("Node") &&
          std::ranges::count(std::array{"Slope", "Offset", "Power", "Saturation", "Description"}, child.name) == 0)
        fail(Exit::input, "{}: {} has an element {}; expected Slope, Offset, Power or Saturation", file,
             printable(std::string(node.name)), printable(std::string(child.name)));
}

// The numbers of the only element of this name; none where there is no such element.
std::vector<double> numbers(const Element& correction, std::string_view name, size_t count, const std::string& file) {
  const std::vector<const Element*> found = elements(correction, name);
  if (found.empty()) return {};
  if (found.size() > 1) fail(Exit::input, "{}: there are {} elements {}; expected one", file, found.size(), name);
  std::string list, shown;
  std::string_view content = found.front()->text;
  while (true) {
    content.remove_prefix(std::min(content.find_first_not_of(spaces), content.size()));
    if (content.empty()) break;
    const size_t end = std::min(content.find_first_of(spaces), content.size());
    const std::string word(content.substr(0, end));
    list += (list.empty() ? "" : ",") + word;
    shown += (shown.empty() ? "" : " ") + word;
    content.remove_prefix(end);
  }
  const std::optional<std::vector<double>> read = list_of_numbers(list);
  if (!read || read->size() != count)
    fail(Exit::input, "{}: {} is \"{}\"; expected {} number{}", file, name, printable(shown), count,
         count == 1 ? "" : "s");
  return *read;
}

// Advice for a file whose correction is not chosen. `ids`: the id of each correction, "" for one without.
std::string advice_of(const std::vector<std::string>& ids) {
  std::vector<std::string> choices;
  for (const std::string& id : ids)
    if (!id.empty() && std::ranges::find(choices, id) == choices.end()) choices.push_back(id);
  return choices.empty() ? "none has an id; give each one in the file"
                         : fmt::format("expected --id with one of {}", fmt::join(choices, ", "));
}

}  // namespace

Cdl parse_cdl(std::string_view text, std::string_view id, const std::string& name) {
  const Element document = XmlReader(text, name).read();
  const std::vector<const Element*> corrections = elements(document, "ColorCorrection");
  if (corrections.empty())
    fail(Exit::input, "{}: there is no ColorCorrection; expected a .cc, .ccc or .cdl file", name);
  std::vector<std::string> ids;
  for (const Element* correction : corrections) ids.push_back(printable(id_of(*correction)));
  const auto chosen = std::ranges::find(ids, printable(std::string(id)));
  if (id.empty() && corrections.size() > 1)
    fail(Exit::input, "{}: there are {} corrections; {}", name, ids.size(), advice_of(ids));
  if (!id.empty() && chosen == ids.end())
    fail(Exit::input, "{}: no correction has the id {}; {}", name, id, advice_of(ids));
  if (!id.empty() && std::ranges::count(ids, *chosen) > 1)
    fail(Exit::input, "{}: {} corrections have the id {}; give each its own", name, std::ranges::count(ids, *chosen),
         id);
  const Element& correction = *corrections[id.empty() ? 0 : size_t(chosen - ids.begin())];
  check_names(correction, name);
  Cdl cdl;
  bool is_empty = true;
  for (const auto& [element, of] : {std::pair("Slope", &cdl.slope), {"Offset", &cdl.offset}, {"Power", &cdl.power}})
    if (const std::vector<double> read = numbers(correction, element, 3, name); !read.empty()) {
      std::ranges::copy(read, of->begin());
      is_empty = false;
    }
  if (const std::vector<double> read = numbers(correction, "Saturation", 1, name); !read.empty()) {
    cdl.saturation = read.front();
    is_empty = false;
  }
  if (is_empty)
    fail(Exit::input, "{}: the correction has no Slope, Offset, Power or Saturation; expected at least one", name);
  const bool is_legal = std::ranges::all_of(cdl.slope, [](double n) { return n >= 0; }) &&
                        std::ranges::all_of(cdl.power, [](double n) { return n > 0; }) && cdl.saturation >= 0;
  if (!is_legal)
    fail(Exit::input,
         "{}: slope {}, power {}, saturation {}; expected slopes and a saturation of 0 or more, powers over 0", name,
         fmt::join(cdl.slope, " "), fmt::join(cdl.power, " "), cdl.saturation);
  return cdl;
}

}  // namespace gpupost
