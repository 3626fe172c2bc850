"""Stand-ins that have sizes: what a definition does with them is written down.

What is done with elements waits as instructions until something has to lie in memory; then it
becomes a program. Slices and arrays that are turned or repeated become places; functions of
`arithmetic` that are words become steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import StandIn
from indirectml.arithmetic.movement import known
from indirectml.arithmetic.words import frozen
from indirectml.core.tensors import packed_strides
from indirectml.passes.array_functions import FUNCTIONS
from indirectml.passes.cells import written_down
from indirectml.passes.places import Made, Place, Sizes, repeated
from indirectml.passes.tracing import DType, Reference, Trace, Untraceable, Value, type_name
from indirectml.programs import Instruction, Program

_FLOAT16, _FLOAT32 = (np.dtype(t) for t in (np.float16, np.float32))
_FLOAT64, _INT64 = (np.dtype(t) for t in (np.float64, np.int64))


class SizedTrace(Trace):
    """Steps as they are met, and instructions that wait to become programs."""

    def __init__(self, bound: int) -> None:
        super().__init__()
        self.bound = bound
        self.made_steps: list[Made] = []
        self.places: list[Place] = []
        self._numbers: dict[Place, int] = {}
        self.sizes: list[Sizes] = []  # of instructions
        self.temporaries: list[tuple[DType, int]] = []
        #: Buffers whose results were rounded to another data type where they were made.
        self.used: set[int] = set()
        #: Buffers of words' results.
        self.said: set[int] = set()
        #: Inputs whose NaNs are the positive quiet one.
        self.canonical: set[int] = set()
        #: By these, those of the same in another data type.
        self.again: dict[int, int] = {}
        self.aliases: dict[int, int] = {}
        self.lying: list[tuple[Sized, Place, bool]] = []
        #: Outputs that programs write, by their sizes.
        self.waiting: dict[Sizes, list[tuple[Sized, Place]]] = {}
        #: Instructions whose results lie somewhere.
        self.known: dict[int, Place] = {}

    def at(self, place: Place, *, is_canonical: bool = False) -> Sized:
        """Return what stands for the elements of a place."""
        number = self._numbers.get(place)
        if number is None:
            number = self._numbers[place] = len(self.places)
            self.places.append(place)
        if is_canonical:
            self.canonical.add(number)
        return Sized(self, ("input", number), place.dtype, place.sizes, is_canonical=is_canonical)

    def made(
        self,
        reference: Reference,
        dtype: DType,
        sources: Sequence[Value] = (),
        *,
        is_canonical: bool = False,
    ) -> Sized:
        """Return what stands for what a reference gives, of the sizes of its sources together."""
        shapes = [source.shape for source in sources if isinstance(source, Sized)]
        shape = shapes[0] if shapes and shapes.count(shapes[0]) == len(shapes) else None
        if shape is None:
            shape = np.broadcast_shapes(*shapes)
        if reference[0] == "result" and reference[1] == len(self.sizes):
            self.sizes.append(shape)
        return Sized(self, reference, dtype, shape, is_canonical=is_canonical)

    def dtype_of(self, x: Any) -> DType:
        """Return the dtype of an operand, which may be an array too."""
        return x.dtype if isinstance(x, np.ndarray) else super().dtype_of(x)

    def value(self, x: Any, dtype: DType) -> Value:
        """Return a value, a scalar, or an array of one number as a value of a dtype."""
        if isinstance(x, np.ndarray):
            first = x.reshape(-1)[:1]
            if not x.size:
                raise Untraceable
            if x.tobytes() != first.tobytes() * x.size:
                return self._numbers_of(x).astype(dtype)
            made = super().value(first[0], dtype)
            made.shape = x.shape  # type: ignore[attr-defined]
            return made
        return super().value(x, dtype)

    def _numbers_of(self, x: np.ndarray[Any, Any]) -> Sized:
        """Return integers that advance by one step, which a fill writes, or known numbers."""
        row = x.reshape(-1)
        if x.dtype != _INT64 or (np.diff(row) != row[1] - row[0]).any():
            written: Sized = self.spoken(known.word, {"values": x})  # type: ignore[attr-defined]
            return written
        place = self.new(x.shape, x.dtype)
        bits = tuple(int(n) % 2**64 for n in (row[0], row[1] - row[0]))
        self.made_steps.append(Made(bits, (), (place,)))
        return self.at(place)

    # ---- memory ----

    def new(self, sizes: Sequence[int], dtype: DType) -> Place:
        """Return a new buffer's elements."""
        whole = tuple(map(int, sizes))
        if 0 in whole:
            raise Untraceable
        self.temporaries.append((dtype, prod(whole)))
        return Place(self.bound + len(self.temporaries) - 1, dtype, whole, packed_strides(whole))

    def operand_of(self, place: Place) -> Place:
        """Return a place that a step reads, which from now on is what it is."""
        if place.buffer >= self.bound:
            dtype, _ = self.temporaries[place.buffer - self.bound]
            if dtype != place.dtype and (dtype.itemsize != place.dtype.itemsize):
                raise Untraceable
            self.used.add(place.buffer)
        return place

    def rounded(self, value: Sized, dtype: DType) -> Sized | None:
        """Return FLOAT64 of a word in a narrower type: that is what the word writes then.

        None if no word made it.
        """
        reference = value.reference
        if reference[0] != "input":
            return None
        place = self.places[reference[1]]
        index = place.buffer - self.bound
        if index < 0 or place.buffer not in self.said:
            return None
        former, count = self.temporaries[index]
        if former == _FLOAT64 and place.buffer not in self.used:
            self.temporaries[index] = dtype, count
            self.made_steps = [
                made._replace(outputs=tuple(
                    out._replace(dtype=dtype) if out.buffer == place.buffer else out
                    for out in made.outputs
                ))
                for made in self.made_steps
            ]  # fmt: skip
        elif former != dtype:
            place = self._said_again(place, dtype)
        return self.at(place._replace(dtype=dtype), is_canonical=value.is_canonical)

    def _said_again(self, place: Place, dtype: DType) -> Place:
        """Return where what a word writes in one data type is written in another one, too."""
        if place.buffer not in self.again:
            (made,) = (
                m for m in self.made_steps if any(o.buffer == place.buffer for o in m.outputs)
            )
            outputs = tuple(
                self.new(out.sizes, _FLOAT64 if out.dtype.kind == "f" else out.dtype)
                for out in made.outputs
            )
            self.made_steps.append(made._replace(outputs=outputs))
            for old, new in zip(made.outputs, outputs, strict=True):
                self.again[old.buffer] = new.buffer
                self.said.add(new.buffer)
        value = self.at(place._replace(buffer=self.again[place.buffer], dtype=_FLOAT64))
        rounded = self.rounded(value, dtype)
        assert rounded is not None  # noqa: S101 (the word was said again)
        return self.places[rounded.reference[1]]

    def placed(self, value: Value) -> Place:
        """Return where a value lies; a program puts it there, if it is not there yet."""
        if not isinstance(value, Sized):
            raise Untraceable
        kind, *rest = value.reference
        if kind == "input":
            place = self.places[rest[0]]._replace(dtype=value.dtype)
        elif kind == "result" and rest[0] in self.known:
            place = self.known[rest[0]]._replace(dtype=value.dtype)
        else:
            place = self.new(value.shape, value.dtype)
            self.compute(value, place)
            if kind == "result" and self.sizes[rest[0]] == value.shape:
                self.known[rest[0]] = place
        return repeated(place, value.shape)

    def compute(self, value: Sized, to: Place) -> None:
        """Add the step that writes a value to a place of its sizes."""
        self.compute_together([(value, to)])

    def compute_together(self, pairs: list[tuple[Sized, Place]]) -> None:
        """Add the step that writes values to places of one size."""
        (value, to), *_ = pairs
        if value.reference[0] == "constant" and len(pairs) == 1:
            self.made_steps.append(Made((value.reference[2], None), (), (to,)))
            return
        order = self._order([each.reference for each, _ in pairs], to.sizes)
        inputs: dict[tuple[Place, str], int] = {}
        constants: dict[tuple[str, int], int] = {}

        def operand(reference: Reference, type_: str | None = None) -> tuple[str, int]:
            leaf = self._leaf(reference)
            if leaf is not None:
                place = repeated(self.operand_of(leaf), to.sizes)
                key = (place, type_ or type_name(leaf.dtype))
                return "input", inputs.setdefault(key, len(inputs))
            if reference[0] == "constant":
                return "constant", constants.setdefault(reference[1:], len(constants))
            return "result", order[reference[1]]

        instructions = [
            (name, source, type_, tuple(map(operand, references)))
            for name, source, type_, references in map(self.instructions.__getitem__, order)
        ]
        # What is only copied is copied as bits.
        last = [
            operand(each.reference, f"uint{8 * at.dtype.itemsize}")
            if self._leaf(each.reference)
            else operand(each.reference)
            for each, at in pairs
        ]
        first = {
            "input": 0,
            "constant": len(inputs),
            "result": len(inputs) + len(constants),
        }
        program = Program.same(
            tuple(type_ for _, type_ in inputs),
            tuple(constants),
            tuple(
                Instruction(name, source, type_, tuple(first[kind] + n for kind, n in sources))
                for name, source, type_, sources in instructions
            ),
            tuple(first[kind] + n for kind, n in last),
        )
        axes = [k for k, size in enumerate(to.sizes) if size != 1]

        def along(places: Iterable[Place]) -> tuple[tuple[int, ...], ...]:
            return tuple(tuple(place.strides[k] for k in axes) for place in places)

        read, written = tuple(place for place, _ in inputs), tuple(at for _, at in pairs)
        sizes = tuple(to.sizes[k] for k in axes)
        self.made_steps.append(Made(program, read, written, sizes, along(read), along(written)))

    def _order(self, references: list[Reference], sizes: Sizes) -> dict[int, int]:
        """Return the numbers of the instructions that give something, and their places in order.

        What is repeated to the sizes is written to memory first.
        """
        order: dict[int, int] = {}
        stack = list(reversed(references))
        while stack:
            kind, number, *_ = stack[-1]
            if kind != "result" or number in order or self._leaf(stack[-1]):
                stack.pop()
            elif prod(self.sizes[number]) < prod(sizes):
                self._place_result(number)
            else:
                sources = self.instructions[number][3]
                waiting = [
                    source
                    for source in sources
                    if source[0] == "result" and source[1] not in order and not self._leaf(source)
                ]
                if not waiting:
                    order[number] = len(order)
                stack += waiting
        return order

    def _leaf(self, reference: Reference) -> Place | None:
        """Return where what a reference gives lies, if it lies anywhere."""
        if reference[0] == "input":
            return self.places[reference[1]]
        return self.known.get(reference[1]) if reference[0] == "result" else None

    def is_computed(self, value: Sized) -> bool:
        """Return whether instructions give a value, that wait to be carried out."""
        return value.reference[0] == "result" and self._leaf(value.reference) is None

    def _place_result(self, number: int) -> None:
        """Have the result of an instruction written, which is repeated where it is read."""
        _, _, type_, _ = self.instructions[number]
        dtype = np.dtype(type_)
        value = Sized(self, ("result", number), dtype, self.sizes[number])
        self.placed(value)

    # ---- words ----

    def spoken(self, word: Any, bound: dict[str, Any]) -> Any:
        """Write a word down."""
        given: dict[str, Any] = {}
        for name in word.arrays:
            value = bound.get(name)
            if isinstance(value, int):
                given[name] = None  # a number stays a field
                continue
            if value is not None and not isinstance(value, Sized):
                array = np.asarray(value)
                value = self.value(array, array.dtype)
            given[name] = value
        if bound.pop("out", None) is not None:
            raise Untraceable
        bound = {name: written_down(value, given) for name, value in bound.items()}
        numbers = {name: value for name, value in bound.items() if isinstance(value, int)}
        read = dict(given)
        for name, value in given.items():
            half = value.widened() if word.takes_halves and value is not None else None
            read[name] = value if half is None else half
        wanted = word.results(**(bound | given | numbers))
        results = word.results(**(bound | read | numbers)) if word.gives_elements else wanted
        places = [
            None if value is None else self.operand_of(self.placed(value))
            for value in read.values()
        ]
        outputs = [self.new(sizes, np.dtype(dtype)) for sizes, dtype in results]
        self.said.update(place.buffer for place in outputs)
        fields = tuple(
            (name, frozen(value))
            for name, value in bound.items()
            if name not in given or name in numbers
        )
        hash(fields)
        written = [*outputs]
        if word.temporary is not None:
            size_bytes = word.temporary(**(bound | given | numbers))
            written.append(self.new((size_bytes,), np.dtype(np.uint8)))
        self.made_steps.append(Made(word, tuple(places), tuple(written), fields=fields))
        is_canonical = not word.keeps_bits
        made = tuple(
            self.at(place, is_canonical=is_canonical).astype(dtype)
            for place, (_, dtype) in zip(outputs, wanted, strict=True)
        )
        if len(made) == 1:
            return made[0]
        return made if word.returns is None else word.returns(*made)

    # ---- results ----

    def write(self, value: Sized, to: Place, *, is_packed: bool) -> None:
        """Have an output written, when all is known that is read."""
        if self._leaf(value.reference) is None:
            self.waiting.setdefault(to.sizes, []).append((value, to))
        else:
            self.lying.append((value, to, is_packed))

    def _write_what_lies(self, value: Sized, to: Place, *, is_packed: bool) -> None:
        """Write an output that lies somewhere: there it is made in the first place, or copied."""
        leaf = self._leaf(value.reference)
        assert leaf is not None  # noqa: S101 (that is what `write` has asked)
        buffer = leaf.buffer
        is_own = buffer >= self.bound and buffer not in self.aliases and leaf.sizes == value.shape
        if is_own and leaf.is_whole and self.temporaries[buffer - self.bound][1] == prod(to.sizes):
            writers = [m for m in self.made_steps if any(p.buffer == buffer for p in m.outputs)]
            if is_packed:
                self.aliases[buffer] = to.buffer
                return
            if len(writers) == 1 and buffer not in self.used and not self._is_program(writers[0]):
                (place,) = (p for p in writers[0].outputs if p.buffer == buffer)
                if place.sizes == to.sizes:
                    at = self.made_steps.index(writers[0])
                    outputs = tuple(to if p is place else p for p in writers[0].outputs)
                    self.made_steps[at] = writers[0]._replace(outputs=outputs)
                    return
        self.compute(value, to)

    @staticmethod
    def _is_program(made: Made) -> bool:
        return isinstance(made.what, Program)

    def finished(self) -> tuple[tuple[Made, ...], tuple[int, ...]]:
        """Return the steps, and the bytes of the buffers between them that they use."""
        for pairs in self.waiting.values():
            self.compute_together(pairs)
        for value, to, is_packed in self.lying:
            self._write_what_lies(value, to, is_packed=is_packed)
        used = sorted(
            {
                place.buffer
                for made in self.made_steps
                for place in (*made.inputs, *made.outputs)
                if place is not None
                and place.buffer >= self.bound
                and place.buffer not in self.aliases
            }
        )
        number = {old: self.bound + new for new, old in enumerate(used)} | self.aliases

        def there(place: Any) -> Any:
            if place is None or place.buffer < self.bound:
                return place
            return place._replace(buffer=number[place.buffer])

        made = tuple(
            each._replace(
                inputs=tuple(map(there, each.inputs)), outputs=tuple(map(there, each.outputs))
            )
            for each in self.made_steps
        )
        sizes = [self.temporaries[old - self.bound] for old in used]
        return made, tuple(dtype.itemsize * n for dtype, n in sizes)


