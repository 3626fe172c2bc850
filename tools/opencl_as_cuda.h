// OpenCL C as CUDA C++: what differs for products and convolutions. They are compiled so for an
// NVIDIA GPU where there is none, to count registers; nothing runs by it.

#define kernel extern "C" __global__ __launch_bounds__(GROUP_X *GROUP_Y)
#define local __shared__
#define __local

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef ulong uintptr_t;
#define INT_MIN (-2147483647 - 1)

#define CLK_LOCAL_MEM_FENCE
#define barrier(fence) __syncthreads()
#define OF_AXIS(k, of) ((k) == 0 ? (of).x : (k) == 1 ? (of).y : (of).z)
#define get_local_id(k) OF_AXIS(k, threadIdx)
#define get_group_id(k) OF_AXIS(k, blockIdx)
#define get_global_id(k) (OF_AXIS(k, blockIdx) * OF_AXIS(k, blockDim) + OF_AXIS(k, threadIdx))

#define as_float(x) __uint_as_float(x)
#define as_uint(x) __float_as_uint(x)
#define as_ulong(x) ((ulong)__double_as_longlong(x))
#define as_double(x) __longlong_as_double((long long)(x))
#define convert_float_rte(x) ((float)(x))
#define convert_float_rtz(x) __double2float_rz(x)
inline int clz(uint x) { return __clz((int)x); }
inline int clz(int x) { return __clz(x); }
inline int clz(ulong x) { return __clzll((long long)x); }

// Vectors by their elements, which is what a GPU makes of them.
template <typename T, int kSize>
struct alignas(sizeof(T) * kSize) Vector {
    T of[kSize];
    Vector() = default;
    explicit Vector(T value) {
        for (int k = 0; k < kSize; ++k) of[k] = value;
    }
};
#define OF_VECTORS(NAME, RESULT)                                                           \
    template <typename T, int kSize>                                                       \
    inline Vector<T, kSize> NAME(Vector<T, kSize> a, Vector<T, kSize> b) {                 \
        Vector<T, kSize> r;                                                                \
        for (int k = 0; k < kSize; ++k) r.of[k] = RESULT;                                  \
        return r;                                                                          \
    }
OF_VECTORS(operator+, a.of[k] + b.of[k])
OF_VECTORS(operator*, a.of[k] * b.of[k])
template <int kSize>
inline Vector<float, kSize> fma(Vector<float, kSize> a, Vector<float, kSize> b,
                                Vector<float, kSize> c) {
    Vector<float, kSize> r;
    for (int k = 0; k < kSize; ++k) r.of[k] = __fmaf_rn(a.of[k], b.of[k], c.of[k]);
    return r;
}
template <int kSize, typename T>
inline Vector<T, kSize> loaded(int place, const T *from) {
    Vector<T, kSize> r;
    for (int k = 0; k < kSize; ++k) r.of[k] = from[place * kSize + k];
    return r;
}
template <typename T, int kSize>
inline Vector<int, kSize> as_ints(Vector<T, kSize> v) {
    Vector<int, kSize> r;
    for (int k = 0; k < kSize; ++k) r.of[k] = v.of[k];
    return r;
}
template <int kSize, typename T>
inline void stored(Vector<T, kSize> v, int place, T *to) {
    for (int k = 0; k < kSize; ++k) to[place * kSize + k] = v.of[k];
}
#define float2 Vector<float, 2>
#define float4 Vector<float, 4>
#define int2 Vector<int, 2>
#define int4 Vector<int, 4>
#define char2 Vector<char, 2>
#define char4 Vector<char, 4>
#define uchar2 Vector<uchar, 2>
#define uchar4 Vector<uchar, 4>
#define vload2(place, from) loaded<2>(place, from)
#define vload4(place, from) loaded<4>(place, from)
#define convert_int2(v) as_ints(v)
#define convert_int4(v) as_ints(v)
#define vstore2 stored<2>
#define vstore4 stored<4>
