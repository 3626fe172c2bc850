"""Ctrl-C ends calls of the native code that take minutes."""

import os
import sys

import pytest

from tests.native.building import build, find_tool, need, need_compiling, run

#: Each call has 10^12 elements, or more products, in little memory: strides are 0.
PROGRAM = """
import os, signal, sys, threading
import numpy as np
import indirectml as dml
from indirectml import _native
from indirectml.core.settings import Settings

def wide(dtype, *sizes, inner=()):
    owner = np.zeros(inner, dtype)
    return np.lib.stride_tricks.as_strided(owner, sizes + inner, (0,) * len(sizes) + owner.strides)

MANY = 2**20, 2**22
single = wide(np.float32, *MANY)
opened = _native.OpenBuffer(single)
ones = _native.Sequence(32, 24, False, 0x3F800000, 0)
program = _native.Program(["float32"], [], [("add", "float32", "float32", [0, 0])], [1])
places = [(0, 0, [0, 0]), (1, 0, [0, 0])]
steps = _native.StepList([_native.ProgramStep(program, list(MANY), places)])

def product(dtype, out):
    return [wide(t, 2**20, inner=(400, 400)) for t in (dtype, dtype, out)]

a, b, c = product(np.float32, np.float32)
i, j, k = product(np.uint8, np.int32)
zero = np.zeros(1, np.int32)
pictures, maps = (wide(np.float32, 2**20, inner=(16, 1, 56, 56)) for _ in range(2))
filters = np.ones((16, 16, 1, 3, 3), np.float32)
ONE, PAD, NO_LIMITS = (1, 1, 1), (0, 1, 1), ("", 0.0, 0.0, False)
exp = _native.functions().index("exp")

CALLS = {
    "a fill": lambda by: _native.fill(opened, ones, 0, by),
    "a list of fills": lambda by: _native.CommandList([opened] * 9, [ones] * 9).execute(by),
    "fill_constant": lambda by: _native.fill_constant(opened, 0, by),
    "a product": lambda by: _native.contract(a, b, c, by),
    "a product of integers": lambda by: _native.contract_integer(i, zero, j, zero, k, by),
    "a convolution": lambda by: _native.convolve(
        pictures, filters, None, None, maps, False, False, ONE, ONE, PAD, 1,
        NO_LIMITS, by),
    "a function": lambda by: _native.apply_function(exp, single, single, None, by),
    "a sum": lambda by: _native.sum16(wide(np.float32, 2**10, *MANY), 3, 0, np.zeros(2**10), by),
    "a program": lambda by: program.run([single, single], by),
    "a list of steps": lambda by: steps.run([bytearray(4), bytearray(4)], by, 0),
}

# The interpreter's lock goes to the other thread when this one gives it up: within the call.
sys.setswitchinterval(1000)

def interrupted(call):
    begins = threading.Event()

    def interrupt():
        begins.wait()
        os.kill(os.getpid(), NUMBER)

    other = threading.Thread(target=interrupt)
    other.start()
    try:
        begins.set()
        call()
        return "went on"
    except ERROR:
        return "ended"
    finally:
        other.join()
"""

ENDS = """
NUMBER, ERROR = signal.SIGINT, KeyboardInterrupt
for threads in (1, 3):
    policy = _native.Policy(Settings.policy.target, threads, 1 << 60)
    for name, call in CALLS.items():
        print(name, interrupted(lambda: call(policy)))
"""

#: A handler that raises nothing lets the work go on, and may work itself.
HANDLED = """
class Enough(Exception):
    pass

seen, filled = [], np.zeros(1 << 20, np.float32)

def handler(number, frame):
    dml.fill_sequence(filled, 1, 1)
    seen.append(float(filled[-1]))
    if len(seen) == 3:
        raise Enough
    signal.raise_signal(number)  # the next

NUMBER, ERROR = signal.SIGUSR1, Enough
signal.signal(NUMBER, handler)
print(interrupted(lambda: CALLS["a product"](Settings.policy)), seen)
"""


def output_of(part):
    """Return what the program prints; in a shell's background SIGINT would be ignored."""
    code = f"{PROGRAM}signal.signal(signal.SIGINT, signal.default_int_handler)\n{part}"
    return run(sys.executable, "-c", code).splitlines()


needs_signals = pytest.mark.skipif(os.name == "nt", reason="another process sends no signal there")


@needs_signals
def test_ctrl_c_ends_what_takes_minutes():
    names = [
        "a fill", "a list of fills", "fill_constant", "a product", "a product of integers",
        "a convolution", "a function", "a sum", "a program", "a list of steps",
    ]  # fmt: skip

    assert output_of(ENDS) == 2 * [f"{name} ended" for name in names]


@needs_signals
def test_handlers_run_meanwhile_and_what_they_raise_ends_the_call():
    assert output_of(HANDLED) == [f"ended {[float(1 << 20)] * 3}"]


@needs_signals
def test_a_child_of_another_thread_is_interrupted_too():
    part = """
import warnings

NUMBER, ERROR = signal.SIGINT, KeyboardInterrupt
warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads, from Python 3.12 on

def fork():
    child = os.fork()
    if child == 0:
        signal.set_wakeup_fd(-1)
        print(interrupted(lambda: CALLS["a fill"](Settings.policy)), flush=True)
        os._exit(0)
    os.waitpid(child, 0)

other = threading.Thread(target=fork)
other.start()
other.join()
"""
    assert output_of(part) == ["ended"]


def test_how_much_is_done_between_two_looks(builds):
    need_compiling()
    need({"cmake": find_tool("cmake")})

    assert run(build("check_stopping", builds)).endswith("comparisons, no difference\n")
