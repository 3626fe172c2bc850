"""Implementations of OpenCL that run without a GPU, and what each test needs of them."""

import functools
import importlib.metadata
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from indirectml.opencl import platforms
from indirectml.opencl.platforms import cl

ROOT = Path(__file__).parents[2]

#: Where Debian and others list implementations: a file for each, with the name of its library.
VENDORS = Path("/etc/OpenCL/vendors")


@functools.cache
def device_of(platform):
    """Return the name of the first device of a platform in this process; "" without one."""
    for number, device in enumerate(() if cl is None else platforms.devices()):
        if platform in device.platform.name:
            return f"opencl:{number}" if number else "opencl"
    return ""


#: The variable with the name of the device that tests run on, where it is another one.
NAMED = "INDIRECTML_TESTS_ON"


#: The variable with the only implementation of a process.
_ALONE = "OCL_ICD_FILENAMES"


def is_alone():
    """Return whether this process is there for one implementation, or for a named device."""
    return bool(os.environ.keys() & {NAMED, _ALONE})


def pocl():
    """Return the name of PoCL's device in this process, or of Intel's alone; "" without one."""
    return os.environ.get(NAMED) or device_of("Portable Computing Language") or device_of("Intel")


needs_pocl = pytest.mark.skipif(
    not pocl(), reason="PoCL is not installed: apt-get install pocl-opencl-icd, and pyopencl"
)

#: The names of platforms, as they call themselves.
_PLATFORMS = {"rusticl": "rusticl", "intel": "Intel", "oclgrind": "Oclgrind"}


def elsewhere(implementation, folder, *arguments, module="compare"):
    """Run `python -m tests.opencl.MODULE` in a process that has one implementation alone.

    Parameters
    ----------
    implementation : str
        "rusticl", "intel" or "oclgrind".
    folder : Path
        What can be written, and is empty.
    """
    command = [sys.executable, "-m", f"tests.opencl.{module}"]
    command += [_PLATFORMS[implementation], *arguments]
    environment = os.environ | {"RUSTICL_ENABLE": "llvmpipe", "XDG_CACHE_HOME": str(folder)}
    if implementation == "oclgrind":
        program = shutil.which("oclgrind")
        if program is None:
            pytest.skip("Oclgrind is not installed: apt-get install oclgrind")
        command = [program, "--data-races", "--uninitialized", *command]
    else:
        library = _library(implementation)
        if library is None:
            pytest.skip(f"{implementation} is not installed; .ci/packages and .ci/run do that")
        vendors = folder / "vendors"
        vendors.mkdir()
        (vendors / "one.icd").write_text(library)
        environment |= {"OCL_ICD_VENDORS": str(vendors), _ALONE: library}
        # Libraries of a wheel beside it.
        environment["LD_LIBRARY_PATH"] = str(Path(library).parent)
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, cwd=ROOT
    )


def _library(implementation):
    """Return the library of an implementation; None if it is not there."""
    if cl is None:
        return None
    if implementation == "rusticl":
        listed = VENDORS / "rusticl.icd"
        return listed.read_text().strip() if listed.exists() else None
    try:
        files = importlib.metadata.files("intel-opencl-rt")
    except importlib.metadata.PackageNotFoundError:
        return None
    # The wheel lists its library nowhere.
    found = [each.locate() for each in files or () if each.name == "libintelocl.so"]
    return str(Path(found[0]).resolve()) if found else None
