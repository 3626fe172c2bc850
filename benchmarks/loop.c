/* What one writes without thinking: a sequence, one element after the other, by addition. */
#include <stddef.h>

#define LOOP(type)                                                          \
    void loop_##type(void *out, size_t count, double start, double delta) { \
        type *elements = out;                                               \
        type value = (type)start;                                           \
        size_t k;                                                           \
        for (k = 0; k < count; ++k) {                                       \
            elements[k] = value;                                            \
            value = (type)(value + (type)delta);                            \
        }                                                                   \
    }

typedef unsigned char bits8;
typedef unsigned short bits16;
typedef unsigned int bits32;
typedef unsigned long long bits64;

LOOP(float)
LOOP(double)
LOOP(bits8)
LOOP(bits16)
LOOP(bits32)
LOOP(bits64)
