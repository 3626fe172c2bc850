"""Element-wise logic, comparisons and operations on bits against Python's numbers and strings."""

import math
import operator
from dataclasses import replace

import numpy as np

import indirectml as dml
from tests.operators.families import (
    Trial,
    each,
    element_wise,
    element_wise_tensors,
    meeting,
    places,
    run_oracle,
)
from tests.operators.oracle import supported

ORACLES = {}


def flags(function, *variants):
    """Return the oracle of a function of numbers that is true or false, for every output type."""

    def trials(place):
        data_types = supported(place.name, "OutputTensor")[0]
        for variant in variants or ({},):
            for data_type in data_types:
                tensors = element_wise_tensors(place)
                tensors["output_tensor"] = place.output(data_type=data_type)
                counted = each(lambda *row, v=variant: function(*row, **v), data_type.dtype)
                trial = Trial(place.desc(**tensors, **variant), counted)
                yield trial
                yield from meeting(trial)

    return trials


def is_infinity(x, *, infinity_mode):
    if infinity_mode == dml.IsInfinityMode.EITHER:
        return math.isinf(x)
    return x == (math.inf if infinity_mode == dml.IsInfinityMode.POSITIVE else -math.inf)


#: Zeros among what is true or false.
BOTH = np.array([0, 0, 0, 1, 2, 255], np.uint8)


def truths(function):
    def trials(place):
        for trial in flags(function)(place):
            count = len(trial.desc.tensors("input_tensor"))
            if place.data_type == trial.desc.output_tensor.data_type:
                yield replace(trial, inputs=[BOTH] * count)

    return trials


ORACLES["ELEMENT_WISE_LOGICAL_AND"] = truths(lambda a, b: bool(a) and bool(b))
ORACLES["ELEMENT_WISE_LOGICAL_OR"] = truths(lambda a, b: bool(a) or bool(b))
ORACLES["ELEMENT_WISE_LOGICAL_XOR"] = truths(lambda a, b: bool(a) is not bool(b))
ORACLES["ELEMENT_WISE_LOGICAL_NOT"] = truths(lambda a: not a)
ORACLES["ELEMENT_WISE_LOGICAL_EQUALS"] = flags(operator.eq)
ORACLES["ELEMENT_WISE_LOGICAL_GREATER_THAN"] = flags(operator.gt)
ORACLES["ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL"] = flags(operator.ge)
ORACLES["ELEMENT_WISE_LOGICAL_LESS_THAN"] = flags(operator.lt)
ORACLES["ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL"] = flags(operator.le)
ORACLES["ELEMENT_WISE_IS_NAN"] = flags(math.isnan)
ORACLES["ELEMENT_WISE_IS_INFINITY"] = flags(
    is_infinity, *({"infinity_mode": mode} for mode in dml.IsInfinityMode)
)


def bytes_of(array):
    return array.tobytes()


def on_bytes(function):
    """Return the oracle of a function of bytes: bits do not meet others."""

    def apply(*arrays):
        changed = bytes(function(*row) & 255 for row in zip(*map(bytes_of, arrays), strict=True))
        return np.frombuffer(changed, arrays[0].dtype).reshape(arrays[0].shape)

    return element_wise(lambda _: apply)


ORACLES["ELEMENT_WISE_BIT_AND"] = on_bytes(operator.and_)
ORACLES["ELEMENT_WISE_BIT_OR"] = on_bytes(operator.or_)
ORACLES["ELEMENT_WISE_BIT_XOR"] = on_bytes(operator.xor)
ORACLES["ELEMENT_WISE_BIT_NOT"] = on_bytes(operator.inv)


def bit_count(place):
    """Ones in the bytes of an element, written out."""
    for data_type in supported(place.name, "OutputTensor")[0]:

        def apply(x, dtype=data_type.dtype):
            size, raw = x.itemsize, x.tobytes()
            texts = [raw[k : k + size] for k in range(0, len(raw), size)]
            ones = [sum(format(b, "b").count("1") for b in text) for text in texts]
            return np.array(ones, dtype).reshape(x.shape)

        output = place.output(data_type=data_type)
        yield Trial(place.desc(input_tensor=place.tensor(), output_tensor=output), apply)


ORACLES["ELEMENT_WISE_BIT_COUNT"] = bit_count


def shifted(function):
    """Return the oracle of a shift, by amounts around the number of bits and far beyond it."""

    def amounts(place):
        bits = 8 * place.dtype.itemsize
        largest = int(np.iinfo(place.dtype).max)
        near = [0, 1, 3, bits // 2, bits - 1, bits, bits + 1, 2 * bits, largest]
        return [None, np.array(near, place.dtype)]

    def by_number(place):
        bits = 8 * place.dtype.itemsize
        return each(lambda a, b: function(a, b) if b < bits else 0)

    return element_wise(by_number, inputs=amounts)


ORACLES["ELEMENT_WISE_BIT_SHIFT_LEFT"] = shifted(lambda a, b: a * 2**b)
ORACLES["ELEMENT_WISE_BIT_SHIFT_RIGHT"] = shifted(lambda a, b: a // 2**b)


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)
