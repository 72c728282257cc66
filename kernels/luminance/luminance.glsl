// Luminances of a picture's cells, reduced: what all ways to do it share. A pass reduces pieces of cells; where a cell
// has several, a later pass reduces what they came to. Along each axis `texels` is what the pass reads, `cells` their
// number, `tile` the texels of a cell, the last holding what is left, or 0 where all have as many or one less; `pieces`
// is their number in a cell and `piece` the texels of one. `whole` and `whole_tile` are those of the picture itself.
//
// LIGHT: the weights of Rec. 709, or those of the document; or the source holds what a pass before has made.
// MEASURE: what a cell says of its texels.

#if LIGHT == LIGHT_DOCUMENT
const vec3 weights = vec3(0.2125, 0.7154, 0.0721);
#else
const vec3 weights = vec3(0.2126, 0.7152, 0.0722);
#endif

float power_of_two(int exponent) { return intBitsToFloat((127 + exponent) << 23); }

// --- what lies where

// First texel of a cell along an axis. In a tile, `first` is the number of cells before it, and `side` belongs to all of
// the image.
int begin_of(int cell, int side, int first, int side_cells, int each) {
  return each > 0 ? min(cell * each, side) : (cell + first) * side / side_cells - first * side / side_cells;
}
ivec2 begin_of(ivec2 cell, ivec2 side, ivec2 each) {
  return ivec2(begin_of(cell.x, side.x, first_x, side_cells_x, each.x), begin_of(cell.y, side.y, first_y, side_cells_y, each.y));
}

struct Range {
  ivec2 low, high;  // first texel, and one after the last
};

// Texels of a piece; empty for a piece after the end of its cell.
Range range_of(ivec2 piece_at) {
  const ivec2 pieces = ivec2(pieces_x, pieces_y), piece = ivec2(piece_x, piece_y);
  const ivec2 cell = piece_at / pieces;
  const ivec2 side = ivec2(texels_x, texels_y), each = ivec2(tile_x, tile_y);
  const ivec2 begin = begin_of(cell, side, each), end = begin_of(cell + 1, side, each);
  const ivec2 low = begin + (piece_at - cell * pieces) * piece;
  return Range(low, min(low + piece, end));
}

// Number of image texels in a cell.
int texels_of(ivec2 cell) {
  const ivec2 side = ivec2(whole_x, whole_y), each = ivec2(whole_tile_x, whole_tile_y);
  const ivec2 size = begin_of(cell + 1, side, each) - begin_of(cell, side, each);
  return size.x * size.y;
}

// --- two numbers become one

#if MEASURE == MEASURE_MEAN || MEASURE == MEASURE_COUNT
#define neutral 0.0
float combined(float a, float b) { return a + b; }
#else
#if MEASURE == MEASURE_MINIMUM
#define neutral uintBitsToFloat(0x7f800000u)
#define BEATS <
#else
#define neutral uintBitsToFloat(0xff800000u)
#define BEATS >
#endif
// NaN stays, as in a mean.
float combined(float a, float b) { return isnan(b) || b BEATS a ? b : a; }
#endif

// --- numbers in and out

#ifdef IN_XYZ
vec4 light(ivec2 at) { return rgb_of_xyz(load(at)); }
vec4 gray(float number) { return xyz_of_rgb(vec4(vec3(number), 1.0)); }
#else
vec4 light(ivec2 at) { return load(at); }
vec4 gray(float number) { return vec4(vec3(number), 1.0); }
#endif

// Values are scaled down by powers of two before they are summed, so that a sum overflows only if the mean does.
float number_at(ivec2 at) {
#if LIGHT == LIGHT_MADE_BEFORE
  return load(at).r * power_of_two(-load_exponent);
#elif MEASURE == MEASURE_COUNT
  return power_of_two(-load_exponent);
#else
  // in this order the weights add up to exactly 1, so that white stays white
  const vec3 scaled = weights * power_of_two(-load_exponent);
  const vec4 c = light(at);
  precise const float luminance = (scaled.g * c.g + scaled.b * c.b) + scaled.r * c.r;
  return luminance;
#endif
}

float number_in(Range range, ivec2 at) {
  const float number = number_at(min(at, range.high - 1));
  return all(lessThan(at, range.high)) ? number : neutral;
}

// Result of a cell from its reduced values. Half of it is made first, because rounding may exceed the largest value.
float finished(ivec2 cell, float number) {
#if MEASURE == MEASURE_MEAN
  precise const float divisor = 2.0 * float(texels_of(cell)) * power_of_two(-total_exponent);
  precise float result = number / divisor;
  // devices divide with an error of some units in the last place; one step of Newton's method makes it exact
  precise const float rest = fma(-result, divisor, number);
  if (abs(result) <= 2.0e38) result += rest / divisor;
#else
  float result = number * power_of_two(total_exponent - 1);
#endif
  const float most = 1.70141173e38;  // half of the largest number
  return abs(result) <= 2.0e38 ? 2.0 * clamp(result, -most, most) : result;
}

// The last pass stores cells, other passes store results of pieces.
void store_number(ivec2 at, float number) {
#if IS_LAST
  store(at, gray(finished(at, number)));
#else
  store(at, vec4(number, 0.0, 0.0, 0.0));
#endif
}
