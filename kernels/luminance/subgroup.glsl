// Reduces the values of a subgroup; every thread gets the result.
#if SUBGROUPS
float reduced_in_subgroup(float number) {
#if MEASURE == MEASURE_MEAN || MEASURE == MEASURE_COUNT
  return subgroupAdd(number);
#else
#if MEASURE == MEASURE_MINIMUM
  const float extreme = subgroupMin(number);
#else
  const float extreme = subgroupMax(number);
#endif
  // devices may ignore NaN in minimum and maximum
  return subgroupAny(isnan(number)) ? uintBitsToFloat(0x7fc00000u) : extreme;
#endif
}
#endif
