"""Numbers as arguments: what is read as what, and what is refused with which sentence."""

import argparse
import math

import pytest

from indirectml.cli import main
from indirectml.cli.numbers import at_least, memory_bytes, milliseconds, number
from indirectml.core.errors import SettingError

READ = {
    "7": 7,
    "-7": -7,
    "+7": 7,
    "1_000": 1000,
    "0.1": 0.1,
    ".5": 0.5,
    "5.": 5.0,
    "-1e-3": -0.001,
    "1E6": 1e6,
    "10**9": 10**9,
    "2**20": 2**20,
    "2**63": 2**63,
    "-2**63": -(2**63),
    "0x10": 16,
    "0xABC": 2748,
    "-0x1F": -31,
    "0x1p-3": 0.125,
    "0x1.8p1": 3.0,
    "inf": math.inf,
    "-Infinity": -math.inf,
    "18446744073709551615": 2**64 - 1,
}


@pytest.mark.parametrize(("text", "value"), READ.items())
def test_numbers_are_what_they_say(text, value):
    read = number(text, "start")

    assert (read, type(read)) == (value, type(value))


def test_nan_keeps_its_sign():
    assert math.isnan(number("nan", "value"))
    assert math.copysign(1, number("-nan", "value")) == -1


SUFFIX = "write {}, without the suffix that C has; --data-type says the type"
HEXADECIMAL = "hexadecimal numbers begin with 0x"
REFUSED = {
    "0.1f": SUFFIX.format("0.1"),
    "1f": SUFFIX.format("1"),
    "1.5F": SUFFIX.format("1.5"),
    "1e5f": SUFFIX.format("1e5"),
    "10u": SUFFIX.format("10"),
    "3L": SUFFIX.format("3"),
    "5ull": SUFFIX.format("5"),
    "10e": HEXADECIMAL,
    "abc": HEXADECIMAL,
    "dead": HEXADECIMAL,
    "1e999": None,
    "0x1p99999": None,
    "9" * 5000: None,
    "2**99999999999": None,
    "1__0": None,
    "0x": None,
    "one": None,
    "1 2": None,
    "\u0663": None,
    "": None,
}


@pytest.mark.parametrize(("text", "hint"), REFUSED.items(), ids=lambda text: str(text)[:12])
def test_what_is_no_number_is_refused(text, hint):
    with pytest.raises(SettingError) as caught:
        number(text, "start")

    assert (caught.value.field, caught.value.hint) == ("--start", hint)


@pytest.mark.parametrize("text", ["2**20", "1048576", "1_048_576"])
def test_counts_are_written_like_numbers(text, tmp_path, capsys):
    assert at_least(0)(text) == 1 << 20
    path = str(tmp_path / "ramp.bin")

    assert main(["fill", "constant", "--value", "-2**7", "--data-type", "INT8", "--count", text,
                 "-o", path]) == 0  # fmt: skip
    assert main(["diff", path, "--data-type", "INT8", "--expect", "constant", "--value=-128"]) == 0
    assert capsys.readouterr().out == "equal: 1048576 elements of INT8 [1048576]\n"


@pytest.mark.parametrize("text", ["1.5", "-1", "0x", "1e400", "many", "10**-3"])
def test_counts_that_are_none_are_refused(text):
    with pytest.raises(argparse.ArgumentTypeError):
        at_least(0)(text)


def test_memory_is_above_zero_and_time_is_not_below():
    assert memory_bytes("0.5") == 1 << 29
    assert milliseconds("0") == 0
    for read, text in [(memory_bytes, "0"), (memory_bytes, "nan"), (milliseconds, "-1")]:
        with pytest.raises(argparse.ArgumentTypeError):
            read(text)
