// Elements of views by their data types, which the host defines: READ_SINGLE(X, x, i) where X is
// float16 or float32, READ(X, x, i) of integers, and so on; i counts elements from the pointer.

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

// A view as parameters of a kernel, and where its elements begin.
#define VIEW(x) global uchar *x, ulong x##_at
#define BASE(x) (x + x##_at)

typedef global const uchar *Source;
typedef global uchar *Target;

// ---- Bits, as they are ----
#define type_float16 ushort
#define type_float32 uint
#define type_float64 ulong
#define type_int8 char
#define type_uint8 uchar
#define type_int16 short
#define type_uint16 ushort
#define type_int32 int
#define type_uint32 uint
#define type_int64 long
#define type_uint64 ulong
#define TYPE(X) JOIN(type_, X)
#define READ(X, from, i) (((global const TYPE(X) *)(from))[i])
#define WRITE(X, to, i, value) (((global TYPE(X) *)(to))[i] = (TYPE(X))(value))

// ---- FLOAT32 ----
static uint bits_float32(Source from, long i) { return ((global const uint *)from)[i]; }
static uint bits_float16(Source from, long i) { return widened(((global const ushort *)from)[i]); }
static void put_float32(Target to, long i, uint bits) { ((global uint *)to)[i] = bits; }
static void put_float16(Target to, long i, uint bits) { ((global ushort *)to)[i] = narrowed(bits); }
#define READ_BITS(X, from, i) JOIN(bits_, X)(from, i)
#define READ_SINGLE(X, from, i) number(READ_BITS(X, from, i))
// What was computed, quiet and rounded once more where the output is FLOAT16.
#define WRITE_SINGLE(X, to, i, value) JOIN(put_, X)(to, i, quiet(value))

// ---- FLOAT64 ----
#ifdef HAS_FLOAT64
static double double_float64(Source from, long i) { return number64(((global const ulong *)from)[i]); }
static double double_float32(Source from, long i) { return number(bits_float32(from, i)); }
static double double_float16(Source from, long i) { return number(bits_float16(from, i)); }
#define OF_INTEGER(X) \
    static double double_##X(Source from, long i) { return (double)READ(X, from, i); }
OF_INTEGER(int8)
OF_INTEGER(uint8)
OF_INTEGER(int16)
OF_INTEGER(uint16)
OF_INTEGER(int32)
OF_INTEGER(uint32)
OF_INTEGER(int64)
OF_INTEGER(uint64)
static void round_float64(Target to, long i, double x) { ((global ulong *)to)[i] = quiet64(x); }
static void round_float32(Target to, long i, double x) { ((global uint *)to)[i] = single_of(x); }
static void round_float16(Target to, long i, double x) { ((global ushort *)to)[i] = half_of(x); }
#define READ_DOUBLE(X, from, i) JOIN(double_, X)(from, i)
#define WRITE_DOUBLE(X, to, i, value) JOIN(round_, X)(to, i, value)
#endif

// ---- Floats in order ----
// Integers KEY in the order of numbers: -0 below +0, all NaNs equal, and above all numbers. Negative
// floats order backwards by their magnitudes.
#define FLOAT_KEY(KEY, bits, most, infinite)                                           \
    ((((bits) & (most)) > (infinite)) ? (KEY)(most)                                    \
                                      : (KEY)((bits) >> (8 * sizeof(KEY) - 1) ? (bits) ^ (most) : (bits)))
#define FLOAT_OF(KEY, key, most) ((key) < 0 ? (key) ^ (KEY)(most) : (key))

// ---- Where elements lie ----
// A table is the number of its axes, and for each of them, the last one first, its size and the
// strides of `arrays` arrays. Division by 64 bits is slow on most devices.
static void places_of(ulong i, global const long *table, int arrays, long *places) {
    for (int a = 0; a < arrays; ++a) places[a] = 0;
    const int axes = (int)table[0];
    table += 1;
    for (int k = 0; k < axes && i; ++k, table += 1 + arrays) {
        const ulong size = (ulong)table[0];
        const ulong rest = k == axes - 1           ? 0
                           : i >> 32 || size >> 32 ? i / size
                                                   : (uint)i / (uint)size;
        const long own = (long)(i - rest * size);
        for (int a = 0; a < arrays; ++a) places[a] += own * table[1 + a];
        i = rest;
    }
}

// The same of a table of one array.
static long place_of(ulong i, global const long *table) {
    long place;
    places_of(i, table, 1, &place);
    return place;
}
