"""Exports with functions and without, in other runtimes: `python -m tests.onnx_export.both_forms`.

A runtime takes the body in the place of a call: the same bits in both forms, and of both what is
computed here, within bounds. The program tries cases of all operators, random graphs and models,
and writes how many ran, and how large they are in both forms, into docs/onnx-out.md (minutes);
`--only TEXT` takes some kinds of them, and writes nothing.
"""

import argparse
import functools
import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import indirectml as dml
from indirectml.descriptors.definitions import definition
from tests.graphs.random_graphs import random_graph
from tests.onnx_export.bounds import BOUNDS
from tests.onnx_export.cases import cases_of
from tests.onnx_export.running import (
    NO_KERNEL,
    computed,
    distance,
    exported,
    in_onnx_runtime,
    in_reference,
    named,
)
from tests.onnx_export.test_graphs import SMOOTH, network
from tests.onnx_export.test_operators import EXPORTED
from tests.onnx_models import relative_difference
from tests.parameters import SEED
from tests.real_models import MODELS

PAGE = Path(__file__).parents[2] / "docs/onnx-out.md"
MARKS = "<!-- forms -->\n", "<!-- end -->\n"

RUNTIMES = {"ONNX Runtime": in_onnx_runtime, "onnx.reference": in_reference}

#: How many cases of each operator the program tries, and how many random graphs.
CASES, GRAPHS = 8, 100

#: What onnx.reference says where it has an operator not, or not all of it.
NOT_THERE = (
    "No implementation", "No registered implementation", "Unknown activation function",
    "cannot reshape array of size", "Except for dimension", "index 3 is out of bounds for axis 1",
    "activation_alpha must have the same size",
)  # fmt: skip

#: Operators for which onnx.reference gives other numbers in both forms.
OTHER_NUMBERS = {
    "ACTIVATION_PARAMETERIZED_RELU", "DYNAMIC_QUANTIZE_LINEAR", "GRU", "LSTM", "RNN",
    "LOCAL_RESPONSE_NORMALIZATION", "MAX_POOLING1", "MAX_POOLING2", "MAX_POOLING_GRAD",
}  # fmt: skip

#: What sums differ by, the operators behind them multiply: 5e-5 at most in 100 random graphs.
BOUNDS_OF_GRAPHS = 2e-4, 5e-3

#: Models that onnx.reference takes a minute for.
SLOW = {"light densenet121", "light inception_v1", "light inception_v2", "light resnet50"}

#: A model in both forms: with functions, and without.
Forms = tuple[Any, Any]


class NotThereError(Exception):
    """A runtime has no kernel for what a model needs."""


def run(runtime: str, model: Any, values: dict[str, Any]) -> list[Any]:
    """Return what a runtime gives for a model.

    Raises
    ------
    NotThereError
        It has not all of its operators.
    """
    try:
        return RUNTIMES[runtime](model, values)
    except NO_KERNEL as error:
        raise NotThereError(str(error)[:90]) from None
    except (IndexError, RuntimeError, ValueError) as error:
        if runtime != "onnx.reference" or not str(error).startswith(NOT_THERE):
            raise
        raise NotThereError(str(error).splitlines()[0][:90]) from None


def forms_of_case(case: Any) -> Forms:
    """Return a case of an operator in both forms."""
    return exported(case, functions=True), exported(case, functions=False)


def compare_case(name: str, case: Any, forms: Forms, runtime: str) -> None:
    """Run both forms of a case; raises NotThereError, or AssertionError where one differs."""
    found = [run(runtime, model, named(model, case.arrays)) for model in forms]
    bound = BOUNDS.get(definition(name).name)
    keeps_bits = not case.desc.is_arithmetic
    for called, plain, wanted in zip(*found, computed(case), strict=True):
        between = distance(np.asarray(called), np.asarray(plain), keeps_bits=keeps_bits)
        assert between.is_equal, f"{case.label}: {between} between the forms"
        if runtime == "onnx.reference" and name in OTHER_NUMBERS:
            continue
        apart = distance(np.asarray(called), wanted, keeps_bits=keeps_bits)
        is_within = apart.is_equal if bound is None else apart.share <= bound
        assert is_within, f"{case.label}: {apart}"


def forms_of(compiled: Any) -> Forms:
    """Return a compiled graph, or a loaded model, in both forms."""
    return compiled.to_onnx(), compiled.to_onnx(functions=False)


def compare_forms(
    compiled: Any, data: dict[str, Any], forms: Forms, bounds: tuple[float, ...], runtime: str
) -> None:
    """Run both forms of a compiled graph; `bounds` are of FLOAT32 and of FLOAT16."""
    wanted, found = compiled(data), []
    for model, has_functions in zip(forms, (True, False), strict=True):
        assert bool(model.functions) <= has_functions
        found.append(
            run(runtime, model, {each.name: data[each.name] for each in model.graph.input})
        )
    for called, plain, here in zip(*found, wanted, strict=True):
        apart = distance(np.asarray(called), np.asarray(plain), keeps_bits=False)
        assert apart.is_equal, f"{apart} between the forms"
        finite = np.isfinite(here)
        assert (np.isfinite(called) == finite).all()
        bound = bounds[here.dtype == np.float16]
        assert relative_difference(called[finite], here[finite]) <= bound


