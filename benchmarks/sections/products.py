"""Products of matrices and convolutions, beside the libraries that are known for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import indirectml as dml
from benchmarks.sections.beside import Work, compare, imported, libraries_on, session_of
from benchmarks.sections.section import Context, Section
from indirectml.arithmetic.contraction import contract, contract_integer, pack
from indirectml.arithmetic.convolution import convolve

NAME = "products"


class Product(NamedTuple):
    """Sizes of a product, and which operands are transposed in memory."""

    rows: int
    columns: int
    depth: int
    layout: str = "nn"
    bar: float = 0.95
    is_constant: bool = False  # the second one, which is put in panels once


class Image(NamedTuple):
    """A convolution of one image: channels, filters, size of the image, of the filter, ..."""

    what: str
    channels: int
    filters: int
    size: int
    taps: int
    stride: int = 1
    groups: int = 1


PRODUCTS = [
    *(Product(n, n, n, layout) for n in (64, 128, 256, 512, 1024) for layout in ("nn", "nt", "tn")),
    Product(2048, 2048, 2048),
    Product(16, 1024, 1024, "nt", 0.9),
    Product(16, 16, 4096, "nt", 0.9),
    Product(1, 1024, 1024, "nn", 0.9),
    Product(1, 4096, 4096, "nn", 0.9),
    Product(1, 1024, 1024, "nt", 0.5),
    Product(1, 4096, 4096, "nt", 0.5),
    *(
        Product(1, n, n, layout, 0.9, is_constant=True)
        for n in (1024, 4096)
        for layout in ("nn", "nt")
    ),
]
IMAGES = [
    Image("3x3 64 to 64 at 56", 64, 64, 56, 3),
    Image("1x1 64 to 256 at 56", 64, 256, 56, 1),
    Image("1x1 256 to 64 at 56", 256, 64, 56, 1),
    Image("7x7 stride 2 at 224", 3, 64, 224, 7, 2),
    Image("3x3 256 to 256 at 14", 256, 256, 14, 3),
    Image("3x3 512 to 512 at 7", 512, 512, 7, 3),
    Image("depthwise 3x3 at 112", 32, 32, 112, 3, 1, 32),
    Image("depthwise 3x3 stride 2 at 112", 64, 64, 112, 3, 2, 64),
    Image("depthwise 3x3 at 14", 512, 512, 14, 3, 1, 512),
]
INTEGERS = (512, 1024)


def run(context: Context) -> Section:
    """Compare each work on one thread, and large products on two."""
    section = Section(
        NAME,
        "Products of matrices and convolutions",
        "ours: the best of the others; the others: ours",
        notes=[
            "on one thread: seconds of its processor",
            "filters, and the second matrix of integers, are constants to ONNX Runtime",
        ],
    )
    small = context.effort.least_rounds == 1
    # By itself a product takes a second thread from this size on.
    least = {1: 1, 2: 512}
    for threads in (1, 2):
        with libraries_on(threads):
            for product in PRODUCTS:
                if product.rows < least[threads] or (small and product.depth > PRODUCTS[0].depth):
                    continue
                bar = product.bar if threads == 1 else 0.9
                name = f"{product.rows} x {product.columns} x {product.depth} {product.layout}"
                name += ", constant" if product.is_constant else ""
                compare(section, context, name, threads, _product(product, threads), bar)
            for image in () if small else IMAGES:
                bar = 0.75 if threads == 1 else 0.6
                compare(section, context, image.what, threads, _image(image, threads), bar)
            bar = 0.7 if _adds_quads() else 0.25
            for size in () if small or threads > 1 else INTEGERS:
                compare(section, context, f"INT8 {size}^3", threads, _integers(size), bar)
    return section


def _adds_quads() -> bool:
    """Return whether kernels may use VNNI, as far as Linux says."""
    facts = Path("/proc/cpuinfo")
    has_it = facts.exists() and "avx512_vnni" in facts.read_text(encoding="ascii")
    return has_it and dml.available_targets()[0] == "avx512"


def _product(product: Product, threads: int) -> Work:
    """Return the product of random matrices by each library."""
    rng = np.random.default_rng(0)

    def matrix(rows: int, columns: int, kind: str) -> Any:
        sizes = (rows, columns) if kind == "n" else (columns, rows)
        memory = rng.normal(size=sizes).astype(np.float32)
        return memory if kind == "n" else memory.T

    a = matrix(product.rows, product.depth, product.layout[0])
    b = matrix(product.depth, product.columns, product.layout[1])
    out = np.empty((product.rows, product.columns), np.float32)
    second = pack(b) if product.is_constant else b
    work: Work = {
        "indirectml": lambda: contract(a, second, out=out),
        "NumPy": lambda: np.matmul(a, b, out=out),
    }
    torch = imported("torch")
    if torch:
        x, y, z = (torch.from_numpy(v) for v in (a, b, out))
        work["PyTorch"] = lambda: torch.mm(x, y, out=z)
    stored = [v if kind == "n" else v.T for v, kind in zip((a, b), product.layout, strict=True)]
    inputs, constants = {"a": stored[0], "b": stored[1]}, {}
    if product.is_constant:
        constants["b"] = inputs.pop("b")
    session = session_of(
        "Gemm",
        inputs,
        constants,
        threads=threads,
        transA=int(product.layout[0] == "t"),
        transB=int(product.layout[1] == "t"),
    )
    if session:
        work["ONNX Runtime"] = session
    return work


def _integers(size: int) -> Work:
    """Return the product of 8-bit integers."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 256, size=(size, size)).astype(np.uint8)
    b = rng.integers(-128, 128, size=(size, size)).astype(np.int8)
    work: Work = {"indirectml": lambda: contract_integer(a, b)}
    session = session_of("MatMulInteger", {"a": a}, {"b": b}, threads=1)
    if session:
        work["ONNX Runtime"] = session
    return work


def _image(image: Image, threads: int) -> Work:
    """Return a convolution, its padding half of the filter."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, image.channels, image.size, image.size)).astype(np.float32)
    sizes = (image.filters, image.channels // image.groups, image.taps, image.taps)
    w = rng.normal(size=sizes).astype(np.float32)
    stride, padding = image.stride, image.taps // 2
    out = convolve(
        x,
        w,
        strides=[stride] * 2,
        start_padding=[padding] * 2,
        end_padding=[padding] * 2,
        group_count=image.groups,
    )
    work: Work = {
        "indirectml": lambda: convolve(
            x,
            w,
            strides=[stride] * 2,
            start_padding=[padding] * 2,
            end_padding=[padding] * 2,
            group_count=image.groups,
            out=out,
        )
    }
    torch = imported("torch")
    if torch:
        u, v = torch.from_numpy(x), torch.from_numpy(w)
        settings = {"stride": stride, "padding": padding, "groups": image.groups}
        work["PyTorch"] = lambda: torch.nn.functional.conv2d(u, v, **settings)
    session = session_of(
        "Conv",
        {"x": x},
        {"w": w},
        threads=threads,
        strides=[stride] * 2,
        pads=[padding] * 4,
        group=image.groups,
    )
    if session:
        work["ONNX Runtime"] = session
    return work
