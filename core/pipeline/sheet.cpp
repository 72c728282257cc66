#include "core/pipeline/sheet.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/base/text.h"
#include "core/image/channel_names.h"
#include "core/image/display_window.h"
#include "core/image/label.h"
#include "core/image/number.h"
#include "core/image/primaries.h"
#include "core/op/point.h"
#include "core/ops/small/row.h"

#include <algorithm>
#include <cstring>

namespace gpupost {

namespace {

constexpr int most_side = 32768;

// Below this luminance, white has a higher contrast to a color than black: sqrt(1.05 * 0.05) - 0.05, by the definition of
// contrast in WCAG 2.
constexpr double middle_luminance = 0.179;

// The bytes of a texel of this color.
std::vector<std::byte> texel_of(const Color& color, Depth depth) {
  std::vector<std::byte> texel(4 * bytes_of(depth));
  for (size_t c = 0; c < 4; ++c) put_number(&texel[c * bytes_of(depth)], depth, color[c]);
  return texel;
}

// The color between cells in the primaries of the result, which the chain made of the cells.
Color background_of(const Call& sheet, const Picture& picture) {
  Color color = canvas_color(sheet);
  const std::optional<Primaries> own = other_primaries(picture);
  if (!own) return color;
  const Vector3 rgb = product(conversion({.from = rec709, .to = *own}), Vector3{color[0], color[1], color[2]});
  std::ranges::copy(rgb, color.begin());
  return color;
}

// Draws the label of an input into the strip at the bottom of its cell. `cell`: all texels of the cell in the sheet;
// `image`: size of the cell without gap and strip.
void draw_label(const Call& sheet, const std::string& input, Size image, const Region& cell, Depth depth, Level& made) {
  const bool is_white = luminance_of(canvas_color(sheet)) < middle_luminance;
  const std::vector<std::byte> ink = texel_of(is_white ? Color{1, 1, 1, 1} : Color{0, 0, 0, 1}, depth);
  const Label label(input, image);
  const int gap = sheet.integer("gap"), height = label_height(image);
  if (cell.size != Size{image.width + 2 * gap, image.height + 2 * gap + height})
    fail(Exit::bug, "sheet: the cell of {} has {} x {} texels, and its label is for {} x {}", input, cell.size.width,
         cell.size.height, image.width, image.height);
  const int left = cell.corner.x + gap, top = cell.corner.y + cell.size.height - gap - height;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < image.width; ++x)
      if (label.covers({x, y})) {
        const size_t at = size_t(top + y) * size_t(made.size.width) + size_t(left + x);
        std::memcpy(made.texels.data() + at * ink.size(), ink.data(), ink.size());
      }
}

}  // namespace

const Call* sheet_of(std::span<const Call> calls) {
  return !calls.empty() && calls.back().op->makes == Makes::cell ? &calls.back() : nullptr;
}

Size prepare_cell(std::span<const Call> calls, const std::string& input, uint64_t most_texels, Picture& picture) {
  fit_to_display(picture, most_texels, input);
  const std::string& cell = calls.back().word("cell");
  const Size size = result_size(calls.first(calls.size() - 1), picture.size());
  if (cell.empty()) return size;
  const auto sides = whole_numbers(cell, "x");
  if (size.width > (*sides)[0] || size.height > (*sides)[1])
    fail(Exit::input, "{}: it is {} x {} texels; a cell of `sheet` holds {} (put `resize --fit {}` before `sheet`)",
         input, size.width, size.height, cell, cell);
  return {(*sides)[0], (*sides)[1]};
}

void arrange_cells(const Call& sheet, std::span<const std::string> inputs, Size image, uint64_t most_texels,
                   std::vector<ProcessedImage>& parts) {
  Picture& picture = parts.front().picture;
  const Size cell = picture.size();
  const int count = int(parts.size()), columns = std::min(sheet.integer("columns"), count);
  const int rows = div_ceil(count, columns);
  if (std::max(cell.width * int64_t(columns), cell.height * int64_t(rows)) > most_side)
    fail(Exit::limit,
         "sheet: {} x {} cells of {} x {} texels; the limit is {} texels per side (make the cells smaller)", columns,
         rows, cell.width, cell.height, most_side);
  const Size size{cell.width * columns, cell.height * rows};
  if (texel_count(size) > most_texels)
    fail(Exit::limit, "sheet: {} x {} texels; the limit is {} texels (raise it with --max-texels)", size.width,
         size.height, most_texels);
  const Color background = background_of(sheet, picture);
  Group& color = picture.groups.front();
  const size_t texel_bytes = 4 * bytes_of(color.depth), row_bytes = texel_bytes * size_t(cell.width);
  Level made{.size = size, .texels = TexelBuffer(texel_count(size) * texel_bytes)};
  const std::vector<std::byte> texel = texel_of(background, color.depth);
  for (size_t index = 0; index < texel_count(size) && count < rows * columns; ++index)
    std::memcpy(made.texels.data() + index * texel_bytes, texel.data(), texel_bytes);
  bool has_alpha = background[3] < 1 && count < rows * columns;
  for (int index = 0; index < count; ++index) {
    const Picture& part = parts[size_t(index)].picture;
    const Group& own = part.groups.front();
    if (part.size() != cell)
      fail(Exit::input,
           "{}: its cell is {} x {} texels with gap and label, but the cell of {} is {} x {}; set one size for all "
           "with `sheet --cell WxH`",
           inputs[size_t(index)], part.size().width, part.size().height, inputs.front(), cell.width, cell.height);
    if (own.depth != color.depth) fail(Exit::bug, "sheet: {} is {}", inputs[size_t(index)], name_of(own.depth));
    has_alpha |= own.has_alpha();
    const Position corner{index % columns * cell.width, index / columns * cell.height};
    for (int y = 0; y < cell.height; ++y) {
      const size_t to = size_t(corner.y + y) * size_t(size.width) + size_t(corner.x);
      std::memcpy(made.texels.data() + to * texel_bytes, own.levels.front().texels.data() + size_t(y) * row_bytes,
                  row_bytes);
    }
    if (sheet.flag("labels"))
      draw_label(sheet, inputs[size_t(index)], image, {.corner = corner, .size = cell}, color.depth, made);
  }
  color.levels.clear();
  color.levels.push_back(std::move(made));
  name_colors(color, GrayResult::gray);  // those that only empty cells and labels have
  name_alpha(color, has_alpha);
  picture.data_window = picture.display_window = window_of(size);
  parts.front().base.reset();
  parts.resize(1);
}

}  // namespace gpupost
