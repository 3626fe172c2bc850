"""The command line: `python -m benchmarks`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import machine, report
from benchmarks.limit import find_limit
from benchmarks.sections import SECTIONS, Context, Section

_DESCRIPTION = """\
Measure fills against limits from the same run.

Every figure is a median over rounds in which the limit, the fill and its peers take turns. The
ratio is the speed in limits: 1 is as fast as the limit, 2 twice as fast."""

_EXAMPLES = """\
sections: {names}

examples:
  python -m benchmarks
  python -m benchmarks --quick --only in-place calls --json speed.json
"""


def main() -> int:
    """Run the sections that were asked for; return 1 if something could not be measured."""
    names = [module.NAME for module in SECTIONS]
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=_DESCRIPTION,
        epilog=_EXAMPLES.format(names=", ".join(names)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the results there, too")
    parser.add_argument(
        "--quick", action="store_true", help="few rounds and 256 MiB: a look, not a measurement"
    )
    parser.add_argument(
        "--only", metavar="NAME", nargs="+", choices=names, default=names, help="these sections"
    )
    arguments = parser.parse_args()

    limit = find_limit()
    described = machine.describe(limit.how)
    width = max(map(len, described))
    print("\n".join(f"{name.ljust(width)}  {line}" for name, line in described.items()))
    sections: list[Section] = []
    for module in SECTIONS:
        if module.NAME in arguments.only:
            sections.append(module.run(Context(limit, quick=arguments.quick)))
            print(report.as_text(sections[-1]), flush=True)
    print("\n" + report.summary(sections))
    if arguments.json:
        report.write_json(arguments.json, described, sections)
    return int(any(row.failed for section in sections for row in section.rows))


if __name__ == "__main__":
    sys.exit(main())
