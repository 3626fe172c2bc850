"""Records: what frozen dataclasses are, made in a fifth of the time.

`dataclass` writes and compiles six functions for each class, which takes 0.4 ms: of two dozen
classes, a third of what importing `Device` took. Of a record it is one function, `__init__`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)


@dataclass_transform(frozen_default=True)
def record(
    *,
    init: bool = True,
    repr: bool = True,  # noqa: A002 (as `dataclass` calls it)
    eq: bool = True,
    slots: bool = False,
) -> Callable[[Class], Class]:
    """Return a decorator that makes a class what `dataclass(frozen=True)` makes of it.

    Parameters
    ----------
    init, repr, eq, slots : bool
        As of `dataclass`.

    Returns
    -------
    callable
        From a class to a record, which `dataclasses.fields` and `replace` take. What a factory
        makes is made once, and shared: nobody changes what a record holds.

    Examples
    --------
    >>> @record()
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(3), Point(3) == Point(x=3, y=0)
    (Point(x=3, y=0), True)
    """

    def make(given: Class) -> Class:
        made: Any = dataclass(init=False, repr=False, eq=False, slots=slots)(given)
        made.__setattr__, made.__delattr__ = _refuse_to_set, _refuse_to_delete
        if init:
            made.__init__ = _init_of(made, slots=slots)
        if repr:
            made.__repr__ = _repr
        if eq:
            made.__eq__, hash_of = _comparison_of(made)
            if vars(given).get("__hash__") is None:  # else it has a faster one
                made.__hash__ = hash_of
        if slots:
            made.__reduce__ = _reduce
        return made  # type: ignore[no-any-return]

    return make


def _init_of(made: Any, *, slots: bool) -> Callable[..., None]:
    """Return a function that takes the fields of a class, and sets them."""
    names = [field.name for field in fields(made)]
    lines = [f"def __init__(self, {', '.join(names)}):"]
    if slots:
        lines += [f" put(self, {name!r}, {name})" for name in names]
    else:  # in a third of the time
        lines += [" own = self.__dict__", *(f" own[{name!r}] = {name}" for name in names)]
    namespace: dict[str, Any] = {"put": object.__setattr__}
    exec("\n".join(lines), namespace)  # noqa: S102 (as `dataclass` does; the names are those of fields)
    init: Any = namespace["__init__"]
    init.__defaults__ = tuple(
        field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(made)
        if field.default is not MISSING or field.default_factory is not MISSING
    )
    init.__annotations__ = {f.name: f.type for f in fields(made)} | {"return": None}
    init.__module__, init.__qualname__ = made.__module__, f"{made.__qualname__}.__init__"
    return init  # type: ignore[no-any-return]


def _comparison_of(made: Any) -> tuple[Callable[..., Any], Callable[[Any], int]]:
    """Return what compares instances of a class, and what hashes one: by the values of fields."""
    values = attrgetter(*made.__match_args__)

    def is_equal(self: Any, other: object) -> Any:
        if other is self:
            return True
        if other.__class__ is self.__class__:
            return values(self) == values(other)
        return NotImplemented

    def hash_of(self: Any) -> int:
        return hash(values(self))

    return is_equal, hash_of


def _repr(self: Any) -> str:
    values = [f"{name}={getattr(self, name)!r}" for name in self.__match_args__]
    return f"{type(self).__qualname__}({', '.join(values)})"


def _refuse_to_set(self: object, name: str, value: object) -> NoReturn:  # noqa: ARG001
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> NoReturn:  # noqa: ARG001
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _reduce(self: Any) -> tuple[Any, ...]:
    """Return how an instance without `__dict__` is pickled: as a call."""
    return type(self), tuple(getattr(self, name) for name in self.__match_args__)
