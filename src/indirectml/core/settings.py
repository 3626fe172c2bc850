"""How work is done on the CPU: the instruction set and the number of threads.

No setting changes a bit of any result; they are for measuring, for testing, and for sharing a
machine.
"""

from __future__ import annotations

import operator
import os
from types import TracebackType
from typing import Self, SupportsIndex

from indirectml import _native
from indirectml.core.errors import DeviceUnavailableError, SettingError, shown

_MAX_THREADS = 1024


def available_targets() -> tuple[str, ...]:
    """Return the names of the instruction sets that this machine can run, best first.

    Examples
    --------
    >>> available_targets()[-1]
    'portable'
    """
    return _native.targets()


def default_thread_count() -> int:
    """Return how many CPUs this process may run on."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class Settings:
    """The setting in force, in the forms that the native code takes.

    Their attributes are target, max_threads, streaming_bytes, bytes_per_thread. Memory that is new
    comes from the system through the cache, zeroed; `policy_for_new` does not store past it, which
    takes a fifth less time (1 GiB of new float32 on one core: 9.8 GB/s instead of 8.1). The
    system's work makes a thread pay for a smaller share.
    """

    policy: _native.Policy
    policy_for_new: _native.Policy

    @classmethod
    def set(cls, policy: _native.Policy) -> None:
        """Put a policy in force."""
        cls.policy = policy
        cls.policy_for_new = _native.Policy(
            policy.target, policy.max_threads, _NEVER, _NEW_BYTES_PER_THREAD
        )


_NEVER = 2**64 - 1
_NEW_BYTES_PER_THREAD = 1 << 20
Settings.set(
    _native.Policy(available_targets()[0], default_thread_count(), _native.last_level_cache_bytes())
)


def _checked_threads(given: SupportsIndex) -> int:
    try:
        count = operator.index(given)
    except TypeError:
        count = 0
    if not 1 <= count <= _MAX_THREADS:
        raise SettingError(
            f"needs 1 to {_MAX_THREADS} threads", given=shown(given), field="max_threads"
        )
    return count


class configure:  # noqa: N801 (used like a function)
    """Set the instruction set or the largest number of threads, for this process.

    As a context manager it puts the former setting back at the end of the block.

    Parameters
    ----------
    target : str, optional
        One of `available_targets()`. The fastest one is the default.
    max_threads : int, optional
        At least 1. The default is the number of CPUs that the process may use. Small outputs are
        filled by one thread in any case.

    Raises
    ------
    DeviceUnavailableError
        This machine cannot run `target`, or this build does not contain it.
    SettingError
        `max_threads` is out of range.

    Notes
    -----
    The setting is one per process, not one per thread. It never changes a result.

    Examples
    --------
    >>> with configure(target="portable", max_threads=1):
    ...     full([2], 1.5)
    array([1.5, 1.5], dtype=float32)
    """

    def __init__(
        self, *, target: str | None = None, max_threads: SupportsIndex | None = None
    ) -> None:
        former = Settings.policy
        is_known = target is None or (isinstance(target, str) and target in available_targets())
        if not is_known:
            raise DeviceUnavailableError(
                f"this machine has {', '.join(available_targets())}",
                given=shown(target),
                field="target",
            )
        threads = former.max_threads if max_threads is None else _checked_threads(max_threads)
        self._former = former
        Settings.set(
            _native.Policy(
                target or former.target,
                threads,
                former.streaming_bytes,
                former.bytes_per_thread,
            )
        )

    def __repr__(self) -> str:
        in_force = Settings.policy
        return f"<configure: target {in_force.target!r}, max_threads {in_force.max_threads}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        Settings.set(self._former)
