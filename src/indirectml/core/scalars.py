"""Numbers to exact bits, once, at the door.

A number that a data type cannot hold is refused instead of changed: integers must fit, fractions
are no integers, and a finite number does not become an infinity. Floats are rounded once, to
nearest, ties to even, by integer arithmetic: the process's floating-point flags do not matter.
"""

from __future__ import annotations

import math
import operator
from decimal import Decimal
from fractions import Fraction
from typing import Any, SupportsIndex

import numpy as np

from indirectml import _native
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DataTypeError, ScalarError, shown
from indirectml.core.records import record

_UNION_BYTES = 8

#: The members of DML_SCALAR_UNION by their names in Python, and how each is read.
_UNION_MEMBERS = {
    t.union_member.lower(): t
    for t in TensorDataType
    if t.union_member is not None and t.union_member.lower() == t.name.lower()
}


@record(init=False, repr=False)
class ScalarUnion:
    """The eight bytes of a DML_SCALAR_UNION, read as whatever the value data type says.

    Parameters
    ----------
    raw : bytes, optional
        The eight bytes, lowest first. Zero if neither this nor a member is given.
    **member : int or float
        Instead of `raw`, one member by its name: int8, uint8, int16, uint16, int32, uint32,
        int64, uint64, float32 or float64. A FLOAT16 has no member; its bits go into uint16.

    Raises
    ------
    ScalarError
        `raw` has not eight bytes, there is more than one member, or the member cannot hold the
        number.

    References
    ----------
    DirectML: DML_SCALAR_UNION structure.

    Examples
    --------
    >>> ScalarUnion(float32=1.5).raw.hex()
    '0000c03f00000000'
    >>> ScalarUnion(float32=1.5).bits(TensorDataType.UINT16)
    0
    """

    raw: bytes

    def __init__(self, raw: bytes | None = None, /, **member: float) -> None:
        if raw is not None and not member:
            if not isinstance(raw, bytes | bytearray) or len(raw) != _UNION_BYTES:
                raise ScalarError("a scalar union has 8 bytes", given=shown(raw))
            object.__setattr__(self, "raw", bytes(raw))
            return
        if raw is not None or len(member) > 1 or not member.keys() <= _UNION_MEMBERS.keys():
            names = ", ".join(_UNION_MEMBERS)
            given = ", ".join([*(["raw"] if raw is not None else []), *member])
            raise ScalarError(f"a scalar union needs its bytes or one of {names}", given=given)
        bits = 0
        for name, value in member.items():
            try:
                bits = exact_bits(value, _UNION_MEMBERS[name])
            except (ScalarError, DataTypeError) as error:
                raise error.within(name) from None
        object.__setattr__(self, "raw", bits.to_bytes(_UNION_BYTES, "little"))

    def bits(self, data_type: TensorDataType) -> int:
        """Return the low bits, as many as an element of the data type has."""
        return int.from_bytes(self.raw[: data_type.item_bytes], "little")

    def __repr__(self) -> str:
        return f"ScalarUnion(bytes.fromhex('{self.raw.hex()}'))"


#: Integers up to this magnitude are exact as Python floats.
_EXACT = 2**53

#: No number of any data type has a decimal exponent beyond this, up or down.
_LARGEST_DECIMAL_EXPONENT = 400

#: What a fill value may be.
Scalar = (
    SupportsIndex
    | float
    | Fraction
    | Decimal
    | np.number[Any]
    | np.bool_
    | np.ndarray[tuple[()], Any]
    | ScalarUnion
    | bytes
)


