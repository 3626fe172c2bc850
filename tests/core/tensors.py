"""Tensor descriptors that differ from one in what a test is about."""

import numpy as np

from indirectml.core.tensors import TensorDesc

ALIGNMENT = "guaranteed_base_offset_alignment"


def make(changes):
    fields = {"data_type": np.float32, "sizes": [2, 3], **changes}
    return TensorDesc(fields.pop("data_type"), fields.pop("sizes"), **fields)
