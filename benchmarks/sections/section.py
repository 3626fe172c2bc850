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


@dataclass(frozen=True)
class Context:
    """How thoroughly to measure, and the limit."""

    limit: Limit
    quick: bool

    def rounds(self, thorough: int) -> int:
        """Return the number of rounds: fewer for a quick look."""
        return max(3, thorough // 5) if self.quick else thorough

    @property
    def large_bytes(self) -> int:
        """The size of an output that is far larger than a cache."""
        return 2**28 if self.quick else 2**30

    @property
    def sample_s(self) -> float:
        """How long one sample of a short call lasts."""
        return 0.004 if self.quick else 0.02


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
    """

    name: str
    title: str
    limit: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    disturbed: bool = False

    def add(self, limit: Job, jobs: Sequence[Job], rounds: int, *, sample_s: float = 0.02) -> None:
        """Measure a group of jobs with their limit, and append their rows.

        If the limit itself varied much, the group is measured once more, and the attempt in which
        it varied less counts.
        """
        rows, spread = measure(limit, jobs, rounds, sample_s=sample_s)
        if spread > QUIET_SPREAD:
            rows, spread = min(
                (rows, spread),
                measure(limit, jobs, rounds, sample_s=sample_s),
                key=lambda attempt: attempt[1],
            )
        self.rows += rows
        self.disturbed |= spread > QUIET_SPREAD


def multiply_scalars(dtype: str) -> tuple[float, float]:
    """Return start and delta for the rule `multiply`."""
    return MULTIPLY.get(dtype, (3, 7))


def accumulate_scalars(dtype: str) -> tuple[float, float]:
    """Return start and delta for the rule `accumulate`."""
    return ACCUMULATE[dtype[0]]
