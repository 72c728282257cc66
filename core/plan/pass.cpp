#include "core/plan/pass.h"

#include "core/base/math.h"
#include "core/op/point.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace gpupost {

bool is_of_halves(const PlanImage& image) { return image.depth == Depth::half && !image.is_packed; }

size_t bytes_of_texel(const PlanImage& image) {
  return image.is_packed ? 4 : size_t(image.components) * bytes_of(image.depth);
}

size_t bytes_of_level(const PlanImage& image, int level) {
  return texel_count(level_size(image.size, level)) * bytes_of_texel(image);
}

size_t bytes_of(const PlanImage& image) {
  size_t bytes = 0;
  for (int level = 0; level < image.level_count; ++level) bytes += bytes_of_level(image, level);
  return bytes;
}

std::string_view format_name(Depth depth) {
  return depth == Depth::u8 ? "RGBA8" : depth == Depth::half ? "RGBA16F" : "RGBA32F";
}

std::string_view format_name(const PlanImage& image) {
  if (image.components < 4) return image.components == 1 ? "R32F" : "RG32F";
  return image.is_packed ? "R11G11B10F" : format_name(image.depth);
}

// Converts a word to a GLSL identifier.
static std::string identifier(std::string_view word) {
  std::string name(word);
  std::ranges::replace(name, '-', '_');
  return name;
}

static std::vector<ShaderParam> fields_of_params(const Call& call) {
  std::vector<ShaderParam> fields;
  for (size_t index = 0; index < call.values.size(); ++index) {
    const Param& param = call.op->params[index];
    const bool is_literal = param.kind == ParamKind::choice || param.kind == ParamKind::flag;
    fields.push_back({.name = identifier(param.name),
                      .value = call.values[index],
                      .is_integer = is_literal || param.kind == ParamKind::integer,
                      .is_literal = is_literal,
                      .choices = param.choices});
  }
  return fields;
}

FusedPoint fused_point_of(const Call& call) {
  if (call.shader) return *call.shader;
  const Point& point = *call.op->point;
  const std::string name = identifier(call.op->name);
  return {.name = name,
          .kernel = std::string(point.kernel),
          .fields = point.fields ? point.fields(call) : fields_of_params(call),
          .space = space_of(call),
          .alpha = point.alpha};
}

Author author_of(const Pass& pass) {
  Author author = Author::gpupost;
  for (const std::vector<FusedPoint>* points : {&pass.points.on_load, &pass.points.on_store})
    for (const FusedPoint& point : *points)
      if (!point.text.empty()) author = std::max(author, point.author);
  return author;
}

std::vector<std::span<const float>> point_tables(const Pass& pass) {
  std::vector<std::span<const float>> tables;
  for (const std::vector<FusedPoint>* points : {&pass.points.on_load, &pass.points.on_store})
    for (const FusedPoint& point : *points)
      for (const PointTable& table : point.tables)
        if (std::ranges::find(tables, table.numbers->data(), &std::span<const float>::data) == tables.end())
          tables.emplace_back(*table.numbers);
  return tables;
}

size_t table_size(const Pass& pass) {
  size_t size = pass.table.size();
  for (const std::span<const float> numbers : point_tables(pass))
    size = round_up(size, table_alignment) + numbers.size();
  return size;
}

std::vector<std::string_view> ops_of(const Pass& pass) {
  std::vector<std::string_view> ops;
  const auto add = [&](std::string_view op) {
    if (!op.empty() && std::ranges::find(ops, op) == ops.end()) ops.push_back(op);
  };
  for (const FusedPoint& point : pass.points.on_load) add(point.op);
  for (const std::string_view op : pass.ops) add(op);
  for (const FusedPoint& point : pass.points.on_store) add(point.op);
  return ops;
}

std::string names_of(std::span<const FusedPoint> points) {
  std::vector<std::string_view> names;
  for (const FusedPoint& point : points) names.push_back(point.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace gpupost
