// The plane dot(a, I) + b that is nearest to one channel of the picture in a window, from means over the window.
#include "lib/each_texel.glsl"

// Solves M x = v by M = L D L^T. M is a covariance plus `least` on its diagonal, so that no pivot is smaller.
vec3 solved(vec3 diagonal, float rg, float rb, float gb, vec3 v, float least) {
  const float d0 = max(diagonal.r, least), l10 = rg / d0, l20 = rb / d0;
  const float d1 = max(diagonal.g - l10 * rg, least), l21 = (gb - l20 * rg) / d1;
  const float d2 = max(diagonal.b - l20 * rb - l21 * l21 * d1, least);
  const float y1 = v.g - l10 * v.r, y2 = v.b - l20 * v.r - l21 * y1;
  const float x2 = y2 / d2, x1 = y1 / d1 - l21 * x2;
  return vec3(v.r / d0 - l10 * x1 - l20 * x2, x1, x2);
}

void make(ivec2 at) {
  const vec4 sums = load(at);
  if (sums.a < least_sum) {  // all texels of the window are left out
    store(at, vec4(0.0));
    return;
  }
  const float share = 1.0 / sums.a;
  const vec3 mean = share * sums.rgb;
  const vec4 products = share * load_second(at);  // rr, gg, bb, rg
  const vec2 more_products = share * load_more0(at).rg;  // rb, gb
#if HAS_GUIDE
  const vec4 color = share * load_more1(at);
#else
  const vec4 color = CHANNEL == 0   ? vec4(products.ra, more_products.r, mean.r)
                     : CHANNEL == 1 ? vec4(products.ag, more_products.g, mean.g)
                                    : vec4(more_products, products.b, mean.b);
#endif
  const float least = max(epsilon, least_contrast * (products.r + products.g + products.b));
  const vec3 a = solved(products.rgb - mean * mean + least, products.a - mean.r * mean.g,
                        more_products.r - mean.r * mean.b, more_products.g - mean.g * mean.b,
                        color.rgb - mean * color.a, least);
  store(at, vec4(a, color.a - dot(a, mean)));
}
