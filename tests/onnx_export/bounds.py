"""How far from IndirectML's results those of ONNX Runtime may be.

In ULP of the output's largest finite element, of its data type; of integers in steps. Operators
that are not here give the same bits, where any NaN is like any other if something is computed.
Bounds are about four times what was measured, since ONNX Runtime's own results differ from one
processor to another.
"""

BOUNDS: dict[str, float] = {
    # normalization
    "BATCH_NORMALIZATION": 8,
    "LOCAL_RESPONSE_NORMALIZATION": 16,
    "MEAN_VARIANCE_NORMALIZATION": 8,
    "MEAN_VARIANCE_NORMALIZATION1": 8,
    "MEAN_VARIANCE_NORMALIZATION2": 8,
    # recurrent
    "GRU": 1000,
    "LSTM": 100,
    "RNN": 16,
    # resampling
    "RESAMPLE": 1,
    "RESAMPLE1": 1,
    "RESAMPLE3": 1,
    "RESAMPLE_GRAD": 1,
    "RESAMPLE_GRAD1": 1,
    "UPSAMPLE_2D": 8,
}