def exact_bits(value: Scalar, data_type: TensorDataType, *, is_delta: bool = False) -> int:
    """Return the bits of a number as an element of a data type.

    Parameters
    ----------
    value : int, float, Fraction, Decimal, NumPy number, ScalarUnion or bytes
        Anything that `operator.index` takes is an integer, and an array without dimensions is the
        number in it. A ScalarUnion, or its eight bytes, is taken as it is. A NumPy float of the
        data type itself keeps every bit, NaN payload and sign of zero included.
    data_type : TensorDataType
        One with a NumPy dtype.
    is_delta : bool
        A delta of an unsigned type may be negative as long as its magnitude fits; it is taken
        modulo 2^bits (the published UINT8 example counts down by -2).

    Returns
    -------
    int
        From 0 to 2^bits - 1.

    Raises
    ------
    ScalarError
        The data type cannot hold the number.
    DataTypeError
        `value` is not a number.

    Notes
    -----
    Floats are rounded once, to nearest, ties to even. A NaN of another type keeps its sign and
    the highest bits of its payload, and becomes quiet.

    Examples
    --------
    >>> hex(exact_bits(0.3, TensorDataType.FLOAT16))
    '0x34cd'
    >>> exact_bits(-2, TensorDataType.UINT8, is_delta=True)
    254
    >>> exact_bits(300, TensorDataType.INT8)
    Traceback (most recent call last):
    indirectml.core.errors.ScalarError: INT8 holds -128..127, got 300
    """
    precision = data_type.precision
    if precision and (type(value) is float or (type(value) is int and -_EXACT <= value <= _EXACT)):
        bits: int = _native.convert_double(value, data_type.bits, precision)
        if bits in data_type.infinities and not math.isinf(value):
            raise _refused(value, data_type)
        return bits
    if type(value) is int and not precision:
        return _from_integer(value, data_type, value, is_delta=is_delta)
    return _from_other(value, data_type, is_delta=is_delta)


def _from_other(value: Any, data_type: TensorDataType, *, is_delta: bool) -> int:
    """Convert everything but the two commonest kinds."""
    given, value = value, _unwrapped(value)
    if isinstance(value, ScalarUnion):
        return value.bits(data_type)
    if isinstance(value, np.float16 | np.float32 | np.float64) and data_type.is_float:
        return _from_numpy_float(value, data_type)
    if isinstance(value, float | np.floating) and (value == 0 or not np.isfinite(value)):
        if value == 0 and not data_type.is_float:
            return 0
        if not data_type.is_float:
            raise _refused(given, data_type, is_delta=is_delta)
        return exact_bits(float(value), data_type)
    if isinstance(value, float | Fraction | np.floating):
        numerator, denominator = value.as_integer_ratio()
    else:
        numerator, denominator = int(value), 1
    if data_type.is_float:
        return _from_ratio(given, data_type, numerator, denominator)
    if denominator != 1:
        raise _refused(given, data_type, is_delta=is_delta)
    return _from_integer(given, data_type, numerator, is_delta=is_delta)


def exact_value(bits: int, data_type: TensorDataType) -> Fraction | float:
    """Return the number that the bits of an element stand for, without rounding.

    Parameters
    ----------
    bits : int
        From 0 to 2^bits - 1.
    data_type : TensorDataType
        Its width and precision are asked for, nothing else.

    Returns
    -------
    Fraction or float
        A fraction where it is finite. Otherwise a float: an infinity or NaN. Both zeros are 0.

    Examples
    --------
    >>> exact_value(0x3800, TensorDataType.FLOAT16), exact_value(0xFF, TensorDataType.INT8)
    (Fraction(1, 2), Fraction(-1, 1))
    """
    sign_bit = 1 << (data_type.bits - 1)
    if not data_type.precision:
        return Fraction(bits - 2 * sign_bit if data_type.signed and bits & sign_bit else bits)
    magnitude, infinity = bits & (sign_bit - 1), data_type.infinities[0]
    if magnitude > infinity:
        return math.nan
    if magnitude == infinity:
        return -math.inf if bits & sign_bit else math.inf
    hidden_bit = 1 << (data_type.precision - 1)
    exponent, significand = divmod(magnitude, hidden_bit)
    if exponent:
        significand, exponent = significand + hidden_bit, exponent - 1
    unit = 3 - (1 << (data_type.bits - data_type.precision - 1)) - data_type.precision
    value = Fraction(significand) * Fraction(2) ** (exponent + unit)
    return -value if bits & sign_bit else value


def exact_number(value: Any) -> Fraction | float:
    """Return any number that a fill takes, without rounding: as `exact_value` does.

    Raises
    ------
    DataTypeError
        `value` is no number; a scalar union is none either.

    Examples
    --------
    >>> exact_number(0.1) == Fraction(1, 10), exact_number(np.float16(0.5))
    (False, Fraction(1, 2))
    """
    value = _unwrapped(value)
    if isinstance(value, ScalarUnion):
        raise DataTypeError("needs a number", given=shown(value))
    if isinstance(value, float | np.floating) and not np.isfinite(value):
        return float(value)
    if isinstance(value, float | Fraction | np.floating):
        return Fraction(*value.as_integer_ratio())
    return Fraction(int(value))


