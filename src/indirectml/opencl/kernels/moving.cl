// Elements that are only moved. T is unsigned, as wide as an element; I is the type of indices; places
// of elements are INDEX, along RANK axes. `axes` has their sizes, then the strides of each array.

kernel void copy_bytes(global const uchar *from, ulong from_at, global uchar *to, ulong to_at, ulong count) {
  const ulong i = get_global_id(0);
  if (i < count) to[to_at + i] = from[from_at + i];
}

#ifdef T
kernel void copy_elements(global const uchar *from, ulong from_at, global uchar *to, ulong to_at,
                          global const long *axes, ulong count) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  INDEX rest = (INDEX)i, source = 0, target = 0;
  for (int k = RANK - 1; k >= 0; --k) {
    const INDEX size = (INDEX)axes[k], at = k ? rest % size : rest;
    rest = k ? rest / size : 0;
    source += at * (INDEX)axes[RANK + k];
    target += at * (INDEX)axes[2 * RANK + k];
  }
  HERE(T, to, to_at)[target] = THERE(T, from, from_at)[source];
}
#endif

#ifdef I
// From 0 on; negative ones count from the end. What lies outside stays there.
long position(I index, long size) {
  if (sizeof(I) == 8 && (I)-1 > 0 && (ulong)index > LONG_MAX) return size;
  const long at = (long)index;
  return below(at, 0) ? at + size : at;
}

// `parts` has, for each of the PARTS indices of an element, the size and the stride of what it is along;
// they are `step` apart.
kernel void gather(global const uchar *from, ulong from_at, global const uchar *indices, ulong indices_at,
                   global uchar *to, ulong to_at, global const long *axes, global const long *parts, long step,
                   ulong count) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  INDEX rest = (INDEX)i, source = 0, said = 0, target = 0;
  for (int k = RANK - 1; k >= 0; --k) {
    const INDEX size = (INDEX)axes[k], at = k ? rest % size : rest;
    rest = k ? rest / size : 0;
    source += at * (INDEX)axes[RANK + k];
    said += at * (INDEX)axes[2 * RANK + k];
    target += at * (INDEX)axes[3 * RANK + k];
  }
  for (int k = 0; k < PARTS; ++k) {
    const long size = parts[2 * k], at = position(THERE(I, indices, indices_at)[said + k * (INDEX)step], size);
    source += (INDEX)within(at, 0, size - 1) * (INDEX)parts[2 * k + 1];
  }
  HERE(T, to, to_at)[target] = THERE(T, from, from_at)[source];
}

// Where an update goes: its place in `to`, and its number there in row-major order; false if outside.
// `parts` has a third column for this: the packed stride; `axes` a last row of these.
bool target_of(ulong i, global const uchar *indices, ulong indices_at, global const long *axes,
               global const long *parts, long step, INDEX *update, INDEX *place, INDEX *slot) {
  INDEX rest = (INDEX)i, said = 0;
  *update = *place = *slot = 0;
  for (int k = RANK - 1; k >= 0; --k) {
    const INDEX size = (INDEX)axes[k], at = k ? rest % size : rest;
    rest = k ? rest / size : 0;
    *update += at * (INDEX)axes[RANK + k];
    said += at * (INDEX)axes[2 * RANK + k];
    *place += at * (INDEX)axes[3 * RANK + k];
    *slot += at * (INDEX)axes[4 * RANK + k];
  }
  for (int k = 0; k < PARTS; ++k) {
    const long size = parts[3 * k], at = position(THERE(I, indices, indices_at)[said + k * (INDEX)step], size);
    if (below(at, 0) || !below(at, size)) return false;
    *place += (INDEX)at * (INDEX)parts[3 * k + 1];
    *slot += (INDEX)at * (INDEX)parts[3 * k + 2];
  }
  return true;
}

kernel void nobody(global uint *last, ulong count) {
  const ulong i = get_global_id(0);
  if (i < count) last[i] = 0;
}

// Of several updates of one place the last one is written, whichever comes first.
kernel void claim(global const uchar *indices, ulong indices_at, global const long *axes, global const long *parts,
                  long step, global uint *last, ulong count) {
  const ulong i = get_global_id(0);
  INDEX update, place, slot;
  if (i < count && target_of(i, indices, indices_at, axes, parts, step, &update, &place, &slot))
    atomic_max(last + slot, (uint)i + 1);
}

kernel void scatter(global const uchar *indices, ulong indices_at, global const uchar *updates, ulong updates_at,
                    global uchar *to, ulong to_at, global const long *axes, global const long *parts, long step,
                    global const uint *last, ulong count) {
  const ulong i = get_global_id(0);
  INDEX update, place, slot;
  if (i < count && target_of(i, indices, indices_at, axes, parts, step, &update, &place, &slot) &&
      last[slot] == (uint)i + 1)
    HERE(T, to, to_at)[place] = THERE(T, updates, updates_at)[update];
}
#endif
