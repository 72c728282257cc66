#include "tests/definitions/image.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfTiledInputFile.h>

#include <cmath>
#include <map>

namespace definitions {

Image made(std::string name, int width, int height, bool has_alpha, const std::function<Position(int, int)>& texel_of) {
  Image image;
  image.width = width, image.height = height, image.has_alpha = has_alpha, image.name = std::move(name);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      Position texel = texel_of(x, y);
      for (double& number : texel) number = double(float(number));
      image.texels.push_back(texel);
    }
  return image;
}

double noise(int x, int y, int channel, int seed) {
  uint32_t h = uint32_t(x) * 0x9e3779b1u ^ uint32_t(y) * 0x85ebca77u ^ uint32_t(channel) * 0xc2b2ae3du ^
               uint32_t(seed) * 0x27d4eb2fu;
  for (const uint32_t factor : {0x7feb352du, 0x846ca68bu}) {
    h ^= h >> 15;
    h *= factor;
  }
  return double(h ^ h >> 16) * 0x1p-32;
}

namespace {

Position light(int x, int y, int seed) {
  const auto channel = [&](int c) { return std::exp2(10 * noise(x, y, c, seed) - 6); };
  return {channel(0), channel(1), channel(2), 1};
}

Position covered(const Position& texel, double alpha) {
  return {texel[0] * alpha, texel[1] * alpha, texel[2] * alpha, alpha};
}

Position black() { return {0, 0, 0, 0}; }

double covering(int x, int y, int seed) { return (1 + std::floor(8 * noise(x, y, 3, seed))) / 8; }

}  // namespace

Image one() {
  return made("1x1", 1, 1, false, [](int, int) { return Position{0.3, 1.7, 0.05, 1}; });
}
Image odd() {
  return made("17x9 with alpha", 17, 9, true, [](int x, int y) { return covered(light(x, y, 1), covering(x, y, 1)); });
}
Image wide() {
  return made("64x48", 64, 48, false, [](int x, int y) { return light(x, y, 2); });
}
Image column() {
  return made("1x37 with alpha", 1, 37, true, [](int x, int y) { return covered(light(x, y, 6), covering(x, y, 6)); });
}
Image row() {
  return made("50x1", 50, 1, false, [](int x, int y) { return light(x, y, 7); });
}
Image large() {
  Image image = made("150x110", 150, 110, false, [](int x, int y) { return light(x, y, 8); });
  for (int y = 0; y < 110; ++y)
    for (int x = 0; x < 150; ++x) image.depth.push_back(x < 40 ? 1.25 : x + y < 150 ? 2 : 9);
  return image;
}
Image dim() {
  return made("64x48 of 0 to 1", 64, 48, false, [](int x, int y) {
    return Position{noise(x, y, 0, 3), noise(x, y, 1, 3), noise(x, y, 2, 3), 1};
  });
}
Image holes() {
  return made("17x9 with holes", 17, 9, true,
              [](int x, int y) { return (x + y) % 2 ? black() : covered(light(x, y, 4), covering(x, y, 4)); });
}
Image negatives() {
  return made("17x9 with negatives", 17, 9, true, [](int x, int y) {
    Position texel = covered(light(x, y, 5), covering(x, y, 5));
    const int c = int(4 * noise(x, y, 7));  // 3: none
    if (c < 3) texel[size_t(c)] *= -0.25;
    return texel;
  });
}
Image star(int width, int height, int x, int y, double light) {
  return made("star", width, height, false, [&](int column, int row) {
    const double here = column == x && row == y ? light : 0;
    return Position{here, here / 2, here / 4, 1};
  });
}

Image mapped(const Image& image, const std::function<Position(Position)>& f) {
  Image result = image;
  for (Position& texel : result.texels) {
    texel = f(texel);
    for (double& number : texel) number = double(float(number));
  }
  return result;
}
Image scaled(const Image& image, double factor) {
  return mapped(image, [&](const Position& t) { return Position{t[0] * factor, t[1] * factor, t[2] * factor, t[3]}; });
}
Image mirrored(const Image& image, bool x, bool y) {
  Image result = image;
  for (int row = 0; row < image.height; ++row)
    for (int column = 0; column < image.width; ++column) {
      const int from_x = x ? image.width - 1 - column : column, from_y = y ? image.height - 1 - row : row;
      result.at(column, row) = image.at(from_x, from_y);
      if (!image.depth.empty())
        result.depth[size_t(row * image.width + column)] = image.depth[size_t(from_y * image.width + from_x)];
    }
  return result;
}
Image permuted(const Image& image) {
  return mapped(image, [](const Position& t) { return Position{t[1], t[2], t[0], t[3]}; });
}
Image sum(const Image& a, const Image& b) {
  Image result = a;
  for (size_t at = 0; at < a.texels.size(); ++at)
    for (size_t c = 0; c < (a.has_alpha ? 4 : 3); ++c) result.texels[at][c] += b.texels[at][c];
  return mapped(result, [](const Position& t) { return t; });
}
Image shifted(const Image& image, int x, int y) {
  Image result = image;
  for (int row = 0; row < image.height; ++row)
    for (int column = 0; column < image.width; ++column) {
      const int from_x = column - x, from_y = row - y;
      const bool is_inside = from_x >= 0 && from_y >= 0 && from_x < image.width && from_y < image.height;
      result.at(column, row) = is_inside ? image.at(from_x, from_y) : Position{0, 0, 0, image.has_alpha ? 0.0 : 1.0};
    }
  return result;
}

