"""The three examples of the operators' reference pages, with IndirectML's object model.

Run it with: python examples/published_examples.py
"""

import numpy as np

import indirectml as dml

device = dml.Device(feature_level="2_1")

descriptors = [
    dml.FillValueConstantOperatorDesc(
        output_tensor=dml.TensorDesc(np.float32, [1, 1, 2, 4]),
        value_data_type=np.float32,
        value=13.0,
    ),
    dml.FillValueSequenceOperatorDesc(
        output_tensor=dml.TensorDesc(np.float32, [1, 1, 1, 3]),
        value_data_type=np.float32,
        value_start=3,
        value_delta=2,
    ),
    # An unsigned type counts down: the delta is taken modulo 256.
    dml.FillValueSequenceOperatorDesc(
        output_tensor=dml.TensorDesc(np.uint8, [1, 1, 2, 2]),
        value_data_type=np.uint8,
        value_start=10,
        value_delta=-2,
    ),
]

for desc in descriptors:
    operator = device.create_operator(desc)
    compiled = device.compile_operator(operator)
    (output,) = compiled()
    print(output)
