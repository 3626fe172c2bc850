"""Golden vectors of the words of docs/arithmetic.md, as JSON for any language.

    python -m tests.make_word_vectors            writes tests/vectors/words/*.json anew
    python -m tests.make_word_vectors --check    says which of them would be written otherwise

Every expected bit comes from the loops of tests/arithmetic, which use nothing of this package.
"""

import argparse
import hashlib
import itertools
import json
import sys
from pathlib import Path

import numpy as np

from tests.arithmetic.word_references import REFERENCES

FOLDER = Path(__file__).parent / "vectors" / "words"
FORMAT = "indirectml-word-vectors/1"
#: Elements of an output that stand in a file; the digest is of all.
SHOWN = 8

# ---- Inputs by recipe ----------------------------------------------------------------------------

#: Bits of a sign, an exponent field and a fraction.
FORMATS = {"FLOAT16": (5, 10), "FLOAT32": (8, 23), "FLOAT64": (11, 52)}
DTYPES = {
    name: np.dtype(name.lower())
    for name in (*FORMATS, *(f"{u}INT{b}" for u in ("", "U") for b in (8, 16, 32, 64)))
}
RECIPE = (
    "Elements are numbered i = 0, 1, ... in row-major order, and z(i) is 64 bits, all arithmetic "
    "modulo 2^64: z = (seed * 2^32 + i + 1) * 0x9E3779B97F4A7C15; z ^= z >> 30; z *= "
    "0xBF58476D1CE4E5B9; z ^= z >> 27; z *= 0x94D049BB133111EB; z ^= z >> 31. "
    "Integers, and floats of kind any: the lowest bits of z, as a bit pattern. Floats of kind "
    "near: the sign is bit 63 of z, the exponent field that of 1 less 4 plus bits 60 to 62, the "
    "fraction the lowest bits. Kind special: near, but where bits 32 to 34 of z are 0, what bits "
    "36 to 38 choose of +0, -0, +infinity, -infinity, a negative NaN with payload 1, the smallest "
    "subnormal, the largest number, the negative of the largest subnormal."
)


def mixed(seed, count):
    """Return z(0), z(1), ... of the recipe."""
    z = (np.uint64(seed << 32) + np.arange(1, count + 1, dtype=np.uint64)) * np.uint64(
        0x9E3779B97F4A7C15
    )
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
    return z


def made(tensor):
    """Return the array that an input of a case describes."""
    dtype = DTYPES[tensor["data_type"]]
    pattern = np.dtype(f"u{dtype.itemsize}")
    z = mixed(tensor["seed"], int(np.prod(tensor["sizes"], dtype=int)))
    kind = tensor.get("kind", "any")
    if kind == "any":
        return z.astype(pattern).view(dtype).reshape(tensor["sizes"])
    exponent_bits, fraction_bits = FORMATS[tensor["data_type"]]
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    sign = 1 << (exponent_bits + fraction_bits)
    exponent = (z >> np.uint64(60) & np.uint64(7)) + np.uint64((1 << (exponent_bits - 1)) - 1 - 4)
    bits = (z >> np.uint64(63)) * np.uint64(sign)
    bits |= exponent << np.uint64(fraction_bits) | z & np.uint64((1 << fraction_bits) - 1)
    if kind == "special":
        quiet = infinity | 1 << (fraction_bits - 1)
        subnormal = (1 << fraction_bits) - 1
        specials = [0, sign, infinity, sign | infinity, sign | quiet | 1, 1, infinity - 1]
        specials = np.array([*specials, sign | subnormal], np.uint64)
        chosen = specials[z >> np.uint64(36) & np.uint64(7)]
        bits = np.where(z >> np.uint64(32) & np.uint64(7) == 0, chosen, bits)
    return bits.astype(pattern).view(dtype).reshape(tensor["sizes"])


# ---- Cases ---------------------------------------------------------------------------------------


class Cases:
    """The cases of a file, in order, each with inputs of seeds of their own."""

    def __init__(self):
        self.found = []
        self.seeds = itertools.count(1)

    def tensor(self, data_type, sizes, kind=None):
        """Describe an input."""
        floats = data_type in FORMATS
        kind = {"kind": kind or "near"} if floats else {}
        return {"data_type": data_type, "sizes": list(sizes), "seed": next(self.seeds), **kind}

    def add(self, word, *inputs, **arguments):
        """Add a case: data types, sizes and kinds of its inputs, or None, and its arguments."""
        tensors = [None if given is None else self.tensor(*given) for given in inputs]
        self.found.append({"word": word, "inputs": tensors, "arguments": arguments})


