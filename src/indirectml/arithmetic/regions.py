"""Regions of interest: rectangles of an image, each brought to the same size, and the way back.

Coordinates are (x1, y1, x2, y2), one region a row. What `roi_align` reads between elements, and
what its gradients give back to them, comes from one list of samples.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from indirectml import _native
from indirectml.arithmetic.basics import Array
from indirectml.arithmetic.sums import are_floats, quieted
from indirectml.arithmetic.words import word

Mode = Literal["linear", "nearest"]
Choice = Literal["average", "largest"]


def _pool_step(
    x: Any, regions: Any, *, outputs: Sequence[Any], scale: float, pooled_sizes: Sequence[int]
) -> _native.Step | None:
    """Return the native form of `roi_pool`; it declines coordinates beyond 2^30 when it runs."""
    (out,) = outputs
    if not are_floats(x, regions, out) or not prod(x.sizes):
        return None
    sizes = [*x.sizes, regions.sizes[-2], *pooled_sizes]
    return _native.region_pool_step(
        x.place, regions.place, sizes, float(np.float32(scale)), out.place
    )


@word(
    "x",
    "regions",
    native=_pool_step,
    results=lambda x, regions, pooled_sizes, **_: [
        ((regions.shape[-2], x.shape[1], *pooled_sizes), x.dtype)
    ],
    takes_halves=True,
)
def roi_pool(
    x: Array, regions: Array, scale: float, pooled_sizes: Sequence[int],
    *, out: Array | None = None,
) -> Array:  # fmt: skip
    """Return the largest element of each cell of each region of images.

    A row of the regions is (batch, x1, y1, x2, y2). Coordinates times the scale, rounded to
    FLOAT32, go to the nearest integers, of two the one farther from 0; a region has both ends and
    at least one element. Of n elements cell i of m has those from floor(i n / m) to before
    ceil((i + 1) n / m), as far as they lie inside. A NaN wins, +0 is larger than -0; a cell without
    an element, and one of a batch that there is not, is 0.
    """
    rows = regions.reshape(-1, regions.shape[-1]).astype(np.float32)
    _, channels, height, width = x.shape
    if out is None:
        out = np.empty((len(rows), channels, *pooled_sizes), x.dtype)
    out[...] = 0
    for number, (batch, *corners) in enumerate(rows):
        with np.errstate(all="ignore"):
            ends = [_rounded_away(float(c * np.float32(scale))) for c in corners]
        if not 0 <= batch < len(x) or None in ends:
            continue
        x1, y1, x2, y2 = (end or 0 for end in ends)
        along_y = _cells(y1, y2, pooled_sizes[0], height)
        along_x = _cells(x1, x2, pooled_sizes[1], width)
        for (i, (top, bottom)), (j, (left, right)) in product(
            enumerate(along_y), enumerate(along_x)
        ):
            cell = x[int(batch), :, top:bottom, left:right]
            for part in _parts(channels, cell[0].size) if cell.size else ():
                some = cell[part]
                out[number, part, i, j] = quieted(_largest(some.reshape(len(some), -1)))
    return out


def _rounded_away(value: float) -> int | None:
    """Return the nearest integer, of two the one farther from 0; None for no finite number."""
    if not math.isfinite(value):
        return None
    whole = math.floor(abs(value))
    whole += abs(value) - whole >= 0.5  # noqa: PLR2004 (a half)
    return whole if value >= 0 else -whole


def _cells(start: int, end: int, count: int, size: int) -> list[tuple[int, int]]:
    """Return where cells begin and end along an axis, inside of the input."""
    length = max(end - start + 1, 1)
    cells = ((start + i * length // count, start - (-(i + 1) * length // count))
             for i in range(count))  # fmt: skip
    return [(min(max(a, 0), size), min(max(b, 0), size)) for a, b in cells]


def _largest(rows: Array) -> Array:
    """Return the largest of each row: NaN before all, and +0 before -0."""
    best = rows[:, 0]
    for column in rows.T[1:]:
        best = np.where(_is_larger(column, best), column, best)
    return best


def _is_larger(new: Array, old: Array) -> Array:
    is_zero = (new == 0) & (old == 0) & np.signbit(old) & ~np.signbit(new)
    larger: Array = (np.isnan(new) & ~np.isnan(old)) | (new > old) | is_zero
    return larger


@dataclass(frozen=True)
class _Line:
    """The samples of a region along one axis: arrays of sizes (outputs, samples).

    Their coordinates, limited to the input; which of them were inside of it; and how far they lie
    from the region's start, as a part of its length.
    """

    place: Array
    is_inside: Array
    fraction: Array

    @property
    def count(self) -> int:
        """How many samples each output has."""
        return self.place.shape[1]

    def neighbours(self, sample: int) -> tuple[Array, Array, Array]:
        """Return both neighbours of one sample of each output, and the weight of the second."""
        place = self.place[:, sample]
        low = np.floor(place)
        return low.astype(np.intp), np.ceil(place).astype(np.intp), place - low

    def taps(self, sample: int, mode: Mode) -> tuple[Array, Array, Array]:
        """Return what one sample of each output reads, in the form of `neighbours`."""
        if mode == "linear":
            return self.neighbours(sample)
        nearest = np.ceil(self.place[:, sample] - 0.5).astype(np.intp)
        return nearest, nearest, np.zeros(nearest.shape)


class Sampling(NamedTuple):
    """Where samples lie, and what is made of those of a cell.

    Attributes
    ----------
    scale_x, scale_y : float
        What coordinates are multiplied by.
    input_offset, output_offset : float
        What is subtracted from coordinates of samples, and from their numbers.
    fewest, most : int
        How many samples a cell has along an axis.
    is_stretched : bool
        Whether the first and the last sample of a region lie on its borders.
    mode : {"linear", "nearest"}
        What a sample between elements is.
    choice : {"average", "largest"}
        What a cell is of its samples.
    """

    scale_x: float
    scale_y: float
    input_offset: float
    output_offset: float
    fewest: int
    most: int
    is_stretched: bool
    mode: Mode
    choice: Choice

    def lines(
        self, region: Array, output_sizes: Sequence[int], input_sizes: Sequence[int]
    ) -> tuple[_Line, _Line]:
        """Return the samples of a region along y and x."""
        x1, y1, x2, y2 = (float(c) for c in region)
        along_y = self._line(
            y1 * self.scale_y, y2 * self.scale_y, output_sizes[-2], input_sizes[-2]
        )
        along_x = self._line(
            x1 * self.scale_x, x2 * self.scale_x, output_sizes[-1], input_sizes[-1]
        )
        return along_y, along_x

    def _line(self, start: float, end: float, outputs: int, size: int) -> _Line:
        length = end - start
        wanted = math.ceil(length / outputs) if math.isfinite(length) else 0
        count = min(max(wanted, self.fewest), self.most)
        at = np.arange(outputs * count, dtype=np.float64).reshape(outputs, count)
        if not self.is_stretched:
            fraction = (at - self.output_offset) / (outputs * count)
        elif outputs * count > 1:
            fraction = (at - self.output_offset) / (outputs * count - 1)
        else:
            fraction = np.full((1, 1), 0.5)
        place = fraction * length + start - self.input_offset
        is_inside = (place >= -1) & (place <= size)
        limited = np.clip(np.where(is_inside, place, 0.0), 0.0, size - 1.0)
        return _Line(limited, is_inside, fraction)


def _region_step(
    kind: int, views: Sequence[Any], sampling: Sampling, outside: float,
    sizes: tuple[Sequence[int], Sequence[int]], out: Any,
) -> _native.Step | None:  # fmt: skip
    """Return the native form of a word, from the sizes of images and of cells."""
    of_images, of_cells = sizes
    *given, _ = views = [view for view in views if view is not None]
    if not are_floats(*given, out) or not prod(of_images) * prod(of_cells):
        return None
    s = sampling
    return _native.regions_step(
        kind, [view.place for view in views], [*of_images, of_cells[0], *of_cells[2:]],
        [s.scale_x, s.scale_y, s.input_offset, s.output_offset], (s.fewest, s.most),
        s.is_stretched, s.mode == "nearest", s.choice == "largest", outside, out.place,
    )  # fmt: skip


def _align_step(
    x: Any, roi: Any, batch_indices: Any, *, outputs: Sequence[Any], sampling: Sampling,
    outside: float, output_sizes: Sequence[int], **_: Any,
) -> _native.Step | None:  # fmt: skip
    """Return the native form of `roi_align`."""
    views, (out,) = (x, roi, batch_indices), outputs
    return _region_step(0, views, sampling, outside, (x.sizes, output_sizes), out)


def _gradient_step(
    x: Any, gradient: Any, roi: Any, batch_indices: Any, *, outputs: Sequence[Any],
    sampling: Sampling, input_sizes: Sequence[int], **_: Any,
) -> _native.Step | None:  # fmt: skip
    """Return the native form of `roi_align_gradient`."""
    if sampling.choice == "average":
        x = None
    views, (out,) = (x, gradient, roi, batch_indices), outputs
    return _region_step(1, views, sampling, 0.0, (input_sizes, gradient.sizes), out)


def _gradient_of_regions_step(
    x: Any, gradient: Any, roi: Any, batch_indices: Any, *, outputs: Sequence[Any],
    sampling: Sampling,
) -> _native.Step | None:  # fmt: skip
    """Return the native form of `roi_align_gradient_of_regions`."""
    views, (out,) = (x, gradient, roi, batch_indices), outputs
    return _region_step(2, views, sampling, 0.0, (x.sizes, gradient.sizes), out)


def _between(before: Array, behind: Array, weight: Array) -> Array:
    """Return what lies between elements; one whose weight is 0 is not read."""
    mixed = before * (1 - weight) + behind * weight
    return np.where(weight == 0, before, mixed)


def _samples(
    image: Array, lines: tuple[_Line, _Line], mode: Mode, outside: float
) -> Iterator[Array]:
    """Yield one sample of all outputs of a region at a time, row by row."""
    along_y, along_x = lines
    for i, j in product(range(along_y.count), range(along_x.count)):
        top, bottom, y_weight = along_y.taps(i, mode)
        left, right, x_weight = along_x.taps(j, mode)
        rows = []
        for y in (top, bottom):
            near, far = (image[:, y[:, None], x].astype(np.float64) for x in (left, right))
            rows.append(_between(near, far, x_weight))
        value = _between(rows[0], rows[1], y_weight[:, None])
        is_inside = along_y.is_inside[:, i, None] & along_x.is_inside[:, j]
        yield np.where(is_inside, value, outside)


def _regions(roi: Array, batch_indices: Array, batches: int) -> Iterator[tuple[int, Array, int]]:
    """Yield the numbers of regions, their coordinates and batches, of batches that there are."""
    rows = zip(roi.reshape(-1, 4), batch_indices.reshape(-1).tolist(), strict=True)
    for number, (region, batch) in enumerate(rows):
        if 0 <= batch < batches:
            yield number, region, batch


@word(
    "x",
    "roi",
    "batch_indices",
    native=_align_step,
    results=lambda output_sizes, dtype=np.float64, **_: [(output_sizes, dtype)],
    takes_halves=True,
)
def roi_align(
    x: Array, roi: Array, batch_indices: Array, sampling: Sampling, outside: float,
    output_sizes: Sequence[int], *, dtype: DTypeLike = np.float64, out: Array | None = None,
) -> Array:  # fmt: skip
    """Return the average or the largest of the samples of each cell of each region, in FLOAT64.

    Samples lie as `Sampling` says. A coordinate from -1 to the size is limited to the image;
    beyond, and NaN, a sample is `outside`, as all of a batch that there is not. Between elements
    both neighbours are weighed, along x first, or the nearest is taken, of two the one with the
    lower position. Samples are added row by row, and divided by their count; of the largest, a NaN
    wins, and +0 is larger than -0. Rounded once to `dtype`, or in `out` to its data type.
    """
    if out is None:
        out = np.empty(output_sizes, dtype)
    out[...] = math.nan if math.isnan(outside) else outside
    for number, region, batch in _regions(roi, batch_indices, len(x)):
        lines = sampling.lines(region, output_sizes, x.shape)
        for part in _parts(x.shape[1], prod(output_sizes[2:])):
            out[number, part] = _aligned(x[batch, part], lines, sampling, outside)
    return out


#: Elements that are worked on at once, if one channel has no more.
_CACHED = 1 << 14


def _parts(channels: int, elements: int) -> Iterator[slice]:
    """Yield channels, each of so many elements: as many at a time as fit a cache."""
    step = max(_CACHED // elements, 1)
    return (slice(first, first + step) for first in range(0, channels, step))


def _aligned(image: Array, lines: tuple[_Line, _Line], sampling: Sampling, outside: float) -> Array:
    """Return what each cell of a region is of its samples."""
    with np.errstate(all="ignore"):
        samples = _samples(image, lines, sampling.mode, outside)
        total = next(samples)
        for sample in samples:
            if sampling.choice == "average":
                total = total + sample
            else:
                total = np.where(_is_larger(sample, total), sample, total)
        if sampling.choice == "average":
            total = total / (lines[0].count * lines[1].count)
    return quieted(total)


@word(
    "x",
    "gradient",
    "roi",
    "batch_indices",
    native=_gradient_step,
    results=lambda input_sizes, dtype=np.float64, **_: [(input_sizes, dtype)],
    takes_halves=True,
)
def roi_align_gradient(
    x: Array | None, gradient: Array, roi: Array, batch_indices: Array, sampling: Sampling,
    input_sizes: Sequence[int], *, dtype: DTypeLike = np.float64, out: Array | None = None,
) -> Array:  # fmt: skip
    """Return what comes back from `roi_align` to each element of its images, in FLOAT64.

    Of an average each sample inside of the image has an equal share of its cell's gradient, divided
    by the count of all samples; else the largest has all of it, the first of equals. A share goes
    to the elements that the sample reads, times their weights, added one after the other by region,
    sample, channel, row and column. Rounded once to `dtype`, or in `out` to its data type.
    """
    if out is None:
        out = np.empty(input_sizes, dtype)
    batches, channels, *spatial = input_sizes
    for part in _parts(channels, batches * prod(spatial)):
        total = np.zeros(out[:, part].shape)
        for number, region, batch in _regions(roi, batch_indices, batches):
            lines = sampling.lines(region, gradient.shape, out.shape)
            with np.errstate(all="ignore"):
                image = None if x is None else x[batch, part]
                own = gradient[number, part].astype(np.float64)
                for i, j, share in _shares(image, own, lines, sampling.mode, sampling.choice):
                    _give(total[batch], share, lines, (i, j), sampling.mode)
        out[:, part] = quieted(total)
    return out


@word(
    "x",
    "gradient",
    "roi",
    "batch_indices",
    native=_gradient_of_regions_step,
    results=lambda roi, **_: [(roi.shape, np.float64)],
    takes_halves=True,
)
def roi_align_gradient_of_regions(
    x: Array, gradient: Array, roi: Array, batch_indices: Array, sampling: Sampling
) -> Array:
    """Return what comes back from `roi_align` to the coordinates of its regions, in FLOAT64.

    Shares are those of `roi_align_gradient`. One moves a region's start by share * slope * scale *
    (1 - t) and its end by share * slope * scale * t, where t is the sample's place from start to
    end, and the slope that between both neighbours along x (y), weighed along y (x).
    """
    out = np.zeros((len(gradient), 4))
    scales = (sampling.scale_x, sampling.scale_y) * 2
    for number, region, batch in _regions(roi, batch_indices, len(x)):
        lines = sampling.lines(region, gradient.shape, x.shape)
        with np.errstate(all="ignore"):
            image, own = x[batch].astype(np.float64), gradient[number].astype(np.float64)
            for i, j, share in _shares(image, own, lines, sampling.mode, sampling.choice):
                moved = _moved(image, share, lines, (i, j))
                for column, (terms, scale) in enumerate(zip(moved, scales, strict=True)):
                    summed = np.add.accumulate(np.append(out[number, column], terms * scale))
                    out[number, column] = summed[-1]
    return quieted(out.reshape(roi.shape))


def _shares(
    image: Array | None, gradient: Array, lines: tuple[_Line, _Line], mode: Mode,
    choice: Choice,
) -> Iterator[tuple[int, int, Array]]:  # fmt: skip
    """Yield the samples of a region, by their numbers along y and x, and their shares."""
    numbers = list(product(range(lines[0].count), range(lines[1].count)))
    if choice == "largest":
        # Samples outside of the input take no part.
        chosen = np.full(gradient.shape, -1)
        best = np.zeros(gradient.shape)
        samples = _samples(image, lines, mode, -np.inf) if image is not None else iter(())
        for number, sample in enumerate(samples):
            i, j = numbers[number]
            is_inside = lines[0].is_inside[:, i, None] & lines[1].is_inside[:, j]
            is_better = is_inside & ((chosen < 0) | _is_larger(sample, best))
            chosen, best = np.where(is_better, number, chosen), np.where(is_better, sample, best)
    for number, (i, j) in enumerate(numbers):
        is_inside = lines[0].is_inside[:, i, None] & lines[1].is_inside[:, j]
        if choice == "largest":
            yield i, j, np.where(chosen == number, gradient, 0.0)
        else:
            yield i, j, np.where(is_inside, gradient / len(numbers), 0.0)


def _give(
    target: Array, share: Array, lines: tuple[_Line, _Line], at: tuple[int, int],
    mode: Mode,
) -> None:  # fmt: skip
    """Add shares to the elements that a sample reads."""
    top, bottom, y_weight = lines[0].taps(at[0], mode)
    left, right, x_weight = lines[1].taps(at[1], mode)
    for rows, along_y in ((top, 1 - y_weight), (bottom, y_weight)):
        for columns, along_x in ((left, 1 - x_weight), (right, x_weight)):
            weight = along_y[:, None] * along_x
            at_elements: Any = (slice(None), rows[:, None], columns)
            np.add.at(target, at_elements, np.where(weight == 0, 0.0, share * weight))


def _moved(
    image: Array, share: Array, lines: tuple[_Line, _Line], at: tuple[int, int]
) -> tuple[Array, Array, Array, Array]:
    """Return how shares move x1, y1, x2 and y2, before scaling."""
    top, bottom, y_weight = lines[0].neighbours(at[0])
    left, right, x_weight = lines[1].neighbours(at[1])
    y_weight = y_weight[:, None]
    corners = [
        image[:, rows[:, None], columns] for rows in (top, bottom) for columns in (left, right)
    ]
    top_left, top_right, bottom_left, bottom_right = corners
    along_x = _between(top_right - top_left, bottom_right - bottom_left, y_weight) * share
    along_y = _between(bottom_left - top_left, bottom_right - top_right, x_weight) * share
    t_y = lines[0].fraction[:, at[0], None]
    t_x = lines[1].fraction[:, at[1]]
    return along_x * (1 - t_x), along_y * (1 - t_y), along_x * t_x, along_y * t_y
