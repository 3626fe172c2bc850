"""Products and convolutions as their definitions say, one product after the other, in NumPy."""

import itertools

import numpy as np

CHAIN = 256


def fma(a, b, c):
    """Return a * b + c of FLOAT32, rounded once, without the instruction.

    The product is exact in FLOAT64. The sum is rounded to odd, so that the second rounding is that
    of the exact sum.
    """
    a, b, c = (np.asarray(x, np.float64) for x in (a, b, c))
    product = a * b
    total = product + c
    part = total - product
    lost = (product - (total - part)) + (c - part)
    bits = total.view(np.int64)
    moves = ((lost < 0) | (lost > 0)) & (bits & 1 == 0)
    outwards = (lost < 0) == (bits < 0)
    odd = bits + np.where(moves, np.where(outwards, 1, -1), 0)
    return odd.view(np.float64).astype(np.float32)


def canonical(x):
    """Return FLOAT32 with every NaN the positive quiet one without payload."""
    return np.where(np.isnan(x), np.uint32(0x7FC00000).view(np.float32), x)


def chained(products, sizes):
    """Return the total of chains of 256.

    `products` are the operands of each k, in order: two arrays that repeat to `sizes`, and, where
    not all positions have this k, a third that says which do.
    """
    total, chain = None, np.zeros(sizes, np.float32)
    for count, (left, right, *where) in enumerate(products):
        if count and count % CHAIN == 0:
            total = chain if total is None else total + chain
            chain = np.zeros(sizes, np.float32)
        longer = fma(np.broadcast_to(left, sizes), np.broadcast_to(right, sizes), chain)
        chain = np.where(where[0], longer, chain) if where else longer
    return chain if total is None else total + chain


def contract(a, b):
    """Return the product of matrices."""
    a, b = a.astype(np.float32), b.astype(np.float32)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    products = ((a[..., :, k, None], b[..., None, k, :]) for k in range(a.shape[-1]))
    with np.errstate(all="ignore"):
        return canonical(chained(products, (*batch, a.shape[-2], b.shape[-1])))


def contract_integer(a, b, a_zero, b_zero):
    """Return the product of matrices of integers less their zero points."""
    left = a.astype(np.int64) - np.reshape(a_zero, (-1, 1))
    right = b.astype(np.int64) - np.reshape(b_zero, (1, -1))
    return (left @ right).astype(np.int32)


def convolve(x, w, bias, out_sizes, options):
    """Return a convolution; `options` are those of the function, complete."""
    x, w = x.astype(np.float32), w.astype(np.float32)
    out = np.empty(out_sizes, np.float32)
    with np.errstate(all="ignore"):
        for group in range(options["group_count"]):
            products, filters = _products(x, w, out_sizes, options, group)
            total = chained(products, (x.shape[0], filters.stop - filters.start, *out_sizes[2:]))
            if bias is not None:
                shape = (1, -1, *[1] * (x.ndim - 2))
                total = total + bias.astype(np.float32)[filters].reshape(shape)
            out[:, filters] = canonical(total)
    return out


def convolve_integer(x, w, x_zero, w_zero, out_sizes, options):
    """Return a convolution of integers less their zero points."""
    x = x.astype(np.int64) - x_zero
    w = w.astype(np.int64) - np.reshape(w_zero, (-1, *[1] * (w.ndim - 1)))
    out = np.empty(out_sizes, np.int64)
    for group in range(options["group_count"]):
        products, filters = _products(x, w, out_sizes, options, group)
        out[:, filters] = sum(left * right for left, right, _ in products)
    return out.astype(np.int32)


def _products(x, w, out_sizes, options, group):
    """Return the operands of each k for all positions of a group's output, and its filters."""
    backward = options["direction"] == "backward"
    channels = x.shape[1] // options["group_count"]
    filter_count = out_sizes[1] // options["group_count"]
    inputs = slice(group * channels, (group + 1) * channels)
    filters = slice(group * filter_count, (group + 1) * filter_count)
    taps = w.shape[2:]

    def positions(axis, tap):
        """Return which input position each output position reads, and where there is none."""
        at = np.arange(out_sizes[2 + axis])
        if options["mode"] == "convolution":
            tap = taps[axis] - 1 - tap
        reach = tap * options["dilations"][axis]
        if backward:
            moved = at + options["start_padding"][axis] - reach
            stride = options["strides"][axis]
            return moved // stride, moved % stride == 0
        moved = at * options["strides"][axis] + reach - options["start_padding"][axis]
        return moved, np.ones(len(at), bool)

    def operands():
        for channel, *tap in itertools.product(range(channels), *map(range, taps)):
            read = x[:, inputs][:, channel]
            there = np.ones((), bool)
            for axis, number in enumerate(tap):
                at, exists = positions(axis, number)
                inside = (at >= 0) & (at < x.shape[2 + axis])
                read = np.take(read, np.where(inside, at, 0), axis + 1)
                shape = [1] * len(tap)
                shape[axis] = -1
                read = np.where(inside.reshape(shape), read, x.dtype.type(0))
                there = there & exists.reshape(shape)
            weights = w[inputs, :][(channel, slice(None), *tap)] if backward else None
            if weights is None:
                weights = w[filters][(slice(None), channel, *tap)]
            weights = weights.reshape(1, -1, *[1] * len(tap))
            yield np.where(there, read, x.dtype.type(0))[:, None], weights, there

    return operands(), filters
