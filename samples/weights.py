"""Weights of networks: .npy files of a folder, or random ones that are always the same."""

from __future__ import annotations

import math
import zlib
from pathlib import Path
from typing import Any

import numpy as np

import indirectml as dml

Array = np.ndarray[Any, Any]


class WeightsError(ValueError):
    """A file of weights is missing, or does not hold what the network needs."""


class Weights:
    """The weights of one network, as constants of its graph.

    Parameters
    ----------
    graph : Graph
        What gets the constants.
    folder : path, optional
        Where NAME.npy lies for each name. Without it weights are random, each by its name alone:
        filters such that the magnitude of activations stays, variances between 0.5 and 1.5.

    Attributes
    ----------
    arrays : dict
        What was asked for, by name: FLOAT32, of the sizes that were asked for.
    """

    def __init__(self, graph: dml.Graph, folder: Path | None = None) -> None:
        self.arrays: dict[str, Array] = {}
        self._graph = graph
        self._folder = folder

    def __call__(self, name: str, sizes: list[int]) -> dml.Expression:
        """Return weights as a constant of the graph.

        Parameters
        ----------
        name : str
            The file's, without its ending.
        sizes : list of int
            Of the tensor. The file's array may have other ones, with as many elements.

        Raises
        ------
        WeightsError
            There is no such file, or it holds something else.
        """
        found = _random(name, sizes) if self._folder is None else _read(self._folder, name, sizes)
        self.arrays[name] = found
        return self._graph.constant(found)


def _read(folder: Path, name: str, sizes: list[int]) -> Array:
    path = folder / f"{name}.npy"
    if not path.is_file():
        raise WeightsError(f"{path}: needs weights of {sizes}; there is no such file")
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise WeightsError(f"{path}: needs a .npy file of numbers; {error}") from None
    if array.dtype.kind != "f" or array.size != math.prod(sizes):
        raise WeightsError(
            f"{path}: needs floats of {sizes}, got {array.dtype} of {list(array.shape)}"
        )
    return array.astype(np.float32).reshape(sizes)


def _random(name: str, sizes: list[int]) -> Array:
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    if name.endswith("running_var"):
        return generator.uniform(0.5, 1.5, sizes).astype(np.float32)
    if name.endswith("gamma"):
        return generator.uniform(0.7, 1.0, sizes).astype(np.float32)
    inputs = math.prod(sizes[1:]) if sizes[0] > 1 else math.prod(sizes)
    scale = math.sqrt(2 / inputs) if sizes[0] > 1 and inputs > 1 else 0.05
    return (generator.standard_normal(sizes) * scale).astype(np.float32)
