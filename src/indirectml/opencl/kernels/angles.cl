// Angles less quarters of a circle, by integers.

// a * 2 / pi = quadrant + fraction, |fraction| <= 1/2: words of its magnitude, the first one from
// weight 2^1 on.
typedef struct {
    int quadrant, is_negative;  // the fraction
    uint words[6];
} Reduction;

// For a FLOAT32 from 2^-2 to 2^128: Payne and Hanek (1983).
static Reduction reduction_of(uint a) {
    const int e = (int)(a >> 23) - 150;
    const ulong m = (a & 0x7FFFFFu) | 0x800000u;
    const int skipped = 62 + e;  // the table starts at weight 2^63
    Reduction r;
    ulong carry = 0;
    for (int k = 5; k >= 0; --k) {
        const int word = skipped / 32 + k, bit = skipped % 32;
        const ulong two = (ulong)kTwoOverPiBits[word] << 32 | kTwoOverPiBits[word + 1];
        carry += m * (two >> (32 - bit) & 0xFFFFFFFFul);
        r.words[k] = (uint)carry;
        carry >>= 32;
    }
    r.quadrant = (int)(r.words[0] >> 30);
    r.words[0] &= 0x3FFFFFFFu;
    r.is_negative = (int)(r.words[0] >> 29);
    if (!r.is_negative) return r;
    // To the next quadrant: 1 less the fraction.
    ++r.quadrant;
    ulong borrow = 0;
    for (int k = 5; k >= 0; --k) {
        const ulong one = k == 0 ? 1ul << 30 : 0;
        const ulong difference = one - r.words[k] - borrow;
        r.words[k] = (uint)difference;
        borrow = difference >> 63;
    }
    return r;
}
