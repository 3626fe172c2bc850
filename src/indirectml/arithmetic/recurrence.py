"""Recurrence: cells carried along sequences.

A cell is data: parts of a step, each a product of a state with columns of weights, and a function
of what comes with each hidden unit. Functions are called with arrays by the NumPy form, and written
down as programs where a plan is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from indirectml import _native
from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.contraction import InPanels, contract
from indirectml.arithmetic.words import word

Arrays = tuple[Array, ...]


class Values(NamedTuple):
    """What a part of a step computes with, for each sequence and hidden unit.

    Attributes
    ----------
    own : tuple
        The products of the step's input with weights, one for each gate.
    products : tuple
        Those of what the part multiplies, one for each of its gates.
    biases : tuple
        One for each bias of the cell; zeros where they are left out.
    peepholes : tuple
        Three, or none where they are left out.
    states : tuple
        Of the step before; the hidden one first.
    handed : tuple
        What the part before has returned.
    """

    own: Arrays
    products: Arrays
    biases: Arrays
    peepholes: Arrays
    states: Arrays
    handed: Arrays


class Applied(NamedTuple):
    """A function of `Values` with its other arguments, as data."""

    function: Callable[..., Arrays]
    arguments: tuple[tuple[str, Any], ...]

    def __call__(self, values: Values) -> Arrays:
        """Return what it returns."""
        return self.function(values, **dict(self.arguments))


class Part(NamedTuple):
    """A part of a step.

    Attributes
    ----------
    first, end : int
        The gates whose columns of weights are multiplied: by the hidden state, or by the first
        result of the part before.
    function : Applied
        From `Values` to the states after the step; of a part before the last one to what is handed
        on.
    """

    first: int
    end: int
    function: Applied


class Cell(NamedTuple):
    """What is done at each step, as data.

    Attributes
    ----------
    gates, biases, states : int
        How many of each there are for a hidden unit.
    parts : tuple of Part
        One after the other.
    programs : tuple of (Program, sources)
        What the functions of the parts are, element by element, once they are written down: each
        input of a program by the number of its field in `Values` and its place there. `RUNNING`
        stands for whether a sequence has not ended; the last program has the hidden state of
        the step, zero where a sequence has, before the states.
    """

    gates: int
    biases: int
    states: int
    parts: tuple[Part, ...]
    programs: tuple[tuple[Any, tuple[tuple[int, int], ...]], ...] = ()

    def __repr__(self) -> str:
        return f"Cell({', '.join(part.function.function.__name__ for part in self.parts)})"


#: In the place of the number of a field of `Values`.
RUNNING = len(Values._fields)


def _sizes(products: Any, cells: Sequence[Cell], **_: Any) -> list[tuple[tuple[int, ...], Any]]:
    """Return the sizes and types of the results."""
    steps, batch, directions, columns = products.shape
    units = columns // cells[0].gates
    last = ((1, directions, batch, units), np.float32)
    return [((steps, directions, batch, units), np.float32), *([last] * cells[0].states)]


def _temporary_bytes(products: Any, cells: Sequence[Cell], **_: Any) -> int:
    """Return what the native step takes: weights as it reads them, states, and what is between."""
    _, batch, directions, columns = products.shape
    handed = max((len(c.programs[0][0].outputs) if len(c.programs) > 1 else 0) for c in cells)
    return _native.recurrence_bytes(
        directions, batch, columns // cells[0].gates, cells[0].gates, cells[0].states,
        cells[0].biases, handed,
    )  # fmt: skip


def _native_step(
    *inputs: Any, outputs: Sequence[Any], cells: Sequence[Cell], are_backward: Sequence[bool]
) -> _native.Step | None:
    """Return the native form of `recurrence`."""
    if not all(cell.programs for cell in cells):
        return None
    places = [view and view.place for view in inputs]
    columns = inputs[1].panels and inputs[1].panels.columns
    made = [
        [
            (part.first, part.end, program.native, sources)
            for part, (program, sources) in zip(cell.parts, cell.programs, strict=True)
        ]
        for cell in cells
    ]
    *results, temporary = outputs
    counts = (cells[0].gates, cells[0].biases)
    return _native.RecurrenceStep(
        places, columns, [view.place for view in results], temporary.place, counts, made,
        list(are_backward),
    )  # fmt: skip


@word(
    "products",
    "weights",
    "biases",
    "peepholes",
    "hidden",
    "memory",
    "lengths",
    results=_sizes,
    native=_native_step,
    temporary=_temporary_bytes,
    takes_halves=True,
)
def recurrence(
    products: Array,
    weights: Array | InPanels,
    biases: Array | None,
    peepholes: Array | None,
    hidden: Array | None,
    memory: Array | None,
    lengths: Array | None,
    *,
    cells: Sequence[Cell],
    are_backward: Sequence[bool],
) -> Arrays:
    """Return the hidden states that cells come to, step after step, and their last states.

    Parameters
    ----------
    products : numpy.ndarray
        [steps, batch, directions, gates * units]: the products of inputs and weights.
    weights : numpy.ndarray or InPanels
        [directions, units, gates * units], of the hidden state.
    biases : numpy.ndarray, optional
        [directions, biases * units].
    peepholes : numpy.ndarray, optional
        [directions, 3 * units].
    hidden, memory : numpy.ndarray, optional
        [directions, batch, units], before the first step; zeros if left out.
    lengths : numpy.ndarray, optional
        [batch], integers: of sequences; at most all steps.
    cells : sequence of Cell
        One for each direction.
    are_backward : sequence of bool
        Whether a direction begins at the last step.

    Returns
    -------
    tuple of numpy.ndarray
        FLOAT32: [steps, directions, batch, units], and for each state
        [1, directions, batch, units].

    Notes
    -----
    A sequence that has ended keeps its states, and its steps beyond the end are zeros. Backwards,
    each sequence begins at its own end. A NaN is the positive quiet one without payload.
    """
    sizes = _sizes(products, cells)
    results = tuple(np.zeros(shape, dtype) for shape, dtype in sizes)
    steps, directions, batch, units = sizes[0][0]
    ends = np.full(batch, steps) if lengths is None else np.minimum(lengths, steps)
    matrices = weights.unpacked() if isinstance(weights, InPanels) else weights
    for d in range(directions):
        cell = cells[d]
        zero = np.float32(0)
        rows: Any = _pieces(biases[d], units) if biases is not None else (zero,) * cell.biases
        others = () if peepholes is None else _pieces(peepholes[d], units)
        given = (hidden, memory)[: cell.states]
        states = tuple(
            np.zeros((batch, units), np.float32) if s is None else s[d].astype(np.float32)
            for s in given
        )
        for step in reversed(range(steps)) if are_backward[d] else range(steps):
            own = _pieces(products[step, :, d], units)
            after: Arrays = ()
            for part in cell.parts:
                columns = matrices[d, :, part.first * units : part.end * units]
                found = _pieces(contract(after[0] if after else states[0], columns), units)
                after = part.function(Values(own, found, rows, others, states, after))
            is_running = (step < ends)[:, None]
            states = tuple(
                np.where(is_running, new, old) for new, old in zip(after, states, strict=True)
            )
            results[0][step, d] = np.where(is_running, states[0], zero)
        for last, state in zip(results[1:], states, strict=True):
            last[0, d] = state
    for result in results:
        result[np.isnan(result)] = np.nan
    return results


def _pieces(columns: Array, units: int) -> Arrays:
    """Return columns by gates, in FLOAT32."""
    wide = columns.astype(np.float32, copy=False)
    return tuple(wide[..., k : k + units] for k in range(0, wide.shape[-1], units))
