// Integers with a scale for each block of elements. Of each axis, the last one first, `axes` has its
// size, the size of a block, and the strides of x, y, scale and zero point.

kernel void dequantize_blocks(VIEW(x), VIEW(scale), VIEW(zero), VIEW(y), global const long *axes,
                              int rank, ulong count) {
    ulong rest = get_global_id(0);
    if (rest >= count) return;
    long at[4] = {0, 0, 0, 0};
    for (int k = 0; k < rank; ++k, axes += 6) {
        const long own = (long)(rest % (ulong)axes[0]), block = own / axes[1];
        rest /= (ulong)axes[0];
        at[0] += own * axes[2];
        at[1] += own * axes[3];
        at[2] += block * axes[4];
        at[3] += block * axes[5];
    }
    // Both are of 8 bits: the difference is a FLOAT32.
    const int difference = (int)READ(X, BASE(x), at[0]) - (zero ? (int)READ(X, BASE(zero), at[3]) : 0);
    WRITE_SINGLE(Y, BASE(y), at[1], (float)difference * READ_SINGLE(SCALE, BASE(scale), at[2]));
}
