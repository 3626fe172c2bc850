"""Which functions of NumPy operators and words may call: those that move elements or are exact."""

import ast
from pathlib import Path

import indirectml

PACKAGE = Path(indirectml.__file__).parent
FOLDERS = ("operators", "arithmetic")

#: Functions whose results NumPy leaves to the processor, its version, or the order of memory.
#: Products are left out: those of sizes are exact.
INEXACT = frozenset(
    [
        "arccos",
        "arccosh",
        "arcsin",
        "arcsinh",
        "arctan",
        "arctan2",
        "arctanh",
        "average",
        "cbrt",
        "convolve",
        "correlate",
        "cos",
        "cosh",
        "cross",
        "dot",
        "einsum",
        "exp",
        "exp2",
        "expm1",
        "float_power",
        "hypot",
        "inner",
        "interp",
        "linspace",
        "log",
        "log10",
        "log1p",
        "log2",
        "logaddexp",
        "logaddexp2",
        "matmul",
        "mean",
        "nanmean",
        "nansum",
        "outer",
        "power",
        "sin",
        "sinc",
        "sinh",
        "std",
        "sum",
        "tan",
        "tanh",
        "tensordot",
        "trace",
        "vdot",
        "var",
    ]
)


def test_no_function_that_leaves_bits_to_the_processor_is_called():
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}: np.{node.attr}"
        for folder in FOLDERS
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "np"
        and node.attr in INEXACT
    ]

    assert found == []
