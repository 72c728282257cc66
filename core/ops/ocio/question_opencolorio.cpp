#include "core/ops/ocio/question_opencolorio.h"

#include "core/base/text.h"
#include "core/image/primaries.h"
#include "core/image/to_working.h"
#include "core/op/parse.h"
#include "core/ops/ocio/configs.h"
#include "core/ops/ocio/row.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>

namespace gpupost {

OCIO::ConstConfigRcPtr config_of(const std::string& name) {
  OCIO::SetLoggingLevel(OCIO::LOGGING_LEVEL_NONE);
  if (name == "cg" || name == "studio") return built_in_config(name == "studio");
  try {
    return OCIO::Config::CreateFromFile(name.c_str());
  } catch (const OCIO::Exception& error) {
    fail(Exit::input, "{}: cannot be read as a configuration; expected a file, cg or studio ({})", name, error.what());
  }
}

namespace {

template <class Config, class Count, class Name>
std::vector<std::string> list_of(const Config& config, Count count, Name name) {
  std::vector<std::string> names;
  for (int index = 0; index < (config.*count)(); ++index) names.emplace_back((config.*name)(index));
  return names;
}

}  // namespace

std::vector<std::string> spaces_of(const OCIO::Config& config) {
  std::vector<std::string> names;
  for (int index = 0; index < config.getNumColorSpaces(); ++index)
    names.emplace_back(config.getColorSpaceNameByIndex(index));
  return names;
}
std::vector<std::string> displays_of(const OCIO::Config& config) {
  return list_of(config, &OCIO::Config::getNumDisplays, &OCIO::Config::getDisplay);
}
std::vector<std::string> looks_of(const OCIO::Config& config) {
  return list_of(config, &OCIO::Config::getNumLooks, &OCIO::Config::getLookNameByIndex);
}
std::vector<std::string> views_of(const OCIO::Config& config, const std::string& display) {
  std::vector<std::string> names;
  for (int index = 0; index < config.getNumViews(display.c_str()); ++index)
    names.emplace_back(config.getView(display.c_str(), index));
  return names;
}

namespace {

constexpr const char* interchange = "aces_interchange";
constexpr const char* display_interchange = "cie_xyz_d65_interchange";

// " (did you mean `sRGB - Display`?)" for sRGB: the nearest name, else the only one that begins with the given text.
std::string hint_for(const std::string& name, const std::vector<std::string>& known) {
  const std::string hint = suggestion(name, {known.begin(), known.end()});
  const auto is_longer = [&](const std::string& candidate) {
    return lower_case(candidate).starts_with(lower_case(name));
  };
  if (!hint.empty() || std::ranges::count_if(known, is_longer) != 1) return hint;
  return fmt::format(" (did you mean `{}`?)", *std::ranges::find_if(known, is_longer));
}

[[noreturn]] void refuse(const OcioTransform& transform, std::string_view option, const std::string& name,
                         const std::vector<std::string>& known) {
  fail(Exit::usage, "--{} {} is not in the configuration{} (`gpupost info --ocio {}` lists its names)", option, name,
       hint_for(name, known), transform.config);
}

void check_known(const OcioTransform& transform, std::string_view option, const std::string& name,
                 const std::vector<std::string>& known) {
  if (!name.empty() && std::ranges::find(known, name) == known.end()) refuse(transform, option, name, known);
}

// Checks a list like "+first, -second". Of alternatives, like "first | second", not all need to exist.
void check_looks(const OcioTransform& transform, const std::vector<std::string>& known) {
  if (transform.looks.empty() || transform.looks.find('|') != std::string::npos) return;
  bool is_empty = true;
  std::string names = transform.looks;
  std::ranges::replace(names, ':', ',');  // OpenColorIO takes both
  std::istringstream list(names);
  for (std::string look; std::getline(list, look, ',');) {
    look.erase(0, std::min(look.find_first_not_of(" +-"), look.size()));
    look.resize(look.find_last_not_of(' ') + 1);
    is_empty = is_empty && look.empty();
    check_known(transform, "looks", look, known);
  }
  if (is_empty) fail(Exit::usage, "--looks {} names no look; expected names, or none", transform.looks);
}

OCIO::ConstTransformRcPtr rec709_to_aces() {
  const auto rows = conversion({.from = rec709, .to = ap0});
  std::array<double, 16> numbers{};
  for (size_t row = 0; row < 3; ++row) std::ranges::copy(rows[row], numbers.begin() + long(4 * row));
  numbers[15] = 1;
  const OCIO::MatrixTransformRcPtr matrix = OCIO::MatrixTransform::Create();
  matrix->setMatrix(numbers.data());
  return matrix;
}

void append_space_change(OCIO::GroupTransform& group, const std::string& from, const std::string& to) {
  const OCIO::ColorSpaceTransformRcPtr change = OCIO::ColorSpaceTransform::Create();
  change->setSrc(from.c_str());
  change->setDst(to.c_str());
  group.appendTransform(change);
}

void append_looks(OCIO::GroupTransform& group, const std::string& space, const std::string& looks) {
  const OCIO::LookTransformRcPtr look = OCIO::LookTransform::Create();
  look->setSrc(space.c_str());
  look->setDst(space.c_str());
  look->setLooks(looks.c_str());
  group.appendTransform(look);
}

// The rows of the matrix that the processor applies. Empty if it does something else.
std::vector<double> matrix_of(const OCIO::CPUProcessor& processor) {
  const auto made = [&](std::array<float, 3> c) {
    processor.applyRGB(c.data());
    return c;
  };
  std::vector<double> rows(9);
  for (size_t column = 0; column < 3; ++column) {
    std::array<float, 3> axis{};
    axis[column] = 1;
    const std::array<float, 3> light = made(axis);
    for (size_t row = 0; row < 3; ++row) rows[3 * row + column] = double(light[row]);
  }
  for (const std::array<float, 3>& c :
       {std::array<float, 3>{0, 0, 0}, {0.18f, 0.18f, 0.18f}, {0.3f, 0.6f, 0.1f}, {-0.1f, 0.2f, 4}, {30, 20, 10}}) {
    const std::array<float, 3> light = made(c);
    for (size_t row = 0; row < 3; ++row) {
      double expected = 0;
      for (size_t k = 0; k < 3; ++k) expected += rows[3 * row + k] * double(c[k]);
      if (!(std::abs(double(light[row]) - expected) <= 1e-4 * (1 + std::abs(expected)))) return {};
    }
  }
  return rows;
}

// Does the processor make the same light as this curve and these rows, up to the unit of luminance?
bool decodes_so(const OCIO::CPUProcessor& processor, double (*decode)(double), const Matrix3& rows) {
  std::optional<double> unit;
  for (const std::array<float, 3>& c : {std::array<float, 3>{0.5f, 0.5f, 0.5f},
                                        {0.02f, 0.02f, 0.02f},
                                        {0.75f, 0.75f, 0.75f},
                                        {0.7f, 0.2f, 0.1f},
                                        {0.2f, 0.7f, 0.3f},
                                        {0.1f, 0.3f, 0.6f}}) {
    const Vector3 expected = product(rows, Vector3{decode(double(c[0])), decode(double(c[1])), decode(double(c[2]))});
    std::array<float, 3> light = c;
    processor.applyRGB(light.data());
    if (!unit) unit = double(light[1]) / expected[1];
    const double largest = std::max({std::abs(expected[0]), std::abs(expected[1]), std::abs(expected[2])});
    for (size_t k = 0; k < 3; ++k)
      if (!(std::abs(double(light[k]) / *unit - expected[k]) <= 2e-3 * largest)) return false;
  }
  return true;
}

}  // namespace

OcioQuestion::OcioQuestion(const OcioTransform& transform)
    : transform_(transform), config_(config_of(transform.config)) {
  for (const auto& [option, name] : {std::pair("from", transform.from), std::pair("to", transform.to)}) {
    if (name.empty() || config_->getColorSpace(name.c_str())) continue;
    if (config_->getNamedTransform(name.c_str()))
      fail(Exit::usage, "--{} {} is a named transform, which gpupost does not support; expected a color space", option,
           name);
    refuse(transform, option, name, spaces_of(*config_));
  }
  check_known(transform, "display", transform_.display, displays_of(*config_));
  if (!transform_.display.empty())
    check_known(transform, "view", transform_.view, views_of(*config_, transform_.display));
  check_known(transform, "look", transform_.look, looks_of(*config_));
  if (!has_no_looks()) check_looks(transform, looks_of(*config_));
  if (!transform_.id.empty()) check_id();
  const bool needs_interchange = transform_.file.empty() && transform_.from.empty();
  if (needs_interchange && !config_->hasRole(interchange))
    fail(Exit::usage,
         "the configuration {} has no role aces_interchange, so the color space of the input is unknown; give --from "
         "SPACE (`gpupost info --ocio {}` lists its names)",
         transform.config, transform.config);
}

OCIO::ConstProcessorRcPtr OcioQuestion::processor() const {
  const OCIO::GroupTransformRcPtr group = OCIO::GroupTransform::Create();
  if (!transform_.file.empty()) append_file(*group);
  else append_spaces(*group);
  return config_->getProcessor(group,
                               transform_.is_inverse ? OCIO::TRANSFORM_DIR_INVERSE : OCIO::TRANSFORM_DIR_FORWARD);
}

std::vector<double> OcioQuestion::matrix_to_aces() const {
  const std::string& space = result_space();
  if (space.empty() || !config_->hasRole(interchange) || config_->getColorSpace(space.c_str())->isData()) return {};
  const OCIO::ConstCPUProcessorRcPtr processor = conversion_between(space.c_str(), interchange);
  return processor ? matrix_of(*processor) : std::vector<double>();
}

bool OcioQuestion::is_scene_linear() const { return is_scene_linear(result_space()); }

bool OcioQuestion::takes_encoded() const {
  if (!transform_.file.empty()) return true;
  const std::string& space = transform_.is_inverse ? transform_.to : transform_.from;
  if (space.empty()) return transform_.is_inverse && !transform_.display.empty();
  return !config_->getColorSpace(space.c_str())->isData() && !is_scene_linear(space);
}

bool OcioQuestion::is_scene_linear(const std::string& name) const {
  const OCIO::ConstColorSpaceRcPtr space = config_->getColorSpace(name.c_str());
  if (!space || space->isData() || space->getReferenceSpaceType() != OCIO::REFERENCE_SPACE_SCENE) return false;
  if (const std::string encoding = space->getEncoding(); !encoding.empty()) return encoding == "scene-linear";
  const OCIO::ConstColorSpaceRcPtr linear = config_->getColorSpace(OCIO::ROLE_SCENE_LINEAR);
  if (!linear || linear->isData()) return false;
  const OCIO::ConstCPUProcessorRcPtr processor = conversion_between(linear->getName(), space->getName());
  return processor && !matrix_of(*processor).empty();
}

std::vector<int32_t> OcioQuestion::encoding() const {
  const OCIO::ConstColorSpaceRcPtr space = encoded_space();
  if (!space || space->isData()) return {};
  const bool is_display = space->getReferenceSpaceType() == OCIO::REFERENCE_SPACE_DISPLAY;
  const char* role = is_display ? display_interchange : interchange;
  if (!config_->hasRole(role)) return {};
  const OCIO::ConstCPUProcessorRcPtr processor = conversion_between(space->getName(), role);
  if (!processor) return {};
  struct Curve {
    Transfer transfer;
    double (*decode)(double);
  };
  for (const auto& [transfer, decode] : {Curve{Transfer::srgb, srgb_decode}, {Transfer::pq, pq_decode}})
    for (size_t index = 0; index < std::size(named_primaries); ++index) {
      const Primaries& primaries = named_primaries[index].primaries;
      if (decodes_so(*processor, decode, conversion({.from = primaries, .to = is_display ? cie_xyz : ap0})))
        return {int32_t(transfer), int32_t(index)};
    }
  return {};
}

// Does --looks turn off the looks of the view, instead of naming others?
bool OcioQuestion::has_no_looks() const { return transform_.looks == "none" && !config_->getLook("none"); }

bool OcioQuestion::keeps_data() const {
  const bool has_look = !transform_.look.empty() || (!transform_.looks.empty() && !has_no_looks());
  if (!transform_.from.empty() || !transform_.file.empty() || has_look) return false;
  const OCIO::ConstColorSpaceRcPtr space =
      transform_.display.empty() ? config_->getColorSpace(transform_.to.c_str()) : space_of_view();
  return space && space->isData();
}

// An id is that of a correction in the file, or an index.
void OcioQuestion::check_id() const {
  const OCIO::GroupTransformRcPtr corrections = OCIO::CDLTransform::CreateGroupFromFile(transform_.file.c_str());
  std::vector<std::string> known;
  for (int index = 0; index < corrections->getNumTransforms(); ++index) {
    const auto correction = std::dynamic_pointer_cast<const OCIO::CDLTransform>(corrections->getTransform(index));
    const std::string id = correction ? correction->getID() : "", number = fmt::to_string(index);
    if (transform_.id == id || transform_.id == number) return;
    known.push_back(id.empty() ? number : id);
  }
  fail(Exit::input, "{}: no correction has the id or the number {}; expected --id with one of {}", transform_.file,
       transform_.id, fmt::join(known, ", "));
}

// Null if OpenColorIO cannot convert, for example because a matrix has no inverse.
OCIO::ConstCPUProcessorRcPtr OcioQuestion::conversion_between(const char* from, const char* to) const {
  try {
    return config_->getProcessor(from, to)->getOptimizedCPUProcessor(OCIO::OPTIMIZATION_LOSSLESS);
  } catch (const OCIO::Exception&) {
    return nullptr;
  }
}

// The space of the result, if it is not light. Null: not known.
OCIO::ConstColorSpaceRcPtr OcioQuestion::encoded_space() const {
  if (transform_.is_inverse || transform_.display.empty()) return config_->getColorSpace(result_space().c_str());
  return space_of_view();
}

OCIO::ConstColorSpaceRcPtr OcioQuestion::space_of_view() const {
  const char* display = transform_.display.c_str();
  const std::string space = config_->getDisplayViewColorSpaceName(display, view_name());
  return config_->getColorSpace(space == OCIO::OCIO_VIEW_USE_DISPLAY_NAME ? display : space.c_str());
}

const char* OcioQuestion::view_name() const {
  const std::string& name = transform_.view;
  return name.empty() ? config_->getDefaultView(transform_.display.c_str()) : name.c_str();
}

// "": numbers that are no light. Rec. 709 is known to the parent.
const std::string& OcioQuestion::result_space() const {
  static const std::string none;
  if (transform_.is_inverse) return transform_.from;
  return !transform_.to.empty() ? transform_.to : !transform_.look.empty() ? transform_.from : none;
}

// Refuses what the library would read as something else, without an error.
static void check_file(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.find("<ASC_SOP") != line.npos || line.find("<ASC_SAT") != line.npos)
      fail(Exit::input, "{}: has the element ASC_SOP or ASC_SAT, which OpenColorIO ignores; use `grade --file`", path);
    const bool is_of_numbers = line.find_first_not_of("0123456789+-.,eE \t\r") == line.npos;
    if (path.ends_with(".cube") && is_of_numbers && line.find(',') != line.npos)
      fail(Exit::input, "{}:{}: has a comma; numbers need a point", path, number);
  }
}

