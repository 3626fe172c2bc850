"""Which elements of a line come nearest to a border, without looking at them all."""

from __future__ import annotations

from collections.abc import Iterator


def lesser_remainders(
    start: int, step: int, modulus: int, count: int, limit: int = 0
) -> Iterator[int]:
    """Yield the indices at which (start + index * step) % modulus is less than at all before.

    Of those that follow each other at equal distances only the first and the last, and the first
    with a remainder below the limit. The first index is 0, and all are below `count`.

    Notes
    -----
    From the least remainder so far the next lesser one is reached by the shortest way down, which
    is no longer than what there is. Ways become shorter by going a shortest way up between them,
    as in Euclid's algorithm, so that the time is logarithmic (three-distance theorem).

    Examples
    --------
    >>> list(lesser_remainders(8, 3, 10, 9)), [(8 + 3 * k) % 10 for k in range(9)]
    ([0, 1, 4], [8, 1, 4, 7, 0, 3, 6, 9, 2])
    """
    index, remainder = 0, start % modulus
    up, down = step % modulus, -step % modulus
    up_count = down_count = 1  # how many steps go so far up, and so far down
    yield index
    while remainder and up:
        if down <= remainder:
            times = min(remainder // down, (count - 1 - index) // down_count)
            if not times:
                return
            if times > 1:
                yield index + down_count
            within = (remainder - limit) // down + 1
            if 1 < within < times:
                yield index + within * down_count
            index += times * down_count
            remainder -= times * down
            yield index
        elif up < down:
            times = min(-(-(down - remainder) // up), (down - 1) // up)
            down -= times * up
            down_count += times * up_count
        elif down < up:
            times = (up - 1) // down
            up -= times * down
            up_count += times * down_count
        else:
            return  # both are the greatest common divisor, the shortest way of all
