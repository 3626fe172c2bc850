"""What may lie on what: the rule that direct calls, binding tables and dispatch models share."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import indirectml as dml
from indirectml.core.binding_rules import Range, find_overlaps
from indirectml.core.errors import BindingError
from tests.parameters import in_one_test

F32 = np.float32


# ---- ranges ----


def _conflicts(ranges, *, in_place):
    """Return all pairs of ranges that must not be: the rule, asked of each pair."""
    found = set()
    for a, b in combinations(ranges, 2):
        overlap = a.memory == b.memory and a.begin < b.end and b.begin < a.end
        alike = a.begin == b.begin and a.layout == b.layout is not None
        excused = in_place and alike and a.is_written != b.is_written
        if overlap and (a.is_written or b.is_written) and not excused:
            found |= {(a, b), (b, a)}
    return found


@in_one_test(in_place=[True, False], seed=range(150))
def test_ranges_are_found_that_the_rule_refuses(seed, in_place):
    generator = np.random.default_rng(seed)
    ranges = []
    for number in range(generator.integers(2, 12)):
        begin, size = int(generator.integers(0, 40)), int(generator.choice([4, 8, 12]))
        layout = None if generator.random() < 0.2 else size
        is_written, memory = bool(generator.random() < 0.4), int(generator.integers(2))
        ranges.append(Range(f"r{number}", is_written, begin, begin + size, layout, memory))

    found = find_overlaps(ranges, in_place=in_place)

    wanted = _conflicts(ranges, in_place=in_place)
    assert set(found.items()) <= wanted, f"seed {seed}"
    assert bool(found) == bool(wanted), f"seed {seed}"


def test_many_ranges_take_no_longer_than_sorting():
    ranges = [Range(f"r{k}", is_written=True, begin=4 * k, end=4 * k + 4) for k in range(200_000)]

    assert not find_overlaps(ranges, in_place=False)
    assert len(find_overlaps([*ranges, ranges[7]._replace(place="other")], in_place=False)) == 1


# ---- direct calls ----


def _compiled(desc):
    device = dml.Device()
    return device.compile_operator(device.create_operator(desc))


def _tensor(*sizes, dtype=F32):
    return dml.TensorDesc(dtype, sizes)


def _split(*sizes):
    parts = [_tensor(size) for size in sizes]
    return _compiled(dml.SplitOperatorDesc(_tensor(sum(sizes)), parts, 0))


def _add(count):
    tensor = _tensor(count)
    return _compiled(dml.ElementWiseAddOperatorDesc(tensor, tensor, tensor))


def _parts_on_the_input():
    x = np.arange(4, dtype=F32)
    _split(2, 2)([x], out=[x[2:], x[:2]])


def _part_on_bytes_of_the_input():
    memory = bytearray(16)
    _split(2, 2)([memory], out=[np.zeros(2, F32), memoryview(memory)[8:]])


def _part_on_a_part():
    out = np.zeros(3, F32)
    _split(2, 2)([np.arange(4, dtype=F32)], out=[out[:2], out[1:]])


def _same_part_twice():
    out = np.zeros(2, F32)
    _split(2, 2)([np.arange(4, dtype=F32)], out=[out, out])


def _shifted_sum():
    x = np.arange(5, dtype=F32)
    _add(4)([x[:4], np.ones(4, F32)], out=[x[1:]])


def _reversed_sum():
    x = np.arange(4, dtype=F32)
    _add(4)([np.ones(4, F32), x], out=[x[::-1]])


def _cast_in_place():
    x = np.arange(4, dtype=F32)
    desc = dml.CastOperatorDesc(_tensor(4), _tensor(4, dtype=np.int32))
    _compiled(desc)([x], out=[x.view(np.int32)])


REFUSED = {
    "parts on the input": (_parts_on_the_input, "SPLIT.out[0]", "inputs[0]"),
    "a part on bytes of the input": (_part_on_bytes_of_the_input, "SPLIT.out[1]", "inputs[0]"),
    "a part on a part": (_part_on_a_part, "SPLIT.out[1]", "out[0]"),
    "the same part twice": (_same_part_twice, "SPLIT.out[1]", "out[0]"),
    "a sum one further": (_shifted_sum, "ELEMENT_WISE_ADD.out[0]", "inputs[0]"),
    "a sum in reverse": (_reversed_sum, "ELEMENT_WISE_ADD.out[0]", "inputs[1]"),
    "a cast in place": (_cast_in_place, "CAST.out[0]", "inputs[0]"),
}


@pytest.mark.parametrize(("call", "place", "other"), REFUSED.values(), ids=REFUSED.keys())
def test_outputs_on_other_arrays_are_refused(call, place, other):
    with pytest.raises(BindingError) as caught:
        call()

    assert str(caught.value) == f"{place}: needs memory of its own, apart from that of {other}"


def test_nothing_is_written_by_a_call_that_is_refused():
    x = np.arange(4, dtype=F32)

    with pytest.raises(BindingError):
        _split(2, 2)([x], out=[x[2:], x[:2]])

    assert x.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("as_input", [0, 1, (0, 1)])
def test_element_wise_operators_work_in_place(as_input):
    x, ones = np.arange(4, dtype=F32), np.ones(4, F32)
    inputs = [x if np.isin(k, as_input) else ones for k in range(2)]
    expected = inputs[0] + inputs[1]

    _add(4)(inputs, out=[x])

    assert x.tolist() == expected.tolist()


def test_views_of_one_array_may_lie_between_each_other():
    whole = np.zeros((3, 2), F32)
    x = whole[:, 0]
    x[:] = [1, 2, 3]

    _add(3)([x, np.ones(3, F32)], out=[whole[:, 1]])

    assert whole.tolist() == [[1, 2], [2, 3], [3, 4]]


def test_parts_may_be_columns_of_one_array():
    out = np.zeros((4, 2), F32)
    parts = [_tensor(4, 1), _tensor(4, 1)]
    split = _compiled(dml.SplitOperatorDesc(_tensor(4, 2), parts, 1))
    x = np.arange(8, dtype=F32).reshape(4, 2)

    split([x], out=[out[:, 1:], out[:, :1]])

    assert out.tolist() == x[:, ::-1].tolist()
