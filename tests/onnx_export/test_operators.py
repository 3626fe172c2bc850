"""Every operator exported to ONNX gives elsewhere what it gives here, or is refused by name.

`python -m tests.onnx_export.evidence` runs all cases, and writes docs/onnx-operators.md.
"""

import pytest

from indirectml.descriptors.definitions import definition, implemented_operators
from indirectml.onnx_export.forms import form_of
from tests.onnx_export.bounds import BOUNDS
from tests.onnx_export.cases import cases_of
from tests.onnx_export.running import compare

#: Cases of each operator that are tried here.
SOME = 8

EXPORTED = [name for name in implemented_operators() if form_of(name) is not None]


@pytest.mark.parametrize("name", EXPORTED)
def test_gives_elsewhere_what_it_gives_here(name):
    for case in cases_of(name, SOME):
        fused = getattr(case.desc, "fused_activation", None)
        if fused is not None and form_of(fused.activation.name) is None:
            continue
        found, where, _ = compare(case)

        bound = BOUNDS.get(definition(name).name)
        is_right = found.is_equal if bound is None else found.share <= bound
        assert is_right, f"{case.label} by {where}: {found}"
