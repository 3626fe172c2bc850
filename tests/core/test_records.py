"""Records beside frozen dataclasses of the same fields."""

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest

from indirectml.core.records import record


def _classes(make):
    """Return classes that are made the same way: plain, with slots, and one that adds fields."""

    @make()
    class Plain:
        """Where something is."""

        name: str
        places: tuple[int, ...] = ()
        others: object = field(default=None)

    @make(slots=True)
    class Slotted:
        """Two."""

        left: object
        right: int = 3

    @make(slots=True)
    class More(Slotted):
        """Three."""

        top: int = 4

    return Plain, Slotted, More


PAIRS = list(zip(_classes(record), _classes(lambda **k: dataclass(frozen=True, **k)), strict=True))
CALLS = [
    ((), {}),
    ((1,), {}),
    ((1, 2), {}),
    ((1, 2, 3), {}),
    ((1, 2, 3, 4), {}),
    ((1,), {"name": 2}),
    ((), {"name": 1}),
    ((), {"left": 1}),
    ((1,), {"right": 2}),
    ((1,), {"places": 2}),
    ((1, 2), {"top": 5}),
    ((), {"top": 1, "right": 2, "left": 3}),
]


of_each = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0].__name__)


@of_each
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_calls_are_taken_or_refused_alike(pair, call):
    made = []
    for each in pair:
        try:
            made.append(each(*call[0], **call[1]))
        except TypeError as error:
            made.append(str(error))

    assert str(made[0]) == str(made[1])  # the text of an error, or the fields


@of_each
def test_classes_look_alike(pair):
    assert inspect.signature(pair[0]) == inspect.signature(pair[1])
    assert pair[0].__match_args__ == pair[1].__match_args__
    assert pair[0].__doc__ == pair[1].__doc__
    assert [f.name for f in fields(pair[0])] == [f.name for f in fields(pair[1])]


@of_each
def test_instances_compare_by_their_fields_and_never_change(pair):
    for made in pair:
        one, same, other = made(1), made(1), made(2)
        name = fields(made)[0].name

        assert one == same
        assert one != other
        assert one != 1
        assert replace(one, **{name: 2}) == other
        assert copy.deepcopy(one) == one
        for change in (
            lambda o=one, n=name: setattr(o, n, 2),
            lambda o=one, n=name: delattr(o, n),
            lambda o=one: setattr(o, "new", 2),
        ):
            with pytest.raises((FrozenInstanceError, TypeError, AttributeError)):
                change()
        assert one == same
    assert pair[0](1) != pair[1](1)


def test_hashes_are_those_of_the_fields():
    for slotted in (PAIRS[1], PAIRS[2]):
        assert hash(slotted[0](1)) == hash(slotted[1](1))
    assert PAIRS[1][0](1) != PAIRS[2][0](1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(PAIRS[1][0]([]))


@record(slots=True)
class Kept:
    """Something that a process sends to another."""

    value: int
    unit: str = "s"


def test_instances_with_slots_are_pickled():
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(Kept(3), protocol)) == Kept(3)  # noqa: S301 (our own)


def test_what_a_factory_makes_is_made_once():
    @record()
    class Table:
        """Columns by name."""

        columns: dict = field(default_factory=dict)

    assert Table().columns is Table().columns
    assert Table({"a": 1}).columns == {"a": 1}


def test_what_a_class_writes_itself_is_left_out():
    @record(init=False, repr=False, eq=False)
    class Own:
        """One that is what it wants to be."""

        value: int

        def __init__(self):
            object.__setattr__(self, "value", 5)

        def __repr__(self):
            return "own"

    assert (Own().value, repr(Own()), Own() == Own()) == (5, "own", False)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'value'"):
        Own().value = 6
