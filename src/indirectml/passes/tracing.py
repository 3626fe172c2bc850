"""From definitions to programs: a definition is called with what stands for its arrays.

What stands for an array writes down which operations are applied to it. A definition that looks at
sizes, at elements, or does what programs have no instruction for, has no program, and is called
with arrays as before. So nothing is said twice, and every instruction is one operation of NumPy, or
one function, that the definition itself has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import mixins

from indirectml.arithmetic.basics import StandIn
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.operators import compute_function
from indirectml.programs import CANONICAL

DType = np.dtype[Any]

_BOOL, _FLOAT16, _FLOAT32, _FLOAT64 = (
    np.dtype(t) for t in (np.bool_, np.float16, np.float32, np.float64)
)
#: Those in which is computed.
_FLOATS = (_FLOAT32, _FLOAT64)
_TYPES = frozenset(
    [f"float{bits}" for bits in (16, 32, 64)]
    + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)

_NAME_OF: dict[DType, str] = {np.dtype(name): name for name in _TYPES} | {_BOOL: "uint8"}

#: Operations of NumPy that are instructions: on FLOAT32 and FLOAT64, on integers, on bits, and on
#: truth values.
_ON_FLOATS = frozenset(
    [
        np.abs, np.negative, np.ceil, np.floor, np.rint, np.trunc, np.sign, np.add,
        np.subtract, np.multiply, np.divide, np.fmod, np.copysign,
    ]
)  # fmt: skip
_ON_INTEGERS = frozenset(
    [
        np.abs, np.negative, np.sign, np.add, np.subtract, np.multiply, np.floor_divide,
        np.fmod, np.mod, np.maximum, np.minimum,
    ]
)  # fmt: skip
_ON_BITS = frozenset(
    [np.invert, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift]
)
_ON_TRUTH = frozenset([np.bitwise_and, np.bitwise_or, np.bitwise_xor])
_COMPARISONS = {
    np.less: ("less", False),
    np.less_equal: ("less_equal", False),
    np.greater: ("less", True),
    np.greater_equal: ("less_equal", True),
    np.equal: ("equal", False),
    np.not_equal: ("not_equal", False),
}
_TESTS = frozenset([np.isnan, np.isinf, np.signbit])


class Untraceable(Exception):  # noqa: N818 (no error: there is another way)
    """A definition has no program."""


#: What an instruction of a template reads: ("input", n), ("result", n), ("constant", type, bits).
Reference = tuple[Any, ...]


class Template(NamedTuple):
    """What an operator does with each element.

    Attributes
    ----------
    inputs : tuple of str or None
        The types of its inputs; None for one that is left out.
    instructions : tuple
        Each (name, type of sources, type, references to the sources).
    outputs : tuple of Reference
        One for each output that is not left out.
    """

    inputs: tuple[str | None, ...]
    instructions: tuple[tuple[str, str, str, tuple[Reference, ...]], ...]
    outputs: tuple[Reference, ...]


def template(desc: OperatorDesc) -> Template | None:
    """Return what an operator does with each element; None if that is not all it does."""
    key = fields_key(desc)
    found = templates.get(key)
    if found is None:
        if len(templates) >= _MOST:
            templates.clear()
        found = templates[key] = _traced(desc) or _NO_TEMPLATE
    return None if found is _NO_TEMPLATE else found


def fields_key(desc: OperatorDesc) -> tuple[Any, ...]:
    """Return an operator, its fields and the data types of its tensors, as a key."""
    found: tuple[Any, ...] | None = desc.__dict__.get("_fields_key")
    if found is not None:
        return found
    key: list[Any] = [desc.operator_name]
    for name, facts in desc._fields():
        value = getattr(desc, name)
        if facts.type == "TENSOR_DESC":
            tensors = value if facts.array else (value,)
            key.append(tuple(None if t is None else t.data_type for t in tensors))
        else:
            # Which tells zeros by their signs.
            key.append(None if value is None else repr(value))
    found = tuple(key)
    object.__setattr__(desc, "_fields_key", found)
    return found


#: What was traced, by operators, data types and fields.
templates: dict[tuple[Any, ...], Template] = {}
_MOST = 4096
_NO_TEMPLATE = Template((), (), ())


def _traced(desc: OperatorDesc) -> Template | None:
    # One that is told its sizes makes arrays of them, and is not done element by element.
    if "output_sizes" in desc.definition.keywords:
        return None
    try:
        return _trace(desc)
    # What a definition does with what is no array ends in one of these.
    except (Untraceable, AttributeError, TypeError, ValueError, IndexError):
        return None


def _trace(desc: OperatorDesc) -> Template:
    trace = Trace()
    is_arithmetic = desc.is_arithmetic
    types: list[str | None] = []
    arrays: list[Value | None] = []
    for number, (_, tensor) in enumerate(desc.tensors("input_tensor")):
        if tensor is None:
            types.append(None)
            arrays.append(None)
            continue
        dtype = dtype_of(tensor)
        types.append(type_name(dtype))
        value = Value(trace, ("input", number), dtype)
        arrays.append(value.astype(_FLOAT32) if is_arithmetic and dtype == _FLOAT16 else value)
    with np.errstate(all="ignore"):
        results = compute_function(desc.operator_name)(desc, *arrays)
    if not isinstance(results, tuple):
        results = (results,)
    outputs = []
    written = [tensor for _, tensor in desc.tensors("output_tensor") if tensor is not None]
    for tensor, result in zip(written, results, strict=True):
        dtype = dtype_of(tensor)
        if not np.can_cast(_dtype(result), dtype, "same_kind"):
            raise Untraceable
        value = trace.value(result, dtype)
        if is_arithmetic and dtype.kind == "f":
            value = value.canonical()
        outputs.append(value.reference)
    return _without_the_unused(Template(tuple(types), tuple(trace.instructions), tuple(outputs)))


def _without_the_unused(found: Template) -> Template:
    """Return a template without the instructions that no output needs."""
    needed: set[int] = set()
    waiting = list(found.outputs)
    while waiting:
        reference = waiting.pop()
        if reference[0] == "result" and reference[1] not in needed:
            needed.add(reference[1])
            waiting += found.instructions[reference[1]][3]
    if len(needed) == len(found.instructions):
        return found
    number_of = {old: new for new, old in enumerate(sorted(needed))}

    def moved(reference: Reference) -> Reference:
        return ("result", number_of[reference[1]]) if reference[0] == "result" else reference

    return found._replace(
        instructions=tuple(
            (name, source, type_, tuple(map(moved, references)))
            for name, source, type_, references in map(found.instructions.__getitem__, number_of)
        ),
        outputs=tuple(map(moved, found.outputs)),
    )


def dtype_of(tensor: TensorDesc) -> DType:
    """Return the dtype of the elements of a tensor, if they are elements of programs."""
    dtype: DType | None = tensor.data_type.dtype
    if tensor.is_in_halves or dtype is None:
        raise Untraceable
    return dtype


def type_name(dtype: DType) -> str:
    """Return the type of an element of a program."""
    name = _NAME_OF.get(dtype)
    if name is None:
        raise Untraceable
    return name


def _dtype(x: Any) -> DType:
    """Return the dtype of a value or a scalar."""
    if isinstance(x, Value | np.generic):
        dtype: DType = x.dtype
        return dtype
    raise Untraceable


class Trace:
    """Instructions as they are met."""

    def __init__(self) -> None:
        self.instructions: list[tuple[str, str, str, tuple[Reference, ...]]] = []
        self._known: dict[Any, int] = {}

    def add(self, name: str, source: str, dtype: DType, *values: Value) -> Value:
        """Add an instruction, once; returns its result."""
        type_ = type_name(dtype)
        instruction = (name, source, type_, tuple(value.reference for value in values))
        number = self._known.get(instruction)
        if number is None:
            number = self._known[instruction] = len(self.instructions)
            self.instructions.append(instruction)
        return self.made(("result", number), dtype, values, is_canonical=name in CANONICAL)

    def made(
        self,
        reference: Reference,
        dtype: DType,
        sources: Sequence[Value] = (),  # noqa: ARG002 (whose sizes it has, where there are sizes)
        *,
        is_canonical: bool = False,
    ) -> Value:
        """Return what stands for what a reference gives."""
        return Value(self, reference, dtype, is_canonical=is_canonical)

    def dtype_of(self, x: Any) -> DType:
        """Return the dtype of an operand."""
        return _dtype(x)

    def value(self, x: Any, dtype: DType) -> Value:
        """Return a value or a scalar as a value of a dtype."""
        if isinstance(x, Value):
            return x.astype(dtype)
        if not isinstance(x, bool | int | float | np.generic):
            raise Untraceable
        scalar = np.asarray(x).astype(dtype)
        if isinstance(x, int) and dtype.kind in "iu" and int(scalar) != x:
            raise Untraceable
        if scalar.ndim or dtype.itemsize > 8:  # noqa: PLR2004 (bytes of the widest type)
            raise Untraceable
        type_name(dtype)
        bits = int(scalar.view(f"u{dtype.itemsize}"))
        reference = ("constant", type_name(dtype), bits)
        is_number = bool(dtype.kind != "f" or scalar == scalar)  # noqa: PLR0124 (no NaN)
        return self.made(reference, dtype, is_canonical=is_number)


class Value(StandIn, mixins.NDArrayOperatorsMixin):
    """What stands for an array of any sizes.

    Attributes
    ----------
    reference : Reference
        What gives it.
    dtype : dtype
        Of its elements.
    """

    def __init__(
        self, trace: Trace, reference: Reference, dtype: DType, *, is_canonical: bool = False
    ) -> None:
        self.trace = trace
        self.reference = reference
        self.dtype = dtype
        self.is_canonical = is_canonical

    def __array__(self, *_: Any, **__: Any) -> Any:
        """Refuse to become an array."""
        raise Untraceable

    def __bool__(self) -> bool:
        """Refuse: elements are not known."""
        raise Untraceable

    def astype(self, dtype: Any, copy: bool = True) -> Value:  # noqa: ARG002, FBT001, FBT002 (NumPy's)
        """Return the elements in another dtype."""
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self
        source = type_name(self.dtype)
        if dtype == _BOOL:
            raise Untraceable
        kinds = self.dtype.kind in "iub", dtype.kind in "iu"
        if (kinds[0] and dtype == _FLOAT16) or (self.dtype, dtype) == (_FLOAT16, _FLOAT64):
            # What FLOAT32 does not hold is infinite: nothing is rounded twice.
            return self.astype(_FLOAT32).astype(dtype)
        if self.dtype == _BOOL and dtype.itemsize == 1 and kinds[1]:
            return self.trace.made(self.reference, dtype, (self,))
        if not kinds[0] and dtype.kind != "f":  # `truncated` says what becomes of floats
            raise Untraceable
        narrow = self._widened() if all(kinds) or kinds[0] else None
        if narrow is not None:
            return narrow.astype(dtype)
        made = self.trace.add("convert", source, dtype, self)
        made.is_canonical = True
        return made

    def _widened(self) -> Value | None:
        """Return the integers that these are, widened; None if they are something else."""
        if self.reference[0] != "result":
            return None
        name, source, _, (reference, *_) = self.trace.instructions[self.reference[1]]
        if name != "convert" or source.startswith("f"):
            return None
        dtype = np.dtype(source)
        if not np.can_cast(dtype, self.dtype):
            return None
        return self.trace.made(reference, dtype, (self,))

    def view(self, dtype: Any) -> Value:
        """Return the same bits in a dtype of the same width."""
        dtype = np.dtype(dtype)
        if dtype.itemsize != self.dtype.itemsize or self.dtype == _BOOL:
            raise Untraceable
        type_name(dtype)
        return self.trace.made(self.reference, dtype, (self,))

    def canonical(self) -> Value:
        """Return the elements with every NaN the positive quiet one."""
        if self.is_canonical:
            return self
        if self.dtype == _FLOAT16:
            return self.astype(_FLOAT32).astype(_FLOAT16)
        return self.trace.add("canonical", type_name(self.dtype), self.dtype, self)

    def applied(self, name: str, y: Any, dtype: Any) -> Value:
        """Return a correctly rounded function of it, and perhaps of another."""
        others = [] if y is None else [self.trace.value(y, _FLOAT32)]
        made = self.trace.add(name, "float32", np.dtype(dtype), self.astype(_FLOAT32), *others)
        made.is_canonical = True
        return made

    def truncated(self, dtype: DType) -> Value:
        """Return it as integers, as `truncated_to` does."""
        if self.dtype not in _FLOATS or dtype.kind not in "iu":
            raise Untraceable
        return self.trace.add("truncate", type_name(self.dtype), dtype, self)

    def quantized(self, zero_point: Any, dtype: DType) -> Value:
        """Return it as 8-bit integers, as `quantized_to` does."""
        if self.dtype != _FLOAT32:
            raise Untraceable
        zero = self.trace.value(zero_point, _FLOAT32)
        return self.trace.add("quantize", "float32", dtype, self, zero)

    def spoken(self, word: Any, bound: dict[str, Any]) -> Any:  # noqa: ARG002 (of stand-ins with sizes)
        """Refuse: a word is more than what is done with each element."""
        raise Untraceable

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Value:
        """Write an operation down."""
        if method != "__call__" or options:
            raise Untraceable
        kinds = [
            type(x)
            if isinstance(x, bool | int | float) and not isinstance(x, np.generic)
            else self.trace.dtype_of(x)
            for x in inputs
        ]
        *loops, result = ufunc.resolve_dtypes((*kinds, None))
        values = [self.trace.value(x, dtype) for x, dtype in zip(inputs, loops, strict=True)]
        dtype = values[0].dtype
        source = type_name(dtype)
        if ufunc in _COMPARISONS and dtype != _FLOAT16:
            name, is_turned = _COMPARISONS[ufunc]
            return self.trace.add(name, source, _BOOL, *(values[::-1] if is_turned else values))
        if dtype == _BOOL:
            if ufunc is np.invert:
                values.append(self.trace.value(np.bool_(True), _BOOL))  # noqa: FBT003 (a scalar)
                return self.trace.add("bitwise_xor", source, _BOOL, *values)
            if ufunc not in _ON_TRUTH:
                raise Untraceable
            return self.trace.add(ufunc.__name__, source, _BOOL, *values)
        if dtype == _FLOAT32 and ufunc is np.sqrt:
            return values[0].applied("sqrt", None, _FLOAT32)
        if dtype in _FLOATS and ufunc in _TESTS:
            return self.trace.add(ufunc.__name__, source, _BOOL, *values)
        is_unsigned = dtype.kind == "u"
        is_known = (
            (dtype in _FLOATS and ufunc in _ON_FLOATS)
            or (dtype.kind in "iu" and ufunc in _ON_INTEGERS)
            or (is_unsigned and (ufunc in _ON_BITS or ufunc is np.bitwise_count))
        )
        if not is_known:
            raise Untraceable
        return self.trace.add(_NAMES.get(ufunc, ufunc.__name__), source, result, *values)

    def __array_function__(
        self, function: Any, types: Any, arguments: Any, options: Any
    ) -> Any:  # fmt: skip
        """Write a choice down, or a constant."""
        if options:
            raise Untraceable
        if function is np.where:
            return self._chosen(*arguments)
        if function is np.clip and self.dtype.kind in "iu":
            _, low, high = arguments
            limits = self.dtype.type(low), self.dtype.type(high)
            return np.minimum(np.maximum(self, limits[0]), limits[1])
        if function is np.full_like and len(arguments) == 2:  # noqa: PLR2004 (of what, and with what)
            like, number = arguments
            return self.trace.value(number, like.dtype)
        raise Untraceable

    def _chosen(self, condition: Any, yes: Any, no: Any) -> Value:
        if not isinstance(condition, Value) or condition.dtype != _BOOL:
            raise Untraceable
        kinds = [_dtype(x) if isinstance(x, Value | np.generic) else x for x in (yes, no)]
        dtype = np.result_type(*kinds)
        values = [self.trace.value(x, dtype) for x in (yes, no)]
        bits = f"uint{8 * dtype.itemsize}"
        # The type is of bits, and says what they are of afterwards.
        made = self.trace.add("choose", bits, np.dtype(bits), condition, *values)
        is_canonical = all(value.is_canonical for value in values)
        return self.trace.made(made.reference, dtype, (made,), is_canonical=is_canonical)


#: Where NumPy's names of operations differ from one version to another.
_NAMES = {np.divide: "divide", np.mod: "remainder", np.abs: "absolute"}


def instructions() -> dict[str, frozenset[str]]:
    """Return the names of the instructions that operations of NumPy are, by what they are on."""
    kinds = {
        "on floats": _ON_FLOATS,
        "on integers, modulo 2^bits": _ON_INTEGERS,
        "on bits": _ON_BITS,
    }
    named = {kind: {_NAMES.get(u, u.__name__) for u in found} for kind, found in kinds.items()}
    named["to truth values, 0 or 1"] = {u.__name__ for u in _TESTS}
    named["to truth values, 0 or 1"] |= {name for name, _ in _COMPARISONS.values()}
    return {kind: frozenset(names) for kind, names in named.items()}
