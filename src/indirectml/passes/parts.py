"""What the plan of a graph leaves for that of other sizes: what is alike is taken again."""

from __future__ import annotations

from typing import Any, NamedTuple

from indirectml.plans import CopyStep, Node, Step


class Piece(NamedTuple):
    """What a node of a graph was lowered to."""

    node: Node | CopyStep
    #: The number of its first temporary buffer.
    first: int
    steps: tuple[Step, ...]
    temporaries: tuple[int, ...]


class Former:
    """The parts of the plan that was made last, of a graph that is compiled for many sizes.

    A part that is the same object in the next plan was made of the same; whoever compiles two plans
    at once gives each one of its own, or waits.

    Attributes
    ----------
    layout : object or None
        Nodes, how they are connected, and where their values lie (graphs/compilation.py).
    pieces : list of Piece
        What nodes became, in the order in which they run.
    passes : dict
        What passes did with the last plan, by the name of each: done again where it would be.
    """

    def __init__(self) -> None:
        self.layout: Any = None
        self.pieces: list[Piece] = []
        self.passes: dict[str, Any] = {}

    def __getstate__(self) -> dict[str, Any]:  # it is worth nothing in another process
        return vars(Former())
