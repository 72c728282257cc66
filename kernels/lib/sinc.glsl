// sin(pi x), to a few 2^-24: what Vulkan promises of sin() is 2^-11.
float sin_pi(float x) {
  const float whole = round(x);
  const float t = 3.14159265358979 * (x - whole);
  const float s = t * t;
  const float sine = t * (1.0 + s * (-1.6666667e-1 + s * (8.3333333e-3 + s * (-1.9841270e-4 +
                     s * (2.7557319e-6 + s * -2.5052108e-8)))));
  return (int(whole) & 1) == 0 ? sine : -sine;
}

float sinc(float x) { return x == 0.0 ? 1.0 : sin_pi(x) / (3.14159265358979 * x); }