void OcioQuestion::append_file(OCIO::GroupTransform& group) const {
  check_file(transform_.file);
  if (transform_.id.empty() && is_collection(transform_.file)) {  // not by the place 0, since "0" may be an id
    const OCIO::GroupTransformRcPtr corrections = OCIO::CDLTransform::CreateGroupFromFile(transform_.file.c_str());
    if (corrections->getNumTransforms() == 0) fail(Exit::input, "{}: has no correction", transform_.file);
    return group.appendTransform(corrections->getTransform(0));
  }
  const OCIO::FileTransformRcPtr file = OCIO::FileTransform::Create();
  file->setSrc(transform_.file.c_str());
  file->setCCCId(transform_.id.c_str());  // an id, or an index
  file->setInterpolation(transform_.is_best ? OCIO::INTERP_BEST : OCIO::INTERP_DEFAULT);
  group.appendTransform(file);
}

void OcioQuestion::append_spaces(OCIO::GroupTransform& group) const {
  if (keeps_data()) return;
  std::string space = transform_.from;
  if (space.empty()) {
    group.appendTransform(rec709_to_aces()->createEditableCopy());
    space = interchange;
  }
  if (!transform_.display.empty()) {
    if (!transform_.looks.empty() && !has_no_looks()) append_looks(group, space, transform_.looks);
    const OCIO::DisplayViewTransformRcPtr view = OCIO::DisplayViewTransform::Create();
    view->setSrc(space.c_str());
    view->setDisplay(transform_.display.c_str());
    view->setView(view_name());
    view->setLooksBypass(!transform_.looks.empty());
    group.appendTransform(view);
    return;
  }
  if (!transform_.look.empty()) append_looks(group, space, transform_.look);
  if (!transform_.to.empty()) append_space_change(group, space, transform_.to);
  else if (transform_.from.empty()) {
    const OCIO::TransformRcPtr back = rec709_to_aces()->createEditableCopy();
    back->setDirection(OCIO::TRANSFORM_DIR_INVERSE);
    group.appendTransform(back);
  }
}

}  // namespace gpupost
