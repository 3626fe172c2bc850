"""Whether two elements of a strided layout share memory: decided exactly, by integer arithmetic.

Elements at coordinates c and d share memory when the sum of (c - d) * stride over the axes is
smaller in magnitude than an element is wide. So the question is whether a bounded linear form
has such a value at integers that are not all zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from indirectml.core.errors import LayoutError

#: Search steps before the question is given up, which takes less than a tenth of a second. Layouts
#: that people write need a few dozen; the problem in general is as hard as a knapsack.
STEP_LIMIT = 20_000

#: An axis as the search sees it: its number, the largest coordinate difference, its stride.
_Axis = tuple[int, int, int]


def find_overlap(
    sizes: Sequence[int], strides: Sequence[int], width: int = 1
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return the coordinates of two elements that share memory, or None if there are none.

    Parameters
    ----------
    sizes, strides : sequence of int
        One per dimension. Strides may be zero or negative, in any unit.
    width : int
        The extent of one element, in the unit of the strides.

    Raises
    ------
    LayoutError
        The strides are so entangled that the search gave up after STEP_LIMIT steps.

    Notes
    -----
    If every stride exceeds what all smaller ones reach together, there is no overlap; that takes
    one pass. Otherwise axes are tried one after the other, within the bounds that the rest can
    still reach, and the last two are solved as a linear Diophantine equation.

    Examples
    --------
    >>> find_overlap((2, 3), (5, 1)) is None
    True
    >>> find_overlap((2, 3), (2, 1))
    ((0, 2), (1, 0))
    """
    if 0 in sizes:
        return None
    # Only multiples of what divides all strides occur, so all lengths are taken in that unit.
    unit = math.gcd(*(s for size, s in zip(sizes, strides, strict=True) if size > 1)) or 1
    width = -(-width // unit)
    axes = [
        (k, size - 1, abs(stride) // unit)
        for k, (size, stride) in enumerate(zip(sizes, strides, strict=True))
        if size > 1
    ]
    axes.sort(key=lambda axis: axis[2], reverse=True)
    reach = width - 1
    for _, extent, stride in reversed(axes):
        if stride <= reach:
            break
        reach += extent * stride
    else:
        return None
    differences = _Search(axes, width).run()
    if differences is None:
        return None
    # A difference belongs to a pair of coordinates: one end at zero, the other that far away.
    signed = [0] * len(sizes)
    for (k, _, _), difference in zip(axes, differences, strict=True):
        signed[k] = difference if strides[k] >= 0 else -difference
    pair = tuple(max(-d, 0) for d in signed), tuple(max(d, 0) for d in signed)
    return min(pair), max(pair)


class _Search:
    """Differences, not all zero, whose linear form is below `width` in magnitude."""

    def __init__(self, axes: list[_Axis], width: int) -> None:
        # Without a second axis to solve for, one of size 1 stands in.
        self.axes = axes if len(axes) > 1 else [*axes, (-1, 0, 1)]
        self.axis_count = len(axes)
        self.width = width
        self.steps = 0
        count = len(self.axes)
        self.reach = [0] * (count + 1)  # what the axes from k on reach together
        self.divisor = [0] * (count + 1)  # what divides everything that they reach
        for k in range(count - 1, -1, -1):
            _, extent, stride = self.axes[k]
            self.reach[k] = self.reach[k + 1] + extent * stride
            self.divisor[k] = math.gcd(self.divisor[k + 1], stride)

    def run(self) -> list[int] | None:
        found = self._search(0, 0, [])
        return None if found is None else found[: self.axis_count]

    def _search(self, k: int, total: int, prefix: list[int]) -> list[int] | None:
        """Extend `prefix`, whose linear form is `total`, by differences of the axes from k on."""
        self._count(1)
        if k == len(self.axes) - 2:
            return self._solve_two(total, prefix)
        slack = self.width - 1
        divisor = self.divisor[k]
        if divisor and (slack - total) // divisor * divisor < -slack - total:
            return None  # no multiple of the divisor comes close enough to -total
        _, extent, stride = self.axes[k]
        rest = self.reach[k + 1] + slack
        if stride:
            low = max(-extent, -((total + rest) // stride))
            high = min(extent, (rest - total) // stride)
        else:
            low, high = -extent, extent
        if not any(prefix):
            low = max(low, 0)  # a solution and its negative are one pair of elements
        for difference in range(low, high + 1):
            found = self._search(k + 1, total + difference * stride, [*prefix, difference])
            if found is not None:
                return found
        return None

    def _count(self, steps: int) -> None:
        self.steps += steps
        if self.steps > STEP_LIMIT:
            raise LayoutError(
                "needs strides for which it can be decided whether elements share memory",
                given=f"a layout that {STEP_LIMIT} search steps did not settle",
            )

    def _solve_two(self, total: int, prefix: list[int]) -> list[int] | None:
        """Solve a * x + b * y = target - total for the last two axes, for each close target."""
        # Elements that are wide in the unit of the strides make many equations.
        self._count(2 * self.width - 2)
        (_, x_extent, a), (_, y_extent, b) = self.axes[-2:]
        for target in range(1 - self.width, self.width):
            solution = _solve(a, b, target - total, x_extent, y_extent, any_=any(prefix))
            if solution is not None:
                return [*prefix, *solution]
        return None


def _solve(
    a: int, b: int, value: int, x_extent: int, y_extent: int, *, any_: bool
) -> tuple[int, int] | None:
    """Return x and y within their extents with a * x + b * y = value.

    Not both zero, unless `any_`. a >= b >= 0.
    """
    if a == 0:
        # Both strides are zero: every pair of differences has the value zero.
        if value != 0:
            return None
        return (0, 0) if any_ else (1, 0)
    if b == 0:
        x, rest = divmod(value, a)
        if rest or abs(x) > x_extent:
            return None
        return (x, 0) if any_ or x else (0, 1)
    divisor = math.gcd(a, b)
    if value % divisor:
        return None
    # All solutions: x = x0 + n * b', y = (value - a * x) / b = y0 - n * a'.
    a_step, b_step = a // divisor, b // divisor
    x0 = value // divisor * pow(a_step, -1, b_step) % b_step if b_step > 1 else 0
    y0 = (value - a * x0) // b
    low = max(-((x_extent + x0) // b_step), -((y_extent - y0) // a_step))
    high = min((x_extent - x0) // b_step, (y0 + y_extent) // a_step)
    if low > high:
        return None
    x, y = x0 + low * b_step, y0 - low * a_step
    # For the value zero, solutions come in pairs of opposite signs: the lowest is not (0, 0) unless
    # that is the only one.
    return (x, y) if any_ or x or y else None
