"""The command that compares functions over strides: its counts, and what it says."""

from tests.opencl import strides, test_functions
from tests.opencl.implementations import needs_pocl


@needs_pocl
def test_arguments_are_counted_and_nothing_is_wrong(capsys):
    assert strides.main("2000003", "log") == 0

    # Of 2,148 arguments some are no numbers, and log of half of the others is open.
    assert capsys.readouterr().out == "log        2140 arguments, 1075 open, 0 wrong\n"


@needs_pocl
def test_without_margins_some_are_wrong():
    hard = test_functions.HARD["softplus"]

    assert strides.counts_of("softplus", hard)[1:] == (2, 0)
    assert strides.counts_of("softplus", hard, "MARGIN_PART=0.0f")[1:] == (1, 1)