class KnownSizes(tuple[int, ...], StandIn):  # noqa: SLOT001 (it has its trace)
    """Sizes of an output, of which arrays can be made where there is no input."""

    trace: SizedTrace

    def filled(self, start: Any, delta: Any = None) -> Sized:
        """Write down a fill."""
        place = self.trace.new(self, start.dtype)
        bits = [None if x is None else int(x.view(f"u{x.itemsize}")) for x in (start, delta)]
        self.trace.made_steps.append(Made(tuple(bits), (), (place,)))
        return self.trace.at(place)

    def coordinates(self, axis: int) -> Sized:
        """Write down a fill."""
        own = [1] * len(self)
        own[axis] = self[axis]
        place = self.trace.new(own, _INT64)
        self.trace.made_steps.append(Made((0, 1), (), (place,)))
        return self.trace.at(place)


class Sized(Value):
    """What stands for an array of known sizes.

    Attributes
    ----------
    shape : tuple of int
        As NumPy calls the sizes.
    """

    trace: SizedTrace

    def __init__(
        self,
        trace: SizedTrace,
        reference: Reference,
        dtype: DType,
        shape: Sizes,
        *,
        is_canonical: bool = False,
    ) -> None:
        super().__init__(trace, reference, dtype, is_canonical=is_canonical)
        self.shape = shape

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements there are."""
        return prod(self.shape)

    def coordinates_in(self, sizes: Sequence[int], axis: int) -> Sized:
        """Write down a fill."""
        known = KnownSizes(sizes)
        known.trace = self.trace
        return known.coordinates(axis)

    def astype(self, dtype: Any, copy: bool = True) -> Value:  # noqa: FBT001, FBT002 (NumPy's)
        """Return the elements in another dtype."""
        dtype = np.dtype(dtype)
        if self.dtype == _FLOAT64 and dtype.kind == "f" and dtype != _FLOAT64:
            word = self.trace.rounded(self, dtype)
            if word is not None:
                return word
        narrow = self.widened() if dtype == _FLOAT16 else None
        return super().astype(dtype, copy) if narrow is None else narrow

    def canonical(self) -> Value:
        """Return the elements with every NaN the positive quiet one."""
        if self.is_canonical or self.dtype != _FLOAT16:
            return self if self.is_canonical else super().canonical()
        # Narrowed again, it is not what it was.
        return Value.astype(self.astype(_FLOAT32), _FLOAT16)

    # ---- views ----

    def viewed(self, view: Callable[[Any], Any]) -> Sized:
        """Return what a function of NumPy arrays makes of it, which only looks elsewhere."""
        reference = self.reference
        if reference[0] == "constant":
            made = Sized(self.trace, reference, self.dtype, (), is_canonical=self.is_canonical)
            made.shape = view(np.broadcast_to(np.int8(0), self.shape)).shape
            return made
        wide = self.widened()
        if wide is not None:
            converted = wide.viewed(view).astype(self.dtype)
            assert isinstance(converted, Sized)  # noqa: S101 (of what has sizes)
            return converted
        place = self.trace.placed(self)
        item = place.dtype.itemsize
        # Memory that nobody reads: only where elements would be counts.
        base = np.empty(1, place.dtype)
        before = np.lib.stride_tricks.as_strided(
            base, place.sizes, [n * item for n in place.strides]
        )
        after = view(before)
        if not isinstance(after, np.ndarray) or after.dtype != place.dtype:
            raise Untraceable
        at = after.__array_interface__["data"][0] - before.__array_interface__["data"][0]
        if after.base is None or 0 in after.shape:
            raise Untraceable
        strides = tuple(n // item for n in after.strides)
        found = Place(place.buffer, place.dtype, after.shape, strides, place.offset + at // item)
        return self.trace.at(found, is_canonical=self.is_canonical)

    def widened(self) -> Sized | None:
        """Return the FLOAT16 that this is, widened; None if it is something else."""
        if self.reference[0] != "result":
            return None
        name, source, _, (reference, *_) = self.trace.instructions[self.reference[1]]
        if (name, source) != ("convert", "float16") or reference[0] != "input":
            return None
        is_canonical = reference[1] in self.trace.canonical
        return Sized(self.trace, reference, _FLOAT16, self.shape, is_canonical=is_canonical)

    def __getitem__(self, index: Any) -> Sized:
        """Return a part."""
        parts = index if isinstance(index, tuple) else (index,)
        if not all(p is None or p is Ellipsis or isinstance(p, int | slice) for p in parts):
            raise Untraceable
        return self.viewed(lambda x: x[(*parts, ...)] if Ellipsis not in parts else x[index])

    def __iter__(self) -> Iterator[Sized]:
        """Yield the parts along the first axis."""
        return (self[k] for k in range(self.shape[0]))

    def transpose(self, *axes: Any) -> Sized:
        """Return it with its axes in another order."""
        return self.viewed(lambda x: x.transpose(*axes))

    def swapaxes(self, first: int, second: int) -> Sized:
        """Return it with two axes exchanged."""
        return self.viewed(lambda x: x.swapaxes(first, second))

    @property
    def T(self) -> Sized:  # noqa: N802 (NumPy's)
        """It, with its axes in reverse order."""
        return self.transpose()

    def reshape(self, *sizes: Any) -> Sized:
        """Return it in other sizes; what does not lie so is copied."""
        shape = sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
        whole = np.broadcast_to(np.int8(0), self.shape).reshape(tuple(shape)).shape
        if whole == self.shape:
            return self
        try:
            return self.viewed(lambda x: x.reshape(whole, copy=False))
        except ValueError:
            place = self.trace.new(self.shape, self.dtype)
            self.trace.compute(self, place)
            packed = place._replace(sizes=whole, strides=packed_strides(whole))
            return self.trace.at(packed, is_canonical=self.is_canonical)

    def ravel(self) -> Sized:
        """Return it as one row."""
        return self.reshape(-1)

    def copy(self) -> Sized:
        """Return it: nothing is written to."""
        return self

    # ---- words and functions ----

    def spread(self, sizes: Sequence[int], at: tuple[slice, ...]) -> Sized:
        """Write down zeros with it in them."""
        whole = self.trace.new(sizes, self.dtype)
        self.trace.made_steps.append(Made((0, None), (), (whole,)))
        part = self.trace.at(whole)[at]
        self.trace.compute(self, self.trace.placed(part))
        return self.trace.at(whole, is_canonical=self.is_canonical)

    def spoken(self, word: Any, bound: dict[str, Any]) -> Any:
        """Write a word down."""
        return self.trace.spoken(word, bound)

    def __array_function__(
        self, function: Any, types: Any, arguments: Any, options: Any
    ) -> Any:  # fmt: skip
        """Do what a function of NumPy does, where it is one of these."""
        own = FUNCTIONS.get(function)
        if own is not None:
            return own(*arguments, **options)
        return super().__array_function__(function, types, arguments, options)
