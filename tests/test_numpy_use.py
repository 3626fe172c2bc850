"""Which functions of NumPy the package may call: those that move elements, and exact ones."""

import ast
import functools
from pathlib import Path

import numpy as np

import indirectml
from tests.syntax import nodes_of

PACKAGE = Path(indirectml.__file__).parent

#: No arithmetic at all: making, moving, choosing and looking at elements.
MOVING = frozenset([
    "all", "any", "append", "arange", "argmax", "argmin", "argsort", "array", "array2string",
    "array_equal", "asarray", "ascontiguousarray", "broadcast_arrays", "broadcast_shapes",
    "broadcast_to", "can_cast", "concatenate", "copyto", "count_nonzero", "empty", "errstate",
    "eye", "finfo", "flatnonzero", "flip", "from_dlpack", "frombuffer", "fromfile", "full",
    "full_like", "iinfo", "indices", "ix_", "lib.array_utils.byte_bounds", "load",
    "may_share_memory", "memmap", "meshgrid", "moveaxis", "ndindex", "nonzero", "ones", "ones_like",
    "pad", "ravel", "ravel_multi_index", "repeat", "result_type", "save", "searchsorted", "shape",
    "shares_memory", "split", "stack", "swapaxes", "take", "take_along_axis", "tile", "transpose",
    "tril", "triu", "unique", "where", "zeros", "zeros_like",
])  # fmt: skip

#: One operation on each element, exact or rounded once as IEEE 754 has it, whatever the processor.
SINGLE = frozenset([
    "abs", "absolute", "add", "bitwise_and", "bitwise_count", "bitwise_or", "bitwise_xor", "ceil",
    "clip", "copysign", "divide", "equal", "floor", "floor_divide", "fmod", "greater",
    "greater_equal", "invert", "isfinite", "isinf", "isnan", "left_shift", "less", "less_equal",
    "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "mod",
    "multiply", "negative", "nextafter", "not_equal", "remainder", "rint", "right_shift", "sign",
    "signbit", "sqrt", "subtract", "trunc",
])  # fmt: skip

#: Elements added one after the other, in an order that NumPy promises.
CHAINS = frozenset(["add.accumulate", "add.at"])

#: Names that are no functions of elements.
NAMES = frozenset([
    "False_", "__version__", "True_", "bool_", "dtype", "exceptions", "exceptions.TooHardError",
    "float16",
    "float32", "float64", "floating", "generic", "inf", "int16", "int32", "int64", "int8",
    "integer", "intp", "lib", "lib.array_utils", "nan", "ndarray", "number", "timedelta64", "ufunc",
    "uint16", "uint32", "uint64", "uint8",
])  # fmt: skip

#: What is exact where it is called, and nowhere else, by file.
HERE = {
    "arithmetic/contraction.py": {"@": "integers, modulo 2^32"},
    "arithmetic/sums.py": {
        "add.reduce": "integers, modulo 2^bits",
        "multiply.reduce": "integers, modulo 2^bits; one chain of FLOAT64 is `product64`",
    },
    "core/tensor_buffers.py": {"lib.stride_tricks.as_strided": "bytes with gaps, where they are"},
    "fills/comparing.py": {"nan_to_num": "which difference is the largest"},
    "fills/plotting.py": {"log10": "places in a picture"},
    "models/made_up.py": {"random.PCG64": "words of a generator, exactly defined"},
    "models/running.py": {"prod": "sizes"},
    "onnx_export/normalization.py": {"prod": "sizes"},
    "onnx_export/resampling.py": {".sum": "a count"},
    "onnx_import/doubles.py": {
        "frexp": "exact",
        "ldexp": "rounded once",
        "power": "of 0, infinities and NaN",
    },
    "onnx_import/finding.py": {
        "sort": "moves elements",
        "prod": "of two FLOAT32 numbers, rounded once",
        "zeros_like": "moves nothing",
    },
    "onnx_import/movement.py": {"cumsum": "sizes"},
    "onnx_import/reductions.py": dict.fromkeys(["max", "min", "prod", "sum"], "integers"),
    "onnx_import/signals.py": {"outer": "integers", "complex128": "how many bytes"},
    "onnx_import/wide.py": {"power": "integers, modulo 2^bits"},
    "opencl/probe.py": {
        "random.default_rng": "patterns to try",
        "empty_like": "memory that is written",
    },
    "operators/movement.py": {"cumsum": "sizes"},
    "passes/array_functions.py": dict.fromkeys(
        ["expand_dims", "moveaxis", "ravel", "reshape", "squeeze", "swapaxes", "transpose"],
        "views, told by their names",
    ),
    "passes/stand_ins.py": {"lib.stride_tricks.as_strided": "views of nothing", "diff": "integers"},
    "passes/tracing.py": dict.fromkeys(
        ["invert", "not_equal", "result_type"], "what definitions do, told by its name"
    ),
}

#: Methods of arrays that add or multiply several elements, in an order of NumPy's own.
METHODS = frozenset(["cumprod", "cumsum", "dot", "mean", "prod", "std", "sum", "trace", "var"])


def used_in(path):
    """Yield (line, what) for what a file uses of NumPy: names, methods of arrays, products."""
    nodes = nodes_of(path)
    inner = {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}
    called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield node.lineno, "@"
        if not isinstance(node, ast.Attribute) or id(node) in inner:
            continue  # of np.add.at the whole
        names, root = [node.attr], node.value
        while isinstance(root, ast.Attribute):
            names.append(root.attr)
            root = root.value
        if isinstance(root, ast.Name) and root.id == "np":
            yield node.lineno, ".".join(reversed(names))
        is_method = node.attr in METHODS and id(node) in called
        if is_method and not (isinstance(root, ast.Name) and root.id in {"math", "np"}):
            yield node.lineno, f".{node.attr}"


@functools.cache
def all_used():
    return [
        (path.relative_to(PACKAGE).as_posix(), line, what)
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, what in used_in(path)
    ]


def is_allowed(file, what):
    return what in MOVING | SINGLE | CHAINS | NAMES or what in HERE.get(file, {})


def test_only_functions_whose_bits_are_defined_are_called():
    found = [f"{f}:{n}: np.{what}" for f, n, what in all_used() if not is_allowed(f, what)]

    assert found == [], "allow what moves elements or is exact, and say which of both it is"


def test_exceptions_are_still_needed():
    here = {(file, what) for file, _, what in all_used()}

    assert [(f, w) for f, whats in HERE.items() for w in whats if (f, w) not in here] == []


def test_numpy_has_what_is_allowed():
    assert all(hasattr(np, what.partition(".")[0]) for what in MOVING | SINGLE | CHAINS | NAMES)


def test_numpy_is_imported_under_its_usual_name():
    """So that nothing is called past these tests."""
    for path in PACKAGE.rglob("*.py"):
        for node in nodes_of(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numpy"):
                assert node.module in {"numpy.lib", "numpy.lib.mixins", "numpy.typing"}, path
            if isinstance(node, ast.Import):
                names = {a.asname for a in node.names if a.name.partition(".")[0] == "numpy"}
                assert names <= {"np", "npt"}, path
