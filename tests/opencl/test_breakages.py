"""Kernels that are broken on purpose: the probe, or what compares their bits, notices each."""

import numpy as np
import pytest

import indirectml as dml
from indirectml.arithmetic.gathering import gather
from indirectml.opencl import building, platforms, probe
from indirectml.opencl.context import Context
from tests.opencl import forms
from tests.opencl.compare import differing
from tests.opencl.forms import assert_same
from tests.opencl.implementations import needs_pocl, pocl
from tests.opencl.test_programs import (
    test_instructions_have_the_bits_of_numpy,
    test_of_several_updates_the_last_one_stays,
)

pytestmark = needs_pocl

#: Of common.cl: what stands there, what it becomes, and the operation that is wrong then.
COMMON = [
    (
        "(rest == half_way && (kept & 1));\n  // A carry",
        "rest == half_way;\n  // A carry",
        "fused by integers",
    ),
    ("if (lost > 64) return sign;", "if (lost > 40) return sign;", "divided by integers"),
    ("if (exponent >= 255) return sign | INFINITE;", "", "fused by integers"),
    ("part << up & 0x3ffu", "part << up", "widened"),
    ("lost = 126u - exponent;", "lost = 125u - exponent;", "narrowed"),
    ("return far_c ? c : sign & other;", "return far_c ? c : sign;", "fused by integers"),
    ("(dividend % y.significand != 0)", "0", "divided by integers"),
    ("if (far_a < far_b) return a;", "if (far_a <= far_b) return a;", "remainder by integers"),
    ("near == x || (bits & MAGNITUDE)", "near != x || (bits & MAGNITUDE)", "float16 of float64"),
]  # fmt: skip

#: Of other files: what becomes of what, and the operator whose cases differ then.
OTHERS = [
    (
        "programs.cl",
        "rest > unit >> 1 || (rest == unit >> 1 && (kept & unit))",
        "rest >= unit >> 1",
        "float32",
    ),
    ("programs.cl", "how == 2 ? rest && !sign", "how == 2 ? rest", "float32"),
    (
        "programs.cl",
        "if (is_nan(a) || is_nan(b)) return 3;\n  if (!((a | b)",
        "if (!((a | b)",
        "float32",
    ),
    (
        "programs.cl",
        "a >> 31 ? low : high;\n  const int up = (int)(far >> 23)",
        "high;\n  const int up = (int)(far >> 23)",
        "float32",
    ),
    ("moving.cl", "below(at, 0) ? at + size : at", "at", "gather"),
    ("moving.cl", "last[slot] == (uint)i + 1)", "last[slot] != (uint)i + 1)", "scatter"),
    ("fills.cl", "steps * segment[3]", "segment[3]", "fill"),
]  # fmt: skip


@pytest.fixture
def broken(monkeypatch, tmp_path):
    """Return what breaks a file for new programs, and gives them a device."""
    intact = building.file_text

    def break_(name, old, new):
        assert old in intact(name), (name, old)
        text = intact(name).replace(old, new)
        for module in (building, probe):
            monkeypatch.setattr(module, "file_text", lambda n: text if n == name else intact(n))
        monkeypatch.setattr(probe, "cache_folder", lambda: tmp_path)

    return break_


@pytest.mark.parametrize(("old", "new", "operation"), COMMON)
def test_the_probe_notices_what_is_broken(old, new, operation, broken):
    broken("common.cl", old, new)
    used = dml.Device(pocl()).implementation.context

    with used.used():
        verdict = probe.probed(
            used.library.context,
            used.queue,
            used.facts,
            platforms.options_of(used.facts),
            1 << 13,
        )

    assert verdict.wrong[operation]


def assert_fills():
    assert not list(differing("FILL_VALUE_SEQUENCE", dml.Device(pocl()), 4))


#: What notices, by its name in the table; instructions on a type, if it is not here.
CHECKS = {
    "gather": lambda: assert_same(gather, ROWS, np.array([-1, 1, 7]), axis=0),
    "scatter": test_of_several_updates_the_last_one_stays,
    "fill": assert_fills,
}
ROWS = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.mark.parametrize(("name", "old", "new", "noticed"), OTHERS)
def test_comparisons_notice_what_is_broken(name, old, new, noticed, broken, monkeypatch):
    device = dml.Device(pocl())
    number = int(pocl().partition(":")[2] or 0)
    with monkeypatch.context() as patch:
        patch.setattr(probe, "BRIEF", 64)
        broken(name, old, new)
        used = Context(platforms.devices()[number])
        patch.setattr(device.implementation, "_context", used)
        patch.setitem(forms.CONTEXTS, "own", used)
        check = CHECKS.get(noticed, lambda: test_instructions_have_the_bits_of_numpy(noticed))

        with pytest.raises(AssertionError):
            check()
