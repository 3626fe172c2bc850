"""What every section is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.limit import Limit
from benchmarks.timing import QUIET_SPREAD, Job, Row, measure

#: The data types of fills, by NumPy's names.
DTYPES = (
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
)

#: A start and a delta for each kind of data type. Under `accumulate`, floats are absorbed after a
#: while: no delta moves a float32 much more than 2^25 times. Under `multiply`, the deltas let the
#: values move all the way to the end of 1 GiB, and are no powers of two, so that they are rounded.
ACCUMULATE = {"f": (0.0, 0.1), "i": (3, 7), "u": (3, 7)}
MULTIPLY = {
    "float16": (0.0, 1.2e-4),
    "float32": (0.0, 3.7e-9),
    "float64": (0.0, 7.3e-9),
}


#: As few rounds as these are a look, which is not taken again.
_LOOK_ROUNDS = 5


@dataclass(frozen=True)
class Effort:
    """How thoroughly to measure.

    Attributes
    ----------
    rounds : float
        How many rounds, in parts of a thorough measurement; `least_rounds` at least.
    large_bytes : int
        The size of an output that is far larger than a cache.
    sample_s : float
        How long one sample of a short call lasts.
    size_factor : int
        From one size to the next, where all sizes are measured.
    """

    rounds: float
    least_rounds: int
    large_bytes: int
    sample_s: float
    size_factor: int


EFFORTS = {
    "full": Effort(1, 3, 2**30, 0.02, 2),
    "quick": Effort(0.2, 3, 2**27, 0.004, 8),
    "smoke": Effort(0, 1, 2**16, 0.0001, 64),
}


@dataclass(frozen=True)
class Context:
    """How thoroughly to measure, and the limit."""

    limit: Limit
    effort: Effort

    def rounds(self, thorough: int) -> int:
        """Return the number of rounds: fewer for a quick look."""
        return max(self.effort.least_rounds, round(thorough * self.effort.rounds))

    @property
    def large_bytes(self) -> int:
        """The size of an output that is far larger than a cache."""
        return self.effort.large_bytes

    @property
    def sample_s(self) -> float:
        """How long one sample of a short call lasts."""
        return self.effort.sample_s

    def sizes(self, first: int, last: int) -> list[int]:
        """Return powers of two from the first to the last, at the distance of the effort."""
        sizes = [first]
        while sizes[-1] < last:
            sizes.append(min(sizes[-1] * self.effort.size_factor, last))
        return sizes


@dataclass
class Section:
    """A table of the report.

    Attributes
    ----------
    name, title : str
        Short, for the command line; long, for the reader.
    limit : str
        What the ratios are to, in words.
    rows : list of Row
        In the order of the table.
    notes : list of str
        What a reader has to know about all rows.
    disturbed : bool
        True where the limit itself varied so much that the ratios mean little.
    took_s : float
        How long the measurement took.
    """

    name: str
    title: str
    limit: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    disturbed: bool = False
    took_s: float = 0.0

    def add(self, limit: Job, jobs: Sequence[Job], rounds: int, *, sample_s: float = 0.02) -> None:
        """Measure a group of jobs with their limit, and append their rows.

        If the limit itself varied much, ours are measured once more, and the attempt in which it
        varied less counts.
        """
        rows, spread = measure(limit, jobs, rounds, sample_s=sample_s)
        if spread > QUIET_SPREAD and rounds > _LOOK_ROUNDS:
            ours = [job for job in jobs if not job.peer]
            again, spread_again = measure(limit, ours, rounds, sample_s=sample_s)
            if spread_again < spread:
                better = {row.what: row for row in again}
                rows = [better.get(row.what, row) for row in rows]
                spread = spread_again
        self.rows += rows
        self.disturbed |= spread > QUIET_SPREAD


def shown_bytes(size: int) -> str:
    """Return a number of bytes with its unit, such as "64 KiB"."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << power:
            return f"{size / (1 << power):g} {unit}"
    return f"{size} B"


def threads_text(count: int) -> str:
    """Return "1 thread" or "2 threads"."""
    return f"{count} thread{'s' if count > 1 else ''}"


def multiply_scalars(dtype: str) -> tuple[float, float]:
    """Return start and delta for the rule `multiply`."""
    return MULTIPLY.get(dtype, (3, 7))


def accumulate_scalars(dtype: str) -> tuple[float, float]:
    """Return start and delta for the rule `accumulate`."""
    return ACCUMULATE[dtype[0]]
