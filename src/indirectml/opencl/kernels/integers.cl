// Elements of four bits.

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
