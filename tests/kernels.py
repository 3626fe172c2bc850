"""Which kernels a fill uses: the native code's own table, read and replaced in its memory.

A policy holds a pointer to a target: a name, and two kernels for each element width
(native/targets/target.h). Where the pointer lies in the object is found by a number beside it.
"""

import ctypes
import sys
from collections import Counter

from indirectml import _native

_WIDTHS = 4
_STREAMING_BYTES = 0x5EED_0F_5712EA11  # stands beside the pointer, and hardly anywhere else
_AFFINE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int
)
_FRACTION = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_uint64] * 4, ctypes.c_int
)


class Target(ctypes.Structure):
    """`struct Target`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("affine", ctypes.c_void_p * _WIDTHS),
        ("fraction", ctypes.c_void_p * _WIDTHS),
    )

    @property
    def addresses(self):
        """Where its kernels are."""
        return [*self.affine, *self.fraction]


def _slot(policy):
    """Return where a policy keeps the pointer to its target."""
    words = (ctypes.c_uint64 * (sys.getsizeof(policy) // 8)).from_address(id(policy))
    found = [k for k, word in enumerate(words) if word == policy.streaming_bytes]
    assert len(found) == 1, "the layout of a policy is not what it was"
    k = found[0]
    assert words[k - 1] & 0xFFFFFFFF == policy.max_threads
    return ctypes.c_void_p.from_address(id(policy) + 8 * (k - 2))


def target_of(policy):
    """Return the table that a policy points to."""
    return Target.from_address(_slot(policy).value)


def table(name):
    """Return the table of a target by its name."""
    return target_of(_native.Policy(name, 1, _STREAMING_BYTES))


class Counting:
    """A policy whose kernels count their calls, and then do the work of a target's own.

    Attributes
    ----------
    policy : _native.Policy
        To be put in force for as long as this exists.
    calls : Counter
        By kind ("affine" or "fraction") and bytes of an element.
    """

    def __init__(self, name, max_threads=1):
        self.policy = _native.Policy(name, max_threads, _STREAMING_BYTES, 1 << 20)
        self.calls = Counter()
        own = target_of(self.policy)
        self._target = Target(own.name)
        self._kept = []
        for kind, prototype in (("affine", _AFFINE), ("fraction", _FRACTION)):
            for k in range(_WIDTHS):
                kernel = self._counted((kind, 1 << k), prototype(getattr(own, kind)[k]), prototype)
                getattr(self._target, kind)[k] = ctypes.cast(kernel, ctypes.c_void_p).value
        _slot(self.policy).value = ctypes.addressof(self._target)

    def _counted(self, key, kernel, prototype):
        def count(*arguments):
            self.calls[key] += 1
            kernel(*arguments)

        counted = prototype(count)
        self._kept += [kernel, counted]
        return counted
