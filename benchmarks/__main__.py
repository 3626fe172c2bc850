"""The command line: `python -m benchmarks`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks import machine, report
from benchmarks.limit import find_limit
from benchmarks.sections import EFFORTS, SECTIONS, Context, Section
from benchmarks.timing import failure

_DESCRIPTION = """\
Measure fills against limits from the same run, and against other libraries where installed.

Every figure is a median over rounds in which the limit, the fill and its peers take turns. The
ratio is the speed in limits: 1 is as fast as the limit, 2 twice as fast."""

_EXAMPLES = """\
sections: {names}

examples:
  python -m benchmarks --json docs/speed.json    measure everything and record it
  python -m benchmarks.pictures                  draw what was recorded, fill in the pages
  python -m benchmarks --quick --only in-place calls
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the sections that were asked for; return 1 if something could not be measured."""
    names = [module.NAME for module in SECTIONS]
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=_DESCRIPTION,
        epilog=_EXAMPLES.format(names=", ".join(names)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the results there, too")
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument(
        "--quick",
        dest="effort",
        action="store_const",
        const="quick",
        default="full",
        help="few rounds, few sizes, 128 MiB: a look of two minutes, not a measurement",
    )
    effort.add_argument(
        "--smoke",
        dest="effort",
        action="store_const",
        const="smoke",
        help="one round of tiny sizes: whether everything runs; the figures mean nothing",
    )
    parser.add_argument(
        "--only", metavar="NAME", nargs="+", choices=names, default=names, help="these sections"
    )
    given = parser.parse_args(arguments)

    limit = find_limit()
    described = machine.describe(limit.how)
    described["effort"] = given.effort
    print(report.head(described))
    began = time.monotonic()
    sections: list[Section] = []
    for module in SECTIONS:
        if module.NAME in given.only:
            section_began = time.monotonic()
            try:
                sections.append(module.run(Context(limit, EFFORTS[given.effort])))
            except Exception as error:  # noqa: BLE001 (the other sections are worth measuring)
                failed = failure(module.NAME, error, failed=True)
                sections.append(Section(module.NAME, module.NAME, "nothing", [failed]))
            sections[-1].took_s = round(time.monotonic() - section_began, 1)
            print(report.as_text(sections[-1]), flush=True)
            if given.json:  # after every section, so that an interrupted run leaves a record
                report.write_json(given.json, described, sections)
    print(f"\n{report.summary(sections)}\nmeasured in {time.monotonic() - began:.0f} s")
    return int(any(row.failed for section in sections for row in section.rows))


if __name__ == "__main__":
    sys.exit(main())
