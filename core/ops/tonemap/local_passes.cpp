#include "core/ops/tonemap/local_passes.h"

#include "core/base/math.h"
#include "core/ops/blur/passes.h"

namespace gpupost {

namespace {

// A pass of kernels/lib/each_texel.glsl.
PassSpec pass_of(Size size, std::string name, std::string_view kernel) {
  return {.name = std::move(name),
          .kernel = kernel,
          .values = {{"end_x", size.width}, {"end_y", size.height}},
          .grid = {.count = {div_ceil(size.width, 64), div_ceil(size.height, 16)}}};
}

// Adds a pass whose result is an image of its own, which becomes the current one.
int add(PlanBuilder& builder, PassSpec pass, Depth depth) {
  const Size size = builder.image(pass.source.image).size;
  if (pass.second.image >= 0)
    pass.memory.bytes_read =
        bytes_of_level(builder.image(pass.source.image), 0) + bytes_of_level(builder.image(pass.second.image), 0);
  return builder.add_result(std::move(pass), {.size = size, .depth = depth});
}

int add_light(PlanBuilder& builder) {
  const int source = builder.current_image();
  PassSpec pass = pass_of(builder.image(source).size, "light of local tone", "tonemap/local_light.glsl");
  pass.source.image = source;
  pass.values.push_back({"least_weight", float(least_light_weight)});
  return add(builder, std::move(pass), Depth::f32);
}

int add_blur(PlanBuilder& builder, int light, int scale) {
  builder.set_current_image(light);
  plan_blur(gaussian_of_scale(scale), builder);
  return builder.current_image();
}

// `before`: the state that the scale before has left, of the first scale its gaussian.
int add_scale(PlanBuilder& builder, const LocalTone& local, MeasuredMiddle measured, int scale, int before, int wider) {
  const bool is_measured = measured.statistics_at >= 0;
  PassSpec pass = pass_of(builder.image(before).size, "local tone, one scale more", "tonemap/local_scale.glsl");
  pass.defines = {{"IS_FIRST", scale == 0}, {"MEASURES_MIDDLE", is_measured}};
  pass.values.push_back({"sharpness", float(sharpness_of_scale(local, scale) * (is_measured ? 1 : local.middle))});
  pass.values.push_back({"epsilon", float(local.epsilon)});
  pass.values.push_back({"statistics_at", measured.statistics_at});
  pass.source.image = before;
  pass.second.image = wider;
  pass.memory.has_statistics = is_measured;
  return add(builder, std::move(pass), Depth::f32);
}

// The image of what each texel is adapted to. What the images on the way hold is no color, and is kept as it is.
int add_adaptation(PlanBuilder& builder, const LocalTone& local, MeasuredMiddle measured) {
  const Depth depth = builder.input().storage;
  builder.set_result_depth(Depth::f32);
  const int light = add_light(builder);
  int state = add_blur(builder, light, 0);
  for (int scale = 0; scale < local.scale_count; ++scale)
    state = add_scale(builder, local, measured, scale, state, add_blur(builder, light, scale + 1));
  for (int image = light; image <= state; ++image) builder.image(image).space = Space::xyz;  // in which kernels work
  builder.set_result_depth(depth);
  return state;
}

}  // namespace

void plan_local_tone(PlanBuilder& builder, const LocalTone& local, MeasuredMiddle measured, FusedPoint curve) {
  const int picture = builder.current_image();
  const PlanImage image = builder.image(picture);
  const int adaptation = add_adaptation(builder, local, measured);
  PassSpec pass = pass_of(image.size, "local tone", "tonemap/local_apply.glsl");
  pass.source.image = picture;
  pass.second.image = adaptation;
  pass.points.on_store = {std::move(curve)};
  add(builder, std::move(pass), image.depth);
}

}  // namespace gpupost
