// Elements of four bits, and Philox 4x32-10.

#ifdef RANK
// Where an element is among the halves of bytes, and among bytes; `axes` has sizes, then both strides.
void places(ulong i, global const long *axes, INDEX *half_place, INDEX *place) {
  INDEX rest = (INDEX)i;
  *half_place = *place = 0;
  for (int k = RANK - 1; k >= 0; --k) {
    const INDEX size = (INDEX)axes[k], at = k ? rest % size : rest;
    rest = k ? rest / size : 0;
    *half_place += at * (INDEX)axes[RANK + k];
    *place += at * (INDEX)axes[2 * RANK + k];
  }
}

kernel void from_halves(global const uchar *raw, ulong raw_at, global uchar *to, ulong to_at,
                        global const long *axes, int is_signed, ulong count) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  INDEX from, place;
  places(i, axes, &from, &place);
  const uint four = raw[raw_at + (from >> 1)] >> 4 * (int)(from & 1) & 15u;
  to[to_at + place] = (uchar)(is_signed && four > 7 ? four | 0xf0u : four);
}

// Two elements share a byte: those in low halves are written first, then the others.
kernel void into_halves(global const uchar *x, ulong x_at, global uchar *to, ulong to_at,
                        global const long *axes, int odd, ulong count) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  INDEX target, place;
  places(i, axes, &target, &place);
  if ((int)(target & 1) != odd) return;
  global uchar *byte = to + to_at + (target >> 1);
  *byte = (uchar)(odd ? (*byte & 15u) | (uint)x[x_at + place] << 4 : (*byte & 0xf0u) | (x[x_at + place] & 15u));
}
#endif

// Four words, the lowest first, and a number added to them modulo 2^128.
uint4 counted(global const uint *words, ulong n) {
  ulong low = (ulong)words[0] | (ulong)words[1] << 32, high = (ulong)words[2] | (ulong)words[3] << 32;
  low += n;
  high += low < n;
  return (uint4)((uint)low, (uint)(low >> 32), (uint)high, (uint)(high >> 32));
}

kernel void random_bits(global const uchar *state, ulong state_at, global uchar *to, ulong to_at, ulong count) {
  const ulong i = get_global_id(0);
  if (4 * i >= count) return;
  global const uint *words = THERE(uint, state, state_at);
  uint4 c = counted(words, i);
  uint first = words[4], second = words[5];
  for (int turn = 0; turn < 10; ++turn) {
    const ulong left = (ulong)c.x * 0xd2511f53u, right = (ulong)c.z * 0xcd9e8d57u;
    c = (uint4)((uint)(right >> 32) ^ c.y ^ first, (uint)right, (uint)(left >> 32) ^ c.w ^ second, (uint)left);
    first += 0x9e3779b9u;
    second += 0xbb67ae85u;
  }
  global uint *out = HERE(uint, to, to_at) + 4 * i;
  const uint made[4] = {c.x, c.y, c.z, c.w};
  for (int k = 0; k < 4 && 4 * i + k < count; ++k) out[k] = made[k];
}

kernel void advance(global const uchar *state, ulong state_at, global uchar *to, ulong to_at, ulong blocks) {
  global const uint *words = THERE(uint, state, state_at);
  global uint *out = HERE(uint, to, to_at);
  const uint4 c = counted(words, blocks);
  const uint first = words[4], second = words[5];
  out[0] = c.x;
  out[1] = c.y;
  out[2] = c.z;
  out[3] = c.w;
  out[4] = first;
  out[5] = second;
}
