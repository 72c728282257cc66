// Number of texels in a circle: table[AREAS_AT] and following, in steps of 1 / AREAS_A_TEXEL texel of radius.
float area_of(float radius) {
  const float place = float(AREAS_A_TEXEL) * radius;
  const int index = min(int(place), AREAS - 2);
  return mix(table[AREAS_AT + index], table[AREAS_AT + index + 1], place - float(index));
}