double luminance(const Rgb& c) {
  return 0.2126390058715104 * c[0] + 0.7151686787677559 * c[1] + 0.0721923153607337 * c[2];
}
Rgb rgb_of(const Position& texel) { return {texel[0], texel[1], texel[2]}; }

Image unpremultiply(const Image& image, const std::function<Rgb(Rgb)>& f) {
  Image result = image;
  for (Position& texel : result.texels) {
    const double alpha = texel[3];
    if (alpha == 0) continue;
    const Rgb c = f({texel[0] / alpha, texel[1] / alpha, texel[2] / alpha});
    texel = {c[0] * alpha, c[1] * alpha, c[2] * alpha, alpha};
  }
  return result;
}

Moments moments(const Image& image, int channel) {
  Moments result;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const double weight = image.at(x, y)[size_t(channel)];
      result.sum += weight;
      result.x += weight * x;
      result.y += weight * y;
    }
  result.x /= result.sum;
  result.y /= result.sum;
  return result;
}

namespace {

using Planes = std::map<std::string, std::vector<float>>;

Imf::FrameBuffer buffer_of(Planes& planes, const Window& window) {
  const auto width = size_t(window.right - window.left + 1);
  Imf::FrameBuffer buffer;
  for (auto& [name, plane] : planes) {
    char* origin = reinterpret_cast<char*>(plane.data()) - 4 * (int64_t(window.top) * int64_t(width) + window.left);
    buffer.insert(name, Imf::Slice(Imf::FLOAT, origin, 4, 4 * width));
  }
  return buffer;
}

Planes planes_of(const Imf::Header& header, size_t count) {
  Planes planes;
  for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel)
    planes[channel.name()].resize(count);
  return planes;
}

Image image_of(const Planes& planes, const Window& window, const Window& display) {
  Image image;
  image.width = window.right - window.left + 1;
  image.height = window.bottom - window.top + 1;
  image.has_alpha = planes.contains("A");
  image.is_gray = planes.contains("Y");
  image.data = window;
  image.display = display;
  image.texels.resize(size_t(image.width) * size_t(image.height));
  const char* const names[] = {"R", "G", "B", "A"};
  for (size_t c = 0; c < 4; ++c) {
    const auto plane = planes.find(image.is_gray && c < 3 ? "Y" : names[c]);
    for (size_t at = 0; at < image.texels.size(); ++at)
      image.texels[at][c] = plane != planes.end() ? double(plane->second[at]) : c == 3 ? 1 : 0;
  }
  if (const auto plane = planes.find("Z"); plane != planes.end())
    image.depth.assign(plane->second.begin(), plane->second.end());
  return image;
}

Window window_of(const Imath::Box2i& box) { return {box.min.x, box.min.y, box.max.x, box.max.y}; }

}  // namespace

void write_exr(const Image& image, const std::string& path) {
  const Window window = image.has_windows ? image.data : Window{0, 0, image.width - 1, image.height - 1};
  const Window display = image.has_windows ? image.display : window;
  const auto box = [](const Window& w) { return Imath::Box2i({w.left, w.top}, {w.right, w.bottom}); };
  Imf::Header header(box(display), box(window));
  header.compression() = Imf::NO_COMPRESSION;
  Planes planes;
  const auto add = [&](const char* name, const auto& number_of) {
    header.channels().insert(name, Imf::Channel(Imf::FLOAT));
    for (size_t at = 0; at < image.texels.size(); ++at) planes[name].push_back(float(number_of(at)));
  };
  const char* const names[] = {"R", "G", "B", "A"};
  for (size_t c = 0; c < 4; ++c)
    if (c == 3 ? image.has_alpha : !image.is_gray || c == 0)
      add(image.is_gray && c == 0 ? "Y" : names[c], [&](size_t at) { return image.texels[at][c]; });
  if (!image.depth.empty()) add("Z", [&](size_t at) { return image.depth[at]; });
  Imf::OutputFile file(path.c_str(), header);
  file.setFrameBuffer(buffer_of(planes, window));
  file.writePixels(image.height);
}

std::vector<Image> read_exr(const std::string& path) {
  Imf::InputFile whole(path.c_str());
  const Imf::Header& header = whole.header();
  const Window display = window_of(header.displayWindow());
  const auto count_of = [](const Window& w) { return size_t(w.right - w.left + 1) * size_t(w.bottom - w.top + 1); };
  std::vector<Image> levels;
  if (!header.hasTileDescription()) {
    const Window window = window_of(header.dataWindow());
    Planes planes = planes_of(header, count_of(window));
    whole.setFrameBuffer(buffer_of(planes, window));
    whole.readPixels(window.top, window.bottom);
    return {image_of(planes, window, display)};
  }
  Imf::TiledInputFile tiled(path.c_str());
  for (int level = 0; level < tiled.numLevels(); ++level) {
    const Window window = window_of(tiled.dataWindowForLevel(level));
    Planes planes = planes_of(header, count_of(window));
    tiled.setFrameBuffer(buffer_of(planes, window));
    tiled.readTiles(0, tiled.numXTiles(level) - 1, 0, tiled.numYTiles(level) - 1, level);
    levels.push_back(image_of(planes, window, display));
  }
  return levels;
}

}  // namespace definitions
