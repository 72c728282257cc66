// The one file beside the configurations that knows OpenColorIO.
#include "core/ops/ocio/answer.h"

#include "core/image/primaries.h"
#include "core/image/to_working.h"
#include "core/op/parse.h"
#include "core/ops/ocio/configs.h"

#include <OpenColorIO/OpenColorIO.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <functional>

namespace gpupost {

namespace OCIO = OCIO_NAMESPACE;

std::string_view ocio_version() { return OCIO_VERSION_FULL_STR; }

namespace {

constexpr const char* interchange = "aces_interchange";
constexpr const char* display_interchange = "cie_xyz_d65_interchange";

OCIO::ConstConfigRcPtr config_of(const std::string& name) {
  OCIO::SetLoggingLevel(OCIO::LOGGING_LEVEL_NONE);
  if (name == "cg" || name == "studio") return built_in_config(name == "studio");
  try {
    return OCIO::Config::CreateFromFile(name.c_str());
  } catch (const OCIO::Exception& error) {
    fail(Exit::input, "{}: cannot be read as a configuration; expected a file, cg or studio ({})", name, error.what());
  }
}

template <class Config, class Count, class Name>
std::vector<std::string> list_of(const Config& config, Count count, Name name) {
  std::vector<std::string> names;
  for (int index = 0; index < (config.*count)(); ++index) names.emplace_back((config.*name)(index));
  return names;
}

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

[[noreturn]] void refuse(std::string_view option, const std::string& name, const std::vector<std::string>& known) {
  fail(Exit::usage, "--{} {} is not in the configuration{} (`gpupost info --ocio` lists its names)", option, name,
       suggestion(name, {known.begin(), known.end()}));
}

void check_known(std::string_view option, const std::string& name, const std::vector<std::string>& known) {
  if (!name.empty() && std::ranges::find(known, name) == known.end()) refuse(option, name, known);
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

// A request and its configuration, once its names are known to be there.
class Question {
 public:
  explicit Question(const OcioFields& request) : request_(request), config_(config_of(at("config"))) {
    for (const std::string option : {"from", "to"}) {
      if (at(option).empty() || config_->getColorSpace(at(option).c_str())) continue;
      if (config_->getNamedTransform(at(option).c_str()))
        fail(Exit::usage, "--{} {} is a named transform, which gpupost does not support; expected a color space",
             option, at(option));
      refuse(option, at(option), spaces_of(*config_));
    }
    check_known("display", at("display"), displays_of(*config_));
    if (!at("display").empty()) check_known("view", at("view"), views_of(*config_, at("display")));
    check_known("look", at("look"), looks_of(*config_));
    if (!at("id").empty()) check_id();
    const bool needs_interchange = at("file").empty() && at("from").empty();
    if (needs_interchange && !config_->hasRole(interchange))
      fail(Exit::usage,
           "the configuration has no role aces_interchange, so the color space of the input is unknown; give --from "
           "SPACE");
  }

  OCIO::ConstProcessorRcPtr processor() const {
    const OCIO::GroupTransformRcPtr group = OCIO::GroupTransform::Create();
    if (!at("file").empty()) append_file(*group);
    else append_spaces(*group);
    return config_->getProcessor(group,
                                 at("inverse").empty() ? OCIO::TRANSFORM_DIR_FORWARD : OCIO::TRANSFORM_DIR_INVERSE);
  }

  // From the result to ACES2065-1, if the result is light: then the space that it lies in goes there by a matrix.
  std::vector<double> matrix_to_aces() const {
    const std::string& space = result_space();
    if (space.empty() || !config_->hasRole(interchange) || config_->getColorSpace(space.c_str())->isData()) return {};
    const OCIO::ConstCPUProcessorRcPtr processor = conversion_between(space.c_str(), interchange);
    return processor ? matrix_of(*processor) : std::vector<double>();
  }

  // Whether the configuration says that the result is linear light: by the encoding of its space, else by the role
  // scene_linear, from which a matrix goes to the space.
  bool is_scene_linear() const {
    const OCIO::ConstColorSpaceRcPtr space = config_->getColorSpace(result_space().c_str());
    if (!space || space->isData() || space->getReferenceSpaceType() != OCIO::REFERENCE_SPACE_SCENE) return false;
    if (const std::string encoding = space->getEncoding(); !encoding.empty()) return encoding == "scene-linear";
    const OCIO::ConstColorSpaceRcPtr linear = config_->getColorSpace(OCIO::ROLE_SCENE_LINEAR);
    if (!linear || linear->isData()) return false;
    const OCIO::ConstCPUProcessorRcPtr processor = conversion_between(linear->getName(), space->getName());
    return processor && !matrix_of(*processor).empty();
  }

  // The encoding of the result: a transfer and an index into named_primaries. Empty: not known.
  std::vector<int32_t> encoding() const {
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
  bool has_no_looks() const { return at("looks") == "none" && !config_->getLook("none"); }

  // Does the transform take any values without --from, because its result is data?
  bool keeps_data() const {
    const bool has_look = !at("look").empty() || (!at("looks").empty() && !has_no_looks());
    if (!at("from").empty() || !at("file").empty() || has_look) return false;
    const OCIO::ConstColorSpaceRcPtr space =
        at("display").empty() ? config_->getColorSpace(at("to").c_str()) : space_of_view();
    return space && space->isData();
  }

  const OCIO::Config& config() const { return *config_; }
  // The file that a message about the transform names.
  const std::string& source() const { return at("file").empty() ? at("config") : at("file"); }

 private:
  // An id is that of a correction in the file, or an index.
  void check_id() const {
    const OCIO::GroupTransformRcPtr corrections = OCIO::CDLTransform::CreateGroupFromFile(at("file").c_str());
    std::vector<std::string> known;
    for (int index = 0; index < corrections->getNumTransforms(); ++index) {
      const auto correction = std::dynamic_pointer_cast<const OCIO::CDLTransform>(corrections->getTransform(index));
      const std::string id = correction ? correction->getID() : "", number = fmt::to_string(index);
      if (at("id") == id || at("id") == number) return;
      known.push_back(id.empty() ? number : id);
    }
    fail(Exit::input, "{}: no correction has the id or the number {}; expected --id with one of {}", at("file"),
         at("id"), fmt::join(known, ", "));
  }

  // Null if OpenColorIO cannot convert, for example because a matrix has no inverse.
  OCIO::ConstCPUProcessorRcPtr conversion_between(const char* from, const char* to) const {
    try {
      return config_->getProcessor(from, to)->getOptimizedCPUProcessor(OCIO::OPTIMIZATION_LOSSLESS);
    } catch (const OCIO::Exception&) {
      return nullptr;
    }
  }

  // The rows of the matrix that the processor applies. Empty if it does something else.
  static std::vector<double> matrix_of(const OCIO::CPUProcessor& processor) {
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
  static bool decodes_so(const OCIO::CPUProcessor& processor, double (*decode)(double), const Matrix3& rows) {
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

  // The space of the result, if it is not light. Null: not known.
  OCIO::ConstColorSpaceRcPtr encoded_space() const {
    if (!at("inverse").empty() || at("display").empty()) return config_->getColorSpace(result_space().c_str());
    return space_of_view();
  }

  OCIO::ConstColorSpaceRcPtr space_of_view() const {
    const char* display = at("display").c_str();
    const std::string space = config_->getDisplayViewColorSpaceName(display, view_name());
    return config_->getColorSpace(space == OCIO::OCIO_VIEW_USE_DISPLAY_NAME ? display : space.c_str());
  }

  const char* view_name() const {
    const std::string& name = at("view");
    return name.empty() ? config_->getDefaultView(at("display").c_str()) : name.c_str();
  }

  const std::string& at(const std::string& name) const { return request_.at(name); }

  // "": numbers that are no light. Rec. 709 is known to the parent.
  const std::string& result_space() const {
    static const std::string none;
    if (!at("inverse").empty()) return at("from");
    return !at("to").empty() ? at("to") : !at("look").empty() ? at("from") : none;
  }

  void append_file(OCIO::GroupTransform& group) const {
    const OCIO::FileTransformRcPtr file = OCIO::FileTransform::Create();
    file->setSrc(at("file").c_str());
    file->setCCCId(at("id").empty() ? "0" : at("id").c_str());  // an id, or an index
    file->setInterpolation(at("best").empty() ? OCIO::INTERP_DEFAULT : OCIO::INTERP_BEST);
    group.appendTransform(file);
  }

  void append_spaces(OCIO::GroupTransform& group) const {
    if (keeps_data()) return;
    std::string space = at("from");
    if (space.empty()) {
      group.appendTransform(rec709_to_aces()->createEditableCopy());
      space = interchange;
    }
    if (!at("display").empty()) {
      if (!at("looks").empty() && !has_no_looks()) append_looks(group, space, at("looks"));
      const OCIO::DisplayViewTransformRcPtr view = OCIO::DisplayViewTransform::Create();
      view->setSrc(space.c_str());
      view->setDisplay(at("display").c_str());
      view->setView(view_name());
      view->setLooksBypass(!at("looks").empty());
      group.appendTransform(view);
      return;
    }
    if (!at("look").empty()) append_looks(group, space, at("look"));
    if (!at("to").empty()) append_space_change(group, space, at("to"));
    else if (at("from").empty()) {
      const OCIO::TransformRcPtr back = rec709_to_aces()->createEditableCopy();
      back->setDirection(OCIO::TRANSFORM_DIR_INVERSE);
      group.appendTransform(back);
    }
  }

  const OcioFields& request_;
  OCIO::ConstConfigRcPtr config_;
};

std::string list_text(const std::vector<float>& numbers) {
  std::string text;
  for (const float number : numbers) text += fmt::format("{}{:#.9g}", text.empty() ? "" : ", ", number);
  return text;
}

// The value of a property that other programs change while they run, as a constant.
std::string constant_of(const OCIO::GpuShaderDesc& shader, const std::string& name) {
  for (unsigned index = 0; index < shader.getNumUniforms(); ++index) {
    OCIO::GpuShaderDesc::UniformData data;
    if (name != shader.getUniform(index, data)) continue;
    if (data.m_getDouble) return fmt::format("{:#.9g}", data.m_getDouble());
    if (data.m_getBool) return data.m_getBool() ? "true" : "false";
    if (data.m_getFloat3) {
      const OCIO::Float3& c = data.m_getFloat3();
      return fmt::format("vec3({})", list_text({c[0], c[1], c[2]}));
    }
    if (data.m_vectorFloat.m_getSize) {
      const float* numbers = data.m_vectorFloat.m_getVector();
      return fmt::format("float[]({})", list_text({numbers, numbers + data.m_vectorFloat.m_getSize()}));
    }
    if (data.m_vectorInt.m_getSize) {
      std::string text;
      for (int k = 0; k < data.m_vectorInt.m_getSize(); ++k)
        text += fmt::format("{}{}", k ? ", " : "", data.m_vectorInt.m_getVector()[k]);
      return fmt::format("int[]({})", text);
    }
  }
  fail(Exit::input, "OpenColorIO gives no value for {}", name);
}

// Declarations of images are left out, those of properties become constants, and `texture(NAME, ` becomes `NAME_at(`.
std::string plain_text(const OCIO::GpuShaderDesc& shader, const std::vector<std::string>& samplers) {
  std::string text, rest = shader.getShaderText();
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string line = rest.substr(0, end);
    rest.erase(0, std::min(end + 1, rest.size()));
    if (line.starts_with("uniform sampler")) continue;
    if (line.starts_with("uniform ")) {
      const size_t type_end = line.find(' ', 8), name_end = line.find_first_of("[;", type_end);
      const std::string type = line.substr(8, type_end - 8), name = line.substr(type_end + 1, name_end - type_end - 1);
      line =
          fmt::format("const {} {}{} = {};", type, name, line[name_end] == '[' ? "[]" : "", constant_of(shader, name));
    }
    text += line + "\n";
  }
  for (const std::string& sampler : samplers) {
    const std::string call = fmt::format("texture({}, ", sampler), made = sampler + "_at(";
    for (size_t at = text.find(call); at != text.npos; at = text.find(call, at)) text.replace(at, call.size(), made);
  }
  return text;
}

// Whether the text has an infinity or a NaN as a number: the library writes them as words.
bool has_non_finite_number(const std::string& text) {
  const auto is_of_name = [](char c) { return std::isalnum(uint8_t(c)) || c == '_'; };
  for (const std::string word : {"inf", "nan"})
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
      const size_t end = at + word.size();
      if ((at == 0 || !is_of_name(text[at - 1])) && (end == text.size() || !is_of_name(text[end]))) return true;
    }
  return false;
}

std::string bytes_of(const auto& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof numbers[0]};
}

OcioFields shader_answer(const Question& question) {
  OCIO::GpuShaderDescRcPtr shader = OCIO::GpuShaderDesc::CreateShaderDesc();
  shader->setLanguage(OCIO::GPU_LANGUAGE_GLSL_4_0);
  shader->setFunctionName("ocio_transform");
  shader->setResourcePrefix("ocio_");
  const OCIO::ConstProcessorRcPtr processor = question.processor();
  processor->getOptimizedGPUProcessor(OCIO::OPTIMIZATION_LOSSLESS)->extractGpuShaderInfo(shader);
  const std::vector<double> to_aces = question.matrix_to_aces();
  OcioFields reply{{"to_aces", bytes_of(to_aces)},
                   {"encoding", bytes_of(to_aces.empty() ? question.encoding() : std::vector<int32_t>())}};
  reply["data"] = question.keeps_data() ? "1" : "";
  reply["linear"] = question.is_scene_linear() ? "1" : "";
  const OCIO::ConstProcessorMetadataRcPtr facts = processor->getProcessorMetadata();
  for (int index = 0; index < facts->getNumFiles(); ++index)
    reply[fmt::format("file{}", index)] = facts->getFile(index);
  std::vector<std::string> samplers;
  const auto add = [&](const char* sampler, std::array<int32_t, 5> shape, const float* values) {
    const size_t index = samplers.size();
    samplers.emplace_back(sampler);
    const size_t count = size_t(shape[0]) * size_t(shape[1]) * size_t(std::max(shape[2], 1)) * size_t(shape[3]);
    if (!std::all_of(values, values + count, [](float value) { return std::isfinite(value); }))
      fail(Exit::input, "{}: a table has a number that is not finite; correct the file", question.source());
    reply[fmt::format("texture{}", index)] = sampler;
    reply[fmt::format("shape{}", index)] = bytes_of(shape);
    reply[fmt::format("values{}", index)] = {reinterpret_cast<const char*>(values), count * sizeof(float)};
  };
  const char* texture = nullptr;
  const char* sampler = nullptr;
  const float* values = nullptr;
  OCIO::Interpolation interpolation{};
  for (unsigned index = 0; index < shader->getNumTextures(); ++index) {
    unsigned width = 0, height = 0;
    OCIO::GpuShaderDesc::TextureType channels{};
    shader->getTexture(index, texture, sampler, width, height, channels, interpolation);
    shader->getTextureValues(index, values);
    add(sampler,
        {int(width), int(std::max(height, 1u)), 0, channels == OCIO::GpuShaderDesc::TEXTURE_RED_CHANNEL ? 1 : 3,
         interpolation != OCIO::INTERP_NEAREST},
        values);
  }
  for (unsigned index = 0; index < shader->getNum3DTextures(); ++index) {
    unsigned side = 0;
    shader->get3DTexture(index, texture, sampler, side, interpolation);
    shader->get3DTextureValues(index, values);
    add(sampler, {int(side), int(side), int(side), 3, interpolation == OCIO::INTERP_LINEAR}, values);
  }
  reply["text"] = plain_text(*shader, samplers);
  if (has_non_finite_number(reply["text"]))
    fail(Exit::input, "{}: a matrix, or the domain of a table, has a number that is not finite; correct the file",
         question.source());
  return reply;
}

// A shader gets inverses of tables that are made this way.
constexpr auto cpu_flags = OCIO::OptimizationFlags(OCIO::OPTIMIZATION_LOSSLESS | OCIO::OPTIMIZATION_LUT_INV_FAST);

OcioFields apply_answer(const Question& question, std::string colors) {
  const auto processor = question.processor()->getOptimizedCPUProcessor(cpu_flags);
  const size_t count = colors.size() / (4 * sizeof(float));
  OCIO::PackedImageDesc image(colors.data(), long(count), 1, 4);
  if (count > 0) processor->apply(image);
  return {{"colors", std::move(colors)}};
}

// A step of a transform on the library's CPU path.
struct CpuStep {
  OCIO::ConstCPUProcessorRcPtr processor;
  OCIO::TransformType type{};

  void apply(std::vector<float>& colors) const {
    OCIO::PackedImageDesc image(colors.data(), long(colors.size() / 4), 1, 4);
    processor->apply(image);
  }
};

std::vector<CpuStep> steps_of(const Question& question) {
  const OCIO::GroupTransformRcPtr group = question.processor()->createGroupTransform();
  std::vector<CpuStep> steps;
  for (int index = 0; index < group->getNumTransforms(); ++index) {
    const OCIO::ConstTransformRcPtr transform = group->getTransform(index);
    steps.push_back({question.config().getProcessor(transform)->getOptimizedCPUProcessor(cpu_flags),
                     transform->getTransformType()});
  }
  return steps;
}

bool is_linear(OCIO::TransformType type) {
  return type == OCIO::TRANSFORM_TYPE_MATRIX || type == OCIO::TRANSFORM_TYPE_RANGE;
}

// Moves one channel of each color by a share of its largest channel.
std::vector<float> moved(std::vector<float> colors, size_t channel, float share) {
  for (size_t at = 0; at + 3 < colors.size(); at += 4)
    colors[at + channel] +=
        share * std::max({std::abs(colors[at]), std::abs(colors[at + 1]), std::abs(colors[at + 2])});
  return colors;
}

// The error of the result if the input of each curve is off by 2^-22 of its largest channel, added up. Only curves behind a clamp
// count, because an error of the transform's input may not pass the clamp.
std::vector<float> rounding_behind_clamps(const std::vector<CpuStep>& steps, std::vector<float> colors) {
  std::vector<float> end = colors, sum(colors.size());
  for (const CpuStep& step : steps) step.apply(end);
  bool is_clamped = false;
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    std::vector<float> most(colors.size());
    for (size_t channel = 0; is_clamped && !is_linear(step->type) && channel < 3; ++channel)
      for (const float share : {-0x1p-22f, 0x1p-22f}) {
        std::vector<float> beside = moved(colors, channel, share);
        std::for_each(step, steps.end(), [&](const CpuStep& rest) { rest.apply(beside); });
        for (size_t at = 0; at < end.size(); ++at)
          if (const float off = std::abs(beside[at] - end[at]); std::isfinite(off)) most[at] = std::max(most[at], off);
      }
    std::ranges::transform(sum, most, sum.begin(), std::plus());
    is_clamped |= step->type == OCIO::TRANSFORM_TYPE_RANGE;
    step->apply(colors);
  }
  return sum;
}

OcioFields rounding_answer(const Question& question, const std::string& colors) {
  constexpr size_t chunk_bytes = 4096 * 4 * sizeof(float);  // fits into the cache
  const std::vector<CpuStep> steps = steps_of(question);
  std::string made;
  for (size_t at = 0; at < colors.size(); at += chunk_bytes) {
    std::vector<float> chunk(std::min(chunk_bytes, colors.size() - at) / sizeof(float));
    std::memcpy(chunk.data(), colors.data() + at, chunk.size() * sizeof(float));
    made += bytes_of(rounding_behind_clamps(steps, std::move(chunk)));
  }
  return {{"colors", std::move(made)}};
}

OcioFields list_answer(const OCIO::Config& config) {
  std::string text;
  for (const std::string& name : spaces_of(config)) {
    const std::string encoding = config.getColorSpace(name.c_str())->getEncoding();
    text += fmt::format("space    {}{}\n", name, encoding.empty() ? "" : fmt::format("  ({})", encoding));
  }
  for (const std::string& display : displays_of(config)) {
    text += fmt::format("display  {}\n", display);
    for (const std::string& view : views_of(config, display)) text += fmt::format("  view   {}\n", view);
  }
  for (const std::string& look : looks_of(config)) text += fmt::format("look     {}\n", look);
  return {{"list", std::move(text)}};
}

}  // namespace

OcioFields ocio_answer(const OcioFields& request) {
  const std::string& action = request.at("action");
  if (action == "list") return list_answer(*config_of(request.at("config")));
  const Question question(request);
  if (action == "apply") return apply_answer(question, request.at("colors"));
  if (action == "rounding") return rounding_answer(question, request.at("colors"));
  return shader_answer(question);
}

}  // namespace gpupost
