"""Oracles of operators by family: one table per test file, and what runs it.

A file tests/operators/test_<family>.py has a table `ORACLES` from operators to oracles, and one
test:

    ORACLES["ELEMENT_WISE_ABS"] = element_wise(lambda place: exact(abs, place.dtype))

    @places(ORACLES)
    def test_equals_its_oracle(place):
        run_oracle(ORACLES, place)

An oracle is a function from a `Place` to trials: descriptors, what they should give, and the inputs
if these are not to be corners and random bits. It shares no code with the definition.
"""

import dataclasses
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import indirectml as dml
from indirectml.descriptors.definitions import fields_of
from indirectml.operators import descriptor_class
from tests.extent import chosen
from tests.operators import oracle

#: Elements of the whole tensor, about.
COUNT = 60
LAYOUTS = ("packed", "padded", "broadcast")
SIZES = (2, 3, 2, 1, 2, 1, 2)
ALL_DATA_TYPES = [t for t in dml.TensorDataType if t.name[0] in "FIU" and t.dtype is not None]


@dataclass(frozen=True)
class Place:
    """An operator, and what is asked of its first tensor.

    Attributes
    ----------
    name : str
        The operator.
    data_type : TensorDataType
    rank : int
        The dimension count.
    layout : str
        "packed", "padded" (gaps everywhere) or "broadcast" (along the first dimension).
    """

    name: str
    data_type: Any
    rank: int
    layout: str

    @property
    def dtype(self):
        return self.data_type.dtype

    @property
    def sizes(self):
        """Sizes of about COUNT elements."""
        first = SIZES[: self.rank - 1]
        return (*first, -(-COUNT // int(np.prod(first, dtype=int))))

    @property
    def seed(self):
        text = f"{self.name} {self.data_type.name} {self.rank} {self.layout}"
        return zlib.crc32(text.encode())

    @property
    def random(self):
        """A generator of random numbers, always the same."""
        return np.random.default_rng(self.seed)

    def tensor(self, sizes=None, data_type=None):
        """Return a tensor in this place's layout, of its sizes and data type unless told."""
        data_type = self.data_type if data_type is None else data_type
        return oracle.tensor(data_type, list(sizes or self.sizes), self.layout)

    def output(self, sizes=None, data_type=None):
        """Return an output, which has gaps if the layout has, and is never repeated."""
        layout = "packed" if self.layout == "broadcast" else self.layout
        data_type = self.data_type if data_type is None else data_type
        return oracle.tensor(data_type, list(sizes or self.sizes), layout)

    def desc(self, **fields):
        """Return a descriptor of the operator."""
        return descriptor_class(self.name)(**fields)


@dataclass(frozen=True)
class Trial:
    """A descriptor, and what it should give.

    Attributes
    ----------
    desc : OperatorDesc
    function : callable
        From packed arrays of the inputs, in their own data types (None for one that is left out),
        to the output, or a list of those that are not left out.
    inputs : sequence of (array or None), or None
        For each input the numbers that it has elements of, in random order; None for corners and
        random bits.
    """

    desc: Any
    function: Callable[..., Any]
    inputs: Sequence[Any] | None = None


def corners(dtype):
    """Return numbers at which operators go wrong, of a data type."""
    if dtype.kind != "f":
        limits = np.iinfo(dtype)
        near = [limits.min, limits.min + 1, limits.max, limits.max - 1, limits.max // 2 + 1]
        return np.array([*near, *range(max(limits.min, -3), 10), 100], dtype)
    limits = np.finfo(dtype)
    tiny = float(limits.smallest_subnormal)
    numbers = [0.0, tiny, 3 * tiny, float(limits.tiny), 0.25, 0.5, 1, 1.5, 2.5, 3, 7, 100.75]
    numbers += [1 - float(limits.epsneg), 1 + float(limits.eps), 2 / float(limits.eps)]
    numbers += [float(limits.max), np.inf]
    nans = np.array([0x7FC00000, 0xFFC01000, 0x7F802000], np.uint32).view(np.float32)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        nans = nans.astype(dtype)
    return np.concatenate([np.array([*numbers, *(-x for x in numbers)], dtype), nans])


def inputs_of(place, desc, numbers):
    """Yield the memory of each input of a trial: of the numbers, or of corners and random bits."""
    random = place.random
    tensors = [t for _, t in desc.tensors("input_tensor")]
    for number, tensor in enumerate(tensors):
        if tensor is None:
            yield None
            continue
        dtype = tensor.data_type.dtype
        count = -(-tensor.total_tensor_size_in_bytes // dtype.itemsize)
        given = None if numbers is None else numbers[number]
        if given is not None:
            chosen = random.choice(np.asarray(given, dtype).ravel(), count)
        else:
            chosen = random.choice(corners(dtype), count)
            noise = random.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype)
            if dtype.kind == "f":
                near = (random.normal(size=count) * 3).astype(dtype)
                noise = np.where(random.integers(0, 2, count, np.uint8) == 0, noise, near)
            chosen = np.where(random.integers(0, 5, count, np.uint8) < 3, chosen, noise)
        yield chosen.view(np.uint8)[: tensor.total_tensor_size_in_bytes].copy()


def run_trial(place, trial):
    """Compare a descriptor's outputs with those of its oracle, bit for bit."""
    raws = list(inputs_of(place, trial.desc, trial.inputs))
    tensors = [t for _, t in trial.desc.tensors("input_tensor")]
    packed = [
        None if t is None else oracle.elements(t, r) for t, r in zip(tensors, raws, strict=True)
    ]
    with np.errstate(all="ignore"):
        expected = trial.function(*packed)
    expected = expected if isinstance(expected, list | tuple) else [expected]
    for actual, wanted in zip(oracle.run(trial.desc, raws), expected, strict=True):
        assert (actual.dtype, actual.shape) == (wanted.dtype, wanted.shape), trial.desc
        if actual.tobytes() != wanted.tobytes():
            bits = f"u{actual.itemsize}"
            differ = np.argwhere(np.array(actual, order="C").view(bits) != wanted.view(bits))
            at = tuple(differ[0])
            given = [None if a is None else a[at] if a.shape == actual.shape else a for a in packed]
            pytest.fail(
                f"{trial.desc}: {actual[at]!r} at {at} of {len(differ)} is not {wanted[at]!r}; "
                f"inputs {given}"
            )


def run_oracle(oracles, place):
    """Run all trials of an operator at a place."""
    trials = list(oracles[place.name](place))
    assert trials, f"no trial of {place}"
    for trial in trials:
        run_trial(place, trial)


def chosen_places(name, field=None):
    """Return places with every data type, dimension count and layout of an operator."""
    field = field or next(f.name for _, f in fields_of(name) if f.kind.endswith("_tensor"))
    data_types, ranks = oracle.supported(name, field)
    # Where the catalogue lists none, all there are.
    data_types, ranks = list(data_types or ALL_DATA_TYPES), list(ranks)
    rows = chosen(data_types, ranks[::-1], LAYOUTS)
    return [Place(name, *row) for row in rows]


def places(oracles):
    """Return a mark with the chosen places of all operators of a table.

    An oracle that looks at another tensor than the first has its field as `.field`.
    """
    found = [
        place
        for name, function in oracles.items()
        for place in chosen_places(name, getattr(function, "field", None))
    ]
    return pytest.mark.parametrize(
        "place",
        [pytest.param(p, id=f"{p.name}-{p.data_type.name}-{p.rank}-{p.layout}") for p in found],
    )


def of_field(field):
    """Return a decorator of oracles whose places are those of this tensor."""

    def mark(function):
        function.field = field
        return function

    return mark


def meeting(trial):
    """Yield a trial again, if it has several inputs, with so few numbers that equal ones meet."""
    dtypes = [t.data_type.dtype for _, t in trial.desc.tensors("input_tensor")]
    if len(dtypes) > 1:
        numbers = [0.0, -0.0, 1, -1, 3, np.inf, -np.inf, np.nan]
        inputs = [
            np.array(numbers, t) if t.kind == "f" else np.array([0, 1, 3, np.iinfo(t).max], t)
            for t in dtypes
        ]
        yield dataclasses.replace(trial, inputs=inputs)


def element_wise(function_of, *variants, inputs=None, field=None):
    """Return the oracle of an operator whose tensors have equal sizes.

    Parameters
    ----------
    function_of : callable
        From a place, and fields as keywords, to a function of arrays.
    *variants : dict or callable
        Fields, or a function from a place to them; one trial for each, and one without any if there
        are none.
    inputs : callable, optional
        From a place to the `inputs` of trials.
    field : str, optional
        The tensor whose data types are tried; the first if left out.
    """

    def trials(place):
        for variant in variants or ({},):
            fields = variant(place) if callable(variant) else dict(variant)
            function = function_of(place, **fields)
            tensors = element_wise_tensors(place)
            trial = Trial(place.desc(**tensors, **fields), function, inputs and inputs(place))
            yield trial
            if not inputs:
                yield from meeting(trial)

    trials.field = field
    return trials


def element_wise_tensors(place):
    """Return all required tensors of a descriptor, of equal sizes.

    Of another data type than the place's, the first that is allowed, where that is not.
    """
    made = {}
    for name, facts in fields_of(place.name):
        if facts.kind.endswith("_tensor") and not facts.optional:
            data_types, _ = oracle.supported(place.name, facts.name)
            data_type = place.data_type if place.data_type in data_types else next(iter(data_types))
            make = place.tensor if facts.kind == "input_tensor" else place.output
            made[name] = make(data_type=data_type)
    return made


def each(function, dtype=None):
    """Return a function of arrays that applies one of Python's numbers to every element.

    Floats are exact in Python's, which are FLOAT64; results are rounded once to `dtype`, or that
    of the first array. NaN is the one of arithmetic.
    """

    def apply(*arrays):
        to = np.dtype(dtype or arrays[0].dtype)
        rows = zip(*(a.ravel().tolist() for a in arrays), strict=True)
        values = [function(*row) for row in rows]
        if to.kind == "f":
            return oracle.quiet(np.array(values, np.float64).astype(to)).reshape(arrays[0].shape)
        bits = [int(value) % (1 << 8 * to.itemsize) for value in values]
        return np.array(bits, f"u{to.itemsize}").view(to).reshape(arrays[0].shape)

    return apply
