"""What a measurement was taken on: the machine, the system, the versions, the settings in force."""

from __future__ import annotations

import datetime as dt
import itertools
import os
import platform
import re
import subprocess
from pathlib import Path

import indirectml
from benchmarks import peers
from indirectml import _native
from indirectml.core.settings import Settings

#: By vendor, family and model, what clouds call "AMD EPYC" or "Intel Xeon" alone.
PROCESSORS = {
    ("AuthenticAMD", 25, 1): "Zen 3",
    ("AuthenticAMD", 25, 17): "Zen 4",
    ("AuthenticAMD", 26, 2): "Zen 5",
    ("GenuineIntel", 6, 106): "Ice Lake",
    ("GenuineIntel", 6, 143): "Sapphire Rapids",
    ("GenuineIntel", 6, 207): "Emerald Rapids",
}


def describe(limit_how: str) -> dict[str, str]:
    """Return the lines of the report's head, by name."""
    policy = Settings.policy
    described = {
        "date": dt.datetime.now(tz=dt.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _processor(),
        "cores": f"{os.cpu_count()}, load {_load()}",
        "caches": _caches(),
        # Not which build of the kernel: it names a machine, and explains no figure.
        "system": f"{platform.system()}, {' '.join(platform.libc_ver())}".rstrip(", "),
        "huge pages": _first_line("/sys/kernel/mm/transparent_hugepage/enabled") or "not known",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        **peers.versions(),
        "IndirectML": f"{indirectml.__version__}, built by {_native.COMPILER}",
        "target": f"{policy.target} of {', '.join(indirectml.available_targets())}",
        "threads": f"at most {policy.max_threads}",
        "streaming from": f"{policy.streaming_bytes / 2**20:g} MiB",
        "limit": limit_how,
    }
    return {name: line for name, line in described.items() if line}


def _load() -> str:
    return f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "not known"


def _processor() -> str:
    if platform.system() == "Linux" and (fields := _fields_of_the_first_core()).get("model name"):
        numbers = (int(fields.get(name, -1)) for name in ("cpu family", "model"))
        known = PROCESSORS.get((fields.get("vendor_id", ""), *numbers))
        name = re.sub(r"\((R|TM)\)| Processor", "", fields["model name"])
        return f"{name}{f' {known}' if known else ''} ({platform.machine()})"
    if platform.system() == "Darwin":
        return _sysctl("machdep.cpu.brand_string")
    return platform.processor() or platform.machine()


def _fields_of_the_first_core() -> dict[str, str]:
    """Return what Linux says of it, by name."""
    lines = itertools.takewhile(str.strip, _lines("/proc/cpuinfo"))
    return {name.strip(): text.strip() for name, _, text in (line.partition(":") for line in lines)}


def _caches() -> str:
    """Return the sizes of the first core's caches, as the system gives them."""
    if platform.system() == "Darwin":
        names = ("hw.l1dcachesize", "hw.l2cachesize", "hw.l3cachesize")
        return ", ".join(f"{name[3:5].upper()} {_sysctl(name)}" for name in names if _sysctl(name))
    return ", ".join(
        f"L{_first_line(folder / 'level')} {_first_line(folder / 'size')}"
        for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"))
        if _first_line(folder / "type") != "Instruction"
    )


def _sysctl(name: str) -> str:
    answer = subprocess.run(
        ["/usr/sbin/sysctl", "-n", name], capture_output=True, text=True, check=False
    )
    return answer.stdout.strip()


def _first_line(path: str | Path) -> str:
    return next(iter(_lines(path)), "")


def _lines(path: str | Path) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
