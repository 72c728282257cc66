#include "tests/support/scene.h"

#include "core/base/threads.h"
#include "tests/support/synthetic_images.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace gpupost {
namespace {

// Right, up, forward, in meters; or red, green, blue.
struct Vec {
  float x = 0, y = 0, z = 0;
};
Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec operator*(Vec a, Vec b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
Vec operator*(Vec a, float f) { return {a.x * f, a.y * f, a.z * f}; }
float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec unit(Vec a) { return a * (1 / std::sqrt(dot(a, a))); }
Vec mix(Vec a, Vec b, float share) { return a * (1 - share) + b * share; }
float smooth(float low, float high, float at) {
  const float t = std::clamp((at - low) / (high - low), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

struct Ball {
  Vec center;
  float radius;
  Vec color;
  float mirror;  // share of what is seen head-on that is reflected
};
const std::array<Ball, 3> balls{
    Ball{.center = {-1.55f, 0.8f, 6.4f}, .radius = 0.8f, .color = {0.85f, 0.11f, 0.06f}, .mirror = 0.04f},
    Ball{.center = {0.35f, 1.1f, 7.6f}, .radius = 1.1f, .color = {0.03f, 0.035f, 0.04f}, .mirror = 0.85f},
    Ball{.center = {1.32f, 0.55f, 5.1f}, .radius = 0.55f, .color = {0.05f, 0.32f, 0.42f}, .mirror = 0.06f},
};
constexpr float far_away = 1000;
const Vec sun_direction = unit({-0.42f, 0.235f, 1});
const Vec sun_light{9, 7.4f, 5.2f};
const Vec fill_direction = unit({0.5f, 0.7f, -0.8f});
const Vec fill_light{0.55f, 0.62f, 0.75f};

struct Hit {
  float distance = far_away;
  Vec normal;
  uint32_t id = 0;  // 0 the sky, 1 the ground, then the balls
};

Hit first_hit(Vec from, Vec way) {
  Hit hit;
  if (way.y < 0 && -from.y / way.y < far_away) hit = {.distance = -from.y / way.y, .normal = {0, 1, 0}, .id = 1};
  for (size_t i = 0; i < balls.size(); ++i) {
    const Vec to = balls[i].center - from;
    const float middle = dot(to, way);
    const float rest = balls[i].radius * balls[i].radius - (dot(to, to) - middle * middle);
    if (rest <= 0 || middle <= 0) continue;
    const float distance = middle - std::sqrt(rest);
    if (distance <= 1e-3f || distance >= hit.distance) continue;
    hit = {.distance = distance, .normal = unit(from + way * distance - balls[i].center), .id = uint32_t(i) + 2};
  }
  return hit;
}

Vec sky(Vec way) {
  const float height = std::max(way.y, 0.0f);
  Vec color = mix({0.62f, 0.41f, 0.28f}, {0.03f, 0.12f, 0.36f}, height / (height + 0.14f) * 1.14f);
  const float off = 1 - dot(way, sun_direction);  // half the angle's square
  const float near = 1 / (1 + 40 * off);
  const float nearer = 1 / (1 + 1500 * off);
  color = color + Vec{0.9f, 0.5f, 0.2f} * (near * near) + Vec{5, 3, 1.4f} * (nearer * nearer);
  return off < 1.5e-4f ? Vec{5200, 5000, 4300} : color;
}

// Square tiles with a joint, paler with the distance, where they become one gray.
Vec ground_color(Vec at, float distance) {
  const float x = std::floor(at.x);
  const float z = std::floor(at.z);
  const bool is_light = (int(x) + int(z)) % 2 == 0;
  const Vec tile = is_light ? Vec{0.72f, 0.69f, 0.64f} : Vec{0.13f, 0.14f, 0.17f};
  return mix(tile, {0.4f, 0.39f, 0.38f}, smooth(14, 60, distance));
}

Vec seen(Vec from, Vec way, Vec sun, int depth);

Vec shaded(Vec from, Vec way, const Hit& hit, Vec sun, int depth) {
  const Vec at = from + way * hit.distance + hit.normal * 2e-3f;
  const bool is_ground = hit.id == 1;
  const Vec color = is_ground ? ground_color(at, hit.distance) : balls[hit.id - 2].color;
  Vec light = mix({0.34f, 0.3f, 0.28f}, {0.3f, 0.42f, 0.66f}, 0.5f + 0.5f * hit.normal.y);  // of the sky and the ground
  if (is_ground)
    for (const Ball& ball : balls) {  // what the balls keep from the ground under them
      const Vec to = ball.center - at;
      const float share = ball.radius * ball.radius / dot(to, to);
      light = light * (1 - std::min(0.85f, share * share));
    }
  light = light + fill_light * std::max(0.0f, dot(hit.normal, fill_direction));
  const float facing = dot(hit.normal, sun);
  if (facing > 0 && first_hit(at, sun).id == 0) light = light + sun_light * facing;
  Vec result = color * light;
  if (depth == 0) return result;
  const float grazing = 1 + std::min(0.0f, dot(way, hit.normal));
  const float mirror = is_ground ? 0.02f : balls[hit.id - 2].mirror;
  const float fresnel = mirror + (is_ground ? 0.35f : 1 - mirror) * grazing * grazing * grazing * grazing * grazing;
  const Vec reflected = unit(way - hit.normal * (2 * dot(way, hit.normal)));
  Vec mirrored = seen(at, reflected, sun, depth - 1);
  const float limit = is_ground ? 6.0f : 400.0f;  // rough ground spreads the sun
  mirrored = {std::min(mirrored.x, limit), std::min(mirrored.y, limit), std::min(mirrored.z, limit)};
  return result * (1 - fresnel) + mirrored * fresnel;
}

Vec seen(Vec from, Vec way, Vec sun, int depth) {
  const Hit hit = first_hit(from, way);
  if (hit.id == 0) return sky(way);
  const Vec surface = shaded(from, way, hit, sun, depth);
  const Vec haze = sky(unit({way.x, 0.02f, way.z}));
  return hit.id == 1 ? mix(surface, mix(haze, {0.6f, 0.42f, 0.3f}, 0.5f), hit.distance / (hit.distance + 60)) : surface;
}

const Vec eye{0, 1.45f, 0};

// Through a point of the picture, in pixels.
Vec way_through(float x, float y, Size size) {
  const float scale = 1.1f / float(size.width);  // the picture is 1.1 wide at distance 1
  return unit({(x - 0.5f * float(size.width)) * scale, (0.5f * float(size.height) - y) * scale - 0.03f, 1});
}

// The mean of 8 by 8 samples, each with a place of its own in the pixel and on the sun.
Vec pixel_color(int x, int y, Size size) {
  constexpr int side = 8;
  Vec sum;
  for (int i = 0; i < side * side; ++i) {
    const float right = (float(i % side) + 0.5f) / side;
    const float down = (float(i / side) + 0.5f) / side;
    const float across = (float(i * 5 % side) + 0.5f) / side - 0.5f;
    const float along = (float((i / side * 3 + i) % side) + 0.5f) / side - 0.5f;
    const Vec sun = unit(sun_direction + Vec{across, along, 0} * 0.035f);
    sum = sum + seen(eye, way_through(float(x) + right, float(y) + down, size), sun, 3);
  }
  return sum * (1.0f / (side * side));
}

// A ring and a dot in the lower right corner, with a soft edge.
float coverage(int x, int y, Size size) {
  const float unit_length = float(size.height) / 270;
  const float right = float(size.width - x) - 0.5f - 46 * unit_length;
  const float down = float(size.height - y) - 0.5f - 46 * unit_length;
  const float radius = std::sqrt(right * right + down * down) / unit_length;
  const float ring = smooth(17, 20, radius) * (1 - smooth(28, 32, radius));
  return 1 - std::max(ring, 1 - smooth(6, 9, radius));
}

struct Pixel {
  Vec color;
  float alpha = 1;
  Hit hit;
};

std::vector<Pixel> render(Size size) {
  std::vector<Pixel> pixels(texel_count(size));
  parallel_ranges(size.height, 1, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      for (int x = 0; x < size.width; ++x) {
        const float alpha = coverage(x, y, size);
        pixels[size_t(y) * size_t(size.width) + size_t(x)] = {
            .color = pixel_color(x, y, size) * alpha,
            .alpha = alpha,
            .hit = first_hit(eye, way_through(float(x) + 0.5f, float(y) + 0.5f, size))};
      }
    }
  });
  return pixels;
}

}  // namespace

Picture scene(Size size) {
  const std::vector<Pixel> pixels = render(size);
  const auto pixel_at = [&](int x, int y) -> const Pixel& {
    return pixels[size_t(y) * size_t(size.width) + size_t(x)];
  };
  Picture picture{
      .format = "exr", .compression = "zip", .data_window = window_of(size), .display_window = window_of(size)};
  picture.groups.push_back(
      made_group({{{"R", Depth::half}, {"G", Depth::half}, {"B", Depth::half}, {"A", Depth::half}}}, Depth::half, size,
                 1, [&](int x, int y, size_t c, int) {
                   const Pixel& pixel = pixel_at(x, y);
                   return bits_of_half(std::array{pixel.color.x, pixel.color.y, pixel.color.z, pixel.alpha}[c]);
                 }));
  picture.groups.back().is_color = true;
  picture.groups.push_back(made_group({{{"N.X", Depth::half}, {"N.Y", Depth::half}, {"N.Z", Depth::half}}}, Depth::half,
                                      size, 1, [&](int x, int y, size_t c, int) {
                                        const Vec normal = pixel_at(x, y).hit.normal;
                                        return bits_of_half(std::array{normal.x, normal.y, normal.z, 0.0f}[c]);
                                      }));
  picture.groups.push_back(made_group({{{"Z", Depth::f32}}}, Depth::f32, size, 1, [&](int x, int y, size_t c, int) {
    return c == 0 ? bits_of_float(std::round(pixel_at(x, y).hit.distance * 256) / 256) : 0;  // 4 mm, which compresses
  }));
  picture.groups.push_back(made_group({{{"id", Depth::u32}}}, Depth::u32, size, 1,
                                      [&](int x, int y, size_t c, int) { return c == 0 ? pixel_at(x, y).hit.id : 0; }));
  return picture;
}

}  // namespace gpupost
