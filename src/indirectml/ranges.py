"""Ranges of one piece of memory, given out and taken back: where what is between steps lies."""

from __future__ import annotations

from bisect import bisect_left, insort

from indirectml.core.tensors import TensorDesc
from indirectml.plans import View

#: Where ranges of temporary and persistent resources begin: at multiples of so many bytes.
RANGE_ALIGNMENT = 256
#: How many places of a size are remembered.
_KNOWN = 4


class Ranges:
    """Ranges of one resource: given out, and given out again once they are given back.

    Attributes
    ----------
    buffer : int
        The number of the resource among the buffers of a plan.
    size : int
        How many bytes the resource needs so far.
    """

    def __init__(self, buffer: int) -> None:
        self.buffer = buffer
        self.size = 0
        # What was given back, each range as long as can be: by size, and by both ends.
        self._free: list[tuple[int, int]] = []
        self._free_ends: dict[int, int] = {}
        self._free_begins: dict[int, int] = {}
        # Where the first ranges of a size began.
        self._known: dict[int, list[int]] = {}

    def add(self, tensor: TensorDesc) -> View:
        """Return a range for a tensor."""
        return View.of(self.buffer, tensor, self.take(tensor.total_tensor_size_in_bytes))

    def take(self, size_bytes: int) -> int:
        """Return where a range begins: within the smallest free one that is large enough, or anew.

        Where one of its size lay before, if it may: threads that write the same parts of both then
        find them in their own caches.
        """
        size = aligned(size_bytes)
        at = bisect_left(self._free, (size, 0))
        known = self._known.setdefault(size, [])
        if at < len(self._free):
            first = self._free[at][1]
            end = self._forget(first)
            begin = next((there for there in known if first <= there <= end - size), first)
            if first < begin:
                self._put(first, begin)
            if begin + size < end:
                self._put(begin + size, end)
        else:
            # A free range at the very end is made longer.
            begin = self._free_begins.get(self.size, self.size)
            if begin < self.size:
                self._forget(begin)
            self.size = begin + size
        if len(known) < _KNOWN and begin not in known:
            known.append(begin)
        return begin

    def release(self, view: View) -> None:
        """Take a range back that `add` gave out."""
        self.give_back(view.offset, view.size_bytes)

    def give_back(self, begin: int, size_bytes: int) -> None:
        """Take a range back that `take` gave out."""
        end = begin + aligned(size_bytes)
        if begin in self._free_begins:
            begin = self._free_begins[begin]
            self._forget(begin)
        if end in self._free_ends:
            end = self._forget(end)
        self._put(begin, end)

    def _put(self, begin: int, end: int) -> None:
        insort(self._free, (end - begin, begin))
        self._free_ends[begin], self._free_begins[end] = end, begin

    def _forget(self, begin: int) -> int:
        """Forget a free range; returns its end."""
        end = self._free_ends.pop(begin)
        del self._free_begins[end]
        del self._free[bisect_left(self._free, (end - begin, begin))]
        return end


def aligned(size: int) -> int:
    """Return the bytes of a range for so many."""
    return (size + RANGE_ALIGNMENT - 1) // RANGE_ALIGNMENT * RANGE_ALIGNMENT
