"""What a session did and when, in the form of trace that browsers and Perfetto open."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Profile:
    """The events of a session: loading, compiling, and each run."""

    def __init__(self, prefix: str) -> None:
        self._path = Path(f"{prefix}_{time.strftime('%Y-%m-%d_%H-%M-%S')}_{id(self):x}.json")
        self.start_ns = time.perf_counter_ns()
        self._events: list[dict[str, Any]] = []

    @contextmanager
    def event(self, name: str, **details: Any) -> Iterator[None]:
        """Note how long a block takes."""
        begin = time.perf_counter_ns()
        try:
            yield
        finally:
            self._events.append(
                {
                    "cat": "Session",
                    "name": name,
                    "ph": "X",
                    "pid": os.getpid(),
                    "tid": threading.get_ident(),
                    "ts": (begin - self.start_ns) // 1000,
                    "dur": (time.perf_counter_ns() - begin) // 1000,
                    "args": details,
                }
            )

    def write(self) -> str:
        """Write the events to their file, whose name this returns."""
        self._path.write_text(json.dumps(self._events), encoding="utf-8")
        return str(self._path)
