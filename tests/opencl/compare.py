"""Operators on the first device of a platform and on the CPU.

Usage: compare.py PLATFORM PATTERNS CASES OPERATOR...

The probe tries so many patterns, its speed by no more work-items, and of each operator as many
cases are compared. What differs is printed, and then how many cases there were, and what the
device can.
"""

import sys
from itertools import islice

import indirectml as dml
from indirectml.opencl import probe
from tests.opencl.implementations import device_of
from tests.operators.test_targets_agree import _trials


def differing(name, device, count):
    """Yield the numbers of an operator's cases whose bits are not those of the CPU."""
    cpu = dml.Device()
    for number, (desc, inputs) in enumerate(islice(_trials(name), count)):
        expected, actual = (
            each.compile_operator(each.create_operator(desc))(inputs) for each in (cpu, device)
        )
        for wanted, found in zip(expected, actual, strict=True):
            if wanted is not None and found.tobytes() != wanted.tobytes():
                yield number


def main(platform, patterns, cases, *names):
    """Compare operators."""
    probe.BRIEF = int(patterns)
    probe.SPEED_ITEMS = min(probe.SPEED_ITEMS, probe.BRIEF)
    device = dml.Device(device_of(platform))
    differ = {name: list(differing(name, device, int(cases))) for name in names}
    for name, numbers in differ.items():
        if numbers:
            print(f"{name}: cases {numbers} differ")
    context = device.implementation.context
    print(context.facts.line)
    print(context.verdict.line)
    print(f"{context.counts['launches']} launches")
    return int(any(differ.values()))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
