"""Instructions counted by valgrind: between marks of programs, and of the native code by name."""

import os
import re

from tests.native.building import ROOT, build, find_tool, need, run

#: The programs of the native code: fills, and all that computes.
FILLS, ENGINE = "count_instructions", "count_engine"


def counted_work(folder, *command):
    """Return what a program prints, and how many instructions are between pairs of its marks."""
    valgrind = find_tool("valgrind")
    need({"valgrind": valgrind})
    files = folder / "counts"
    tool = [valgrind, "-q", "--tool=callgrind", "--dump-before=getppid"]
    environment = os.environ | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    printed = run(*tool, f"--callgrind-out-file={files}", *command, env=environment, cwd=ROOT)
    parts = sorted(folder.glob("counts.*"), key=lambda path: int(path.suffix[1:]))
    totals = [re.search(r"^totals: (\d+)", path.read_text("utf-8"), re.MULTILINE) for path in parts]
    return printed, [int(total[1]) for total in totals[1::2]]


def native_counts(program, folder, builds):
    """Return, by name, lists of (units, instructions, allocations) of a native program."""
    need({"cmake": find_tool("cmake"), "valgrind": find_tool("valgrind")})
    printed, instructions = counted_work(folder, build(program, builds))
    lines = [line.split("\t") for line in printed.splitlines()]
    counts = {}
    for (name, units, allocations), count in zip(lines, instructions, strict=True):
        counts.setdefault(name, []).append((int(units), count, int(allocations)))
    return counts


def engine_counts(folder, builds):
    """Return instructions per unit of each work, by the name of the work and of the target.

    A unit is a product, or an element of what is computed; of sums, of what is summed. A target
    called "plain" is a plain loop.
    """
    rows = {}
    for name, ((units, instructions, _),) in native_counts(ENGINE, folder, builds).items():
        target, _, work = name.partition(": ")
        rows.setdefault(work, {})[target] = instructions / units
    return rows
