"""Recurrence: a launch for each part of each step, over all sequences and hidden units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from indirectml.arithmetic.recurrence import RUNNING, Cell, Values
from indirectml.opencl.launches import Abilities, Argument, Launch, Scratch, Source, over
from indirectml.opencl.programs import lines_of
from indirectml.opencl.views import kind_of
from indirectml.opencl.words import word_launches
from indirectml.opencl.words.products import FUSED
from indirectml.plans import View, WordStep

_FILE = "recurrence.cl"
_FIELDS = dict(enumerate(Values._fields)) | {RUNNING: "running"}
#: What is read by unit from views, how it is reached, and from states.
_READ = {
    "own": "ELEMENT(PRODUCTS, products, own_at + row * own_row + {column} * own_unit)",
    "biases": "ELEMENT(BIASES, biases, biases_place + {column} * biases_unit)",
    "peepholes": "ELEMENT(PEEPHOLES, peepholes, peepholes_place + {column} * peepholes_unit)",
    "states": "states[{place} * count + i]",
    "handed": "handed[{place} * count + i]",
    "products": "column_product({vector} + row * units, BASE(weights), weights_place + "
    "({first} * units + {column}) * weights_unit, weights_row, units)",
    "running": "below(step, (long)READ(LENGTHS, BASE(lengths), row * lengths_row))",
}
_PARAMETERS = (
    "VIEW(products), long own_at, long own_row, long own_unit, VIEW(weights), long weights_place, "
    "long weights_row, long weights_unit, VIEW(biases), long biases_place, long biases_unit, "
    "VIEW(peepholes), long peepholes_place, long peepholes_unit, VIEW(lengths), long lengths_row, "
    "VIEW(y), long y_place, long y_row, long y_unit, global const uint *states, "
    "global const uint *handed, global uint *to, long step, int units, int count"
)


@word_launches("recurrence", needs=FUSED)
def recurrence(step: WordStep, abilities: Abilities) -> Iterable[Launch] | None:
    """Return the launches of all directions, one behind the other."""
    cells: Sequence[Cell] = step.arguments["cells"]
    launches: list[Launch] = []
    for direction, is_backward in enumerate(step.arguments["are_backward"]):
        made = _Direction(step, direction).launches(
            cells[direction], abilities, is_backward=is_backward
        )
        if made is None:
            return None
        launches += made
    return launches


class _Direction:
    """One direction of a network: where its parts of views lie, and its launches."""

    def __init__(self, step: WordStep, number: int) -> None:
        self.views = dict(zip(step.word.arrays, step.inputs, strict=True))
        self.outputs = step.outputs
        self.number = number
        self.steps, _, self.batch, self.units = step.outputs[0].sizes
        self.count = self.batch * self.units

    def launches(
        self, cell: Cell, abilities: Abilities, *, is_backward: bool
    ) -> list[Launch] | None:
        """Return its launches; None where this device has not all of its instructions."""
        sources = self._sources(cell, abilities)
        if sources is None or not cell.programs:
            return None
        states = [Scratch(k, cell.states * self.count * 4) for k in (0, 1)]
        most = max([1, *(len(program.outputs) for program, _ in cell.programs[:-1])])
        handed = [Scratch(2 + k, most * self.count * 4) for k in (0, 1)]
        found = [self._start(cell, states[0])]
        order = range(self.steps)
        for number, at in enumerate(reversed(order) if is_backward else order):
            before, after = states[number % 2], states[(number + 1) % 2]
            for k, source in enumerate(sources):
                is_last = k == len(sources) - 1
                to = after if is_last else handed[k % 2]
                found.append(self._part(source, at, before, handed[(k + 1) % 2], to))
        last = states[self.steps % 2]
        found += [
            self._put(view, k, last) for k, view in enumerate(self.outputs[1 : 1 + cell.states])
        ]
        return found

    def _sources(self, cell: Cell, abilities: Abilities) -> list[Source] | None:
        """Return a kernel for each part."""
        kinds = tuple(
            f"{name.upper()}={_kind(self.views[name])}"
            for name in ("products", "weights", "biases", "peepholes", "lengths")
        )
        found = []
        for number, (part, (program, inputs)) in enumerate(
            zip(cell.parts, cell.programs, strict=True)
        ):
            made = lines_of(program, abilities)
            if made is None:
                return None
            vector = "handed" if number else "states"
            read = [
                f"const {'uchar' if field == RUNNING else 'uint'} v{k} = "
                + _READ[_FIELDS[field]].format(
                    place=place,
                    column=f"({place} * units + unit)",
                    first=part.first,
                    vector=vector,
                )
                + ";"
                for k, (field, place) in enumerate(inputs)
            ]
            outputs = list(program.outputs)
            written = []
            if number == len(cell.parts) - 1:
                of_step, *outputs = outputs
                written = [
                    f"JOIN(put_, Y)(BASE(y), y_place + row * y_row + unit * y_unit, v{of_step});"
                ]
            written += [f"to[{k} * count + i] = v{value};" for k, value in enumerate(outputs)]
            text = "\n  ".join(
                [
                    f"kernel void part({_PARAMETERS}) {{",
                    "const int i = (int)get_global_id(0), unit = i % units, row = i / units;",
                    "if (i >= count) return;",
                    *read,
                    *made.lines,
                    *written,
                ]
            )
            files = ("elements.cl", *made.files, _FILE)
            found.append(Source(files, (*kinds, f"Y={kind_of(self.outputs[0])}"), f"{text}\n}}\n"))
        return found

    def _numbers(self, name: str, *axes: int) -> tuple[Argument, ...]:
        """Return a view that begins with this direction, its place, and strides along axes."""
        view = self.views[name]
        if view is None:
            return (None, *[np.int64(0)] * (1 + len(axes)))
        place = self.number * view.strides[0]
        return (view, np.int64(place), *(np.int64(view.strides[axis]) for axis in axes))

    def _start(self, cell: Cell, states: Scratch) -> Launch:
        kinds = (f"{name.upper()}={_kind(self.views[name])}" for name in ("hidden", "memory"))
        arguments = (
            *self._numbers("hidden", 1, 2), *self._numbers("memory", 1, 2), states,
            np.int32(cell.states), np.int32(self.units), np.int32(self.count),
        )  # fmt: skip
        source = Source(("elements.cl", _FILE), tuple(kinds))
        return Launch("start_states", source, arguments, *over(self.count))

    def _part(
        self, source: Source, at: int, before: Scratch, handed: Scratch, to: Scratch
    ) -> Launch:
        products, lengths, y = self.views["products"], self.views["lengths"], self.outputs[0]
        assert products is not None  # noqa: S101 (it is not optional)
        of_step, of_row, of_direction, of_unit = products.strides
        own = at * of_step + self.number * of_direction
        put = at * y.strides[0] + self.number * y.strides[1]
        arguments: tuple[Argument, ...] = (
            products, *map(np.int64, (own, of_row, of_unit)),
            *self._numbers("weights", 1, 2), *self._numbers("biases", 1),
            *self._numbers("peepholes", 1),
            lengths, np.int64(lengths.strides[0] if lengths else 0),
            y, *map(np.int64, (put, *y.strides[2:])),
            before, handed, to, np.int64(at), np.int32(self.units), np.int32(self.count),
        )  # fmt: skip
        return Launch("part", source, arguments, *over(self.count))

    def _put(self, view: View, number: int, states: Scratch) -> Launch:
        place = self.number * view.strides[1]
        arguments: tuple[Argument, ...] = (
            view, *map(np.int64, (place, *view.strides[2:])), states, np.int32(number),
            np.int32(self.units), np.int32(self.count),
        )  # fmt: skip
        source = Source(("elements.cl", _FILE), (f"LAST={kind_of(view)}",))
        return Launch("put_state", source, arguments, *over(self.count))


def _kind(view: View | None) -> Any:
    return "float32" if view is None else kind_of(view)
