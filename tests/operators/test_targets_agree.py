"""Every operator gives the same bits with each instruction set, any threads, any processor mode.

Operators that come later are taken in by themselves: inputs follow from the examples of their
definitions, and for element-wise ones from the catalogue.
"""

import zlib

import numpy as np
import pytest

import indirectml as dml
from indirectml.catalogue import operator_facts
from indirectml.core.data_types import TensorDataType
from indirectml.descriptors.definitions import definition, fields_of, implemented_operators
from indirectml.descriptors.examples import examples
from indirectml.operators import descriptor_class
from tests.operators.oracle import assert_bits_equal

COUNT = 5000
SETTINGS = [(target, threads) for target in dml.available_targets() for threads in (1, 2)]


def _random(array, generator, *, is_wild):
    """Return an array of the same kind: any bits, or moderate numbers."""
    if array.dtype.kind != "f":
        return array
    if is_wild:
        bits = generator.integers(0, 256, array.nbytes, np.uint8)
        return bits.view(array.dtype).reshape(array.shape)
    return generator.standard_normal(array.shape).astype(array.dtype)


def _trials(name):
    """Yield descriptors and inputs: of each example, and as large ones where that is known."""
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    facts = operator_facts(name)
    tensors = [f.name for f in facts.fields if f.kind != "attribute"]
    grows = any("Sizes" in p and set(tensors) <= set(of) for p, of in facts.same)
    for example in examples(definition(name), definition(name).name):
        for data_type in (TensorDataType.FLOAT32, TensorDataType.FLOAT16):
            made = _made(name, example, data_type, COUNT if grows else None)
            if made is not None:
                desc, shapes = made
                for is_wild in (False, True):
                    inputs = [
                        None if a is None else _random(a, generator, is_wild=is_wild)
                        for a in shapes
                    ]
                    yield desc, inputs


def _made(name, example, data_type, count):
    """Return a descriptor of an example with floats of a data type, and arrays for its inputs."""

    def like(array):
        if array is None:
            return None
        dtype = data_type.dtype if array.dtype.kind == "f" else array.dtype
        grown = (*array.shape[:-1], count) if count else array.shape
        return np.resize(array, grown).astype(dtype)

    sources = {"input_tensor": iter(example.inputs), "output_tensor": iter(example.outputs)}
    known, fields, inputs = dict(fields_of(name)), dict(example.fields), []
    for field, facts in fields_of(definition(name).name):
        if facts.kind == "attribute":
            continue
        source = sources[facts.kind]
        arrays = [like(a) for a in (source if facts.array else [next(source, None)])]
        if field not in known:
            continue
        inputs += arrays if facts.kind == "input_tensor" else []
        descs = [None if a is None else dml.TensorDesc(a.dtype, a.shape) for a in arrays]
        fields[field] = descs if facts.array else descs[0]
    if fields.keys() - known.keys():
        return None
    desc = descriptor_class(name)(**fields)
    try:
        dml.Device().create_operator(desc)
    except dml.DirectMLError:
        return None  # of this data type there is none
    return desc, inputs


@pytest.mark.parametrize("name", implemented_operators())
def test_every_setting_gives_the_bits_of_plain_code(name):
    count = 0
    for desc, inputs in _trials(name):
        device = dml.Device()
        compiled = device.compile_operator(device.create_operator(desc))
        dml.configure(target="portable", max_threads=1)
        expected = compiled(inputs)
        for target, threads in SETTINGS:
            dml.configure(target=target, max_threads=threads)
            for actual, wanted in zip(compiled(inputs), expected, strict=True):
                if wanted is not None:
                    assert_bits_equal(actual=actual, expected=wanted)
        count += 1
    assert count
