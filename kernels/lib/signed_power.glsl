// Power function that keeps the sign. NaN stays NaN.
vec3 signed_power(vec3 c, float exponent) { return mix(sign(c) * pow(abs(c), vec3(exponent)), c, isnan(c)); }
