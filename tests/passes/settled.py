"""What tests of products and convolutions that integers settle share."""

import numpy as np


def integers(random, dtype, *sizes):
    """Return any integers."""
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max + 1, sizes).astype(dtype)


def quantized(total, scale, zero, limits, dtype):
    """Return totals within limits as integers, as QuantizeLinear makes them."""
    with np.errstate(all="ignore"):
        for limit, takes in zip(limits or (), (np.maximum, np.minimum), strict=False):
            total = takes(total, np.float32(limit))
        whole = np.rint(total / scale)
        whole = np.where(np.isnan(whole), np.float32(0), whole) + np.float32(zero)
    info = np.iinfo(dtype)
    return np.clip(whole, np.float32(info.min), np.float32(info.max)).astype(dtype)


def words(loaded):
    """Return the words of a loaded model's steps, "" for programs."""
    return [str(getattr(step, "word", "")) for step in loaded.compiled.plan.steps]
