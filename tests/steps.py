"""Time without the machine's clock, for tests: steps that are counted, and a clock to be given."""

import sys


def counted(call):
    """Return what a call returns, and how many lines of Python it runs.

    The same on a busy machine. Each turn of a loop on one line, or of a comprehension, is a line
    more; what C code does meanwhile is not counted.
    """
    steps = 0

    def count(_frame, event, _argument):
        nonlocal steps
        steps += event == "line"
        return count

    former = sys.gettrace()
    sys.settrace(count)
    try:
        result = call()
    finally:
        sys.settrace(former)
    return result, steps


def assert_in_proportion(work, size):
    """Make sure that work on four times the size takes at most four times the steps.

    `work` makes what is called for a size. A tenth is to spare; where each part is compared with
    all others, it is sixteen times.
    """
    (_, few), (_, many) = (counted(work(each)) for each in (size, 4 * size))
    assert few < many < 4.4 * few, f"{few} steps for {size}, {many} for {4 * size}"


class Clock:
    """What a test puts in the place of the module `time`: seconds pass when it says so."""

    def __init__(self, tick_s=0.001):
        self.now, self.tick_s, self.pauses = 0.0, tick_s, []

    def perf_counter(self):
        """Return the seconds now; asking takes a tick."""
        self.now += self.tick_s
        return self.now

    def sleep(self, seconds):
        """Let seconds pass."""
        self.pauses.append(seconds)
        self.now += seconds
