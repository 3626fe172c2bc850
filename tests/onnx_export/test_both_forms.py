"""Exports with functions and without, each in ONNX Runtime and in onnx.reference.

Of each operator a case drawn by a seed; `python -m tests.onnx_export.both_forms` tries more.
"""

import random
import re

import pytest

from tests.extent import Extent, chosen
from tests.graphs.random_graphs import random_graph
from tests.onnx_export import both_forms
from tests.onnx_export.both_forms import BOUNDS_OF_GRAPHS, RUNTIMES, NotThereError
from tests.onnx_export.cases import cases_of
from tests.onnx_export.test_graphs import SMOOTH
from tests.onnx_export.test_operators import EXPORTED
from tests.parameters import SEED

OF = 4
SEEDS = range(both_forms.GRAPHS if Extent.whole else 6)
SMALL = dict(both_forms.small_models())


def drawn(name):
    return random.Random(f"{SEED} {name}").choice(cases_of(name, OF))  # noqa: S311 (repeatable)


@pytest.mark.parametrize(("runtime", "name"), chosen(RUNTIMES, EXPORTED))
def test_operators(runtime, name):
    case = drawn(name)
    try:
        both_forms.compare_case(name, case, both_forms.forms_of_case(case), runtime)
    except NotThereError as error:
        pytest.skip(f"{case.label}: {runtime} has no kernel: {error}")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_random_graphs(runtime, seed):
    made = random_graph(seed, names=SMOOTH)
    compiled = made.compile()
    forms = both_forms.forms_of(compiled)
    both_forms.compare_forms(compiled, made.data, forms, BOUNDS_OF_GRAPHS, runtime)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_models(runtime, name):
    compiled, data, bounds = SMALL[name]()
    forms = both_forms.forms_of(compiled)
    assert bool(forms[0].functions) == (name == "layer")
    both_forms.compare_forms(compiled, data, forms, bounds, runtime)


def test_the_page_tells_of_all_operators():
    text = both_forms.PAGE.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (operators|random graphs) \| (\d+) \|", text, re.MULTILINE))
    assert rows == {"operators": f"{len(EXPORTED)}", "random graphs": f"{both_forms.GRAPHS}"}
