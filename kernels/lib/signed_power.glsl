// A power of numbers of either sign, whose sign stays. What is no number stays so.
vec3 signed_power(vec3 c, float exponent) { return mix(sign(c) * pow(abs(c), vec3(exponent)), c, isnan(c)); }
