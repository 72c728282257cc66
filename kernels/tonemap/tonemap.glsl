#include "tonemap/color_curves.glsl"
#include "lib/luminance_of.glsl"
#include "stats/layout.glsl"
#include "tonemap/curves.glsl"
#include "lib/light_or_black.glsl"
#include "lib/yxy.glsl"

// For local curves: the luminance that the texel is adapted to. Their kernel defines it.
float adaptation = 0.0;

float curved(float x, tonemap_params p) {
  switch (TONEMAP_CURVE_OF(p)) {
    case TONEMAP_CURVE_REINHARD: return reinhard(x);
    case TONEMAP_CURVE_REINHARD_EXTENDED: return reinhard_extended(x, p.a);
    case TONEMAP_CURVE_REINHARD_LOCAL: return reinhard_local(x, usable(adaptation, p.scale), p.a);
    case TONEMAP_CURVE_DAY: return day(x, p.a, p.b, p.c, p.d, p.e);
    case TONEMAP_CURVE_HABLE: return hable(x, p.a, p.b, p.c, p.d, p.e, p.f, p.g);
    case TONEMAP_CURVE_DRAGO: return drago(x, p.a, p.b, p.c, p.d);
    case TONEMAP_CURVE_EXPONENTIAL: return exponential(x, p.a);
    case TONEMAP_CURVE_LOGARITHMIC: return logarithmic(x, p.a, p.b);
    case TONEMAP_CURVE_WARD: return ward(x, p.a, p.b);
    case TONEMAP_CURVE_NARKOWICZ: return narkowicz(x);
    case TONEMAP_CURVE_LOTTES: return lottes(x, p.a, p.b, p.c, p.d, p.e);
    default: return uchimura(x, p.a, p.b, p.c, p.d, p.e, p.f);
  }
}

vec3 curved(vec3 light, tonemap_params p) {
  switch (TONEMAP_CURVE_OF(p)) {
    case TONEMAP_CURVE_HILL: return hill(light);
    case TONEMAP_CURVE_AGX: return agx(light, agx_by_degree_6, TONEMAP_LOOK_OF(p), p.power);
    case TONEMAP_CURVE_AGX_EXACT: return agx(light, agx_by_sigmoid, TONEMAP_LOOK_OF(p), p.power);
    case TONEMAP_CURVE_AGX_REC2020: return agx_of_rec2020(light, agx_by_sigmoid, TONEMAP_LOOK_OF(p), p.power);
    case TONEMAP_CURVE_AGX_FILAMENT: return agx_of_rec2020(light, agx_by_degree_7, TONEMAP_LOOK_OF(p), p.power);
    case TONEMAP_CURVE_NEUTRAL: return neutral(light);
    default: return vec3(curved(light.r, p), curved(light.g, p), curved(light.b, p));
  }
}

// Applies the curve to luminance; color follows.
vec3 recolored(vec3 light, tonemap_params p) {
  const float before = luminance_of(light), after = curved(before, p);
  if (before == 0.0) return vec3(after);
  const vec3 ratio = light / before;
  return after * (TONEMAP_CHROMA_OF(p) == TONEMAP_CHROMA_SATURATE ? pow(max(ratio, 1e-30), vec3(p.saturation)) : ratio);
}

// Mixes colors above 1 with gray of the same luminance, so that the largest channel is 1.
vec3 fitted(vec3 color) {
  const float most = max(max(color.r, color.g), color.b), gray = min(1.0, luminance_of(color));
  return most > 1.0 ? mix(vec3(gray), color, (1.0 - gray) / (most - gray)) : color;
}

// Replaces missing values by measured ones. White is limited to the range of --white, except if the curve also uses the
// average, because then only ratios matter.
tonemap_params measured(tonemap_params p) {
#if HAS_STATISTICS
  if (p.measures_average != 0) p.average = bounded(uintBitsToFloat(statistics[log_average_of(p.statistics_at)]));
  if (p.has_key != 0) p.scale = p.key / p.average;
  if (p.measures_maximum != 0) {
    const float white = bounded(uintBitsToFloat(statistics[largest_of(p.statistics_at, 0)])) * p.scale;
    p.a = p.average_is != 0 ? white : clamp(white, 1e-3, 1e6);
  }
  if (p.average_is == 1) p.a = p.average * p.scale;
  if (p.average_is == 2) p.b = p.average * p.scale;
#endif
  return p;
}

// Where alpha is 0, black stays black.
vec3 without_black(vec3 mapped, vec3 light, tonemap_params p) {
  return light == vec3(0.0) ? vec3(0.0) : max(mapped - p.of_black, 0.0);
}

vec4 tonemap(vec4 c, tonemap_params given) {
  const tonemap_params p = measured(given);
  if (TONEMAP_IS_YXY_OF(p) != 0) c = without_negatives(c);
  const bool is_nowhere = isnan(c.g) || isnan(c.b);
  const bool has_no_black = p.of_black != 0.0 && is_transparent(c.a);
  if (TONEMAP_IS_YXY_OF(p) != 0) {
    const float light = usable(c.r, p.scale), mapped = curved(light, p);
    return vec4(has_no_black ? without_black(vec3(mapped), vec3(light), p).r : mapped,
                is_nowhere ? WHITE : c.gb, c.a);
  }
  const vec3 light = vec3(usable(c.r, p.scale), usable(c.g, p.scale), usable(c.b, p.scale));
  const vec3 mapped = TONEMAP_CHROMA_OF(p) == TONEMAP_CHROMA_PER_CHANNEL ? curved(light, p) : recolored(light, p);
  const vec3 color = TONEMAP_IS_FITTED_OF(p) != 0 ? fitted(mapped) : mapped;
  return vec4(has_no_black ? without_black(color, light, p) : color, c.a);
}
