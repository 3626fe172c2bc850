"""Sources of kernels, built for a device: once per source, and kept on disk by pyopencl."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from importlib import resources
from typing import Any

from indirectml.opencl.launches import Source
from indirectml.opencl.platforms import cl, options_with_dots


@functools.cache
def file_text(name: str) -> str:
    """Return a file of `kernels/`."""
    return (resources.files("indirectml.opencl") / "kernels" / name).read_text("utf-8")


def text_of(source: Source) -> str:
    """Return all of a source, common.cl in front."""
    return "\n".join([*map(file_text, ("common.cl", *source.files)), source.text])


def built(context: Any, text: str, options: Sequence[str]) -> Any:
    """Return a program; what was built before comes from pyopencl's cache on disk."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # compilers have much to say about what is right
        return cl.Program(context, text).build(list(options))


class Library:
    """The programs of a device.

    Parameters
    ----------
    context : pyopencl.Context
        Of one device.
    options : tuple of str
        For the compiler.
    """

    def __init__(self, context: Any, options: tuple[str, ...]) -> None:
        self.context = context
        self.options = options
        self.built_count = 0
        self._programs: dict[Source, Any] = {}

    def kernel(self, source: Source, name: str) -> Any:
        """Return a new kernel, with arguments of its own."""
        program = self._programs.get(source)
        if program is None:
            program = self._programs[source] = self._build(source)
        return cl.Kernel(program, name)

    def _build(self, source: Source) -> Any:
        self.built_count += 1
        has_dots = "dots.cl" in source.files
        options = options_with_dots(self.options) if has_dots else self.options
        defines = (f"-D{define}" for define in source.defines)
        return built(self.context, self.build_text(source), (*options, *defines))

    def build_text(self, source: Source) -> str:
        """Return all of what is built of a source."""
        return text_of(source)