#: Kinds of numbers that most words are tried with.
NEAR_AND_SPECIAL = ("near", "special")
ONE = (
    "exp", "expm1", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
    "asinh", "acosh", "atanh", "erf", "sigmoid", "softplus", "gelu", "sqrt", "rsqrt", "recip",
)  # fmt: skip


def functions(cases):
    for word, data_type in itertools.product((*ONE, "pow", "atan2"), ("FLOAT32", "FLOAT16")):
        for kind in ("near", "special", "any"):
            operands = 1 if word in ONE else 2
            cases.add(word, *[("FLOAT32", [200], kind)] * operands, data_type=data_type)


GEOMETRIES = [
    ((1, 3, 9), (4, 3, 3), {}),
    ((2, 4, 7, 6), (6, 2, 3, 2), {"strides": [2, 1], "start_padding": [1, 0],
                                  "end_padding": [1, 2], "group_count": 2}),
    ((1, 40, 5, 5), (3, 40, 3, 3), {"dilations": [2, 1], "start_padding": [2, 1],
                                    "end_padding": [2, 1], "mode": "convolution"}),
    ((1, 3, 4, 5), (3, 2, 3, 3), {"direction": "backward", "strides": [2, 3],
                                  "start_padding": [1, 0], "output_padding": [1, 2]}),
]  # fmt: skip


def contraction(cases):
    shapes = [((3, 5), (5, 4)), ((2, 3, 256), (256, 2)), ((5, 700), (2, 700, 3))]
    shapes.append(((1, 1030), (1030, 1)))
    for (a, b), kind in itertools.product(shapes, NEAR_AND_SPECIAL):
        cases.add("contract", ("FLOAT32", a, kind), ("FLOAT32", b, kind))
        cases.add("contract", ("FLOAT16", a, kind), ("FLOAT32", b, kind))
    for (a, b), types in itertools.product(shapes, [("INT8", "INT8"), ("UINT8", "INT8")]):
        cases.add("contract_integer", (types[0], a), (types[1], b), a_zero_point=3, b_zero_point=-5)
    for (x, w, options), kind in itertools.product(GEOMETRIES, NEAR_AND_SPECIAL):
        filters = w[1] if "direction" in options else w[0]
        for bias in (None, ("FLOAT32", [filters], kind)):
            cases.add("convolve", ("FLOAT32", x, kind), ("FLOAT32", w, kind), bias, **options)
    for x, w, options in GEOMETRIES[:2]:
        zeros = {"x_zero_point": 7, "w_zero_point": -2}
        cases.add("convolve_integer", ("UINT8", x), ("INT8", w), **zeros, **options)


#: Sizes and axes of sums.
GROUPS = [((3, 40), [1]), ((37, 5), [0]), ((3, 4, 5, 7), [0, 2]), ((2, 3, 300), [1, 2]),
          ((3, 1), [1])]  # fmt: skip
#: Of more than a block of 4,096 elements.
LONG_GROUPS = [((2, 4097), [1]), ((8200, 2), [0])]
SUMS = ("sum16", "sum16_of_squares", "sum16_of_magnitudes", "product64", "mean", "l2", "moments")
ORDERED = ("largest", "smallest", "index_of_largest", "index_of_smallest")


def sums(cases):
    for word, (sizes, axes), kind in itertools.product(SUMS, GROUPS, NEAR_AND_SPECIAL):
        for data_type in ("FLOAT16", "FLOAT32", "FLOAT64"):
            cases.add(word, (data_type, sizes, kind), axes=axes)
    for word, (sizes, axes) in itertools.product(("log_sum", "log_sum_exp"), GROUPS):
        for kind in NEAR_AND_SPECIAL:
            cases.add(word, ("FLOAT32", sizes, kind), axes=axes)
    for word, (sizes, axes) in itertools.product(ORDERED, GROUPS):
        for data_type, kind in (("FLOAT32", "special"), ("FLOAT16", "special"), ("INT8", None)):
            cases.add(word, (data_type, sizes, kind), axes=axes)
    wrapped = ("wrapped_sum", "wrapped_product")
    for word, data_type in itertools.product(wrapped, ("INT8", "UINT32")):
        cases.add(word, (data_type, [3, 40]), axes=[1])
    for word, (sizes, axes) in itertools.product(SUMS, LONG_GROUPS):
        cases.add(word, ("FLOAT32", sizes), axes=axes)


