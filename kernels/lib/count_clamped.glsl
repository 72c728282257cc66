// Adds to the count of clamped values, without wrapping around.
void count_clamped(float count) {
  if (statistics[clamped_at] < 0x80000000u) atomicAdd(statistics[clamped_at], uint(count));
}
