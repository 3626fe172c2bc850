"""Arrays that words are tried with: numbers of every kind, in memory of every kind."""

import numpy as np

FLOATS = (np.float16, np.float32, np.float64)
INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)

#: Numbers with corners: ties, cancellation, subnormals, signed zeros, infinities, NaN.
KINDS = ("normal", "tiny", "huge", "zeros", "special", "infinite")

#: How an array lies in memory.
LAYOUTS = ("packed", "transposed", "reversed", "gaps", "repeated", "misaligned")


def numbers(dtype, sizes, kind="normal", seed=1):
    """Return a packed array of numbers of a kind."""
    generator = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind != "f":
        limits = np.iinfo(dtype)
        low, high = (-3, 3) if kind == "zeros" else (limits.min, limits.max)
        low = max(low, limits.min)
        return generator.integers(low, high, sizes, dtype, endpoint=True)
    largest = np.finfo(dtype).max
    x = generator.standard_normal(sizes)
    with np.errstate(all="ignore"):
        if kind == "tiny":
            return (x * float(np.finfo(dtype).tiny) * 4).astype(dtype)
        if kind == "huge":
            return (x.astype(dtype) * (largest / 8)).astype(dtype)
        if kind == "zeros":
            return generator.choice(np.array([0.0, -0.0, 1, -1, 1, -1], dtype), sizes)
        x = (x * 10.0 ** generator.integers(-3, 4, sizes)).astype(dtype)
    chosen = generator.random(sizes)
    if kind == "special":
        payload = np.array([np.nan], dtype)
        bits = payload.view(f"u{dtype.itemsize}")
        bits |= 3
        bits |= bits.dtype.type(1 << (8 * dtype.itemsize - 1))
        x = np.where(chosen < 0.02, payload, np.where(chosen < 0.3, dtype.type(-0.0), x))
    if kind in {"special", "infinite"}:
        x = np.where(chosen > 0.98, dtype.type(np.inf), x)
    return np.where(chosen < 0.01, dtype.type(-np.inf), x) if kind == "infinite" else x


def laid_out(x, layout):
    """Return a view of other memory with the elements of x, or with some of them repeated."""
    if layout == "transposed":
        return np.ascontiguousarray(x.T).T
    if layout == "reversed":
        everywhere = (slice(None, None, -1),) * x.ndim
        return np.ascontiguousarray(x[everywhere])[everywhere]
    if layout == "gaps":
        memory = np.zeros([2 * n + 1 for n in x.shape], x.dtype)
        view = memory[(slice(1, None, 2),) * x.ndim]
        view[...] = x
        return view
    if layout == "repeated":
        return np.broadcast_to(x[:1], x.shape)
    if layout == "misaligned":
        memory = np.zeros(x.nbytes + 1, np.uint8)
        view = memory[1:].view(x.dtype).reshape(x.shape)
        view[...] = x
        return view
    return x
