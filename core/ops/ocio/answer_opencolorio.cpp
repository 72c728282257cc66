#include "core/ops/ocio/answer.h"

#include "core/base/error.h"
#include "core/ops/ocio/question_opencolorio.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

namespace gpupost {

std::string_view ocio_version() { return OCIO_VERSION_FULL_STR; }

namespace {

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
std::string plain_text(const OCIO::GpuShaderDesc& shader, const std::vector<OcioTexture>& textures) {
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
  for (const OcioTexture& texture : textures) {
    const std::string call = fmt::format("texture({}, ", texture.sampler), made = texture.sampler + "_at(";
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

OcioReply shader_answer(const OcioQuestion& question) {
  OCIO::GpuShaderDescRcPtr shader = OCIO::GpuShaderDesc::CreateShaderDesc();
  shader->setLanguage(OCIO::GPU_LANGUAGE_GLSL_4_0);
  shader->setFunctionName("ocio_transform");
  shader->setResourcePrefix("ocio_");
  const OCIO::ConstProcessorRcPtr processor = question.processor();
  processor->getOptimizedGPUProcessor(OCIO::OPTIMIZATION_LOSSLESS)->extractGpuShaderInfo(shader);
  OcioReply reply{.to_aces = question.matrix_to_aces()};
  if (reply.to_aces.empty()) reply.encoding = question.encoding();
  reply.shader.keeps_data = question.keeps_data();
  reply.shader.is_scene_linear = question.is_scene_linear();
  reply.shader.takes_encoded = question.takes_encoded();
  const OCIO::ConstProcessorMetadataRcPtr facts = processor->getProcessorMetadata();
  for (int index = 0; index < facts->getNumFiles(); ++index) reply.shader.files.emplace_back(facts->getFile(index));
  const auto add = [&](OcioTexture shape, const float* values) {
    const auto [x, y, z] = shape.size;
    shape.values = {values, values + size_t(x) * size_t(y) * size_t(std::max(z, 1)) * size_t(shape.channels)};
    if (!std::ranges::all_of(shape.values, [](float value) { return std::isfinite(value); }))
      fail(Exit::input, "{}: a table has a number that is not finite; correct the file", question.source());
    reply.shader.textures.push_back(std::move(shape));
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
    add({.sampler = sampler,
         .size = {int(width), int(std::max(height, 1u)), 0},
         .channels = channels == OCIO::GpuShaderDesc::TEXTURE_RED_CHANNEL ? 1 : 3,
         .is_linear = interpolation != OCIO::INTERP_NEAREST},
        values);
  }
  for (unsigned index = 0; index < shader->getNum3DTextures(); ++index) {
    unsigned side = 0;
    shader->get3DTexture(index, texture, sampler, side, interpolation);
    shader->get3DTextureValues(index, values);
    add({.sampler = sampler,
         .size = {int(side), int(side), int(side)},
         .is_linear = interpolation == OCIO::INTERP_LINEAR},
        values);
  }
  reply.shader.text = plain_text(*shader, reply.shader.textures);
  if (has_non_finite_number(reply.shader.text))
    fail(Exit::input, "{}: a matrix, or the domain of a table, has a number that is not finite; correct the file",
         question.source());
  return reply;
}

// A shader gets inverses of tables that are made this way.
constexpr auto cpu_flags = OCIO::OptimizationFlags(OCIO::OPTIMIZATION_LOSSLESS | OCIO::OPTIMIZATION_LUT_INV_FAST);

OcioReply apply_answer(const OcioQuestion& question, std::vector<float> colors) {
  const auto processor = question.processor()->getOptimizedCPUProcessor(cpu_flags);
  OCIO::PackedImageDesc image(colors.data(), long(colors.size() / 4), 1, 4);
  if (!colors.empty()) processor->apply(image);
  return {.colors = std::move(colors)};
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

std::vector<CpuStep> steps_of(const OcioQuestion& question) {
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

OcioReply rounding_answer(const OcioQuestion& question, std::span<const float> colors) {
  constexpr size_t chunk_size = 4096 * 4;  // fits into the cache
  const std::vector<CpuStep> steps = steps_of(question);
  OcioReply reply;
  while (!colors.empty()) {
    const auto chunk = colors.first(std::min(chunk_size, colors.size()));
    const std::vector<float> found = rounding_behind_clamps(steps, {chunk.begin(), chunk.end()});
    reply.colors.insert(reply.colors.end(), found.begin(), found.end());
    colors = colors.subspan(chunk.size());
  }
  return reply;
}

OcioReply list_answer(const OCIO::Config& config) {
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
  return {.list = std::move(text)};
}

}  // namespace

OcioReply ocio_answer(OcioRequest request) {
  if (request.action == OcioAction::list) return list_answer(*config_of(request.transform.config));
  const OcioQuestion question(request.transform);
  if (request.action == OcioAction::apply) return apply_answer(question, std::move(request.colors));
  if (request.action == OcioAction::rounding) return rounding_answer(question, request.colors);
  return shader_answer(question);
}

}  // namespace gpupost
