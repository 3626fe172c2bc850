"""How much is tried of what could be: a part, or all of it with `python -m pytest --whole`.

The native code is tried with sanitizers, and as other compilers make it, for other processors too,
with `--all-compilers`.
"""

import itertools

WHOLE = "--whole"
ALL_COMPILERS = "--all-compilers"


class Extent:
    """What this run was asked for, before tests are collected."""

    whole = False
    all_compilers = False


#: Every so many of what could be paired.
APART = 4


def every(count):
    """Return the step through what could be tried: so many, or with `--whole` 1."""
    return 1 if Extent.whole else count


def some(count):
    """Return how many of so many random cases are tried: a quarter, or with `--whole` all."""
    return -(-count // every(APART))


def chosen(*lists):
    """Return combinations with each value of each list at least once, as tuples.

    Not all of their products: what depends on one of them shows in one place. As many as the
    longest list has; with `--whole`, all.
    """
    lists = [list(values) for values in lists]
    if Extent.whole:
        return list(itertools.product(*lists))
    count = max(map(len, lists))
    # A list goes on by one more after each round, or equally long ones would meet in the same
    # pairs each time.
    return [
        tuple(values[(i + k * (i // len(values))) % len(values)] for k, values in enumerate(lists))
        for i in range(count)
    ]
