"""A forced instruction set is the one that runs."""

import itertools
import math
import platform
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from indirectml import Sequence, _native, configure
from indirectml.cli import main
from indirectml.core.settings import Settings
from tests import kernels
from tests.bits import assert_bits_equal
from tests.doors import DOORS, Call
from tests.fills import filling
from tests.fills.filling import TARGETS, fills
from tests.fills.fuzz import expected_elements
from tests.parameters import by_dtype

target = filling.target  # a fixture

#: How often the widest registers occur in the code of a target, at least and at most.
REGISTERS = {
    "avx512": {"zmm": (200, 10**6)},
    "avx2": {"ymm": (200, 10**6), "zmm": (0, 0)},
    "portable": {"ymm": (0, 0), "zmm": (0, 0)},
}


def test_every_target_has_kernels_of_its_own():
    tables = {name: kernels.table(name) for name in TARGETS}

    assert [t.name.decode() for t in tables.values()] == list(TARGETS)
    addresses = list(itertools.chain.from_iterable(t.addresses for t in tables.values()))
    assert len(set(addresses)) == 8 * len(TARGETS)


def test_a_forced_target_is_the_one_that_policies_point_to(target):
    for policy in (Settings.policy, Settings.policy_for_new):
        assert kernels.target_of(policy).addresses == kernels.table(target).addresses
    with configure(max_threads=3):
        assert kernels.target_of(Settings.policy).addresses == kernels.table(target).addresses


def _loaded_at(path):
    """Return where a library's first byte is in this process's memory."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        if line.endswith(str(path)):
            return int(line.split("-")[0], 16)
    raise AssertionError(f"{path} is not loaded")


def test_the_kernels_of_a_target_are_made_of_its_instructions(target):
    objdump = shutil.which("objdump")
    if objdump is None or platform.machine() != "x86_64" or not Path("/proc/self/maps").exists():
        pytest.skip("needs objdump, and /proc of Linux on x86-64")
    library = Path(_native.__file__).resolve()
    base = _loaded_at(library)
    own = [address - base for address in kernels.table(target).addresses]
    others = {a - base for n in TARGETS if n != target for a in kernels.table(n).addresses}
    first, last = min(own), max(own)
    assert not others & set(range(first, last)), "the code of targets is mixed"
    done = subprocess.run(
        [objdump, "-d", f"--start-address={first}", f"--stop-address={last}", library],
        capture_output=True,
        text=True,
        check=True,
    )
    for register, (least, most) in REGISTERS[target].items():
        assert least <= done.stdout.count(f"%{register}") <= most, f"{target}: {register}"


def test_a_target_forced_by_the_command_is_in_force(target, tmp_path):
    options = ["--value=1", "--count=3", "-o", str(tmp_path / "out.bin")]
    with configure(target=TARGETS[TARGETS.index(target) - 1]):
        assert main(["fill", "constant", *options, "--target", target]) == 0
        assert kernels.target_of(Settings.policy).addresses == kernels.table(target).addresses


@pytest.mark.parametrize("door", DOORS)
def test_every_door_uses_the_kernels_of_the_policy_in_force(door, target, monkeypatch):
    # The commands put a policy of their own in force, which the test before looks at.
    monkeypatch.setattr("indirectml.cli.command.configure", lambda **_: None)
    counting = kernels.Counting(target)
    Settings.policy = Settings.policy_for_new = counting.policy
    half = np.float16
    calls = [
        (Call(np.float32(1.5), None, "accumulate", (2, 40)), "affine", 4),
        (Call(np.uint8(3), np.uint8(7), "accumulate", (80,)), "affine", 1),
        (Call(np.int64(3), np.int64(-7), "multiply", (5, 20)), "affine", 8),
        (Call(half(1024), half(1), "accumulate", (5, 20)), "affine", 2),
        (Call(half(1024), half(1.5), "multiply", (5, 20)), "fraction", 2),
        (Call(np.float32(-30.3), np.float32(0.71), "multiply", (500,)), "fraction", 4),
    ]
    used = 0
    for call, kind, width in calls:
        if not DOORS[door].takes(call):
            continue
        counting.calls.clear()

        (out,) = DOORS[door].fill([call])

        expected = expected_elements(call[:3], math.prod(call.sizes)).reshape(call.sizes)
        assert_bits_equal(actual=out, expected=expected, where=f"{door}, {target}")
        assert counting.calls[kind, width] >= 1, f"{door}, {target}: {counting.calls}"
        used += 1
    assert used >= 4
    assert Settings.policy is counting.policy


@by_dtype()
def test_parts_of_sequences_and_threads_use_them_too(dtype, target):
    counting = kernels.Counting(target, max_threads=4)
    Settings.policy = counting.policy
    for fill in fills(dtype):
        if fill.delta is None:
            continue
        counting.calls.clear()
        s = Sequence(fill.start, fill.delta, dtype, rule=fill.rule)

        s.write(np.empty((4 << 20) // dtype.itemsize, dtype), first=12345)

        # At least a call in each of the four threads' shares.
        assert counting.calls.total() >= 4, f"{fill.name}: {counting.calls}"
        assert {w for _, w in counting.calls} == {dtype.itemsize}
