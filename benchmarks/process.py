"""What memory this process has, as Linux counts it."""

from __future__ import annotations

from pathlib import Path

_PROCESS = Path("/proc/self")


def can_be_measured() -> bool:
    """Return whether this system counts what a process has at most."""
    return (_PROCESS / "clear_refs").exists()


def forget_peak() -> None:
    """Make what there is now the most that there has been."""
    (_PROCESS / "clear_refs").write_text("5", encoding="ascii")


def peak_bytes() -> int:
    """Return the most memory that there has been, mapped files included."""
    return _bytes("VmHWM")


def resident_bytes() -> int:
    """Return the memory that there is now, mapped files included."""
    return _bytes("VmRSS")


def _bytes(name: str) -> int:
    lines = (_PROCESS / "status").read_text(encoding="ascii").splitlines()
    (line,) = (line for line in lines if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024