def normalization(cases):
    words = ("softmax", "log_softmax", "hardmax")
    for word, (sizes, axes), kind in itertools.product(words, GROUPS, NEAR_AND_SPECIAL):
        cases.add(word, ("FLOAT32", sizes, kind), axes=axes)
    for (sizes, axes), kind, use_mean in itertools.product(GROUPS, NEAR_AND_SPECIAL, (True, False)):
        cases.add("normalize_by_moments", ("FLOAT32", sizes, kind), axes=axes, epsilon=2**-16,
                  use_mean=use_mean)  # fmt: skip
    for (sizes, axes), order in itertools.product(GROUPS, (1, 2)):
        cases.add("normalize_by_norm", ("FLOAT32", sizes), axes=axes, order=order, epsilon=2**-10)
    for sizes, axes in LONG_GROUPS:
        for word in ("softmax", "log_softmax"):
            cases.add(word, ("FLOAT32", sizes), axes=axes)
        cases.add("normalize_by_moments", ("FLOAT32", sizes), axes=axes, epsilon=2**-16,
                  use_mean=True)  # fmt: skip


#: Sizes, and windows: sizes, strides, dilations, padding in front and behind.
WINDOWS = [
    ((2, 2, 7), ([3], [2], [1], [1], [1])),
    ((1, 2, 6, 5), ([2, 3], [1, 2], [2, 1], [1, 0], [0, 2])),
    ((2, 1, 4, 3, 5), ([2, 1, 2], [2, 1, 3], [1, 1, 2], [0, 1, 1], [1, 0, 2])),
]
WINDOW_FIELDS = ("window_sizes", "strides", "dilations", "start_padding", "end_padding")


