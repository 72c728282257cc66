// The numbers of a subgroup, reduced: every thread has the result.
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
  // devices may leave out what is no number
  return subgroupAny(isnan(number)) ? uintBitsToFloat(0x7fc00000u) : extreme;
#endif
}
#endif
