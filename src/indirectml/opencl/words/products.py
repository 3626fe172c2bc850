"""Products of matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

import numpy as np

from indirectml.opencl.launches import Abilities, Argument, Launch, Source, along_rows, merged
from indirectml.opencl.tiles import FEW, least_tile, tile_for
from indirectml.opencl.views import kind_of, only_stride, repeated, table_of
from indirectml.opencl.words import word_launches
from indirectml.plans import View, WordStep

_FILES = ("elements.cl", "tiles.cl", "products.cl")
#: By the data types of rows and columns, the dot products of cl_khr_integer_dot_product.
_DOTS = {
    ("int8", "int8"): "ss_int",
    ("int8", "uint8"): "su_int",
    ("uint8", "int8"): "us_int",
    ("uint8", "uint8"): "uu_uint",
}
#: What rule C256 takes of a device: a b + c, and a + c, are computed in one of several ways.
FUSED = ("widened", "narrowed")


@word_launches("contract", needs=FUSED)
def contract(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return the product of matrices."""
    a, b = step.inputs
    assert a is not None  # noqa: S101
    assert b is not None  # noqa: S101
    return _launched(a, b, step.outputs[0], abilities, (), ())


@word_launches("contract_integer", "contract_wide_integer")
def contract_integer(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return the product of matrices of integers: of 8 bits by tiles, four products at a time."""
    a, b, a_zero, b_zero = step.inputs
    assert a is not None  # noqa: S101
    assert b is not None  # noqa: S101
    defines, more = zero_points(step.arguments, a_zero_point=a_zero, b_zero_point=b_zero)
    alone = () if step.word.name == "contract_integer" else ("ALONE",)
    return _launched(a, b, step.outputs[0], abilities, ("INTEGERS", *alone, *defines), more)


def zero_points(
    fields: Mapping[str, Any], **views: View | None
) -> tuple[tuple[str, ...], tuple[Argument, ...]]:
    """Return what kernels are told of zero points, and their arguments: view, number and step."""
    defines: list[str] = []
    arguments: list[Argument] = []
    for name, view in views.items():
        defines.append(f"{name.upper()}={'int32' if view is None else kind_of(view)}")
        arguments += [view, _int32(fields.get(name) or 0), np.int32(only_stride(view))]
    return tuple(defines), tuple(arguments)


def with_dots(files: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files of tiles, and before them what has dot products."""
    return (files[0], "dots.cl", *files[1:])


def dots_of(rows: View, columns: View, abilities: Abilities) -> str:
    """Return the definition by which kernels have a device's dot products; "" without these.

    Where work-items are turns of a loop over vectors, products of integers are vectors anyway.
    """
    kinds = kind_of(rows), kind_of(columns)
    if abilities.vector_width > 1 or kinds not in _DOTS:
        return ""
    is_right = abilities.can("dots of {} and {}".format(*kinds))
    return f"DOT=dot_4x8packed_{_DOTS[kinds]}" if is_right else ""


def work_of_products(count: int, abilities: Abilities) -> int:
    """Return what so many products take, about, which are added to each other."""
    by_device = "FUSED_BY_DEVICE" in abilities.defines
    return 2 * count if by_device else 128 * count  # instructions of common.cl's fused_by_integers


def _int32(number: int) -> np.int32:
    """Return an integer modulo 2^32."""
    return np.uint32(int(number) % 2**32).view(np.int32)


def _launched(
    a: View,
    b: View,
    c: View,
    abilities: Abilities,
    defines: tuple[str, ...],
    more: tuple[Argument, ...],
) -> list[Launch]:
    m, n = c.sizes[-2:]
    depth = a.sizes[-1]
    batch = c.sizes[:-2]
    sizes, strides = merged(batch, [repeated(v, c.sizes, range(len(batch))) for v in (a, b, c)])
    kinds = (f"{name}={kind_of(view)}" for name, view in zip("ABC", (a, b, c), strict=True))
    files: tuple[str, ...] = _FILES
    has_tiles = min(m, n) >= FEW and "ALONE" not in defines
    tile = tile_for(m, n, prod(batch), abilities) if has_tiles else least_tile(abilities)
    dots = dots_of(a, b, abilities) if has_tiles else ""
    if dots:
        files, defines = with_dots(files), (*defines, dots)
    source = Source(files, (*kinds, *defines, *tile.defines))
    arguments = (
        a,
        b,
        c,
        table_of(sizes, strides),
        *map(np.int32, (m, n, depth)),
        *map(np.int64, (*a.strides[-2:], *b.strides[-2:], *c.strides[-2:])),
        *more,
    )
    work = work_of_products(depth, abilities)
    if not has_tiles:
        across = along_rows((n, m, prod(batch)), abilities)
        return [Launch("contract_one", source, arguments, *across, work)]
    return [tile.launch("contract", source, arguments, (m, n, prod(batch)), work)]
