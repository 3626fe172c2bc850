"""ELEMENT_WISE_CLIP: the nearest number from min to max, which are FLOAT32."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from indirectml.arithmetic.basics import Array, check_scale_bias, limited, scaled, wrapped
from indirectml.core.errors import DescriptorError, DirectMLError
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc, caught
from indirectml.descriptors.fields import ScaleBias


@dataclass(frozen=True)
class ElementWiseClipOperatorDesc(OperatorDesc):
    """Output = min(max(Input * Scale + Bias, Min), Max), element by element.

    Parameters
    ----------
    input_tensor : TensorDesc
        A stride of 0 repeats elements.
    output_tensor : TensorDesc
        Of the same sizes and data type.
    scale_bias : ScaleBias or (float, float), optional
        As in ELEMENT_WISE_IDENTITY.
    min, max : float
        Rounded to FLOAT32. For a tensor of integers, integers or infinite.

    Notes
    -----
    A NaN of the input stays, and so does a zero that equals a limit, with its sign. Limits beyond
    the range of an integer data type limit nothing.

    References
    ----------
    DirectML: DML_ELEMENT_WISE_CLIP_OPERATOR_DESC.

    Examples
    --------
    >>> tensor = TensorDesc(np.float32, [3])
    >>> device = Device()
    >>> desc = ElementWiseClipOperatorDesc(tensor, tensor, min=-1, max=1)
    >>> device.compile_operator(device.create_operator(desc))([np.array([-2, 0, 2], np.float32)])
    [array([-1.,  0.,  1.], dtype=float32)]
    """

    input_tensor: TensorDesc
    output_tensor: TensorDesc
    scale_bias: ScaleBias | None = field(default=None, kw_only=True)
    min: float
    max: float

    def check_fields(self) -> Iterator[DirectMLError]:
        """Check that integers are scaled and limited by integers."""
        yield from caught(check_scale_bias, self.scale_bias, self.input_tensor)
        for name in ("min", "max"):
            value = getattr(self, name)
            if math.isnan(value):
                yield DescriptorError("needs a number", given="nan", field=name)
            elif not self.input_tensor.data_type.is_float and value not in (
                math.inf, -math.inf, math.trunc(value) if math.isfinite(value) else 0,
            ):  # fmt: skip
                yield DescriptorError(
                    f"needs an integer for a tensor of {self.input_tensor.data_type.name}",
                    given=f"{value}",
                    field=name,
                )


def compute(desc: ElementWiseClipOperatorDesc, x: Array) -> Array:
    """Return x * scale + bias, limited."""
    low, high = _limit(desc.min, x.dtype), _limit(desc.max, x.dtype)
    return limited(scaled(x, desc.scale_bias), low, high)


def _limit(value: float, dtype: np.dtype[Any]) -> Any:
    """Return a limit as a scalar of the data type, the nearest one there is."""
    if dtype.kind == "f":
        return dtype.type(value)
    limits = np.iinfo(dtype)
    if not limits.min <= value <= limits.max:
        return dtype.type(limits.min if value < 0 else limits.max)
    return wrapped(int(value), dtype)
