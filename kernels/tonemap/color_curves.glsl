// Curves that need the whole color. core/ops/tonemap/color_curves.cpp has their sources.
#include "generated/color_constants.glsl"

vec3 hill(vec3 light) {
  const mat3 into = mat3(0.59719, 0.35458, 0.04823, 0.07600, 0.90834, 0.01566, 0.02840, 0.13383, 0.83777);
  const mat3 back = mat3(1.60475, -0.53108, -0.07367, -0.10208, 1.10813, -0.00605, -0.00327, -0.07276, 1.07602);
  const vec3 v = light * into;  // the matrix is stored row by row
  return clamp((v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081) * back, 0.0, 1.0);
}

vec3 neutral(vec3 light) {
  const float least = min(min(light.r, light.g), light.b);
  const vec3 lifted = light - (least < 0.08 ? least - 6.25 * least * least : 0.04);
  const float peak = max(max(lifted.r, lifted.g), lifted.b);
  const float new_peak = 1.0 - 0.0576 / (max(peak, 0.76) - 0.52);
  const float gray = 1.0 - 1.0 / (0.15 * (max(peak, 0.76) - new_peak) + 1.0);
  return peak < 0.76 ? lifted : mix(lifted * (new_peak / peak), vec3(new_peak), gray);
}

// --- AgX

// In powers of x - 0.5, with errors of 2e-7: in those of x, as they are published, terms are up to 40 and 127 and cancel.
vec3 agx_degree_6(vec3 x) {
  const vec3 t = x - 0.5;
  return (((((15.5 * t + 6.36) * t - 10.265) * t - 4.548) * t + 2.42405) * t + 1.7404) * t + 0.2914925;
}

vec3 agx_degree_7(vec3 x) {
  const vec3 t = x - 0.5;
  return ((((((-17.86 * t + 15.5) * t + 13.565) * t - 10.29) * t - 5.39375) * t + 2.40975) * t + 1.7588875) * t +
         0.290957;
}

float agx_sigmoid(float x) {
  const float pivot = 20.0 / 33.0, off = abs(x - pivot);
  const float root = x <= pivot ? pow(1.0 + 59.507875 * off * off * off, -1.0 / 3.0)
                                : pow(1.0 + 69.86278913545539 * pow(off, 3.25), -4.0 / 13.0);
  return x <= 0.0 ? 0.0 : 0.5 + 2.0 * (x - pivot) * root;
}

// A look: slope, power, saturation. As published, the luminance is that before the power, unlike in ASC CDL.
vec3 agx_look(vec3 v, int look) {
  if (look == TONEMAP_LOOK_NONE) return v;
  const vec3 slope = look == TONEMAP_LOOK_PUNCHY ? vec3(1.0) : vec3(1.0, 0.9, 0.5);
  const vec3 powered = pow(max(v, 0.0) * slope, vec3(look == TONEMAP_LOOK_PUNCHY ? 1.35 : 0.8));
  return mix(vec3(dot(v, vec3(0.2126, 0.7152, 0.0722))), powered, look == TONEMAP_LOOK_PUNCHY ? 1.4 : 1.3);
}

const int agx_by_degree_6 = 0, agx_by_degree_7 = 1, agx_by_sigmoid = 2;

vec3 agx_by(vec3 light, mat3 into, mat3 back, int curve, int look, float power) {
  const vec3 stops = log2(max(light * into, 1e-10));
  const vec3 x = clamp((stops + 12.47393) / (4.026069 + 12.47393), 0.0, 1.0);
  const vec3 y = curve == agx_by_degree_6   ? agx_degree_6(x)
                 : curve == agx_by_degree_7 ? agx_degree_7(x)
                                            : vec3(agx_sigmoid(x.r), agx_sigmoid(x.g), agx_sigmoid(x.b));
  return pow(max(agx_look(y, look) * back, 0.0), vec3(power));
}

vec3 agx(vec3 light, int curve, int look, float power) {
  const mat3 into = mat3(0.842479062253094, 0.0784335999999992, 0.0792237451477643, 0.0423282422610123,
                         0.878468636469772, 0.0791661274605434, 0.0423756549057051, 0.0784336, 0.879142973793104);
  const mat3 back = mat3(1.19687900512017, -0.0980208811401368, -0.0990297440797205, -0.0528968517574562,
                         1.15190312990417, -0.0989611768448433, -0.0529716355144438, -0.0980434501171241,
                         1.15107367264116);
  return agx_by(light, into, back, curve, look, power);
}

vec3 agx_of_rec2020(vec3 light, int curve, int look, float power) {
  const mat3 into = mat3(0.856627153315983, 0.0951212405381588, 0.0482516061458583, 0.137318972929847,
                         0.761241990602591, 0.101439036467562, 0.11189821299995, 0.0767994186031903, 0.811302368396859);
  const mat3 back = mat3(1.1271005818144368, -0.11060664309660323, -0.016493938717834573, -0.1413297634984383,
                         1.157823702216272, -0.016493938717834257, -0.14132976349843826, -0.11060664309660294,
                         1.2519364065950405);
  return agx_by(light * REC2020_OF_REC709, into, back, curve, look, power) * REC709_OF_REC2020;
}
