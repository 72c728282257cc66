// The numbers of a workgroup's THREADS, a power of two, reduced: thread 0 has the result. Every step has its barrier,
// in the last 64 threads too: no device has to run them in step.
//
// EXCHANGE, after the document: interleaved addresses, sequential ones, or the same unrolled; or by subgroups, then
// of one number a subgroup.
#include "luminance/subgroup.glsl"

shared float numbers[THREADS];

#if EXCHANGE == EXCHANGE_BY_SUBGROUPS
float reduced_in_group(float number, int thread) {
  number = reduced_in_subgroup(number);
  barrier();  // earlier values have been read
  if (subgroupElect()) numbers[gl_SubgroupID] = number;
  barrier();
  number = neutral;
  for (uint first = 0; first < gl_NumSubgroups; first += gl_SubgroupSize) {
    const uint index = first + gl_SubgroupInvocationID;
    if (index < gl_NumSubgroups) number = combined(number, numbers[index]);
  }
  return reduced_in_subgroup(number);
}

#else

float reduced_in_group(float number, int thread) {
  numbers[thread] = number;
  barrier();
#if EXCHANGE == EXCHANGE_INTERLEAVED
  for (int step = 1; step < THREADS; step *= 2) {
    const int index = 2 * step * thread;
    if (index < THREADS) numbers[index] = combined(numbers[index], numbers[index + step]);
    barrier();
  }
#elif EXCHANGE == EXCHANGE_SEQUENTIAL
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (thread < step) numbers[thread] = combined(numbers[thread], numbers[thread + step]);
    barrier();
  }
#else
#define HALVE(step) \
  if (THREADS > step) { \
    if (thread < step) numbers[thread] = combined(numbers[thread], numbers[thread + step]); \
    barrier(); \
  }
  HALVE(128)
  HALVE(64)
  HALVE(32)
  HALVE(16)
  HALVE(8)
  HALVE(4)
  HALVE(2)
  HALVE(1)
#endif
  return numbers[0];
}
#endif
