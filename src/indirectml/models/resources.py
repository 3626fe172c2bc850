"""From JSON to resources: buffers with initial values. No values of generators are made yet."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DirectMLError, FileFormatError, ModelError
from indirectml.fills.array_files import check_suffix, open_npy, open_raw
from indirectml.models.context import Context
from indirectml.models.members import (
    Members,
    given,
    number_bits,
    of_kind,
    scalar_data_type,
    truncated_float16,
)
from indirectml.models.model import (
    FileValues,
    ImageValues,
    PackedValues,
    Resource,
    SequenceValues,
    Values,
)

RESOURCE_KEYS = (
    "initialValuesDataType",
    "initialValues",
    "sizeInBytes",
    "initialValuesOffsetInBytes",
    "resampleSize",
    "resampleMode",
)
#: The member that says which of the generators it is, and the members of each.
GENERATOR_KEYS = {
    "value": ("valueCount", "value"),
    "valueStart": ("valueCount", "valueStart", "valueDelta"),
    "sourcePath": ("sourcePath",),
}
IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png")

_UNKNOWN = TensorDataType.UNKNOWN
UNKNOWN_NAMES = ("UNKNOWN", "DML_TENSOR_DATA_TYPE_UNKNOWN")

#: What the elements of pictures may be.
IMAGE_TYPES = (TensorDataType.FLOAT32, TensorDataType.FLOAT16)


def read_resource(name: str, value: Any, context: Context) -> Resource:
    """Return the resource that JSON describes.

    Raises
    ------
    DirectMLError
        It cannot be used; the mistakes are in the context, or are this error.
    """
    members = Members(value, RESOURCE_KEYS, context.problems)
    declared, initial = _UNKNOWN, None
    with context.problems.together():
        with context.problems.at("initialValuesDataType"):
            declared = _declared_type(members.get("initialValuesDataType"), context)
        with context.problems.at():
            initial = members.required("initialValues")
    if initial == "deferred":
        return Resource(name, name, declared, None, 0, is_deferred=True)
    with context.problems.together(), context.problems.at("initialValues"):
        data_type, values = _values(initial, declared, members, context)
    size_bytes = _size_bytes(members, values.size_bytes)
    return Resource(name, name, data_type, values, size_bytes)


def _declared_type(name: Any, context: Context) -> TensorDataType:
    if name is None or name in UNKNOWN_NAMES:
        return _UNKNOWN
    return scalar_data_type(name, context.problems)


def _size_bytes(members: Members, used: int) -> int:
    """Return the size of the buffer: as it is given, or as needed, rounded up to 4."""
    offset = members.optional("initialValuesOffsetInBytes", int, 0)
    if offset < 0:
        error = ModelError("needs an offset from 0 up", given=given(offset))
        raise error.within("initialValuesOffsetInBytes")
    size_bytes: int = members.optional("sizeInBytes", int, (used + 3) // 4 * 4)
    if size_bytes < used + offset:
        after = f" after an offset of {offset}" if offset else ""
        raise ModelError(
            f"needs at least the {used} bytes of initialValues{after}",
            given=given(size_bytes),
            field="sizeInBytes",
        )
    return size_bytes


def _values(
    value: Any, declared: TensorDataType, members: Members, context: Context
) -> tuple[TensorDataType, Values]:
    """Read initial values of any form; returns also the data type, which a file may tell."""
    if isinstance(value, list):
        return declared, _list(value, declared, members, context)
    if not isinstance(value, dict):
        raise ModelError('needs an array, an object or "deferred"', given=given(value))
    found = [key for key in GENERATOR_KEYS if key in value]
    if len(found) != 1:
        what = f"an object with {' and '.join(found)}" if found else given(value)
        needs = "needs either value, or valueStart and valueDelta, or sourcePath"
        raise ModelError(needs, given=what)
    generator = Members(value, GENERATOR_KEYS[found[0]], context.problems)
    if found[0] == "sourcePath":
        with context.problems.within("sourcePath"):
            return _from_file(value["sourcePath"], declared, members, context)
    if declared is _UNKNOWN:
        raise _type_required(members)
    return declared, _generated(generator, declared, context)


def _list(
    value: list[Any], data_type: TensorDataType, members: Members, context: Context
) -> PackedValues:
    if not value:
        raise ModelError("needs at least one value", given="an empty array")
    if data_type is _UNKNOWN:
        if not any(isinstance(element, dict) for element in value):
            # DxDispatch takes this for a mixed list; a forgotten type is what it is.
            raise _type_required(members)
        return PackedValues(_each(value, context, lambda v: _mixed(v, context)))
    width, toward_zero = data_type.item_bytes, context.options.toward_zero

    def convert(element: Any) -> bytes:
        bits = number_bits(element, data_type, toward_zero=toward_zero)
        return bits.to_bytes(width, "little")

    packed = bytearray()
    try:
        for element in value:
            packed += convert(element)
        return PackedValues(bytes(packed))
    except DirectMLError:
        # Once more, to find all mistakes and their places; that is slow, and seldom needed.
        return PackedValues(_each(value, context, convert))


def _each(values: list[Any], context: Context, convert: Callable[[Any], bytes]) -> bytes:
    """Convert every element; all that cannot be converted are mistakes."""
    packed = bytearray()
    with context.problems.together():
        for number, element in enumerate(values):
            with context.problems.at(number):
                packed += convert(element)
    return bytes(packed)


def _mixed(value: Any, context: Context) -> bytes:
    """Return the bytes of an element of a mixed list."""
    members = Members(value, ("name", "type", "value"), context.problems)
    with context.problems.within("type"):
        data_type = scalar_data_type(members.required("type"), context.problems)
        if data_type is TensorDataType.FLOAT16:
            raise ModelError("needs another data type in a mixed list", given="FLOAT16")
    number = members.required("value")
    with context.problems.within("value"):
        return number_bits(number, data_type).to_bytes(data_type.item_bytes, "little")


def _generated(generator: Members, data_type: TensorDataType, context: Context) -> SequenceValues:
    problems, toward_zero = context.problems, context.options.toward_zero
    count, start, delta = 1, 0, None
    first = "value" if "value" in generator else "valueStart"
    with problems.together():
        with problems.at():
            count = generator.required("valueCount", int)
            if count < 1:
                raise ModelError("needs at least 1", given=given(count), field="valueCount")
        with problems.at(first):
            start = number_bits(generator.get(first), data_type, toward_zero=toward_zero)
        if first == "valueStart":
            with problems.at():
                step = generator.required("valueDelta")
                with problems.within("valueDelta"):
                    delta = number_bits(step, data_type, is_delta=True, toward_zero=toward_zero)
    truncates = toward_zero and data_type is TensorDataType.FLOAT16
    return SequenceValues(data_type, count, start, delta, truncates)


def _type_required(members: Members) -> ModelError:
    """Return the error for values whose data type is not said, or is said to be unknown."""
    name = members.get("initialValuesDataType")
    if name is None:
        return ModelError("needs initialValuesDataType beside it")
    hint = "UNKNOWN is for files and for mixed lists"
    return ModelError("needs a known initialValuesDataType", given=given(name), hint=hint)


def _from_file(
    name: Any, declared: TensorDataType, members: Members, context: Context
) -> tuple[TensorDataType, Values]:
    path = context.source_file(of_kind(name, str))
    suffix = path.suffix.lower()
    try:
        check_suffix(path)
        if suffix in IMAGE_SUFFIXES:
            return _from_image(path, declared, members, context)
        raw_type = TensorDataType.UINT8 if declared is _UNKNOWN else declared
        source = open_npy(path) if suffix == ".npy" else open_raw(path, raw_type)
    except OSError as error:
        raise ModelError("cannot be read", given=error.strerror, field=None) from None
    except FileFormatError as error:
        hint = f"in {str(path)!r}"
        hint = f"{error.hint}; {hint}" if error.hint else hint
        raise ModelError(error.required, given=error.given, hint=hint) from None
    if source.element_count == 0:
        raise ModelError("needs at least one value", given=f"an empty file, {str(path)!r}")
    if suffix != ".npy":
        return declared, FileValues(source)
    if declared not in {_UNKNOWN, source.data_type}:
        raise ModelError(
            f"needs a file of the initialValuesDataType, {declared.name}",
            given=f"{source.data_type.name} in {str(path)!r}",
        )
    return source.data_type, FileValues(source)


# ---- pictures ----


def pillow() -> ModuleType:
    """Return the module that reads and writes pictures.

    Raises
    ------
    ModelError
        Pillow is not installed.
    """
    try:
        return importlib.import_module("indirectml.models.images")
    except ImportError:
        raise ModelError(
            "pictures need Pillow, which is not installed", hint="pip install 'indirectml[images]'"
        ) from None


def _from_image(
    path: Path, declared: TensorDataType, members: Members, context: Context
) -> tuple[TensorDataType, ImageValues]:
    images = pillow()
    if declared not in IMAGE_TYPES:
        shown = "no initialValuesDataType" if declared is _UNKNOWN else declared.name
        raise ModelError("needs FLOAT32 or FLOAT16 for a picture, from 0 to 1", given=shown)
    sizes = images.image_sizes(path)
    pixels = sizes[1] * sizes[2]
    wanted = members.optional("resampleSize", list)
    with context.problems.at("resampleSize"):
        if wanted is not None:
            sizes = image_dimensions(wanted)
    with context.problems.at():
        mode = members.optional("resampleMode", str, "scale")
        if mode != "scale":
            raise ModelError("needs scale", given=given(mode), field="resampleMode")
    truncates = context.options.toward_zero and declared is TensorDataType.FLOAT16
    return declared, ImageValues(str(path), declared, sizes, pixels, truncates)


def image_dimensions(values: list[Any], channels: tuple[int, ...] = (1, 3, 4)) -> Any:
    """Return channels, rows and columns out of [1, C, H, W].

    Raises
    ------
    ModelError
        It has another form.
    """
    kinds = [isinstance(v, int) and not isinstance(v, bool) and v >= 1 for v in values]
    if len(kinds) != 4 or not all(kinds) or values[0] != 1 or values[1] not in channels:  # noqa: PLR2004 (NCHW)
        shown = ", ".join(map(str, channels))
        needs = f"needs [1, C, H, W] with C out of {shown}"
        raise ModelError(needs, given=f"{values}"[:60])
    return tuple(values[1:])


def packed_image(values: ImageValues) -> np.ndarray[Any, Any]:
    """Return the elements of a picture, in the data type of the resource."""
    pixels: np.ndarray[Any, Any] = pillow().read_image(Path(values.path), values.sizes)
    elements: np.ndarray[Any, Any] = _elements_of_bytes(values)[pixels.reshape(-1)]
    return elements


def _elements_of_bytes(values: ImageValues) -> np.ndarray[Any, Any]:
    """Return what each byte of a picture is: byte / 255, rounded to FLOAT32 first."""
    singles = np.arange(256, dtype=np.float32) / np.float32(255)
    if values.truncates:
        halves = [truncated_float16(single) for single in singles.tolist()]
        return np.array(halves, np.uint16).view(np.float16)
    return singles.astype(values.data_type.dtype)
