"""Tensor descriptors: published sizes, what each field may be, descriptors as values."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indirectml.core.data_types import TensorDataType
from indirectml.core.tensors import TensorDesc, TensorFlags, calc_buffer_tensor_size, packed_strides
from tests.core.tensors import ALIGNMENT, make

T = TensorDataType


# Byte counts and strides.


#: data type, sizes, strides, bytes
WORKED = [
    pytest.param(T.FLOAT32, [1, 1, 1, 5], None, 20, id="float32-1x1x1x5"),
    pytest.param(T.FLOAT32, [1, 1, 2, 3], None, 24, id="float32-1x1x2x3"),
    pytest.param(T.FLOAT16, [5], None, 12, id="float16-5-rounded-up"),
    pytest.param(T.UINT8, [3], None, 4, id="uint8-3-rounded-up"),
    pytest.param(T.UINT8, [1, 1, 2, 2], None, 4, id="uint8-1x1x2x2"),
    pytest.param(T.INT64, [3], None, 24, id="int64-3"),
    pytest.param(T.INT4, [7], None, 4, id="int4-7"),
    pytest.param(T.UINT4, [9], None, 8, id="uint4-9"),
    pytest.param(T.FLOAT32, [2, 3], [5, 1], 32, id="float32-padded-rows"),
    pytest.param(T.FLOAT32, [2, 3], [0, 1], 12, id="float32-broadcast-rows"),
    pytest.param(T.FLOAT32, [4], [0], 4, id="float32-broadcast"),
    pytest.param(T.INT16, [3, 3], [4, 1], 24, id="int16-padded-rows"),
    pytest.param(T.UINT8, [2, 2, 2], [16, 4, 1], 24, id="uint8-padded"),
    pytest.param(T.FLOAT32, [2, 3, 4, 5], [60, 1, 15, 3], 480, id="float32-nhwc"),
    pytest.param(T.FLOAT32, [1, 1, 3, 5], [15, 15, 5, 1], 60, id="float32-1x1x3x5-nchw"),
    pytest.param(T.FLOAT32, [1, 1, 3, 5], [15, 1, 5, 1], 60, id="float32-1x1x3x5-nhwc"),
    pytest.param(T.UINT8, [2, 2], [2**32 - 1, 1], 2**32 + 4, id="strides-that-wrap-in-32-bits"),
    pytest.param(T.FLOAT64, [2**32 - 1], None, 8 * (2**32 - 1), id="beyond-32-bits"),
]


@pytest.mark.parametrize(("data_type", "sizes", "strides", "size_bytes"), WORKED)
def test_the_published_sizes_in_bytes(data_type, sizes, strides, size_bytes):
    assert calc_buffer_tensor_size(data_type, sizes, strides) == size_bytes
    assert TensorDesc(data_type, sizes, strides=strides).total_tensor_size_in_bytes == size_bytes


def test_a_size_in_bytes_is_asked_for_by_dtype_too():
    assert calc_buffer_tensor_size(np.float16, [5]) == 12
    assert calc_buffer_tensor_size("int64", (3,), (1,)) == 24


@given(
    st.sampled_from([t for t in T if t is not T.UNKNOWN]),
    st.lists(st.tuples(st.integers(1, 6), st.integers(0, 50)), min_size=1, max_size=4),
)
def test_a_size_in_bytes_covers_the_last_element(data_type, axes):
    sizes, strides = zip(*axes, strict=True)
    last = max(
        sum(c * stride for c, stride in zip(coordinate, strides, strict=True))
        for coordinate in np.ndindex(*sizes)
    )
    bits = (last + 1) * data_type.bits

    size_bytes = calc_buffer_tensor_size(data_type, sizes, strides)

    assert size_bytes % 4 == 0
    assert 0 <= 8 * size_bytes - bits < 32


@pytest.mark.parametrize(
    ("sizes", "strides"),
    [
        pytest.param([], (), id="none"),
        pytest.param([7], (1,), id="1d"),
        pytest.param([1, 1, 3, 5], (15, 15, 5, 1), id="published"),
        pytest.param([2, 3, 4, 5], (60, 20, 5, 1), id="4d"),
        pytest.param([2, 1, 1], (1, 1, 1), id="ones"),
        pytest.param([2] * 8, (128, 64, 32, 16, 8, 4, 2, 1), id="8d"),
    ],
)
def test_packed_strides_are_row_major(sizes, strides):
    assert packed_strides(sizes) == strides


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5))
def test_packed_strides_are_those_of_numpy(sizes):
    array = np.empty(sizes, np.uint8)

    ours = np.lib.stride_tricks.as_strided(array, sizes, packed_strides(sizes))

    assert ours.flags.c_contiguous
    assert calc_buffer_tensor_size(np.uint8, sizes) == (array.nbytes + 3) // 4 * 4


# What a descriptor keeps.


def test_a_descriptor_keeps_what_it_is_given():
    desc = TensorDesc(
        np.float32,
        [2, 3],
        flags=TensorFlags.OWNED_BY_DML,
        strides=[5, 1],
        total_tensor_size_in_bytes=64,
        guaranteed_base_offset_alignment=32,
    )

    assert desc.data_type is T.FLOAT32
    assert desc.sizes == [2, 3]
    assert desc.sizes_tuple == (2, 3)
    assert desc.strides == [5, 1]
    assert desc.strides_in_memory == (5, 1)
    assert desc.element_count == 6
    assert desc.flags is TensorFlags.OWNED_BY_DML
    assert desc.total_tensor_size_in_bytes == 64
    assert desc.guaranteed_base_offset_alignment == 32


def test_a_descriptor_is_packed_and_promises_nothing_by_default():
    desc = TensorDesc(T.UINT8, [1, 1, 3, 5])

    assert desc.strides is None
    assert desc.strides_in_memory == (15, 15, 5, 1)
    assert desc.flags is TensorFlags.NONE
    assert desc.total_tensor_size_in_bytes == 16
    assert desc.guaranteed_base_offset_alignment == 0


@pytest.mark.parametrize(
    "data_type",
    [
        pytest.param(T.INT16, id="data-type"),
        pytest.param(np.int16, id="type"),
        pytest.param(np.dtype("int16"), id="dtype"),
        pytest.param("int16", id="name"),
        pytest.param("=i2", id="code"),
    ],
)
def test_a_data_type_is_given_in_any_spelling(data_type):
    assert TensorDesc(data_type, [3]) == TensorDesc(T.INT16, [3])


@pytest.mark.parametrize("data_type", [t for t in T if t is not T.UNKNOWN], ids=lambda t: t.name)
def test_every_data_type_but_unknown_is_accepted(data_type):
    assert TensorDesc(data_type, [8]).total_tensor_size_in_bytes == data_type.bits


@pytest.mark.parametrize(
    ("sizes", "strides"),
    [
        pytest.param((2, 3), (3, 1), id="tuples"),
        pytest.param([np.int64(2), np.uint8(3)], [np.int16(3), np.uint64(1)], id="numpy-integers"),
        pytest.param(np.array([2, 3]), np.array([3, 1], np.uint8), id="arrays"),
        pytest.param((n for n in (2, 3)), (n for n in (3, 1)), id="generators"),
        pytest.param(range(2, 4), range(3, 0, -2), id="ranges"),
        pytest.param(map(int, "23"), map(int, "31"), id="maps"),
    ],
)
def test_sizes_and_strides_are_any_integers(sizes, strides):
    desc = TensorDesc(np.float32, sizes, strides=strides)

    assert (desc.sizes, desc.strides) == ([2, 3], [3, 1])
    assert {type(n) for n in (*desc.sizes, *desc.strides)} == {int}
    assert desc == TensorDesc(np.float32, [2, 3], strides=[3, 1])


def test_totals_and_alignments_are_any_integers():
    desc = TensorDesc(
        np.float32,
        [2],
        total_tensor_size_in_bytes=np.int32(16),
        guaranteed_base_offset_alignment=np.uint64(16),
    )

    assert type(desc.total_tensor_size_in_bytes) is int
    assert type(desc.guaranteed_base_offset_alignment) is int
    assert desc.total_tensor_size_in_bytes == desc.guaranteed_base_offset_alignment == 16


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param([2**32 - 1], id="one-axis"),
        pytest.param([2**16 + 1, 2**16 - 1], id="two-axes"),
        pytest.param([1] * 7 + [2**32 - 1], id="eight-axes"),
        pytest.param([1], id="scalar"),
        pytest.param([1] * 8, id="eight-ones"),
    ],
)
def test_up_to_eight_axes_and_32_bits_of_elements_are_accepted(sizes):
    desc = TensorDesc(np.uint8, sizes)

    assert desc.sizes == sizes
    assert desc.element_count in {1, 2**32 - 1}


@pytest.mark.parametrize(
    "strides",
    [
        pytest.param([0, 0], id="broadcast"),
        pytest.param([1, 2], id="transposed"),
        pytest.param([2, 1], id="overlapping"),
        pytest.param([2**32 - 1, 2**32 - 1], id="largest"),
    ],
)
def test_strides_of_a_tensor_in_general_may_repeat_elements(strides):
    assert TensorDesc(np.float32, [2, 3], strides=strides).strides == strides


@pytest.mark.parametrize("total", [24, 25, 28, 2**40])
def test_a_total_size_may_be_larger_than_required(total):
    desc = TensorDesc(np.float32, [2, 3], total_tensor_size_in_bytes=total)

    assert desc.total_tensor_size_in_bytes == total


@pytest.mark.parametrize(
    ("data_type", "alignments"),
    [
        pytest.param(T.UINT8, [0, 1, 2, 4, 16, 256], id="uint8"),
        pytest.param(T.FLOAT16, [0, 2, 4, 16, 256], id="float16"),
        pytest.param(T.FLOAT32, [0, 4, 8, 16, 2**31], id="float32"),
        pytest.param(T.INT64, [0, 8, 16, 4096], id="int64"),
        pytest.param(T.UINT4, [0, 1, 2, 16], id="uint4"),
    ],
)
def test_an_alignment_is_zero_or_a_power_of_two_from_the_element_size(data_type, alignments):
    for alignment in alignments:
        desc = TensorDesc(data_type, [2], guaranteed_base_offset_alignment=alignment)
        assert desc.guaranteed_base_offset_alignment == alignment


@pytest.mark.parametrize(
    ("given_as", "flags"),
    [
        pytest.param(0, TensorFlags.NONE, id="zero"),
        pytest.param(1, TensorFlags.OWNED_BY_DML, id="one"),
        pytest.param(TensorFlags.NONE, TensorFlags.NONE, id="none"),
        pytest.param(TensorFlags.OWNED_BY_DML, TensorFlags.OWNED_BY_DML, id="owned"),
    ],
)
def test_flags_may_be_their_numbers(given_as, flags):
    assert TensorDesc(np.float32, [1], flags=given_as).flags is flags


# A descriptor as a value.


SAME = {
    "data_type": np.float32,
    "sizes": [2, 3],
    "strides": [4, 1],
    "total_tensor_size_in_bytes": 64,
    ALIGNMENT: 16,
}
DIFFERENT = [
    pytest.param({"data_type": np.int32}, id="data_type"),
    pytest.param({"sizes": [3, 2]}, id="sizes"),
    pytest.param({"strides": [5, 1]}, id="strides"),
    pytest.param({"strides": None}, id="packed"),
    pytest.param({"flags": TensorFlags.OWNED_BY_DML}, id="flags"),
    pytest.param({"total_tensor_size_in_bytes": 68}, id="total"),
    pytest.param({ALIGNMENT: 32}, id="alignment"),
]


def test_equal_descriptors_have_equal_hashes():
    first = make(SAME)
    second = make(SAME | {"data_type": T.FLOAT32, "sizes": (2, 3), "strides": np.array([4, 1])})

    assert first == second
    assert hash(first) == hash(second)
    assert len({first, second}) == 1
    assert repr(first) == repr(second)


@pytest.mark.parametrize("changes", DIFFERENT)
def test_descriptors_differ_if_any_field_does(changes):
    assert make(SAME) != make(SAME | changes)
    assert len({make(SAME), make(SAME | changes)}) == 2


@pytest.mark.parametrize("changes", DIFFERENT)
def test_descriptors_that_differ_are_shown_differently(changes):
    assert repr(make(SAME)) != repr(make(SAME | changes))


def test_a_descriptor_equals_nothing_else():
    assert make(SAME) != "TensorDesc"
    assert make(SAME) != (2, 3)
    assert make(SAME) is not None


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        pytest.param({}, "TensorDesc(FLOAT32, sizes=[2, 3])", id="defaults"),
        pytest.param(
            {"data_type": T.UINT4, "sizes": [7]}, "TensorDesc(UINT4, sizes=[7])", id="4-bits"
        ),
        pytest.param(
            {"strides": [3, 1]}, "TensorDesc(FLOAT32, sizes=[2, 3], strides=[3, 1])", id="strides"
        ),
        pytest.param(
            {"flags": 1}, "TensorDesc(FLOAT32, sizes=[2, 3], flags=OWNED_BY_DML)", id="flags"
        ),
    ],
)
def test_a_descriptor_shows_what_is_not_default(changes, text):
    assert repr(make(changes)) == text


@pytest.mark.parametrize(
    "name",
    [
        "data_type",
        "sizes",
        "strides",
        "flags",
        "total_tensor_size_in_bytes",
        "guaranteed_base_offset_alignment",
        "something_new",
    ],
)
def test_a_descriptor_does_not_change(name):
    desc = make(SAME)

    with pytest.raises(AttributeError, match=name):
        setattr(desc, name, None)

    assert desc == make(SAME)


def test_a_descriptor_keeps_its_fields():
    desc = make(SAME)

    with pytest.raises(AttributeError, match="flags"):
        del desc.flags

    assert desc == make(SAME)


def test_lists_given_to_and_taken_from_a_descriptor_are_copies():
    sizes, strides = [2, 3], [4, 1]
    desc = TensorDesc(np.float32, sizes, strides=strides)

    for values in (sizes, strides, desc.sizes, desc.strides):
        values[0] = 7

    assert (desc.sizes, desc.strides) == ([2, 3], [4, 1])


@pytest.mark.parametrize(
    "duplicate",
    [
        pytest.param(copy.copy, id="copy"),
        pytest.param(copy.deepcopy, id="deepcopy"),
        pytest.param(lambda desc: pickle.loads(pickle.dumps(desc)), id="pickle"),  # noqa: S301
    ],
)
def test_a_descriptor_can_be_copied(duplicate):
    assert duplicate(make(SAME)) == make(SAME)
