"""OpenCL on this machine: its devices, what each says of itself, and what is missing."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

from indirectml.core.records import record

try:
    import platformdirs as _platformdirs  # pyopencl brings it
    import pyopencl as _pyopencl
except ImportError:
    _platformdirs = _pyopencl = None

#: The bindings; None without the extra "opencl".
cl: Any = _pyopencl

#: Versions without what kernels are written in, and the least that their work-groups need along
#: either of two axes, and of memory that they share, which every version guarantees.
_OLD = re.compile(r"OpenCL 1\.[01]\b")
_LEAST_GROUP, _LEAST_LOCAL = 64, 1 << 14

#: What a machine needs beside these: an implementation of OpenCL, which has many names.
_IMPLEMENTATION = (
    "the driver of a GPU brings one; for the CPU: apt-get install pocl-opencl-icd, or pip install "
    "intel-opencl-rt"
)


def cache_folder() -> Path:
    """Return where what was found of drivers is kept, in the user's cache."""
    folders: Any = _platformdirs
    found: Path = folders.user_cache_path("indirectml", appauthor=False) / "opencl"
    return found


def missing() -> str:
    """Return what this machine lacks for OpenCL, and how to get it; "" if nothing."""
    if cl is None:
        return "pyopencl is not installed; try: pip install 'indirectml[opencl]'"
    if not devices():
        refused = [f"{d.name.strip()} {_lack(d)}" for d in _all_devices()]
        others = f" that can be used: {'; '.join(refused)}" if refused else ""
        return f"there is no OpenCL device on this machine{others}; {_IMPLEMENTATION}"
    return ""


@functools.cache
def devices() -> tuple[Any, ...]:
    """Return the devices that can be used: GPUs, then accelerators, then what else there is."""
    usable = (device for device in _all_devices() if not _lack(device))
    return tuple(sorted(usable, key=_rank))


def _all_devices() -> list[Any]:
    found: list[Any] = []
    try:
        platforms = cl.get_platforms()
    except cl.LogicError:  # the loader finds none
        return []
    for platform in platforms:
        try:
            found += platform.get_devices()
        except cl.Error:  # of a driver without a device
            continue
    return found


def _lack(device: Any) -> str:
    """Return what kernels need that a device has not; "" if nothing."""
    if not (device.available and device.compiler_available):
        return "is not available, or has no compiler"
    if not device.endian_little:
        return "is big-endian"
    if _OLD.search(device.version):
        return f"has {device.version.strip()}, and 1.2 is needed"
    beside = min(device.max_work_group_size, *device.max_work_item_sizes[:2])
    if beside < _LEAST_GROUP:
        return f"has work-groups of {beside}, and {_LEAST_GROUP} are needed"
    if device.local_mem_size < _LEAST_LOCAL:
        return f"has {device.local_mem_size} bytes for a work-group, and {_LEAST_LOCAL} are needed"
    return ""


def _rank(device: Any) -> int:
    order = (cl.device_type.GPU, cl.device_type.ACCELERATOR)
    return next((k for k, kind in enumerate(order) if device.type & kind), len(order))


@record()
class Facts:
    """What a device says of itself.

    Attributes
    ----------
    name, platform, version, driver : str
        As its driver has them.
    memory_bytes, allocation_bytes : int
        All of its memory, and the largest part of it that can be had at once.
    local_bytes, group_size : int
        The memory that a work-group shares, and how many work-items it has at most.
    units : int
        How many work-groups run at once, at least.
    vector_width : int
        How many FLOAT32 a work-item computes at once.
    has_float64, has_subnormals, has_fma, divides : bool
        Whether it has FLOAT64; of FLOAT32 subnormal numbers, a fused multiplication and addition,
        and divisions that are correctly rounded.
    has_dots : bool
        Whether it has products of four integers of 8 bits, and their sum, at once.
    """

    name: str
    platform: str
    version: str
    driver: str
    memory_bytes: int
    allocation_bytes: int
    local_bytes: int
    group_size: int
    units: int
    vector_width: int
    has_float64: bool
    has_subnormals: bool
    has_fma: bool
    divides: bool
    has_dots: bool

    @property
    def key(self) -> tuple[str, ...]:
        """What makes it compute as it does: its driver, and what that runs on."""
        return self.name, self.platform, self.version, self.driver

    @property
    def line(self) -> str:
        """What it is and can, in a line."""
        can = {
            "FLOAT64": self.has_float64,
            "subnormals": self.has_subnormals,
            "fma": self.has_fma,
            "division": self.divides,
            "dot products": self.has_dots,
        }
        said = ", ".join(f"{'' if has else 'no '}{what}" for what, has in can.items())
        memory = f"{self.memory_bytes / 2**30:.1f} GiB"
        driver = f"{self.platform}, {self.version}, driver {self.driver}"
        return f"{self.name}; {driver}; {memory}; {said}"


#: Nothing "fast"; an old version, which every driver has; no warnings, which go to terminals.
_OPTIONS = ("-cl-std=CL1.2", "-w")
#: The version of the built-in functions for dot products.
_OF_DOTS = "-cl-std=CL3.0"


def options_of(facts: Facts) -> tuple[str, ...]:
    """Return what the compiler of a device is given."""
    options = [*_OPTIONS]
    if facts.divides:
        options.append("-cl-fp32-correctly-rounded-divide-sqrt")
    if facts.platform == "Oclgrind":
        options.append("-cl-opt-disable")  # it does not carry out all that its optimizer makes
    return tuple(options)


def options_with_dots(options: tuple[str, ...]) -> tuple[str, ...]:
    """Return the same for what has dot products: the version that has their functions."""
    return tuple(_OF_DOTS if option == _OPTIONS[0] else option for option in options)


def facts_of(device: Any) -> Facts:
    """Return what a device of pyopencl says of itself."""
    single = device.single_fp_config
    config = cl.device_fp_config
    extensions = device.extensions.split()
    return Facts(
        name=device.name.strip(),
        platform=device.platform.name.strip(),
        version=device.version.strip(),
        driver=device.driver_version.strip(),
        memory_bytes=device.global_mem_size,
        allocation_bytes=device.max_mem_alloc_size,
        local_bytes=device.local_mem_size,
        group_size=device.max_work_group_size,
        units=device.max_compute_units,
        vector_width=device.native_vector_width_float,
        has_float64="cl_khr_fp64" in extensions,
        has_subnormals=bool(single & config.DENORM),
        has_fma=bool(single & config.FMA),
        divides=bool(single & config.CORRECTLY_ROUNDED_DIVIDE_SQRT),
        has_dots="cl_khr_integer_dot_product" in extensions,
    )
