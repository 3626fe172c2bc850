"""Cases of every operator: a descriptor and arrays, from examples, oracles' trials and builders.

The trials of oracles have data types, dimension counts and fields in turn; here their tensors are
packed, once of the oracles' sizes and once of random ones. Numbers are those that a trial asks for;
else floats are normal ones, so that a bound can be stated, or any bits where an operator keeps
bits, and integers are small ones and any bits in turn, of 64 bits also such as have equal halves.
"""

import dataclasses
import functools
import importlib
import pkgutil
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from indirectml.descriptors.definitions import definition
from indirectml.descriptors.examples import examples
from indirectml.operators import descriptor_class
from tests import operators
from tests.onnx_export.builders import BUILDERS
from tests.operators.families import Place, chosen_places, corners
from tests.operators.test_examples import fields_with_tensors

#: How many cases of one operator are tried at most, spread over those that there are.
AT_MOST = 40

#: How many of the floats are corners where they are asked for, as a part of all.
_CORNERS = 0.15


@dataclass(frozen=True)
class Case:
    """A descriptor, and what it is given.

    Attributes
    ----------
    name : str
        The operator.
    number : int
        Among the cases of the operator.
    desc : OperatorDesc
        Of packed tensors.
    arrays : tuple of (array or None)
        One per input, None for one that is left out.
    """

    name: str
    number: int
    desc: Any
    arrays: tuple[Any, ...]

    @property
    def label(self) -> str:
        """A short name for messages."""
        return f"{self.name}-{self.number}"


def cases_of(name: str, at_most: int = AT_MOST, seed: int = 0) -> list[Case]:
    """Return the cases of an operator, the same for each seed: its examples, then others."""
    pairs = list(_examples(name))
    others = list(_others(name, seed))
    if len(pairs) + len(others) > at_most:
        room = max(at_most - len(pairs), 1)
        others = [others[int(k * len(others) / room)] for k in range(room)]
    return [
        Case(name, number, desc, tuple(arrays))
        for number, (desc, arrays) in enumerate([*pairs, *others])
    ]


def with_corners(case: Case) -> Case:
    """Return a case in which some floats are NaN, infinite, zeros of both signs, and at limits.

    Scales of integers, regions, and lengths stay as they are.
    """
    random = np.random.default_rng(zlib.crc32(case.label.encode()))
    is_quantized = case.desc.definition.module == "quantized"
    arrays = []
    for (field, _), array in zip(case.desc.tensors("input_tensor"), case.arrays, strict=True):
        is_kept = any(word in field for word in ("roi", "lengths"))
        is_kept |= is_quantized and ("scale" in field or "quantization" in field)
        if array is None or array.dtype.kind != "f" or is_kept:
            arrays.append(array)
            continue
        chosen = random.random(array.shape) < _CORNERS
        arrays.append(np.where(chosen, random.choice(corners(array.dtype), array.shape), array))
    return dataclasses.replace(case, arrays=tuple(arrays))


def _examples(name: str) -> Iterator[tuple[Any, Any]]:
    for example in examples(definition(name), definition(name).name):
        fields = fields_with_tensors(name, example)
        if fields is not None:
            desc = descriptor_class(name)(**fields)
            count = len(desc.tensors("input_tensor"))
            yield desc, example.inputs[:count]


def _others(name: str, seed: int) -> Iterator[tuple[Any, Any]]:
    random = np.random.default_rng([seed, zlib.crc32(name.encode())])
    if name in BUILDERS:
        for desc, chosen in BUILDERS[name](random):
            yield desc, list(_inputs(desc, chosen, random))
        return
    oracle = oracles()[name]
    for place in chosen_places(name, getattr(oracle, "field", None)):
        # Outputs with gaps have no form in ONNX, and inputs with gaps are the graph's affair.
        fields = (place.name, place.data_type, place.rank, "packed")
        for trial in oracle(Place(*fields)):
            yield trial.desc, list(_inputs(trial.desc, trial.inputs, random))
        for trial in oracle(_Drawn(*fields, _sizes(place.rank, random))):
            desc = trial.desc
            if getattr(desc, "scale_bias", None) is not None:
                desc = dataclasses.replace(desc, scale_bias=None)
            yield desc, list(_inputs(desc, trial.inputs, random))


@dataclass(frozen=True)
class _Drawn(Place):
    """A place whose tensor has other sizes."""

    drawn: tuple[int, ...] = ()

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.drawn


def _sizes(rank: int, random: Any) -> tuple[int, ...]:
    """Return sizes of some hundred elements at most."""
    most = {1: 300, 2: 20, 3: 9, 4: 6}.get(rank, 4)
    outer = random.integers(3, most + 1, min(rank, 4))
    return (*map(int, outer), *map(int, random.integers(1, 3, max(rank - 4, 0))))


@functools.cache
def oracles() -> dict[str, Any]:
    """Return the oracles in the tables of all test files of families, by operator."""
    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(operators.__path__):
        if module.name.startswith("test_"):
            table = getattr(
                importlib.import_module(f"tests.operators.{module.name}"), "ORACLES", {}
            )
            found |= {k: v for k, v in table.items() if isinstance(k, str)}
    return found


def _inputs(desc: Any, chosen: Any, random: Any) -> Iterator[Any]:
    """Yield an array per input: the one that is given, or of given numbers, or random ones."""
    is_quantized = desc.definition.module == "quantized"
    for number, (field, tensor) in enumerate(desc.tensors("input_tensor")):
        given = None if chosen is None else chosen[number]
        if tensor is None:
            yield None
        elif is_quantized and "scale" in field:
            # What a scale of 0, below it or none is, nobody says.
            yield (random.random(tensor.sizes) + 0.05).astype(tensor.data_type.dtype)
        elif given is not None:
            numbers = np.asarray(given, tensor.data_type.dtype)
            is_whole = numbers.shape == tensor.sizes_tuple
            yield numbers if is_whole else random.choice(numbers.ravel(), tensor.sizes)
        else:
            numbers = _numbers(tensor, random, keeps_bits=not desc.is_arithmetic)
            # A network of large weights without a limit multiplies every difference.
            is_network = desc.definition.module == "recurrent" and numbers.dtype.kind == "f"
            yield numbers * numbers.dtype.type(0.25) if is_network else numbers


def _numbers(tensor: Any, random: Any, *, keeps_bits: bool) -> Any:
    dtype, sizes = tensor.data_type.dtype, tensor.sizes
    count = int(np.prod(sizes))
    noise = random.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype).reshape(sizes)
    if keeps_bits:
        return np.where(random.random(sizes) < 0.5, noise, random.choice(corners(dtype), sizes))
    if dtype.kind == "f":
        return (random.normal(size=sizes) * 2).astype(dtype)
    small = random.integers(0 if dtype.kind == "u" else -9, 10, sizes).astype(dtype)
    if dtype.itemsize == 8 and random.random() < 1 / 3:
        return (noise & np.array(0xFFFFFFFF, dtype)) | (small << np.array(32, dtype))
    return noise if random.random() < 0.5 else small
