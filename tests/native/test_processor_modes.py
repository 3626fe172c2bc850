"""The processor's floating-point modes, as a calling thread may have set them, change no bit.

Other libraries set them: any that was linked with -ffast-math may make the process flush
subnormals. The native code is tried in check_native; here is the way through Python.
"""

import platform
import subprocess
import sys

import pytest

#: Bits of MXCSR: subnormal operands and results become zero; where results are rounded to.
MODES = {
    "flush": 1 << 15 | 1 << 6,
    "down": 1 << 13,
    "up": 1 << 14,
    "toward zero": 1 << 14 | 1 << 13,
}

#: Prints the digest of many results; the argument is what is set in MXCSR while they are made.
PROGRAM = """
import ctypes, ctypes.util, hashlib, sys
from fractions import Fraction
import numpy as np
from indirectml import Sequence, _native, fill_constant, sequence
from indirectml.arithmetic import functions
from indirectml.core.data_types import TensorDataType
from indirectml.core.scalars import exact_bits

FLOATS = [np.dtype(f"float{bits}") for bits in (16, 32, 64)]
NUMBERS = [np.array(v, f"u{d.itemsize}").view(d)[()] for d in FLOATS for v in (1, 3, 0x83)]
NUMBERS += [float(x) for x in NUMBERS] + [Fraction(float(x)) for x in NUMBERS] + [0.1, -1 / 3]
SUBNORMAL, ONE, THIRD = np.float64(5e-324), np.float64(1), np.float64(3)
ARGUMENTS = np.arange(1, 1 << 30, 4567891, np.uint32).view(np.float32)
PAIRS = [(ARGUMENTS,), (ARGUMENTS, ARGUMENTS[::-1])]

libm = ctypes.CDLL(ctypes.util.find_library("m"))
environment = (ctypes.c_uint32 * 8)()  # fenv_t of glibc on x86-64; the last word is MXCSR
assert libm.fegetenv(environment) == 0
default = environment[7]
environment[7] = default | int(sys.argv[1])
assert libm.fesetenv(environment) == 0
flushed, rounded = SUBNORMAL * ONE == 0, ONE / THIRD
digest = hashlib.sha256()
for number in NUMBERS:
    for dtype in FLOATS:
        digest.update(b"%x" % exact_bits(number, TensorDataType[dtype.name.upper()]))
        digest.update(fill_constant(np.empty(5, dtype), number))
        for rule in ("accumulate", "multiply"):
            digest.update(sequence(400_000, number, number, dtype, rule=rule))
            s = Sequence(number, -number, dtype, rule=rule)
            digest.update(s[7:99])
            digest.update(str([s.absorbed_at, *s.segments(1000)][:5]).encode())
for name in _native.functions():
    for dtype in FLOATS[:2]:
        digest.update(getattr(functions, name)(*PAIRS[name in ("pow", "atan2")], dtype))
# NumPy's steps, inside the guard; outside of it the mode is as it was.
digest.update(_native.guarded(lambda x, y: x / y * SUBNORMAL, ONE, y=THIRD * SUBNORMAL))
assert (SUBNORMAL * ONE == 0, ONE / THIRD) == (flushed, rounded)
try:
    _native.guarded(int, "no number")
except ValueError:
    assert (SUBNORMAL * ONE == 0, ONE / THIRD) == (flushed, rounded)
environment[7] = default
libm.fesetenv(environment)
print(flushed, rounded.hex(), digest.hexdigest())
"""


def results(mode):
    """Return whether subnormals were flushed, what a third was, and a digest of results."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(mode)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def default():
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip("missing: a known place of MXCSR (Linux on x86-64)")
    return results(0)


@pytest.mark.parametrize("name", MODES)
def test_the_mode_of_the_calling_thread_changes_no_bit(default, name):
    flushed, third, digest = results(MODES[name])

    # The mode was really set.
    assert default[:2] == ["False", (1 / 3).hex()]
    assert flushed == str(name == "flush")
    assert (third != default[1]) == (name == "up")
    assert digest == default[2]
