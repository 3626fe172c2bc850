"""Registers of the kernels of products on NVIDIA GPUs, counted without one.

Usage: python -m tools.opencl_registers FOLDER, where pip install --target FOLDER
nvidia-cuda-nvrtc-cu12 nvidia-cuda-nvcc-cu12 has put their compilers.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from indirectml.opencl.building import file_text
from indirectml.opencl.tiles import OF_GPU, Tile

HEADER = Path(__file__).parent / "opencl_as_cuda.h"
ARCHITECTURES = ("86", "89", "90")
#: Of a multiprocessor of each: registers of 32 bits, and work-items.
_REGISTERS = 65536
_MOST_ITEMS = {"86": 1536, "89": 1536, "90": 2048}

_COMMON = ("HAS_FLOAT64", "FUSED_BY_DEVICE", "DIVIDED_BY_DEVICE", "SINGLES_BY_DEVICE")
_INTEGERS = ("INTEGERS", *(f"{name}_ZERO_POINT=uint8" for name in "ABXW"))
#: By what is printed: files, kernel, and what these are told.
KERNELS = {
    "contract, FLOAT32": ("products.cl", "contract", ("A=float32", "B=float32", "C=float32")),
    "contract, FLOAT16": ("products.cl", "contract", ("A=float16", "B=float16", "C=float32")),
    "contract_integer": ("products.cl", "contract", ("A=uint8", "B=int8", "C=int32", *_INTEGERS)),
    "convolve, FLOAT32": (
        "convolutions.cl",
        "convolve",
        ("X=float32", "W=float32", "Y=float32", "BIAS=float32"),
    ),
    "convolve_integer": (
        "convolutions.cl",
        "convolve",
        ("X=uint8", "W=int8", "Y=int32", *_INTEGERS),
    ),
}


class Usage(NamedTuple):
    """What a work-item takes of a GPU, and a work-group.

    Attributes
    ----------
    registers, spilled_bytes : int
        Of a work-item.
    shared_bytes : int
        Of a work-group.
    """

    registers: int
    spilled_bytes: int
    shared_bytes: int

    def occupancy(self, architecture: str, items: int) -> float:
        """Return what part of the work-items of a multiprocessor its registers allow."""
        each = -(-self.registers // 8) * 8
        most = _MOST_ITEMS[architecture]
        return min(_REGISTERS // (each * items), most // items) * items / most


class Compilers:
    """NVRTC and ptxas in a folder."""

    def __init__(self, folder: Path) -> None:
        self._library = ctypes.CDLL(str(next(folder.rglob("libnvrtc.so.12"))))
        self._ptxas = str(next(folder.rglob("ptxas")))

    def usage(self, text: str, kernel: str, architecture: str, defines: tuple[str, ...]) -> Usage:
        """Return what a kernel of OpenCL C takes."""
        ptx = self._ptx(text, architecture, defines)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernel.ptx"
            path.write_bytes(ptx)
            command = [
                self._ptxas,
                "-v",
                f"-arch=sm_{architecture}",
                str(path),
                "-o",
                f"{path}.out",
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 (named by the user)
        own = done.stderr.partition(f"Compiling entry function '{kernel}'")[2]
        spilled = re.search(r"(\d+) bytes spill stores", own)
        registers = re.search(r"Used (\d+) registers", own)
        shared = re.search(r"(\d+) bytes smem", own)
        assert spilled is not None  # noqa: S101 (ptxas says it of every kernel)
        assert registers is not None  # noqa: S101 (likewise)
        return Usage(
            int(registers[1]), int(spilled[1]), int(shared[1]) if shared is not None else 0
        )

    def _ptx(self, text: str, architecture: str, defines: tuple[str, ...]) -> bytes:
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        nvrtc = self._library
        nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"k.cu", 0, None, None)
        options = [
            f"--gpu-architecture=compute_{architecture}",
            "--fmad=false",
            "--device-as-default-execution-space",
            *(f"-D{define}" for define in defines),
        ]
        given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        if nvrtc.nvrtcCompileProgram(program, len(options), given):
            nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            nvrtc.nvrtcGetProgramLog(program, log)
            raise SystemExit(log.value.decode())
        nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
        found = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetPTX(program, found)
        return found.value


def text_of(file: str) -> str:
    """Return a file of kernels as CUDA C++."""
    files = ("common.cl", "elements.cl", "tiles.cl", file)
    own = "\n".join(map(file_text, files))
    # A word of CUDA's own headers, so that it can be no macro.
    return HEADER.read_text(encoding="utf-8") + re.sub(r"\bglobal\b", "", own)


def rows(compilers: Compilers, tiles: tuple[Tile, ...] = OF_GPU) -> list[str]:
    """Return the rows of a table: each kernel with each tile."""
    lines = []
    for name in KERNELS:
        for tile in tiles:
            used = [usage_of(compilers, name, tile, each) for each in ARCHITECTURES]
            cells = [cell(*each, tile) for each in zip(used, ARCHITECTURES, strict=True)]
            size = f"{' x '.join(map(str, tile.sizes))}, {tile.group_x * tile.group_y} work-items"
            lines.append(f"| {name} | {size} | {used[0].shared_bytes} | {' | '.join(cells)} |")
    return lines


def usage_of(compilers: Compilers, name: str, tile: Tile, architecture: str) -> Usage:
    """Return what a kernel takes with a tile on an architecture."""
    file, kernel, defines = KERNELS[name]
    told = (*_COMMON, *defines, *tile.defines)
    return compilers.usage(text_of(file), kernel, architecture, told)


def cell(usage: Usage, architecture: str, tile: Tile) -> str:
    """Return what the table has of it."""
    part = usage.occupancy(architecture, tile.group_x * tile.group_y)
    return f"{usage.registers}, {usage.spilled_bytes}, {part:.0%}"


def main() -> None:
    """Print the table."""
    if len(sys.argv) != 2:  # noqa: PLR2004 (the program and its argument)
        raise SystemExit(__doc__)
    heads = " | ".join(f"sm_{architecture}" for architecture in ARCHITECTURES)
    print(f"| kernel | tile | local bytes | {heads} |")  # noqa: T201 (that is what it is for)
    print("|---|---|---|---|---|---|")  # noqa: T201 (likewise)
    print("\n".join(rows(Compilers(Path(sys.argv[1])))))  # noqa: T201 (likewise)


if __name__ == "__main__":
    main()
