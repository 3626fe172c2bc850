"""Random graphs of many operators, by a seed, through the functions for graphs.

    made = random_graph(7)
    outputs = made.compile()(made.data)

`random_forms.py` says for each function how it is called.
"""

from dataclasses import dataclass, field

import numpy as np

import indirectml as dml
from tests.graphs.random_forms import FLOATS, FORMS, LIMIT, NotHereError


@dataclass
class RandomGraph:
    """A graph that grows by random operators.

    Attributes
    ----------
    seed : int
        What everything follows from.
    graph : Graph
        Not compiled yet.
    values : list of Expression
        Everything there is so far, inputs too.
    data : dict
        Arrays of the inputs, by name.
    used : list of str
        The functions that were called, in order.
    """

    seed: int
    device: dml.Device = field(default_factory=dml.Device)
    values: list = field(default_factory=list)
    data: dict = field(default_factory=dict)
    used: list = field(default_factory=list)

    def __post_init__(self):
        self.random = np.random.default_rng([20261121, self.seed])
        self.graph = dml.Graph(self.device)
        self._read = set()

    # ---- what forms ask for ----

    def chance(self, of=2):
        return self.random.integers(of) == 0

    def one_of(self, choices):
        return choices[self.random.integers(len(choices))]

    def below(self, count):
        return int(self.random.integers(count))

    def number(self, low=-2.0, high=2.0):
        return float(np.float32(self.random.uniform(low, high)))

    def new(self, sizes, dtype=np.float32, low=None, high=None):
        """Return a new input, or a constant, of moderate numbers, or of integers in a range."""
        dtype = np.dtype(dtype)
        if dtype.kind == "f":
            array = self.random.standard_normal(sizes)
            array = array if low is None else low + (high - low) * self.random.random(sizes)
        else:
            least = 0 if dtype.kind == "u" else -9
            array = self.random.integers(least if low is None else low, high or 10, sizes)
        array = array.astype(dtype)
        if self.chance(3):
            return self.graph.constant(array)
        name = f"x{len(self.data)}"
        self.data[name] = array
        return self.graph.input(list(sizes), dtype, name=name)

    def pick(self, dtypes=FLOATS, rank=None, where=lambda _: True, sizes=None):
        """Return a value of one of the data types, one that nobody has read yet if there is one.

        Where none fits, and sometimes else, a new input, of these sizes if they are given.
        """
        found = [
            v for v in self.values
            if v.dtype in dtypes and rank in {None, len(v.shape)} and where(v)
        ]  # fmt: skip
        fresh = [v for v in found if v not in self._read]
        if not found or self.chance(6):
            rank = rank or int(self.random.integers(2, 5))
            most = (3, 9, 40, 50) if self.chance(4) else (3, 9, 12, 12)
            sizes = sizes or [int(self.random.integers(2, n)) for n in most[4 - rank :]]
            value = self.new(sizes, self.one_of(dtypes))
            found, fresh = [value], []
            if not where(value):
                raise NotHereError
        value = self.one_of(fresh or found)
        self._read.add(value)
        return value

    def like(self, value):
        """Return another value of the same data type and sizes."""
        same = [v for v in self.values if v.dtype == value.dtype and v.shape == value.shape]
        other = self.new(value.shape, value.dtype) if self.chance() or not same else None
        other = self.one_of(same) if other is None else other
        self._read.add(other)
        return other

    # ---- growing ----

    def grow(self, name):
        """Call a function; return whether there was anything to call it with."""
        read = set(self._read)
        try:
            made = FORMS[name](self)
        except NotHereError:
            self._read = read
            return False
        made = [made] if isinstance(made, dml.Expression) else [e for e in made if e is not None]
        if max(e.size for e in made) > LIMIT:
            self._read = read
            return False  # nobody knows of the node, and the graph leaves it out
        self.values += made
        self.used.append(name)
        return True

    @property
    def outputs(self):
        """What nobody has read, and never nothing."""
        return [v for v in self.values if v not in self._read] or self.values[-1:]

    def compile(self, **options):
        return self.graph.compile(self.outputs, **options)


def random_graph(seed, count=25, names=None, device=None):
    """Return a graph of about so many calls, of the functions of these names or of all.

    The first ones are chosen by the seed, in turn, so that as many seeds as there are functions
    have them all.
    """
    made = RandomGraph(seed, device or dml.Device())
    names = sorted(FORMS if names is None else names)
    made.grow(names[seed % len(names)])
    while len(made.used) < count:
        made.grow(made.one_of(names))
    return made