def _unwrapped(value: Any) -> Any:
    """Return a number or a scalar union; other types are refused."""
    if isinstance(value, bytes | bytearray):
        return ScalarUnion(bytes(value))
    try:
        if hasattr(value, "__array__") and getattr(value, "shape", None) == ():
            value = np.asarray(value)[()]
        kinds = ScalarUnion | int | float | Fraction | np.integer | np.floating | np.bool_
        # NumPy counts durations among its integers.
        if isinstance(value, kinds) and not isinstance(value, np.timedelta64):
            return value
        if isinstance(value, Decimal):
            return _from_decimal(value)
        if not isinstance(value, np.generic | np.ndarray):
            return operator.index(value)
    except (TypeError, ValueError, RuntimeError):
        pass  # it is no number, whatever it says of itself
    raise DataTypeError("needs a number", given=f"{shown(value)} ({type(value).__name__})")


def _from_decimal(value: Decimal) -> float | Fraction:
    """Return a decimal number as a fraction; zeros, infinities and NaNs as floats."""
    if value.is_nan():
        return -math.nan if value.is_signed() else math.nan
    if not value.is_finite() or value == 0:
        return float(value)
    # Beyond all data types it stays so, without a fraction of a billion digits.
    if abs(value.adjusted()) > _LARGEST_DECIMAL_EXPONENT:
        largest = 10**_LARGEST_DECIMAL_EXPONENT
        beyond = Fraction(largest) if value.adjusted() > 0 else Fraction(1, largest)
        return -beyond if value.is_signed() else beyond
    return Fraction(*value.as_integer_ratio())


def _from_integer(given: object, data_type: TensorDataType, value: int, *, is_delta: bool) -> int:
    maximum = data_type.maximum
    minimum = -maximum if is_delta and not data_type.signed else data_type.minimum
    if not minimum <= value <= maximum:
        raise _refused(given, data_type, is_delta=is_delta)
    return value & ((1 << data_type.bits) - 1)


def _from_numpy_float(value: Any, data_type: TensorDataType) -> int:
    """Convert a float16, float32 or float64 scalar, by its bits."""
    source = TensorDataType[value.dtype.name.upper()]
    bits = int(value.view(f"u{source.item_bytes}"))
    result: int = _native.convert(
        source.bits, source.precision, bits, data_type.bits, data_type.precision
    )
    if result in data_type.infinities and bits not in source.infinities:
        raise _refused(value, data_type)
    return result


def _from_ratio(given: object, data_type: TensorDataType, numerator: int, denominator: int) -> int:
    """Round numerator / denominator once to a float, in unlimited integers."""
    precision, width = data_type.precision, data_type.bits
    sign = 1 << (width - 1) if numerator < 0 else 0
    # In units of the smallest subnormal, 2^(3 - 2^(exponent bits - 1) - precision).
    units = abs(numerator) << ((1 << (width - precision - 1)) + precision - 3)
    exponent = max((units // denominator).bit_length() - precision, 0)
    spacing = denominator << exponent
    significand, rest = divmod(units, spacing)
    if 2 * rest > spacing or (2 * rest == spacing and significand & 1):
        significand += 1
    bits = (exponent << (precision - 1)) + significand
    if bits >= data_type.infinities[0]:
        raise _refused(given, data_type)
    return sign | bits


def _refused(given: object, data_type: TensorDataType, *, is_delta: bool = False) -> ScalarError:
    """Return the error for a number that the data type cannot hold."""
    if data_type.is_float:
        holds = f"finite numbers up to {np.finfo(data_type.dtype).max:g} in magnitude"
    else:
        is_integer = isinstance(given, int | np.integer)
        if is_delta and not data_type.signed:
            kind = "deltas" if is_integer else "integer deltas"
            holds = f"{kind} from {-data_type.maximum} to {data_type.maximum}"
        else:
            holds = f"{data_type.minimum}..{data_type.maximum}"
            holds = holds if is_integer else f"integers, {holds}"
    return ScalarError(f"{data_type.name} holds {holds}", given=shown(given))
