// Sequences, segment by segment: bits that advance by a constant step, in fixed point of 64.64 bits.
// T is unsigned, as wide as an element; places of elements are INDEX, along RANK axes.

kernel void fill(global uchar *to, ulong to_at, ulong count, global const ulong *segments, uint segment_count,
                 global const long *axes) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  uint low = 0, high = segment_count;
  while (high - low > 1) {
    const uint middle = (low + high) / 2;
    if (segments[5 * middle] <= i) low = middle; else high = middle;
  }
  global const ulong *segment = segments + 5 * low;
  const ulong steps = i - segment[0];
  const ulong moved = steps * segment[4], fraction = segment[2] + moved;
  ulong bits = segment[1] + steps * segment[3] + mul_hi(steps, segment[4]) + (fraction < moved);
  const ulong half_way = 1ul << 63;
  bits += fraction > half_way || (fraction == half_way && (bits & 1));
  INDEX place = 0, rest = (INDEX)i;
  for (int k = RANK - 1; k >= 0; --k) {
    const INDEX size = (INDEX)axes[k];
    place += (k ? rest % size : rest) * (INDEX)axes[RANK + k];
    rest = k ? rest / size : 0;
  }
  HERE(T, to, to_at)[place] = (T)bits;
}
