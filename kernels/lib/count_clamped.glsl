// Adds to the count of clamped numbers, which stops short of wrapping around to 0.
void count_clamped(float count) {
  if (statistics[clamped_at] < 0x80000000u) atomicAdd(statistics[clamped_at], uint(count));
}
