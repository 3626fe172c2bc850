"""Models that others made: where they lie, what goes in, and how far results may differ."""

import importlib.util
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx

from indirectml.devices import cpu
from tests.extent import Extent
from tests.onnx_import.light import NAMES, light_model


@dataclass(frozen=True)
class RealModel:
    """A model.

    Attributes
    ----------
    name : str
        Ours for it.
    package : str
        Which ships it.
    read : callable
        From nothing to its `onnx.ModelProto`.
    inputs : callable
        From a generator of random numbers to arrays by name.
    bound : float
        The largest difference from ONNX Runtime, in parts of the largest output: both round in
        orders of their own, layer after layer.
    is_large : bool
        Whether its weights take hundreds of megabytes.
    """

    name: str
    package: str
    read: Callable = field(repr=False)
    inputs: Callable = field(repr=False)
    bound: float = 1e-4
    is_large: bool = False

    @property
    def is_there(self):
        return importlib.util.find_spec(self.package) is not None

    @property
    def data(self):
        """Inputs, always the same."""
        return self.inputs(np.random.default_rng(zlib.crc32(self.name.encode())))


def of_package(package, path):
    """Return a function that reads a model from the files of a package."""

    def read():
        folder = Path(importlib.util.find_spec(package).origin).parent
        return onnx.load(folder / path)

    return read


def image(name, *sizes):
    """Return a function that makes a random picture, normalized."""
    return lambda random: {name: random.standard_normal(sizes).astype(np.float32)}


def light(name):
    model = {"resnet50": "gpu_0/", "shufflenet": "gpu_0/", "zfnet512": "gpu_0/"}.get(name, "")
    return RealModel(
        f"light {name}",
        "onnx",
        lambda: light_model(name),
        image(f"{model}data_0", 1, 3, 224, 224),
        is_large=name in {"vgg19", "zfnet512", "bvlc_alexnet"},
    )


def steps_in_python(compiled):
    """Return the steps of a compiled graph that the native code does not carry out."""
    return [step for step in compiled.plan.steps if cpu.native_form(step) is None]


def magika_inputs(random):
    return {"bytes": random.integers(0, 257, (1, 2048)).astype(np.int32)}


def silero_inputs(random):
    data = image("input", 20, 576)(random)
    return data | {name: np.zeros((1, 1, 128), np.float32) for name in ("h", "c")}


OCR = "rapidocr_onnxruntime"

MODELS = {
    model.name: model
    for model in (
        *(light(name) for name in NAMES),
        RealModel(
            "magika", "magika", of_package("magika", "models/standard_v3_3/model.onnx"),
            magika_inputs,
        ),
        RealModel(
            "silero-vad", "silero_vad",
            of_package("silero_vad", "data/silero_vad_16k_sequence.onnx"), silero_inputs,
        ),
        RealModel(
            "rapidocr detection", OCR, of_package(OCR, "models/ch_PP-OCRv4_det_infer.onnx"),
            image("x", 1, 3, 224, 320),
        ),
        RealModel(
            "rapidocr direction", OCR,
            of_package(OCR, "models/ch_ppocr_mobile_v2.0_cls_infer.onnx"),
            image("x", 1, 3, 48, 192),
        ),
        RealModel(
            "rapidocr recognition", OCR, of_package(OCR, "models/ch_PP-OCRv4_rec_infer.onnx"),
            image("x", 1, 3, 48, 320),
        ),
    )
}  # fmt: skip

#: What takes seconds, of layers that others have too.
_LONG = {"light densenet121", "light inception_v2"}


def small():
    """Return the names of models that are not large, without `--whole` of those that are short."""
    return [
        name
        for name, made in MODELS.items()
        if not made.is_large and (Extent.whole or name not in _LONG)
    ]