def layer() -> Any:
    """Return a graph of a transformer's layer, most of whose operators are functions in ONNX."""
    graph, random = dml.Graph(dml.Device()), np.random.default_rng(SEED)

    def weights(*sizes: int) -> Any:
        return graph.constant((random.standard_normal(sizes) / 4).astype(np.float32))

    x = graph.input([6, 16], name="x")
    y = dml.mean_variance_normalization(x, axes=[1])
    q, k, v = (dml.gemm(y, weights(16, 16)) for _ in range(3))
    shares = dml.activation_softmax(dml.gemm(q, k, trans_b=dml.MatrixTransform.TRANSPOSE))
    x = dml.gemm(shares, v) + x
    y = dml.activation_gelu(dml.gemm(dml.mean_variance_normalization(x, axes=[1]), weights(16, 32)))
    return graph.compile([dml.gemm(y, weights(32, 16)) + x])


#: A compiled graph or a loaded model, its inputs, and bounds.
Made = tuple[Any, dict[str, Any], tuple[float, ...]]


def small_models() -> Iterator[tuple[str, Callable[[], Made]]]:
    """Yield names of models of the tests, and what makes each."""
    picture = np.random.default_rng(SEED).standard_normal((2, 3, 12, 12)).astype(np.float32)
    yield "network", lambda: (dml.load_onnx(network()).compiled, {"image": picture}, (2e-5, 0))
    yield "layer", lambda: (layer(), {"x": picture[0, 0, :6, :8].repeat(2, 1)}, (2e-5, 0))


def models_of_others() -> Iterator[tuple[str, Callable[[], Made]]]:
    """Yield names of the models of packages that are there, and what makes each."""
    for name, each in MODELS.items():
        if each.is_there and not each.is_large and name not in SLOW:

            def made(each: Any = each) -> Made:
                data = each.data
                sizes = {n: array.shape for n, array in data.items()}
                compiled = dml.load_onnx(each.read(), sizes=sizes).compiled
                return compiled, data, (each.bound, 0)

            yield name, made


# ---- the table ----


class Row:
    """What was tried of one kind."""

    def __init__(self, kind: str, things: int) -> None:
        self.kind, self.things = kind, things
        self.forms: list[Forms] = []
        self.ran = dict.fromkeys(RUNTIMES, 0)

    def take(self, forms: Forms, compare: Callable[[str], None]) -> None:
        """Compare both forms in each runtime."""
        self.forms.append(forms)
        for runtime in RUNTIMES:
            try:
                compare(runtime)
            except NotThereError:
                continue
            self.ran[runtime] += 1

    def __str__(self) -> str:
        called, plain = zip(*self.forms, strict=True)
        nodes, bytes_ = [], []
        for models in (called, plain):
            nodes.append(sum(len(model.graph.node) for model in models))
            bytes_.append(sum(model.ByteSize() for model in models))
        more = [p.ByteSize() / c.ByteSize() for c, p in self.forms]
        cells = [self.kind, f"{self.things:,}", f"{len(self.forms):,}"]
        cells += [f"{count:,}" for count in self.ran.values()]
        cells += [f"{count:,}" for count in nodes]
        cells.append(f"{statistics.median(more):.2f} ({max(more):.2f})")
        return f"| {' | '.join(cells)} |\n"


def operators() -> Row:
    """Return what cases of all operators show."""
    row = Row("operators", len(EXPORTED))
    for name in EXPORTED:
        for case in cases_of(name, CASES):
            forms = forms_of_case(case)
            row.take(forms, functools.partial(compare_case, name, case, forms))
    return row


def random_graphs() -> Row:
    """Return what random graphs show."""
    row = Row("random graphs", GRAPHS)
    for seed in range(GRAPHS):
        made = random_graph(seed, names=SMOOTH)
        compiled = made.compile()
        forms = forms_of(compiled)
        row.take(
            forms, functools.partial(compare_forms, compiled, made.data, forms, BOUNDS_OF_GRAPHS)
        )
    return row


def models() -> Row:
    """Return what models show."""
    found = [*small_models(), *models_of_others()]
    row = Row("models", len(found))
    for name, make in found:
        compiled, data, bounds = make()
        forms = forms_of(compiled)
        row.take(forms, functools.partial(compare_forms, compiled, data, forms, bounds))
        print(name, flush=True)
    return row


KINDS = {"operators": operators, "random graphs": random_graphs, "models": models}


def table(rows: list[Row]) -> str:
    """Return the table of rows."""
    head = ("what", "how many", "tried", *RUNTIMES, "nodes with functions", "without",
            "bytes without, for one with")  # fmt: skip
    lines = [f"| {' | '.join(head)} |\n", f"|---|{'--:|' * (len(head) - 1)}\n"]
    return "".join([*lines, *map(str, rows)])


def page(made: str) -> str:
    """Return the page with the table that belongs in it."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    return f"{before}{MARKS[0]}\n{made}\n{MARKS[1]}{after}"


def main(arguments: list[str]) -> int:
    """Try, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.onnx_export.both_forms")
    parser.add_argument("--only", metavar="TEXT", default="", help="kinds that contain it")
    given = parser.parse_args(arguments)
    made = table([of_kind() for kind, of_kind in KINDS.items() if given.only in kind])
    print(made, end="")
    if not given.only:
        PAGE.write_text(page(made), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