def counts_of(sizes, window):
    """Return how many windows there are along each axis."""
    axes = zip(sizes[-len(window[0]) :], *window, strict=True)
    return [(n + a + b - (w - 1) * d - 1) // s + 1 for n, w, s, d, a, b in axes]


def windows(cases):
    for (sizes, window), kind in itertools.product(WINDOWS, NEAR_AND_SPECIAL):
        fields = dict(zip(WINDOW_FIELDS, window, strict=True))
        x = ("FLOAT32", sizes, kind)
        counts = counts_of(sizes, window)
        gradient = ("FLOAT32", [*sizes[: -len(counts)], *counts], kind)
        for include in (True, False):
            cases.add("average_pool", x, **fields, include_padding=include)
            cases.add("average_pool_gradient", gradient, **fields, include_padding=include,
                      input_sizes=list(sizes))  # fmt: skip
        for order in (1, 2, 3):
            cases.add("lp_pool", x, **fields, order=order)
        cases.add("max_pool", x, **fields)
        cases.add("max_pool_gradient", x, gradient, **fields)
        cases.add("unfold", x, **fields)
        rows = sizes[1] * int(np.prod(window[0]))
        columns = ("FLOAT32", [sizes[0], rows, int(np.prod(counts))], kind)
        cases.add("fold", columns, **fields, spatial_sizes=list(sizes[2:]))


#: Input and output size, scale, input offset, output offset.
AXES = [(5, 10, 2.0, 0.5, -0.5), (7, 5, 0.75, 0.5, -0.5), (9, 3, 0.375, 0.5, -0.5),
        (4, 9, 2.25, 0.0, 0.0), (40, 3, 0.0625, 0.5, -0.5)]  # fmt: skip


def resampling(cases):
    words = ("linear", "antialiased", "nearest")
    roundings = ("down", "up", "half down", "half up")
    for word, (size, output, *rest) in itertools.product(words, AXES):
        scale, input_offset, output_offset = rest
        fields = {"axis": 1, "output_size": output, "scale": scale, "input_offset": input_offset,
                  "output_offset": output_offset}  # fmt: skip
        for kind in NEAR_AND_SPECIAL:
            for rounding in roundings if word == "nearest" else (None,):
                rounded = {"rounding": rounding} if rounding else {}
                cases.add(word, ("FLOAT32", [2, size, 3], kind), **fields, **rounded)


def scans(cases):
    both = (False, True)
    for kind, exclusive, reverse in itertools.product(("sum", "product"), both, both):
        for data_type in ("FLOAT32", "INT32", "UINT8"):
            cases.add("scan", (data_type, [3, 20]), kind=kind, axis=1, exclusive=exclusive,
                      reverse=reverse)  # fmt: skip
    for smallest, data_type in itertools.product((False, True), ("FLOAT32", "FLOAT16", "INT8")):
        cases.add("top_k", (data_type, [3, 30], "special"), axis=1, count=7, smallest=smallest)
    cases.add("nonzero_coordinates", ("FLOAT32", [3, 4, 5], "special"))


def quantization(cases):
    for low, high in ((0, 255), (-128, 127), (-8, 7)):
        for kind in NEAR_AND_SPECIAL:
            limits = {"limits": [low, high]}
            single = ("FLOAT32", [300], kind)
            cases.add("quantize", single, ("FLOAT32", [300], kind), zero_point=3, **limits)
            cases.add("dynamic_quantization", single, **limits)
            factors = [("FLOAT32", [1], kind)] * 3
            cases.add("requantize", ("INT32", [300]), *factors, zero_point=3, **limits)
    for data_type in ("INT8", "UINT8", "INT32"):
        cases.add("dequantize", (data_type, [300]), ("FLOAT32", [300], "special"), zero_point=3)


FILES = {
    "functions": (functions, "Functions"),
    "contraction": (contraction, "Contraction"),
    "sums": (sums, "Sums"),
    "normalization": (normalization, "Softmax and normalization"),
    "windows": (windows, "Pooling"),
    "resampling": (resampling, "Resampling"),
    "scans": (scans, "Scans"),
    "quantization": (quantization, "Quantization"),
}

# ---- Files ---------------------------------------------------------------------------------------


def described(array):
    """Return an output as it stands in a file."""
    packed = np.ascontiguousarray(array)
    little = packed.astype(packed.dtype.newbyteorder("<"))
    digits = 2 * packed.dtype.itemsize
    shown = packed.view(f"u{packed.dtype.itemsize}").reshape(-1)[:SHOWN].tolist()
    return {
        "data_type": packed.dtype.name.upper(),
        "sizes": list(packed.shape),
        "first": [f"0x{bits:0{digits}X}" for bits in shown],
        "sha256": hashlib.sha256(little.tobytes()).hexdigest(),
    }


def computed(case, words=REFERENCES):
    """Return the outputs of a case by the references, or by other functions of the same words."""
    inputs = [None if tensor is None else made(tensor) for tensor in case["inputs"]]
    with np.errstate(all="ignore"):
        outputs = words[case["word"]](*inputs, **case["arguments"])
    return [described(o) for o in (outputs if isinstance(outputs, tuple) else (outputs,))]


def cases_of(name):
    """Return the cases of a file without what is expected."""
    cases = Cases()
    FILES[name][0](cases)
    return cases.found


def text_of(name):
    """Return a file as it should be."""
    head = {
        "format": FORMAT,
        "definition": f"docs/arithmetic.md, {FILES[name][1]}",
        "inputs": RECIPE,
        "outputs": f"the first {SHOWN} elements as bit patterns, and SHA-256 of all elements in "
        "row-major order, each with its lowest byte first",
    }
    lines = [json.dumps({**case, "outputs": computed(case)}) for case in cases_of(name)]
    body = ",\n".join(f"  {line}" for line in lines)
    return json.dumps(head, indent=1)[:-2] + f',\n "cases": [\n{body}\n ]\n}}\n'


def main():
    """Write or compare the files; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.make_word_vectors")
    parser.add_argument("--check", action="store_true", help="write nothing, say what differs")
    options = parser.parse_args()
    differ = []
    for name in FILES:
        path, text = FOLDER / f"{name}.json", text_of(name)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            differ.append(name)
        if not options.check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if options.check and differ:
        sys.stderr.write(f"these would be written otherwise: {', '.join(differ)}\n")
    return 1 if options.check and differ else 0


if __name__ == "__main__":
    sys.exit(main())
