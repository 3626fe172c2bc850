"""Work-items that share memory, as Oclgrind sees them; and registers, as NVIDIA's compilers do."""

import importlib.util
import re
from importlib import resources
from pathlib import Path

import pytest
from tools.opencl_page import REGISTERS
from tools.opencl_registers import ARCHITECTURES, KERNELS, Compilers, cell, usage_of

from indirectml.opencl.tiles import OF_GPU
from tests.extent import WHOLE, Extent
from tests.opencl.implementations import elsewhere


@pytest.mark.skipif(not Extent.whole, reason=f"half a minute of an interpreter: {WHOLE} has it")
def test_work_items_do_not_race_and_read_what_was_written(tmp_path):
    done = elsewhere("oclgrind", tmp_path, module="tiny")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "race" not in done.stderr
    assert "ninitialized" not in done.stderr
    said = done.stdout.partition("kernels:")[2].split()
    assert set(said) == kernels_of_all_files() | GENERATED


#: The head of a kernel, with its name.
KERNEL = re.compile(r"(?i:kernel\b)[^;{]*?\bvoid (\w+)\(")
#: What is written by `programs.py` and `words/recurrence.py`.
GENERATED = {"program", "part"}


def kernels_of_all_files():
    """Return the names of all kernels that are in files."""
    folder = resources.files("indirectml.opencl") / "kernels"
    found = set()
    for file in folder.iterdir():
        found |= set(KERNEL.findall(file.read_text("utf-8")))
    return found


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_the_page_has_what_products_take_on_gpus(name):
    folder = importlib.util.find_spec("nvidia")
    if folder is None:
        pytest.skip("needs pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-nvcc-cu12")
    compilers = Compilers(Path(*folder.submodule_search_locations))
    architecture = "89"
    at = ARCHITECTURES.index(architecture)
    own = [line.split(" | ") for line in REGISTERS.splitlines() if line.startswith(f"| {name} |")]

    for tile, (_, _, _, *cells) in zip(OF_GPU, own, strict=True):
        usage = usage_of(compilers, name, tile, architecture)

        assert cells[at].removesuffix(" |") == cell(usage, architecture, tile)
        assert usage.spilled_bytes <= 16
