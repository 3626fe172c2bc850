"""Attention: shares of products of queries and keys, by which values are mixed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from indirectml import _native
from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.contraction import contract
from indirectml.arithmetic.softmax import softmax
from indirectml.arithmetic.words import word
from indirectml.core.settings import Settings

#: How many arrays may come with scores and shares.
TERMS = 12
_NAMES = tuple(f"term_{number}" for number in range(TERMS))


class Between(NamedTuple):
    """What is done with each score before softmax, or with each share after it.

    Attributes
    ----------
    program : Program
        With one output.
    place : int
        Which of its inputs is the score, or the share; the others are terms, in order.
    """

    program: Any
    place: int

    @property
    def term_count(self) -> int:
        """How many terms it reads."""
        return len(self.program.inputs) - 1

    def __call__(self, elements: Array, terms: Sequence[Array], dtype: str) -> Array:
        """Return what it makes of elements and terms."""
        out = np.empty(elements.shape, dtype)
        given = [*terms[: self.place], elements, *terms[self.place :]]
        self.program.native.run([*given, out], Settings.policy)
        return out


def _sizes(queries: Any, values: Any, **_: Any) -> list[tuple[tuple[int, ...], Any]]:
    """Return the sizes and type of the result."""
    return [((*queries.shape[:-1], values.shape[-1]), np.float32)]


def memory_bytes(operands: Sequence[Sequence[int]], dtypes: Sequence[str]) -> int:
    """Return what the native step works in, from the sizes of queries, keys and values."""
    queries, keys, values = operands
    *batch, rows, depth = queries
    *key_batch, _, positions = keys
    *value_batch, _, width = values
    is_wide = all(dtype == "float32" for dtype in dtypes)
    return _native.attention_bytes(
        math.prod(batch), rows, positions, depth, width, math.prod(key_batch),
        math.prod(value_batch), is_wide,
    )  # fmt: skip


def _native_step(
    queries: Any,
    keys: Any,
    values: Any,
    *terms: Any,
    outputs: Sequence[Any],
    before: Between | None,
    after: Between | None,
    dtypes: Sequence[str],
) -> _native.Step:
    """Return the native form of `attention`."""
    out, temporary = outputs
    return _native.AttentionStep(
        [view.place for view in (queries, keys, values)],
        [view.place for view in terms if view is not None],
        before and (before.program.native, before.place),
        after and (after.program.native, after.place),
        [np.dtype(dtype).char for dtype in dtypes],
        out.place,
        temporary.place,
    )


@word(
    "queries",
    "keys",
    "values",
    *_NAMES,
    results=_sizes,
    native=_native_step,
    temporary=lambda queries, keys, values, dtypes, **_: memory_bytes(
        [queries.shape, keys.shape, values.shape], dtypes
    ),
    takes_halves=True,
)
def attention(
    queries: Array,
    keys: Array,
    values: Array,
    term_0: Array | None = None,
    term_1: Array | None = None,
    term_2: Array | None = None,
    term_3: Array | None = None,
    term_4: Array | None = None,
    term_5: Array | None = None,
    term_6: Array | None = None,
    term_7: Array | None = None,
    term_8: Array | None = None,
    term_9: Array | None = None,
    term_10: Array | None = None,
    term_11: Array | None = None,
    *,
    before: Between | None,
    after: Between | None,
    dtypes: Sequence[str],
) -> Array:
    """Return values mixed by the shares of scores, for each pair of matrices, in FLOAT32.

    Parameters
    ----------
    queries : numpy.ndarray
        FLOAT32 or FLOAT16, of sizes (..., rows, depth), any strides.
    keys : numpy.ndarray
        The same of (..., depth, positions). Dimensions before the last two are those of the
        queries, or 1.
    values : numpy.ndarray
        The same of (..., positions, width).
    term_0, ... : numpy.ndarray, optional
        What comes with scores, such as a mask or a bias, and then with shares; of as many
        dimensions, each as long as that of the scores, or 1.
    before, after : Between or None
        What is done with scores, and with shares.
    dtypes : sequence of str
        The data types of what softmax reads, of what it writes, and of what is multiplied by the
        values: "float32" or "float16".

    Returns
    -------
    numpy.ndarray
        FLOAT32, of sizes (..., rows, width).

    Notes
    -----
    Each step is a word or program of its own: `contract` of queries and keys, `before`, `softmax`
    along the positions, `after`, `contract` with the values. The native step does so by blocks of
    rows, and so needs memory in proportion to the positions alone; no bit depends on it.

    Examples
    --------
    >>> x = np.float32([[0, 1], [0, 1]])
    >>> attention(x[:1], x, x * 2, before=None, after=None, dtypes=("float32",) * 3)
    array([[0., 2.]], dtype=float32)
    """
    given = (
        term_0, term_1, term_2, term_3, term_4, term_5, term_6, term_7, term_8, term_9, term_10,
        term_11,
    )  # fmt: skip
    terms = [term for term in given if term is not None]
    score_dtype, share_dtype, weight_dtype = dtypes
    scores = contract(queries, keys)
    if before is not None:
        count = before.term_count
        scores = before(scores, terms[:count], score_dtype)
        terms = terms[count:]
    shares = softmax(scores, [scores.ndim - 1], share_dtype)
    if after is not None:
        shares = after(shares, terms, weight_dtype)
    return contract(shares, values)
