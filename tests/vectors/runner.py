"""Golden vectors against PyTorch: `python runner.py FILE.json ...`. Put what you test in `fill`."""

import json
import sys
from pathlib import Path

import numpy as np
import torch


def fill(start, delta, first, count, rule):
    """Return elements first .. first + count - 1, made of PyTorch's operations."""
    if rule == "accumulate" and start.dtype.is_floating_point:
        values = [start]
        while len(values) < first + count:
            values.append(values[-1] + delta)
        return torch.stack(values[first:])
    wide = torch.float64 if start.dtype.is_floating_point else torch.int64
    index = torch.arange(first, first + count, dtype=wide)
    return (start.to(wide) + index * delta.to(wide)).to(start.dtype)


def differences(path, furthest=10_000):
    """Yield the case, number, expected and actual bits of every element that differs."""
    vectors = json.loads(Path(path).read_text(encoding="ascii"))
    dtype = np.dtype(vectors["data_type"].lower())
    words = np.dtype(f"u{dtype.itemsize}")

    def tensor(pattern):
        return torch.from_numpy(np.array([int(pattern, 16)], words).view(dtype))[0]

    for case in vectors["cases"]:
        start, delta = tensor(case["start"]), tensor(case["delta"])
        for run in case["runs"]:
            first, count = int(run["first"]), len(run["elements"])
            if first > furthest:
                continue
            actual = fill(start, delta, first, count, vectors["rule"]).numpy()
            expected = np.array([int(e, 16) for e in run["elements"]], words)
            both_nan = (actual != actual) & (expected.view(dtype) != expected.view(dtype))
            for k in np.flatnonzero((actual.view(words) != expected) & ~both_nan):
                yield case["name"], first + k, expected[k], actual.view(words)[k]


if __name__ == "__main__":
    found = [(file, *what) for file in sys.argv[1:] for what in differences(file)]
    for file, case, index, expected, actual in found:
        print(f"{file}: {case}: element {index} is {actual:#x}, expected {expected:#x}")
    sys.exit(bool(found))
